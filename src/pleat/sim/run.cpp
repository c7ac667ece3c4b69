// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/sim/run.hpp"

#include "pleat/sim/adapt.hpp"
#include "pleat/sim/frame_steps.hpp"

#include <optional>
#include <string>
#include <utility>

namespace pleat {

namespace {

/// How a frame ended that is not whole.
struct FrameEnd {
    RunEnd end;
    std::string trouble; // of RunEnd::gave_up
};

/// All steps of a frame. \return nothing where the frame is whole
std::optional<FrameEnd> simulate_frame(FrameSteps& steps, const RunSettings& settings,
                                       const RunHooks& hooks, FrameStats& stats)
{
    for (int s = 0; s < settings.substeps; ++s) {
        if (std::string trouble = steps.advance(s, stats); !trouble.empty())
            return FrameEnd{RunEnd::gave_up, std::move(trouble)};
        if (hooks.stop != nullptr && hooks.stop->load()) return FrameEnd{RunEnd::stopped, {}};
    }
    return {};
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
        if (hooks.on_remesh) hooks.on_remesh(adapted.remesh);
        finish_frame(world, sim, settings, sinks, hooks, watch, stats, report);
        keeper.frame_done(sim, report);
    } else {
        keeper.begin_with(sim, report);
    }
    FrameSteps steps(world, pipeline, sim, settings, hooks);
    try {
        while (sim.frame < settings.frames) {
            const Stopwatch watch;
            FrameStats stats;
            if (const auto end = simulate_frame(steps, settings, hooks, stats)) {
                report.end = end->end;
                report.trouble = end->trouble;
                keeper.keep();
                sim = keeper.take();
                for (FrameSink* sink : sinks) sink->finish();
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
