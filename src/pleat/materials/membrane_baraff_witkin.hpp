// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Stretch along weft and warp and shear between them as three conditions.
// Based on: [Baraff1998] sec. 4, [Wang2002] sec. 4.
//
// C = (|w_u| - b_u, |w_v| - b_v) and w_u . w_v, w the columns of F. Departs from [Baraff1998]: the
// energy is k/2 C^2 per rest area and not per area squared, so that it stays the same when a
// triangle is cut into four; that is the level scaling of [Wang2002] for every mesh.
//
// Each condition has a damping of its own, the force -k_d dC/dx (dC/dt), likewise per rest area
// ([Baraff1998] sec. 4.5, [Wang2002] sec. 4). Departs from [Baraff1998]: of its derivatives the
// solve has -k_d dC/dx dC/dx^T by the velocity only, which is symmetric; what is left out is of the
// order of the force itself and indefinite.
#pragma once

#include "pleat/materials/strain.hpp"

#include <algorithm>
#include <cmath>

namespace pleat {

struct MembraneBaraffWitkin {
    using Frozen = MembraneBaraffWitkin;

    double stretch_u = 0;       // weft [N/m]
    double stretch_v = 0;       // warp [N/m]
    double shear = 0;           // [N/m]
    double rest_stretch_u = 1;  // b_u
    double rest_stretch_v = 1;  // b_v
    double stretch_damping = 0; // k_d of both stretch conditions [N s/m]
    double shear_damping = 0;   // k_d of the shear condition [N s/m]
    bool operator==(const MembraneBaraffWitkin&) const = default;
};

namespace baraff_witkin {

/// |w| from the strain along it; w pressed to nothing counts as a thousandth.
[[nodiscard]] inline double length_of(double strain)
{
    constexpr double least = 1e-6;
    return std::sqrt(std::max(1 + 2 * strain, least));
}

} // namespace baraff_witkin

[[nodiscard]] inline MembraneBaraffWitkin freeze(const MembraneBaraffWitkin& law, const Strain&)
{
    return law;
}

[[nodiscard]] inline double energy(const MembraneBaraffWitkin& law, const Strain& g)
{
    const double cu = baraff_witkin::length_of(g[0]) - law.rest_stretch_u;
    const double cv = baraff_witkin::length_of(g[1]) - law.rest_stretch_v;
    return 0.5 * (law.stretch_u * cu * cu + law.stretch_v * cv * cv) + 2 * law.shear * g[2] * g[2];
}

[[nodiscard]] inline Stress stress(const MembraneBaraffWitkin& law, const Strain& g)
{
    const double lu = baraff_witkin::length_of(g[0]), lv = baraff_witkin::length_of(g[1]);
    return {law.stretch_u * (1 - law.rest_stretch_u / lu),
            law.stretch_v * (1 - law.rest_stretch_v / lv), 4 * law.shear * g[2]};
}

/// Positive as it is.
[[nodiscard]] inline Tangent tangent(const MembraneBaraffWitkin& law, const Strain& g, Definiteness)
{
    const double lu = baraff_witkin::length_of(g[0]), lv = baraff_witkin::length_of(g[1]);
    return {{law.stretch_u * law.rest_stretch_u / (lu * lu * lu), 0, 0, 0,
             law.stretch_v * law.rest_stretch_v / (lv * lv * lv), 0, 0, 0, 4 * law.shear}};
}

/// sum k_d dC/dG dC/dG^T: times the rate of strain it is the damping's stress [N s/m]. Positive
/// semi-definite.
[[nodiscard]] inline Tangent damping_tangent(const MembraneBaraffWitkin& law, const Strain& g)
{
    const double lu = baraff_witkin::length_of(g[0]), lv = baraff_witkin::length_of(g[1]);
    return {{law.stretch_damping / (lu * lu), 0, 0, 0, law.stretch_damping / (lv * lv), 0, 0, 0,
             4 * law.shear_damping}};
}

} // namespace pleat
