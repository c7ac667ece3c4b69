// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// A slow oracle for the relation of two triangles with small integer corners: it lists the corners
// of their common part as rational points and asks which of them are where, in integers only.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace pleat::test {

using Int = std::int64_t;
using IntPoint = std::array<Int, 3>;
using IntTriangle = std::array<IntPoint, 3>;

/// num / den, den > 0.
struct RationalPoint {
    IntPoint num;
    Int den = 1;
};

inline IntPoint operator-(const IntPoint& a, const IntPoint& b)
{
    return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}

inline Int dot(const IntPoint& a, const IntPoint& b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

inline IntPoint cross(const IntPoint& a, const IntPoint& b)
{
    return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

inline IntPoint times(const IntPoint& a, Int s)
{
    return {a[0] * s, a[1] * s, a[2] * s};
}

inline IntPoint normal(const IntTriangle& t)
{
    return cross(t[1] - t[0], t[2] - t[0]);
}

inline bool is_zero(const IntPoint& a)
{
    return a == IntPoint{0, 0, 0};
}

/// den * (x - p)
inline IntPoint offset(const RationalPoint& x, const IntPoint& p)
{
    return x.num - times(p, x.den);
}

inline bool on_segment(const RationalPoint& x, const IntPoint& p, const IntPoint& q)
{
    const IntPoint d = q - p, r = offset(x, p);
    return is_zero(cross(d, r)) && dot(d, r) >= 0 && dot(d, r) <= dot(d, d) * x.den &&
           (!is_zero(d) || is_zero(r));
}

/// Sign of the barycentric weight of corner i. \pre x in the plane of t, which has an area
inline Int weight(const RationalPoint& x, const IntTriangle& t, std::size_t i)
{
    const IntPoint &p = t[(i + 1) % 3], &q = t[(i + 2) % 3];
    return dot(normal(t), cross(q - p, offset(x, p)));
}

inline bool on_triangle(const RationalPoint& x, const IntTriangle& t)
{
    if (is_zero(normal(t)))
        return on_segment(x, t[0], t[1]) || on_segment(x, t[1], t[2]) || on_segment(x, t[2], t[0]);
    if (dot(normal(t), offset(x, t[0])) != 0) return false;
    return weight(x, t, 0) >= 0 && weight(x, t, 1) >= 0 && weight(x, t, 2) >= 0;
}

/// All corners of the common part of two triangles (and perhaps more of its points).
inline std::vector<RationalPoint> common_corners(const IntTriangle& t, const IntTriangle& u)
{
    std::vector<RationalPoint> points;
    const auto add = [&](RationalPoint x) {
        if (x.den < 0) x = {times(x.num, -1), -x.den};
        if (on_triangle(x, t) && on_triangle(x, u)) points.push_back(x);
    };
    const auto pierce = [&](const IntTriangle& edges, const IntTriangle& plane) {
        const IntPoint n = normal(plane);
        for (std::size_t i = 0; i < 3; ++i) {
            const IntPoint &p = edges[i], d = edges[(i + 1) % 3] - p;
            add({p, 1});
            const Int den = dot(n, d), num = dot(n, plane[0] - p);
            if (den == 0) continue;
            IntPoint x = times(p, den);
            for (std::size_t k = 0; k < 3; ++k) x[k] += d[k] * num;
            add({x, den});
        }
    };
    pierce(t, u);
    pierce(u, t);
    for (std::size_t i = 0; i < 3; ++i)
        for (std::size_t j = 0; j < 3; ++j) {
            const IntPoint &p = t[i], d = t[(i + 1) % 3] - p;
            const IntPoint &q = u[j], e = u[(j + 1) % 3] - q;
            const IntPoint n = cross(d, e);
            const Int den = dot(n, n), num = dot(cross(q - p, e), n);
            if (den == 0) continue;
            IntPoint x = times(p, den);
            for (std::size_t k = 0; k < 3; ++k) x[k] += d[k] * num;
            add({x, den});
        }
    return points;
}

/// Whether the mean of points of t is off the border of t.
inline bool mean_is_interior(const std::vector<RationalPoint>& points, const IntTriangle& t)
{
    const auto some = [&](auto&& holds) {
        for (const RationalPoint& x : points)
            if (holds(x)) return true;
        return false;
    };
    if (!is_zero(normal(t))) {
        for (std::size_t i = 0; i < 3; ++i)
            if (!some([&](const RationalPoint& x) { return weight(x, t, i) > 0; })) return false;
        return true;
    }
    // The ends of a triangle of no area: the two corners that are farthest apart.
    IntPoint e0 = t[0], e1 = t[0];
    for (const IntPoint& p : t)
        for (const IntPoint& q : t)
            if (dot(p - q, p - q) > dot(e0 - e1, e0 - e1)) e0 = p, e1 = q;
    if (e0 == e1) return true;
    return some([&](const RationalPoint& x) { return !is_zero(offset(x, e0)); }) &&
           some([&](const RationalPoint& x) { return !is_zero(offset(x, e1)); });
}

/// 0 apart, 1 touching, 2 crossing; points of the segment pq do not count where shared is set.
inline int exact_relation(const IntTriangle& t, const IntTriangle& u, bool shared = false,
                          const IntPoint& p = {}, const IntPoint& q = {})
{
    const std::vector<RationalPoint> points = common_corners(t, u);
    bool beyond = false;
    for (const RationalPoint& x : points) beyond = beyond || !shared || !on_segment(x, p, q);
    if (!beyond) return 0;
    // The interior of the common part is in both interiors or in neither.
    return mean_is_interior(points, t) && mean_is_interior(points, u) ? 2 : 1;
}

} // namespace pleat::test
