// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// The contract of the parts that resolve impacts, over all of them.
#include "pleat/contact/impact_resolver.hpp"

#include "contact/shapes.hpp"
#include "contact/stage.hpp"
#include "pleat/core/parallel.hpp"
#include "pleat/integrators/backward_euler.hpp"
#include "pleat/linalg/cholesky.hpp"
#include "pleat/scene/material_file.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace pleat::test {
namespace {

class ImpactResolver : public testing::TestWithParam<ContactParts> {};

INSTANTIATE_TEST_SUITE_P(Parts, ImpactResolver,
                         testing::Values(ContactParts::impact_zones, ContactParts::impulses),
                         [](const auto& parts) {
                             return parts.param == ContactParts::impulses ? "impulses"
                                                                          : "impact_zones";
                         });

SheetPlan level_sheet(std::size_t n, double size, const Vec3& corner, const Vec3& velocity = {})
{
    return {n,
            n,
            size,
            size,
            [=](const Vec2& u) {
                return corner + Vec3{u[0], u[1], 0.01 * u[0] * u[1]};
            },
            velocity};
}

/// Where the sheets fly by themselves.
State coasted(const Stage& stage, double dt)
{
    State next = stage.sim.state;
    for (NodeId n : next.x.ids()) next.x[n] += dt * next.v[n];
    return next;
}

TEST_P(ImpactResolver, leaves_a_free_path_alone)
{
    Stage stage =
        make_stage({level_sheet(6, 0.2, {}, {0, 0, 1})}, fabric("gray-interlock"), {}, GetParam());
    const State wished = coasted(stage, 0.005);
    State next = wished;
    const ImpactReport r = stage.pipeline.impact_resolver->resolve(
        stage.sim.model, stage.sim.state, {}, stage.world, {}, 0.005, false, next);
    EXPECT_TRUE(r.ok);
    EXPECT_EQ(r.impacts, 0u);
    EXPECT_TRUE(next == wished);
}

TEST_P(ImpactResolver, keeps_the_momentum_of_colliding_sheets)
{
    Stage stage = make_stage({level_sheet(9, 0.2, {0, 0, 0}, {0, 0, 3}),
                              level_sheet(7, 0.2, {0.03, -0.04, 0.01}, {1, 0.5, -5})},
                             fabric("gray-interlock"), {.friction = 0.4}, GetParam());
    const double dt = 0.005;
    State next = coasted(stage, dt);
    const Vec3 before = linear_momentum(stage.sim.model, next);
    const ImpactReport r = stage.pipeline.impact_resolver->resolve(
        stage.sim.model, stage.sim.state, {}, stage.world, {}, dt, false, next);
    EXPECT_TRUE(r.ok);
    EXPECT_GT(r.impacts, 0u);
    EXPECT_EQ(r.rigid_zones, 0u);
    const Vec3 after = linear_momentum(stage.sim.model, next);
    EXPECT_LT(norm(after - before), 1e-12 * norm(before));
    // Velocities follow positions.
    for (NodeId n : next.x.ids())
        EXPECT_LT(norm(next.x[n] - stage.sim.state.x[n] - dt * next.v[n]), 1e-12);
}

TEST_P(ImpactResolver, keeps_the_momentum_of_colliding_sheets_through_whole_steps)
{
    Stage stage = make_stage({level_sheet(9, 0.2, {0, 0, 0}, {0, 0, 3}),
                              level_sheet(7, 0.2, {0.03, -0.04, 0.03}, {1, 0.5, -5})},
                             fabric("gray-interlock"), {.friction = 0.4}, GetParam());
    stage.world.gravity = {};
    stage.pipeline.integrator = std::make_unique<IntegratorBackwardEuler>(
        BackwardEulerOptions{}, std::make_unique<LinearSolverCholesky>());
    const Vec3 before = linear_momentum(stage.sim.model, stage.sim.state);
    const Outcome o = play(stage, 0.2);
    EXPECT_EQ(o.intersections, 0u);
    EXPECT_GT(o.impacts, 0u);
    const Vec3 after = linear_momentum(stage.sim.model, stage.sim.state);
    EXPECT_LT(norm(after - before), 1e-9 * norm(before));
}

TEST_P(ImpactResolver, does_not_move_pins)
{
    Stage stage = make_stage({level_sheet(6, 0.2, {0, 0, 0.01}, {0, 0, -6})},
                             fabric("gray-interlock"), {}, GetParam());
    stage.world.obstacles = {floor_at(0)};
    const double dt = 0.005;
    Loads loads;
    loads.pins.push_back({make_id<NodeId>(0), stage.sim.state.x[make_id<NodeId>(0)], {}});
    State next = coasted(stage, dt);
    next.x[make_id<NodeId>(0)] = loads.pins[0].x_t1;
    next.v[make_id<NodeId>(0)] = {};
    const auto obstacles = sample_obstacles(stage.world, 0, dt);
    const ImpactReport r = stage.pipeline.impact_resolver->resolve(
        stage.sim.model, stage.sim.state, loads, stage.world, obstacles, dt, false, next);
    EXPECT_TRUE(r.ok);
    EXPECT_GT(r.impacts, 0u);
    EXPECT_TRUE(next.x[make_id<NodeId>(0)] == loads.pins[0].x_t1);
    for (NodeId n : next.x.ids()) EXPECT_GT(next.x[n][2], 0);
}

TEST_P(ImpactResolver, flags_a_pin_that_is_led_through_an_obstacle)
{
    Stage stage =
        make_stage({level_sheet(2, 0.05, {0, 0, 0.02})}, fabric("gray-interlock"), {}, GetParam());
    stage.world.obstacles = {floor_at(0)};
    const double dt = 0.005;
    Loads loads;
    State next = stage.sim.state;
    for (NodeId n : next.x.ids()) {
        next.x[n][2] -= 0.04;
        loads.pins.push_back({n, next.x[n], {0, 0, -8}});
    }
    const auto obstacles = sample_obstacles(stage.world, 0, dt);
    const ImpactReport r = stage.pipeline.impact_resolver->resolve(
        stage.sim.model, stage.sim.state, loads, stage.world, obstacles, dt, true, next);
    EXPECT_TRUE(r.ok);
    EXPECT_GT(r.unresolved, 0u);
    EXPECT_GT(r.pinched, 0u);
}

TEST_P(ImpactResolver, refuses_a_vice_and_with_insistence_flags_it)
{
    // Two plates close until nothing is left between them: no position is free.
    for (const bool insist : {false, true}) {
        Stage stage =
            make_stage({level_sheet(4, 0.1, {})}, fabric("gray-interlock"), {}, GetParam());
        Obstacle low = box({-0.1, -0.1, -0.05}, {0.2, 0.2, -0.002});
        Obstacle high = box({-0.1, -0.1, 0.003}, {0.2, 0.2, 0.05});
        const double dt = 0.005;
        low.motion = slide({{0, {}}, {dt, {0, 0, 0.01}}});
        high.motion = slide({{0, {}}, {dt, {0, 0, -0.01}}});
        stage.world.obstacles = {low, high};
        const auto obstacles = sample_obstacles(stage.world, 0, dt);
        State next = stage.sim.state;
        const ImpactReport r = stage.pipeline.impact_resolver->resolve(
            stage.sim.model, stage.sim.state, {}, stage.world, obstacles, dt, insist, next);
        EXPECT_EQ(r.ok, insist);
        if (!insist) continue;
        EXPECT_GT(r.pinched, 0u);
        for (NodeId n : next.x.ids())
            EXPECT_LT(norm(next.x[n] - stage.sim.state.x[n]), 0.03) << "no explosion";
    }
}

TEST(ImpactZones, do_not_hide_a_vice_that_closes_by_little)
{
    // Twenty micrometres on each side, and the lower jaw rises by eighty: the two move as one,
    // nearly.
    Stage stage = make_stage({level_sheet(4, 0.1, {})}, fabric("gray-interlock"), {});
    Obstacle low = box({-0.1, -0.1, -0.05}, {0.2, 0.2, -2e-5});
    Obstacle high = box({-0.1, -0.1, 2e-5}, {0.2, 0.2, 0.05});
    const double dt = 0.005;
    low.motion = slide({{0, {}}, {dt, {0, 0, 8e-5}}});
    stage.world.obstacles = {low, high};
    const auto obstacles = sample_obstacles(stage.world, 0, dt);
    State next = stage.sim.state;
    const ImpactReport r = stage.pipeline.impact_resolver->resolve(
        stage.sim.model, stage.sim.state, {}, stage.world, obstacles, dt, true, next);
    EXPECT_TRUE(r.ok);
    EXPECT_GT(r.unresolved, 0u);
}

TEST_P(ImpactResolver, gives_the_same_bits_for_any_number_of_threads)
{
    std::vector<std::uint64_t> hashes;
    for (const int count : {1, 2, 8}) {
        const Threads threads(count);
        threads.run([&] {
            Stage stage = make_stage({level_sheet(12, 0.2, {0, 0, 0.02}, {0, 0, 2}),
                                      level_sheet(9, 0.2, {0.03, -0.04, 0.06}, {1, 0.5, -3})},
                                     fabric("gray-interlock"), {.friction = 0.4}, GetParam());
            stage.world.obstacles = {floor_at(0)};
            // Without proximities, which would leave nothing to the impacts.
            stage.pipeline.contact_finder = std::make_unique<ContactFinderNone>();
            EXPECT_GT(play(stage, 0.25).impacts, 0u);
            hashes.push_back(state_hash(stage.sim.model, stage.sim.state));
        });
    }
    EXPECT_EQ(hashes[0], hashes[1]);
    EXPECT_EQ(hashes[0], hashes[2]);
}

} // namespace
} // namespace pleat::test
