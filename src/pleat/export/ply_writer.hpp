// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Writes binary little-endian PLY meshes. A PLY vertex is a vert (a material vertex): x y z of its
// node, s t of its material point, and node, the index of its node, so that seams survive the
// format. A mesh without material points has its nodes as vertices.
#pragma once

#include "pleat/core/vec.hpp"

#include <array>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

namespace pleat {

enum class PlyPrecision { float32, float64 };

/// A view of the arrays to write. Only x and the faces are required.
struct PlyMesh {
    std::span<const Vec3> x;                             // nodes, world [m]
    std::span<const Vec2> u;                             // verts, material [m]
    std::span<const std::uint32_t> vert_node;            // the node of each vert; with u
    std::span<const std::array<std::uint32_t, 3>> faces; // into the verts; without u the nodes
    std::span<const Vec3> v;                             // [m/s], empty or one a node
    std::string comment;                                 // one header line each
};

/// Replaces the file as a whole. float64 reads back bit for bit.
/// \pre indices are in range, sizes agree. \throw FileError where the operating system refuses.
void write_ply(const std::filesystem::path& path, const PlyMesh& mesh,
               PlyPrecision precision = PlyPrecision::float64);

} // namespace pleat
