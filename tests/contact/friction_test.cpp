// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Coulomb's law measured on whole sheets, and rest.
#include "contact/shapes.hpp"
#include "contact/stage.hpp"
#include "pleat/scene/material_file.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

namespace pleat::test {
namespace {

/// A sheet at rest on the floor z = 0.
Stage resting_sheet(double friction)
{
    Stage stage = make_stage({{16, 16, 0.32, 0.32,
                               [](const Vec2& u) {
                                   return Vec3{u[0], u[1], 0.005};
                               }}},
                             fabric("camel-ponte-roma"), {.friction = friction});
    stage.world.obstacles = {floor_at(0, 3)};
    EXPECT_EQ(play(stage, 0.3).intersections, 0u);
    return stage;
}

Vec3 mean_velocity(const Stage& stage)
{
    return linear_momentum(stage.sim.model, stage.sim.state) / total_mass(stage.sim.model);
}

/// How fast the sheet is along x after some time on a slope [m/s].
double speed_on_slope(double friction, double angle, double seconds)
{
    Stage stage = resting_sheet(friction);
    stage.world.gravity = Vec3{std::sin(angle), 0, -std::cos(angle)} * 9.8;
    const Outcome o = play(stage, seconds);
    EXPECT_EQ(o.intersections, 0u);
    return mean_velocity(stage)[0];
}

class Slope : public testing::TestWithParam<double> {};

TEST_P(Slope, holds_a_sheet_two_per_cent_below_the_angle_of_friction_and_not_above)
{
    const double friction = GetParam(), angle = std::atan(friction);
    EXPECT_LT(speed_on_slope(friction, 0.98 * angle, 0.5), 1e-4);
    EXPECT_GT(speed_on_slope(friction, 1.02 * angle, 0.5), 0.01 * friction);
}

TEST_P(Slope, lets_a_sheet_slide_with_the_acceleration_of_coulomb)
{
    const double friction = GetParam();
    for (const double excess : {1.1, 2.0}) {
        const double angle = std::atan(friction * excess), seconds = 0.4;
        const double a = 9.8 * (std::sin(angle) - friction * std::cos(angle));
        EXPECT_NEAR(speed_on_slope(friction, angle, seconds), a * seconds, 0.02 * a * seconds)
            << excess;
    }
}

INSTANTIATE_TEST_SUITE_P(Friction, Slope, testing::Values(0.1, 0.3, 0.7));

TEST(Friction, of_a_dragged_sheet_is_mu_times_its_weight)
{
    for (const double friction : {0.2, 0.5}) {
        Stage stage = resting_sheet(friction);
        constexpr double speed = 0.2, stiffness = 20; // [m/s], [N/m]
        const double start = stage.sim.time;
        stage.hold([](const Vec3& x) { return x[0] > 0.3199; },
                   slide({{0, {}},
                          {start, {}},
                          {start + 10, {speed * 10, 0, 0}},
                          {start + 20, {speed * 20, 0, 0}}}));
        stage.world.handles.back().stiffness = stiffness;
        stage.world.handles.back().start_time = start;
        EXPECT_EQ(play(stage, 0.8).intersections, 0u);
        double force = 0;
        constexpr int samples = 40;
        for (int i = 0; i < samples; ++i) {
            EXPECT_TRUE(play(stage, 0.005).ok);
            const Handle& h = stage.world.handles.back();
            const double from = transform_at(h.motion, h.start_time).translate[0];
            const double to = transform_at(h.motion, stage.sim.time).translate[0];
            for (NodeId n : stage.sim.model.mesh.nodes())
                if (stage.sim.model.node_handles[n] != 0)
                    force += stiffness *
                             (stage.sim.state.anchor[n][0] + to - from - stage.sim.state.x[n][0]);
        }
        const double weight = 9.8 * total_mass(stage.sim.model);
        EXPECT_NEAR(force / samples, friction * weight, 0.03 * friction * weight) << friction;
    }
}

TEST(Friction, slows_a_sliding_sheet_as_coulomb_says)
{
    Stage stage = resting_sheet(0.3);
    for (Vec3& v : stage.sim.state.v) v[0] += 1.5;
    EXPECT_EQ(play(stage, 0.3).intersections, 0u);
    EXPECT_NEAR(mean_velocity(stage)[0], 1.5 - 0.3 * 9.8 * 0.3, 0.02 * 1.5);
}

TEST(Rest, draped_sheet_falls_quiet_and_stays_quiet)
{
    Stage stage = make_stage({{24, 24, 0.6, 0.6,
                               [](const Vec2& u) {
                                   return Vec3{u[0] - 0.3, u[1] - 0.3, 0.26};
                               }}},
                             fabric("camel-ponte-roma"), {.friction = 0.4});
    stage.world.wind = {{}, 1.2, 0.05}; // still air, in which hanging corners stop swinging
    stage.world.obstacles = {sphere(0.15, 10), floor_at(-0.15)};
    for (Vec3& p : stage.world.obstacles[0].x) p[2] += 0.1;
    EXPECT_EQ(play(stage, 5).intersections, 0u);
    const double mass = total_mass(stage.sim.model);
    // What a fall through the thickness would give is the natural scale: contact that chatters
    // drops and catches the sheet by shares of that length. Quiet is 1e-5 of it, an rms speed of
    // 0.3 % of sqrt(2 g h): 1 mm/s, a thousandth of the thickness a step.
    const double fall = 9.8 * ContactOptions{}.thickness; // [J/kg]
    double most = 0;
    for (int i = 0; i < 20; ++i) {
        EXPECT_EQ(play(stage, 0.05).intersections, 0u);
        most = std::max(most, kinetic_energy(stage.sim.model, stage.sim.state) / (mass * fall));
    }
    EXPECT_LT(most, 1e-5);
    RecordProperty("share_of_a_fall_through_the_thickness", std::to_string(1e6 * most) + "e-6");
}

TEST(Rest, sheet_on_the_floor_stays_where_it_is)
{
    Stage stage = resting_sheet(0.3);
    const auto before = stage.sim.state.x;
    const Outcome o = play(stage, 0.5);
    EXPECT_EQ(o.intersections, 0u);
    EXPECT_EQ(o.impacts, 0u);
    for (NodeId n : stage.sim.model.mesh.nodes())
        EXPECT_LT(norm(stage.sim.state.x[n] - before[n]), 1e-4);
}

} // namespace
} // namespace pleat::test
