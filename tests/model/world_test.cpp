// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/model/obstacle_sample.hpp"
#include "pleat/model/world.hpp"

#include <gtest/gtest.h>

namespace pleat {
namespace {

TEST(Obstacle, deforms_through_its_frames)
{
    Obstacle o;
    o.x = {{0, 0, 0}};
    o.frames = {{{0, 0, 0}}, {{1, 0, 0}}, {{2, 0, 0}}, {{3, 0, 0}}};
    o.fps = 10;
    o.first_time = 1;
    EXPECT_EQ(points_at(o, 0)[0][0], 0);
    EXPECT_NEAR(points_at(o, 1.1)[0][0], 1, 1e-12);
    EXPECT_NEAR(points_at(o, 1.15)[0][0], 1.5, 1e-12); // even speed inside
    EXPECT_EQ(points_at(o, 99)[0][0], 3);
}

TEST(Obstacle, is_sampled_while_it_is_there)
{
    World w;
    w.obstacles.resize(2);
    w.obstacles[0].x = {{1, 2, 3}};
    w.obstacles[1].x = {{0, 0, 0}};
    w.obstacles[1].motion.keys = {{0, {}}, {1, {{0, 0, 1}, {}, 1}}};
    w.obstacles[1].start_time = 0.5;
    w.obstacles[1].end_time = 0.75;
    EXPECT_EQ(sample_obstacles(w, 0, 0.1).size(), 1u);
    const auto samples = sample_obstacles(w, 0.45, 0.1); // appears during the step
    ASSERT_EQ(samples.size(), 2u);
    EXPECT_EQ(samples[0].x_t0, samples[0].x_t1);
    EXPECT_EQ(samples[1].obstacle, 1u);
    EXPECT_LT(samples[1].x_t0[0][2], samples[1].x_t1[0][2]);
    EXPECT_EQ(sample_obstacles(w, 0.8, 0.1).size(), 1u);
}

} // namespace
} // namespace pleat
