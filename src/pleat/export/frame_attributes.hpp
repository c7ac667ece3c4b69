// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// What a cloth's frame holds beside its mesh: velocities, fabrics, and why each face is as small as
// it is. One binary file a cloth and frame, DIR/frames/00012_<name>.attributes, little-endian:
//
//   8 bytes   "PLEATATT"
//   uint32    version (1), node count N, face count F, 1 where sizing follows and 0 where not
//   float32   N x 3   velocity [m/s]
//   uint16    F       fabric, counted among those of the cloth
//   float16   F x 4   edge length that each driver of the sizing asks for [m], inf: none
//   float16   F x 3   ellipse of the sizing metric, material space: long and short edge [m], angle
//                     of the long one from the u axis [rad]
//
// Nodes and faces stand in the order of the mesh file. The mesh files stay readable for everyone;
// this one is for Pleat's own viewer and pictures, and a run is whole without it.
#pragma once

#include "pleat/core/vec.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace pleat {

/// What may ask for a fine mesh, in the order of the file.
inline constexpr std::size_t sizing_driver_count = 4;
inline constexpr std::array<std::string_view, sizing_driver_count> sizing_driver_names{
    "curvature", "compression", "velocity", "obstacle"};

/// Edges that a sizing metric allows: e^T M e = 1 is an ellipse in material space.
struct SizingEllipse {
    float longest = 0;  // edge along it [m]
    float shortest = 0; // edge square to it [m]
    float angle = 0;    // of the longest from the u axis [rad], in (-pi/2, pi/2]
    bool operator==(const SizingEllipse&) const = default;
};

/// The arrays of one cloth at one frame. Either of the last two is empty or one a face.
struct FrameAttributes {
    std::vector<Vec3f> velocity;                                      // one a node [m/s]
    std::vector<std::uint16_t> face_material;                         // one a face
    std::vector<std::array<float, sizing_driver_count>> face_drivers; // [m], inf: nothing asked
    std::vector<SizingEllipse> face_ellipse;
    bool operator==(const FrameAttributes&) const = default;
};

/// The ellipse of a symmetric positive definite tensor [1/m^2].
[[nodiscard]] SizingEllipse sizing_ellipse(const Mat2& metric);

/// \pre drivers and ellipses are both empty or both one a face.
void write_attributes(const std::filesystem::path& path, const FrameAttributes& attributes);

/// \throw InputError where the file is missing, cut off, of another version or no such file.
[[nodiscard]] FrameAttributes read_attributes(const std::filesystem::path& path);
[[nodiscard]] FrameAttributes parse_attributes(std::string_view bytes, const std::string& name);

/// IEEE 754 half precision, to nearest even; beyond 65504 infinite.
[[nodiscard]] std::uint16_t half_from_float(float value);
[[nodiscard]] float float_from_half(std::uint16_t bits);

} // namespace pleat
