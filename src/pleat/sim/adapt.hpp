// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Remeshing between frames; every part of the pipeline is told about changes.
#pragma once

#include "pleat/core/stage_times.hpp"
#include "pleat/model/world.hpp"
#include "pleat/sim/simulation.hpp"

namespace pleat {

struct AdaptReport {
    RemeshReport remesh;
    StageTimes times;
};

/// Remeshes and tells every part of the pipeline when the mesh changed.
AdaptReport adapt(const World& world, Pipeline& pipeline, Simulation& sim);

} // namespace pleat
