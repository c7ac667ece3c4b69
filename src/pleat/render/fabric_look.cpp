// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/render/fabric_look.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace pleat {

namespace {

struct NamedLook {
    std::string_view fabric;
    FabricLook look;
};

constexpr NamedLook known_looks[] = {
    {"11oz-black-denim",
     {{0.20, 0.22, 0.27}, {0.34, 0.37, 0.43}, FabricPattern::twill, 0.004, 0.10}},
    {"camel-ponte-roma",
     {{0.76, 0.58, 0.38}, {0.76, 0.58, 0.38}, FabricPattern::plain, 0.02, 0.16}},
    {"gray-interlock", {{0.60, 0.63, 0.67}, {0.60, 0.63, 0.67}, FabricPattern::plain, 0.02, 0.18}},
    {"ivory-rib-knit", {{0.93, 0.90, 0.81}, {0.74, 0.69, 0.58}, FabricPattern::ribs, 0.012, 0.20}},
    {"navy-sparkle-sweat",
     {{0.17, 0.24, 0.44}, {0.45, 0.52, 0.70}, FabricPattern::dots, 0.006, 0.28}},
    {"pink-ribbon-brown",
     {{0.40, 0.28, 0.23}, {0.90, 0.60, 0.66}, FabricPattern::stripes, 0.05, 0.18}},
    {"royal-target", {{0.18, 0.33, 0.72}, {0.18, 0.33, 0.72}, FabricPattern::plain, 0.02, 0.16}},
    {"tango-red-jet-set",
     {{0.78, 0.20, 0.18}, {0.78, 0.20, 0.18}, FabricPattern::plain, 0.02, 0.18}},
    {"white-dots-on-blk",
     {{0.13, 0.13, 0.14}, {0.93, 0.92, 0.90}, FabricPattern::dots, 0.03, 0.16}},
    {"white-swim-solid",
     {{0.90, 0.91, 0.92}, {0.90, 0.91, 0.92}, FabricPattern::plain, 0.02, 0.30}},
};

double smoothstep(double low, double high, double x)
{
    const double t = std::clamp((x - low) / (high - low), 0.0, 1.0);
    return t * t * (3 - 2 * t);
}

/// Distance from the nearest whole number.
double from_whole(double x)
{
    return std::abs(x - std::round(x));
}

} // namespace

FabricLook plain_look(const Vec3& colour)
{
    return {colour, colour, FabricPattern::plain, 0.02, 0.16};
}

FabricLook fabric_look(std::string_view fabric, std::size_t index)
{
    for (const NamedLook& known : known_looks)
        if (known.fabric == fabric) return known.look;
    return plain_look(cloth_colour(index));
}

double pattern_share(const FabricLook& look, const Vec2& u)
{
    const Vec2 p = u / look.repeat;
    switch (look.pattern) {
    case FabricPattern::plain:
        return 0;
    case FabricPattern::dots: { // every other row is shifted by half a repeat
        const double row = std::round(p[1]);
        const double shift = from_whole(0.5 * row) > 0.25 ? 0.5 : 0.0;
        const Vec2 d{from_whole(p[0] - shift), p[1] - row};
        return 1 - smoothstep(0.21, 0.25, norm(d));
    }
    case FabricPattern::stripes:
        return 1 - smoothstep(0.14, 0.16, from_whole(p[0]));
    case FabricPattern::ribs:
        return 0.5 + 0.5 * std::cos(2 * std::numbers::pi * p[0]);
    case FabricPattern::twill:
        return 0.5 + 0.5 * std::cos(2 * std::numbers::pi * (p[0] + p[1]));
    }
    return 0;
}

} // namespace pleat
