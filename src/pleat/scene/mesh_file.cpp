// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/scene/mesh_file.hpp"

#include "pleat/io/obj.hpp"
#include "pleat/io/ply.hpp"

#include <algorithm>
#include <cctype>
#include <functional>

namespace pleat {

namespace {

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
                     "a material point (vt) for each corner, or a flat mesh"});
        }
        for (Problem& p : locate(found, file, name)) result.problems.push_back(std::move(p));
    }
    result.mesh = std::move(file.mesh);
    return result;
}

} // namespace

MeshFile read_mesh_file(const std::filesystem::path& path, MeshUse use)
{
    std::string extension = path.extension().string();
    std::transform(extension.begin(), extension.end(), extension.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    if (extension == ".obj") return checked(read_obj(path), path.string(), use);
    if (extension == ".ply") return checked(read_ply(path), path.string(), use);
    throw InputError(Problem{
        path.string(), "", "a mesh file with the extension \"" + extension + "\"", ".obj or .ply"});
}

} // namespace pleat
