// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/integrators/backward_euler.hpp"

#include "energies/cloths.hpp"
#include "pleat/energies/elastic_batch.hpp"
#include "pleat/linalg/cg.hpp"
#include "pleat/linalg/cholesky.hpp"
#include "pleat/loads/wind.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace pleat {
namespace {

using cloths::Cloth;
using cloths::MeshKind;

TEST(BackwardEuler, cg_and_cholesky_agree)
{
    for (const Material& m : cloths::one_of_each_law()) {
        Cloth c = cloths::make_cloth(cloths::rectangle(MeshKind::structured, 0.5, 0.5, 0.025), m);
        cloths::shake(c.state, 0.002, 1);
        Loads loads;
        loads.gravity = {0, 0, -9.8};
        for (NodeId n : cloths::nodes_where(c, [](const Vec3& x) { return x[0] < 0.001; }))
            loads.pins.push_back({n, c.state.x[n], {}});
        CgOptions tight;
        tight.tolerance = 1e-8;
        IntegratorBackwardEuler cg({}, std::make_unique<LinearSolverCg>(tight));
        IntegratorBackwardEuler direct({}, std::make_unique<LinearSolverCholesky>());
        State a, b;
        const SolveReport ra = cg.advance(c.model, c.state, loads, {}, 0.005, a);
        ASSERT_TRUE(ra.ok);
        EXPECT_EQ(ra.fallbacks, 0);
        EXPECT_LE(ra.residual, 1e-8);
        ASSERT_TRUE(direct.advance(c.model, c.state, loads, {}, 0.005, b).ok);
        double worst = 0, size = 0;
        for (NodeId n : a.v.ids()) {
            worst = std::max(worst, norm(a.v[n] - b.v[n]));
            size = std::max(size, norm(b.v[n]));
        }
        EXPECT_LT(worst, 1e-5 * size) << m.name;
    }
}

TEST(BackwardEuler, cg_falls_back_to_cholesky_when_it_needs_too_many_iterations)
{
    Cloth c = cloths::make_cloth(cloths::rectangle(MeshKind::structured, 0.5, 0.5, 0.025),
                                 cloths::fabric("gray-interlock"));
    cloths::shake(c.state, 0.002, 1);
    CgOptions few;
    few.max_iterations = 5;
    IntegratorBackwardEuler hasty({}, std::make_unique<LinearSolverCg>(few));
    IntegratorBackwardEuler direct({}, std::make_unique<LinearSolverCholesky>());
    State a, b;
    const SolveReport r = hasty.advance(c.model, c.state, {}, {}, 0.005, a);
    ASSERT_TRUE(r.ok);
    EXPECT_EQ(r.fallbacks, 1);
    ASSERT_TRUE(direct.advance(c.model, c.state, {}, {}, 0.005, b).ok);
    for (NodeId n : a.v.ids()) EXPECT_LT(norm(a.v[n] - b.v[n]), 1e-9);
}

TEST(BackwardEuler, newton_reaches_a_balance_of_forces)
{
    // One very long step is a static solve: at its end the elastic forces carry the weight.
    Cloth c = cloths::make_cloth(cloths::rectangle(MeshKind::random, 0.3, 0.3, 0.03),
                                 cloths::isotropic_sheet(0.2, 1e-3, 2e5, 0.3));
    Loads loads;
    loads.gravity = {0, -9.8, 0};
    for (NodeId n : cloths::nodes_where(c, [](const Vec3& x) { return x[1] > 0.2999; }))
        loads.pins.push_back({n, c.state.x[n], {}});
    BackwardEulerOptions o;
    o.newton_iterations = 50;
    IntegratorBackwardEuler integrator(o, std::make_unique<LinearSolverCholesky>());
    State s;
    ASSERT_TRUE(integrator.advance(c.model, c.state, loads, {}, 1e3, s).ok);
    const std::vector<Vec3> f = elastic_forces(c.model, s);
    std::vector<bool> pinned(f.size());
    for (const Pin& p : loads.pins) pinned[index(p.node)] = true;
    for (NodeId n : s.x.ids()) {
        if (pinned[index(n)]) continue;
        EXPECT_LT(norm(f[index(n)] + c.model.mass[n] * loads.gravity),
                  1e-5 * c.model.mass[n] * 9.8);
    }
}

TEST(BackwardEuler, dependent_nodes_move_like_the_coarse_mesh)
{
    // A fine mesh whose extra nodes are means of the coarse ones: coarse and fine agree.
    const Material m = [] {
        Material x;
        x.density = 0.2;
        x.membrane = MembraneBaraffWitkin{100, 100, 20, 1, 1};
        x.bending = BendingBaraffWitkin{1e-4};
        return x;
    }();
    const int cells = 4;
    MeshInput coarse_input = cloths::rectangle(MeshKind::structured, 0.4, 0.4, 0.1);
    MeshInput fine_input = cloths::rectangle(MeshKind::structured, 0.4, 0.4, 0.05);
    Cloth coarse = cloths::make_cloth(coarse_input, m), fine = cloths::make_cloth(fine_input, m);
    const auto coarse_at = [&](int i, int j) {
        return static_cast<std::uint32_t>(j * (cells + 1) + i);
    };
    const auto fine_at = [&](int i, int j) {
        return static_cast<std::uint32_t>(j * (2 * cells + 1) + i);
    };
    Dependencies d;
    d.start.push_back(0);
    for (int j = 0; j <= 2 * cells; ++j)
        for (int i = 0; i <= 2 * cells; ++i) {
            const int oi = i % 2, oj = j % 2;
            if (oi + oj > 0) { // diagonals run along (1, 1)
                d.parents.push_back({fine_at(i - oi, j - oj), 0.5});
                d.parents.push_back({fine_at(i + oi, j + oj), 0.5});
            }
            d.start.push_back(static_cast<std::uint32_t>(d.parents.size()));
        }
    cloths::shake(coarse.state, 0.01, 2);
    for (int j = 0; j <= 2 * cells; ++j)
        for (int i = 0; i <= 2 * cells; ++i) {
            const int oi = i % 2, oj = j % 2;
            const auto& x = coarse.state.x.values;
            fine.state.x.values[fine_at(i, j)] = 0.5 * (x[coarse_at((i - oi) / 2, (j - oj) / 2)] +
                                                        x[coarse_at((i + oi) / 2, (j + oj) / 2)]);
        }
    Loads loads_coarse, loads_fine;
    loads_coarse.gravity = loads_fine.gravity = {0, 0, -9.8};
    loads_coarse.pins.push_back({NodeId{0}, coarse.state.x[NodeId{0}], {}});
    loads_fine.pins.push_back({NodeId{0}, fine.state.x[NodeId{0}], {}});
    IntegratorBackwardEuler a({}, std::make_unique<LinearSolverCholesky>());
    IntegratorBackwardEuler b({}, std::make_unique<LinearSolverCholesky>());
    set_dependencies(fine.model, d);
    State s = coarse.state, t = fine.state, next;
    for (int step = 0; step < 20; ++step) {
        ASSERT_TRUE(a.advance(coarse.model, s, loads_coarse, {}, 0.005, next).ok);
        s = next;
        ASSERT_TRUE(b.advance(fine.model, t, loads_fine, {}, 0.005, next).ok);
        t = next;
    }
    double moved = 0, worst = 0;
    for (int j = 0; j <= cells; ++j)
        for (int i = 0; i <= cells; ++i) {
            const Vec3 p = s.x.values[coarse_at(i, j)], q = t.x.values[fine_at(2 * i, 2 * j)];
            worst = std::max(worst, norm(p - q));
            moved = std::max(moved, norm(p - coarse.state.x.values[coarse_at(i, j)]));
        }
    EXPECT_GT(moved, 0.02);
    EXPECT_LT(worst, 1e-9);
}

TEST(Wind, light_flag_in_a_gale_stays_whole)
{
    Material m = cloths::fabric("white-dots-on-blk");
    m.density = 0.05;
    Cloth c = cloths::make_cloth(cloths::rectangle(MeshKind::structured, 1.5, 1.0, 0.1), m);
    const double rest = total_mass(c.model);
    EXPECT_NEAR(rest, 0.075, 1e-12);
    const Wind wind{{10, 1, 0.5}, 1.2, 0.05};
    IntegratorBackwardEuler integrator;
    State s = c.state, next;
    double fastest = 0;
    for (int step = 0; step < 400; ++step) {
        Loads loads;
        loads.gravity = {0, -9.8, 0};
        add_wind(c.model, s, wind, loads);
        for (NodeId n : cloths::nodes_where(c, [](const Vec3& x) { return x[0] < 1e-9; }))
            loads.pins.push_back({n, c.state.x[n], {}});
        const SolveReport r = integrator.advance(c.model, s, loads, {}, 0.005, next);
        ASSERT_TRUE(r.ok) << r.trouble;
        s = next;
        for (const Vec3& v : s.v) fastest = std::max(fastest, norm(v));
    }
    EXPECT_LT(fastest, 60.0); // a few times the wind, at the whip of the free end
    double farthest = 0;
    for (const Vec3& x : s.x) farthest = std::max(farthest, x[0]);
    EXPECT_GT(farthest, 0.9); // it flies
    EXPECT_LT(farthest, 1.8); // and is not torn away
}

TEST(Wind, carries_a_free_sheet_to_its_own_speed)
{
    Material m = cloths::fabric("gray-interlock");
    Cloth c = cloths::make_cloth(cloths::rectangle(MeshKind::structured, 0.2, 0.2, 0.05), m);
    const Wind wind{{0, 0, 3}, 1.2, 0.1};
    IntegratorBackwardEuler integrator;
    State s = c.state, next;
    // Head on: m dv/dt = density (w - v)^2 a, so w - v = w / (1 + density w t / sigma).
    const double dt = 0.001;
    for (int step = 0; step < 500; ++step) {
        Loads loads;
        add_wind(c.model, s, wind, loads);
        ASSERT_TRUE(integrator.advance(c.model, s, loads, {}, dt, next).ok);
        s = next;
    }
    const double lag = 3 / (1 + 1.2 * 3 * 0.5 / m.density);
    for (NodeId n : s.v.ids()) EXPECT_NEAR(s.v[n][2], 3 - lag, 0.01 * lag + 0.002);
}

} // namespace
} // namespace pleat
