// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Obstacles that come and go, deform, have no thickness, and the friction of single pairs.
#include "contact/shapes.hpp"
#include "contact/stage.hpp"
#include "pleat/model/shapes.hpp"
#include "pleat/scene/material_file.hpp"
#include "pleat/sim/appearing.hpp"
#include "pleat/sim/audit.hpp"
#include "pleat/sim/frames.hpp"
#include "pleat/sim/run.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

namespace pleat::test {
namespace {

SheetPlan level_sheet(std::size_t n, double size, const Vec3& corner, const Vec3& velocity = {})
{
    return {n,       n, size, size, [=](const Vec2& u) {
                return corner + Vec3{u[0], u[1], 0}; },
            velocity};
}

double mean_height(const Stage& stage)
{
    double sum = 0;
    for (const Vec3& x : stage.sim.state.x) sum += x[2];
    return sum / double(stage.sim.state.x.size());
}

Vec3 mean_velocity(const Stage& stage)
{
    return linear_momentum(stage.sim.model, stage.sim.state) / total_mass(stage.sim.model);
}

TEST(Obstacles, that_vanish_let_the_cloth_fall)
{
    Stage stage =
        make_stage({level_sheet(12, 0.24, {-0.12, -0.12, 0.005})}, fabric("gray-interlock"), {});
    stage.world.obstacles = {floor_at(0)};
    stage.world.obstacles[0].end_time = 0.2;
    EXPECT_EQ(play(stage, 0.2).intersections, 0u);
    EXPECT_NEAR(mean_height(stage), 0.0048, 0.001);
    EXPECT_EQ(play(stage, 0.2).intersections, 0u);
    EXPECT_NEAR(mean_velocity(stage)[2], -9.8 * 0.2, 0.06);
}

TEST(Obstacles, that_appear_in_time_catch_the_cloth)
{
    Stage stage =
        make_stage({level_sheet(12, 0.24, {-0.12, -0.12, 0.1})}, fabric("gray-interlock"), {});
    stage.world.obstacles = {box({-0.2, -0.2, -0.1}, {0.2, 0.2, 0})};
    stage.world.obstacles[0].start_time = 0.13; // the sheet is at 0.017 m then, at 1.3 m/s
    EXPECT_TRUE(caught_by_appearing(stage.world, stage.sim, 0.13).empty());
    const Outcome o = play(stage, 0.4, 0.005, 1);
    EXPECT_TRUE(o.ok) << o.trouble;
    EXPECT_EQ(o.intersections, 0u);
    EXPECT_EQ(o.unresolved, 0u);
    EXPECT_NEAR(mean_height(stage), 0.005, 0.002);
}

TEST(Obstacles, that_appear_in_the_cloth_are_reported_and_the_run_goes_on)
{
    Stage stage =
        make_stage({level_sheet(12, 0.24, {-0.12, -0.12, 0})}, fabric("gray-interlock"), {});
    stage.hold([](const Vec3& x) { return std::abs(x[0]) > 0.119; });
    stage.world.obstacles = {sphere(0.05, 8)};
    stage.world.obstacles[0].start_time = 0.1;
    stage.world.obstacles[0].end_time = 0.3;
    std::vector<std::string> warnings;
    RunHooks hooks;
    hooks.log = [&](LogLevel level, std::string_view text) {
        if (level == LogLevel::warning) warnings.emplace_back(text);
    };
    std::size_t crossings_after = 0;
    double top_speed = 0;
    hooks.on_frame = [&](const FrameStats& s) {
        if (s.time > 0.31) crossings_after += s.audit.intersections;
        for (const Vec3& v : stage.sim.state.v) top_speed = std::max(top_speed, norm(v));
    };
    const RunReport r = run(stage.world, stage.pipeline, stage.sim,
                            {.fps = 50, .substeps = 4, .frames = 20}, {}, hooks);
    EXPECT_EQ(r.end, RunEnd::finished) << r.trouble;
    EXPECT_GT(r.frames_with_intersections, 0) << "the audit sees it";
    EXPECT_EQ(crossings_after, 0u) << "gone with the obstacle";
    EXPECT_LT(top_speed, 10) << "nothing is shot away";
    ASSERT_FALSE(warnings.empty());
    EXPECT_THAT(warnings[0], testing::HasSubstr("obstacle \"sphere\" appears where the cloth is"));
    EXPECT_EQ(
        std::count_if(warnings.begin(), warnings.end(),
                      [](const std::string& w) { return w.find("appears") != std::string::npos; }),
        1);
}

TEST(Obstacles, half_spaces_that_appear_push_the_cloth_out)
{
    Stage stage =
        make_stage({level_sheet(12, 0.24, {-0.12, -0.12, 0})}, fabric("gray-interlock"), {});
    stage.world.obstacles = {make_half_space("floor", {0, 0, 0.01}, {0, 0, 1}, 1)};
    stage.world.obstacles[0].start_time = 0.0025;
    const auto caught = caught_by_appearing(stage.world, stage.sim, 0.005);
    ASSERT_EQ(caught.size(), 1u);
    EXPECT_EQ(caught[0].crossings, stage.sim.model.mesh.face_count());
    const Outcome o = play(stage, 0.2);
    EXPECT_TRUE(o.ok) << o.trouble;
    EXPECT_LT(o.top_speed, 2);
    EXPECT_EQ(audit(object_meshes(stage.world, stage.sim), 0).intersections, 0u);
}

TEST(Obstacles, that_deform_are_kept_out_at_every_step)
{
    // A ball that swells, shrinks and leans, as a sequence of meshes, under a sheet.
    Stage stage =
        make_stage({level_sheet(20, 0.4, {-0.2, -0.2, 0.11})}, fabric("gray-interlock"), {});
    Obstacle ball = sphere(0.1, 8);
    for (int i = 0; i <= 20; ++i) {
        std::vector<Vec3> x = ball.x;
        const double swell = 1 + 0.4 * std::sin(0.6 * i);
        for (Vec3& p : x) {
            p = Vec3{p[0] * (2 - swell), p[1] * (2 - swell), p[2] * swell};
            p[0] += 0.3 * p[2] * std::sin(0.45 * i);
        }
        ball.frames.push_back(std::move(x));
    }
    ball.x = ball.frames[0];
    stage.world.obstacles = {ball, floor_at(-0.2)};
    const Outcome o = play(stage, 0.8, 0.005, 1);
    EXPECT_TRUE(o.ok) << o.trouble;
    EXPECT_EQ(o.intersections, 0u);
    EXPECT_EQ(o.unresolved, 0u);
    EXPECT_LT(o.top_speed, 10);
}

TEST(Obstacles, without_thickness_hold_on_both_sides_and_at_their_rim)
{
    // A strip narrower than the sheets, one of which falls on it and one of which is thrown up.
    Stage stage = make_stage({level_sheet(14, 0.28, {-0.14, -0.14, 0.03}, {0, 0, -4}),
                              level_sheet(12, 0.24, {-0.12, -0.12, -0.03}, {0, 0, 4})},
                             fabric("gray-interlock"), {});
    Obstacle strip;
    strip.name = "strip";
    strip.x = {{-0.3, -0.03, 0}, {0.3, -0.03, 0}, {0.3, 0.03, 0}, {-0.3, 0.03, 0}};
    strip.faces = {{0, 1, 2}, {0, 2, 3}};
    stage.world.obstacles = {strip};
    const Outcome o = play(stage, 0.1, 0.005, 1);
    EXPECT_TRUE(o.ok) << o.trouble;
    EXPECT_EQ(o.intersections, 0u);
    EXPECT_EQ(o.unresolved, 0u);
    // What met the strip is still on its side of it; the rest hangs around the rim.
    const Mesh& mesh = stage.sim.model.mesh;
    for (VertId v : mesh.verts()) {
        const bool upper = index(v) < 15u * 15u;
        if (std::abs(mesh.u(v)[1] - (upper ? 0.14 : 0.12)) > 0.021) continue;
        const double height = stage.sim.state.x[mesh.node(v)][2];
        EXPECT_GT(upper ? height : -height, 0);
    }
    stage.world.gravity = {0, 0, 9.8}; // the lower one is pressed on it now
    EXPECT_EQ(play(stage, 0.2, 0.005, 1).intersections, 0u);
}

/// Speed of a sheet on a slope of 0.3 under the weight of gravity turned by it.
double speed_on_slope(Stage& stage)
{
    stage.world.gravity = {};
    EXPECT_EQ(play(stage, 0.05).intersections, 0u);
    const double angle = std::atan(0.3);
    stage.world.gravity = Vec3{std::sin(angle), 0, -std::cos(angle)} * 9.8;
    EXPECT_EQ(play(stage, 0.4).intersections, 0u);
    return mean_velocity(stage)[0];
}

TEST(FrictionPairs, go_before_obstacle_fabric_and_scene)
{
    const auto stage_with = [](double obstacle_friction) {
        Stage stage =
            make_stage({level_sheet(8, 0.16, {0, 0, 0.005})}, fabric("camel-ponte-roma"), {});
        stage.world.obstacles = {floor_at(0)};
        stage.world.obstacles[0].friction = obstacle_friction;
        return stage;
    };
    Stage slippery = stage_with(0);
    EXPECT_GT(speed_on_slope(slippery), 0.9);
    Stage held = stage_with(0);
    held.world.friction_pairs = {{0, 0, true, 1}};
    EXPECT_LT(speed_on_slope(held), 0.01);
    Stage freed = stage_with(1);
    freed.world.friction_pairs = {{0, 0, true, 0}};
    EXPECT_GT(speed_on_slope(freed), 0.9);
    Stage other = stage_with(1);
    other.world.friction_pairs = {{0, 0, false, 0}}; // of the cloth with itself
    EXPECT_LT(speed_on_slope(other), 0.01);
}

TEST(FrictionPairs, hold_between_cloths)
{
    for (const double friction : {0.0, 1.0}) {
        Stage stage = make_stage(
            {level_sheet(16, 0.32, {-0.08, -0.08, 0}), level_sheet(7, 0.14, {0, 0, 0.005})},
            fabric("camel-ponte-roma"), {.friction = 1 - friction});
        stage.hold([](const Vec3& x) { return x[2] < 0.001; });
        stage.world.friction_pairs = {{1, 0, false, friction}}; // either order
        const double before = mean_velocity(stage)[0];
        EXPECT_EQ(before, 0);
        const double mass_share = 0.14 * 0.14 / (0.14 * 0.14 + 0.32 * 0.32);
        const double speed = speed_on_slope(stage) / mass_share;
        if (friction == 0)
            EXPECT_GT(speed, 0.9);
        else
            EXPECT_LT(speed, 0.02);
    }
}

} // namespace
} // namespace pleat::test
