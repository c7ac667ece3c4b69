// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/geometry/triangulate.hpp"

#include "pleat/core/error.hpp"
#include "pleat/geometry/predicates.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

namespace pleat {

namespace {

using Triangle = std::array<std::uint32_t, 3>;

/// Whether p, on the line through a and b, lies between them, ends included.
bool between(const Vec2& a, const Vec2& b, const Vec2& p)
{
    return std::min(a[0], b[0]) <= p[0] && p[0] <= std::max(a[0], b[0]) &&
           std::min(a[1], b[1]) <= p[1] && p[1] <= std::max(a[1], b[1]);
}

bool lies_on(const Vec2& a, const Vec2& b, const Vec2& p)
{
    return between(a, b, p) && orient2d(a, b, p) == 0;
}

/// Whether the segments cross in a point inside both.
bool cross_inside(const Vec2& a, const Vec2& b, const Vec2& c, const Vec2& d)
{
    return orient2d(a, b, c) * orient2d(a, b, d) < 0 && orient2d(c, d, a) * orient2d(c, d, b) < 0;
}

bool touch(const Vec2& a, const Vec2& b, const Vec2& c, const Vec2& d)
{
    return cross_inside(a, b, c, d) || lies_on(a, b, c) || lies_on(a, b, d) || lies_on(c, d, a) ||
           lies_on(c, d, b);
}

/// Whether d lies inside the circle of the counter-clockwise triangle abc, beyond doubt.
bool in_circle(const Vec2& a, const Vec2& b, const Vec2& c, const Vec2& d)
{
    const Vec2 p = a - d, q = b - d, r = c - d;
    const double qr = q[0] * r[1], rq = r[0] * q[1], rp = r[0] * p[1], pr = p[0] * r[1];
    const double pq = p[0] * q[1], qp = q[0] * p[1];
    const double lp = norm2(p), lq = norm2(q), lr = norm2(r);
    const double det = lp * (qr - rq) + lq * (rp - pr) + lr * (pq - qp);
    const double permanent = lp * (std::abs(qr) + std::abs(rq)) +
                             lq * (std::abs(rp) + std::abs(pr)) +
                             lr * (std::abs(pq) + std::abs(qp));
    // [Shewchuk1997]: 10 half-epsilons and a little; 6 epsilons cover it.
    return det > 6 * DBL_EPSILON * permanent + DBL_MIN;
}

class Triangulator {
public:
    Triangulator(std::span<const Vec2> points, std::span<const Ring> rings) : points_(points)
    {
        for (std::size_t i = 0; i < rings.size(); ++i) {
            rings_.push_back(rings[i]);
            if ((twice_area(points, rings_[i]) > 0) != (i == 0))
                std::reverse(rings_[i].begin(), rings_[i].end());
        }
    }

    std::vector<Triangle> run()
    {
        outline_ = rings_[0];
        std::vector<std::size_t> holes(rings_.size() - 1);
        std::iota(holes.begin(), holes.end(), std::size_t{1});
        // Rightmost first: a bridge to the right then meets the outline or a hole that is part of
        // it already.
        std::sort(holes.begin(), holes.end(), [&](std::size_t a, std::size_t b) {
            return at(rings_[a][rightmost(rings_[a])])[0] > at(rings_[b][rightmost(rings_[b])])[0];
        });
        for (std::size_t h : holes) join(rings_[h]);
        cut_ears();
        flip();
        return std::move(triangles_);
    }

private:
    [[nodiscard]] const Vec2& at(std::uint32_t i) const { return points_[i]; }

    [[nodiscard]] std::size_t rightmost(const Ring& ring) const
    {
        std::size_t best = 0;
        for (std::size_t i = 1; i < ring.size(); ++i)
            if (at(ring[i])[0] > at(ring[best])[0]) best = i;
        return best;
    }

    /// Whether the direction to p leaves corner i of the outline into the polygon.
    [[nodiscard]] bool enters(std::size_t i, const Vec2& p) const
    {
        const std::size_t n = outline_.size();
        const Vec2 &a = at(outline_[(i + n - 1) % n]), &b = at(outline_[i]),
                   &c = at(outline_[(i + 1) % n]);
        const int turn = orient2d(a, b, c);
        const bool left_of_in = orient2d(a, b, p) > 0, left_of_out = orient2d(b, c, p) > 0;
        if (turn == 0 && a == c) return true; // the end of a bridge: all around is inside
        return turn >= 0 ? left_of_in && left_of_out : left_of_in || left_of_out;
    }

    [[nodiscard]] bool is_free(const Vec2& p, const Vec2& q, const Ring& ring) const
    {
        for (std::size_t k = 0; k < ring.size(); ++k) {
            const Vec2 &a = at(ring[k]), &b = at(ring[(k + 1) % ring.size()]);
            if (a != p && a != q && lies_on(p, q, a)) return false;
            if (cross_inside(p, q, a, b)) return false;
        }
        return true;
    }

    /// Joins a hole to the outline by a bridge that is walked both ways.
    void join(const Ring& hole)
    {
        const std::size_t from = rightmost(hole);
        const Vec2& p = at(hole[from]);
        std::vector<std::size_t> order(outline_.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
            return norm2(at(outline_[a]) - p) < norm2(at(outline_[b]) - p);
        });
        for (std::size_t to : order) {
            const Vec2& q = at(outline_[to]);
            if (!enters(to, p) || !is_free(p, q, outline_)) continue;
            bool free = true;
            for (std::size_t h = 1; h < rings_.size() && free; ++h) free = is_free(p, q, rings_[h]);
            if (!free) continue;
            Ring joined(outline_.begin(), outline_.begin() + std::ptrdiff_t(to) + 1);
            for (std::size_t k = 0; k <= hole.size(); ++k)
                joined.push_back(hole[(from + k) % hole.size()]);
            joined.insert(joined.end(), outline_.begin() + std::ptrdiff_t(to), outline_.end());
            outline_ = std::move(joined);
            return;
        }
        PLEAT_ASSERT(false, "a hole inside its outline sees a corner of it");
    }

    [[nodiscard]] bool is_ear(const Ring& ring, std::size_t i) const
    {
        const std::size_t n = ring.size();
        const Vec2 &a = at(ring[(i + n - 1) % n]), &b = at(ring[i]), &c = at(ring[(i + 1) % n]);
        if (orient2d(a, b, c) <= 0) return false;
        for (std::uint32_t k : ring) {
            const Vec2& p = at(k);
            if (p == a || p == b || p == c) continue;
            if (orient2d(a, b, p) >= 0 && orient2d(b, c, p) >= 0 && orient2d(c, a, p) >= 0)
                return false;
        }
        return true;
    }

    void cut_ears()
    {
        Ring ring = outline_;
        std::size_t i = 0, failures = 0;
        while (ring.size() > 3) {
            const std::size_t n = ring.size();
            i %= n;
            if (!is_ear(ring, i)) {
                ++i;
                ++failures;
                PLEAT_ASSERT(failures <= n, "a simple polygon has an ear");
                if (failures > n) return;
                continue;
            }
            failures = 0;
            triangles_.push_back({ring[(i + n - 1) % n], ring[i], ring[(i + 1) % n]});
            ring.erase(ring.begin() + std::ptrdiff_t(i));
        }
        triangles_.push_back({ring[0], ring[1], ring[2]});
    }

    using EdgeKey = std::pair<std::uint32_t, std::uint32_t>;
    static EdgeKey key(std::uint32_t a, std::uint32_t b)
    {
        return {std::min(a, b), std::max(a, b)};
    }

    void flip()
    {
        std::map<EdgeKey, std::vector<std::size_t>> sides; // triangles of an edge
        std::map<EdgeKey, bool> fixed;
        for (const Ring& ring : rings_)
            for (std::size_t k = 0; k < ring.size(); ++k)
                fixed[key(ring[k], ring[(k + 1) % ring.size()])] = true;
        std::vector<EdgeKey> open;
        for (std::size_t t = 0; t < triangles_.size(); ++t)
            for (std::size_t k = 0; k < 3; ++k) {
                const EdgeKey e = key(triangles_[t][k], triangles_[t][(k + 1) % 3]);
                sides[e].push_back(t);
                if (!fixed.contains(e) && sides[e].size() == 2) open.push_back(e);
            }
        while (!open.empty()) {
            const EdgeKey e = open.back();
            open.pop_back();
            const auto found = sides.find(e);
            if (found == sides.end() || found->second.size() != 2) continue;
            const std::size_t s = found->second[0], t = found->second[1];
            // Turned so that s = (a, b, c) and t = (b, a, d).
            Triangle& u = triangles_[s];
            Triangle& v = triangles_[t];
            while (key(u[0], u[1]) != e) std::rotate(u.begin(), u.begin() + 1, u.end());
            while (key(v[0], v[1]) != e) std::rotate(v.begin(), v.begin() + 1, v.end());
            const std::uint32_t a = u[0], b = u[1], c = u[2], d = v[2];
            if (!in_circle(at(a), at(b), at(c), at(d))) continue;
            if (orient2d(at(c), at(a), at(d)) <= 0 || orient2d(at(d), at(b), at(c)) <= 0) continue;
            sides.erase(found);
            u = {c, a, d};
            v = {d, b, c};
            sides[key(c, d)] = {s, t};
            const auto replace = [&](const EdgeKey& edge, std::size_t old, std::size_t now) {
                auto& list = sides[edge];
                std::replace(list.begin(), list.end(), old, now);
                if (!fixed.contains(edge)) open.push_back(edge);
            };
            replace(key(a, c), s, s);
            replace(key(b, c), s, t);
            replace(key(a, d), t, s);
            replace(key(b, d), t, t);
        }
    }

    std::span<const Vec2> points_;
    std::vector<Ring> rings_; // outline counter-clockwise, holes clockwise
    Ring outline_;            // with the holes joined to it
    std::vector<Triangle> triangles_;
};

} // namespace

double twice_area(std::span<const Vec2> points, const Ring& ring)
{
    double sum = 0; // about the first corner, so that a shift costs no digits
    for (std::size_t k = 1; k + 1 < ring.size(); ++k)
        sum += cross(points[ring[k]] - points[ring[0]], points[ring[k + 1]] - points[ring[0]]);
    return sum;
}

std::optional<RingCrossing> find_crossing(std::span<const Vec2> points, std::span<const Ring> rings)
{
    struct Side {
        std::size_t ring, side;
        double low, high; // along x
    };
    std::vector<Side> sides;
    for (std::size_t r = 0; r < rings.size(); ++r)
        for (std::size_t k = 0; k < rings[r].size(); ++k) {
            const double x = points[rings[r][k]][0],
                         y = points[rings[r][(k + 1) % rings[r].size()]][0];
            sides.push_back({r, k, std::min(x, y), std::max(x, y)});
        }
    std::stable_sort(sides.begin(), sides.end(),
                     [](const Side& a, const Side& b) { return a.low < b.low; });
    for (std::size_t i = 0; i < sides.size(); ++i)
        for (std::size_t j = i + 1; j < sides.size() && sides[j].low <= sides[i].high; ++j) {
            const Side &s = sides[i], &t = sides[j];
            const Ring &rs = rings[s.ring], &rt = rings[t.ring];
            const Vec2 &a = points[rs[s.side]], &b = points[rs[(s.side + 1) % rs.size()]];
            const Vec2 &c = points[rt[t.side]], &d = points[rt[(t.side + 1) % rt.size()]];
            bool bad = false;
            if (s.ring == t.ring && (s.side + 1) % rs.size() == t.side) // b is c
                bad = lies_on(a, b, d) || lies_on(c, d, a);
            else if (s.ring == t.ring && (t.side + 1) % rs.size() == s.side) // d is a
                bad = lies_on(a, b, c) || lies_on(c, d, b);
            else
                bad = touch(a, b, c, d);
            if (!bad) continue;
            const double parallel = cross(b - a, d - c);
            Vec2 near = 0.25 * (a + b + c + d);
            if (parallel != 0)
                near = a + std::clamp(cross(c - a, d - c) / parallel, 0.0, 1.0) * (b - a);
            return RingCrossing{s.ring, s.side, t.ring, t.side, near};
        }
    return {};
}

bool is_inside(std::span<const Vec2> points, const Ring& ring, const Vec2& p)
{
    bool inside = false;
    for (std::size_t k = 0; k < ring.size(); ++k) {
        const Vec2 &a = points[ring[k]], &b = points[ring[(k + 1) % ring.size()]];
        if (lies_on(a, b, p)) return true;
        if ((a[1] > p[1]) == (b[1] > p[1])) continue;
        const bool left = orient2d(a, b, p) > 0;
        if (left == (b[1] > a[1])) inside = !inside;
    }
    return inside;
}

std::vector<std::array<std::uint32_t, 3>> triangulate(std::span<const Vec2> points,
                                                      std::span<const Ring> rings)
{
    return Triangulator(points, rings).run();
}

} // namespace pleat
