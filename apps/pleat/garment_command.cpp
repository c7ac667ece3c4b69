// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// From a sewing pattern to the mesh of a garment.
#include "commands.hpp"

#include "pleat/export/obj_writer.hpp"
#include "pleat/scene/garment.hpp"

#include <fmt/core.h>

#include <cstdio>
#include <memory>
#include <optional>
#include <string>

namespace pleat::app {

namespace {

struct GarmentArguments {
    std::string pattern, output;
    std::optional<double> edge_length;
    GarmentOptions options;
};

int garment(const GarmentArguments& a)
{
    Pattern pattern = read_pattern_file(a.pattern);
    if (a.edge_length) pattern.edge_length = *a.edge_length;
    GarmentOptions options = a.options;
    options.on_panel = [](std::size_t done, std::size_t all, const PanelReport& panel) {
        fmt::print(stderr, "panel {}/{}: {}, {} faces\n", done, all, panel.name, panel.faces);
        std::fflush(stderr);
    };
    const Garment g = make_garment(pattern, options);
    for (const PanelReport& p : g.panels)
        fmt::print("panel {}: {:.1f} x {:.1f} mm, {:.4g} m^2, {} faces\n", p.name, 1000 * p.width,
                   1000 * p.height, p.area, p.faces);
    for (const SeamReport& s : g.seams)
        fmt::print("seam {}: {:.1f} mm to {:.1f} mm ({:.2f}x)\n", s.name, 1000 * s.length_a,
                   1000 * s.length_b, s.ratio());
    for (const GirthReport& girth : g.girths)
        fmt::print("{}: {:.1f} mm\n", girth.name, 1000 * girth.length);
    for (const std::string& note : g.notes) fmt::print(stderr, "note: {}\n", note);
    ObjMesh mesh = view_as_obj(g.mesh);
    mesh.comment = "garment " + pattern.name + ": " + std::to_string(pattern.panels.size()) +
                   " panels, made by pleat garment";
    write_obj(a.output, mesh);
    fmt::print("{}: {} panels, {} faces, {} nodes\n", a.output, pattern.panels.size(),
               g.mesh.face_nodes.size(), g.mesh.node_x.size());
    return exit_good;
}

} // namespace

Command add_garment(CLI::App& program)
{
    auto a = std::make_shared<GarmentArguments>();
    CLI::App* verb =
        program.add_subcommand("garment", "Make the mesh of a garment from a sewing pattern");
    verb->add_option("pattern", a->pattern, "A pattern file (.json)")->required();
    verb->add_option("-o,--output", a->output, "The OBJ file to write")->required();
    verb->add_option("--edge-length", a->edge_length,
                     "Longest edge [m] (default: that of the pattern)")
        ->check(CLI::Range(0.001, 10.0));
    verb->add_option("--max-faces", a->options.most_faces,
                     "Refuse patterns that would need more faces")
        ->check(CLI::Range(1, 1000000000))
        ->capture_default_str();
    return [a] { return garment(*a); };
}

} // namespace pleat::app
