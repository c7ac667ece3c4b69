// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/contact/impulses.hpp"
#include "pleat/model/shapes.hpp"

#include "contact/shapes.hpp"
#include "contact/stage.hpp"
#include "pleat/contact/final_velocity.hpp"
#include "pleat/contact/proximity.hpp"
#include "pleat/energies/elastic_batch.hpp"
#include "pleat/integrators/backward_euler.hpp"
#include "pleat/integrators/mixed_explicit_implicit.hpp"
#include "pleat/linalg/block_system.hpp"
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
    stage.pipeline.impact_resolver->repel(stage.sim.model, stage.sim.state, {}, stage.world,
                                          obstacles, dt, next);
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

TEST(Impulses, push_by_a_spring_as_stiff_as_the_fabric_where_the_step_is_short)
{
    // k d dt, well below what opens the pair by a tenth: 0.1 d / dt is 20 m/s here.
    const double dt = 1e-5, missing = 0.002;
    for (const double stiffness : {1.0, 0.5}) {
        Stage stage = with_impulses({level_sheet(4, 0.1, {0, 0, 0.003})}, {.stiffness = stiffness});
        stage.world.obstacles = {make_half_space("floor", {}, {0, 0, 1}, 1)};
        const Model& model = stage.sim.model;
        const double k = stiffness * stretch_stiffness(model.materials[0]);
        EXPECT_GT(k, 1);
        const State next = coasted_and_resolved(stage, dt);
        for (NodeId n : next.v.ids()) {
            const double expected = k * missing * dt / model.mass[n];
            EXPECT_LT(expected, 0.1 * missing / dt);
            EXPECT_NEAR(next.v[n][2], expected, 1e-6 * expected);
        }
    }
}

TEST(Impulses, springs_do_not_open_faster_than_a_tenth_a_step)
{
    // Already opening at half of that speed: the spring gives the other half.
    const double dt = 0.005, most = 0.1 * 0.002 / dt;
    Stage stage = with_impulses({level_sheet(4, 0.1, {0, 0, 0.003}, {0, 0, 0.5 * most})}, {});
    stage.world.obstacles = {make_half_space("floor", {}, {0, 0, 1}, 1)};
    const State next = coasted_and_resolved(stage, dt);
    for (const Vec3& v : next.v) EXPECT_NEAR(v[2], most, 1e-9);
}

TEST(Impulses, obstacles_come_first_and_cloth_has_the_last_word)
{
    // The upper sheet presses the lower one onto the floor. A round of impulses does not settle
    // that; what it leaves is between the lower sheet and the floor.
    Stage stage = with_impulses(
        {level_sheet(1, 0.1, {0, 0, 0.003}), level_sheet(1, 0.1, {0, 0, 0.006}, {0, 0, -0.2})}, {});
    stage.world.obstacles = {make_half_space("floor", {}, {0, 0, 1}, 1)};
    const double dt = 0.001;
    const State& in = stage.sim.state;
    State next = in;
    for (NodeId n : next.x.ids()) next.x[n] += dt * next.v[n];
    stage.pipeline.impact_resolver->repel(stage.sim.model, in, {}, stage.world,
                                          sample_obstacles(stage.world, 0, dt), dt, next);
    double into_floor = 0, into_cloth = 0;
    for (std::uint32_t i = 0; i < 4; ++i) {
        const double lower = next.v.values[i][2], upper = next.v.values[i + 4][2];
        into_floor = std::max(into_floor, -lower);
        into_cloth = std::max(into_cloth, lower - upper);
    }
    EXPECT_GT(into_floor, 1e-3);
    EXPECT_LT(into_cloth, 0.3 * into_floor);
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

TEST(FinalVelocity, solves_its_equation)
{
    Stage stage = make_stage({level_sheet(6, 0.1, {})}, fabric("camel-ponte-roma"), {});
    Model& model = stage.sim.model;
    model.materials[0].damping = 0.01;
    const State& at = stage.sim.state;
    const std::size_t n = model.mesh.node_count();
    const double dt = 0.005;
    std::vector<Vec3> change(n), force(n), product(n);
    change[n / 2] = {0.1, -0.2, 1};
    std::vector<Vec3> v(n, Vec3{1, 2, 3});
    FinalVelocity solver;
    solver.add(model, {}, at.x.span(), change, dt, v);

    std::vector<Vec3> dv = v;
    for (Vec3& d : dv) d -= Vec3{1, 2, 3};
    ElasticBatch batch(model);
    std::vector<Mat3> off(batch.pattern().slot_count());
    batch.freeze(model, at.x.span());
    batch.linearise(model, at.x.span(), {0.5 * dt * dt, 0.5 * dt}, force, off);
    multiply_internal(batch.pattern(), off, dv, product);
    Vec3 momentum{}, given{};
    for (std::size_t i = 0; i < n; ++i) {
        const double m = model.mass.values[i];
        EXPECT_LT(norm(m * dv[i] + product[i] - m * change[i]), 1e-7 * m);
        momentum += m * dv[i];
        given += m * change[i];
    }
    EXPECT_LT(norm(momentum - given), 1e-8 * norm(given));
    EXPECT_LT(norm(dv[n / 2]), 0.9 * norm(change[n / 2])) << "its neighbours take part";
}

TEST(FinalVelocity, keeps_pins_and_gives_all_nodes_what_all_were_given)
{
    Stage stage = make_stage({level_sheet(6, 0.1, {})}, fabric("camel-ponte-roma"), {});
    const std::size_t n = stage.sim.model.mesh.node_count();
    const std::vector<Vec3> change(n, Vec3{0.1, -0.2, 1});
    std::vector<Vec3> v(n);
    FinalVelocity solver;
    solver.add(stage.sim.model, {}, stage.sim.state.x.span(), change, 0.005, v);
    for (const Vec3& d : v) EXPECT_LT(norm(d - change[0]), 1e-6);

    v.assign(n, Vec3{});
    Loads loads;
    loads.pins.push_back({make_id<NodeId>(3), stage.sim.state.x.values[3], {}});
    solver.add(stage.sim.model, loads, stage.sim.state.x.span(), change, 0.005, v);
    EXPECT_EQ(v[3], Vec3{});
    EXPECT_GT(norm(v[n - 1]), 0.1);
}

TEST(Impulses, of_an_implicit_step_move_the_neighbours_of_what_was_hit)
{
    // A needle stops the middle of a falling sheet. Nodes that no impulse reached are where they
    // would have been, and slower.
    Stage stage = with_impulses({level_sheet(8, 0.2, {-0.1, -0.1, 0.065}, {0, 0, -2})}, {});
    stage.pipeline.impact_resolver = std::make_unique<ImpactResolverImpulses>(
        ContactOptions{}, ImpactResolverImpulses::Repulsions::in_the_solve);
    stage.world.obstacles = {needle(0.02, 0.06, 6)};
    const double dt = 0.005;
    const State next = coasted_and_resolved(stage, dt);
    double slowest_untouched = 0;
    bool any_hit = false;
    for (NodeId n : next.x.ids()) {
        const double untouched_x = stage.sim.state.x[n][2] + dt * stage.sim.state.v[n][2];
        if (next.x[n][2] == untouched_x)
            slowest_untouched = std::max(slowest_untouched, next.v[n][2] + 2);
        else
            any_hit = true;
    }
    EXPECT_TRUE(any_hit);
    EXPECT_GT(slowest_untouched, 0.01);
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
            stage.pipeline.integrator = std::make_unique<IntegratorMixedExplicitImplicit>();
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
