// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/materials/bending_isometric.hpp"

namespace pleat {

std::array<double, 4> isometric_weights(const HingeRest& rest)
{
    const double c = rest.length / rest.height[0], d = rest.length / rest.height[1];
    const double tc = rest.foot[0], td = rest.foot[1];
    return {-((1 - tc) * c + (1 - td) * d), -(tc * c + td * d), c, d};
}

double calibration(const HingeRest& rest)
{
    // The angle at the edge is across k_xx + both k_xy + along k_yy for curvatures k, x across the
    // edge (bending_plate.hpp). Those of a cylinder rolled at an angle are cos^2, cos sin, sin^2.
    const double a = rest.height[0], b = rest.height[1];
    const double p = rest.foot[0] * rest.length, q = rest.foot[1] * rest.length;
    const double across = 0.5 * (a + b), both = p - q;
    const double along = 0.5 * (p * (p - rest.length) / a + q * (q - rest.length) / b);
    const double mean_square =
        (3 * across * across + both * both + 3 * along * along + 2 * across * along) / 8;
    const double third = rest.area_sum / 3;
    return third * third / (rest.length * rest.length * mean_square);
}

} // namespace pleat
