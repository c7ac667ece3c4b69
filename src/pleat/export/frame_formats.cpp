// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/export/frame_formats.hpp"

#include "pleat/core/error.hpp"
#include "pleat/export/glb_sink.hpp"
#include "pleat/export/obj_sink.hpp"
#include "pleat/export/ply_sink.hpp"
#include "pleat/export/usda_sink.hpp"
#include "pleat/export/vtp_sink.hpp"

namespace pleat {

namespace {

namespace fs = std::filesystem;
using Sink = std::unique_ptr<FrameSink>;

Sink make_obj(const fs::path& folder, const FrameFileOptions& o)
{
    return std::make_unique<FrameSinkObj>(folder, FrameSinkObj::Options{false, o.names});
}

Sink make_ply(const fs::path& folder, const FrameFileOptions& o)
{
    return std::make_unique<FrameSinkPly>(
        folder, FrameSinkPly::Options{PlyPrecision::float64, true, o.names});
}

Sink make_usda(const fs::path& folder, const FrameFileOptions& o)
{
    return std::make_unique<FrameSinkUsda>(folder,
                                           FrameSinkUsda::Options{{o.fps, o.up}, o.names, false});
}

Sink make_vtp(const fs::path& folder, const FrameFileOptions& o)
{
    return std::make_unique<FrameSinkVtp>(folder, FrameSinkVtp::Options{o.fps, o.names});
}

Sink make_glb(const fs::path& folder, const FrameFileOptions& o)
{
    return std::make_unique<FrameSinkGlb>(folder, FrameSinkGlb::Options{o.up, o.names});
}

constexpr FrameFormat formats[] = {
    {"obj", "Wavefront OBJ, exact", &make_obj},
    {"ply", "binary PLY, exact, with velocities", &make_ply},
    {"usda", "USD text with velocities, and run.usda with all frames", &make_usda},
    {"vtp", "VTK PolyData with velocities and strain, and run.pvd for ParaView", &make_vtp},
    {"glb", "binary glTF with velocities", &make_glb},
};

} // namespace

std::span<const FrameFormat> frame_formats()
{
    return formats;
}

std::vector<std::string> frame_format_names()
{
    std::vector<std::string> names;
    for (const FrameFormat& format : formats) names.emplace_back(format.name);
    return names;
}

std::unique_ptr<FrameSink> make_frame_sink(const std::string& format, const fs::path& folder,
                                           const FrameFileOptions& options)
{
    std::string names;
    for (const FrameFormat& f : formats) {
        if (f.name == format) return f.make(folder, options);
        names += (names.empty() ? "" : ", ") + std::string(f.name);
    }
    throw InputError(Problem{"format of frames", "", "\"" + format + "\"", "one of " + names});
}

} // namespace pleat
