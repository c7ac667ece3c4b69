// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/model/camera.hpp"

#include "pleat/core/error.hpp"
#include "pleat/geometry/distance.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

namespace pleat {

namespace {

/// A key as ten numbers that are interpolated one by one.
using Numbers = Vec<double, 10>;

Numbers to_numbers(const CameraKey& k)
{
    return {k.eye[0],    k.eye[1], k.eye[2], k.target[0], k.target[1],
            k.target[2], k.up[0],  k.up[1],  k.up[2],     k.fov};
}

Numbers to_numbers(const CameraRate& r)
{
    return {r.eye[0], r.eye[1], r.eye[2], r.target[0], r.target[1], r.target[2], 0, 0, 0, r.fov};
}

bool is_cut(const std::vector<CameraKey>& keys, std::size_t first)
{
    return keys[first].time == keys[first + 1].time;
}

/// The derivative at key i. Shots do not see each other.
Numbers rate_at(const std::vector<CameraKey>& keys, std::size_t i)
{
    if (keys[i].velocity) return to_numbers(*keys[i].velocity);
    if (i == 0 || i + 1 == keys.size() || is_cut(keys, i - 1) || is_cut(keys, i)) return {};
    return (to_numbers(keys[i + 1]) - to_numbers(keys[i - 1])) /
           (keys[i + 1].time - keys[i - 1].time);
}

Numbers numbers_at(const std::vector<CameraKey>& keys, double time)
{
    const auto after = std::upper_bound(keys.begin(), keys.end(), time,
                                        [](double t, const CameraKey& k) { return t < k.time; });
    if (after == keys.begin()) return to_numbers(keys.front());
    if (after == keys.end()) return to_numbers(keys.back());
    const auto i = static_cast<std::size_t>(after - keys.begin()) - 1;
    const HermiteWeights w = hermite_weights(keys[i].time, keys[i + 1].time, time);
    return w.h00 * to_numbers(keys[i]) + w.h10 * rate_at(keys, i) +
           w.h01 * to_numbers(keys[i + 1]) + w.h11 * rate_at(keys, i + 1);
}

/// A unit vector square to the unit vector a, from `hint` where that is possible.
Vec3 square_to(const Vec3& a, const Vec3& hint)
{
    const Vec3 across = hint - dot(hint, a) * a;
    if (norm(across) > 1e-6 * norm(hint)) return normalized(across);
    const Vec3 other = std::abs(a[1]) < 0.9 ? Vec3{0, 1, 0} : Vec3{0, 0, 1};
    return normalized(other - dot(other, a) * a);
}

/// Whether a part of the triangle is left when all that is outside of any plane is cut off.
bool meets(const Frustum& f, const std::array<Vec3, 3>& triangle)
{
    std::array<Vec3, 9> polygon{triangle[0], triangle[1], triangle[2]};
    std::size_t count = 3;
    for (const Frustum::Plane& plane : f.planes) {
        std::array<Vec3, 9> kept{};
        std::size_t kept_count = 0;
        for (std::size_t i = 0; i < count; ++i) {
            const Vec3 &a = polygon[i], &b = polygon[(i + 1) % count];
            const double ha = plane.height(a), hb = plane.height(b);
            if (ha <= 0) kept[kept_count++] = a;
            if ((ha < 0 && hb > 0) || (ha > 0 && hb < 0))
                kept[kept_count++] = a + (ha / (ha - hb)) * (b - a);
        }
        if (kept_count == 0) return false;
        polygon = kept;
        count = kept_count;
    }
    return true;
}

} // namespace

CameraView camera_at(const CameraTrack& track, double time)
{
    PLEAT_ASSERT(!track.keys.empty(), "a camera has a key");
    const Numbers n = numbers_at(track.keys, time);
    const Transform t = transform_at(track.motion, time);
    return {apply(t, {n[0], n[1], n[2]}),
            apply(t, {n[3], n[4], n[5]}),
            rotate(t.rotation, {n[6], n[7], n[8]}),
            n[9],
            track.aspect,
            track.near,
            track.far};
}

std::vector<double> cuts_between(const CameraTrack& track, double after, double before)
{
    std::vector<double> times;
    for (std::size_t i = 0; i + 1 < track.keys.size(); ++i)
        if (const double t = track.keys[i].time; is_cut(track.keys, i) && t > after && t < before)
            times.push_back(t);
    return times;
}

Frustum frustum_of(const CameraView& view)
{
    Frustum f;
    f.eye = view.eye;
    f.forward = normalized(view.target - view.eye);
    f.upward = square_to(f.forward, view.up);
    f.across = cross(f.forward, f.upward);
    f.tan_y = std::tan(0.5 * view.fov);
    f.tan_x = f.tan_y * view.aspect;
    f.near = view.near;
    f.far = view.far;
    const auto plane = [&](const Vec3& normal, const Vec3& through) {
        const Vec3 n = normalized(normal);
        return Frustum::Plane{n, dot(n, through)};
    };
    f.planes[Frustum::left] = plane(-1.0 * f.across - f.tan_x * f.forward, f.eye);
    f.planes[Frustum::right] = plane(f.across - f.tan_x * f.forward, f.eye);
    f.planes[Frustum::bottom] = plane(-1.0 * f.upward - f.tan_y * f.forward, f.eye);
    f.planes[Frustum::top] = plane(f.upward - f.tan_y * f.forward, f.eye);
    f.planes[Frustum::front] = plane(-1.0 * f.forward, f.eye + f.near * f.forward);
    f.planes[Frustum::back] = plane(f.forward, f.eye + f.far * f.forward);
    const auto corner = [&](double x, double y, double depth) {
        return f.eye + depth * (f.forward + (x * f.tan_x) * f.across + (y * f.tan_y) * f.upward);
    };
    const auto side_of = [&](double x0, double y0, double x1, double y1) {
        return std::array{corner(x0, y0, f.near), corner(x0, y0, f.far), corner(x1, y1, f.far),
                          corner(x1, y1, f.near)};
    };
    const auto end_at = [&](double depth) {
        return std::array{corner(-1, -1, depth), corner(1, -1, depth), corner(1, 1, depth),
                          corner(-1, 1, depth)};
    };
    f.sides[Frustum::left] = side_of(-1, -1, -1, 1);
    f.sides[Frustum::right] = side_of(1, -1, 1, 1);
    f.sides[Frustum::bottom] = side_of(-1, -1, 1, -1);
    f.sides[Frustum::top] = side_of(-1, 1, 1, 1);
    f.sides[Frustum::front] = end_at(f.near);
    f.sides[Frustum::back] = end_at(f.far);
    return f;
}

double distance_from(const Frustum& f, const std::array<Vec3, 3>& triangle, double reach)
{
    // A point is at least as far from the volume as from any plane that it is outside of.
    std::array<bool, 6> is_crossed{};
    std::array<bool, 3> is_inside{true, true, true};
    double least = 0;
    for (std::size_t k = 0; k < 6; ++k) {
        double lowest = std::numeric_limits<double>::infinity();
        for (std::size_t i = 0; i < 3; ++i) {
            const double h = f.planes[k].height(triangle[i]);
            lowest = std::min(lowest, h);
            is_crossed[k] = is_crossed[k] || h > 0;
            is_inside[i] = is_inside[i] && h <= 0;
        }
        least = std::max(least, lowest);
    }
    if (least >= reach) return reach;
    if (is_inside[0] || is_inside[1] || is_inside[2]) return 0;
    if (least <= 0 && meets(f, triangle)) return 0;
    // The nearest point of the volume is on a side of which the triangle's nearest point is
    // outside.
    double nearest2 = reach * reach;
    for (std::size_t k = 0; k < 6; ++k) {
        if (!is_crossed[k]) continue;
        const auto& c = f.sides[k];
        for (const std::array<Vec3, 3>& half :
             {std::array{c[0], c[1], c[2]}, std::array{c[0], c[2], c[3]}})
            nearest2 = std::min(nearest2, separate_triangle_distance(half, triangle).distance2);
    }
    return std::sqrt(nearest2);
}

bool is_facing(const Frustum& f, const std::array<Vec3, 3>& t)
{
    return dot(cross(t[1] - t[0], t[2] - t[0]), f.eye - t[0]) > 0;
}

Vec2 projected(const Frustum& f, const Vec3& p)
{
    const Vec3 to = p - f.eye;
    const double unit = 2 * f.tan_y * dot(f.forward, to); // height of the picture there
    return {dot(f.across, to) / unit, dot(f.upward, to) / unit};
}

} // namespace pleat
