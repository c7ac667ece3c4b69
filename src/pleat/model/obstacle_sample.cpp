// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/model/obstacle_sample.hpp"

namespace pleat {

std::vector<ObstacleSample> sample_obstacles(const World& world, double time, double dt)
{
    std::vector<ObstacleSample> samples;
    for (std::size_t i = 0; i < world.obstacles.size(); ++i) {
        const Obstacle& o = world.obstacles[i];
        if (!o.is_present(time) && !o.is_present(time + dt)) continue;
        ObstacleSample s{i, points_at(o, time), {}};
        s.x_t1 = o.is_moving() ? points_at(o, time + dt) : s.x_t0;
        samples.push_back(std::move(s));
    }
    return samples;
}

} // namespace pleat
