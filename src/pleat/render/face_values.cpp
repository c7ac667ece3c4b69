// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/render/face_values.hpp"

#include "pleat/geometry/decompose.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <span>

namespace pleat {

namespace {

constexpr float nan = std::numeric_limits<float>::quiet_NaN();
constexpr Vec2f missing{nan, nan};
constexpr float infinite = std::numeric_limits<float>::infinity();

std::vector<Vec2f> shape_values(const RenderMesh& mesh, ColourMode mode)
{
    std::vector<Vec2f> values;
    values.reserve(mesh.triangles.size());
    for (const FaceShape& s : face_shapes(mesh))
        values.push_back(mode == ColourMode::size ? Vec2f{float(s.area), float(s.aspect)}
                                                  : Vec2f{float(s.aspect), float(s.area)});
    return values;
}

/// Strains of the map from material to world: singular values of its gradient, less one.
Vec2f strain_value(const RenderMesh& mesh, std::size_t t)
{
    const auto& u = mesh.material_coords[t];
    const auto& [i, j, k] = mesh.triangles[t];
    const Vec2 a = u[1] - u[0], b = u[2] - u[0];
    const double twice_area = cross(a, b);
    if (twice_area == 0) return missing;
    const Vec3 p = mesh.positions[j] - mesh.positions[i], q = mesh.positions[k] - mesh.positions[i];
    const Vec3 along_u = (b[1] * p - a[1] * q) / twice_area;
    const Vec3 along_v = (a[0] * q - b[0] * p) / twice_area;
    const double uv = dot(along_u, along_v);
    const EigenSym2 s = eigen_symmetric(Mat2{{norm2(along_u), uv, uv, norm2(along_v)}});
    return {float(std::sqrt(std::max(0.0, s.values[0])) - 1),
            float(std::sqrt(std::max(0.0, s.values[1])) - 1)};
}

/// Principal curvatures of the surface that the corner normals describe: how they change over the
/// flat triangle.
Vec2f curvature_value(const RenderMesh& mesh, std::size_t t, const std::array<Vec3, 3>& normals)
{
    const auto& [i, j, k] = mesh.triangles[t];
    const Vec3 p = mesh.positions[j] - mesh.positions[i], q = mesh.positions[k] - mesh.positions[i];
    const double length = norm(p);
    const Vec3 across = cross(p, q);
    if (length == 0 || norm2(across) == 0) return missing;
    const Vec3 e = p / length, f = normalized(cross(across, p));
    const double qe = dot(q, e), qf = dot(q, f);
    const Vec3 along_e = (normals[1] - normals[0]) / length;
    const Vec3 along_f = (normals[2] - normals[0] - qe * along_e) / qf;
    const double mixed = 0.5 * (dot(along_e, f) + dot(along_f, e));
    const Vec2 k12 = eigen_symmetric(Mat2{{dot(along_e, e), mixed, mixed, dot(along_f, f)}}).values;
    return std::abs(k12[0]) >= std::abs(k12[1]) ? Vec2f{float(k12[0]), float(k12[1])}
                                                : Vec2f{float(k12[1]), float(k12[0])};
}

/// \param longest where no driver asks for less, the longest edge rules, and none of them
Vec2f driver_value(std::span<const float> lengths, float longest)
{
    constexpr float half_precision = 0x1p-10f; // of lengths that come from a file, relative
    const auto shortest = std::min_element(lengths.begin(), lengths.end());
    if (shortest == lengths.end() || !(*shortest < longest * (1 - half_precision)))
        return {0, infinite};
    return {float(1 + (shortest - lengths.begin())), *shortest};
}

/// The number that colours show: the strain or curvature of larger magnitude, else the first.
double shown_value(ColourMode mode, const Vec2f& v)
{
    if (mode == ColourMode::strain) return std::abs(v[0]) >= std::abs(v[1]) ? v[0] : v[1];
    return v[0];
}

/// One for "none", then one for each sizing metric in the order of the scene's list, with what it
/// is in the default list; all beyond share the last.
constexpr std::array<Vec3, 8> driver_colours{{
    {0.72, 0.74, 0.77}, // none
    {0.86, 0.36, 0.30}, // curvature
    {0.95, 0.73, 0.30}, // compression
    {0.27, 0.60, 0.58}, // velocity
    {0.44, 0.42, 0.70}, // obstacle
    {0.53, 0.71, 0.33},
    {0.84, 0.52, 0.72},
    {0.36, 0.57, 0.83},
}};

} // namespace

std::optional<ColourMode> colour_mode_of(std::string_view name)
{
    for (std::size_t i = 0; i < colour_mode_count; ++i)
        if (colour_mode_names[i] == name) return ColourMode(i);
    return std::nullopt;
}

bool is_category(ColourMode mode)
{
    return mode == ColourMode::fabric || mode == ColourMode::material || mode == ColourMode::driver;
}

std::vector<Vec2f> face_values(const RenderMesh& mesh, ColourMode mode)
{
    const std::size_t count = mesh.triangles.size();
    if (mode == ColourMode::size || mode == ColourMode::aspect) return shape_values(mesh, mode);
    std::vector<Vec2f> values(count, mode == ColourMode::fabric ? Vec2f{} : missing);
    if (mode == ColourMode::strain && !mesh.material_coords.empty())
        for (std::size_t t = 0; t < count; ++t) values[t] = strain_value(mesh, t);
    if (mode == ColourMode::velocity && !mesh.velocities.empty())
        for (std::size_t t = 0; t < count; ++t) {
            const auto& [i, j, k] = mesh.triangles[t];
            values[t] = {
                (norm(mesh.velocities[i]) + norm(mesh.velocities[j]) + norm(mesh.velocities[k])) /
                    3,
                0};
        }
    if (mode == ColourMode::curvature) {
        const auto normals = corner_normals(mesh, std::numbers::pi);
        for (std::size_t t = 0; t < count; ++t) values[t] = curvature_value(mesh, t, normals[t]);
    }
    if (mode == ColourMode::material)
        for (std::size_t t = 0; t < count; ++t)
            values[t] = {mesh.face_material.empty() ? 0.0f : float(mesh.face_material[t]), 0};
    if (mode == ColourMode::driver && !mesh.face_drivers.empty())
        for (std::size_t t = 0; t < count; ++t)
            values[t] = driver_value(
                std::span(mesh.face_drivers).subspan(t * mesh.driver_count, mesh.driver_count),
                mesh.longest_edge);
    if (mode == ColourMode::generation && !mesh.face_generation.empty())
        for (std::size_t t = 0; t < count; ++t) values[t] = {float(mesh.face_generation[t]), 0};
    return values;
}

ValueRange fitting_range(std::span<const RenderMesh> meshes, ColourMode mode)
{
    if (mode == ColourMode::aspect || mode == ColourMode::fabric) return {0, 1};
    if (mode == ColourMode::material) return {0, double(cloth_colour_count)};
    if (mode == ColourMode::driver) return {0, double(driver_colours.size())};
    std::vector<double> shown;
    double total = 0;
    for (const RenderMesh& mesh : meshes)
        if (mesh.is_cloth)
            for (const Vec2f& v : face_values(mesh, mode)) {
                const double s = shown_value(mode, v);
                if (!std::isfinite(s) || (mode == ColourMode::size && !(s > 0))) continue;
                shown.push_back(mode == ColourMode::size ? s : std::abs(s));
                total += s;
            }
    if (shown.empty()) return mode == ColourMode::size ? ValueRange{1e-6, 1} : ValueRange{0, 1};
    std::sort(shown.begin(), shown.end());
    if (mode == ColourMode::generation) return {0, std::max(shown.back(), 1.0)};
    constexpr double extreme_share = 0.02;
    if (mode == ColourMode::size) {
        // But for the smallest 2 % of the faces, and the largest that make up 2 % of the cloth.
        const double low = shown[std::size_t(extreme_share * double(shown.size()))];
        std::size_t largest = shown.size() - 1;
        double beyond = shown[largest];
        while (largest > 0 && beyond < extreme_share * total) beyond += shown[--largest];
        // Faces that hardly differ are all large: rounding is nothing to show.
        constexpr double least_ratio = 4;
        const double high = std::max(low, shown[largest]);
        return {std::min(low, high / least_ratio), high};
    }
    const double high = shown[std::size_t((1 - extreme_share) * double(shown.size() - 1))];
    // Less than this is rounding [1, m/s, 1/m].
    const double least = mode == ColourMode::strain     ? 1e-3
                         : mode == ColourMode::velocity ? 1e-3
                                                        : 1e-2;
    const double top = std::max(high, least);
    return {mode == ColourMode::velocity ? 0.0 : -top, top};
}

ValueRange united(ColourMode mode, const ValueRange& a, const ValueRange& b)
{
    if (is_category(mode)) return a;
    return {std::min(a.low, b.low), std::max(a.high, b.high)};
}

Vec3 signed_colour(double t)
{
    t = std::clamp(t, -1.0, 1.0);
    // Straight lines in OKLab from a light middle to two ends of equal darkness.
    const Vec3 middle = oklab_from_linear(linear_from_srgb(Vec3{0.94, 0.93, 0.90}));
    const Vec3 end = oklab_from_linear(
        linear_from_srgb(t < 0 ? Vec3{0.09, 0.42, 0.52} : Vec3{0.72, 0.20, 0.22}));
    const double s = std::pow(std::abs(t), 0.85); // small amounts are told from none
    Vec3 colour = linear_from_oklab((1 - s) * middle + s * end);
    for (double& c : colour.e) c = std::clamp(c, 0.0, 1.0);
    return srgb_from_linear(colour);
}

Vec3 value_colour(ColourMode mode, const Vec2f& value, const ValueRange& range)
{
    const double shown = shown_value(mode, value);
    constexpr Vec3 unknown{0.72, 0.74, 0.77};
    if (!std::isfinite(shown)) return unknown;
    switch (mode) {
    case ColourMode::fabric:
        return cloth_colour(0);
    case ColourMode::size:
        return face_colour(std::max(shown, 1e-300), value[1], range.low, range.high);
    case ColourMode::material:
        return cloth_colour(std::size_t(shown));
    case ColourMode::driver:
        return driver_colours[std::min(std::size_t(shown), driver_colours.size() - 1)];
    case ColourMode::strain:
    case ColourMode::curvature: {
        const double middle = 0.5 * (range.low + range.high);
        const double half = 0.5 * (range.high - range.low);
        return signed_colour(half > 0 ? (shown - middle) / half : 0);
    }
    case ColourMode::aspect:
    case ColourMode::velocity:
    case ColourMode::generation:
        return scalar_colour(range.high > range.low ? (shown - range.low) / (range.high - range.low)
                                                    : 0);
    }
    return unknown;
}

} // namespace pleat
