// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// A thin sheet of an isotropic material in plane stress (St. Venant - Kirchhoff).
#pragma once

#include "pleat/materials/strain.hpp"

namespace pleat {

struct MembraneIsotropicSheet {
    using Frozen = StrainQuadratic;

    double thickness = 0; // [m]
    double young = 0;     // Young's modulus [N/m^2]
    double poisson = 0;   // Poisson's ratio, in (-1, 1)
    bool operator==(const MembraneIsotropicSheet&) const = default;
};

[[nodiscard]] inline StrainQuadratic freeze(const MembraneIsotropicSheet& s, const Strain&)
{
    const double plane = s.young * s.thickness / (1 - s.poisson * s.poisson);
    return {0.5 * plane, 0.5 * plane * s.poisson, 0.5 * plane,
            0.5 * s.young * s.thickness / (1 + s.poisson)};
}

} // namespace pleat
