// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Limits and impacts in turn: impacts stretch what the limiter had put inside its limits, by parts
// that do so on purpose.
#include "pleat/sim/step.hpp"

#include "mesh/zoo.hpp"
#include "sim/model_of.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <span>
#include <vector>

namespace pleat {
namespace {

/// A corner pulled out of the cloth, so that a face is stretched.
Vec3 pulled_out(std::span<const Vec3> flat, double stretch)
{
    return flat.front() + stretch * normalized(flat.front() - flat[flat.size() / 2]);
}

/// Puts the cloth back to where it was flat and at rest.
struct RestoringLimiter final : StrainLimiter {
    std::vector<Vec3> flat;
    std::vector<std::size_t> floors; // contacts known at each call
    double leaves = 0;               // stretch of a corner that it says nothing of
    LimitReport limit(const Model&, const Loads&, const Contacts& contacts, double,
                      State& next) override
    {
        next.x.values = flat;
        if (leaves != 0) next.x.values.front() = pulled_out(flat, leaves);
        floors.push_back(contacts.proximities.size());
        return {};
    }
};

/// Pulls a corner out and calls it an impact.
struct StretchingResolver final : ImpactResolver {
    std::function<double(int call, double dt)> stretch; // of the corner's edges
    int calls = 0;
    ImpactReport resolve(const Model&, const State& in, const Loads&, const World&,
                         std::span<const ObstacleSample>, double dt, bool, State& next) override
    {
        ImpactReport r;
        const double s = stretch(calls++, dt);
        if (s == 0) return r;
        next.x.values.front() = pulled_out(in.x.values, s);
        r.impacts = 1;
        r.kept_apart.resize(1);
        return r;
    }
};

struct Relimit : testing::Test {
    Simulation sim = simulation_of(zoo::grid(2, 2, 2, 2), "gray-interlock"); // edges of 1 m
    World world;
    Pipeline pipeline = default_pipeline();
    RestoringLimiter* limiter = nullptr;
    StretchingResolver* resolver = nullptr;

    Relimit()
    {
        world.gravity = {};
        sim.model.materials[0].strain_limits = StrainLimits{-0.05, 0.05};
        auto l = std::make_unique<RestoringLimiter>();
        auto r = std::make_unique<StretchingResolver>();
        l->flat = sim.state.x.values;
        limiter = l.get();
        resolver = r.get();
        pipeline.strain_limiter = std::move(l);
        pipeline.impact_resolver = std::move(r);
    }
    [[nodiscard]] double beyond() const
    {
        return check_limits(sim.model, sim.state.x.values).worst_violation;
    }
};

TEST_F(Relimit, goes_on_after_a_round_that_ends_worse)
{
    const std::vector<double> stretches{0.5, 0.8, 0.6, 0};
    resolver->stretch = [&](int call, double) { return stretches[std::size_t(call)]; };
    const StepReport r = step(world, pipeline, sim, 0.005);
    ASSERT_TRUE(r.accepted()) << r.trouble();
    EXPECT_EQ(resolver->calls, 4);
    EXPECT_LT(r.limits_after.worst_violation, 1e-6);
    EXPECT_LT(beyond(), 1e-6);
    // Each round knows what all rounds before it met.
    EXPECT_EQ(limiter->floors, (std::vector<std::size_t>{0, 1, 2, 3}));
}

TEST_F(Relimit, keeps_the_best_round)
{
    resolver->stretch = [](int call, double) { return call == 2 ? 0.06 : 0.4; };
    const StepReport r = step(world, pipeline, sim, 0.005);
    ASSERT_TRUE(r.accepted()) << r.trouble();
    EXPECT_GT(resolver->calls, 4);
    EXPECT_LT(beyond(), 0.02);
    EXPECT_DOUBLE_EQ(r.limits_after.worst_violation, beyond());
}

TEST_F(Relimit, a_step_that_impacts_leave_far_outside_its_limits_is_tried_with_half_of_dt)
{
    resolver->stretch = [](int, double dt) { return dt > 0.004 ? 0.5 : 0; };
    const std::vector<Vec3> before = sim.state.x.values;
    const StepReport r = step(world, pipeline, sim, 0.005);
    EXPECT_FALSE(r.accepted());
    EXPECT_EQ(r.trouble(), "impacts leave faces far outside their strain limits");
    EXPECT_EQ(sim.state.x.values, before);
    const AdvanceReport a = advance(world, pipeline, sim, 0.005);
    EXPECT_TRUE(a.ok);
    EXPECT_EQ(a.rejected, 1);
    EXPECT_EQ(a.steps, 2);
    EXPECT_LT(beyond(), 1e-6);
}

TEST_F(Relimit, what_no_dt_mends_is_accepted_and_counted)
{
    resolver->stretch = [](int, double) { return 0.5; };
    const AdvanceReport a = advance(world, pipeline, sim, 0.005);
    EXPECT_TRUE(a.ok);
    EXPECT_EQ(a.steps, 1 << max_impact_halvings);
    EXPECT_GT(a.limits_after.worst_violation, 0.1);
    EXPECT_GT(a.limits_after.faces_outside, 0u);
}

TEST_F(Relimit, a_step_is_not_tried_again_for_what_the_limiter_itself_could_not_do)
{
    limiter->leaves = 0.4;
    resolver->stretch = [](int, double) { return 0.5; };
    const AdvanceReport a = advance(world, pipeline, sim, 0.005);
    EXPECT_TRUE(a.ok);
    EXPECT_EQ(a.rejected, 0);
    EXPECT_EQ(a.steps, 1);
}

} // namespace
} // namespace pleat
