// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Writes OBJ meshes: v = nodes, vt = material points, f v/vt, and the extra keywords of cloth
// files (nv, nl, tm, e, ea, ep) where there is something to say. Numbers are the shortest that
// read back as the same bits.
#pragma once

#include "pleat/core/vec.hpp"
#include "pleat/mesh/mesh_input.hpp"

#include <array>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

namespace pleat {

/// A view of the arrays to write. Only x and face_nodes are required.
struct ObjMesh {
    std::span<const Vec3> x; // nodes, world [m]
    std::span<const Vec2> u; // material points [m]
    std::span<const std::array<std::uint32_t, 3>> face_nodes;
    std::span<const std::array<std::uint32_t, 3>> face_verts; // into u; empty with it
    std::span<const Vec3> v;                                  // [m/s], empty or one a node
    std::span<const int> label;                               // empty or one a node; 0 = none
    std::span<const int> face_material;                       // empty or one a face
    std::span<const MeshInput::EdgeMark> edge_marks;
    std::string comment; // lines put at the top, each behind a #
};

/// The arrays of `input`, for writing. They must outlive the result.
[[nodiscard]] ObjMesh view_as_obj(const MeshInput& input);

/// Replaces the file as a whole. \pre indices are in range, sizes agree.
/// \throw FileError where the operating system refuses.
void write_obj(const std::filesystem::path& path, const ObjMesh& mesh);

} // namespace pleat
