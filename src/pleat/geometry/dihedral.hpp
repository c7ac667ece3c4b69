// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// The signed angle between two triangles that share an edge, and its derivatives.
// Based on: [Bridson2003] sec. 4 (the bending mode), [Tamstorf2013] (derivatives).
//
// The edge runs a -> b; c is the far corner of the triangle on its left (seen from the side the
// normals point to), d that of the triangle on its right, as in Mesh: side 0, side 1. The angle is
// 0 when flat and positive when the surface is convex seen from the side of its normals (a ridge);
// it lies in [-pi, pi] and does not depend on the direction of the edge.
#pragma once

#include "pleat/core/vec.hpp"

#include <array>
#include <cmath>

namespace pleat {

namespace detail {
[[nodiscard]] inline double angle_between(const Vec3& normal_c, const Vec3& normal_d,
                                          const Vec3& edge, double edge_length)
{
    if (edge_length == 0) return 0;
    return std::atan2(dot(cross(normal_c, normal_d), edge) / edge_length, dot(normal_c, normal_d));
}
} // namespace detail

/// Signed dihedral angle [rad]. Zero where a triangle or the edge has no extent.
[[nodiscard]] inline double dihedral_angle(const Vec3& a, const Vec3& b, const Vec3& c,
                                           const Vec3& d)
{
    const Vec3 e = b - a;
    return detail::angle_between(cross(e, c - a), cross(d - a, e), e, norm(e));
}

struct DihedralGradient {
    double angle;          // [rad]
    std::array<Vec3, 4> g; // d angle / d (a, b, c, d) [rad/m]
};

/// The angle with its gradient, the u_i of [Bridson2003] up to sign. The gradient grows as one over
/// the heights of the triangles; doubled areas below `least_area2` [m^2] count as that, so that a
/// triangle pressed to a line gives a large force and not an infinite one.
[[nodiscard]] DihedralGradient dihedral_gradient(const Vec3& a, const Vec3& b, const Vec3& c,
                                                 const Vec3& d, double least_area2 = 0);

/// Second derivatives in the order a, b, c, d [rad/m^2]; symmetric, indefinite.
/// \pre both triangles have area.
[[nodiscard]] Mat<double, 12, 12> dihedral_hessian(const Vec3& a, const Vec3& b, const Vec3& c,
                                                   const Vec3& d);

} // namespace pleat
