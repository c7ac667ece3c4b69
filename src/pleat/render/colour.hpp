// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Colours of cloths, of faces by size and shape, and of scalars. A colour is a Vec3 of red, green
// and blue in [0, 1]; "display" means sRGB as in picture files, "linear" means light.
// Based on: [Narain2012] fig. 1 (face colours), [Ottosson2020] (the OKLab space)
#pragma once

#include "pleat/core/vec.hpp"

#include <cstddef>

namespace pleat {

/// Display to linear.
[[nodiscard]] double linear_from_srgb(double value);
[[nodiscard]] Vec3 linear_from_srgb(const Vec3& colour);

/// Linear to display. \pre no negative component
[[nodiscard]] double srgb_from_linear(double value);
[[nodiscard]] Vec3 srgb_from_linear(const Vec3& colour);

/// Lightness and two opponent axes, in which equal steps look about equal.
[[nodiscard]] Vec3 oklab_from_linear(const Vec3& colour);
[[nodiscard]] Vec3 linear_from_oklab(const Vec3& lab);

/// The display colour of a face as in the papers on adaptive cloth: large faces blue, small
/// well-shaped ones red, small thin ones yellow, blended smoothly. Areas are compared by their
/// logarithms and clamped to the range; an empty range makes every face large.
/// \param aspect 1 for an equilateral face, towards 0 the thinner it is
/// \pre area > 0, 0 < area_min, 0 < area_max
[[nodiscard]] Vec3 face_colour(double area, double aspect, double area_min, double area_max);

/// Display colour of t in [0, 1] (clamped): dark violet by way of teal to light yellow, with
/// lightness linear in t, so that it also reads in grey.
[[nodiscard]] Vec3 scalar_colour(double t);

/// Display colours that look well side by side as fabrics; the index wraps around.
inline constexpr std::size_t cloth_colour_count = 8;
[[nodiscard]] Vec3 cloth_colour(std::size_t index);

/// The matte grey of things that are not cloth, display.
[[nodiscard]] Vec3 obstacle_colour();

/// The wrong side of a cloth whose right side has this display colour: greyer and a little darker,
/// so that the sides of a fold are told apart.
[[nodiscard]] Vec3 back_colour(const Vec3& front);

} // namespace pleat
