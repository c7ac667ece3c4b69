// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/contact/untangle.hpp"

#include "contact/shapes.hpp"
#include "contact/stage.hpp"
#include "pleat/scene/material_file.hpp"
#include "pleat/sim/audit.hpp"
#include "pleat/sim/frames.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace pleat::test {
namespace {

std::size_t crossings(const Stage& stage)
{
    return audit(object_meshes(stage.world, stage.sim), 0).intersections;
}

UntangleReport run_untangle(Stage& stage, std::span<const std::uint8_t> held = {})
{
    const auto obstacles = sample_obstacles(stage.world, 0, 0.005);
    return untangle(stage.sim.model, stage.world, obstacles, held, {}, stage.sim.state);
}

SheetPlan wavy(double size, const Vec3& corner, double amplitude)
{
    return {14, 14, size, size, [=](const Vec2& u) {
                return corner +
                       Vec3{u[0], u[1],
                            amplitude * std::sin(40 * u[0] + 0.7) * std::cos(35 * u[1] + 0.3)};
            }};
}

TEST(Untangle, leaves_what_does_not_cross)
{
    Stage stage = make_stage({wavy(0.2, {}, 0.01)}, fabric("gray-interlock"), {});
    const State before = stage.sim.state;
    const UntangleReport r = run_untangle(stage);
    EXPECT_TRUE(r.ok);
    EXPECT_EQ(r.iterations, 0);
    EXPECT_TRUE(stage.sim.state == before);
}

TEST(Untangle, pulls_a_dented_sheet_out_of_another)
{
    // The bumps of the one reach through the other here and there.
    Stage stage = make_stage({wavy(0.2, {}, 0.006),
                              {13, 15, 0.2, 0.2,
                               [](const Vec2& u) {
                                   return Vec3{u[0] - 0.003, u[1] + 0.004, 0.004 + 0.02 * u[0]};
                               }}},
                             fabric("gray-interlock"), {});
    ASSERT_GT(crossings(stage), 0u);
    const UntangleReport r = run_untangle(stage);
    EXPECT_TRUE(r.ok) << r.crossings_after << " of " << r.crossings_before;
    EXPECT_EQ(crossings(stage), 0u);
    EXPECT_LT(r.largest_move, 0.02);
}

TEST(Untangle, pulls_a_sheet_out_of_a_ball)
{
    Stage stage = make_stage({{14, 14, 0.3, 0.3,
                               [](const Vec2& u) {
                                   return Vec3{u[0] - 0.15, u[1] - 0.15, 0.09};
                               }}},
                             fabric("gray-interlock"), {});
    stage.world.obstacles = {sphere(0.1, 8)};
    ASSERT_GT(crossings(stage), 0u);
    const std::vector<Vec3> ball = stage.world.obstacles[0].x;
    const UntangleReport r = run_untangle(stage);
    EXPECT_TRUE(r.ok) << r.crossings_after << " of " << r.crossings_before;
    EXPECT_EQ(crossings(stage), 0u);
    EXPECT_LT(r.largest_move, 0.05);
    EXPECT_TRUE(stage.world.obstacles[0].x == ball);
}

TEST(Untangle, pulls_a_corner_out)
{
    // The lower corner of a standing sheet pokes through a level one.
    Stage stage = make_stage(
        {{10, 10, 0.2, 0.2,
          [](const Vec2& u) {
              return Vec3{u[0], u[1], 0};
          }},
         {10, 10, 0.1, 0.1,
          [](const Vec2& u) {
              return Vec3{0.101 + 0.8 * u[0] - 0.6 * u[1], 0.103, 0.6 * u[0] + 0.8 * u[1] - 0.013};
          }}},
        fabric("gray-interlock"), {});
    ASSERT_GT(crossings(stage), 0u);
    const UntangleReport r = run_untangle(stage);
    EXPECT_TRUE(r.ok) << r.crossings_after << " of " << r.crossings_before;
    EXPECT_EQ(crossings(stage), 0u);
}

TEST(Untangle, does_not_move_held_nodes)
{
    Stage stage = make_stage({{14, 14, 0.3, 0.3,
                               [](const Vec2& u) {
                                   return Vec3{u[0] - 0.15, u[1] - 0.15, 0.09};
                               }}},
                             fabric("gray-interlock"), {});
    stage.world.obstacles = {sphere(0.1, 8)};
    std::vector<std::uint8_t> held(stage.sim.model.mesh.node_count(), 0);
    held[7 * 15 + 5] = 1;
    const Vec3 before = stage.sim.state.x.values[7 * 15 + 5];
    const UntangleReport r = run_untangle(stage, held);
    EXPECT_GT(r.iterations, 0);
    EXPECT_TRUE(stage.sim.state.x.values[7 * 15 + 5] == before);
}

} // namespace
} // namespace pleat::test
