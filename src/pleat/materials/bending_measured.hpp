// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Bending of the measured fabrics.
// Based on: [Wang2011] sec. 4 (stiffness by curvature and direction), [Bridson2003] (hinge).
//
// E = K l^2 (theta - theta0)^2 / (8 (A0 + A1)); the figures were fitted with this form. K depends
// on the curvature |theta| l / (A0 + A1), linear between 0, 10, 20, 30, 40 1/m and constant beyond,
// and on the edge's angle to the weft, linear between 0, 45 and 90 degrees; the smaller of the two
// sides counts. On a mesh of equilateral triangles the fabric bends as a plate of rigidity K / 4.
#pragma once

#include "pleat/materials/hinge.hpp"

#include <array>

namespace pleat {

struct BendingMeasured {
    std::array<std::array<double, 5>, 3> stiffness{}; // by weft angle, then curvature [N m]
    bool operator==(const BendingMeasured&) const = default;
};

/// K on one side of the hinge [N m].
[[nodiscard]] double measured_stiffness(const BendingMeasured& law, double weft_angle,
                                        double curvature);
/// The energy's number for a given K [N m].
[[nodiscard]] HingeNumbers measured_numbers(double stiffness, const HingeRest& rest);

[[nodiscard]] HingeNumbers freeze(const BendingMeasured& law, const HingeRest& rest, double theta);

} // namespace pleat
