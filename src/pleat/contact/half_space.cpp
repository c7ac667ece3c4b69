// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/contact/half_space.hpp"

#include <algorithm>
#include <cmath>

namespace pleat {

namespace {

constexpr double kept_share = 0.5; // of the height that a node starts with
// A lowest point earlier than this is not corrected by raising the end position, which would have
// to move too far.
constexpr double earliest = 0.05;

std::array<Vec3, 4> between(const std::array<Vec3, 4>& x0, const std::array<Vec3, 4>& x1, double t)
{
    std::array<Vec3, 4> x;
    for (std::size_t i = 0; i < 4; ++i) x[i] = (1 - t) * x0[i] + t * x1[i];
    return x;
}

/// The times inside the step at which the volume of node and plane is stationary.
std::array<double, 2> stationary_times(const std::array<Vec3, 4>& x0, const std::array<Vec3, 4>& x1)
{
    const auto change = [&](std::size_t i, std::size_t j) {
        return (x1[i] - x1[j]) - (x0[i] - x0[j]);
    };
    const Vec3 r = x0[0] - x0[1], a = x0[2] - x0[1], b = x0[3] - x0[1];
    const Vec3 dr = change(0, 1), da = change(2, 1), db = change(3, 1);
    // The plane's normal is n0 + t n1 + t^2 n2, the volume a cubic in t.
    const Vec3 n0 = cross(a, b), n1 = cross(a, db) + cross(da, b), n2 = cross(da, db);
    const double c1 = dot(dr, n0) + dot(r, n1), c2 = dot(dr, n1) + dot(r, n2), c3 = dot(dr, n2);
    std::array<double, 2> times = {1, 1};
    const double p = 3 * c3, q = 2 * c2, root2 = q * q - 4 * p * c1;
    if (root2 < 0) return times;
    const double s = -0.5 * (q + std::copysign(std::sqrt(root2), q));
    if (p != 0 && s / p > 0 && s / p < 1) times[0] = s / p;
    if (s != 0 && c1 / s > 0 && c1 / s < 1) times[1] = c1 / s;
    return times;
}

} // namespace

PlaneHeight height_above(const std::array<Vec3, 4>& x)
{
    const Vec3 r = x[0] - x[1], a = x[2] - x[1], b = x[3] - x[1];
    const Vec3 n = cross(a, b);
    const double area2 = norm2(n), area = std::sqrt(area2);
    PlaneHeight h;
    h.normal = n / area;
    h.height = dot(h.normal, r);
    const double wa = dot(cross(r, b), n) / area2, wb = dot(cross(a, r), n) / area2;
    h.weights = {1, -(1 - wa - wb), -wa, -wb};
    return h;
}

PlaneImpact plane_impact(const std::array<Vec3, 4>& x0, const std::array<Vec3, 4>& x1, double least,
                         double separation)
{
    PlaneImpact result;
    const double start = height_above(x0).height;
    if (start <= 0) return result;
    if (start < least) {
        result.impact.touching_at_start = true;
        least = kept_share * start;
    }
    const PlaneHeight end = height_above(x1);
    double needed = end.height < least ? separation : end.height;
    for (const double t : stationary_times(x0, x1)) {
        if (t < earliest || t >= 1) continue;
        const double low = height_above(between(x0, x1, t)).height;
        if (low < least) needed = std::max(needed, end.height + (separation - low) / t);
    }
    if (needed <= end.height) return result;
    result.impact.hit = true;
    result.impact.t = 0;
    result.impact.normal = end.normal;
    result.impact.weights = end.weights;
    result.target = needed;
    return result;
}

} // namespace pleat
