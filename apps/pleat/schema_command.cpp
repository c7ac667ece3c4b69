// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "commands.hpp"

#include "pleat/core/atomic_file.hpp"
#include "pleat/io/file_bytes.hpp"
#include "pleat/scene/scene_format.hpp"

#include <CLI/CLI.hpp>
#include <fmt/core.h>

#include <memory>
#include <string>
#include <vector>

namespace pleat::app {

Command add_schema(CLI::App& program)
{
    auto pages = std::make_shared<std::vector<std::string>>();
    CLI::App* verb = program.add_subcommand("schema", "Print the JSON schema of scene files");
    verb->add_option(
        "--tables", *pages,
        "Instead, update the tables of keys in these Markdown files: between the lines "
        "<!-- keys of KIND --> and <!-- end of keys -->");
    return [pages] {
        if (pages->empty()) fmt::print("{}", scene_schema_text());
        for (const std::string& page : *pages) {
            const std::string text =
                with_key_tables(std::string(read_file_bytes(page).text()), page);
            AtomicFile file(page);
            file.append(text);
            file.commit();
        }
        return exit_good;
    };
}

} // namespace pleat::app
