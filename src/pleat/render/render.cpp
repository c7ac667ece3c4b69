// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// How a pixel gets its colour. Each sample sends a ray through a point near the pixel's centre.
// What it hits is lit by a main light (a cone of directions, one shadow ray) and by the
// surroundings (a few rays over the hemisphere, each bringing the radiance of sky, fill and rim
// lights, or of the floor, where nothing is in its way). All lights are placed relative to the
// camera, so that every picture is lit alike. Light passes a tone curve before samples are
// averaged; the floor and the background do not, so that they keep their colour to the bit.
//
// Three things could spoil the shading of coarse meshes. Shadow rays that start on the flat
// triangle find its neighbours in their way although the shaded surface is round: rays start on the
// round surface instead [Hanika2021]. Interpolated normals may turn away from the viewer: they are
// bent back. And at a fold that is sharper than the mesh can show the normal at a corner may lie in
// the plane of a triangle or behind it, which would then see nothing but itself, black: such
// normals are raised above the plane. Coordinates are floats about the middle of the cloth, so that
// a scene far from the origin loses nothing.
#include "pleat/render/render.hpp"

#include "pleat/core/error.hpp"
#include "pleat/core/parallel.hpp"
#include "pleat/render/sampling.hpp"

#include <embree3/rtcore.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numbers>
#include <stdexcept>
#include <string>
#include <vector>

namespace pleat {

namespace {

constexpr float pi = std::numbers::pi_v<float>;
constexpr float inf = std::numeric_limits<float>::infinity();

// --- lights, tuned by eye; radiances relative to a white surface that sends back 1 -------------
constexpr Vec3f key_colour{0.92f, 0.90f, 0.87f};      // the main light, facing it
constexpr Vec3f zenith_colour{0.34f, 0.35f, 0.37f};   // sky above
constexpr Vec3f horizon_colour{0.24f, 0.247f, 0.26f}; // and around
constexpr Vec3f nadir_colour{0.15f, 0.15f, 0.155f};   // below, where there is no floor
constexpr Vec3f fill_colour{0.16f, 0.17f, 0.19f};     // a broad light opposite the main one
constexpr Vec3f rim_colour{0.50f, 0.52f, 0.55f};      // from behind, catches edges
constexpr Vec3f bounce_ambient{0.16f, 0.165f, 0.17f}; // mean light where rays end
constexpr float floor_bounce = 0.3f; // share of the sky that what hides it sends to the floor

constexpr float cloth_roughness = 0.45f; // sigma of [OrenNayar1994] [rad]
constexpr float tone_shoulder = 0.62f;   // light below this is kept, above it is compressed

// Distances from the subject's middle, in its radii, over which floor and backdrops fade out.
constexpr float fade_begin = 2.2f;
constexpr float fade_end = 5.5f;

constexpr float filter_radius = 0.75f; // of the tent over which a pixel averages [pixels]
constexpr float line_darkness = 0.86f;
constexpr std::size_t tile_size = 16; // pixels

// --- small vector helpers ------------------------------------------------------------------------
Vec3f to_float(const Vec3& a)
{
    return {float(a[0]), float(a[1]), float(a[2])};
}

Vec3f times(const Vec3f& a, const Vec3f& b)
{
    return {a[0] * b[0], a[1] * b[1], a[2] * b[2]};
}

Vec3f mix(const Vec3f& a, const Vec3f& b, float t)
{
    return (1 - t) * a + t * b;
}

float smoothstep(float low, float high, float x)
{
    const float t = std::clamp((x - low) / (high - low), 0.0f, 1.0f);
    return t * t * (3 - 2 * t);
}

/// Two unit vectors square to the unit vector n and to each other.
struct Tangents {
    Vec3f a, b;
};

Tangents tangents(const Vec3f& n)
{
    const Vec3f hint = std::abs(n[0]) < 0.6f ? Vec3f{1, 0, 0} : Vec3f{0, 1, 0};
    const Vec3f a = normalized(cross(n, hint));
    return {a, cross(n, a)};
}

/// A point of the unit disc, for a point of the unit square, keeping areas in proportion.
Vec2f on_disc(const Vec2f& u)
{
    const float radius = std::sqrt(u[0]);
    const float angle = 2 * pi * u[1];
    return {radius * std::cos(angle), radius * std::sin(angle)};
}

/// A direction about n with density proportional to the cosine.
Vec3f around(const Vec3f& n, const Vec2f& u)
{
    const Vec2f disc = on_disc(u);
    const Tangents t = tangents(n);
    return disc[0] * t.a + disc[1] * t.b + std::sqrt(std::max(0.0f, 1 - u[0])) * n;
}

/// -1 + sqrt(2u) or 1 - sqrt(2 - 2u): a tent over [-1, 1].
float tent(float u)
{
    return u < 0.5f ? std::sqrt(2 * u) - 1 : 1 - std::sqrt(2 - 2 * u);
}

// --- Embree
// ---------------------------------------------------------------------------------------
struct Releaser {
    void operator()(RTCDevice device) const { rtcReleaseDevice(device); }
    void operator()(RTCScene scene) const { rtcReleaseScene(scene); }
    void operator()(RTCGeometry geometry) const { rtcReleaseGeometry(geometry); }
};
using Device = std::unique_ptr<RTCDeviceTy, Releaser>;
using Scene = std::unique_ptr<RTCSceneTy, Releaser>;
using Geometry = std::unique_ptr<RTCGeometryTy, Releaser>;

void require_no_error(RTCDevice device)
{
    switch (rtcGetDeviceError(device)) {
    case RTC_ERROR_NONE:
        return;
    case RTC_ERROR_OUT_OF_MEMORY:
        throw std::runtime_error("Embree ran out of memory");
    case RTC_ERROR_UNSUPPORTED_CPU:
        throw std::runtime_error("Embree does not support this processor");
    default:
        throw std::runtime_error("Embree failed");
    }
}

// --- the scene as the rays see it ----------------------------------------------------------------
struct Surface {
    std::vector<Vec3f> positions;
    std::vector<std::array<Vec3f, 3>> normals; // at corners
    std::vector<Vec3f> colours;                // linear; of triangles, or one for all
    std::vector<Vec3f> back_colours;
    std::vector<Vec3f> second_colours, back_second_colours; // of patterns; empty: no pattern
    std::vector<Vec3f> on_screen; // column, row [pixels], depth [m]; for wireframes
    std::span<const std::array<std::uint32_t, 3>> triangles;
    std::span<const std::array<Vec2, 3>> material_coords;
    std::span<const FabricLook> looks;
    std::span<const std::uint16_t> face_material;
    bool is_cloth = true;
    bool fades = false;
};

struct View {
    Vec3f eye, right, up, forward; // right and up scaled to the half picture at depth 1
    float width, height;           // [pixels]
};

struct Lights {
    Vec3f up, key, fill, rim; // unit directions towards
    Tangents key_tangents;
    float key_radius; // of the disc of directions at distance 1
};

struct Floor {
    bool exists = false;
    float height = 0; // along up
    Vec3f colour{};   // linear
};

/// Everything a pixel reads.
struct Stage {
    Device device;
    Scene scene;
    std::vector<Surface> surfaces;
    View view;
    Lights lights;
    Floor floor;
    float radius = 1;     // of the subject, which is centred at the origin [m]
    float ray_offset = 0; // that lifts a ray's start off its surface [m]
    Vec3f background{};   // linear
};

/// Where a ray meets a surface. All normals face the viewer.
struct Hit {
    const Surface* surface;
    std::uint32_t triangle;
    Vec3f position;               // on the flat triangle
    Vec3f ray_start;              // on the round surface, clear of the triangle
    Vec3f normal;                 // of the round surface
    std::array<float, 3> weights; // of the triangle's corners
    bool is_front;
};

RTCIntersectContext new_context()
{
    RTCIntersectContext context;
    rtcInitIntersectContext(&context);
    return context;
}

RTCRay new_ray(const Vec3f& start, const Vec3f& direction)
{
    RTCRay ray{};
    ray.org_x = start[0];
    ray.org_y = start[1];
    ray.org_z = start[2];
    ray.dir_x = direction[0];
    ray.dir_y = direction[1];
    ray.dir_z = direction[2];
    ray.tfar = inf;
    ray.mask = ~0u;
    return ray;
}

bool is_blocked(const Stage& stage, const Vec3f& start, const Vec3f& direction)
{
    RTCIntersectContext context = new_context();
    RTCRay ray = new_ray(start, direction);
    rtcOccluded1(stage.scene.get(), &context, &ray);
    return ray.tfar < 0;
}

/// The first surface along the ray, with an infinite tfar where there is none.
RTCRayHit first_hit(const Stage& stage, const Vec3f& start, const Vec3f& direction)
{
    RTCIntersectContext context = new_context();
    RTCRayHit found{};
    found.ray = new_ray(start, direction);
    found.hit.geomID = RTC_INVALID_GEOMETRY_ID;
    rtcIntersect1(stage.scene.get(), &context, &found);
    return found;
}

Hit surface_hit(const Stage& stage, const RTCRayHit& found, const Vec3f& direction)
{
    Hit hit;
    hit.surface = &stage.surfaces[found.hit.geomID];
    hit.triangle = found.hit.primID;
    const Surface& surface = *hit.surface;
    const auto& corners = surface.triangles[hit.triangle];
    const std::array<Vec3f, 3> x{surface.positions[corners[0]], surface.positions[corners[1]],
                                 surface.positions[corners[2]]};
    hit.weights = {1 - found.hit.u - found.hit.v, found.hit.u, found.hit.v};
    const auto& weights = hit.weights;
    Vec3f plane = normalized(cross(x[1] - x[0], x[2] - x[0]));
    hit.is_front = dot(plane, direction) < 0;
    const float side = hit.is_front ? 1.0f : -1.0f;
    plane *= side;

    hit.position = weights[0] * x[0] + weights[1] * x[1] + weights[2] * x[2];
    Vec3f normal{}, lift{};
    for (std::size_t k = 0; k < 3; ++k) {
        const Vec3f corner_normal = side * surface.normals[hit.triangle][k];
        normal += weights[k] * corner_normal;
        // [Hanika2021]: up to the tangent plane of the corner, where that lies above
        const float below = std::min(0.0f, dot(hit.position - x[k], corner_normal));
        lift -= weights[k] * below * corner_normal;
    }
    hit.ray_start = hit.position + lift + stage.ray_offset * plane;

    normal = normalized(normal);
    // A normal that turns away from the viewer is bent back to just facing.
    constexpr float least_facing = 0.02f;
    const float facing = -dot(normal, direction);
    if (facing < least_facing) normal = normalized(normal - (least_facing - facing) * direction);
    hit.normal = normal;
    return hit;
}

/// Whether a hit is drawn as the floor: backdrops that lie flat are the scene's own floor.
bool is_floor(const Stage& stage, const Hit& hit)
{
    constexpr float flat = 0.9995f;
    return stage.floor.exists && hit.surface->fades && dot(hit.normal, stage.lights.up) > flat;
}

const FabricLook& look_of(const Surface& surface, std::size_t triangle)
{
    return surface.looks[surface.face_material.empty() ? 0 : surface.face_material[triangle]];
}

Vec3f hit_colour(const Stage& stage, const Hit& hit)
{
    if (is_floor(stage, hit)) return stage.floor.colour;
    const Surface& surface = *hit.surface;
    const bool is_right_side = hit.is_front || !surface.is_cloth;
    const auto& colours = is_right_side ? surface.colours : surface.back_colours;
    const std::size_t i = colours.size() == 1 ? 0 : hit.triangle;
    if (surface.second_colours.empty()) return colours[i];
    const auto& u = surface.material_coords[hit.triangle];
    const Vec2 point = double(hit.weights[0]) * u[0] + double(hit.weights[1]) * u[1] +
                       double(hit.weights[2]) * u[2];
    const double share = pattern_share(look_of(surface, hit.triangle), point);
    const auto& second = is_right_side ? surface.second_colours : surface.back_second_colours;
    return mix(colours[i], second[i], float(share));
}

// --- light ---------------------------------------------------------------------------------------
Vec3f key_direction(const Lights& lights, const Vec2f& u)
{
    const Vec2f disc = lights.key_radius * on_disc(u);
    return normalized(lights.key + disc[0] * lights.key_tangents.a +
                      disc[1] * lights.key_tangents.b);
}

/// Radiance of the surroundings but for the floor.
Vec3f sky(const Lights& lights, const Vec3f& direction)
{
    const float height = dot(direction, lights.up);
    Vec3f light = height > 0 ? mix(horizon_colour, zenith_colour, height)
                             : mix(horizon_colour, nadir_colour, std::min(1.0f, -3 * height));
    // The fill light is broad, a square of the cosine; the rim light is narrow, its sixth power.
    const float fill = std::max(0.0f, dot(direction, lights.fill));
    const float rim = std::max(0.0f, dot(direction, lights.rim));
    light += (fill * fill) * fill_colour;
    light += (rim * rim * rim * rim * rim * rim) * rim_colour;
    return light;
}

/// Distance along the ray to the floor, infinite if it does not get there.
float floor_distance(const Stage& stage, const Vec3f& start, const Vec3f& direction)
{
    if (!stage.floor.exists) return inf;
    const float rate = dot(direction, stage.lights.up);
    const float drop = stage.floor.height - dot(start, stage.lights.up);
    return rate < 0 && drop < 0 ? drop / rate : inf;
}

/// Light that leaves a surface of this colour diffusely, roughly: the main light is traced, the
/// surroundings are taken at their mean.
Vec3f bounced(const Stage& stage, const Vec3f& colour, const Vec3f& start, const Vec3f& normal,
              const Vec2f& u)
{
    Vec3f light = bounce_ambient;
    const Vec3f to_key = key_direction(stage.lights, u);
    const float facing = dot(normal, to_key);
    if (facing > 0 && !is_blocked(stage, start, to_key)) light += facing * key_colour;
    return times(colour, light);
}

/// Radiance that comes to `start` from this direction: of what is there, lit once more, or the sky.
Vec3f incoming(const Stage& stage, const Vec3f& start, const Vec3f& direction, const Vec2f& u)
{
    const RTCRayHit found = first_hit(stage, start, direction);
    const float to_floor = floor_distance(stage, start, direction);
    if (found.ray.tfar > to_floor) {
        const Vec3f position = start + to_floor * direction + stage.ray_offset * stage.lights.up;
        return bounced(stage, stage.floor.colour, position, stage.lights.up, u);
    }
    if (found.hit.geomID == RTC_INVALID_GEOMETRY_ID) return sky(stage.lights, direction);
    const Hit hit = surface_hit(stage, found, direction);
    return bounced(stage, hit_colour(stage, hit), hit.ray_start, hit.normal, u);
}

/// [OrenNayar1994] eq. 30 (the qualitative model) without its albedo, scaled to 1 facing the light.
float rough_diffuse(const Vec3f& normal, const Vec3f& to_light, const Vec3f& to_eye)
{
    constexpr float s2 = cloth_roughness * cloth_roughness;
    constexpr float a = 1 - 0.5f * s2 / (s2 + 0.33f);
    constexpr float b = 0.45f * s2 / (s2 + 0.09f);
    const float l = std::min(1.0f, dot(normal, to_light));
    const float e = std::clamp(dot(normal, to_eye), 1e-3f, 1.0f);
    if (l <= 0) return 0;
    const Vec3f across_l = to_light - l * normal;
    const Vec3f across_e = to_eye - e * normal;
    // cos(phi) sin(alpha) tan(beta) with the sines cancelled against the unnormalised tangents
    const float swing = std::max(0.0f, dot(across_l, across_e)) / std::max(l, e);
    return l * (1 + b / a * swing);
}

/// Light below the shoulder is kept; above, it nears 1 smoothly.
Vec3f tone(const Vec3f& light)
{
    Vec3f out;
    constexpr float room = 1 - tone_shoulder;
    for (std::size_t i = 0; i < 3; ++i)
        out[i] = light[i] <= tone_shoulder
                     ? light[i]
                     : tone_shoulder + room * (1 - std::exp((tone_shoulder - light[i]) / room));
    return out;
}

/// 1 below and about the subject, 0 far to its sides.
float fade(const Stage& stage, const Vec3f& position)
{
    const Vec3f& up = stage.lights.up;
    const float away = norm(position - dot(position, up) * up); // the subject is at the origin
    return 1 - smoothstep(fade_begin, fade_end, away / stage.radius);
}

/// The random points of one pixel.
struct PixelRandom {
    PixelPoints pixel, key, sky, bounce;
    std::uint64_t seed;
    double dither = 0;

    explicit PixelRandom(const RenderOptions& options)
        : pixel(std::size_t(options.samples), 4 * options.seed),
          key(std::size_t(options.samples), 4 * options.seed + 1),
          sky(std::size_t(options.samples * options.sky_samples), 4 * options.seed + 2),
          bounce(std::size_t(options.samples * options.sky_samples), 4 * options.seed + 3),
          seed(mixed_bits(options.seed))
    {}

    void move_to(std::uint32_t column, std::uint32_t row)
    {
        for (PixelPoints* points : {&pixel, &key, &sky, &bounce}) points->move_to(column, row);
        const std::uint64_t place = std::uint64_t(row) << 32 | column;
        dither = double(unit_float(std::uint32_t(mixed_bits(seed ^ mixed_bits(place)) >> 32)));
    }
};

Vec3f shade(const Stage& stage, const RenderOptions& options, const Hit& hit,
            const Vec3f& direction, const PixelRandom& random, std::size_t sample)
{
    const Lights& lights = stage.lights;
    const Vec3f colour = hit_colour(stage, hit);
    const Vec3f to_eye = -direction;
    const bool is_cloth = hit.surface->is_cloth;

    Vec3f light{};
    const Vec3f to_key = key_direction(lights, random.key[sample]);
    if (dot(hit.normal, to_key) > 0 && !is_blocked(stage, hit.ray_start, to_key))
        light += (is_cloth ? rough_diffuse(hit.normal, to_key, to_eye) : dot(hit.normal, to_key)) *
                 key_colour;

    Vec3f around_light{};
    const std::size_t count = std::size_t(options.sky_samples);
    for (std::size_t k = 0; k < count; ++k) {
        const std::size_t i = sample * count + k;
        const Vec3f out = around(hit.normal, random.sky[i]);
        around_light += incoming(stage, hit.ray_start, out, random.bounce[i]);
    }
    around_light /= float(count);
    light += around_light;

    Vec3f seen = times(colour, light);
    if (is_cloth) {
        const float grazing = 1 - std::clamp(dot(hit.normal, to_eye), 0.0f, 1.0f);
        const float sheen = hit.surface->looks.empty()
                                ? float(FabricLook{}.sheen)
                                : float(look_of(*hit.surface, hit.triangle).sheen);
        seen += (sheen * grazing * grazing * grazing) * times(mix(colour, {1, 1, 1}, 0.5f), light);
    }
    return tone(float(options.exposure) * seen);
}

/// The floor's colour is the background's, times the share of its light that gets through.
Vec3f shade_floor(const Stage& stage, const RenderOptions& options, const Vec3f& position,
                  const PixelRandom& random, std::size_t sample)
{
    const float strength = fade(stage, position);
    if (strength <= 0) return stage.background;
    const Lights& lights = stage.lights;
    const Vec3f start = position + stage.ray_offset * lights.up;

    Vec3f full = std::max(0.0f, dot(lights.up, lights.key)) * key_colour;
    Vec3f through = full;
    if (is_blocked(stage, start, key_direction(lights, random.key[sample]))) through = {};
    const std::size_t count = std::size_t(options.sky_samples);
    for (std::size_t k = 0; k < count; ++k) {
        const Vec3f out = around(lights.up, random.sky[sample * count + k]);
        const Vec3f part = sky(lights, out) / float(count);
        full += part;
        through += (is_blocked(stage, start, out) ? floor_bounce : 1.0f) * part;
    }
    Vec3f colour = stage.background;
    for (std::size_t i = 0; i < 3; ++i) colour[i] *= 1 - strength * (1 - through[i] / full[i]);
    return colour;
}

// --- wireframe
// -------------------------------------------------------------------------------------
/// Distance [pixels] from a point to the segment, both in the picture.
float segment_distance(const Vec2f& p, const Vec2f& a, const Vec2f& b)
{
    const Vec2f ab = b - a;
    const float length2 = norm2(ab);
    const float t = length2 > 0 ? std::clamp(dot(p - a, ab) / length2, 0.0f, 1.0f) : 0.0f;
    return norm(p - a - t * ab);
}

/// How much of a line there is at a picture point that shows the triangle.
float line_coverage(const Surface& surface, std::uint32_t triangle, const Vec2f& point, float width)
{
    std::array<Vec2f, 3> corners;
    for (std::size_t k = 0; k < 3; ++k) {
        const Vec3f& c = surface.on_screen[surface.triangles[triangle][k]];
        // A corner beside or behind the eye has no place in the picture; so near, the missing lines
        // of its triangle do not matter.
        if (c[2] <= 0) return 0;
        corners[k] = {c[0], c[1]};
    }
    float nearest = inf, longest = 0;
    for (std::size_t k = 0; k < 3; ++k) {
        const Vec2f& a = corners[k];
        const Vec2f& b = corners[(k + 1) % 3];
        nearest = std::min(nearest, segment_distance(point, a, b));
        longest = std::max(longest, norm(b - a));
    }
    const float coverage = std::clamp(0.5f * width + 0.5f - nearest, 0.0f, 1.0f);
    // Triangles too slender for lines of their own get paler ones, or folds would turn black.
    const float height = std::abs(cross(corners[1] - corners[0], corners[2] - corners[0])) /
                         std::max(longest, 1e-6f);
    return coverage * (0.15f + 0.85f * smoothstep(0.5f * width, 6 * width, height));
}

// --- pixels
// ---------------------------------------------------------------------------------------
Vec3f view_direction(const View& view, const Vec2f& point)
{
    return normalized(view.forward + (2 * point[0] / view.width - 1) * view.right +
                      (1 - 2 * point[1] / view.height) * view.up);
}

struct Sample {
    Vec3f colour; // linear, after the tone curve
    bool is_background;
};

Sample take_sample(const Stage& stage, const RenderOptions& options, const Vec2f& point,
                   const PixelRandom& random, std::size_t sample)
{
    const Vec3f direction = view_direction(stage.view, point);
    const RTCRayHit found = first_hit(stage, stage.view.eye, direction);
    const float to_floor = floor_distance(stage, stage.view.eye, direction);
    if (found.hit.geomID == RTC_INVALID_GEOMETRY_ID || found.ray.tfar > to_floor) {
        if (to_floor == inf) return {stage.background, true};
        const Vec3f position = stage.view.eye + to_floor * direction;
        if (fade(stage, position) <= 0) return {stage.background, true};
        return {shade_floor(stage, options, position, random, sample), false};
    }

    const Hit hit = surface_hit(stage, found, direction);
    if (is_floor(stage, hit))
        return {shade_floor(stage, options, hit.position, random, sample),
                fade(stage, hit.position) <= 0};
    const float strength = hit.surface->fades ? fade(stage, hit.position) : 1.0f;
    if (strength <= 0) return {stage.background, true};
    Vec3f colour = shade(stage, options, hit, direction, random, sample);
    if (options.wireframe && hit.surface->is_cloth)
        colour *= 1 - line_darkness * line_coverage(*hit.surface, hit.triangle, point,
                                                    float(options.line_width));
    return {mix(stage.background, colour, strength), false};
}

std::uint8_t to_byte(double display, double dither)
{
    return std::uint8_t(std::clamp(255 * display + dither, 0.0, 255.0));
}

void render_pixel(const Stage& stage, const RenderOptions& options, std::size_t column,
                  std::size_t row, PixelRandom& random, std::uint8_t* rgb)
{
    random.move_to(std::uint32_t(column), std::uint32_t(row));

    Vec3f sum{};
    bool is_background = true;
    for (std::size_t s = 0; s < std::size_t(options.samples); ++s) {
        const Vec2f u = random.pixel[s];
        const Vec2f point{float(column) + 0.5f + filter_radius * tent(u[0]),
                          float(row) + 0.5f + filter_radius * tent(u[1])};
        const Sample sample = take_sample(stage, options, point, random, s);
        sum += sample.colour;
        is_background = is_background && sample.is_background;
    }
    // Rounding at random, alike for the three channels, hides the steps of smooth shades.
    for (std::size_t i = 0; i < 3; ++i)
        rgb[i] = is_background
                     ? to_byte(options.background[i], 0.5)
                     : to_byte(srgb_from_linear(double(sum[i]) / options.samples), random.dither);
}

// --- setting the stage
// -----------------------------------------------------------------------------
void require_valid(const RenderOptions& options)
{
    constexpr int largest = 32768; // pixels a side
    const auto require = [](bool good, const char* place, const std::string& found,
                            const char* expected) {
        if (!good) throw InputError({"", std::string("render options: ") + place, found, expected});
    };
    require(options.width >= 1 && options.width <= largest, "width", std::to_string(options.width),
            "1 to 32768 pixels");
    require(options.height >= 1 && options.height <= largest, "height",
            std::to_string(options.height), "1 to 32768 pixels");
    require(options.samples >= 1 && options.samples <= 65536, "samples",
            std::to_string(options.samples), "1 to 65536");
    require(options.sky_samples >= 1 && options.sky_samples <= 1024, "sky_samples",
            std::to_string(options.sky_samples), "1 to 1024");
    require(is_finite(options.up) && norm2(options.up) > 0, "up", "no direction",
            "a vector that is not zero");
    require(is_finite(options.background), "background", "not a finite number",
            "red, green and blue between 0 and 1");
    require(std::isfinite(options.exposure) && options.exposure >= 0, "exposure",
            std::to_string(options.exposure), "a number that is not negative");
    require(options.light_radius >= 0 && options.light_radius < 1.5, "light_radius",
            std::to_string(options.light_radius), "an angle from 0 to 1.5");
    require(std::isfinite(options.light_azimuth) && std::isfinite(options.light_elevation), "light",
            "not a finite number", "finite angles");
    require(std::isfinite(options.line_width) && options.line_width >= 0, "line_width",
            std::to_string(options.line_width), "a width that is not negative");
    require(std::isfinite(options.obstacle_crease_angle), "obstacle_crease_angle",
            std::to_string(options.obstacle_crease_angle), "an angle");
    if (options.range)
        require(std::isfinite(options.range->low) && std::isfinite(options.range->high) &&
                    options.range->low <= options.range->high &&
                    (options.colour != ColourMode::size || options.range->low > 0),
                "range",
                std::to_string(options.range->low) + " to " + std::to_string(options.range->high),
                "a low end and a high end that is not below it; areas above zero");
    require(!options.ground_height || std::isfinite(*options.ground_height), "ground_height",
            "not a finite number", "a height");
}

void colour_surfaces(std::span<const RenderMesh> meshes, const RenderOptions& options,
                     std::vector<Surface>& surfaces)
{
    const auto linear = [](const Vec3& colour) { return to_float(linear_from_srgb(colour)); };
    const bool by_value = options.colour != ColourMode::fabric;
    const ValueRange range = options.range || !by_value ? options.range.value_or(ValueRange{})
                                                        : fitting_range(meshes, options.colour);
    for (std::size_t m = 0; m < meshes.size(); ++m) {
        const RenderMesh& mesh = meshes[m];
        Surface& surface = surfaces[m];
        const auto add = [&](const Vec3& colour) {
            surface.colours.push_back(linear(colour));
            surface.back_colours.push_back(linear(back_colour(colour)));
        };
        if (!mesh.is_cloth || (!by_value && mesh.looks.empty())) {
            add(mesh.base_colour);
            continue;
        }
        if (by_value) {
            for (const Vec2f& value : face_values(mesh, options.colour))
                add(value_colour(options.colour, value, range));
            continue;
        }
        surface.looks = mesh.looks;
        surface.face_material = mesh.face_material;
        const bool has_pattern =
            !mesh.material_coords.empty() &&
            std::any_of(mesh.looks.begin(), mesh.looks.end(), [](const FabricLook& look) {
                return look.pattern != FabricPattern::plain;
            });
        const std::size_t count = mesh.face_material.empty() ? 1 : mesh.triangles.size();
        for (std::size_t t = 0; t < count; ++t) {
            const FabricLook& look = look_of(surface, t);
            add(look.colour);
            if (!has_pattern) continue;
            surface.second_colours.push_back(linear(look.second));
            surface.back_second_colours.push_back(linear(back_colour(look.second)));
        }
    }
}

View make_view(const Camera& camera, const RenderOptions& options, const Vec3& origin)
{
    const CameraAxes axes = camera_axes(camera);
    const double tan_y = std::tan(0.5 * camera.vertical_fov);
    const double tan_x = tan_y * options.width / options.height;
    return {to_float(camera.eye - origin), to_float(tan_x * axes.right), to_float(tan_y * axes.up),
            to_float(axes.forward),        float(options.width),         float(options.height)};
}

/// Column and row [pixels] and depth [m] of a point.
Vec3f on_screen(const View& view, const Vec3f& x)
{
    const Vec3f d = x - view.eye;
    const float depth = dot(d, view.forward);
    const float right = dot(d, view.right) / norm2(view.right);
    const float up = dot(d, view.up) / norm2(view.up);
    return {0.5f * view.width * (1 + right / depth), 0.5f * view.height * (1 - up / depth), depth};
}

Lights make_lights(const Camera& camera, const RenderOptions& options)
{
    const CameraAxes axes = camera_axes(camera);
    const Vec3 up = normalized(options.up);
    // Towards the camera along the ground; seen from straight above, the picture's lower edge.
    Vec3 front = -axes.forward + dot(axes.forward, up) * up;
    if (norm(front) < 1e-3) front = -axes.up + dot(axes.up, up) * up;
    front = normalized(front);
    const Vec3 right = cross(up, front);
    const auto direction = [&](double azimuth, double elevation) {
        return to_float(std::cos(elevation) *
                            (std::cos(azimuth) * front + std::sin(azimuth) * right) +
                        std::sin(elevation) * up);
    };
    Lights lights;
    lights.up = to_float(up);
    lights.key = direction(options.light_azimuth, options.light_elevation);
    lights.fill = direction(options.light_azimuth + 1.9, 0.35);
    lights.rim = direction(options.light_azimuth + 3.3, 0.55);
    lights.key_tangents = tangents(lights.key);
    lights.key_radius = float(std::tan(options.light_radius));
    return lights;
}

Geometry make_geometry(RTCDevice device, const Surface& surface)
{
    Geometry geometry(rtcNewGeometry(device, RTC_GEOMETRY_TYPE_TRIANGLE));
    require_no_error(device);
    auto* x = static_cast<float*>(rtcSetNewGeometryBuffer(geometry.get(), RTC_BUFFER_TYPE_VERTEX, 0,
                                                          RTC_FORMAT_FLOAT3, 3 * sizeof(float),
                                                          surface.positions.size()));
    auto* corners = static_cast<std::uint32_t*>(
        rtcSetNewGeometryBuffer(geometry.get(), RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3,
                                3 * sizeof(std::uint32_t), surface.triangles.size()));
    require_no_error(device);
    for (const Vec3f& position : surface.positions) x = std::copy_n(position.e.data(), 3, x);
    for (const auto& triangle : surface.triangles)
        corners = std::copy_n(triangle.data(), 3, corners);
    rtcCommitGeometry(geometry.get());
    return geometry;
}

void build_scene(Stage& stage)
{
    // No "threads=" here: with TBB that would limit the whole process while the device lives.
    stage.device.reset(rtcNewDevice("start_threads=0,set_affinity=0"));
    if (!stage.device) {
        require_no_error(nullptr); // says why, where Embree knows
        throw std::runtime_error("Embree cannot start");
    }
    stage.scene.reset(rtcNewScene(stage.device.get()));
    rtcSetSceneFlags(stage.scene.get(), RTC_SCENE_FLAG_ROBUST); // no light through shared edges
    for (std::size_t m = 0; m < stage.surfaces.size(); ++m) {
        if (stage.surfaces[m].triangles.empty()) continue;
        const Geometry geometry = make_geometry(stage.device.get(), stage.surfaces[m]);
        rtcAttachGeometryByID(stage.scene.get(), geometry.get(), unsigned(m));
    }
    // On one thread, because the tree decides which of two triangles a ray through their common
    // edge meets, and the tree must not depend on the number of threads.
    const Threads one(1);
    one.run([&] { rtcJoinCommitScene(stage.scene.get()); });
    require_no_error(stage.device.get());
}

/// The normal at a corner of a triangle, turned to at least 17 degrees above its plane.
Vec3 raised_above(const Vec3& plane_normal, const Vec3& normal)
{
    constexpr double least_height = 0.3;
    const double height = dot(normal, plane_normal);
    if (height >= least_height) return normal;
    const Vec3 along = normal - height * plane_normal;
    const double length = norm(along);
    if (!(length > 0)) return plane_normal;
    return std::sqrt(1 - least_height * least_height) / length * along +
           least_height * plane_normal;
}

Stage make_stage(std::span<const RenderMesh> meshes, const Camera& camera,
                 const RenderOptions& options)
{
    Stage stage;
    const Extent cloth = cloth_box(meshes);
    const Vec3 origin = cloth.centre();
    stage.view = make_view(camera, options, origin);
    stage.lights = make_lights(camera, options);
    stage.background = to_float(linear_from_srgb(options.background));

    double radius = 0;
    for (const Vec3& x : subject_points(meshes)) radius = std::max(radius, norm(x - origin));
    stage.radius = radius > 0 ? float(radius) : 1.0f;
    // Floats about the middle carry 24 bits; rays start a few hundred roundings clear.
    stage.ray_offset = 2e-5f * stage.radius;

    const Vec3 up = normalized(options.up);
    double lowest = std::numeric_limits<double>::infinity();
    stage.surfaces.resize(meshes.size());
    for (std::size_t m = 0; m < meshes.size(); ++m) {
        const RenderMesh& mesh = meshes[m];
        Surface& surface = stage.surfaces[m];
        surface.triangles = mesh.triangles;
        surface.material_coords = mesh.material_coords;
        surface.is_cloth = mesh.is_cloth;
        surface.fades = is_backdrop(mesh, cloth);
        for (const Vec3& x : mesh.positions) surface.positions.push_back(to_float(x - origin));
        const double crease = mesh.is_cloth ? std::numbers::pi : options.obstacle_crease_angle;
        const auto normals = corner_normals(mesh, crease);
        for (std::size_t t = 0; t < normals.size(); ++t) {
            const auto& [i, j, k] = mesh.triangles[t];
            const Vec3 plane = normalized(cross(mesh.positions[j] - mesh.positions[i],
                                                mesh.positions[k] - mesh.positions[i]));
            std::array<Vec3f, 3>& raised = surface.normals.emplace_back();
            for (std::size_t c = 0; c < 3; ++c)
                raised[c] = to_float(raised_above(plane, normals[t][c]));
        }
        if (options.wireframe && mesh.is_cloth)
            for (const Vec3f& x : surface.positions)
                surface.on_screen.push_back(on_screen(stage.view, x));
        for (const auto& corners : mesh.triangles)
            for (const std::uint32_t i : corners)
                lowest = std::min(lowest, dot(mesh.positions[i], up));
    }
    colour_surfaces(meshes, options, stage.surfaces);

    if (options.ground && (options.ground_height || std::isfinite(lowest))) {
        stage.floor.exists = true;
        stage.floor.height =
            float(options.ground_height.value_or(lowest - 1e-4 * radius) - dot(origin, up));
        stage.floor.colour = stage.background;
    }
    build_scene(stage);
    return stage;
}

} // namespace

bool render_available()
{
    return true;
}

Image render(std::span<const RenderMesh> meshes, const Camera& camera, const RenderOptions& options)
{
    require_valid(options);
    require_valid(meshes);
    const Stage stage = make_stage(meshes, camera, options);

    Image image = filled_image(options.width, options.height, {0, 0, 0});
    const std::size_t width = std::size_t(options.width), height = std::size_t(options.height);
    const std::size_t tiles_across = chunk_count(width, tile_size);
    const std::size_t tile_count = tiles_across * chunk_count(height, tile_size);
    parallel_chunks(tile_count, 1, [&](std::size_t tile, std::size_t, std::size_t) {
        PixelRandom random(options);
        const std::size_t left = tile % tiles_across * tile_size;
        const std::size_t top = tile / tiles_across * tile_size;
        for (std::size_t row = top; row < std::min(top + tile_size, height); ++row)
            for (std::size_t column = left; column < std::min(left + tile_size, width); ++column)
                render_pixel(stage, options, column, row, random,
                             image.rgb.data() + 3 * (row * width + column));
    });
    return image;
}

} // namespace pleat
