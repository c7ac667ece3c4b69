// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/render/camera.hpp"

#include "pleat/core/error.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

namespace pleat {

namespace {

constexpr double frame_margin = 0.06;  // of the half width, left free at each side
constexpr double backdrop_ratio = 3.0; // see is_backdrop
constexpr double flat_ratio = 1.5;     // the same of things without thickness
constexpr double flatness = 0.01;      // thickness over extent below which a thing is flat

/// A unit vector square to the unit vector a, from `hint` where that is possible.
Vec3 perpendicular(const Vec3& a, const Vec3& hint)
{
    const Vec3 across = hint - dot(hint, a) * a;
    if (norm(across) > 1e-6 * norm(hint)) return normalized(across);
    const Vec3 other = std::abs(a[1]) < 0.9 ? Vec3{0, 1, 0} : Vec3{0, 0, 1};
    return normalized(other - dot(other, a) * a);
}

void grow(Extent& box, const Vec3& x)
{
    for (std::size_t i = 0; i < 3; ++i) {
        box.low[i] = std::min(box.low[i], x[i]);
        box.high[i] = std::max(box.high[i], x[i]);
    }
}

constexpr Extent empty_box()
{
    constexpr double inf = std::numeric_limits<double>::infinity();
    return {{inf, inf, inf}, {-inf, -inf, -inf}};
}

bool is_empty(const Extent& box)
{
    return box.low[0] > box.high[0];
}

void grow(Extent& box, const RenderMesh& mesh)
{
    for (const auto& corners : mesh.triangles)
        for (const std::uint32_t i : corners) grow(box, mesh.positions[i]);
}

bool contains(const Extent& box, const Vec3& x)
{
    for (std::size_t i = 0; i < 3; ++i)
        if (x[i] < box.low[i] || x[i] > box.high[i]) return false;
    return true;
}

/// The place along an axis, between low and high, from which the points (in camera coordinates)
/// reach as far to the one side of the picture as to the other.
double centred(const std::vector<Vec3>& points, std::size_t axis, double ez, double low,
               double high)
{
    constexpr int halvings = 20; // to a millionth of the picture
    for (int i = 0; i < halvings; ++i) {
        const double middle = 0.5 * (low + high);
        double least = std::numeric_limits<double>::infinity(), most = -least;
        for (const Vec3& point : points) {
            const double slope = (point[axis] - middle) / (point[2] - ez);
            least = std::min(least, slope);
            most = std::max(most, slope);
        }
        (least + most > 0 ? low : high) = middle;
    }
    return 0.5 * (low + high);
}

} // namespace

CameraAxes camera_axes(const Camera& camera)
{
    const Vec3 sight = camera.target - camera.eye;
    if (!is_finite(sight) || !is_finite(camera.up) || !(norm2(sight) > 0))
        throw InputError({"", "camera", "eye and target coincide or are not finite",
                          "two different finite points"});
    if (!(camera.vertical_fov > 0 && camera.vertical_fov < std::numbers::pi))
        throw InputError({"", "camera.vertical_fov", std::to_string(camera.vertical_fov),
                          "an angle between 0 and pi"});
    const Vec3 forward = normalized(sight);
    const Vec3 up = perpendicular(forward, normalized(camera.up));
    return {cross(forward, up), up, forward};
}

Extent cloth_box(std::span<const RenderMesh> meshes)
{
    Extent box = empty_box();
    for (const RenderMesh& mesh : meshes)
        if (mesh.is_cloth) grow(box, mesh);
    if (is_empty(box))
        for (const RenderMesh& mesh : meshes) grow(box, mesh);
    return is_empty(box) ? Extent{} : box;
}

bool is_backdrop(const RenderMesh& mesh, const Extent& cloth)
{
    if (mesh.is_cloth) return false;
    Extent box = empty_box();
    grow(box, mesh);
    if (is_empty(box)) return false;
    const Vec3 size = box.high - box.low;
    const bool is_flat =
        std::min({size[0], size[1], size[2]}) < flatness * std::max({size[0], size[1], size[2]});
    return box.diagonal() > (is_flat ? flat_ratio : backdrop_ratio) * cloth.diagonal();
}

std::vector<Vec3> subject_points(std::span<const RenderMesh> meshes)
{
    const Extent cloth = cloth_box(meshes);
    // The box of a flat sheet has no thickness: what stands on it still counts.
    const double half = 0.5 * backdrop_ratio * cloth.diagonal();
    const Vec3 reach{half, half, half};
    const Extent near{cloth.centre() - reach, cloth.centre() + reach};
    std::vector<Vec3> points;
    for (const RenderMesh& mesh : meshes) {
        if (is_backdrop(mesh, cloth)) continue;
        std::vector<bool> is_used(mesh.positions.size(), false);
        for (const auto& corners : mesh.triangles)
            for (const std::uint32_t i : corners) is_used[i] = true;
        for (std::size_t i = 0; i < mesh.positions.size(); ++i)
            if (is_used[i] && (mesh.is_cloth || contains(near, mesh.positions[i])))
                points.push_back(mesh.positions[i]);
    }
    return points;
}

Camera fit_camera(std::span<const RenderMesh> meshes, const Vec3& up, double aspect, double azimuth,
                  double elevation, double vertical_fov)
{
    PLEAT_ASSERT(aspect > 0, "a picture has a width and a height");
    PLEAT_ASSERT(norm2(up) > 0, "there is an up");
    const Vec3 pole = normalized(up);
    const Vec3 side = perpendicular(pole, {1, 0, 0});
    const Vec3 front = cross(side, pole);
    const Vec3 outward =
        std::cos(elevation) * (std::cos(azimuth) * front + std::sin(azimuth) * side) +
        std::sin(elevation) * pole;
    // Seen from above or below, the horizon's direction of the azimuth stays the picture's up.
    const Vec3 picture_up =
        std::cos(elevation) * pole -
        std::sin(elevation) * (std::cos(azimuth) * front + std::sin(azimuth) * side);

    Camera camera{outward, {0, 0, 0}, picture_up, vertical_fov};
    const CameraAxes axes = camera_axes(camera);
    const double tan_y = (1 - frame_margin) * std::tan(0.5 * vertical_fov);
    const double tan_x = tan_y * aspect;

    // In camera coordinates a point (x, y, z) is in frame of an eye at (ex, ey, ez) where
    // |x - ex| <= tan_x (z - ez), and likewise for y. Each pair of planes alone is tightest where
    // both touch; the farther of the two depths satisfies both pairs.
    constexpr double inf = std::numeric_limits<double>::infinity();
    double right = -inf, left = -inf, top = -inf, bottom = -inf, z_min = inf, z_max = -inf;
    std::vector<Vec3> points = subject_points(meshes);
    if (points.empty()) return camera;
    for (Vec3& point : points) {
        point = {dot(point, axes.right), dot(point, axes.up), dot(point, axes.forward)};
        right = std::max(right, point[0] - tan_x * point[2]);
        left = std::max(left, -point[0] - tan_x * point[2]);
        top = std::max(top, point[1] - tan_y * point[2]);
        bottom = std::max(bottom, -point[1] - tan_y * point[2]);
        z_min = std::min(z_min, point[2]);
        z_max = std::max(z_max, point[2]);
    }
    double ez = std::min(-(right + left) / (2 * tan_x), -(top + bottom) / (2 * tan_y));
    // A point, or a sheet seen edge on, has no width to fill: keep off it.
    const double depth = std::max(z_max - z_min, cloth_box(meshes).diagonal());
    ez = std::min(ez, z_min - (depth > 0 ? 0.05 * depth : 1.0));

    // What room is left is divided evenly.
    const double ex = centred(points, 0, ez, right + tan_x * ez, -left - tan_x * ez);
    const double ey = centred(points, 1, ez, top + tan_y * ez, -bottom - tan_y * ez);
    camera.eye = ex * axes.right + ey * axes.up + ez * axes.forward;
    camera.target = camera.eye + (0.5 * (z_min + z_max) - ez) * axes.forward;
    return camera;
}

} // namespace pleat
