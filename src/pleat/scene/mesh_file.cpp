// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/scene/mesh_file.hpp"

#include "pleat/io/mesh_places.hpp"
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

/// A mesh that is in memory, as the readers of files return theirs.
struct MemoryMesh {
    MeshInput mesh;
    std::vector<std::string> notes{};
};

std::vector<Problem> locate(const std::vector<MeshProblem>& found, const MemoryMesh&,
                            const std::string& name)
{
    const auto place = [](MeshElement element, std::uint32_t id) {
        const char* word = element == MeshElement::face             ? "face "
                           : element == MeshElement::material_point ? "material point "
                                                                    : "node ";
        return word + std::to_string(id);
    };
    const auto place_of_edge = [](std::uint32_t a, std::uint32_t b) {
        return "edge between nodes " + std::to_string(a) + " and " + std::to_string(b);
    };
    return locate_with(found, name, place, place_of_edge);
}

/// The same checks as those of the file readers, which obstacles need too.
/// \throw InputError
void require_readable(const MeshInput& mesh, const std::string& name)
{
    std::vector<Problem> problems;
    if (mesh.node_x.empty() || mesh.face_nodes.empty())
        problems.push_back({name, "", "no triangles", "a mesh with at least one"});
    for (std::size_t n = 0; n < mesh.node_x.size(); ++n)
        if (!is_finite(mesh.node_x[n]))
            problems.push_back({name, "node " + std::to_string(n),
                                "a coordinate that is not finite", "finite numbers"});
    for (std::size_t f = 0; f < mesh.face_nodes.size(); ++f)
        for (const std::uint32_t n : mesh.face_nodes[f])
            if (n >= mesh.node_x.size())
                problems.push_back({name, "face " + std::to_string(f), "node " + std::to_string(n),
                                    "numbers below " + std::to_string(mesh.node_x.size())});
    constexpr std::size_t most = 100;
    if (problems.size() > most) problems.resize(most);
    if (!problems.empty()) throw InputError(std::move(problems));
}

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

/// Calls use() with what was read, by extension unless the mesh is in memory.
template <class Use>
MeshFile read_and(const std::filesystem::path& path, const NamedMeshes& in_memory, Use use)
{
    if (const auto found = in_memory.find(path); found != in_memory.end()) {
        require_readable(found->second, path.string());
        return use(MemoryMesh{found->second});
    }
    std::string extension = path.extension().string();
    std::transform(extension.begin(), extension.end(), extension.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    if (extension == ".obj") return use(read_obj(path));
    if (extension == ".ply") return use(read_ply(path));
    throw InputError(Problem{
        path.string(), "", "a mesh file with the extension \"" + extension + "\"", ".obj or .ply"});
}

} // namespace

MeshFile read_mesh_file(const std::filesystem::path& path, MeshUse use,
                        const NamedMeshes& in_memory)
{
    return read_and(path, in_memory,
                    [&](auto file) { return checked(std::move(file), path.string(), use); });
}

MeshFile read_shaped_mesh_file(const std::filesystem::path& path,
                               const std::filesystem::path& shape, const Vec3& up,
                               const NamedMeshes& in_memory)
{
    return read_and(path, in_memory,
                    [&](auto file) { return shaped(std::move(file), path, shape, up); });
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
