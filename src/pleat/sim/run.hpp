// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// The frames of a run, from the first to the last.
#pragma once

#include "pleat/core/log.hpp"
#include "pleat/export/frame_sink.hpp"
#include "pleat/sim/frame_stats.hpp"
#include "pleat/sim/simulation.hpp"

#include <atomic>
#include <functional>
#include <span>
#include <string>

namespace pleat {

struct RunSettings {
    double fps = 25;                      // frames a second
    int substeps = 8;                     // steps a frame
    int frames = 250;                     // to simulate; frame 0 is the start
    int remesh_every = 0;                 // steps; 0: once a frame, after its last step
    double gap_reach = default_gap_reach; // of the audit [m]
    int checkpoint_every = 0;             // frames; 0: only where the run ends
};

enum class RunEnd { finished, stopped, gave_up };

struct RunReport {
    RunEnd end = RunEnd::finished;
    int frames_written = 0; // frame 0 counts
    int frames_with_intersections = 0;
    int first_bad_frame = -1; // the first with intersections
    std::string trouble;      // why it gave up

    bool operator==(const RunReport&) const = default;
};

/// Callbacks for progress, checkpoints and stopping. All may be empty.
struct RunHooks {
    std::function<void(const FrameStats&)> on_frame;    // after the frame was written
    std::function<void(int frame, int step)> on_step;   // after each step
    std::function<void(const RemeshReport&)> on_remesh; // after each remeshing, before on_step
    /// Called for states to be kept as checkpoints: at frame 0, as often as the settings say, and
    /// for the last complete frame however the run ends.
    std::function<void(const Simulation&, const RunReport&)> on_checkpoint;
    LogSink log;                             // retried steps
    const std::atomic<bool>* stop = nullptr; // looked at after each step
};

/// Writes the frame the simulation is at, then simulates and writes frame by frame. A run that is
/// stopped, gives up or throws leaves every frame written so far whole, and the simulation at the
/// last of them. A frame that holds a number that is not finite is never written.
/// \param so_far of the run that this one goes on with, whose last frame the simulation is at; none
/// written: this one starts, with remeshing.
/// \throw FileError where a sink cannot write.
[[nodiscard]] RunReport run(const World& world, Pipeline& pipeline, Simulation& sim,
                            const RunSettings& settings, std::span<FrameSink* const> sinks,
                            const RunHooks& hooks = {}, const RunReport& so_far = {});

} // namespace pleat
