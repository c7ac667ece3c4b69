// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/core/parallel.hpp"
#include "pleat/mesh/validate.hpp"
#include "pleat/scene/load_scene.hpp"
#include "pleat/sim/adapt.hpp"
#include "pleat/sim/run.hpp"
#include "pleat/sim/step.hpp"

#include "mesh/zoo.hpp"
#include "sim/model_of.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <thread>

namespace pleat {
namespace {

using testing::HasSubstr;

/// Keeps what it is given.
struct Recorder final : FrameSink {
    std::vector<int> numbers;
    std::vector<std::vector<Vec3>> x;
    bool finished = false;
    void write(const Frame& f) override
    {
        numbers.push_back(f.number);
        x.emplace_back(f.meshes[0].x.begin(), f.meshes[0].x.end());
    }
    void finish() override { finished = true; }
};

/// Refuses steps longer than `longest`, otherwise moves everything by dt along x.
struct FussyIntegrator final : Integrator {
    double longest = 0;
    int calls = 0, told = 0;
    SolveReport advance(const Model&, const State& in, const Loads&, const Contacts&, double dt,
                        State& out) override
    {
        ++calls;
        out.x = in.x;
        out.v = in.v;
        for (Vec3& p : out.x) p[0] += dt;
        SolveReport r;
        r.ok = dt <= longest;
        if (!r.ok) r.trouble = "dt is too long for me";
        return r;
    }
    void mesh_changed() override { ++told; }
};

/// Puts a NaN into the state.
struct NanIntegrator final : Integrator {
    SolveReport advance(const Model&, const State& in, const Loads&, const Contacts&, double,
                        State& out) override
    {
        out.x = in.x;
        out.v = in.v;
        out.x.values[0][1] = std::numeric_limits<double>::quiet_NaN();
        return {};
    }
};

/// Says that it changed the mesh.
struct ChangingRemesher final : Remesher {
    RemeshReport remesh(const World&, double, Model&, State&) override { return {.changed = true}; }
};

TEST(FreeFall, of_two_panels_with_a_seam_is_exact)
{
    // Backward Euler gives x = x0 + g dt^2 n (n + 1) / 2 after n steps, to the last bits.
    const std::string scene_file = std::string(PLEAT_SOURCE_DIR) + "/scenes/seam/scene.json";
    const SceneDescription description = read_scene_file(scene_file);
    Scene scene = load_scene(description);
    Pipeline pipeline = make_pipeline(description);
    Simulation& sim = scene.start;
    const State start = sim.state;
    const double mass = total_mass(sim.model);
    EXPECT_NEAR(mass, 0.5 * 0.324, 1e-12); // half a square metre of denim

    const double dt = 1 / (scene.settings.fps * scene.settings.substeps);
    const int steps = scene.settings.frames * scene.settings.substeps;
    for (int n = 1; n <= steps; ++n) {
        const StepReport r = step(scene.world, pipeline, sim, dt);
        ASSERT_TRUE(r.accepted()) << r.trouble();
        const double drop = -9.8 * dt * dt * n * (n + 1) / 2;
        for (NodeId i : sim.state.x.ids()) {
            ASSERT_NEAR(sim.state.x[i][0], start.x[i][0], 1e-9);
            ASSERT_NEAR(sim.state.x[i][1], start.x[i][1], 1e-9);
            ASSERT_NEAR(sim.state.x[i][2], drop, 1e-9 * (1 - drop));
        }
    }
    EXPECT_NEAR(sim.time, 2.0, 1e-12);
    const Vec3 p = linear_momentum(sim.model, sim.state);
    EXPECT_NEAR(p[0], 0, 1e-12);
    EXPECT_NEAR(p[1], 0, 1e-12);
    EXPECT_NEAR(p[2], -9.8 * 2.0 * mass, 1e-9);
    EXPECT_EQ(total_mass(sim.model), mass);
    // The seam is closed because its two sides share their nodes; they still do.
    std::size_t seams = 0;
    for (EdgeId e : sim.model.mesh.edges()) seams += sim.model.mesh.is_seam(e);
    EXPECT_EQ(seams, 8u);
    EXPECT_TRUE(validate(sim.model.mesh).empty());
}

TEST(Step, leaves_the_simulation_untouched_when_it_is_rejected)
{
    Simulation sim = simulation_of(zoo::grid(3, 3));
    const State before = sim.state;
    Pipeline p;
    p.integrator = std::make_unique<NanIntegrator>();
    const StepReport r = step({}, p, sim, 0.01);
    EXPECT_FALSE(r.accepted());
    EXPECT_THAT(r.trouble(), HasSubstr("not finite"));
    EXPECT_EQ(sim.state, before);
    EXPECT_EQ(sim.time, 0);
}

TEST(Advance, halves_dt_until_the_step_is_accepted)
{
    Simulation sim = simulation_of(zoo::grid(2, 2));
    Pipeline p;
    auto fussy = std::make_unique<FussyIntegrator>();
    fussy->longest = 0.003;
    FussyIntegrator& integrator = *fussy;
    p.integrator = std::move(fussy);
    const double x0 = sim.state.x.values[0][0];
    const AdvanceReport r = advance({}, p, sim, 0.01);
    EXPECT_TRUE(r.ok);
    EXPECT_EQ(r.steps, 4);    // of 2.5 ms
    EXPECT_EQ(r.rejected, 3); // 10, 5 and 5 ms
    EXPECT_EQ(integrator.calls, 7);
    EXPECT_NEAR(sim.state.x.values[0][0] - x0, 0.01, 1e-15);
    EXPECT_NEAR(sim.time, 0.01, 1e-15);
}

TEST(Run, logs_steps_that_had_to_be_tried_again)
{
    Simulation sim = simulation_of(zoo::grid(2, 2));
    Pipeline p;
    auto fussy = std::make_unique<FussyIntegrator>();
    fussy->longest = 0.003;
    p.integrator = std::move(fussy);
    std::vector<std::string> said;
    RunHooks hooks;
    hooks.log = [&](LogLevel, std::string_view text) { said.emplace_back(text); };
    EXPECT_EQ(run({}, p, sim, {.substeps = 8, .frames = 1}, {}, hooks).end, RunEnd::finished);
    ASSERT_EQ(said.size(), 8u);
    EXPECT_THAT(said[2],
                HasSubstr("frame 1, step 3: retried in 2 smaller steps, because integration: "
                          "dt is too long for me"));
}

TEST(Advance, gives_up_with_the_reason_and_the_last_good_state)
{
    Simulation sim = simulation_of(zoo::grid(2, 2));
    const State before = sim.state;
    Pipeline p;
    p.integrator = std::make_unique<FussyIntegrator>();
    const AdvanceReport r = advance({}, p, sim, 0.01);
    EXPECT_FALSE(r.ok);
    EXPECT_THAT(r.trouble, HasSubstr("dt is too long for me"));
    EXPECT_EQ(r.rejected, max_halvings + 1);
    EXPECT_EQ(sim.state, before);

    Recorder sink;
    FrameSink* sinks[] = {&sink};
    const RunReport run_report = run({}, p, sim, {.frames = 3}, sinks);
    EXPECT_EQ(run_report.end, RunEnd::gave_up);
    EXPECT_THAT(run_report.trouble, HasSubstr("frame 1, step 1"));
    EXPECT_EQ(sink.numbers, std::vector<int>{0}) << "the start is written, nothing broken is";
}

TEST(Adapt, tells_the_parts_when_the_mesh_changed)
{
    Simulation sim = simulation_of(zoo::grid(2, 2));
    Pipeline p;
    auto owned = std::make_unique<FussyIntegrator>();
    FussyIntegrator& integrator = *owned;
    p.integrator = std::move(owned);
    adapt({}, p, sim);
    EXPECT_EQ(integrator.told, 0);
    p.remesher = std::make_unique<ChangingRemesher>();
    adapt({}, p, sim);
    EXPECT_EQ(integrator.told, 1);
}

TEST(Run, writes_the_start_and_every_frame_then_finishes)
{
    Simulation sim = simulation_of(zoo::grid(2, 2));
    Pipeline p = default_pipeline();
    World world;
    world.gravity = {0, 0, -9.8};
    Recorder sink;
    FrameSink* sinks[] = {&sink};
    int frames_told = 0, steps_told = 0;
    RunHooks hooks;
    hooks.on_frame = [&](const FrameStats& s) {
        EXPECT_EQ(s.frame, frames_told++);
        EXPECT_EQ(s.faces, 8u);
        EXPECT_EQ(s.audit.intersections, 0u);
    };
    hooks.on_step = [&](int, int) { ++steps_told; };
    const RunReport r = run(world, p, sim, {.fps = 25, .substeps = 4, .frames = 5}, sinks, hooks);
    EXPECT_EQ(r.end, RunEnd::finished);
    EXPECT_EQ(sink.numbers, (std::vector<int>{0, 1, 2, 3, 4, 5}));
    EXPECT_TRUE(sink.finished);
    EXPECT_EQ(steps_told, 20);
    EXPECT_EQ(sim.time, 0.2);
}

TEST(Run, stops_after_the_step_when_asked)
{
    Simulation sim = simulation_of(zoo::grid(2, 2));
    Pipeline p = default_pipeline();
    std::atomic<bool> stop{false};
    RunHooks hooks;
    hooks.stop = &stop;
    hooks.on_step = [&](int frame, int step) { stop = frame == 2 && step == 3; };
    Recorder sink;
    FrameSink* sinks[] = {&sink};
    const RunReport r = run({}, p, sim, {.substeps = 4, .frames = 50}, sinks, hooks);
    EXPECT_EQ(r.end, RunEnd::stopped);
    EXPECT_EQ(sink.numbers, (std::vector<int>{0, 1}));
}

/// A sheet held at two corners, swinging; the hash of where it ends.
std::uint64_t swing(int cells, int threads)
{
    Simulation sim = simulation_of(zoo::grid(cells, cells), "gray-interlock");
    World world;
    world.gravity = {0, 0, -9.8};
    world.handles.resize(1);
    sim.model.node_handles.values[0] = 1;
    sim.model.node_handles.values[std::size_t(cells)] = 1;
    Pipeline p = default_pipeline();
    std::uint64_t hash = 0;
    Threads(threads).run([&] {
        const RunReport r = run(world, p, sim, {.frames = 5}, {});
        EXPECT_EQ(r.end, RunEnd::finished);
        hash = state_hash(sim.model, sim.state);
    });
    return hash;
}

TEST(Run, two_simulations_at_once_do_not_disturb_each_other)
{
    const std::uint64_t alone_a = swing(20, 2), alone_b = swing(24, 1);
    std::uint64_t a = 0, b = 0;
    std::thread one([&] { a = swing(20, 2); });
    std::thread two([&] { b = swing(24, 1); });
    one.join();
    two.join();
    EXPECT_EQ(a, alone_a);
    EXPECT_EQ(b, alone_b);
}

TEST(Run, has_the_same_bits_for_any_thread_count)
{
    const std::uint64_t one = swing(32, 1);
    for (int threads : {2, 8}) EXPECT_EQ(swing(32, threads), one) << threads;
}

} // namespace
} // namespace pleat
