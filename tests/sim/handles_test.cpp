// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/loads/handles.hpp"
#include "pleat/sim/step.hpp"

#include "mesh/zoo.hpp"
#include "sim/model_of.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

namespace pleat {
namespace {

struct Held : testing::Test {
    Simulation sim = simulation_of(zoo::grid(4, 4));
    Pipeline pipeline = default_pipeline();
    World world;

    Held()
    {
        world.gravity = {0, 0, -9.8};
        world.handles.resize(1);
        for (std::size_t i : {0u, 4u}) sim.model.node_handles.values[i] = 1;
    }
    void go(double until)
    {
        while (sim.time < until - 1e-9) ASSERT_TRUE(step(world, pipeline, sim, 0.005).accepted());
    }
};

TEST_F(Held, nodes_stay_put_to_the_bit)
{
    const Vec3 before = sim.state.x.values[4];
    go(0.5);
    EXPECT_EQ(sim.state.x.values[4], before);
    EXPECT_EQ(sim.state.v.values[4], Vec3{});
    EXPECT_LT(sim.state.x.values[20][2], -0.1) << "the rest falls";
}

TEST_F(Held, nodes_follow_the_motion_from_where_they_were_when_it_took_hold)
{
    Handle& h = world.handles[0];
    h.motion.keys = {{0, {{5, 0, 0}, {}, 1}},
                     {1, {{5, 0, 1}, {}, 1}}}; // its own origin is no matter
    const Vec3 before = sim.state.x.values[0];
    go(1.0);
    EXPECT_NEAR(sim.state.x.values[0][0], before[0], 1e-12);
    EXPECT_NEAR(sim.state.x.values[0][2], before[2] + 1, 1e-9);
}

TEST_F(Held, nodes_are_free_before_and_after)
{
    Handle& h = world.handles[0];
    h.start_time = 0.1;
    h.end_time = 0.2;
    go(0.1);
    const double at_start = sim.state.x.values[0][2];
    EXPECT_NEAR(at_start, -0.5 * 9.8 * 0.1 * 0.105, 1e-9); // free fall till then
    go(0.2);
    EXPECT_NEAR(sim.state.x.values[0][2], at_start, 1e-9); // caught there
    go(0.3);
    EXPECT_LT(sim.state.x.values[0][2], at_start - 0.01);
}

TEST_F(Held, a_fading_handle_lets_go_softly)
{
    Handle& h = world.handles[0];
    h.end_time = 0.1;
    h.fade_time = 0.4;
    go(0.11);
    Loads loads;
    add_handles(world, sim.model, sim.state, 0.11, 0.005, loads);
    EXPECT_TRUE(loads.pins.empty());
    ASSERT_EQ(loads.springs.size(), 2u);
    const double early = loads.springs[0].stiffness;
    loads = {};
    add_handles(world, sim.model, sim.state, 0.4, 0.005, loads);
    EXPECT_LT(loads.springs[0].stiffness, early);
    const double left = (0.5 - 0.405) / 0.4; // of the fade
    EXPECT_NEAR(loads.springs[0].stiffness, 1000 * std::pow(left, 4), 1e-9);
    loads = {};
    add_handles(world, sim.model, sim.state, 0.6, 0.005, loads);
    EXPECT_TRUE(loads.springs.empty());
}

TEST_F(Held, a_soft_handle_is_a_spring)
{
    world.handles[0].stiffness = 50.0;
    State held = sim.state;
    take_hold(world, sim.model, 0, held);
    Loads loads;
    add_handles(world, sim.model, held, 0, 0.005, loads);
    ASSERT_EQ(loads.springs.size(), 2u);
    EXPECT_EQ(loads.springs[0].stiffness, 50.0);
    EXPECT_EQ(loads.springs[0].target, sim.state.x.values[0]);
}

TEST_F(Held, a_node_of_two_handles_follows_the_first)
{
    world.handles.resize(2);
    world.handles[1].motion.keys = {{0, {}}, {1, {{0, 0, 9}, {}, 1}}};
    sim.model.node_handles.values[0] = 3;
    const Vec3 before = sim.state.x.values[0];
    go(0.2);
    EXPECT_EQ(sim.state.x.values[0], before);
}

TEST_F(Held, a_second_handle_takes_nodes_from_where_the_first_left_them)
{
    world.handles.resize(2);
    world.handles[0].end_time = 0.1;
    world.handles[1].start_time = 0.2;
    for (std::size_t i : {0u, 4u}) sim.model.node_handles.values[i] = 3;
    go(0.2);
    const Vec3 fallen = sim.state.x.values[0];
    EXPECT_LT(fallen[2], -0.01);
    go(0.3);
    EXPECT_EQ(sim.state.x.values[0], fallen);
}

TEST_F(Held, nodes_with_a_label_stay_locked_when_the_handle_has_let_go)
{
    const NodeId labelled{0}, plain{12};
    sim.model.node_handles[plain] = 1;
    sim.model.node_label[labelled] = 3;
    const NodeKind before = sim.model.mesh.kind(plain);
    lock_nodes(sim.model.mesh, std::array{labelled, plain});
    world.handles[0].end_time = 1;
    let_go(world, 0.99, sim.model);
    EXPECT_EQ(sim.model.mesh.kind(plain), NodeKind::locked);
    EXPECT_EQ(sim.model.handles(plain), 1u);
    let_go(world, 1, sim.model);
    EXPECT_EQ(sim.model.mesh.kind(plain), before);
    EXPECT_EQ(sim.model.mesh.kind(labelled), NodeKind::locked);
    EXPECT_EQ(sim.model.handles(plain), 0u);
    EXPECT_EQ(sim.model.handles(labelled), 0u);
}

} // namespace
} // namespace pleat
