// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "commands.hpp"

#include "pleat/core/atomic_file.hpp"
#include "pleat/core/error.hpp"
#include "pleat/export/obj_writer.hpp"
#include "pleat/export/ply_writer.hpp"
#include "pleat/render/loop_surface.hpp"
#include "pleat/scene/arcsim_file.hpp"
#include "pleat/scene/mesh_file.hpp"

#include <fmt/core.h>

#include <filesystem>
#include <map>
#include <memory>
#include <string>

namespace pleat::app {

namespace {

namespace fs = std::filesystem;

struct ConvertArguments {
    std::string from, to;
    bool single = false;
    std::string display = "mesh";
    int levels = 2;
};

/// One vertex for each pair of node and material point, as PLY wants it.
void write_as_ply(const fs::path& path, const MeshInput& m, bool single)
{
    const auto precision = single ? PlyPrecision::float32 : PlyPrecision::float64;
    PlyMesh ply;
    ply.x = m.node_x;
    ply.v = m.node_v;
    if (m.material_u.empty()) {
        ply.faces = m.face_nodes;
        write_ply(path, ply, precision);
        return;
    }
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> vert_of;
    std::vector<Vec2> u;
    std::vector<std::uint32_t> vert_node;
    std::vector<std::array<std::uint32_t, 3>> faces(m.face_nodes.size());
    for (std::size_t f = 0; f < faces.size(); ++f)
        for (std::size_t k = 0; k < 3; ++k) {
            const std::uint32_t node = m.face_nodes[f][k], point = m.face_points[f][k];
            const auto [it, is_new] =
                vert_of.emplace(std::pair{node, point}, std::uint32_t(u.size()));
            if (is_new) {
                u.push_back(m.material_u[point]);
                vert_node.push_back(node);
            }
            faces[f][k] = it->second;
        }
    ply.u = u;
    ply.vert_node = vert_node;
    ply.faces = faces;
    write_ply(path, ply, precision);
}

int convert_scene(const ConvertArguments& a)
{
    const ReadScene read = read_any_scene(a.from);
    for (const std::string& note : read.notes) fmt::print(stderr, "note: {}\n", note);
    const fs::path folder = fs::absolute(a.to).parent_path();
    AtomicFile file(a.to);
    file.append(to_json_text(read.scene, folder, SceneText::brief));
    file.commit();
    fmt::print("{}: {} cloths, {} obstacles, {} handles\n", a.to, read.scene.cloths.size(),
               read.scene.obstacles.size(), read.scene.handles.size());
    return exit_good;
}

/// The Loop surface of a mesh; labels and marked edges have no place on it.
MeshInput loop_surface_of(const MeshInput& m, int levels)
{
    const LoopSurface s =
        loop_surface({m.node_x, m.face_nodes, m.material_u,
                      m.material_u.empty() ? m.face_nodes : m.face_points, m.node_v},
                     levels);
    MeshInput out;
    out.node_x = s.positions;
    out.node_v = s.velocities;
    out.face_nodes = s.faces;
    out.material_u = s.material;
    out.face_points = s.face_material;
    for (std::uint32_t parent : s.parent)
        if (!m.face_material.empty()) out.face_material.push_back(m.face_material[parent]);
    return out;
}

int convert(const ConvertArguments& a)
{
    const bool is_scene = fs::path(a.from).extension() == ".json";
    if (is_scene && a.display != "mesh")
        throw InputError(Problem{a.from, "", "a scene with --display", "a mesh file"});
    if (is_scene) return convert_scene(a);
    MeshFile file = read_mesh_file(a.from, MeshUse::obstacle); // any mesh, not only cloth
    for (const std::string& note : file.notes) fmt::print(stderr, "note: {}\n", note);
    if (a.display == "loop") {
        if (!file.problems.empty()) throw InputError(file.problems);
        if (!loop_surface_available())
            throw InputError(Problem{"pleat convert", "", "--display loop",
                                     "a build with OpenSubdiv (CMake option PLEAT_OPENSUBDIV)"});
        file.mesh = loop_surface_of(file.mesh, a.levels);
    }
    const std::string extension = fs::path(a.to).extension().string();
    if (extension == ".obj")
        write_obj(a.to, view_as_obj(file.mesh));
    else if (extension == ".ply")
        write_as_ply(a.to, file.mesh, a.single);
    else
        throw InputError(Problem{a.to, "", "the extension \"" + extension + "\"", ".obj or .ply"});
    if (extension == ".ply" && (!file.mesh.node_label.empty() || !file.mesh.face_material.empty() ||
                                !file.mesh.edge_marks.empty()))
        fmt::print(stderr,
                   "note: PLY files have no labels, material indices or marked edges; they are "
                   "missing in {}\n",
                   a.to);
    fmt::print("{}: {} vertices, {} faces\n", a.to, file.mesh.node_x.size(),
               file.mesh.face_nodes.size());
    return exit_good;
}

} // namespace

void add_display_options(CLI::App& verb, std::string& display, int& levels)
{
    verb.add_option("--display", display,
                    "mesh: as it is; loop: the smooth Loop surface of it (cloths only)")
        ->check(CLI::IsMember({"mesh", "loop"}))
        ->capture_default_str();
    verb.add_option("--display-levels", levels,
                    "How often the faces of a Loop surface are divided into four")
        ->check(CLI::Range(1, most_loop_levels))
        ->capture_default_str();
}

Command add_convert(CLI::App& program)
{
    auto a = std::make_shared<ConvertArguments>();
    CLI::App* verb = program.add_subcommand(
        "convert", "Convert a mesh file, or write a scene in the format of Pleat");
    verb->add_option("from", a->from, "A mesh file (.obj, .ply) or a scene (.json), also of ARCSim")
        ->required();
    verb->add_option("to", a->to, "The file to write (.obj, .ply; .json for a scene)")->required();
    verb->add_flag("--float32", a->single, "Single precision (PLY)");
    add_display_options(*verb, a->display, a->levels);
    return [a] { return convert(*a); };
}

} // namespace pleat::app
