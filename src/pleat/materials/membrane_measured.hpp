// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Measured fabrics: an anisotropic, strain-dependent membrane.
// Based on: [Wang2011] sec. 3.
//
// The four numbers of StrainQuadratic depend on the largest stretch s and on the angle of its
// direction to the weft, folded to 0..90 degrees: linear in the angle between five rows, linear in
// s between the rest row (s = 1) and those rows (s = 1 + 1/6), constant outside, never negative.
// Within a step they are frozen: force and stiffness are derivatives at fixed numbers.
#pragma once

#include "pleat/materials/strain.hpp"

#include <array>

namespace pleat {

struct MembraneMeasured {
    using Frozen = StrainQuadratic;

    StrainQuadratic at_rest;                   // [N/m]
    std::array<StrainQuadratic, 5> at_stretch; // at 0, 22.5, 45, 67.5, 90 degrees to the weft [N/m]
    double stretch = 1.0 + 1.0 / 6.0;          // to which the rows of at_stretch belong
    bool operator==(const MembraneMeasured&) const = default;
};

[[nodiscard]] StrainQuadratic freeze(const MembraneMeasured& law, const Strain& g);

} // namespace pleat
