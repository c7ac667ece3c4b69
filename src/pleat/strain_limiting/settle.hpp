// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Takes the stretch out of cloth before the first frame: a garment that was pulled over a body
// comes as near to its rest shape as it can, so that it does not snap when time starts.
// Based on: [Narain2012] sec. 6 (strain limits both at zero).
#pragma once

#include "pleat/model/loads.hpp"
#include "pleat/model/model.hpp"
#include "pleat/model/state.hpp"

namespace pleat {

struct SettleOptions {
    double tolerance = 0.01; // on the worst principal strain of any face
    int max_iterations = 200;
};

struct SettleReport {
    double strain_before = 0; // worst, stretch or compression
    double strain_after = 0;
    double farthest = 0; // that a node moved [m]
    int iterations = 0;
};

/// Moves nodes to near positions where no face is strained; velocities and the nodes of
/// `loads.pins` stay. Faces of materials without limits settle too.
[[nodiscard]] SettleReport settle(const Model& model, const Loads& loads,
                                  const SettleOptions& options, State& state);

} // namespace pleat
