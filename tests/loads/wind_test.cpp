// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// The wind of [Wejchert1991] against what it is in closed form on flat sheets.
#include "pleat/loads/wind.hpp"

#include "pleat/core/parallel.hpp"
#include "pleat/scene/part_tables.hpp"
#include "pleat/sim/step.hpp"
#include "sim/t_vertices.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

namespace pleat {
namespace {

using test::membrane_only;
using test::TVertices;

constexpr double width = 0.5, height = 0.4;

/// Flat, in the plane through the origin that x and y span after a rotation about x.
Simulation sheet(double angle = 0)
{
    return TVertices(4, 3, width, height, membrane_only(),
                     [&](const Vec2& u) {
                         return Vec3{u[0], std::cos(angle) * u[1], std::sin(angle) * u[1]};
                     })
        .coarse;
}

Vec3 total(const Loads& loads)
{
    return std::accumulate(loads.force.begin(), loads.force.end(), Vec3{});
}

Loads wind_on(const Simulation& sim, const Wind& wind)
{
    Loads loads;
    add_wind(sim.model, sim.state, wind, loads);
    return loads;
}

TEST(Wind, across_a_sheet_pushes_with_density_area_and_speed_squared)
{
    for (double speed : {3.0, -3.0}) {
        const Vec3 f = total(wind_on(sheet(), {{0, 0, speed}, 1.2, 0.0}));
        EXPECT_LT(norm(f - Vec3{0, 0, 1.2 * width * height * speed * std::abs(speed)}), 1e-14);
    }
}

TEST(Wind, along_a_sheet_drags_with_the_speed)
{
    const Vec3 f = total(wind_on(sheet(), {{3, -1, 0}, 1.2, 0.05}));
    EXPECT_LT(norm(f - 0.05 * width * height * Vec3{3, -1, 0}), 1e-14);
}

TEST(Wind, at_an_angle_has_both_parts)
{
    const double angle = 0.7, speed = 4, density = 1.2, drag = 0.3;
    const Vec3 f = total(wind_on(sheet(angle), {{0, 0, speed}, density, drag}));
    const Vec3 n{0, -std::sin(angle), std::cos(angle)};
    const double vn = speed * std::cos(angle);
    const Vec3 expected =
        width * height * (density * vn * vn * n + drag * (Vec3{0, 0, speed} - vn * n));
    EXPECT_LT(norm(f - expected), 1e-13);
}

TEST(Wind, does_nothing_to_cloth_that_moves_with_the_air)
{
    Simulation sim = sheet(0.3);
    for (Vec3& v : sim.state.v) v = {1, 2, 3};
    EXPECT_LT(norm(total(wind_on(sim, {{1, 2, 3}, 1.2, 0.3}))), 1e-15);
    EXPECT_TRUE(wind_on(sim, {{5, 5, 5}, 0, 0}).force.empty()) << "there is no air";
}

TEST(Wind, pushes_on_the_area_in_the_world)
{
    Simulation sim = sheet();
    for (Vec3& x : sim.state.x) x = {1.5 * x[0], x[1], x[2]};
    const Vec3 f = total(wind_on(sim, {{0, 0, 2}, 1.0, 0.0}));
    EXPECT_NEAR(f[2], 1.5 * width * height * 4, 1e-13);
}

TEST(Wind, drag_is_how_the_force_falls_as_the_whole_sheet_gives_way)
{
    Simulation sim = sheet(0.4);
    const Wind wind{{0.5, 1, 3}, 1.2, 0.2};
    const Loads loads = wind_on(sim, wind);
    const Mat3 drag = std::accumulate(loads.drag.begin(), loads.drag.end(), Mat3{});
    const double h = 1e-5;
    for (std::size_t k = 0; k < 3; ++k) {
        Vec3 step{};
        step[k] = h;
        for (Vec3& v : sim.state.v) v = step;
        const Vec3 ahead = total(wind_on(sim, wind));
        for (Vec3& v : sim.state.v) v = -step;
        const Vec3 behind = total(wind_on(sim, wind));
        EXPECT_LT(norm((ahead - behind) / (2 * h) + column(drag, k)), 1e-8);
    }
}

TEST(Wind, falling_sheet_reaches_the_speed_at_which_air_carries_it)
{
    // density A v^2 = m g, m = 0.2 kg/m^2 A.
    const double expected = std::sqrt(0.2 * 9.8 / 1.2);
    for (const std::string& type : integrator_types()) {
        SolverDescription d;
        d.integrator = type;
        Simulation sim = sheet();
        World world;
        world.gravity = {0, 0, -9.8};
        world.wind = {{}, 1.2, 0.0};
        Pipeline p;
        p.integrator = make_integrator(d);
        for (int i = 0; i < 200; ++i) ASSERT_TRUE(advance(world, p, sim, 0.01).ok);
        const Vec3 v = linear_momentum(sim.model, sim.state) / total_mass(sim.model);
        EXPECT_NEAR(v[2], -expected, 1e-4 * expected) << type;
    }
}

TEST(Wind, on_dependent_nodes_is_that_on_the_coarse_sheet)
{
    const TVertices t(4, 3, width, height, membrane_only(), [](const Vec2& u) {
        return Vec3{u[0], u[1], 0.1 * std::sin(5 * u[0])};
    });
    const Wind wind{{1, 2, 3}, 1.2, 0.1};
    const Loads coarse = wind_on(t.coarse, wind);
    Loads fine = wind_on(t.fine, wind);
    fold(t.fine.model.dependencies, std::span<Vec3>(fine.force));
    for (NodeId n : t.coarse.model.mesh.nodes())
        EXPECT_LT(norm(coarse.force[index(n)] - fine.force[index(t.fine_of(n))]), 1e-14);
}

} // namespace
} // namespace pleat
