// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// The data of a cloth's frame in addition to its mesh: velocities, fabrics, and the sizing of each
// face. One binary file a cloth and frame, DIR/frames/00012_<name>.attributes, little-endian:
//
//   8 bytes   "PLEATATT"
//   uint32    version (4), node count N, face count F, 1 where sizing follows plus 2 where
//             generations do plus 4 where panels do
//   uint32    D, the number of sizing metrics, and for each the length of its name and the name in
//             UTF-8; only with sizing
//   float32   N x 3   velocity [m/s]
//   uint16    F       fabric, counted among those of the cloth
//   float16   F x D   edge length that each metric of the sizing asked for [m], inf: none
//   float16   F x 3   ellipse of the sizing metric, material space: long and short edge [m], angle
//                     of the long one from the u axis [rad]
//   uint8     F       generation of root-3 subdivision, or level of quadrisection
//   uint16    F       panel, counted in the cloth
//
// Earlier versions are still read: 3 has no panels, 1 and 2 have no generations. Version 1 has no
// names: D is 4, and the metrics are curvature, compression, velocity and obstacle. Nodes and faces
// stand in the order of the mesh file. The mesh files can be read by any program; this file is for
// Pleat's own viewer and pictures and is optional.
#pragma once

#include "pleat/core/vec.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace pleat {

/// Edges that a sizing metric allows: e^T M e = 1 is an ellipse in material space.
struct SizingEllipse {
    float longest = 0;  // edge along it [m]
    float shortest = 0; // edge square to it [m]
    float angle = 0;    // of the longest from the u axis [rad], in (-pi/2, pi/2]
    bool operator==(const SizingEllipse&) const = default;
};

/// The arrays of one cloth at one frame. There is sizing where there are ellipses.
struct FrameAttributes {
    std::vector<Vec3f> velocity;              // one a node [m/s]
    std::vector<std::uint16_t> face_material; // one a face
    std::vector<std::string> drivers;         // names of the sizing metrics
    std::vector<float> face_drivers;          // drivers.size() a face [m], inf: nothing asked
    std::vector<SizingEllipse> face_ellipse;  // empty or one a face
    /// Of root-3 subdivision; empty or one a face.
    std::vector<std::uint8_t> face_generation;
    std::vector<std::uint16_t> face_panel; // counted in the cloth; empty or one a face
    bool operator==(const FrameAttributes&) const = default;
};

/// The ellipse of a symmetric positive definite tensor [1/m^2].
[[nodiscard]] SizingEllipse sizing_ellipse(const Mat2& metric);

/// \pre the arrays have these sizes.
void write_attributes(const std::filesystem::path& path, const FrameAttributes& attributes);

/// \throw InputError where the file is missing, cut off, of another version or no such file.
[[nodiscard]] FrameAttributes read_attributes(const std::filesystem::path& path);
[[nodiscard]] FrameAttributes parse_attributes(std::string_view bytes, const std::string& name);

/// IEEE 754 half precision, to nearest even; beyond 65504 infinite.
[[nodiscard]] std::uint16_t half_from_float(float value);
[[nodiscard]] float float_from_half(std::uint16_t bits);

} // namespace pleat
