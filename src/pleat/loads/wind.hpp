// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// The force of moving air on the cloth.
// Based on: [Wejchert1991] sec. 3 (forces on surfaces).
#pragma once

#include "pleat/model/loads.hpp"
#include "pleat/model/model.hpp"
#include "pleat/model/state.hpp"
#include "pleat/model/world.hpp"

namespace pleat {

/// Adds the wind to loads.force, and its derivative by the velocity of the cloth to loads.drag. A
/// face of world area A with unit normal n, past which the air moves at v (air less cloth), feels
///
///   density A |v.n| (v.n) n + drag A (v - (v.n) n),
///
/// a third at each corner. The first part grows with the square of v; its slope 2 density A |v.n| n
/// n^T and the tangential A drag (1 - n n^T) are lumped to the corners, which makes a light flag
/// stable at any dt.
void add_wind(const Model& model, const State& state, const Wind& wind, Loads& loads);

} // namespace pleat
