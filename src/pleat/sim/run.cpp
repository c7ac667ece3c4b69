// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/sim/run.hpp"

#include "pleat/energies/elastic_batch.hpp"
#include "pleat/sim/adapt.hpp"
#include "pleat/sim/appearing.hpp"
#include "pleat/sim/frames.hpp"
#include "pleat/sim/step.hpp"

#include <algorithm>
#include <optional>
#include <string>
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
    stats.unsettled += r.unsettled;
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

/// Stores the last complete frame, and writes a checkpoint of it when one is due.
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
        } catch (...) { // the first error is the one that is reported
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

/// Steps and remeshing, a frame at a time.
class FrameSimulation {
public:
    FrameSimulation(const World& world, Pipeline& pipeline, Simulation& sim,
                    const RunSettings& settings, const RunHooks& hooks)
        : world_(world), pipeline_(pipeline), sim_(sim), settings_(settings), hooks_(hooks)
    {}

    /// How a frame ended that is not whole.
    struct End {
        RunEnd end;
        std::string trouble; // of RunEnd::gave_up
    };
    /// \return nothing where the frame is whole
    std::optional<End> simulate_frame(FrameStats& stats)
    {
        for (int s = 0; s < settings_.substeps; ++s) {
            const std::string where = "frame " + std::to_string(sim_.frame + 1) + ", step " +
                                      std::to_string(s + 1) + ": ";
            std::string trouble = advance_step(where, stats);
            if (trouble.empty() && is_remeshed_after(s)) trouble = remesh(where, stats);
            if (!trouble.empty()) return End{RunEnd::gave_up, std::move(trouble)};
            if (hooks_.on_step) hooks_.on_step(sim_.frame + 1, s + 1);
            if (hooks_.stop != nullptr && hooks_.stop->load()) return End{RunEnd::stopped, {}};
        }
        return {};
    }

private:
    /// \return why it could not be done; empty: done
    std::string advance_step(const std::string& where, FrameStats& stats)
    {
        const double dt = 1.0 / (settings_.fps * settings_.substeps);
        for (const CaughtCloth& c : caught_by_appearing(world_, sim_, dt))
            log(hooks_.log, LogLevel::warning,
                where + "obstacle \"" + c.obstacle +
                    "\" appears where the cloth is: " + std::to_string(c.crossings) +
                    " pairs of faces intersect, and contact cannot undo this");
        const AdvanceReport r = advance(world_, pipeline_, sim_, dt);
        add(stats, r);
        if (!r.ok) return where + r.trouble;
        if (r.inner_steps > 1 && !told_of_inner_steps_) {
            told_of_inner_steps_ = true;
            log(hooks_.log, LogLevel::note,
                where + "the integrator divides dt into " + std::to_string(r.inner_steps) +
                    " steps, because it is only stable below " +
                    std::to_string(1000 * r.dt_stable) + " ms");
        }
        if (r.rejected > 0)
            log(hooks_.log, LogLevel::warning,
                where + "retried in " + std::to_string(r.steps) + " smaller steps, because " +
                    r.trouble);
        return {};
    }

    [[nodiscard]] bool is_remeshed_after(int step) const
    {
        const int steps_done = sim_.frame * settings_.substeps + step + 1;
        return settings_.remesh_every > 0 ? steps_done % settings_.remesh_every == 0
                                          : step + 1 == settings_.substeps;
    }

    std::string remesh(const std::string& where, FrameStats& stats)
    {
        const AdaptReport adapted = adapt(world_, pipeline_, sim_);
        stats.times += adapted.times;
        stats.remesh += adapted.remesh;
        return is_within_bounds(sim_.state) ? ""
                                            : where + "remeshing left numbers that are not finite";
    }

    const World& world_;
    Pipeline& pipeline_;
    Simulation& sim_;
    const RunSettings& settings_;
    const RunHooks& hooks_;
    bool told_of_inner_steps_ = false;
};

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
    FrameSimulation frames(world, pipeline, sim, settings, hooks);
    try {
        while (sim.frame < settings.frames) {
            const Stopwatch watch;
            FrameStats stats;
            if (const auto end = frames.simulate_frame(stats)) {
                report.end = end->end;
                report.trouble = end->trouble;
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
