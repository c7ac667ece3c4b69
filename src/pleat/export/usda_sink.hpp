// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Frames as USD text: DIR/frames/00012_<name>.usda, and all of them in DIR/run.usda with time
// samples.
#pragma once

#include "pleat/export/frame_files.hpp"
#include "pleat/export/frame_sink.hpp"
#include "pleat/export/usda_writer.hpp"

#include <filesystem>

namespace pleat {

class FrameSinkUsda : public FrameSink {
public:
    struct Options {
        UsdStage stage;
        NamePattern names{};
        bool has_fixed_faces = false; // of cloths: the same in all frames
    };

    /// Makes DIR/frames. \throw FileError
    explicit FrameSinkUsda(const std::filesystem::path& directory);
    FrameSinkUsda(const std::filesystem::path& directory, Options options);
    /// One file an object; static objects once, with number 0.
    void write(const Frame& frame) override;
    /// Puts the files together, also those of the part of the run before it was resumed.
    void finish() override;

private:
    FrameFiles files_;
    Options options_;
};

} // namespace pleat
