// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Where handles put nodes, in closed form; tests/sim/handles_test.cpp has them in a simulation.
#include "pleat/loads/handles.hpp"

#include "sim/t_vertices.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace pleat {
namespace {

using test::membrane_only;
using test::TVertices;

struct Turned : testing::Test {
    TVertices t{2, 2, 0.2, 0.2, membrane_only(), [](const Vec2& u) {
                    return Vec3{u[0], u[1], 0}; }};
    World world;

    Turned()
    {
        world.handles.resize(1);
        // A quarter turn about z in a second, around the origin.
        world.handles[0].motion.keys = {
            {0, {}}, {1, {{}, rotation_about({0, 0, 1}, std::numbers::pi / 2), 1}}};
    }
    Loads loads_of(Simulation& sim, double time, double dt)
    {
        take_hold(world, sim.model, 0, sim.state);
        Loads loads;
        add_handles(world, sim.model, sim.state, time, dt, loads);
        return loads;
    }
};

TEST_F(Turned, node_goes_along_a_circle)
{
    const auto node = make_id<NodeId>(t.coarse_at(2, 0));
    t.coarse.model.node_handles[node] = 1;
    const double quarter = std::numbers::pi / 2;
    double last = 0;
    for (double time : {0.1, 0.4, 0.6, 0.9}) { // keys are eased in and out of
        const Loads loads = loads_of(t.coarse, time, 0.1);
        ASSERT_EQ(loads.pins.size(), 1u);
        EXPECT_EQ(loads.pins[0].node, node);
        const Vec3 x = loads.pins[0].x_t1;
        EXPECT_NEAR(norm(x), 0.2, 1e-12);
        EXPECT_EQ(x[2], 0);
        const double angle = std::atan2(x[1], x[0]);
        EXPECT_GT(angle, last);
        last = angle;
        if (time == 0.4) {
            EXPECT_NEAR(angle, quarter / 2, 1e-12);
        }
        EXPECT_LT(norm(loads.pins[0].v_t1 - (x - t.coarse.state.x[node]) / 0.1), 1e-12);
    }
    EXPECT_NEAR(last, quarter, 1e-12);
}

TEST_F(Turned, handle_of_a_dependent_node_holds_its_parents)
{
    // The midpoint between two coarse nodes, and nothing else.
    const auto midpoint = make_id<NodeId>(t.fine_at(1, 0));
    const auto a = make_id<NodeId>(t.fine_at(0, 0)), b = make_id<NodeId>(t.fine_at(2, 0));
    t.fine.model.node_handles[midpoint] = 1;
    const Loads loads = loads_of(t.fine, 0, 0.5);
    ASSERT_EQ(loads.pins.size(), 2u);
    EXPECT_EQ(loads.pins[0].node, a);
    EXPECT_EQ(loads.pins[1].node, b);
    const double angle = std::numbers::pi / 4;
    EXPECT_LT(norm(loads.pins[1].x_t1 - 0.1 * Vec3{std::cos(angle), std::sin(angle), 0}), 1e-12);
}

TEST_F(Turned, soft_handle_of_both_parents_counts_each_once)
{
    world.handles[0].stiffness = 7;
    for (int i = 0; i < 3; ++i) t.fine.model.region_handles.values[t.fine_at(i, 0)] = 1;
    const Loads loads = loads_of(t.fine, 0, 0.5);
    ASSERT_EQ(loads.springs.size(), 2u);
    for (const Spring& s : loads.springs) {
        EXPECT_EQ(s.stiffness, 7);
        EXPECT_FALSE(t.fine.model.dependencies.depends(index(s.node)));
    }
}

TEST_F(Turned, nodes_of_dependencies_stay_locked_when_a_handle_lets_go)
{
    Model& model = t.fine.model;
    for (std::uint64_t& h : model.node_handles) h = 1;
    world.handles[0].end_time = 1;
    let_go(world, 2, model);
    for (NodeId n : model.mesh.nodes()) {
        EXPECT_EQ(model.handles(n), 0u);
        EXPECT_EQ(model.mesh.kind(n), NodeKind::locked) << "all are parents or dependent";
    }
}

} // namespace
} // namespace pleat
