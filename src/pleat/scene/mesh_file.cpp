// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/scene/mesh_file.hpp"

#include "pleat/io/obj.hpp"
#include "pleat/io/ply.hpp"
#include "pleat/mesh/flatten.hpp"

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <functional>
#include <utility>

namespace pleat {

namespace {

// A mean change of edge lengths above which a shape was not meant to be laid flat in one piece.
constexpr double much_change = 0.1;

template <class File> MeshFile checked(File file, const std::string& name, MeshUse use)
{
    MeshFile result;
    result.notes = file.notes;
    if (use == MeshUse::cloth) {
        auto found = find_mesh_problems(file.mesh);
        if (found.empty() && file.mesh.material_u.empty()) {
            if (flatten_planar(file.mesh))
                found = find_mesh_problems(file.mesh);
            else
                result.problems.push_back(
                    {name, "", "a mesh without material points that is not flat",
                     "a material point (vt) for each corner, or a flat mesh, or \"rest\": \"mesh\" "
                     "in the scene: lengths as they are modelled"});
        }
        for (Problem& p : locate(found, file, name)) result.problems.push_back(std::move(p));
        if (result.problems.empty())
            if (const std::size_t doubled = count_closed_slit_nodes(file.mesh); doubled > 0)
                result.notes.push_back(
                    std::to_string(doubled) +
                    " vertices lie in pairs at the same place along the outline of one panel: "
                    "taken "
                    "as a slit that starts closed (where no cut is meant, merge them)");
    }
    result.mesh = std::move(file.mesh);
    return result;
}

std::string percent(double share)
{
    char text[32];
    std::snprintf(text, sizeof text, share < 0.0995 ? "%.2g %%" : "%.0f %%", 100 * share);
    return share < 5e-7 ? "0 %" : text;
}

std::string note_of(const FlattenReport& r)
{
    std::string text = "rest lengths are those of the shape: " + std::to_string(r.panel_count) +
                       (r.panel_count == 1 ? " panel" : " panels") +
                       " laid flat, edge lengths change by " + percent(r.mean_change) +
                       " on average and at most " + percent(r.worst_change);
    if (r.cut_count > 0)
        text += "; " + std::to_string(r.cut_count) +
                " had to be cut open: a UV map that is cut along the seams says where";
    else if (r.mean_change > much_change)
        text += ": a UV map that is cut along more seams gives panels that lie flatter";
    return text;
}

template <class File>
MeshFile shaped(File file, const std::filesystem::path& path, const std::filesystem::path& shape,
                const Vec3& up)
{
    MeshFile result;
    result.notes = file.notes;
    const auto take = [&](const std::vector<MeshProblem>& found) {
        for (Problem& p : locate(found, file, path.string()))
            result.problems.push_back(std::move(p));
        return found.empty();
    };
    MeshInput bare = file.mesh; // without what is to be replaced
    bare.material_u.clear();
    bare.face_points.clear();
    if (take(find_mesh_problems(bare))) {
        const std::vector<Vec3> x =
            shape.empty() ? file.mesh.node_x : read_shape(shape, path, file.mesh);
        const FlattenReport r = flatten_panels(file.mesh, x, up);
        if (take(r.problems)) take(find_mesh_problems(file.mesh));
        if (result.problems.empty()) result.notes.push_back(note_of(r));
    }
    result.mesh = std::move(file.mesh);
    return result;
}

/// Calls with_obj() or with_ply(), as the extension says.
template <class WithObj, class WithPly>
MeshFile by_extension(const std::filesystem::path& path, WithObj with_obj, WithPly with_ply)
{
    std::string extension = path.extension().string();
    std::transform(extension.begin(), extension.end(), extension.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    if (extension == ".obj") return with_obj();
    if (extension == ".ply") return with_ply();
    throw InputError(Problem{
        path.string(), "", "a mesh file with the extension \"" + extension + "\"", ".obj or .ply"});
}

} // namespace

MeshFile read_mesh_file(const std::filesystem::path& path, MeshUse use)
{
    return by_extension(
        path, [&] { return checked(read_obj(path), path.string(), use); },
        [&] { return checked(read_ply(path), path.string(), use); });
}

MeshFile read_shaped_mesh_file(const std::filesystem::path& path,
                               const std::filesystem::path& shape, const Vec3& up)
{
    return by_extension(
        path, [&] { return shaped(read_obj(path), path, shape, up); },
        [&] { return shaped(read_ply(path), path, shape, up); });
}

std::vector<Vec3> read_shape(const std::filesystem::path& shape,
                             const std::filesystem::path& mesh_path, const MeshInput& mesh)
{
    MeshFile file = read_mesh_file(shape, MeshUse::obstacle);
    const auto counts = [](const MeshInput& m) {
        return std::to_string(m.node_x.size()) + " vertices and " +
               std::to_string(m.face_nodes.size()) + " triangles";
    };
    const bool same_counts = file.mesh.node_x.size() == mesh.node_x.size() &&
                             file.mesh.face_nodes.size() == mesh.face_nodes.size();
    if (!same_counts || file.mesh.face_nodes != mesh.face_nodes)
        throw InputError(
            Problem{shape.string(), "", same_counts ? "other faces" : counts(file.mesh),
                    "the vertices and faces of " + mesh_path.string() + " in the same order" +
                        (same_counts ? "" : ", " + counts(mesh))});
    return std::move(file.mesh.node_x);
}

} // namespace pleat
