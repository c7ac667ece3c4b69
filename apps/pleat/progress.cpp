// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "progress.hpp"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <cstdio>
#include <unistd.h>

namespace pleat::app {

namespace {

std::string duration(double seconds)
{
    const auto s = static_cast<long>(std::lround(seconds));
    if (s < 60) return fmt::format("{} s", s);
    if (s < 3600) return fmt::format("{}:{:02} min", s / 60, s % 60);
    return fmt::format("{}:{:02} h", s / 3600, s / 60 % 60);
}

std::string thousands(std::size_t count)
{
    return count < 10000 ? std::to_string(count) : fmt::format("{:.1f}k", double(count) / 1000);
}

/// Stages that took a noticeable share, largest first in their usual order.
std::string stages(const FrameStats& s)
{
    std::string text;
    for (std::size_t i = 0; i < stage_count; ++i) {
        const double ms = s.times.ms[i];
        if (ms < 0.02 * s.ms_total) continue;
        text += fmt::format("  {} {:.0f}", stage_name(static_cast<Stage>(i)), ms);
    }
    return text;
}

} // namespace

Progress::Progress(int frames, int substeps, bool json, bool quiet)
    : frames_(frames), substeps_(substeps), json_(json), quiet_(quiet),
      terminal_(::isatty(STDERR_FILENO) == 1)
{}

void Progress::show(const std::string& line, bool keep)
{
    if (quiet_) return;
    if (terminal_) {
        fmt::print(stderr, "\r\x1b[K{}", line);
        open_line_ = true;
        if (keep) finish();
        std::fflush(stderr);
    } else if (keep) {
        fmt::print(stderr, "{}\n", line);
    }
}

void Progress::finish()
{
    if (open_line_) fmt::print(stderr, "\n");
    open_line_ = false;
}

void Progress::say(const std::string& text)
{
    if (json_) {
        fmt::print("{}\n", nlohmann::json{{"note", text}}.dump(
                               -1, ' ', false, nlohmann::json::error_handler_t::replace));
        std::fflush(stdout);
        return;
    }
    show(text, true);
}

void Progress::step(int frame, int step)
{
    constexpr double show_every = 100; // [ms]
    if (json_ || !terminal_ || since_shown_.ms() < show_every) return;
    since_shown_ = Stopwatch();
    show(fmt::format("frame {}/{}  step {}/{}{}", frame, frames_, step, substeps_, last_), false);
}

void Progress::frame(const FrameStats& s)
{
    constexpr double memory = 0.8; // of the smoothed time a frame
    if (s.frame > 0)
        ms_a_frame_ =
            ms_a_frame_ == 0 ? s.ms_total : memory * ms_a_frame_ + (1 - memory) * s.ms_total;
    if (json_) {
        nlohmann::json line{{"frame", s.frame},
                            {"frames", frames_},
                            {"time", s.time},
                            {"nodes", s.nodes},
                            {"faces", s.faces},
                            {"ms_total", s.ms_total},
                            {"eta_s", ms_a_frame_ * (frames_ - s.frame) / 1000},
                            {"intersections", s.audit.intersections},
                            {"max_stretch", s.audit.max_stretch},
                            {"contacts", s.proximities},
                            {"hash", fmt::format("{:016x}", s.hash)}};
        for (std::size_t i = 0; i < stage_count; ++i)
            line["ms"][std::string(stage_name(static_cast<Stage>(i)))] = s.times.ms[i];
        fmt::print("{}\n", line.dump());
        std::fflush(stdout);
        return;
    }
    last_ = fmt::format("  {} left  {} faces  {:.0f} ms:{}  {} contacts",
                        s.frame > 0 ? duration(ms_a_frame_ * (frames_ - s.frame) / 1000) : "?",
                        thousands(s.faces), s.ms_total, stages(s), s.proximities);
    if (s.audit.intersections > 0)
        last_ += fmt::format("  {} INTERSECTIONS", s.audit.intersections);
    show(fmt::format("frame {}/{}{}", s.frame, frames_, last_), !terminal_);
}

} // namespace pleat::app
