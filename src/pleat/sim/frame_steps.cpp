// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/sim/frame_steps.hpp"

#include "pleat/energies/elastic_batch.hpp"
#include "pleat/sim/adapt.hpp"
#include "pleat/sim/appearing.hpp"
#include "pleat/sim/frames.hpp"
#include "pleat/sim/step.hpp"

#include <algorithm>

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

} // namespace

std::string FrameSteps::advance(int step, FrameStats& stats)
{
    const std::string where =
        "frame " + std::to_string(sim_.frame + 1) + ", step " + std::to_string(step + 1) + ": ";
    std::string trouble = advance_step(where, stats);
    if (trouble.empty() && is_remeshed_after(step)) trouble = remesh(where, stats);
    if (trouble.empty() && hooks_.on_step) hooks_.on_step(sim_.frame + 1, step + 1);
    return trouble;
}

std::string FrameSteps::advance_step(const std::string& where, FrameStats& stats)
{
    const double dt = 1.0 / (settings_.fps * settings_.substeps);
    for (const CaughtCloth& c : caught_by_appearing(world_, sim_, dt))
        log(hooks_.log, LogLevel::warning,
            where + "obstacle \"" + c.obstacle +
                "\" appears where the cloth is: " + std::to_string(c.crossings) +
                " pairs of faces intersect, and contact cannot undo this");
    const AdvanceReport r = pleat::advance(world_, pipeline_, sim_, dt);
    add(stats, r);
    if (!r.ok) return where + r.trouble;
    if (r.inner_steps > 1 && !told_of_inner_steps_) {
        told_of_inner_steps_ = true;
        log(hooks_.log, LogLevel::note,
            where + "the integrator divides dt into " + std::to_string(r.inner_steps) +
                " steps, because it is only stable below " + std::to_string(1000 * r.dt_stable) +
                " ms");
    }
    if (r.rejected > 0)
        log(hooks_.log, LogLevel::warning,
            where + "retried in " + std::to_string(r.steps) + " smaller steps, because " +
                r.trouble);
    return {};
}

bool FrameSteps::is_remeshed_after(int step) const
{
    const int steps_done = sim_.frame * settings_.substeps + step + 1;
    return settings_.remesh_every > 0 ? steps_done % settings_.remesh_every == 0
                                      : step + 1 == settings_.substeps;
}

std::string FrameSteps::remesh(const std::string& where, FrameStats& stats)
{
    const AdaptReport adapted = adapt(world_, pipeline_, sim_);
    stats.times += adapted.times;
    stats.remesh += adapted.remesh;
    if (hooks_.on_remesh) hooks_.on_remesh(adapted.remesh);
    return is_within_bounds(sim_.state) ? "" : where + "remeshing left numbers that are not finite";
}

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
    stats.ms_total += watch.ms();
    ++report.frames_written;
    if (stats.audit.intersections > 0) {
        ++report.frames_with_intersections;
        if (report.first_bad_frame < 0) report.first_bad_frame = sim.frame;
    }
    if (hooks.on_frame) hooks.on_frame(stats);
}

} // namespace pleat
