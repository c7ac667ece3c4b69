// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// The obstacles that are present during one step, with their points at its two ends.
#pragma once

#include "pleat/core/vec.hpp"
#include "pleat/model/world.hpp"

#include <cstddef>
#include <vector>

namespace pleat {

struct ObstacleSample {
    std::size_t obstacle = 0; // into World::obstacles
    std::vector<Vec3> x_t0;   // [m]
    std::vector<Vec3> x_t1;   // [m]
};

/// Obstacles present at `time` or at `time + dt`; one that appears during the step has its first
/// position for the whole step.
[[nodiscard]] std::vector<ObstacleSample> sample_obstacles(const World& world, double time,
                                                           double dt);

} // namespace pleat
