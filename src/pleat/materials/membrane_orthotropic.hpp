// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Orthotropic linear elasticity in the frame that rotates with the triangle.
// Based on: [Bender2013] sec. 4 (moduli of weft, warp and shear; corotation).
//
// The strain is S - 1, where F = R S is the polar decomposition in the triangle's plane; energy per
// area: half of strain . C . strain, with C from E_u, E_v, E_s, nu_uv, nu_vu.
// Departs from [Bender2013]: there the force holds R fixed, which for an orthotropic C is not the
// gradient of any energy and turns the cloth by itself (a torque of the order of the strain
// squared). Here force and stiffness are the exact derivatives of the energy, R's dependence on F
// included; for an isotropic C the forces are the same.
#pragma once

#include "pleat/materials/strain.hpp"

namespace pleat {

/// The moduli as a quadratic in the components of S - 1 (not of G).
struct OrthotropicFrozen {
    StrainQuadratic c; // [N/m]
};

struct MembraneOrthotropic {
    using Frozen = OrthotropicFrozen;

    double young_u = 0;    // weft [N/m]
    double young_v = 0;    // warp [N/m]
    double shear = 0;      // [N/m]
    double poisson_uv = 0; // strain along v by a pull along u
    double poisson_vu = 0; // young_u * poisson_vu == young_v * poisson_uv in a true material
    bool operator==(const MembraneOrthotropic&) const = default;
};

[[nodiscard]] OrthotropicFrozen freeze(const MembraneOrthotropic& law, const Strain& g);
[[nodiscard]] double energy(const OrthotropicFrozen& c, const Strain& g);
[[nodiscard]] Stress stress(const OrthotropicFrozen& c, const Strain& g);
/// psd: negative eigenvalues of the 3x3 tangent become zero.
[[nodiscard]] Tangent tangent(const OrthotropicFrozen& c, const Strain& g, Definiteness d);

} // namespace pleat
