// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/sim/run.hpp"

#include "pleat/energies/elastic_batch.hpp"
#include "pleat/sim/adapt.hpp"
#include "pleat/sim/appearing.hpp"
#include "pleat/sim/frames.hpp"
#include "pleat/sim/step.hpp"

#include <algorithm>
#include <utility>

namespace pleat {

namespace {

void add(FrameStats& stats, const AdvanceReport& r)
{
    stats.steps += r.steps;
    stats.rejected += r.rejected;
    stats.times += r.times;
    stats.proximities = std::max(stats.proximities, r.proximities);
    stats.impacts += r.impacts;
    stats.linear_iterations += r.linear_iterations;
    stats.limit_violation = std::max(stats.limit_violation, r.worst_limit_violation);
    stats.limit_violation_after =
        std::max(stats.limit_violation_after, r.limits_after.worst_violation);
    stats.faces_outside = std::max(stats.faces_outside, r.limits_after.faces_outside);
    stats.rigid_zones += r.rigid_zones;
    stats.pinched = std::max(stats.pinched, r.pinched);
    stats.unresolved += r.unresolved;
}

/// Writes the frame, audits what was written, and tells the hooks.
void finish_frame(const World& world, const Simulation& sim, const RunSettings& settings,
                  std::span<FrameSink* const> sinks, const RunHooks& hooks, const Stopwatch& watch,
                  FrameStats& stats, RunReport& report)
{
    const std::vector<ObjectMesh> meshes = object_meshes(world, sim);
    {
        const StageTimer timer(stats.times, Stage::write);
        const Frame frame = frame_of(meshes, sim.frame, sim.time);
        for (FrameSink* sink : sinks) sink->write(frame);
    }
    stats.frame = sim.frame;
    stats.time = sim.time;
    stats.nodes = sim.model.mesh.node_count();
    stats.faces = sim.model.mesh.face_count();
    stats.audit = audit(meshes, settings.gap_reach);
    stats.kinetic = kinetic_energy(sim.model, sim.state);
    stats.elastic = elastic_energy(sim.model, sim.state);
    const LimitCheck limits = check_limits(sim.model, sim.state.x.span(), frame_limit_tolerance);
    stats.frame_excess = limits.worst_violation;
    stats.faces_beyond = limits.faces_outside;
    stats.hash = state_hash(sim.model, sim.state);
    stats.ms_total = watch.ms();
    ++report.frames_written;
    if (stats.audit.intersections > 0) {
        ++report.frames_with_intersections;
        if (report.first_bad_frame < 0) report.first_bad_frame = sim.frame;
    }
    if (hooks.on_frame) hooks.on_frame(stats);
}

/// Keeps the last whole frame, and hands it on where it is due.
class Keeper {
public:
    Keeper(const RunSettings& settings, const RunHooks& hooks) : settings_(settings), hooks_(hooks)
    {}

    void frame_done(const Simulation& sim, const RunReport& report)
    {
        last_ = sim;
        report_ = report;
        kept_ = false;
        const int every = settings_.checkpoint_every;
        if (sim.frame == 0 || (every > 0 && sim.frame % every == 0)) keep();
    }
    /// The frame that another run went on from is kept there.
    void begin_with(const Simulation& sim, const RunReport& report)
    {
        last_ = sim;
        report_ = report;
        kept_ = true;
    }
    void keep()
    {
        if (kept_ || !hooks_.on_checkpoint) return;
        hooks_.on_checkpoint(last_, report_);
        kept_ = true;
    }
    /// Where something else is wrong already.
    void try_to_keep() noexcept
    {
        try {
            keep();
        } catch (...) { // what was wrong first is what the user hears of
        }
    }
    [[nodiscard]] Simulation take() { return std::move(last_); }

private:
    const RunSettings& settings_;
    const RunHooks& hooks_;
    Simulation last_;
    RunReport report_;
    bool kept_ = true;
};

/// Steps and remeshing of one frame. \return why it could not be done; empty: done.
std::string simulate_frame(const World& world, Pipeline& pipeline, Simulation& sim,
                           const RunSettings& settings, const RunHooks& hooks, FrameStats& stats,
                           bool& told_of_inner_steps, bool& stopped)
{
    const double dt = 1.0 / (settings.fps * settings.substeps);
    for (int s = 0; s < settings.substeps; ++s) {
        const std::string where =
            "frame " + std::to_string(sim.frame + 1) + ", step " + std::to_string(s + 1) + ": ";
        for (const CaughtCloth& c : caught_by_appearing(world, sim, dt))
            log(hooks.log, LogLevel::warning,
                where + "obstacle \"" + c.obstacle +
                    "\" appears where the cloth is: " + std::to_string(c.crossings) +
                    " pairs of faces intersect, and contact cannot undo this");
        const AdvanceReport r = advance(world, pipeline, sim, dt);
        add(stats, r);
        if (!r.ok) return where + r.trouble;
        if (r.inner_steps > 1 && !told_of_inner_steps) {
            told_of_inner_steps = true;
            log(hooks.log, LogLevel::note,
                where + "the integrator divides dt into " + std::to_string(r.inner_steps) +
                    " steps, because it is only stable below " +
                    std::to_string(1000 * r.dt_stable) + " ms");
        }
        if (r.rejected > 0)
            log(hooks.log, LogLevel::warning,
                where + "retried in " + std::to_string(r.steps) + " smaller steps, because " +
                    r.trouble);
        const int steps_done = sim.frame * settings.substeps + s + 1;
        if (settings.remesh_every > 0 ? steps_done % settings.remesh_every == 0
                                      : s + 1 == settings.substeps) {
            const AdaptReport adapted = adapt(world, pipeline, sim);
            stats.times += adapted.times;
            stats.remesh += adapted.remesh;
            if (!is_within_bounds(sim.state))
                return where + "remeshing left numbers that are not finite";
        }
        if (hooks.on_step) hooks.on_step(sim.frame + 1, s + 1);
        if (hooks.stop != nullptr && hooks.stop->load()) {
            stopped = true;
            return {};
        }
    }
    return {};
}

} // namespace

RunReport run(const World& world, Pipeline& pipeline, Simulation& sim, const RunSettings& settings,
              std::span<FrameSink* const> sinks, const RunHooks& hooks, const RunReport& so_far)
{
    RunReport report = so_far;
    report.end = RunEnd::finished;
    report.trouble.clear();
    Keeper keeper(settings, hooks);
    if (report.frames_written == 0) {
        const Stopwatch watch;
        FrameStats stats;
        const AdaptReport adapted = adapt(world, pipeline, sim); // a file's mesh need not be one
        stats.times += adapted.times;                            // to start with
        stats.remesh += adapted.remesh;
        finish_frame(world, sim, settings, sinks, hooks, watch, stats, report);
        keeper.frame_done(sim, report);
    } else {
        keeper.begin_with(sim, report);
    }
    bool told_of_inner_steps = false;
    try {
        while (sim.frame < settings.frames) {
            const Stopwatch watch;
            FrameStats stats;
            bool stopped = false;
            report.trouble = simulate_frame(world, pipeline, sim, settings, hooks, stats,
                                            told_of_inner_steps, stopped);
            if (stopped || !report.trouble.empty()) {
                report.end = stopped ? RunEnd::stopped : RunEnd::gave_up;
                keeper.keep();
                sim = keeper.take();
                return report;
            }
            ++sim.frame;
            sim.time = sim.frame / settings.fps; // exact, so that rounding does not pile up
            finish_frame(world, sim, settings, sinks, hooks, watch, stats, report);
            keeper.frame_done(sim, report);
        }
        keeper.keep();
    } catch (...) {
        keeper.try_to_keep();
        sim = keeper.take();
        throw;
    }
    for (FrameSink* sink : sinks) sink->finish();
    return report;
}

} // namespace pleat
