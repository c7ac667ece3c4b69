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

} // namespace pleat
