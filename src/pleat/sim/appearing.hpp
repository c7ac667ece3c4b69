// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// An obstacle may appear where the cloth already is. Contact prevents new intersections but cannot
// remove existing ones, so the user is warned.
#pragma once

#include "pleat/model/world.hpp"
#include "pleat/sim/simulation.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace pleat {

struct CaughtCloth {
    std::string obstacle;      // its name
    std::size_t crossings = 0; // pairs of faces
};

/// The obstacles that appear within dt and cross the cloth as they do.
[[nodiscard]] std::vector<CaughtCloth> caught_by_appearing(const World& world,
                                                           const Simulation& sim, double dt);

} // namespace pleat
