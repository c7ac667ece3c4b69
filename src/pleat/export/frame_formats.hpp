// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// The formats of frames by name. A new format is a sink of its own and one row of the table.
#pragma once

#include "pleat/export/frame_sink.hpp"
#include "pleat/export/name_pattern.hpp"

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace pleat {

/// What files of frames say about the run, and how they are named.
struct FrameFileOptions {
    double fps = 25; // frames a second
    Vec3 up{0, 0, 1};
    NamePattern names{};
};

struct FrameFormat {
    const char* name; // also the extension of its files
    const char* meaning;
    std::unique_ptr<FrameSink> (*make)(const std::filesystem::path& folder,
                                       const FrameFileOptions& options);
};

[[nodiscard]] std::span<const FrameFormat> frame_formats();
[[nodiscard]] std::vector<std::string> frame_format_names();

/// Makes FOLDER/frames. \throw InputError where no format has the name; FileError
[[nodiscard]] std::unique_ptr<FrameSink> make_frame_sink(const std::string& format,
                                                         const std::filesystem::path& folder,
                                                         const FrameFileOptions& options);

} // namespace pleat
