// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// A simulation as separate meshes, one per object, for output and the audit.
#pragma once

#include "pleat/export/frame_sink.hpp"
#include "pleat/model/world.hpp"
#include "pleat/sim/simulation.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace pleat {

/// One cloth or obstacle at one time. Indices are its own: nodes and verts count from zero.
struct ObjectMesh {
    std::string name;
    bool is_cloth = true;
    bool is_static = false;
    std::vector<Vec3> x;
    std::vector<Vec3> v;                  // [m/s]; empty for obstacles that do not move
    std::vector<Vec2> u;                  // empty for obstacles
    std::vector<std::uint32_t> vert_node; // empty for obstacles
    std::vector<std::array<std::uint32_t, 3>> face_nodes;
    std::vector<std::array<std::uint32_t, 3>> planes;     // of nodes, see Obstacle
    std::vector<std::array<std::uint32_t, 3>> face_verts; // empty for obstacles
    std::vector<std::uint32_t> face_panel; // counted in the cloth; empty for obstacles
};

/// Every cloth, then every obstacle present at the simulation's time.
[[nodiscard]] std::vector<ObjectMesh> object_meshes(const World& world, const Simulation& sim);

/// The sinks' view of them. \pre the meshes outlive the frame.
[[nodiscard]] Frame frame_of(const std::vector<ObjectMesh>& meshes, int number, double time);

} // namespace pleat
