// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// The quantities that faces can be coloured by, and the colours, for pictures and the viewer.
// Based on: [Narain2012] fig. 1 (colours by size and shape)
#pragma once

#include "pleat/core/vec.hpp"
#include "pleat/render/render_mesh.hpp"

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace pleat {

enum class ColourMode {
    fabric,
    size,
    aspect,
    strain,
    velocity,
    curvature,
    material,
    driver,
    generation
};

inline constexpr std::size_t colour_mode_count = 9;
inline constexpr std::array<std::string_view, colour_mode_count> colour_mode_names{
    "fabric",    "size",     "aspect", "strain",    "velocity",
    "curvature", "material", "driver", "generation"};

[[nodiscard]] constexpr std::string_view name_of(ColourMode mode)
{
    return colour_mode_names[std::size_t(mode)];
}
[[nodiscard]] std::optional<ColourMode> colour_mode_of(std::string_view name);

/// Two numbers a face:
///   fabric     0, 0
///   size       material area [m^2], aspect
///   aspect     aspect (1 equilateral, 0 degenerate), material area [m^2]
///   strain     larger and smaller principal strain
///   velocity   mean speed of the corners [m/s], 0
///   curvature  larger and smaller principal curvature by magnitude [1/m], signed
///   material   fabric's number, 0
///   driver     1 + the number of the sizing metric that asked for the shortest edge, that edge
///   [m];
///              0 and infinity (shown grey) where none asked for less than the longest edge allowed
///   generation of root-3 subdivision, 0
/// Faces that lack what the mode needs have not-a-number in both.
/// \pre require_valid
[[nodiscard]] std::vector<Vec2f> face_values(const RenderMesh& mesh, ColourMode mode);

/// Whether the mode names things (fabrics, drivers) rather than amounts.
[[nodiscard]] bool is_category(ColourMode mode);

/// The values that the ends of the colour scale stand for.
struct ValueRange {
    double low = 0, high = 1;
    bool operator==(const ValueRange&) const = default;
};

/// A range that suits the values of these cloths but for a few extreme ones. Strain and curvature
/// have ranges symmetric about zero, amounts that cannot be negative begin at zero.
[[nodiscard]] ValueRange fitting_range(std::span<const RenderMesh> meshes, ColourMode mode);
/// The range that covers both.
[[nodiscard]] ValueRange united(ColourMode mode, const ValueRange& a, const ValueRange& b);

/// Display colour of a face with these values. Not-a-number is grey.
[[nodiscard]] Vec3 value_colour(ColourMode mode, const Vec2f& value, const ValueRange& range);

/// Display colour of t in [-1, 1] (clamped): teal by way of near white to madder.
[[nodiscard]] Vec3 signed_colour(double t);

} // namespace pleat
