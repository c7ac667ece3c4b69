// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// The bending energy, forces and stiffness of an edge between two triangles, for any law
// (materials/hinge.hpp). Nodes in the order of geometry/dihedral.hpp: the edge's ends, then the far
// corners of side 0 and side 1.
//
// The stiffness is E'' g g^T + E' d2theta/dx2, g the gradient of the angle. It is made positive
// semi-definite by dropping the second term, which is indefinite (Gauss-Newton); the first is a
// square, since no law here has E'' < 0. The isometric part is a square as it stands.
#pragma once

#include "pleat/core/vec.hpp"
#include "pleat/geometry/dihedral.hpp"
#include "pleat/materials/hinge.hpp"
#include "pleat/materials/strain.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace pleat {

/// Triangles flatter in the world than this fraction of their rest area do not get stiffer: the
/// gradient of the angle would grow without end (dihedral.hpp).
inline constexpr double least_area_fraction = 0.01;

/// Twice the area below which the gradient stops growing [m^2].
[[nodiscard]] inline double least_area2(const HingeRest& rest)
{
    return least_area_fraction * rest.length * std::min(rest.height[0], rest.height[1]);
}

/// From the material points of the edge and of the far corner, on each side; the edge runs from
/// [0] to [1] on both.
[[nodiscard]] inline HingeRest hinge_rest(const std::array<Vec2, 2>& edge_0, const Vec2& far_0,
                                          const std::array<Vec2, 2>& edge_1, const Vec2& far_1)
{
    HingeRest rest;
    const std::array<const std::array<Vec2, 2>*, 2> edge{&edge_0, &edge_1};
    const std::array<Vec2, 2> far{far_0, far_1};
    for (std::size_t s = 0; s < 2; ++s) {
        const Vec2 e = (*edge[s])[1] - (*edge[s])[0];
        const Vec2 w = far[s] - (*edge[s])[0];
        const double length = norm(e);
        const double area2 = std::abs(cross(e, w));
        rest.length += 0.5 * length;
        rest.area_sum += 0.5 * area2;
        // The same but across a seam.
        const bool same = s == 1 && e == edge_0[1] - edge_0[0];
        rest.weft_angle[s] = same ? rest.weft_angle[0] : std::atan2(std::abs(e[1]), std::abs(e[0]));
        rest.height[s] = area2 / length;
        rest.foot[s] = dot(w, e) / (length * length);
    }
    return rest;
}

/// [J]
[[nodiscard]] double hinge_energy(const HingeNumbers& n, const HingeRest& rest,
                                  const std::array<Vec3, 4>& x, double rest_angle);
/// The same where the dihedral angle is known.
[[nodiscard]] double hinge_energy(const HingeNumbers& n, const HingeRest& rest,
                                  const std::array<Vec3, 4>& x, double angle, double rest_angle);

/// [N]
[[nodiscard]] std::array<Vec3, 4> hinge_forces(const HingeNumbers& n, const HingeRest& rest,
                                               const std::array<Vec3, 4>& x, double rest_angle);

/// [N/m]
[[nodiscard]] Mat<double, 12, 12> hinge_stiffness(const HingeNumbers& n, const HingeRest& rest,
                                                  const std::array<Vec3, 4>& x, double rest_angle,
                                                  Definiteness d);

/// Forces of the law's own damping at given velocities: -damping (d theta/dt) g [N].
[[nodiscard]] std::array<Vec3, 4> hinge_damping_forces(const HingeNumbers& n, const HingeRest& rest,
                                                       const std::array<Vec3, 4>& x,
                                                       const std::array<Vec3, 4>& v);

} // namespace pleat
