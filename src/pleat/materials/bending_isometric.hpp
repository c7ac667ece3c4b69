// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Bending energy quadratic in the positions, for cloth that hardly stretches.
// Based on: [Bergou2006] sec. 4, [Bender2013] sec. 4.
//
// E = B / (2 (A0 + A1)) |sum_i q_i x_i|^2, with a constant stiffness matrix. Departs from
// [Bergou2006]: the factor there is 3 k; a sheet bent to a cylinder is then three times stiffer
// than k. Here B is the rigidity of the cylinder, exactly so on meshes of equilateral triangles.
// The law knows flat rest shapes only: rest angles are ignored.
#pragma once

#include "pleat/materials/hinge.hpp"

namespace pleat {

struct BendingIsometric {
    double rigidity = 0; // flexural, per width [N m]
    bool operator==(const BendingIsometric&) const = default;
};

[[nodiscard]] inline HingeNumbers freeze(const BendingIsometric& law, const HingeRest& rest, double)
{
    HingeNumbers n;
    n.isometric = law.rigidity / rest.area_sum;
    return n;
}

} // namespace pleat
