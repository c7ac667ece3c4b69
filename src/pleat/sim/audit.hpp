// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// The audit of a frame: intersections by exact predicates, smallest gap, worst strain, worst shape.
// Computed from the written meshes only, so that `pleat check` can repeat it.
#pragma once

#include "pleat/sim/frames.hpp"

#include <cstddef>
#include <span>
#include <vector>

namespace pleat {

struct CrossingPair {
    std::size_t object_a = 0, object_b = 0; // into the meshes audited
    std::uint32_t face_a = 0, face_b = 0;
};

struct MeshAudit {
    std::size_t intersections = 0;       // crossing pairs of triangles
    std::vector<CrossingPair> crossings; // which
    double min_gap = 0;                  // [m]; infinite beyond the reach that was searched
    double max_stretch = 0;              // largest principal strain, sigma - 1
    double max_compression = 0;          // largest 1 - sigma
    double worst_aspect = 1;             // material triangles; 1 = equilateral
};

/// How far min_gap looks [m].
inline constexpr double default_gap_reach = 0.02;

/// \throw InputError where a position is not finite.
[[nodiscard]] MeshAudit audit(std::span<const ObjectMesh> meshes,
                              double gap_reach = default_gap_reach);

} // namespace pleat
