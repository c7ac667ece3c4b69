// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Weight, in every integrator.
#include "pleat/scene/part_tables.hpp"
#include "pleat/sim/step.hpp"
#include "sim/t_vertices.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace pleat {
namespace {

using test::membrane_only;
using test::TVertices;

Vec3 rippled(const Vec2& u)
{
    return {1.05 * u[0], u[1], 0.02 * std::sin(9 * u[0])};
}

Pipeline pipeline_of(const std::string& integrator)
{
    SolverDescription d;
    d.integrator = integrator;
    d.tolerance = 1e-10;
    Pipeline p;
    p.integrator = make_integrator(d);
    return p;
}

TEST(Gravity, changes_momentum_by_mass_and_time_whatever_the_cloth_does)
{
    for (const std::string& type : integrator_types())
        for (bool dependent : {false, true}) {
            TVertices t(4, 4, 0.4, 0.4, membrane_only(), rippled);
            Simulation& sim = dependent ? t.fine : t.coarse;
            World world;
            world.gravity = {1, -2, -9.8};
            Pipeline p = pipeline_of(type);
            for (int i = 0; i < 20; ++i) ASSERT_TRUE(advance(world, p, sim, 0.005).ok);
            const Vec3 expected = 0.1 * total_mass(sim.model) * world.gravity;
            EXPECT_LT(norm(linear_momentum(sim.model, sim.state) - expected), 1e-8 * norm(expected))
                << type << dependent;
        }
}

// Every node hangs from a spring of its own: together they carry the weight. Gravity acts along the
// sheet, so that the drag of still air brings it to rest.
TEST(Gravity, is_carried_by_soft_handles)
{
    for (const std::string& type : integrator_types()) {
        Material m = membrane_only();
        m.damping = 0.01;
        TVertices t(3, 3, 0.3, 0.3, m, [](const Vec2& u) { return Vec3{u[0], u[1], 0}; });
        Simulation& sim = t.coarse;
        World world;
        world.gravity = {-9.8, 0, 0};
        world.wind = {{}, 0.0, 1.0};
        world.handles.resize(1);
        world.handles[0].stiffness = 5;
        for (std::uint64_t& h : sim.model.node_handles) h = 1;
        const State start = sim.state;
        Pipeline p = pipeline_of(type);
        for (int i = 0; i < 600; ++i) ASSERT_TRUE(advance(world, p, sim, 0.01).ok);
        double pull = 0;
        for (NodeId n : sim.model.mesh.nodes()) pull += 5 * (start.x[n] - sim.state.x[n])[0];
        EXPECT_NEAR(pull, 9.8 * total_mass(sim.model), 1e-3 * pull) << type;
    }
}

} // namespace
} // namespace pleat
