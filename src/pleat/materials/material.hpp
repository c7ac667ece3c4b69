// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// A fabric: physical quantities with the same meaning for every solver.
#pragma once

#include "pleat/materials/bending_baraff_witkin.hpp"
#include "pleat/materials/bending_hinge.hpp"
#include "pleat/materials/bending_isometric.hpp"
#include "pleat/materials/bending_measured.hpp"
#include "pleat/materials/bending_plate.hpp"
#include "pleat/materials/membrane_baraff_witkin.hpp"
#include "pleat/materials/membrane_isotropic_sheet.hpp"
#include "pleat/materials/membrane_measured.hpp"
#include "pleat/materials/membrane_orthotropic.hpp"

#include <optional>
#include <string>
#include <variant>

namespace pleat {

using MembraneLaw = std::variant<MembraneMeasured, MembraneIsotropicSheet, MembraneOrthotropic,
                                 MembraneBaraffWitkin>;
using BendingLaw = std::variant<BendingMeasured, BendingIsotropicSheet, BendingPlate, BendingHinge,
                                BendingIsometric, BendingBaraffWitkin>;

/// Bounds on the principal strains (stretches less one): {-0.1, 0.1} is ten per cent either way.
struct StrainLimits {
    double min = 0;
    double max = 0;
    bool operator==(const StrainLimits&) const = default;
};

struct Material {
    std::string name;
    double density = 0; // [kg/m^2]
    MembraneLaw membrane;
    BendingLaw bending;
    double damping = 0;                        // stiffness-proportional [s]
    std::optional<StrainLimits> strain_limits; // none: not limited
    std::optional<double> friction;            // Coulomb's mu; none: as the scene says
    bool operator==(const Material&) const = default;
};

/// How it resists stretching at rest, along weft or warp, whichever resists more [N/m].
[[nodiscard]] double stretch_stiffness(const Material& material);

/// Whether the fabric has damping of any kind.
[[nodiscard]] bool is_damped(const Material& material);

/// The same fabric with density, membrane and bending forces multiplied.
[[nodiscard]] Material scaled(Material material, double density, double stretching, double bending);

/// Several layers of the fabric that are free to slide: multiplies density, membrane and bending
/// forces.
[[nodiscard]] Material thickened(Material material, double times);

} // namespace pleat
