// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "commands.hpp"

#include "pleat/core/atomic_file.hpp"
#include "pleat/core/error.hpp"
#include "pleat/export/obj_writer.hpp"
#include "pleat/export/ply_writer.hpp"
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

int convert(const ConvertArguments& a)
{
    if (fs::path(a.from).extension() == ".json") return convert_scene(a);
    const MeshFile file = read_mesh_file(a.from, MeshUse::obstacle); // any mesh, not only cloth
    for (const std::string& note : file.notes) fmt::print(stderr, "note: {}\n", note);
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

Command add_convert(CLI::App& program)
{
    auto a = std::make_shared<ConvertArguments>();
    CLI::App* verb = program.add_subcommand(
        "convert", "Convert a mesh file, or write a scene in the format of Pleat");
    verb->add_option("from", a->from, "A mesh file (.obj, .ply) or a scene (.json), also of ARCSim")
        ->required();
    verb->add_option("to", a->to, "The file to write (.obj, .ply; .json for a scene)")->required();
    verb->add_flag("--float32", a->single, "Single precision (PLY)");
    return [a] { return convert(*a); };
}

} // namespace pleat::app
