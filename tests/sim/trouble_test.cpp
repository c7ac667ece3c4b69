// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Numerical trouble, injected by parts that fail on purpose: it is reported, tried again, and at
// worst ends the run with the last good frame. No number that is not finite gets out.
#include "pleat/core/error.hpp"
#include "pleat/linalg/cg.hpp"
#include "pleat/linalg/cholesky.hpp"
#include "pleat/sim/run.hpp"

#include "mesh/zoo.hpp"
#include "sim/model_of.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <vector>

namespace pleat {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

/// Whether the call with this number (from 0) is to fail.
using Fails = std::function<bool(int call)>;
Fails at_calls(int first, int count)
{
    return [=](int call) { return call >= first && call < first + count; };
}

/// Gives a real solver a matrix with a block that is not positive.
struct BadBlockSolver final : LinearSolver {
    std::unique_ptr<LinearSolver> real;
    Fails fails;
    int calls = 0;
    BadBlockSolver(std::unique_ptr<LinearSolver> r, Fails f)
        : real(std::move(r)), fails(std::move(f))
    {}
    double tolerance() const override { return real->tolerance(); }
    LinearReport solve(const BlockSystem& a, std::span<const Vec3> b, std::span<Vec3> x) override
    {
        return real->solve(a, b, x);
    }
    LinearReport correct(const BlockSystem& a, std::span<const Vec3> b, double tolerance,
                         std::span<Vec3> x) override
    {
        if (!fails(calls++)) return real->correct(a, b, tolerance, x);
        BlockSystem bad = a;
        bad.blocks_revision = 0;
        bad.own[bad.own.size() / 2] = identity<3>() * -1e6;
        return real->correct(bad, b, tolerance, x);
    }
};

/// Says that it could not factorise, and leaves rubbish behind.
struct FailingSolver final : LinearSolver {
    Fails fails;
    LinearSolverCg real;
    int calls = 0;
    explicit FailingSolver(Fails f) : fails(std::move(f)) {}
    double tolerance() const override { return real.tolerance(); }
    LinearReport solve(const BlockSystem& a, std::span<const Vec3> b, std::span<Vec3> x) override
    {
        return real.solve(a, b, x);
    }
    LinearReport correct(const BlockSystem& a, std::span<const Vec3> b, double tolerance,
                         std::span<Vec3> x) override
    {
        if (!fails(calls++)) return real.correct(a, b, tolerance, x);
        for (Vec3& value : x) value[1] = std::numeric_limits<double>::quiet_NaN();
        LinearReport r;
        r.ok = false;
        r.trouble = "the factorisation failed";
        return r;
    }
};

/// A zone that no impulse solves, however small dt is and however much is insisted.
struct HopelessResolver final : ImpactResolver {
    Fails fails;
    int calls = 0;
    explicit HopelessResolver(Fails f) : fails(std::move(f)) {}
    ImpactReport resolve(const Model&, const State&, const Loads&, const World&,
                         std::span<const ObstacleSample>, double, bool, State&) override
    {
        ImpactReport r;
        r.ok = !fails(calls++);
        if (!r.ok) r.trouble = "a zone has no solution";
        return r;
    }
};

/// A limiter that divides by zero.
struct NanLimiter final : StrainLimiter {
    Fails fails;
    int calls = 0;
    explicit NanLimiter(Fails f) : fails(std::move(f)) {}
    LimitReport limit(const Model&, const Loads&, const Contacts&, double, State& next) override
    {
        if (fails(calls++)) next.v.values.back()[0] = std::numeric_limits<double>::infinity();
        return {};
    }
};

/// A remesher that interpolates outside of the cloth.
struct NanRemesher final : Remesher {
    Fails fails;
    int calls = 0;
    explicit NanRemesher(Fails f) : fails(std::move(f)) {}
    RemeshReport remesh(const World&, double, Model&, State& state) override
    {
        RemeshReport r;
        if (fails(calls++)) {
            state.x.values[0][2] = std::numeric_limits<double>::quiet_NaN();
            r.changed = true;
        }
        return r;
    }
};

/// Looks at every number it is given.
struct FiniteSink final : FrameSink {
    std::vector<int> numbers;
    int refuse = -1; // the frame at which the disk is full
    void write(const Frame& frame) override
    {
        if (frame.number == refuse) throw FileError("frames/x.obj", "No space left on device");
        numbers.push_back(frame.number);
        for (const FrameMesh& m : frame.meshes)
            for (std::size_t i = 0; i < m.x.size(); ++i) {
                EXPECT_TRUE(is_finite(m.x[i]));
                EXPECT_TRUE(is_finite(m.v[i]));
            }
    }
};

/// Five frames of a sheet held by two corners, with one part replaced.
struct Trouble : testing::Test {
    Simulation sim = simulation_of(zoo::grid(6, 6), "gray-interlock");
    World world;
    Pipeline pipeline = default_pipeline();
    FiniteSink sink;
    RunHooks hooks;
    std::vector<std::string> said;
    std::vector<int> kept;

    Trouble()
    {
        world.gravity = {0, 0, -9.8};
        world.handles.resize(1);
        sim.model.node_handles.values[0] = sim.model.node_handles.values[6] = 1;
        hooks.log = [&](LogLevel, std::string_view text) { said.emplace_back(text); };
        hooks.on_checkpoint = [&](const Simulation& s, const RunReport& r) {
            EXPECT_TRUE(is_within_bounds(s.state));
            EXPECT_EQ(r.frames_written, s.frame + 1);
            kept.push_back(s.frame);
        };
    }
    void use(std::unique_ptr<LinearSolver> solver)
    {
        pipeline.integrator =
            std::make_unique<IntegratorBackwardEuler>(BackwardEulerOptions{}, std::move(solver));
    }
    RunReport go()
    {
        FrameSink* sinks[] = {&sink};
        return run(world, pipeline, sim, {.substeps = 4, .frames = 5, .checkpoint_every = 2}, sinks,
                   hooks);
    }
    void expect_recovery(const RunReport& r, const std::string& reason)
    {
        EXPECT_EQ(r.end, RunEnd::finished) << r.trouble;
        EXPECT_THAT(sink.numbers, ElementsAre(0, 1, 2, 3, 4, 5));
        EXPECT_THAT(kept, ElementsAre(0, 2, 4, 5));
        EXPECT_THAT(said, Contains(HasSubstr(reason)));
        EXPECT_THAT(said, Contains(HasSubstr("smaller steps")));
    }
    /// The run ends in frame 4, with frame 3 as the last good one.
    void expect_end(const RunReport& r, const std::string& reason)
    {
        EXPECT_EQ(r.end, RunEnd::gave_up);
        EXPECT_THAT(r.trouble, HasSubstr("frame 4, step"));
        EXPECT_THAT(r.trouble, HasSubstr(reason));
        EXPECT_THAT(sink.numbers, ElementsAre(0, 1, 2, 3));
        EXPECT_THAT(kept, ElementsAre(0, 2, 3));
        EXPECT_EQ(sim.frame, 3);
        EXPECT_EQ(sim.time, 3 / 25.0);
        EXPECT_TRUE(is_within_bounds(sim.state));
    }
};

TEST_F(Trouble, with_a_block_that_is_not_positive_is_overcome_by_smaller_steps)
{
    use(std::make_unique<BadBlockSolver>(std::make_unique<LinearSolverCg>(), at_calls(9, 2)));
    expect_recovery(go(), "integration: ");
}

TEST_F(Trouble, with_a_block_that_is_not_positive_ends_the_run_where_it_stays)
{
    use(std::make_unique<BadBlockSolver>(std::make_unique<LinearSolverCg>(), at_calls(13, 1000)));
    expect_end(go(), "integration: ");
}

TEST_F(Trouble, with_a_block_that_is_not_positive_is_seen_by_the_direct_solver_too)
{
    use(std::make_unique<BadBlockSolver>(std::make_unique<LinearSolverCholesky>(),
                                         at_calls(13, 1000)));
    expect_end(go(), "integration: ");
}

TEST_F(Trouble, with_a_factorisation_is_overcome_by_smaller_steps)
{
    use(std::make_unique<FailingSolver>(at_calls(9, 3)));
    expect_recovery(go(), "the factorisation failed");
}

TEST_F(Trouble, with_a_factorisation_ends_the_run_where_it_stays)
{
    use(std::make_unique<FailingSolver>(at_calls(13, 1000)));
    expect_end(go(), "the factorisation failed");
}

TEST_F(Trouble, with_a_zone_is_overcome_by_smaller_steps)
{
    pipeline.impact_resolver = std::make_unique<HopelessResolver>(at_calls(9, 3));
    expect_recovery(go(), "a zone has no solution");
}

TEST_F(Trouble, with_a_zone_ends_the_run_where_it_stays)
{
    pipeline.impact_resolver = std::make_unique<HopelessResolver>(at_calls(13, 1000));
    expect_end(go(), "impacts: a zone has no solution");
}

TEST_F(Trouble, with_infinite_numbers_of_a_limiter_never_gets_out)
{
    pipeline.strain_limiter = std::make_unique<NanLimiter>(at_calls(9, 2));
    expect_recovery(go(), "not finite");
}

TEST_F(Trouble, with_infinite_numbers_of_a_limiter_ends_the_run_where_it_stays)
{
    pipeline.strain_limiter = std::make_unique<NanLimiter>(at_calls(13, 1000));
    expect_end(go(), "not finite");
}

TEST_F(Trouble, with_absurd_forces_ends_before_contact_works_in_vain)
{
    // Ate the memory: positions of 1e25 m went into the impact stage.
    world.gravity = {0, 0, -1e30};
    pipeline.impact_resolver = std::make_unique<HopelessResolver>(at_calls(0, 0));
    auto* resolver = static_cast<HopelessResolver*>(pipeline.impact_resolver.get());
    const RunReport r = go();
    EXPECT_EQ(r.end, RunEnd::gave_up);
    EXPECT_THAT(r.trouble, HasSubstr("beyond 1e7"));
    EXPECT_EQ(resolver->calls, 0);
    EXPECT_THAT(sink.numbers, ElementsAre(0));
    EXPECT_THAT(kept, ElementsAre(0));
}

TEST_F(Trouble, with_a_remesher_ends_the_run_before_anything_is_written)
{
    pipeline.remesher = std::make_unique<NanRemesher>(at_calls(4, 1)); // frames 0 to 3 are good
    expect_end(go(), "remeshing left numbers that are not finite");
}

TEST_F(Trouble, with_the_disk_keeps_the_last_whole_frame_and_reaches_the_caller)
{
    sink.refuse = 4;
    EXPECT_THROW(static_cast<void>(go()), FileError);
    EXPECT_THAT(sink.numbers, ElementsAre(0, 1, 2, 3));
    EXPECT_THAT(kept, ElementsAre(0, 2, 3)) << "frame 3 was not due, but it is the last";
    EXPECT_EQ(sim.frame, 3);
}

TEST_F(Trouble, with_the_checkpoint_itself_does_not_hide_what_came_first)
{
    sink.refuse = 4;
    hooks.on_checkpoint = [](const Simulation& s, const RunReport&) {
        if (s.frame == 3) throw FileError("checkpoint/00003.pleat", "No space left on device");
    };
    try {
        static_cast<void>(go());
        FAIL();
    } catch (const FileError& error) {
        EXPECT_EQ(error.path(), "frames/x.obj");
    }
}

TEST_F(Trouble, that_ends_a_run_can_be_gone_on_from_with_parts_that_work)
{
    // The run that never had trouble.
    const std::uint64_t expected = [&] {
        Simulation copy = sim;
        Pipeline good = default_pipeline();
        EXPECT_EQ(run(world, good, copy, {.substeps = 4, .frames = 5}, {}).end, RunEnd::finished);
        return state_hash(copy.model, copy.state);
    }();
    pipeline.impact_resolver = std::make_unique<HopelessResolver>(at_calls(13, 1000));
    const RunReport r = go();
    ASSERT_EQ(r.end, RunEnd::gave_up);
    pipeline = default_pipeline();
    FrameSink* sinks[] = {&sink};
    const RunReport on = run(world, pipeline, sim, {.substeps = 4, .frames = 5}, sinks, {}, r);
    EXPECT_EQ(on.end, RunEnd::finished);
    EXPECT_EQ(on.trouble, "");
    EXPECT_EQ(on.frames_written, 6);
    EXPECT_THAT(sink.numbers, ElementsAre(0, 1, 2, 3, 4, 5));
    EXPECT_EQ(state_hash(sim.model, sim.state), expected);
}

} // namespace
} // namespace pleat
