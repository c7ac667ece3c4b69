// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "commands.hpp"

#include "pleat/scene/material_file.hpp"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <memory>
#include <string>

namespace pleat::app {

namespace {

int list(bool json)
{
    const auto fabrics = shipped_fabrics();
    if (json) {
        nlohmann::ordered_json all = nlohmann::ordered_json::array();
        for (const FabricEntry& f : fabrics)
            all.push_back({{"name", f.name},
                           {"aliases", f.aliases},
                           {"density", f.material.density},
                           {"use", f.use},
                           {"composition", f.composition},
                           {"source", f.source}});
        fmt::print("{}\n", all.dump(2));
        return exit_good;
    }
    fmt::print("{:<22} {:>10}  {:<18} {:<34} {}\n", "name", "kg/m^2", "use", "composition",
               "also called");
    for (const FabricEntry& f : fabrics) {
        std::string aliases;
        for (const std::string& a : f.aliases) aliases += (aliases.empty() ? "" : ", ") + a;
        fmt::print("{:<22} {:>10.3f}  {:<18} {:<34} {}\n", f.name, f.material.density, f.use,
                   f.composition, aliases);
    }
    fmt::print(
        "\nMeasured by Wang, O'Brien and Ramamoorthi 2011. In a scene: \"material\": \"{}\"\n",
        fabrics.front().name);
    return exit_good;
}

} // namespace

Command add_materials(CLI::App& program)
{
    auto json = std::make_shared<bool>(false);
    CLI::App* verb = program.add_subcommand("materials", "List the fabrics that come with Pleat");
    verb->add_flag("--json", *json, "As JSON");
    return [json] { return list(*json); };
}

} // namespace pleat::app
