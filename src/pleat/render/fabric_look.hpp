// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// How a fabric looks: its colours and what is printed, knitted or woven into it, at true size in
// material space. The shipped fabrics look as their names say.
#pragma once

#include "pleat/core/vec.hpp"
#include "pleat/render/colour.hpp"

#include <cstddef>
#include <string_view>

namespace pleat {

enum class FabricPattern {
    plain,
    dots,    // of the second colour
    stripes, // of the second colour, along v
    ribs,    // furrows of the second colour along v
    twill,   // fine diagonals of the second colour
};

struct FabricLook {
    Vec3 colour = cloth_colour(0); // display (sRGB)
    Vec3 second = cloth_colour(0); // of the pattern, display
    FabricPattern pattern = FabricPattern::plain;
    double repeat = 0.02; // of the pattern [m]
    double sheen = 0.16;  // brightness at grazing angles, from fibres that stand off
    bool operator==(const FabricLook&) const = default;
};

/// The look of a fabric by its name; one that is not known gets cloth_colour(index).
[[nodiscard]] FabricLook fabric_look(std::string_view fabric, std::size_t index);

/// A plain look in a given colour.
[[nodiscard]] FabricLook plain_look(const Vec3& colour);

/// The share of the second colour at a material point [m], from 0 to 1.
[[nodiscard]] double pattern_share(const FabricLook& look, const Vec2& u);

} // namespace pleat
