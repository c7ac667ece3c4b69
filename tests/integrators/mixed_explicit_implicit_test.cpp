// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/integrators/mixed_explicit_implicit.hpp"

#include "energies/cloths.hpp"
#include "pleat/energies/elastic_batch.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <tuple>
#include <vector>

namespace pleat {
namespace {

using cloths::Cloth;
using cloths::MeshKind;
using Variant = MixedOptions::Variant;

State run(const Cloth& c, State s, const Loads& loads, Variant variant, double dt, int steps,
          int* inner = nullptr)
{
    MixedOptions o;
    o.variant = variant;
    IntegratorMixedExplicitImplicit integrator(o);
    State next;
    for (int i = 0; i < steps; ++i) {
        const SolveReport r = integrator.advance(c.model, s, loads, {}, dt, next);
        EXPECT_TRUE(r.ok) << r.trouble;
        if (inner != nullptr) *inner = std::max(*inner, r.inner_steps);
        s = next;
    }
    return s;
}

TEST(MixedExplicitImplicit, says_its_stable_step_and_cuts_longer_ones)
{
    Cloth c = cloths::make_cloth(cloths::rectangle(MeshKind::structured, 0.2, 0.2, 0.02),
                                 cloths::isotropic_sheet(0.2, 1e-3, 2e5, 0.3));
    IntegratorMixedExplicitImplicit integrator;
    State next;
    const SolveReport r = integrator.advance(c.model, c.state, {}, {}, 0.01, next);
    ASSERT_TRUE(r.ok);
    // O(dx sqrt(rho / k)): 0.02 sqrt(0.2 / 200) = 6e-4, less what triangles and Gershgorin take.
    EXPECT_LT(r.dt_stable, 6.4e-4);
    EXPECT_GT(r.dt_stable, 1.2e-4);
    EXPECT_EQ(r.inner_steps, static_cast<int>(std::ceil(0.01 / r.dt_stable)));
}

TEST(MixedExplicitImplicit, energy_drifts_little_over_ten_seconds)
{
    // A small sheet that rings freely, undamped. The energy of such a method wobbles about a
    // constant: its mean over the first and the last second is compared.
    Cloth c = cloths::make_cloth(cloths::rectangle(MeshKind::structured, 0.1, 0.08, 0.02),
                                 cloths::isotropic_sheet(0.2, 1e-3, 5e4, 0.3));
    for (Vec3& p : c.state.x) p = {1.03 * p[0], 0.98 * p[1] + 0.02 * p[0], 0};
    // Near the bound the fastest modes count for more than they have; at half of it they do not.
    for (const auto& [v, safety, drift] :
         {std::tuple{Variant::monotone, 0.9, 0.06}, std::tuple{Variant::monotone, 0.45, 0.005},
          std::tuple{Variant::leapfrog_trapezoid, 0.45, 0.005}}) {
        MixedOptions o;
        o.variant = v;
        o.safety = safety;
        IntegratorMixedExplicitImplicit integrator(o);
        State s = c.state, next;
        double first = 0, last = 0;
        for (int i = 0; i < 1000; ++i) {
            ASSERT_TRUE(integrator.advance(c.model, s, {}, {}, 0.01, next).ok);
            s = next;
            const double e = elastic_energy(c.model, s) + kinetic_energy(c.model, s);
            if (i < 100) first += e / 100;
            if (i >= 900) last += e / 100;
        }
        EXPECT_NEAR(last, first, drift * first);
    }
}

TEST(MixedExplicitImplicit, does_not_blow_up_for_any_damping)
{
    for (double damping : {1e-4, 1e-2, 1.0, 100.0}) {
        Material m = cloths::isotropic_sheet(0.2, 1e-3, 5e4, 0.3);
        m.damping = damping;
        Cloth c = cloths::make_cloth(cloths::rectangle(MeshKind::structured, 0.1, 0.08, 0.02), m);
        cloths::shake(c.state, 0.002, 3);
        const double before = elastic_energy(c.model, c.state);
        for (Variant v : {Variant::monotone, Variant::leapfrog_trapezoid}) {
            const State s = run(c, c.state, {}, v, 0.01, 20);
            EXPECT_LT(elastic_energy(c.model, s) + kinetic_energy(c.model, s), before) << damping;
        }
    }
}

// --- modifications ------------------------------------------------------------------------------

Cloth small_sheet()
{
    Material m = cloths::isotropic_sheet(0.2, 1e-3, 5e4, 0.3);
    m.damping = 1e-3;
    Cloth c = cloths::make_cloth(cloths::rectangle(MeshKind::structured, 0.1, 0.08, 0.02), m);
    cloths::shake(c.state, 0.001, 3);
    return c;
}

class Modified : public testing::TestWithParam<Variant> {
protected:
    Modified()
    {
        MixedOptions o;
        o.variant = GetParam();
        integrator = std::make_unique<IntegratorMixedExplicitImplicit>(o);
    }
    std::unique_ptr<IntegratorMixedExplicitImplicit> integrator;
};

INSTANTIATE_TEST_SUITE_P(Variants, Modified,
                         testing::Values(Variant::monotone, Variant::leapfrog_trapezoid),
                         [](const auto& p) {
                             return p.param == Variant::monotone ? "monotone" : "leapfrog";
                         });

TEST_P(Modified, has_the_same_bits_where_nothing_is_modified)
{
    // And so the same order of accuracy (physics_test.cpp).
    const Cloth c = small_sheet();
    Loads loads;
    loads.gravity = {0, 0, -9.8};
    const double dt = 1e-4;
    State plain = c.state, modified = c.state, next;
    for (int i = 0; i < 10; ++i) {
        ASSERT_TRUE(integrator->advance(c.model, plain, loads, {}, dt, next).ok);
        plain = next;
        const SolveReport r = integrator->advance_modified(
            c.model, modified, loads, {}, [](ModifyAt, const State&, State&) { return true; }, dt,
            next);
        ASSERT_TRUE(r.ok);
        EXPECT_TRUE(r.modified);
        modified = next;
    }
    EXPECT_EQ(modified, plain);
}

TEST_P(Modified, modifies_velocities_before_positions_and_at_the_end)
{
    const Cloth c = small_sheet();
    const double dt = 1e-4;
    const Vec3 shift{0, 0, 3e-5}, kick{0, 0.5, 0};
    std::vector<ModifyAt> calls;
    State from_first, from_last, next, plain;
    const auto modify = [&](ModifyAt at, const State& from, State& moved) {
        calls.push_back(at);
        for (NodeId n : moved.x.ids())
            EXPECT_LT(norm(moved.x[n] - from.x[n] - dt * moved.v[n]), 1e-15);
        (at == ModifyAt::end ? from_last : from_first) = from;
        for (Vec3& x : moved.x) x += at == ModifyAt::end ? dt * kick : shift;
        for (Vec3& v : moved.v) v += at == ModifyAt::end ? kick : shift / dt;
        return true;
    };
    ASSERT_TRUE(integrator->advance(c.model, c.state, {}, {}, dt, plain).ok);
    ASSERT_TRUE(integrator->advance_modified(c.model, c.state, {}, {}, modify, dt, next).ok);
    EXPECT_EQ(calls, (std::vector{ModifyAt::before_positions, ModifyAt::end}));
    EXPECT_EQ(from_first, c.state);
    for (NodeId n : next.x.ids()) {
        // All nodes alike: neither forces nor the other velocities change.
        EXPECT_EQ(from_last.x[n], next.x[n]);
        EXPECT_LT(norm(next.x[n] - plain.x[n] - shift), 1e-12);
        EXPECT_LT(norm(next.v[n] - plain.v[n] - kick), 1e-6);
    }
}

TEST_P(Modified, refuses_what_is_refused_and_what_is_too_long)
{
    const Cloth c = small_sheet();
    State next;
    const auto refuse = [](ModifyAt, const State&, State&) { return false; };
    EXPECT_FALSE(integrator->advance_modified(c.model, c.state, {}, {}, refuse, 1e-4, next).ok);
    int calls = 0;
    const auto count = [&](ModifyAt, const State&, State&) { return ++calls > 0; };
    const SolveReport r = integrator->advance_modified(c.model, c.state, {}, {}, count, 0.02, next);
    EXPECT_FALSE(r.ok) << "the caller is to cut it, and to find contacts for each step";
    EXPECT_EQ(calls, 0);
    EXPECT_GT(r.dt_stable, 1e-4);
    EXPECT_LT(r.dt_stable, 0.02);
}

} // namespace
} // namespace pleat
