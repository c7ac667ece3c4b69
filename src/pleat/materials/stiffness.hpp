// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// The stiffness of a fabric at rest by direction, for any law.
#pragma once

#include "pleat/materials/material.hpp"

namespace pleat {

/// How it resists stretching at rest in the direction `angle` to the weft [rad], without change
/// across: stress per strain [N/m].
[[nodiscard]] double membrane_stiffness(const Material& material, double angle);
/// How it resists bending at rest to a cylinder whose curvature is in the direction `angle` to the
/// weft [rad]: moment per width and curvature [N m]. 0 for Baraff-Witkin bending, which has no
/// rigidity (bending_baraff_witkin.hpp).
[[nodiscard]] double bending_rigidity(const Material& material, double angle);

} // namespace pleat
