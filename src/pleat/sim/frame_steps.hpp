// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// The steps of a frame one by one, and its end: what run() repeats, for programs that look at the
// cloth between steps.
#pragma once

#include "pleat/core/stage_times.hpp"
#include "pleat/model/world.hpp"
#include "pleat/sim/frame_stats.hpp"
#include "pleat/sim/run.hpp"
#include "pleat/sim/simulation.hpp"

#include <span>
#include <string>

namespace pleat {

class FrameSteps {
public:
    /// \pre all of them outlive it
    FrameSteps(const World& world, Pipeline& pipeline, Simulation& sim, const RunSettings& settings,
               const RunHooks& hooks)
        : world_(world), pipeline_(pipeline), sim_(sim), settings_(settings), hooks_(hooks)
    {}

    /// Simulates one step of the frame behind sim.frame, with remeshing where it is due, and calls
    /// on_step. Adds to the figures of the frame.
    /// \param step from 0 to settings.substeps - 1, in order
    /// \return why it could not be done; empty: done
    [[nodiscard]] std::string advance(int step, FrameStats& stats);

private:
    [[nodiscard]] std::string advance_step(const std::string& where, FrameStats& stats);
    [[nodiscard]] bool is_remeshed_after(int step) const;
    [[nodiscard]] std::string remesh(const std::string& where, FrameStats& stats);

    const World& world_;
    Pipeline& pipeline_;
    Simulation& sim_;
    const RunSettings& settings_;
    const RunHooks& hooks_;
    bool told_of_inner_steps_ = false;
};

/// Writes the frame the simulation is at, audits what was written, and calls on_frame.
/// \param watch of the frame, or of its last part; what it shows is added to stats.ms_total
void finish_frame(const World& world, const Simulation& sim, const RunSettings& settings,
                  std::span<FrameSink* const> sinks, const RunHooks& hooks, const Stopwatch& watch,
                  FrameStats& stats, RunReport& report);

} // namespace pleat
