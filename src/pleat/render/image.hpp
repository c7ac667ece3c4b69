// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Eight-bit pictures and the PNG files they are kept in.
// Based on: [PNG2003]
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

namespace pleat {

/// A picture in sRGB, three bytes a pixel, rows from the top.
struct Image {
    int width = 0;
    int height = 0;
    std::vector<std::uint8_t> rgb; // 3 * width * height

    bool operator==(const Image&) const = default;
};

/// One colour everywhere. \pre width and height are at least 1.
[[nodiscard]] Image filled_image(int width, int height, std::array<std::uint8_t, 3> rgb);

/// Writes a PNG file. The file appears whole or not at all: the bytes go to a neighbouring
/// temporary file that takes the name at the end.
/// \pre at least one pixel, and as many bytes as width and height ask for.
/// \throw FileError with the system's reason if the file cannot be written.
void write_png(const std::filesystem::path& path, const Image& image);

/// The images from left to right, `gap` pixels of `fill` apart, aligned at the top.
/// \pre gap >= 0
[[nodiscard]] Image side_by_side(std::span<const Image> images, int gap,
                                 std::array<std::uint8_t, 3> fill = {255, 255, 255});

} // namespace pleat
