// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/integrators/mixed_explicit_implicit.hpp"

#include "energies/cloths.hpp"
#include "pleat/energies/elastic_batch.hpp"

#include <gtest/gtest.h>

#include <cmath>

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
    // A small sheet that rings freely, undamped.
    Cloth c = cloths::make_cloth(cloths::rectangle(MeshKind::structured, 0.1, 0.08, 0.02),
                                 cloths::isotropic_sheet(0.2, 1e-3, 5e4, 0.3));
    for (Vec3& p : c.state.x) p = {1.03 * p[0], 0.98 * p[1] + 0.02 * p[0], 0};
    const double before = elastic_energy(c.model, c.state);
    for (Variant v : {Variant::monotone, Variant::leapfrog_trapezoid}) {
        const State s = run(c, c.state, {}, v, 0.01, 1000);
        const double after = elastic_energy(c.model, s) + kinetic_energy(c.model, s);
        EXPECT_NEAR(after, before, 0.02 * before);
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

} // namespace
} // namespace pleat
