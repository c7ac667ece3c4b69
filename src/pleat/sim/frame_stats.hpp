// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// One row of stats.csv a frame.
#pragma once

#include "pleat/core/stage_times.hpp"
#include "pleat/model/reports.hpp"
#include "pleat/sim/audit.hpp"

#include <cstdint>
#include <filesystem>
#include <string>
#include <sys/types.h>

namespace pleat {

/// Tolerance on strains beyond the limits in written frames; smaller violations are not counted.
inline constexpr double frame_limit_tolerance = 0.02;

struct FrameStats {
    int frame = 0;
    double time = 0; // [s]
    int steps = 0;   // accepted
    std::size_t nodes = 0, faces = 0;
    double ms_total = 0;
    StageTimes times;
    MeshAudit audit;
    double kinetic = 0, elastic = 0; // [J]
    int rejected = 0;                // steps tried again with half the dt
    std::size_t proximities = 0;     // largest of any step
    std::size_t impacts = 0;
    int linear_iterations = 0;
    std::size_t rigid_zones = 0;      // of impacts
    std::size_t pinched = 0;          // largest of any step: nodes between obstacles without room
    std::size_t unresolved = 0;       // pairs that impacts gave up
    double limit_violation = 0;       // worst that the strain limiter left in any step, as strain
    double limit_violation_after = 0; // and worst when impacts had been resolved
    std::size_t faces_outside = 0;    // outside their strain limits then; most of any step
    std::uint64_t hash = 0;           // of the state
    RemeshReport remesh;              // of all remeshings of the frame
    double frame_excess = 0;          // worst strain beyond the limits in the written frame
    int unsettled = 0;                // steps that ended with forces out of balance
    std::size_t faces_beyond = 0;     // faces there by more than frame_limit_tolerance beyond them
};

/// The header line, without a newline: the fixed columns first, further ones behind.
[[nodiscard]] std::string stats_header();
[[nodiscard]] std::string stats_row(const FrameStats& stats);

/// Appends rows to a file; every row is in it, whole, when write() returns, or not at all.
class StatsFile {
public:
    /// Starts the file with its header. \throw FileError
    explicit StatsFile(std::filesystem::path path);
    /// Continues a file after the row of `last_frame`: later rows and incomplete ones are removed.
    /// A missing file is created.
    /// \throw FileError; InputError where it has other columns.
    StatsFile(std::filesystem::path path, int last_frame);
    ~StatsFile();
    StatsFile(const StatsFile&) = delete;
    StatsFile& operator=(const StatsFile&) = delete;
    /// \throw FileError
    void write(const FrameStats& stats);

private:
    void append(const std::string& line);
    std::filesystem::path path_;
    int file_ = -1;
    off_t length_ = 0; // of the whole rows [bytes]
};

} // namespace pleat
