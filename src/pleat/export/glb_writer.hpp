// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Writes binary glTF 2.0 (.glb): a mesh, or a mesh whose positions are animated by one morph target
// a frame. glTF has +y up; a scene with another axis is turned by its node, so that coordinates
// stay as they are. Based on: [GLTF2].
//
// A glTF vertex is a vert: POSITION, NORMAL (of the surface of nodes, so that seams are smooth),
// TEXCOORD_0 (the material point in metres; glTF counts v downward, so (u, 1 - v)), and _VELOCITY
// [m/s].
#pragma once

#include "pleat/core/vec.hpp"

#include <array>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace pleat {

/// A view of the arrays to write. Only x and face_nodes are required.
struct GlbMesh {
    std::string name;
    std::span<const Vec3> x; // nodes, world [m]
    std::span<const std::array<std::uint32_t, 3>> face_nodes;
    std::span<const Vec3> v;                                  // [m/s], empty or one a node
    std::span<const Vec2> u;                                  // verts, material [m]
    std::span<const std::uint32_t> vert_node;                 // the node of each vert; with u
    std::span<const std::array<std::uint32_t, 3>> face_verts; // into u; empty with it
    Vec3 up{0, 0, 1};
};

/// Positions of the nodes at times of an animation.
struct GlbAnimation {
    std::vector<float> times;                   // rising [s]
    std::vector<std::vector<Vec3>> positions{}; // one a time, one a node
};

/// Replaces the file as a whole. \pre sizes agree, indices are in range. \throw FileError
void write_glb(const std::filesystem::path& path, const GlbMesh& mesh,
               const GlbAnimation& animation = {});

} // namespace pleat
