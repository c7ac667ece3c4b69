// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Progress messages of a run.
#pragma once

#include "pleat/core/stage_times.hpp"
#include "pleat/sim/frame_stats.hpp"

#include <string>

namespace pleat::app {

/// On a terminal one line that changes in place, elsewhere one line a frame; with json one JSON
/// object a line on standard output.
class Progress {
public:
    Progress(int frames, int substeps, bool json, bool quiet);
    void step(int frame, int step);
    void frame(const FrameStats& stats);
    /// A line of its own that stays ("note: ...").
    void say(const std::string& text);
    /// Ends the changing line.
    void finish();

private:
    void show(const std::string& line, bool keep);

    int frames_, substeps_;
    bool json_, quiet_, terminal_;
    bool open_line_ = false;
    Stopwatch total_, since_shown_;
    std::string last_;      // of the last frame, shown beside the step
    double ms_a_frame_ = 0; // smoothed
};

} // namespace pleat::app
