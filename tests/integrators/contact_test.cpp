// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Proximities inside the implicit solve: a half-space under a small cloth.
#include "energies/cloths.hpp"
#include "pleat/integrators/backward_euler.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace pleat {
namespace {

using cloths::Cloth;
using cloths::MeshKind;

struct Floor {
    Vec3 normal{0, 0, 1};
    Vec3 velocity{};
    double stiffness = 20; // [N/m] a node
    double friction = 0;
    static constexpr double thickness = 0.005;

    /// Every node against the plane through the origin.
    [[nodiscard]] Contacts contacts(const State& s, double dt, double time) const
    {
        Contacts c;
        for (NodeId n : s.x.ids()) {
            Proximity p;
            p.nodes[0] = n;
            p.weights[0] = 1;
            p.normal = normal;
            p.anchor_t0 = -time * velocity;
            p.anchor_t1 = -(time + dt) * velocity;
            p.thickness = thickness;
            p.stiffness = stiffness;
            p.friction = friction;
            c.proximities.push_back(p);
        }
        return c;
    }
};

Cloth small_cloth()
{
    return cloths::make_cloth(cloths::rectangle(MeshKind::structured, 0.1, 0.1, 0.02),
                              cloths::fabric("gray-interlock"));
}

State run(const Cloth& c, const Floor& floor, const Vec3& gravity, int steps, int iterations = 1)
{
    BackwardEulerOptions o;
    o.newton_iterations = iterations;
    IntegratorBackwardEuler integrator(o);
    State s = c.state, next;
    const double dt = 0.005;
    Loads loads;
    loads.gravity = gravity;
    for (int i = 0; i < steps; ++i) {
        const SolveReport r =
            integrator.advance(c.model, s, loads, floor.contacts(s, dt, i * dt), dt, next);
        EXPECT_TRUE(r.ok) << r.trouble;
        s = next;
    }
    return s;
}

TEST(Contact, cloth_rests_where_the_push_carries_its_weight)
{
    for (int iterations : {1, 4}) {
        Cloth c = small_cloth();
        for (Vec3& p : c.state.x) p[2] = 0.02;
        const Floor floor;
        const State s = run(c, floor, {0, 0, -9.8}, 400, iterations);
        double push = 0;
        for (const Vec3& p : s.x) {
            push += floor.stiffness * (Floor::thickness - p[2]);
            EXPECT_GT(p[2], 0.004);
            EXPECT_LT(p[2], 0.005);
        }
        EXPECT_NEAR(push, 9.8 * total_mass(c.model), 1e-3 * push);
        for (const Vec3& v : s.v) EXPECT_LT(norm(v), 1e-4);
    }
}

TEST(Contact, friction_holds_on_a_gentle_slope_and_slides_on_a_steep_one)
{
    Cloth c = small_cloth();
    Floor floor;
    floor.friction = 0.5;
    for (Vec3& p : c.state.x) p[2] = Floor::thickness - 9.8 * total_mass(c.model) / 36 / 20;
    const auto slid = [&](double degrees, int steps) {
        const double a = degrees * 3.14159265358979 / 180;
        const State s = run(c, floor, {9.8 * std::sin(a), 0, -9.8 * std::cos(a)}, steps);
        double mean = 0;
        for (NodeId n : s.x.ids()) mean += s.x[n][0] - c.state.x[n][0];
        return mean / 36;
    };
    // tan 20 = 0.36 < 0.5: creep only, at most friction_speed.
    EXPECT_LT(slid(20, 200), 2e-4);
    // tan 45 = 1 > 0.5: slides with g (sin - mu cos). Positions move with the velocity at the end
    // of each of the 200 steps, so that they are ahead by half a step on the mean.
    const double exact = 0.5 * 9.8 * (std::sin(0.785398) - 0.5 * std::cos(0.785398));
    const double expected = exact * (1 + 1.0 / 200);
    EXPECT_NEAR(slid(45, 200), expected, 0.002 * expected);
}

TEST(Contact, friction_carries_cloth_with_a_moving_floor)
{
    Cloth c = small_cloth();
    Floor floor;
    floor.friction = 0.6;
    floor.velocity = {0.2, 0, 0};
    for (Vec3& p : c.state.x) p[2] = Floor::thickness - 9.8 * total_mass(c.model) / 36 / 20;
    const State s = run(c, floor, {0, 0, -9.8}, 200);
    for (const Vec3& v : s.v) EXPECT_NEAR(v[0], 0.2, 0.002);
}

/// Cloth that lies on the floor, pushed in by what carries its weight.
Cloth lying_cloth(const Floor& floor)
{
    Cloth c = small_cloth();
    for (NodeId n : c.state.x.ids())
        c.state.x[n][2] = Floor::thickness - 9.8 * c.model.mass[n] / floor.stiffness;
    return c;
}

TEST(Contact, cloth_lifted_off_the_floor_feels_no_suction)
{
    // A force lifts the cloth with 20 m/s^2; gravity alone would leave it on the floor.
    Floor floor;
    floor.friction = 0.5;
    const Cloth c = lying_cloth(floor);
    constexpr double lift = 20, dt = 0.005;
    Loads loads;
    loads.gravity = {0, 0, -9.8};
    for (NodeId n : c.state.x.ids()) loads.force.push_back({0, 0, c.model.mass[n] * (9.8 + lift)});
    IntegratorBackwardEuler integrator;
    State s = c.state, next;
    for (int i = 1; i <= 20; ++i) {
        const SolveReport r =
            integrator.advance(c.model, s, loads, floor.contacts(s, dt, i * dt), dt, next);
        ASSERT_TRUE(r.ok) << r.trouble;
        EXPECT_TRUE(r.contacts_settled);
        s = next;
        // The floor gives back at most what the weight had pushed in.
        for (const Vec3& v : s.v) {
            EXPECT_GT(v[2], 0.995 * lift * i * dt) << i;
            EXPECT_LT(v[2], lift * i * dt + 2 * 9.8 * dt) << i;
        }
    }
}

TEST(Contact, cloth_peeled_off_the_floor_by_its_corner_feels_no_suction)
{
    // Everything but the corner hangs on elastic forces that the first solve knows nothing of: the
    // momentum that the floor gives is never downward.
    const Floor floor;
    Cloth c = lying_cloth(floor);
    constexpr double dt = 0.005;
    Loads loads;
    loads.gravity = {0, 0, -9.8};
    IntegratorBackwardEuler integrator;
    State s = c.state, next;
    double lowest = 0;
    for (int i = 1; i <= 60; ++i) {
        const double t = i * dt;
        loads.pins = {{make_id<NodeId>(0), c.state.x[make_id<NodeId>(0)] + Vec3{0, 0, 10 * t * t},
                       Vec3{0, 0, 20 * t}}};
        const Contacts contacts = floor.contacts(s, dt, t);
        ASSERT_TRUE(integrator.advance(c.model, s, loads, contacts, dt, next).ok);
        // No less momentum upward, all free nodes together, than in a step without the floor.
        State without;
        IntegratorBackwardEuler other;
        ASSERT_TRUE(other.advance(c.model, s, loads, {}, dt, without).ok);
        double given = 0;
        for (NodeId n : s.x.ids())
            if (index(n) != 0) given += c.model.mass[n] * (next.v[n][2] - without.v[n][2]);
        lowest = std::min(lowest, given / (9.8 * dt * total_mass(c.model)));
        s = next;
    }
    EXPECT_GT(lowest, -0.01) << "of the weight";
}

TEST(Contact, sliding_cloth_accelerates_as_coulomb_says)
{
    // From rest, above the angle of friction by little and by much; within two per cent of
    // g (sin - mu cos) from the first step on.
    for (const double friction : {0.1, 0.3, 0.7})
        for (const double excess : {1.1, 1.5, 2.5}) {
            Floor floor;
            floor.friction = friction;
            const double angle = std::atan(friction * excess);
            Cloth c = small_cloth();
            for (NodeId n : c.state.x.ids())
                c.state.x[n][2] =
                    Floor::thickness - 9.8 * std::cos(angle) * c.model.mass[n] / floor.stiffness;
            constexpr int steps = 60;
            constexpr double dt = 0.005;
            const State s = run(c, floor, Vec3{std::sin(angle), 0, -std::cos(angle)} * 9.8, steps);
            double speed = 0;
            for (NodeId n : s.x.ids()) speed += c.model.mass[n] * s.v[n][0] / total_mass(c.model);
            const double a = 9.8 * (std::sin(angle) - friction * std::cos(angle));
            EXPECT_NEAR(speed, a * steps * dt, 0.02 * a * steps * dt) << friction << " " << excess;
        }
}

TEST(Contact, cloth_below_the_angle_of_friction_creeps_no_faster_than_it_may)
{
    for (const double friction : {0.1, 0.3, 0.7}) {
        Floor floor;
        floor.friction = friction;
        const Cloth c = lying_cloth(floor);
        const double angle = std::atan(0.98 * friction);
        const State s = run(c, floor, Vec3{std::sin(angle), 0, -std::cos(angle)} * 9.8, 100);
        for (const Vec3& v : s.v) EXPECT_LT(std::abs(v[0]), 1e-4);
    }
}

} // namespace
} // namespace pleat
