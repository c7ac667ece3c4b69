// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Frames as binary glTF: DIR/frames/00012_<name>.glb.
#pragma once

#include "pleat/export/frame_files.hpp"
#include "pleat/export/frame_sink.hpp"
#include "pleat/export/glb_writer.hpp"

#include <filesystem>

namespace pleat {

class FrameSinkGlb : public FrameSink {
public:
    struct Options {
        Vec3 up{0, 0, 1};
        NamePattern names{};
    };

    /// Makes DIR/frames. \throw FileError
    explicit FrameSinkGlb(const std::filesystem::path& directory);
    FrameSinkGlb(const std::filesystem::path& directory, Options options);
    /// One file an object; static objects once, with number 0.
    void write(const Frame& frame) override;

private:
    FrameFiles files_;
    Options options_;
};

} // namespace pleat
