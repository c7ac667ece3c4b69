// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Wall-clock time by stage of a step.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <string_view>

namespace pleat {

/// The stages of a frame, in the order of the columns of stats.csv.
enum class Stage { contact_find, integrate, strain, impact, remesh, separate, write };

inline constexpr std::size_t stage_count = 7;

[[nodiscard]] std::string_view stage_name(Stage stage);

/// Milliseconds spent in each stage.
struct StageTimes {
    std::array<double, stage_count> ms{};

    [[nodiscard]] double& operator[](Stage s) { return ms[static_cast<std::size_t>(s)]; }
    [[nodiscard]] double operator[](Stage s) const { return ms[static_cast<std::size_t>(s)]; }
    StageTimes& operator+=(const StageTimes& other);
};

/// Time since construction [ms].
class Stopwatch {
public:
    [[nodiscard]] double ms() const
    {
        return std::chrono::duration<double, std::milli>(Clock::now() - start_).count();
    }

private:
    using Clock = std::chrono::steady_clock;
    Clock::time_point start_ = Clock::now();
};

/// Adds its lifetime to one stage.
class StageTimer {
public:
    StageTimer(StageTimes& times, Stage stage) : times_(times), stage_(stage) {}
    ~StageTimer() { times_[stage_] += watch_.ms(); }
    StageTimer(const StageTimer&) = delete;
    StageTimer& operator=(const StageTimer&) = delete;

private:
    StageTimes& times_;
    Stage stage_;
    Stopwatch watch_;
};

} // namespace pleat
