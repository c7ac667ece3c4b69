// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/render/colour.hpp"

#include "pleat/core/error.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace pleat {

namespace {

double smoothstep(double low, double high, double x)
{
    const double t = std::clamp((x - low) / (high - low), 0.0, 1.0);
    return t * t * (3 - 2 * t);
}

Vec3 mix(const Vec3& a, const Vec3& b, double t)
{
    return (1 - t) * a + t * b;
}

Vec3 clamped(const Vec3& colour)
{
    return {std::clamp(colour[0], 0.0, 1.0), std::clamp(colour[1], 0.0, 1.0),
            std::clamp(colour[2], 0.0, 1.0)};
}

Vec3 srgb_from_oklab(const Vec3& lab)
{
    return srgb_from_linear(clamped(linear_from_oklab(lab)));
}

Vec3 oklab_from_srgb(const Vec3& colour)
{
    return oklab_from_linear(linear_from_srgb(colour));
}

// [Narain2012] fig. 1 names the hues only; these shades keep dark lines and shading readable.
constexpr Vec3 large_face{0.36, 0.55, 0.84};
constexpr Vec3 small_face{0.86, 0.28, 0.24};
constexpr Vec3 thin_face{0.98, 0.85, 0.30};

// A right isosceles face has aspect 1/sqrt(3) and counts as well-shaped; 0.1 is the smallest
// aspect that [Narain2012] lets the remesher ask for.
constexpr double thin_aspect = 0.15;
constexpr double round_aspect = 0.50;

} // namespace

double linear_from_srgb(double value)
{
    return value <= 0.04045 ? value / 12.92 : std::pow((value + 0.055) / 1.055, 2.4);
}

double srgb_from_linear(double value)
{
    return value <= 0.0031308 ? value * 12.92 : 1.055 * std::pow(value, 1 / 2.4) - 0.055;
}

Vec3 linear_from_srgb(const Vec3& colour)
{
    return {linear_from_srgb(colour[0]), linear_from_srgb(colour[1]), linear_from_srgb(colour[2])};
}

Vec3 srgb_from_linear(const Vec3& colour)
{
    return {srgb_from_linear(colour[0]), srgb_from_linear(colour[1]), srgb_from_linear(colour[2])};
}

// The matrices are those of [Ottosson2020]: linear sRGB to cone responses, and their cube roots to
// lightness and opponents. The ways back are the inverses, so that a round trip is exact.
namespace {
constexpr Mat3 cones{{0.4122214708, 0.5363325363, 0.0514459929, //
                      0.2119034982, 0.6806995451, 0.1073969566, //
                      0.0883024619, 0.2817188376, 0.6299787005}};
constexpr Mat3 opponents{{0.2104542553, 0.7936177850, -0.0040720468, //
                          1.9779984951, -2.4285922050, 0.4505937099, //
                          0.0259040371, 0.7827717662, -0.8086757660}};
constexpr Mat3 cones_inverse = inverse(cones);
constexpr Mat3 opponents_inverse = inverse(opponents);
} // namespace

Vec3 oklab_from_linear(const Vec3& colour)
{
    Vec3 response = cones * colour;
    for (double& r : response.e) r = std::cbrt(r);
    return opponents * response;
}

Vec3 linear_from_oklab(const Vec3& lab)
{
    Vec3 response = opponents_inverse * lab;
    for (double& r : response.e) r = r * r * r;
    return cones_inverse * response;
}

Vec3 face_colour(double area, double aspect, double area_min, double area_max)
{
    PLEAT_ASSERT(area_min > 0 && area_max > 0, "areas are positive");
    const double span = std::log(area_max / area_min);
    // The S curve leaves fewer faces in between, where the colours say least.
    const double smallness = span > 0 ? smoothstep(0, 1, std::log(area_max / area) / span) : 0.0;
    const double roundness = smoothstep(thin_aspect, round_aspect, aspect);
    const Vec3 small = mix(oklab_from_srgb(thin_face), oklab_from_srgb(small_face), roundness);
    return srgb_from_oklab(mix(oklab_from_srgb(large_face), small, smallness));
}

Vec3 scalar_colour(double t)
{
    t = std::clamp(t, 0.0, 1.0);
    // A walk in OKLab: lightness rises evenly, the hue turns from violet to yellow, and the chroma
    // is as much as the sRGB gamut leaves room for along the way.
    const double lightness = 0.28 + 0.64 * t;
    const double hue = (305.0 - 200.0 * t) * std::numbers::pi / 180.0;
    const double chroma = 0.097 + 0.22 * (t - 0.45) * (t - 0.45);
    return srgb_from_oklab({lightness, chroma * std::cos(hue), chroma * std::sin(hue)});
}

Vec3 cloth_colour(std::size_t index)
{
    constexpr std::array<Vec3, cloth_colour_count> palette{{
        {0.27, 0.47, 0.68}, // denim
        {0.76, 0.33, 0.29}, // madder
        {0.88, 0.70, 0.36}, // straw
        {0.38, 0.58, 0.47}, // sage
        {0.56, 0.42, 0.62}, // heather
        {0.86, 0.56, 0.50}, // coral
        {0.20, 0.54, 0.62}, // teal
        {0.80, 0.76, 0.68}, // linen
    }};
    return palette[index % cloth_colour_count];
}

Vec3 obstacle_colour()
{
    return {0.62, 0.62, 0.63};
}

Vec3 back_colour(const Vec3& front)
{
    Vec3 lab = oklab_from_srgb(front);
    lab[0] *= 0.90;
    lab[1] *= 0.60;
    lab[2] *= 0.60;
    return srgb_from_oklab(lab);
}

} // namespace pleat
