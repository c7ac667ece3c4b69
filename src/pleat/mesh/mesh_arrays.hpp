// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// A mesh as bare arrays, for files that must bring back the same bits (checkpoints).
#pragma once

#include "pleat/mesh/mesh.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace pleat {

/// All that a Mesh holds. Ids are positions in these arrays.
struct MeshArrays {
    std::vector<Mesh::Vert> verts;
    std::vector<Mesh::Node> nodes;
    std::vector<Mesh::Edge> edges;
    std::vector<Mesh::Face> faces;
    std::size_t panel_count = 0;
};

[[nodiscard]] MeshArrays arrays_of(const Mesh& mesh);

/// Lists, in words, why the arrays are not a valid mesh: dead elements, numbers that are not
/// finite, unknown kinds, and everything that validate() finds. Safe for any content.
[[nodiscard]] std::vector<std::string> find_array_problems(const MeshArrays& arrays);

/// The mesh with exactly these arrays. \pre find_array_problems(arrays) is empty.
[[nodiscard]] Mesh mesh_of(MeshArrays arrays);

} // namespace pleat
