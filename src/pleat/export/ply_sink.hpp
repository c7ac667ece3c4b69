// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Frames as binary PLY files: DIR/frames/00012_<name>.ply.
#pragma once

#include "pleat/export/frame_files.hpp"
#include "pleat/export/frame_sink.hpp"
#include "pleat/export/ply_writer.hpp"

#include <filesystem>

namespace pleat {

class FrameSinkPly : public FrameSink {
public:
    struct Options {
        PlyPrecision precision = PlyPrecision::float64; // float32: half the size, not exact
        bool velocities = true;
        NamePattern names{};
    };

    /// Makes DIR/frames. \throw FileError
    explicit FrameSinkPly(const std::filesystem::path& directory);
    FrameSinkPly(const std::filesystem::path& directory, Options options);
    /// One file an object; static objects once, with number 0.
    void write(const Frame& frame) override;

private:
    FrameFiles files_;
    Options options_;
};

} // namespace pleat
