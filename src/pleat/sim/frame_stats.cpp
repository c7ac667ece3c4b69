// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/sim/frame_stats.hpp"

#include "pleat/core/atomic_file.hpp"
#include "pleat/core/error.hpp"
#include "pleat/io/file_bytes.hpp"

#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <string_view>
#include <unistd.h>

namespace pleat {

namespace {

/// The shortest text that reads back as the same number.
std::string text(double value)
{
    char buffer[32];
    const auto end = std::to_chars(buffer, buffer + sizeof buffer, value).ptr;
    return {buffer, end};
}

/// A time in milliseconds, to the microsecond.
std::string milliseconds(double value)
{
    char buffer[32];
    const auto end =
        std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::fixed, 3).ptr;
    return {buffer, end};
}

std::string hexadecimal(std::uint64_t value)
{
    char buffer[17];
    std::snprintf(buffer, sizeof buffer, "%016llx", static_cast<unsigned long long>(value));
    return buffer;
}

/// The header and the whole rows of frames up to `last`.
std::string rows_until(std::string_view text, int last, const std::string& file)
{
    const std::string header = stats_header() + "\n";
    if (text.size() < header.size() && header.starts_with(text)) return {}; // cut off at once
    if (!text.starts_with(header))
        throw InputError(Problem{file, "line 1", "other columns than this version of Pleat writes",
                                 "statistics of this version; move the file away to start again"});
    std::size_t end = header.size();
    while (end < text.size()) {
        const std::size_t next = text.find('\n', end);
        if (next == std::string_view::npos) break;
        int frame = -1;
        std::from_chars(text.data() + end, text.data() + next, frame);
        if (frame < 0 || frame > last) break;
        end = next + 1;
    }
    return std::string(text.substr(0, end));
}

} // namespace

std::string stats_header()
{
    std::string line = "frame,time,steps,nodes,faces,ms_total";
    for (std::size_t s = 0; s < stage_count; ++s)
        line += ",ms_" + std::string(stage_name(static_cast<Stage>(s)));
    line += ",intersections,min_gap,max_stretch,max_compression,kinetic,elastic";
    line += ",worst_aspect,rejected,proximities,impacts,linear_iterations";
    line += ",rigid_zones,pinched,unresolved,limit_violation,limit_violation_after,faces_outside";
    line += ",splits,flips,collapses,edits_refused,split_midpoints,remesh_crossings,"
            "remesh_kept,remesh_momentum,"
            "remesh_angular_momentum,remesh_kinetic,remesh_elastic,frame_excess,faces_beyond,"
            "unsettled,hash";
    return line;
}

std::string stats_row(const FrameStats& s)
{
    std::string line = std::to_string(s.frame) + "," + text(s.time) + "," +
                       std::to_string(s.steps) + "," + std::to_string(s.nodes) + "," +
                       std::to_string(s.faces) + "," + milliseconds(s.ms_total);
    for (double ms : s.times.ms) line += "," + milliseconds(ms);
    line += "," + std::to_string(s.audit.intersections) + "," + text(s.audit.min_gap) + "," +
            text(s.audit.max_stretch) + "," + text(s.audit.max_compression) + "," +
            text(s.kinetic) + "," + text(s.elastic);
    line += "," + text(s.audit.worst_aspect) + "," + std::to_string(s.rejected) + "," +
            std::to_string(s.proximities) + "," + std::to_string(s.impacts) + "," +
            std::to_string(s.linear_iterations) + "," + std::to_string(s.rigid_zones) + "," +
            std::to_string(s.pinched) + "," + std::to_string(s.unresolved);
    line += "," + text(s.limit_violation) + "," + text(s.limit_violation_after) + "," +
            std::to_string(s.faces_outside);
    const RemeshReport& r = s.remesh;
    for (std::size_t n :
         {r.splits, r.flips, r.collapses, r.refused, r.midpoints, r.crossings, r.kept})
        line += "," + std::to_string(n);
    for (double d : {norm(r.momentum_change), norm(r.angular_momentum_change), r.kinetic_change,
                     r.elastic_change})
        line += "," + text(d);
    line += "," + text(s.frame_excess) + "," + std::to_string(s.faces_beyond) + "," +
            std::to_string(s.unsettled);
    line += "," + hexadecimal(s.hash);
    return line;
}

StatsFile::StatsFile(std::filesystem::path path) : path_(std::move(path))
{
    file_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    if (file_ < 0) throw FileError(path_.string(), std::strerror(errno));
    append(stats_header() + "\n");
}

StatsFile::StatsFile(std::filesystem::path path, int last_frame) : path_(std::move(path))
{
    std::error_code code;
    std::string kept;
    if (std::filesystem::exists(path_, code)) {
        const FileBytes bytes = read_file_bytes(path_);
        kept = rows_until(bytes.text(), last_frame, path_.string());
    }
    if (kept.empty()) kept = stats_header() + "\n";
    {
        AtomicFile file(path_);
        file.append(kept);
        file.commit();
    }
    file_ = ::open(path_.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
    if (file_ < 0) throw FileError(path_.string(), std::strerror(errno));
    length_ = static_cast<off_t>(kept.size());
}

StatsFile::~StatsFile()
{
    ::close(file_);
}

void StatsFile::write(const FrameStats& stats)
{
    append(stats_row(stats) + "\n");
}

void StatsFile::append(const std::string& line)
{
    std::size_t done = 0;
    while (done < line.size()) {
        const ssize_t n = ::write(file_, line.data() + done, line.size() - done);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) {
            const int error = errno;
            // Half a row would be worse than none. Pipes and devices cannot be cut.
            static_cast<void>(::ftruncate(file_, length_) == 0);
            throw FileError(path_.string(), std::strerror(error));
        }
        done += static_cast<std::size_t>(n);
    }
    length_ += static_cast<off_t>(line.size());
}

} // namespace pleat
