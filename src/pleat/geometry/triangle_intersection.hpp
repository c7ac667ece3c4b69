// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Do two triangles cross? Decided by exact predicates only, for all finite coordinates.
// Based on: [Guigue2003] (interval overlap by orientation signs), [Shewchuk1997].
//
// What "crossing" means: the relative interiors (the triangles without their borders) share a
// point. By the separation theorem that is the same as: no plane separates the two while leaving
// at least one of them somewhere off it. So two triangles that pass through one another cross, and
// so do coplanar ones that overlap in an area; a vertex or edge that lies exactly on the other
// triangle without passing through is *touching*. A triangle of no area counts as the segment or
// point that it is, and crosses what that segment or point pierces.
//
// A surface that passes through another exactly along its own edges only touches it face by face;
// to make sure that nothing is in contact, check for `apart`.
#pragma once

#include "pleat/core/vec.hpp"

#include <array>
#include <cstdint>
#include <optional>

namespace pleat {

enum class TriangleRelation {
    apart,    // no point in common (beside the shared vertex or edge, where there is one)
    touching, // points in common, but not of both relative interiors
    crossing, // a point of both relative interiors in common
};

/// Of triangles that share no vertex.
[[nodiscard]] TriangleRelation triangle_relation(const std::array<Vec3, 3>& a,
                                                 const std::array<Vec3, 3>& b);

/// Of the triangles (shared, a0, a1) and (shared, b0, b1), which share one vertex. Only points
/// other than the shared vertex count.
[[nodiscard]] TriangleRelation triangle_relation_at_vertex(const Vec3& shared, const Vec3& a0,
                                                           const Vec3& a1, const Vec3& b0,
                                                           const Vec3& b1);

/// Of the triangles (e0, e1, a) and (e0, e1, b), which share an edge. Only points beyond the edge
/// count, so that the pair crosses only where one is folded flat onto the other.
[[nodiscard]] TriangleRelation triangle_relation_at_edge(const Vec3& e0, const Vec3& e1,
                                                         const Vec3& a, const Vec3& b);

/// Of two faces of one mesh: points that they share because they share nodes do not count. Two
/// faces on the same three nodes cross.
[[nodiscard]] TriangleRelation face_relation(const std::array<std::uint32_t, 3>& nodes_a,
                                             const std::array<Vec3, 3>& a,
                                             const std::array<std::uint32_t, 3>& nodes_b,
                                             const std::array<Vec3, 3>& b);

/// The two ends [m] of the segment in which triangles cross, rounded; none where they do not
/// cross, are coplanar, or one of them has no area. Works on pairs that share a vertex too.
[[nodiscard]] std::optional<std::array<Vec3, 2>> intersection_segment(const std::array<Vec3, 3>& a,
                                                                      const std::array<Vec3, 3>& b);

} // namespace pleat
