// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// The intersection audit: which faces of cloths and obstacles cross, and the smallest gap between
// those that do not. It uses positions and faces only and decides by exact predicates, so that it
// can certify the result of a simulation.
//
// Pairs looked at: a cloth with itself, with another cloth, with an obstacle. Obstacles may overlap
// one another. What counts as crossing is defined in geometry/triangle_intersection.hpp; faces of
// one mesh that share nodes cross only where they do so beyond what they share, as when one is
// folded flat onto its neighbour.
//
// Results do not depend on the number of threads.
#pragma once

#include "pleat/core/vec.hpp"
#include "pleat/geometry/box_tree.hpp"

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace pleat {

/// One mesh to audit. Nodes are shared within a mesh only.
struct AuditMesh {
    std::span<const Vec3> x; // node positions [m], world space
    std::span<const std::array<std::uint32_t, 3>> triangles;
    int object = 0; // the caller's number for this mesh, repeated in the report
    bool is_obstacle = false;
    // As Obstacle has them: where an obstacle has planes its triangles are not looked at, and a
    // cloth's face that has a node below plane i crosses face i.
    std::span<const std::array<std::uint32_t, 3>> planes{};
};

struct AuditOptions {
    // How far to look for the smallest gap [m]; 0 looks for crossings only. The cost grows with it.
    double gap_cap = 0;
};

/// Two faces; a cloth's face comes first, otherwise the mesh given first, then the lower face.
struct FacePair {
    int object_a = 0;
    std::uint32_t face_a = 0;
    int object_b = 0;
    std::uint32_t face_b = 0;

    auto operator<=>(const FacePair&) const = default;
};

struct AuditReport {
    std::vector<FacePair> crossings;         // in the order of the meshes and faces
    std::size_t self_crossing_count = 0;     // cloth with itself
    std::size_t cloth_crossing_count = 0;    // cloth with another cloth
    std::size_t obstacle_crossing_count = 0; // cloth with obstacle
    // Pairs that share points (beyond the nodes that they share) without crossing. A surface can
    // pass through another exactly along its edges, so a result is free of contact only if it has
    // neither crossings nor touching pairs.
    std::size_t touching_count = 0;
    // Smallest distance [m] of faces that share no node; 0 where such faces cross or touch,
    // infinity where none are as near as gap_cap.
    double min_gap = std::numeric_limits<double>::infinity();
    FacePair nearest; // the pair with that gap; meaningful where min_gap is finite

    [[nodiscard]] std::size_t crossing_count() const { return crossings.size(); }
};

/// \throw InputError where a coordinate is not finite or a face names a node that does not exist;
/// it lists every such place.
[[nodiscard]] AuditReport audit_intersections(std::span<const AuditMesh> meshes,
                                              const AuditOptions& options);

} // namespace pleat
