// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// A mesh file of any format that Pleat reads.
#pragma once

#include "pleat/core/error.hpp"
#include "pleat/core/vec.hpp"
#include "pleat/mesh/mesh_input.hpp"

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace pleat {

struct MeshFile {
    MeshInput mesh;
    std::vector<std::string> notes;
    std::vector<Problem> problems; // of the mesh as cloth, with the places of the file
};

enum class MeshUse { cloth, obstacle };

/// Meshes in memory. A scene that names one of them as a mesh file gets it instead of a file.
using NamedMeshes = std::map<std::filesystem::path, MeshInput>;

/// Reads by extension (.obj, .ply). For cloth the mesh is checked, and given the material points
/// of its own plane where it has none.
/// \param in_memory is looked at first
/// \throw InputError where the file cannot be read as a mesh at all.
[[nodiscard]] MeshFile read_mesh_file(const std::filesystem::path& path, MeshUse use,
                                      const NamedMeshes& in_memory = {});

/// Reads a cloth whose rest lengths are those of a shape in space. Its material points are made
/// from the shape (mesh/flatten.hpp); those of the file say where panels end and which way they
/// are turned. The last note says by how much lengths changed.
/// \param shape a file with the same vertices and faces; empty: the mesh itself
/// \param up what is up in the coordinates of the file [1]
/// \throw InputError where a file cannot be read as a mesh at all.
[[nodiscard]] MeshFile read_shaped_mesh_file(const std::filesystem::path& path,
                                             const std::filesystem::path& shape, const Vec3& up,
                                             const NamedMeshes& in_memory = {});

/// Where the vertices of a mesh are in another file of the same faces, in its units.
/// \throw InputError where that cannot be read, or has other faces.
[[nodiscard]] std::vector<Vec3> read_shape(const std::filesystem::path& shape,
                                           const std::filesystem::path& mesh_path,
                                           const MeshInput& mesh);

} // namespace pleat
