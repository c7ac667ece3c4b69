// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/remeshing/obstacle_tree.hpp"

#include "pleat/geometry/distance.hpp"

#include <algorithm>
#include <cmath>

namespace pleat {

namespace {

constexpr std::uint32_t leaf_size = 4;

} // namespace

ObstacleTree::ObstacleTree(const World& world, double time)
{
    for (const Obstacle& o : world.obstacles) {
        if (!o.is_present(time)) continue;
        const std::vector<Vec3> x = points_at(o, time);
        if (o.is_half_space) {
            planes_.push_back({x[0], normalized(cross(x[1] - x[0], x[2] - x[0]))});
            continue;
        }
        for (const auto& f : o.faces) triangles_.push_back({x[f[0]], x[f[1]], x[f[2]]});
    }
    build();
}

ObstacleTree::ObstacleTree(std::vector<std::array<Vec3, 3>> triangles)
    : triangles_(std::move(triangles))
{
    build();
}

void ObstacleTree::build()
{
    if (triangles_.empty()) return;
    knots_.reserve(triangles_.size());
    std::vector<Item> items;
    items.reserve(triangles_.size());
    for (const auto& t : triangles_)
        items.push_back({(t[0] + t[1] + t[2]) / 3.0, std::uint32_t(items.size())});
    build(items, 0);
    std::vector<std::array<Vec3, 3>> sorted;
    sorted.reserve(triangles_.size());
    for (const Item& item : items) sorted.push_back(triangles_[item.triangle]);
    triangles_ = std::move(sorted);
    looks_.reserve(triangles_.size());
    for (const auto& t : triangles_) {
        Look look{t[0], t[1] - t[0], t[2] - t[0], {}, 0, 0, 0, {}};
        const Vec3 n = cross(look.ab, look.ac);
        const double n2 = norm2(n), bb = norm2(look.ab), cc = norm2(look.ac);
        constexpr double thin2 = 1e-6; // sine squared below which weights lose too many digits
        if (n2 > thin2 * bb * cc) {
            look.normal = n / std::sqrt(n2);
            look.g_bb = cc / n2;
            look.g_bc = -dot(look.ab, look.ac) / n2;
            look.g_cc = bb / n2;
            look.high = {n2 / norm2(t[2] - t[1]), n2 / cc, n2 / bb};
        }
        looks_.push_back(look);
    }
}

std::uint32_t ObstacleTree::build(std::span<Item> items, std::uint32_t first)
{
    WorldBox box = WorldBox::empty();
    for (const Item& item : items) box.grow(WorldBox::of(triangles_[item.triangle]));
    const auto knot = std::uint32_t(knots_.size());
    knots_.push_back({box, first, first + std::uint32_t(items.size()), 0, 0});
    if (items.size() <= leaf_size) return knot;
    const Vec3 extent = box.high - box.low;
    const std::size_t axis = extent[0] >= extent[1] && extent[0] >= extent[2] ? 0
                             : extent[1] >= extent[2]                         ? 1
                                                                              : 2;
    const std::size_t middle = items.size() / 2;
    std::nth_element(items.begin(), items.begin() + std::ptrdiff_t(middle), items.end(),
                     [&](const Item& a, const Item& b) { return a.centre[axis] < b.centre[axis]; });
    const std::uint32_t left = build(items.first(middle), first);
    const std::uint32_t right = build(items.subspan(middle), first + std::uint32_t(middle));
    knots_[knot].first = knots_[knot].last = 0;
    knots_[knot].left = left;
    knots_[knot].right = right;
    return knot;
}

std::optional<Vec3> ObstacleTree::nearest(const Vec3& x, double reach, std::uint32_t& hint) const
{
    if (empty()) return std::nullopt;
    double best2 = reach * reach;
    std::optional<Vec3> best;
    for (const Plane& p : planes_) {
        const double height = dot(p.normal, x - p.point);
        if (height * height >= best2) continue;
        best2 = height * height;
        best = x - height * p.normal;
    }
    if (triangles_.empty()) return best;
    const auto look = [&](std::uint32_t i) {
        const Look& l = looks_[i];
        const Vec3 r = x - l.a;
        if (!(l.normal == Vec3{})) {
            const double height = dot(r, l.normal), height2 = height * height;
            if (height2 >= best2) return;
            const double rb = dot(r, l.ab), rc = dot(r, l.ac);
            const double wb = l.g_bb * rb + l.g_bc * rc, wc = l.g_bc * rb + l.g_cc * rc;
            const double wa = 1 - wb - wc;
            if (wa >= 0 && wb >= 0 && wc >= 0) {
                best2 = height2;
                best = l.a + l.ab * wb + l.ac * wc;
                hint = i;
                return;
            }
            // Beyond an edge: at least as far as from its line, and nearest to such an edge.
            const auto beyond2 = [](double w, double high2) { return w < 0 ? w * w * high2 : 0; };
            if (height2 + std::max({beyond2(wa, l.high[0]), beyond2(wb, l.high[1]),
                                    beyond2(wc, l.high[2])}) >=
                best2)
                return;
            const auto& t = triangles_[i];
            const auto look_at_edge = [&](const Vec3& from, const Vec3& to) {
                const PointSegmentDistance d = point_segment_distance(x, from, to);
                if (d.distance2 >= best2) return;
                best2 = d.distance2;
                best = (1 - d.t) * from + d.t * to;
                hint = i;
            };
            if (wa < 0) look_at_edge(t[1], t[2]);
            if (wb < 0) look_at_edge(t[2], t[0]);
            if (wc < 0) look_at_edge(t[0], t[1]);
            return;
        }
        const auto& t = triangles_[i];
        const PointTriangleDistance d = point_triangle_distance(x, t[0], t[1], t[2]);
        if (d.distance2 >= best2) return;
        best2 = d.distance2;
        best = d.weights[0] * t[0] + d.weights[1] * t[1] + d.weights[2] * t[2];
        hint = i;
    };
    look(hint); // a good bound from the start
    const std::uint32_t looked_at = hint;
    struct Place {
        double distance2;
        std::uint32_t knot;
    };
    std::array<Place, 64> stack; // halving: the depth is at most 32
    std::size_t depth = 0;
    stack[depth++] = {knots_[0].box.distance2(x), 0};
    while (depth > 0) {
        const Place place = stack[--depth];
        if (place.distance2 >= best2) continue;
        const Knot& k = knots_[place.knot];
        for (std::uint32_t i = k.first; i < k.last; ++i)
            if (i != looked_at) look(i);
        if (k.first < k.last) continue;
        Place near{knots_[k.left].box.distance2(x), k.left};
        Place far{knots_[k.right].box.distance2(x), k.right};
        if (far.distance2 < near.distance2) std::swap(near, far);
        if (far.distance2 < best2) stack[depth++] = far;
        if (near.distance2 < best2) stack[depth++] = near;
    }
    return best;
}

bool ObstacleTree::visit(const WorldBox& box,
                         FunctionRef<bool(const std::array<Vec3, 3>&)> visit) const
{
    const Vec3 centre = 0.5 * (box.low + box.high);
    const double radius = 0.5 * norm(box.high - box.low);
    for (const Plane& p : planes_) {
        const double height = dot(p.normal, centre - p.point);
        if (height > radius) continue;
        // Around the foot of the box's centre; its inscribed circle is twice as wide as the box.
        std::size_t axis = 0;
        for (std::size_t k = 1; k < 3; ++k)
            if (std::abs(p.normal[k]) < std::abs(p.normal[axis])) axis = k;
        Vec3 a{};
        a[axis] = 1;
        a = normalized(a - dot(a, p.normal) * p.normal) * (4 * radius);
        const Vec3 foot = centre - height * p.normal, b = cross(p.normal, a);
        const Vec3 side = (std::sqrt(3.0) / 2) * b;
        if (!visit({foot + a, foot - 0.5 * a + side, foot - 0.5 * a - side})) return false;
    }
    if (triangles_.empty()) return true;
    std::array<std::uint32_t, 64> stack;
    std::size_t depth = 0;
    stack[depth++] = 0;
    while (depth > 0) {
        const Knot& k = knots_[stack[--depth]];
        if (!k.box.overlaps(box)) continue;
        for (std::uint32_t i = k.first; i < k.last; ++i)
            if (WorldBox::of(triangles_[i]).overlaps(box) && !visit(triangles_[i])) return false;
        if (k.first < k.last) continue;
        stack[depth++] = k.left;
        stack[depth++] = k.right;
    }
    return true;
}

} // namespace pleat
