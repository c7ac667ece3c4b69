// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/geometry/distance.hpp"

#include "pleat/geometry/triangle_intersection.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>

namespace pleat {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

SegmentFeature segment_feature(double t)
{
    if (t <= 0) return SegmentFeature::start;
    return t >= 1 ? SegmentFeature::end : SegmentFeature::interior;
}

constexpr TriangleFeature corners[] = {TriangleFeature::corner_a, TriangleFeature::corner_b,
                                       TriangleFeature::corner_c};
constexpr TriangleFeature edges[] = {TriangleFeature::edge_ab, TriangleFeature::edge_bc,
                                     TriangleFeature::edge_ca};

// Square of the sine of the angle above which a cross product is good to 12 digits, so that the
// interior solution can be trusted without a look at the border.
constexpr double trusted_sine2 = 1e-8;

/// Takes the nearest point of the border where that is nearer than `best`.
void try_border(const Vec3& p, const Vec3& a, const Vec3& b, const Vec3& c,
                PointTriangleDistance& best)
{
    const std::array<const Vec3*, 3> corner = {&a, &b, &c};
    for (std::size_t i = 0; i < 3; ++i) {
        const std::size_t j = (i + 1) % 3;
        const PointSegmentDistance d = point_segment_distance(p, *corner[i], *corner[j]);
        if (d.distance2 >= best.distance2) continue;
        best = {d.distance2, {}, edges[i]};
        best.weights[i] = 1 - d.t;
        best.weights[j] = d.t;
        if (d.feature == SegmentFeature::start) best.feature = corners[i];
        if (d.feature == SegmentFeature::end) best.feature = corners[j];
    }
}

Vec3 at(const std::array<Vec3, 3>& t, const std::array<double, 3>& weights)
{
    return t[0] * weights[0] + t[1] * weights[1] + t[2] * weights[2];
}

} // namespace

PointSegmentDistance point_segment_distance(const Vec3& p, const Vec3& start, const Vec3& end)
{
    const Vec3 d = end - start, r = p - start;
    const double length2 = norm2(d);
    const double t = length2 > 0 ? std::clamp(dot(r, d) / length2, 0.0, 1.0) : 0.0;
    // From the nearer end, so that the end itself is exact.
    const Vec3 gap = t > 0.5 ? (p - end) + d * (1 - t) : r - d * t;
    return {norm2(gap), t, segment_feature(t)};
}

PointTriangleDistance point_triangle_distance(const Vec3& p, const Vec3& a, const Vec3& b,
                                              const Vec3& c)
{
    PointTriangleDistance best = {infinity, {1, 0, 0}, TriangleFeature::corner_a};
    const Vec3 ab = b - a, ac = c - a, ap = p - a;
    const Vec3 n = cross(ab, ac);
    const double n2 = norm2(n);
    if (n2 > 0) {
        double wb = dot(cross(ap, ac), n) / n2, wc = dot(cross(ab, ap), n) / n2;
        const bool trusted = n2 > trusted_sine2 * norm2(ab) * norm2(ac);
        // In a needle the first weights are poor: solve again for what they left over.
        for (int i = 0; i < (trusted ? 0 : 2); ++i) {
            const Vec3 rest = ap - ab * wb - ac * wc;
            wb += dot(cross(rest, ac), n) / n2;
            wc += dot(cross(ab, rest), n) / n2;
        }
        const double wa = 1 - wb - wc;
        if (wa > 0 && wb > 0 && wc > 0) {
            best = {norm2(ap - ab * wb - ac * wc), {wa, wb, wc}, TriangleFeature::face};
            if (trusted) return best;
        }
    }
    try_border(p, a, b, c, best);
    return best;
}

SegmentSegmentDistance segment_segment_distance(const Vec3& a0, const Vec3& a1, const Vec3& b0,
                                                const Vec3& b1)
{
    SegmentSegmentDistance best = {infinity, 0, 0, SegmentFeature::start, SegmentFeature::start};
    const Vec3 da = a1 - a0, db = b1 - b0, r = b0 - a0;
    // By cross products: |da|^2 |db|^2 - (da.db)^2 would lose an angle of 1e-8 to rounding.
    const Vec3 n = cross(da, db);
    const double n2 = norm2(n);
    if (n2 > 0) {
        double s = dot(cross(r, db), n) / n2, t = dot(cross(r, da), n) / n2;
        if (s > 0 && s < 1 && t > 0 && t < 1) {
            const bool trusted = n2 > trusted_sine2 * norm2(da) * norm2(db);
            if (!trusted) {
                // Nearly parallel: s and t are poor apart, so take each nearest to the other.
                t = std::clamp(dot(da * s - r, db) / norm2(db), 0.0, 1.0);
                s = std::clamp(dot(r + db * t, da) / norm2(da), 0.0, 1.0);
            }
            best = {norm2(r + db * t - da * s), s, t, segment_feature(s), segment_feature(t)};
            if (trusted) return best;
        }
    }
    const auto try_end = [&](const PointSegmentDistance& d, double s, double t) {
        if (d.distance2 < best.distance2)
            best = {d.distance2, s, t, segment_feature(s), segment_feature(t)};
    };
    const PointSegmentDistance start_a = point_segment_distance(a0, b0, b1);
    try_end(start_a, 0, start_a.t);
    const PointSegmentDistance end_a = point_segment_distance(a1, b0, b1);
    try_end(end_a, 1, end_a.t);
    const PointSegmentDistance start_b = point_segment_distance(b0, a0, a1);
    try_end(start_b, start_b.t, 0);
    const PointSegmentDistance end_b = point_segment_distance(b1, a0, a1);
    try_end(end_b, end_b.t, 1);
    return best;
}

TriangleTriangleDistance separate_triangle_distance(const std::array<Vec3, 3>& a,
                                                    const std::array<Vec3, 3>& b)
{
    TriangleTriangleDistance best = {infinity, a[0], b[0]};
    for (std::size_t i = 0; i < 3; ++i) {
        const PointTriangleDistance from_a = point_triangle_distance(a[i], b[0], b[1], b[2]);
        if (from_a.distance2 < best.distance2)
            best = {from_a.distance2, a[i], at(b, from_a.weights)};
        const PointTriangleDistance from_b = point_triangle_distance(b[i], a[0], a[1], a[2]);
        if (from_b.distance2 < best.distance2)
            best = {from_b.distance2, at(a, from_b.weights), b[i]};
        for (std::size_t j = 0; j < 3; ++j) {
            const Vec3 &a0 = a[i], &a1 = a[(i + 1) % 3], &b0 = b[j], &b1 = b[(j + 1) % 3];
            const SegmentSegmentDistance d = segment_segment_distance(a0, a1, b0, b1);
            if (d.distance2 < best.distance2)
                best = {d.distance2, a0 * (1 - d.s) + a1 * d.s, b0 * (1 - d.t) + b1 * d.t};
        }
    }
    return best;
}

TriangleTriangleDistance triangle_triangle_distance(const std::array<Vec3, 3>& a,
                                                    const std::array<Vec3, 3>& b)
{
    const TriangleTriangleDistance nearest = separate_triangle_distance(a, b);
    if (triangle_relation(a, b) == TriangleRelation::apart) return nearest;
    Vec3 common = nearest.point_a;
    if (const auto segment = intersection_segment(a, b))
        common = ((*segment)[0] + (*segment)[1]) / 2.0;
    return {0, common, common};
}

} // namespace pleat
