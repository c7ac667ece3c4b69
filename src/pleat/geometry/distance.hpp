// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Nearest points of points, segments and triangles in space. Every function takes degenerate input
// (segments of no length, triangles of no area) and says which feature the nearest point lies on.
//
// The distance returned is that of the points returned, so it is never below the true distance
// by more than rounding. Near-parallel segments and needle triangles are handled by taking the
// nearest of all candidates (interior and border) instead of deciding by sign tests.
#pragma once

#include "pleat/core/vec.hpp"

#include <array>
#include <cstdint>

namespace pleat {

/// Where on a triangle (a, b, c) a point lies.
enum class TriangleFeature : std::uint8_t {
    corner_a,
    corner_b,
    corner_c,
    edge_ab,
    edge_bc,
    edge_ca,
    face
};

/// Where on a segment a point lies.
enum class SegmentFeature : std::uint8_t { start, end, interior };

struct PointSegmentDistance {
    double distance2; // [m^2]
    double t;         // the nearest point is start + t (end - start), t in [0, 1]
    SegmentFeature feature;
};

struct PointTriangleDistance {
    double distance2;              // [m^2]
    std::array<double, 3> weights; // barycentric, of the nearest point; >= 0, sum 1
    TriangleFeature feature;
};

struct SegmentSegmentDistance {
    double distance2; // [m^2]
    double s, t;      // parameters in [0, 1] on the first and second segment
    SegmentFeature feature_a, feature_b;
};

struct TriangleTriangleDistance {
    double distance2;      // [m^2]; 0 where the triangles have a point in common
    Vec3 point_a, point_b; // nearest points [m]; the same point where the distance is 0
};

[[nodiscard]] PointSegmentDistance point_segment_distance(const Vec3& p, const Vec3& start,
                                                          const Vec3& end);

[[nodiscard]] PointTriangleDistance point_triangle_distance(const Vec3& p, const Vec3& a,
                                                            const Vec3& b, const Vec3& c);

[[nodiscard]] SegmentSegmentDistance segment_segment_distance(const Vec3& a0, const Vec3& a1,
                                                              const Vec3& b0, const Vec3& b1);

/// Zero exactly where the triangles touch or cross (decided by exact predicates).
[[nodiscard]] TriangleTriangleDistance triangle_triangle_distance(const std::array<Vec3, 3>& a,
                                                                  const std::array<Vec3, 3>& b);

/// The same without the test whether they touch: for triangles known to be apart.
/// \pre the triangles have no point in common
[[nodiscard]] TriangleTriangleDistance separate_triangle_distance(const std::array<Vec3, 3>& a,
                                                                  const std::array<Vec3, 3>& b);

} // namespace pleat
