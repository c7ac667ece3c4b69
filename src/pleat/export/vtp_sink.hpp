// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Frames for VTK and ParaView: DIR/frames/00012_<name>.vtp, and DIR/run.pvd, which lists them with
// their times.
#pragma once

#include "pleat/export/frame_files.hpp"
#include "pleat/export/frame_sink.hpp"
#include "pleat/export/vtp_writer.hpp"

#include <filesystem>

namespace pleat {

class FrameSinkVtp : public FrameSink {
public:
    struct Options {
        double fps = 25; // frames a second
        NamePattern names{};
    };

    /// Makes DIR/frames. \throw FileError
    explicit FrameSinkVtp(const std::filesystem::path& directory);
    FrameSinkVtp(const std::filesystem::path& directory, Options options);
    /// One file an object; static objects once, with number 0.
    void write(const Frame& frame) override;
    /// Lists all files, also those of the part of the run before it was resumed. Static objects
    /// are listed for every frame.
    void finish() override;

private:
    FrameFiles files_;
    Options options_;
    std::set<std::string> static_names_; // file stems
};

} // namespace pleat
