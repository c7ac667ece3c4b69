// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Writes point caches: positions of the same vertices in every frame, for a mesh that another file
// has. Vertices are in the order of that file.
#pragma once

#include "pleat/core/vec.hpp"

#include <filesystem>
#include <vector>

namespace pleat {

struct PointCache {
    int first_frame = 0;
    double fps = 25;                          // frames a second
    std::vector<std::vector<Vec3>> positions; // one a frame, all as long
};

/// PC2, as 3ds Max and Blender read it. Little-endian, single precision. \throw FileError
void write_pc2(const std::filesystem::path& path, const PointCache& cache);
/// MDD, as Maya, Houdini, LightWave and Blender read it. Big-endian, single precision.
void write_mdd(const std::filesystem::path& path, const PointCache& cache);

} // namespace pleat
