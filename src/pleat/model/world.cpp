// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/model/world.hpp"

#include "pleat/core/parallel.hpp"

namespace pleat {

namespace {

std::vector<Vec3> deformed(const Obstacle& o, double time)
{
    const auto& frames = o.frames;
    const double place = (time - o.first_time) * o.fps;
    if (place <= 0) return frames.front();
    if (place >= double(frames.size() - 1)) return frames.back();
    const auto i = static_cast<std::size_t>(place);
    const HermiteWeights w = hermite_weights(double(i), double(i + 1), place);
    const std::vector<Vec3>&p0 = frames[i], &p1 = frames[i + 1];
    std::vector<Vec3> x(p0.size());
    parallel_for(x.size(), [&](std::size_t k) {
        Vec3 v0{}, v1{};
        if (i > 0) v0 = 0.5 * (p1[k] - frames[i - 1][k]);
        if (i + 2 < frames.size()) v1 = 0.5 * (frames[i + 2][k] - p0[k]);
        x[k] = w.h00 * p0[k] + w.h10 * v0 + w.h01 * p1[k] + w.h11 * v1;
    });
    return x;
}

} // namespace

std::vector<Vec3> points_at(const Obstacle& obstacle, double time)
{
    if (!obstacle.frames.empty()) return deformed(obstacle, time);
    if (obstacle.motion.keys.empty()) return obstacle.x;
    const Transform t = transform_at(obstacle.motion, time);
    std::vector<Vec3> x(obstacle.x.size());
    parallel_for(x.size(), [&](std::size_t i) { x[i] = apply(t, obstacle.x[i]); });
    return x;
}

} // namespace pleat
