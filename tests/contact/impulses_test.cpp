// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/contact/impulses.hpp"

#include "contact/shapes.hpp"
#include "contact/stage.hpp"
#include "pleat/contact/proximity.hpp"
#include "pleat/integrators/backward_euler.hpp"
#include "pleat/integrators/mixed_explicit_implicit.hpp"
#include "pleat/linalg/cholesky.hpp"
#include "pleat/scene/material_file.hpp"
#include "pleat/sim/audit.hpp"
#include "pleat/sim/frames.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>

namespace pleat::test {
namespace {

SheetPlan level_sheet(std::size_t n, double size, const Vec3& corner, const Vec3& velocity = {})
{
    return {n,       n, size, size, [=](const Vec2& u) {
                return corner + Vec3{u[0], u[1], 0}; },
            velocity};
}

Stage with_impulses(const std::vector<SheetPlan>& sheets, const ContactOptions& contact)
{
    return make_stage(sheets, fabric("camel-ponte-roma"), contact, ContactParts::impulses);
}

Vec3 mean_velocity(const Stage& stage)
{
    return linear_momentum(stage.sim.model, stage.sim.state) / total_mass(stage.sim.model);
}

/// What one resolution makes of a sheet that keeps its velocity for a step.
State coasted_and_resolved(Stage& stage, double dt)
{
    State next = stage.sim.state;
    for (NodeId n : next.x.ids()) next.x[n] += dt * next.v[n];
    const auto obstacles = sample_obstacles(stage.world, 0, dt);
    const ImpactReport r = stage.pipeline.impact_resolver->resolve(
        stage.sim.model, stage.sim.state, {}, stage.world, obstacles, dt, false, next);
    EXPECT_TRUE(r.ok);
    return next;
}

TEST(Impulses, take_the_approach_and_open_by_a_tenth_of_what_is_missing)
{
    Stage stage = with_impulses({level_sheet(4, 0.1, {0, 0, 0.003}, {0, 0, -0.3})}, {});
    stage.world.obstacles = {floor_at(0)};
    const State next = coasted_and_resolved(stage, 0.005);
    for (const Vec3& x : next.x) EXPECT_NEAR(x[2], 0.003 + 0.1 * 0.002, 1e-9);
    for (const Vec3& v : next.v) EXPECT_NEAR(v[2], 0.0002 / 0.005, 1e-6);
}

TEST(Impulses, leave_what_parts_fast_enough_alone)
{
    Stage stage = with_impulses({level_sheet(4, 0.1, {0, 0, 0.003}, {0, 0, 0.3})}, {});
    stage.world.obstacles = {floor_at(0)};
    const State next = coasted_and_resolved(stage, 0.005);
    for (const Vec3& v : next.v) EXPECT_EQ(v[2], 0.3);
}

TEST(Impulses, rub_by_coulombs_law)
{
    // A fall of 0.3 m/s is stopped and 0.04 m/s given; the tangential velocity loses mu of that.
    for (const double friction : {0.0, 0.5, 2.0, 10.0}) {
        Stage stage = with_impulses({level_sheet(4, 0.1, {0, 0, 0.003}, {1, 0, -0.3})},
                                    {.friction = friction});
        stage.world.obstacles = {floor_at(0)};
        const State next = coasted_and_resolved(stage, 0.005);
        for (const Vec3& v : next.v)
            EXPECT_NEAR(v[0], std::max(0.0, 1 - 0.34 * friction), 1e-6) << friction;
    }
}

/// As scenes have it: repulsions by impulses between explicit steps, in the solve of implicit ones.
class ImpulsesWith : public testing::TestWithParam<bool> {
protected:
    static void choose_integrator(Stage& stage, const ContactOptions& contact = {})
    {
        if (!GetParam()) {
            stage.pipeline.contact_finder = std::make_unique<ContactFinderProximity>(contact);
            stage.pipeline.impact_resolver = std::make_unique<ImpactResolverImpulses>(
                contact, ImpactResolverImpulses::Repulsions::in_the_solve);
        } else
            stage.pipeline.integrator = std::make_unique<IntegratorMixedExplicitImplicit>(
                MixedOptions{.max_inner_steps = 1});
    }
};

INSTANTIATE_TEST_SUITE_P(Integrators, ImpulsesWith, testing::Bool(), [](const auto& mixed) {
    return mixed.param ? "mixed_explicit_implicit" : "backward_euler";
});

TEST_P(ImpulsesWith, a_sheet_comes_to_rest_on_the_floor)
{
    Stage stage = with_impulses({level_sheet(8, 0.16, {0, 0, 0.02})}, {});
    stage.world.obstacles = {floor_at(0)};
    choose_integrator(stage);
    EXPECT_EQ(play(stage, 0.5).intersections, 0u);
    for (int i = 0; i < 20; ++i) {
        EXPECT_EQ(play(stage, 0.005).intersections, 0u);
        for (const Vec3& x : stage.sim.state.x) {
            EXPECT_GT(x[2], 0.001);
            EXPECT_LT(x[2], 0.0055);
        }
    }
    EXPECT_LT(kinetic_energy(stage.sim.model, stage.sim.state) / total_mass(stage.sim.model),
              0.5 * 0.02 * 0.02);
}

TEST_P(ImpulsesWith, a_slope_holds_below_the_angle_of_friction_and_not_above)
{
    constexpr double friction = 0.4;
    for (const double share : {0.9, 1.1}) {
        const ContactOptions contact{.friction = friction};
        Stage stage = with_impulses({level_sheet(8, 0.16, {0, 0, 0.005})}, contact);
        stage.world.obstacles = {make_half_space("floor", {}, {0, 0, 1}, 1)};
        choose_integrator(stage, contact);
        EXPECT_EQ(play(stage, 0.2).intersections, 0u);
        const double angle = share * std::atan(friction);
        stage.world.gravity = Vec3{std::sin(angle), 0, -std::cos(angle)} * 9.8;
        const double before = mean_velocity(stage)[0];
        EXPECT_EQ(play(stage, 0.5).intersections, 0u);
        const double gained = mean_velocity(stage)[0] - before;
        if (share < 1)
            EXPECT_LT(std::abs(gained), 0.02);
        else
            EXPECT_NEAR(gained, 9.8 * (std::sin(angle) - friction * std::cos(angle)) * 0.5, 0.03);
    }
}

TEST_P(ImpulsesWith, colliding_sheets_keep_their_momentum)
{
    Stage stage = with_impulses({level_sheet(9, 0.2, {0, 0, 0}, {0, 0, 3}),
                                 level_sheet(7, 0.2, {0.03, -0.04, 0.03}, {1, 0.5, -5})},
                                {.friction = 0.4});
    stage.world.gravity = {};
    choose_integrator(stage);
    // The implicit solve keeps it as exactly as it is solved.
    if (!GetParam())
        stage.pipeline.integrator = std::make_unique<IntegratorBackwardEuler>(
            BackwardEulerOptions{}, std::make_unique<LinearSolverCholesky>());
    const Vec3 before = linear_momentum(stage.sim.model, stage.sim.state);
    const Outcome o = play(stage, 0.1);
    EXPECT_EQ(o.intersections, 0u);
    const Vec3 after = linear_momentum(stage.sim.model, stage.sim.state);
    EXPECT_LT(norm(after - before), 1e-9 * norm(before));
}

TEST_P(ImpulsesWith, a_sheet_over_a_sharp_box_is_not_torn)
{
    Stage stage = with_impulses({level_sheet(16, 0.4, {-0.2, -0.2, 0.03})}, {});
    stage.world.obstacles = {box({-0.08, -0.07, -0.2}, {0.09, 0.08, 0})};
    choose_integrator(stage);
    const Outcome o = play(stage, 0.3);
    EXPECT_TRUE(o.ok) << o.trouble;
    EXPECT_EQ(o.intersections, 0u);
    EXPECT_LT(o.max_stretch, 0.15);
}

TEST_P(ImpulsesWith, fast_sheets_do_not_pass_through_thin_things)
{
    Stage stage = with_impulses({level_sheet(10, 0.2, {-0.1, -0.1, 0.1}, {0, 0, -20}),
                                 level_sheet(8, 0.2, {-0.1, -0.1, 0.14}, {0, 0, -20})},
                                {});
    stage.world.obstacles = {needle(0.02, 0.06, 6), floor_at(0)};
    choose_integrator(stage);
    const Outcome o = play(stage, 0.1, 0.005, 1);
    EXPECT_TRUE(o.ok) << o.trouble;
    EXPECT_EQ(o.intersections, 0u);
    EXPECT_EQ(o.unresolved, 0u);
    EXPECT_LT(o.top_speed, 60);
}

} // namespace
} // namespace pleat::test
