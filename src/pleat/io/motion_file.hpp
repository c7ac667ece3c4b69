// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Reads motion files (.mot), which hold the rigid motions of bodies frame by frame:
//   NumFrames: N
//   then for each body a header line, N lines "x y z", a header line, N lines "w x y z".
#pragma once

#include "pleat/core/vec.hpp"

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace pleat {

struct MotionFile {
    struct Body {
        std::string name;                       // the header line above its positions
        std::vector<Vec3> position;             // world [m], one a frame
        std::vector<Vec<double, 4>> quaternion; // w x y z of unit length, one a frame
    };

    std::size_t frame_count = 0; // at least 1
    std::vector<Body> bodies;    // at least one
};

/// \throw InputError with up to 50 problems in the order of the lines: no NumFrames, more frames
/// than the file has room for, rows with too few or too many numbers, numbers that are malformed or
/// not finite, quaternions far from unit length, numbers where a header belongs, a file that ends
/// early, is missing or no text.
[[nodiscard]] MotionFile read_motion_file(const std::filesystem::path& path);

/// The same for a text in memory. \param name stands for the file in messages.
[[nodiscard]] MotionFile parse_motion_file(std::string_view text, const std::string& name);

} // namespace pleat
