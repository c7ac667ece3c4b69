// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Handles: nodes held where a motion takes them.
#pragma once

#include "pleat/model/loads.hpp"
#include "pleat/model/model.hpp"
#include "pleat/model/state.hpp"
#include "pleat/model/world.hpp"

namespace pleat {

/// Remembers where the nodes of each handle are at the moment it takes hold, so that its motion
/// carries them from there. Changes anchors only; calling it twice changes nothing.
/// \param time start of the step [s]
void take_hold(const World& world, const Model& model, double time, State& state);

/// Releases the nodes of handles that have ended: remeshing may move and remove them like any other
/// node. A handle that takes hold later keeps its nodes until then. Nodes with a label stay locked,
/// and so do dependent nodes and their parents. \param time from which on no step feels such a
/// handle [s]
void let_go(const World& world, double time, Model& model);

/// Adds the pins and springs of the handles that hold at the end of the step. A node in two handles
/// follows the first. Dependent nodes get neither pins nor springs: a handle that has one of them
/// holds its parents instead, each at its own place.
void add_handles(const World& world, const Model& model, const State& state, double time, double dt,
                 Loads& loads);

} // namespace pleat
