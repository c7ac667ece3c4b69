// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Frames as OBJ files: DIR/frames/00012_<name>.obj.
#pragma once

#include "pleat/export/frame_files.hpp"
#include "pleat/export/frame_sink.hpp"

#include <filesystem>

namespace pleat {

class FrameSinkObj : public FrameSink {
public:
    struct Options {
        bool velocities = false; // write nv lines; most other programs skip them
        NamePattern names{};
    };

    /// Makes DIR/frames. \throw FileError
    explicit FrameSinkObj(const std::filesystem::path& directory);
    FrameSinkObj(const std::filesystem::path& directory, Options options);
    /// One file an object; static objects once, with number 0.
    void write(const Frame& frame) override;

private:
    FrameFiles files_;
    Options options_;
};

} // namespace pleat
