// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// What every integrator with every solver promises.
#include "energies/cloths.hpp"
#include "pleat/core/parallel.hpp"
#include "pleat/energies/elastic_batch.hpp"
#include "pleat/integrators/backward_euler.hpp"
#include "pleat/integrators/mixed_explicit_implicit.hpp"
#include "pleat/linalg/cg.hpp"
#include "pleat/linalg/cholesky.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <memory>

namespace pleat {
namespace {

using cloths::Cloth;
using cloths::MeshKind;

struct Entry {
    std::string name;
    std::function<std::unique_ptr<Integrator>()> make;
    double error; // that its solver may leave in a step, relative
};

std::vector<Entry> entries()
{
    const auto backward = [](int iterations, auto make_solver) {
        return [=]() -> std::unique_ptr<Integrator> {
            BackwardEulerOptions o;
            o.newton_iterations = iterations;
            return std::make_unique<IntegratorBackwardEuler>(o, make_solver());
        };
    };
    const auto mixed = [](MixedOptions::Variant variant) {
        return [=]() -> std::unique_ptr<Integrator> {
            MixedOptions o;
            o.variant = variant;
            return std::make_unique<IntegratorMixedExplicitImplicit>(o);
        };
    };
    const auto cg = [](double tolerance) {
        return [=] {
            CgOptions o;
            o.tolerance = tolerance;
            return std::make_unique<LinearSolverCg>(o);
        };
    };
    const auto cholesky = [] { return std::make_unique<LinearSolverCholesky>(); };
    // A residual of 1e-5 leaves up to 0.3 % in the change of velocity; the tight one shows that it
    // is the tolerance and nothing else.
    return {{"backward_euler_cg", backward(1, cg(CgOptions{}.tolerance)), 3e-3},
            {"backward_euler_cg_tight", backward(1, cg(1e-10)), 1e-7},
            {"backward_euler_cholesky", backward(1, cholesky), 1e-9},
            {"backward_euler_newton", backward(6, cholesky), 1e-7},
            {"mixed_monotone", mixed(MixedOptions::Variant::monotone), 1e-7},
            {"mixed_leapfrog", mixed(MixedOptions::Variant::leapfrog_trapezoid), 1e-7}};
}

class Contract : public testing::TestWithParam<std::size_t> {
protected:
    Entry entry = entries()[GetParam()];
    std::unique_ptr<Integrator> integrator = entry.make();

    [[nodiscard]] static Cloth cloth(const Material& m)
    {
        return cloths::make_cloth(cloths::rectangle(MeshKind::random, 0.3, 0.2, 0.03), m);
    }
    void run(const Cloth& c, State& s, const Loads& loads, double dt, int steps)
    {
        State next;
        for (int i = 0; i < steps; ++i) {
            const SolveReport r = integrator->advance(c.model, s, loads, {}, dt, next);
            ASSERT_TRUE(r.ok) << r.trouble;
            s = next;
        }
    }
};

double largest_difference(const State& a, const State& b)
{
    double d = 0;
    for (NodeId n : a.x.ids()) d = std::max(d, norm(a.x[n] - b.x[n]));
    return d;
}

TEST_P(Contract, rest_stays_at_rest)
{
    for (const Material& m : cloths::one_of_each_law()) {
        Cloth c = cloth(m);
        State s = c.state;
        integrator->mesh_changed();
        run(c, s, {}, 0.005, 20);
        EXPECT_LT(largest_difference(s, c.state), 1e-12) << m.name;
    }
}

TEST_P(Contract, free_fall_is_exact)
{
    for (Material m : cloths::one_of_each_law()) {
        m.damping = 0.01;
        Cloth c = cloth(m);
        // Tilted, moving, in mid-air.
        for (Vec3& p : c.state.x) p = {0.8 * p[0] + 0.3, p[1] - 0.7, 0.6 * p[0] + 2};
        const Vec3 v0{1.5, -0.3, 2.0};
        for (Vec3& v : c.state.v) v = v0;
        State s = c.state;
        Loads loads;
        loads.gravity = {0, 0, -9.8};
        integrator->mesh_changed();
        const double dt = 0.005;
        const int steps = 20;
        run(c, s, loads, dt, steps);
        const double time = dt * steps;
        const bool backward = entry.name.starts_with("backward");
        // Backward Euler sums end velocities: t (t + dt) / 2 and not t^2 / 2.
        const double fallen = backward ? 0.5 * time * (time + dt) : 0.5 * time * time;
        double worst_x = 0, worst_v = 0;
        for (NodeId n : s.x.ids()) {
            worst_v = std::max(worst_v, norm(s.v[n] - (v0 + time * loads.gravity)));
            worst_x = std::max(worst_x,
                               norm(s.x[n] - (c.state.x[n] + time * v0 + fallen * loads.gravity)));
        }
        EXPECT_LT(worst_x, 1e-9) << m.name;
        EXPECT_LT(worst_v, 1e-9) << m.name;
    }
}

TEST_P(Contract, linear_momentum_is_kept)
{
    Material m = cloths::fabric("gray-interlock");
    m.damping = 0.005;
    Cloth c = cloth(m);
    State s = c.state;
    cloths::shake(s, 0.004, 3);
    for (NodeId n : s.v.ids()) s.v[n] = {std::sin(index(n) * 1.3), std::cos(index(n) * 0.7), 0.2};
    const Vec3 before = linear_momentum(c.model, s);
    double size = 0;
    for (NodeId n : s.v.ids()) size += c.model.mass[n] * norm(s.v[n]);
    run(c, s, {}, 0.002, 10);
    EXPECT_LT(norm(linear_momentum(c.model, s) - before), 1e-8 * size);
}

TEST_P(Contract, moves_and_turns_with_its_surroundings)
{
    Material m = cloths::fabric("11oz-black-denim");
    m.damping = 0.002;
    Cloth c = cloth(m);
    State a = c.state;
    cloths::shake(a, 0.002, 4);
    Loads loads_a;
    loads_a.gravity = {0, 0, -9.8};
    loads_a.springs.push_back({NodeId{5}, a.x[NodeId{5}], 10});
    const Pin pin_a{NodeId{0}, a.x[NodeId{0}] + Vec3{0, 0, 0.0005}, Vec3{0, 0, 0.1}};
    loads_a.pins.push_back(pin_a);
    const double t = 0.9;
    const auto turn = [&](const Vec3& p) {
        return Vec3{std::cos(t) * p[0] - std::sin(t) * p[2], p[1],
                    std::sin(t) * p[0] + std::cos(t) * p[2]};
    };
    const Vec3 shift{0.4, -0.2, 0.7};
    State b = a;
    for (Vec3& p : b.x) p = turn(p) + shift;
    Loads loads_b = loads_a;
    loads_b.gravity = turn(loads_a.gravity);
    loads_b.springs[0].target = turn(loads_a.springs[0].target) + shift;
    loads_b.pins[0] = {NodeId{0}, turn(pin_a.x_t1) + shift, turn(pin_a.v_t1)};
    const State a0 = a;
    run(c, a, loads_a, 0.005, 5);
    integrator->mesh_changed();
    run(c, b, loads_b, 0.005, 5);
    const double moved = largest_difference(a, a0);
    ASSERT_GT(moved, 1e-4);
    for (Vec3& p : a.x) p = turn(p) + shift;
    EXPECT_LT(largest_difference(a, b), entry.error * moved);
}

TEST_P(Contract, gives_the_same_bits_twice_and_for_any_thread_count)
{
    Material m = cloths::fabric("gray-interlock");
    m.damping = 0.002;
    Cloth c = cloths::make_cloth(cloths::rectangle(MeshKind::structured, 0.6, 0.6, 0.02), m);
    Loads loads;
    loads.gravity = {0, 0, -9.8};
    loads.pins.push_back({NodeId{0}, c.state.x[NodeId{0}], {}});
    Contacts contacts;
    for (std::uint32_t i = 200; i < 400; ++i) {
        Proximity p;
        p.nodes[0] = NodeId{i};
        p.weights[0] = 1;
        p.normal = {0, 0, 1};
        p.anchor_t0 = p.anchor_t1 = {0, 0, 0.004};
        p.thickness = 0.005;
        p.stiffness = 50;
        p.friction = 0.3;
        contacts.proximities.push_back(p);
    }
    cloths::shake(c.state, 0.001, 8);
    std::vector<State> results;
    for (int threads : {1, 1, 2, 4}) {
        const std::unique_ptr<Integrator> fresh = entry.make();
        State s = c.state, next;
        Threads(threads).run([&] {
            for (int i = 0; i < 3; ++i) {
                ASSERT_TRUE(fresh->advance(c.model, s, loads, contacts, 0.004, next).ok);
                s = next;
            }
        });
        results.push_back(s);
    }
    for (const State& s : results) EXPECT_EQ(s, results[0]);
    EXPECT_GT(largest_difference(results[0], c.state), 1e-6);
}

TEST_P(Contract, pins_end_where_they_are_told_to_the_bit)
{
    Cloth c = cloth(cloths::fabric("gray-interlock"));
    State s = c.state, next;
    Loads loads;
    loads.gravity = {0, 0, -9.8};
    const Vec3 target = s.x[NodeId{3}] + Vec3{1e-4 / 3, 7e-4 / 9, 1e-3 / 7};
    const Vec3 velocity{0.1, 0.2, 0.3};
    loads.pins.push_back({NodeId{3}, target, velocity});
    ASSERT_TRUE(integrator->advance(c.model, s, loads, {}, 0.005, next).ok);
    EXPECT_EQ(next.x[NodeId{3}], target);
    EXPECT_EQ(next.v[NodeId{3}], velocity);
}

TEST_P(Contract, elastic_and_kinetic_energy_do_not_grow)
{
    for (Material m : cloths::one_of_each_law()) {
        m.damping = 0.02;
        Cloth c = cloth(m);
        State s = c.state;
        cloths::shake(s, 0.003, 6);
        const double before = elastic_energy(c.model, s);
        integrator->mesh_changed();
        run(c, s, {}, 0.005, 40);
        const double after = elastic_energy(c.model, s) + kinetic_energy(c.model, s);
        EXPECT_LT(after, before) << m.name;
    }
}

INSTANTIATE_TEST_SUITE_P(Integrators, Contract, testing::Range<std::size_t>(0, 6),
                         [](const auto& parameter) { return entries()[parameter.param].name; });

} // namespace
} // namespace pleat
