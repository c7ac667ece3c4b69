// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// The drape test of cloth laboratories (Cusick), and rigidity from a cantilever, for tests and
// tables.
#pragma once

#include "energies/cloths.hpp"
#include "pleat/materials/material.hpp"
#include "pleat/model/loads.hpp"
#include "pleat/model/state.hpp"

#include <cstddef>

namespace pleat {

/// Comes to rest under the loads: long implicit steps of Newton's method, velocities dropped after
/// each, until nothing moves by more than `enough` [m].
[[nodiscard]] State settle(const cloths::Cloth& cloth, const Loads& loads, double dt,
                           int most_steps, double enough = 1e-9);

struct DrapeResult {
    double coefficient = 0; // [%]
    int folds = 0;          // maxima of the outline's radius
    std::size_t faces = 0;
    double speed = 0; // largest left at the end [m/s]
};

/// A disc of 30 cm held flat inside 18 cm and let fall: the shadow of the free ring, as a
/// percentage of the ring's area.
/// \param rings of the mesh, a multiple of 5; \param time to settle [s]
[[nodiscard]] DrapeResult drape_coefficient(const Material& material, int rings, double time);

/// Sag of the tip of a heavy elastica clamped horizontally, as a fraction of its length;
/// load = weight per area * length^3 / rigidity.
[[nodiscard]] double elastica_sag(double load);
/// The load at which the elastica sags so. \pre 0 < sag < 0.95
[[nodiscard]] double elastica_load(double sag);

/// The flexural rigidity [N m] that a strip of the fabric shows in a cantilever test, cut at an
/// angle [rad] to the weft.
[[nodiscard]] double cantilever_rigidity(const Material& material, double weft_angle);

} // namespace pleat
