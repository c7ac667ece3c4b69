// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Bending energy quadratic in the positions, for cloth that hardly stretches.
// Based on: [Bergou2006] sec. 4, [Bender2013] sec. 4.
//
// E = 3 k / (2 (A0 + A1)) |sum_i q_i x_i|^2, with a constant stiffness matrix. The sum is the
// angle times the edge's length, and over the edge's third of the two triangles it is a mean
// curvature; so k is the rigidity of a sheet whose edges all see the same. They do not: an edge
// sees more of a bend across it than of one along it, and mean squares are larger than squared
// means. Bent to a cylinder, meshes of equilateral triangles are three times stiffer than k, others
// by another factor.
//
// Departs from [Bergou2006]: what is given is the rigidity B of the cylinder, and k = B c, c of
// each edge such that a cylinder costs B k^2 / 2 per area, as the mean over all directions in which
// it can be rolled (see calibration()). On meshes without preferred directions that is the rigidity
// in each direction. On regular ones it depends on the direction, because no number per edge can
// tell bending from twist: on right triangles with parallel diagonals it is 2 B across the
// diagonals and 0.5 to 0.7 B far from that. BendingPlate does not have this limitation. Rest shapes
// are flat: rest angles are ignored.
#pragma once

#include "pleat/materials/hinge.hpp"

namespace pleat {

struct BendingIsometric {
    double rigidity = 0; // flexural, per width [N m]
    bool operator==(const BendingIsometric&) const = default;
};

/// k / B: 1 over the mean square, by direction, of what the edge takes for the curvature of a
/// cylinder of curvature 1. A third between equilateral triangles, less between all others.
[[nodiscard]] double calibration(const HingeRest& rest);

[[nodiscard]] inline HingeNumbers freeze(const BendingIsometric& law, const HingeRest& rest, double)
{
    HingeNumbers n;
    n.isometric = 3 * calibration(rest) * law.rigidity / rest.area_sum;
    return n;
}

} // namespace pleat
