// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/remeshing/obstacle_tree.hpp"

#include "pleat/core/parallel.hpp"
#include "pleat/geometry/distance.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace pleat {

ObstacleTree::ObstacleTree(const World& world, double time)
{
    move_to(world, time);
}

void ObstacleTree::move_to(const World& world, double time)
{
    std::vector<std::array<Vec3, 3>> triangles;
    triangles.reserve(given_.size());
    planes_.clear();
    for (const Obstacle& o : world.obstacles) {
        if (!o.is_present(time)) continue;
        const std::vector<Vec3> x = points_at(o, time);
        for (const auto& p : o.planes)
            planes_.push_back({x[p[0]], normalized(cross(x[p[1]] - x[p[0]], x[p[2]] - x[p[0]]))});
        for (const auto& f : solid_faces(o)) triangles.push_back({x[f[0]], x[f[1]], x[f[2]]});
    }
    if (triangles == given_) return;
    given_ = std::move(triangles);
    triangles_ = given_;
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
    std::vector<Item> items(triangles_.size());
    parallel_for(items.size(), [&](std::size_t i) {
        const auto& t = triangles_[i];
        items[i] = {(t[0] + t[1] + t[2]) / 3.0, std::uint32_t(i)};
    });
    const Counts all = counts_of(items.size());
    knots_.resize(all.knots);
    leaves_.resize(all.leaves);
    root_ = build(items, 0, {0, 0});
    std::vector<std::array<Vec3, 3>> sorted(items.size());
    parallel_for(items.size(), [&](std::size_t i) { sorted[i] = triangles_[items[i].triangle]; });
    triangles_ = std::move(sorted);
    parallel_for(leaves_.size(),
                 [&](std::size_t i) { leaves_[i] = make_leaf(leaves_[i].first, leaves_[i].last); });
}

namespace {

/// The bounds of the quarters of so many items; fewer where a half is a leaf.
struct Quarters {
    std::array<std::size_t, 5> bound{};
    std::size_t count = 0;
};

Quarters quarters_of(std::size_t items, std::size_t leaf_size)
{
    Quarters q;
    const std::size_t middle = items / 2;
    for (const auto& [from, to] : {std::pair{std::size_t{0}, middle}, {middle, items}}) {
        if (to - from > leaf_size) q.bound[++q.count] = from + (to - from) / 2;
        q.bound[++q.count] = to;
    }
    return q;
}

} // namespace

ObstacleTree::Counts ObstacleTree::counts_of(std::size_t items)
{
    if (items <= width) return {0, 1};
    Counts all{1, 0};
    const Quarters q = quarters_of(items, width);
    for (std::size_t i = 0; i < q.count; ++i) {
        const Counts part = counts_of(q.bound[i + 1] - q.bound[i]);
        all.knots += part.knots;
        all.leaves += part.leaves;
    }
    return all;
}

ObstacleTree::Part ObstacleTree::build(std::span<Item> items, std::uint32_t first, Counts at)
{
    if (items.size() <= width) {
        Part leaf{WorldBox::empty(), leaf_bit | at.leaves};
        for (const Item& item : items) leaf.box.grow(WorldBox::of(triangles_[item.triangle]));
        leaves_[at.leaves].first = first;
        leaves_[at.leaves].last = first + std::uint32_t(items.size());
        return leaf;
    }
    // Halved twice, each time across the longest side.
    const auto halve = [](std::span<Item> part, std::size_t middle) {
        WorldBox box = WorldBox::empty();
        for (const Item& item : part) box.grow({item.centre, item.centre});
        const Vec3 extent = box.high - box.low;
        const std::size_t axis = extent[0] >= extent[1] && extent[0] >= extent[2] ? 0
                                 : extent[1] >= extent[2]                         ? 1
                                                                                  : 2;
        std::nth_element(
            part.begin(), part.begin() + std::ptrdiff_t(middle), part.end(),
            [&](const Item& a, const Item& b) { return a.centre[axis] < b.centre[axis]; });
    };
    const std::size_t middle = items.size() / 2;
    halve(items, middle);
    for (const auto& half : {items.first(middle), items.subspan(middle)})
        if (half.size() > width) halve(half, half.size() / 2);

    const Quarters q = quarters_of(items.size(), width);
    std::array<Counts, width> starts{};
    Counts next{at.knots + 1, at.leaves};
    for (std::size_t i = 0; i < q.count; ++i) {
        starts[i] = next;
        const Counts part = counts_of(q.bound[i + 1] - q.bound[i]);
        next = {next.knots + part.knots, next.leaves + part.leaves};
    }
    std::array<Part, width> parts;
    parts.fill({WorldBox::empty(), leaf_bit});
    const auto build_part = [&](std::size_t i) {
        parts[i] = build(items.subspan(q.bound[i], q.bound[i + 1] - q.bound[i]),
                         first + std::uint32_t(q.bound[i]), starts[i]);
    };
    constexpr std::size_t many = 1024; // triangles that are worth a second thread
    if (items.size() > many)
        parallel_for(q.count, build_part, 1);
    else
        for (std::size_t i = 0; i < q.count; ++i) build_part(i);

    Part whole{WorldBox::empty(), at.knots};
    Knot& k = knots_[at.knots];
    for (std::size_t i = 0; i < width; ++i) {
        whole.box.grow(parts[i].box);
        k.boxes.set(i, parts[i].box);
        k.inside[i] = parts[i].inside;
    }
    return whole;
}

ObstacleTree::Leaf ObstacleTree::make_leaf(std::uint32_t first, std::uint32_t last) const
{
    Leaf leaf{};
    leaf.first = first;
    leaf.last = last;
    for (std::size_t i = 0; i < last - first; ++i) {
        const auto& t = triangles_[first + i];
        const Vec3 ab = t[1] - t[0], ac = t[2] - t[0], n = cross(ab, ac);
        const double n2 = norm2(n), bb = norm2(ab), cc = norm2(ac);
        const auto put = [&](Lanes3& lanes, const Vec3& v) {
            for (std::size_t k = 0; k < 3; ++k) lanes[k][i] = v[k];
        };
        put(leaf.a, t[0]);
        put(leaf.ab, ab);
        put(leaf.ac, ac);
        constexpr double thin2 = 1e-6; // sine squared below which weights lose too many digits
        if (!(n2 > thin2 * bb * cc)) continue;
        put(leaf.normal, n / std::sqrt(n2));
        leaf.g_bb[i] = cc / n2;
        leaf.g_bc[i] = -dot(ab, ac) / n2;
        leaf.g_cc[i] = bb / n2;
        put(leaf.high, {n2 / norm2(t[2] - t[1]), n2 / cc, n2 / bb});
    }
    return leaf;
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
    const double root2 = root_.box.distance2(x);
    if (triangles_.empty() || root2 >= best2) return best;
    const auto look = [&](std::uint32_t at) {
        const Leaf& l = leaves_[at];
        // Weights of the foot in each plane. Beyond an edge a triangle is at least as far as from
        // the edge's line, and nearest there.
        const Lanes r0 = x[0] - l.a[0], r1 = x[1] - l.a[1], r2 = x[2] - l.a[2];
        const Lanes height = r0 * l.normal[0] + r1 * l.normal[1] + r2 * l.normal[2];
        const Lanes rb = r0 * l.ab[0] + r1 * l.ab[1] + r2 * l.ab[2];
        const Lanes rc = r0 * l.ac[0] + r1 * l.ac[1] + r2 * l.ac[2];
        const Lanes wb = l.g_bb * rb + l.g_bc * rc, wc = l.g_bc * rb + l.g_cc * rc;
        const Lanes wa = 1 - wb - wc, zero{}, height2 = height * height;
        const auto beyond2 = [&](const Lanes& w, const Lanes& high2) {
            const Lanes below = w < zero ? w : zero;
            return below * below * high2;
        };
        const Lanes beyond_a = beyond2(wa, l.high[0]), beyond_b = beyond2(wb, l.high[1]),
                    beyond_c = beyond2(wc, l.high[2]);
        const Lanes beyond_bc = beyond_b > beyond_c ? beyond_b : beyond_c;
        const Lanes least2 = height2 + (beyond_a > beyond_bc ? beyond_a : beyond_bc);
        for (std::uint32_t i = 0; i < l.last - l.first; ++i) {
            if (least2[i] >= best2) continue;
            const auto& t = triangles_[l.first + i];
            if (l.g_bb[i] == 0) { // thin
                const PointTriangleDistance d = point_triangle_distance(x, t[0], t[1], t[2]);
                if (d.distance2 >= best2) continue;
                best2 = d.distance2;
                best = d.weights[0] * t[0] + d.weights[1] * t[1] + d.weights[2] * t[2];
                hint = at;
                continue;
            }
            if (wa[i] >= 0 && wb[i] >= 0 && wc[i] >= 0) {
                best2 = height2[i];
                best = t[0] + (t[1] - t[0]) * wb[i] + (t[2] - t[0]) * wc[i];
                hint = at;
                continue;
            }
            const auto look_at_edge = [&](const Vec3& from, const Vec3& to) {
                const PointSegmentDistance d = point_segment_distance(x, from, to);
                if (d.distance2 >= best2) return;
                best2 = d.distance2;
                best = (1 - d.t) * from + d.t * to;
                hint = at;
            };
            if (wa[i] < 0) look_at_edge(t[1], t[2]);
            if (wb[i] < 0) look_at_edge(t[2], t[0]);
            if (wc[i] < 0) look_at_edge(t[0], t[1]);
        }
    };
    const std::uint32_t looked_at = hint;
    look(hint); // a good bound from the start
    struct Place {
        double distance2;
        std::uint32_t inside;
    };
    std::array<Place, 64> stack; // at most 16 levels, three of four wait in each
    std::size_t depth = 0;
    stack[depth++] = {root2, root_.inside};
    while (depth > 0) {
        const Place place = stack[--depth];
        if (place.distance2 >= best2) continue;
        if ((place.inside & leaf_bit) != 0) {
            const std::uint32_t leaf = place.inside & ~leaf_bit;
            if (leaf != looked_at) look(leaf);
            continue;
        }
        const Knot& k = knots_[place.inside];
        const Lanes distance2 = k.boxes.distance2(x);
        // The nearest on top.
        const std::size_t bottom = depth;
        for (std::size_t i = 0; i < width; ++i) {
            if (distance2[i] >= best2) continue;
            std::size_t at = depth++;
            for (; at > bottom && stack[at - 1].distance2 < distance2[i]; --at)
                stack[at] = stack[at - 1];
            stack[at] = {distance2[i], k.inside[i]};
        }
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
    if (root_.box.overlaps(box)) stack[depth++] = root_.inside;
    while (depth > 0) {
        const std::uint32_t inside = stack[--depth];
        if ((inside & leaf_bit) != 0) {
            const Leaf& l = leaves_[inside & ~leaf_bit];
            for (std::uint32_t i = l.first; i < l.last; ++i)
                if (WorldBox::of(triangles_[i]).overlaps(box) && !visit(triangles_[i]))
                    return false;
            continue;
        }
        const Knot& k = knots_[inside];
        const auto apart = k.boxes.apart_from(box);
        for (std::size_t i = 0; i < width; ++i)
            if (!apart[i]) stack[depth++] = k.inside[i];
    }
    return true;
}

} // namespace pleat
