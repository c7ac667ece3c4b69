// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Limits in motion: every step of a run ends inside them.
#include "pleat/integrators/backward_euler.hpp"
#include "pleat/loads/wind.hpp"
#include "pleat/strain_limiting/projected_newton.hpp"
#include "strain_limiting/sheets.hpp"

#include <gtest/gtest.h>

namespace pleat {
namespace {

struct RunResult {
    double worst = 0;      // violation after limiting, any step
    double unlimited = 0;  // before limiting
    int limited_steps = 0; // where there was something to do
};

RunResult run(cloths::Cloth& c, Loads loads, const Wind* wind, double dt, int steps)
{
    IntegratorBackwardEuler integrator;
    StrainLimiterProjectedNewton limiter;
    RunResult result;
    State next;
    for (int i = 0; i < steps; ++i) {
        if (wind != nullptr) {
            loads.force.clear();
            loads.drag.clear();
            add_wind(c.model, c.state, *wind, loads);
        }
        EXPECT_TRUE(integrator.advance(c.model, c.state, loads, {}, dt, next).ok);
        result.unlimited =
            std::max(result.unlimited, check_limits(c.model, next.x.values).worst_violation);
        const LimitReport r = limiter.limit(c.model, loads, {}, dt, next);
        EXPECT_TRUE(r.ok);
        result.limited_steps += r.iterations > 0;
        result.worst = std::max(result.worst, check_limits(c.model, next.x.values).worst_violation);
        std::swap(c.state, next);
    }
    return result;
}

/// A soft fabric under ten times gravity, held at two corners.
void expect_hanging(int cells, int steps)
{
    Material soft = scaled(sheets::limited_fabric(-0.1, 0.1), 1, 0.1, 1);
    cloths::Cloth c = cloths::make_cloth(
        cloths::rectangle(cloths::MeshKind::structured, 1, 1, 1.0 / cells), soft);
    Loads loads;
    loads.gravity = {0, 0, -98};
    for (NodeId n : cloths::nodes_where(
             c, [](const Vec3& x) { return x[1] > 1 - 1e-9 && (x[0] < 1e-9 || x[0] > 1 - 1e-9); }))
        loads.pins.push_back({n, c.state.x[n], {}});
    const RunResult r = run(c, loads, nullptr, 0.005, steps);
    EXPECT_GT(r.unlimited, 0.05);
    EXPECT_GT(r.limited_steps, steps / 2);
    EXPECT_LE(r.worst, 1e-3 + 1e-7);
}

TEST(Hanging, soft_sheet_under_ten_times_gravity_stays_inside)
{
    expect_hanging(20, 80);
}

TEST(HangingLong, soft_sheet_of_10k_faces_under_ten_times_gravity_stays_inside)
{
    expect_hanging(70, 200);
}

/// 3 x 2 m in a wind of 10 m/s, held along one side.
void expect_flag(double edge, int steps)
{
    Material cloth = cloths::fabric("camel-ponte-roma");
    cloth.strain_limits = StrainLimits{-0.05, 0.05};
    cloths::Cloth c = cloths::make_cloth(sheets::uneven(3, 2, edge), cloth);
    Loads loads;
    loads.gravity = {0, -9.8, 0};
    for (NodeId n : cloths::nodes_where(c, [](const Vec3& x) { return x[0] < 1e-9; }))
        loads.pins.push_back({n, c.state.x[n], {}});
    const Wind wind{{10, 0, 3}, 1.2, 0};
    const RunResult r = run(c, loads, &wind, 0.005, steps);
    EXPECT_GT(r.limited_steps, 0);
    EXPECT_LE(r.worst, 1e-3 + 1e-7);
}

TEST(Flag, stays_inside_in_every_step)
{
    expect_flag(0.2, 100);
}

TEST(FlagLong, of_8k_faces_stays_inside_in_every_step)
{
    expect_flag(0.04, 200);
}

/// A free sheet that spins so fast that it would stretch far beyond its limits. Limiting leaves
/// linear momentum alone; what one call does to angular momentum and kinetic energy is recorded
/// with the test (docs/strain_limiting.md has the figures).
TEST(Spinning, limiting_keeps_linear_momentum_and_nearly_angular_momentum)
{
    Material soft = scaled(sheets::limited_fabric(-0.05, 0.05), 1, 0.1, 1);
    cloths::Cloth c = cloths::make_cloth(sheets::uneven(1, 1, 0.05), soft);
    const Vec3 middle{0.5, 0.5, 0};
    for (NodeId n : c.model.mesh.nodes())
        c.state.v[n] = Vec3{1, 0, 0.5} + cross(Vec3{0, 0, 25}, c.state.x[n] - middle);
    IntegratorBackwardEuler integrator;
    StrainLimiterProjectedNewton limiter;
    State next;
    double linear = 0, angular = 0, energy = 0;
    int limited = 0;
    for (int i = 0; i < 60; ++i) {
        ASSERT_TRUE(integrator.advance(c.model, c.state, {}, {}, 0.002, next).ok);
        const State before = next;
        const LimitReport r = limiter.limit(c.model, {}, {}, 0.002, next);
        EXPECT_LE(r.worst_violation, 1e-3);
        limited += r.iterations > 0;
        linear = std::max(linear,
                          norm(linear_momentum(c.model, next) - linear_momentum(c.model, before)) /
                              norm(linear_momentum(c.model, before)));
        angular = std::max(
            angular, norm(angular_momentum(c.model, next) - angular_momentum(c.model, before)) /
                         norm(angular_momentum(c.model, before)));
        energy = std::max(
            energy, std::abs(kinetic_energy(c.model, next) / kinetic_energy(c.model, before) - 1));
        std::swap(c.state, next);
    }
    RecordProperty("steps_limited", limited);
    RecordProperty("linear_momentum_change", std::to_string(linear));
    RecordProperty("angular_momentum_change", std::to_string(angular));
    RecordProperty("kinetic_energy_change", std::to_string(energy));
    EXPECT_GT(limited, 10);
    EXPECT_LT(linear, 1e-9);
    EXPECT_LT(angular, 0.02);
}

TEST(LimitingAgain, moves_what_must_move)
{
    cloths::Cloth c = sheets::figure7(40);
    StrainLimiterProjectedNewton limiter;
    Loads loads; // one held node, so that the rest does not recoil as a whole
    const NodeId held = make_id<NodeId>(0);
    loads.pins.push_back({held, c.state.x[held], {}});
    State next = c.state;
    ASSERT_LT(limiter.limit(c.model, loads, {}, 0.005, next).worst_violation, 1e-3);

    // All over the square faces are at their limits now; one node goes astray.
    const State limited = next;
    const NodeId astray = make_id<NodeId>(c.model.mesh.node_count() / 2);
    next.x[astray] += Vec3{0.004, 0.003, 0};
    ASSERT_GT(check_limits(c.model, next.x.values).worst_violation, 0.02);
    EXPECT_LT(limiter.limit(c.model, loads, {}, 0.005, next).worst_violation, 1e-3);
    std::size_t moved = 0;
    for (NodeId n : c.model.mesh.nodes()) moved += next.x[n] != limited.x[n];
    EXPECT_LT(moved, c.model.mesh.node_count() / 2);
}

} // namespace
} // namespace pleat
