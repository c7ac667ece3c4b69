// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// A mesh file of any format that Pleat reads.
#pragma once

#include "pleat/core/error.hpp"
#include "pleat/mesh/mesh_input.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace pleat {

struct MeshFile {
    MeshInput mesh;
    std::vector<std::string> notes;
    std::vector<Problem> problems; // of the mesh as cloth, with the places of the file
};

enum class MeshUse { cloth, obstacle };

/// Reads by extension (.obj, .ply). For cloth the mesh is checked, and given the material points
/// of its own plane where it has none.
/// \throw InputError where the file cannot be read as a mesh at all.
[[nodiscard]] MeshFile read_mesh_file(const std::filesystem::path& path, MeshUse use);

} // namespace pleat
