// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Notation: T and U are the triangles, s[i] the side of U's plane on which T[i] lies, t[j] the
// side of T's plane on which U[j] lies. Where neither s nor t is all zero both triangles have an
// area and their planes meet in a line, on which each triangle has an interval; [Guigue2003]
// compares the ends of intervals by orient3d of an edge of T and an edge of U. Everything else is
// flat: coplanar triangles and triangles of no area, decided in a projection that keeps the plane
// (or line) one to one.
#include "pleat/geometry/triangle_intersection.hpp"

#include "pleat/geometry/predicates.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace pleat {

namespace {

using Triangle = std::array<Vec3, 3>;
using Triangle2 = std::array<Vec2, 3>;
using Signs = std::array<int, 3>;
using Relation = TriangleRelation;

Signs sides(const Triangle& plane, const Triangle& points)
{
    Signs s{};
    for (std::size_t i = 0; i < 3; ++i) s[i] = orient3d(plane[0], plane[1], plane[2], points[i]);
    return s;
}

bool all_zero(const Signs& s)
{
    return s[0] == 0 && s[1] == 0 && s[2] == 0;
}

bool strictly_one_side(const Signs& s)
{
    return s[0] != 0 && s[0] == s[1] && s[1] == s[2];
}

bool straddles(const Signs& s)
{
    return std::min({s[0], s[1], s[2]}) < 0 && std::max({s[0], s[1], s[2]}) > 0;
}

/// The point without its coordinate `axis`.
Vec2 project(const Vec3& p, std::size_t axis)
{
    return {p[(axis + 1) % 3], p[(axis + 2) % 3]};
}

Triangle2 project(const Triangle& t, std::size_t axis)
{
    return {project(t[0], axis), project(t[1], axis), project(t[2], axis)};
}

/// An axis along which the triangle's projection keeps an area; none where it has no area.
std::optional<std::size_t> projection_axis(const Vec3& a, const Vec3& b, const Vec3& c)
{
    for (std::size_t axis = 0; axis < 3; ++axis)
        if (orient2d(project(a, axis), project(b, axis), project(c, axis)) != 0) return axis;
    return std::nullopt;
}

// --- flat cases ----------------------------------------------------------------------------

struct Interval {
    double low, high;
};

/// Of intervals on a line; a point is its own interior.
Relation interval_relation(const Interval& a, const Interval& b)
{
    const double low = std::max(a.low, b.low), high = std::min(a.high, b.high);
    if (low > high) return Relation::apart;
    if (low < high) return Relation::crossing;
    // One common point: interior to an interval that is this point or has it strictly inside.
    const auto holds = [&](const Interval& i) {
        return i.low == i.high || (i.low < low && low < i.high);
    };
    return holds(a) && holds(b) ? Relation::crossing : Relation::touching;
}

/// Of two sets of three points on one line.
template <std::size_t N>
Relation collinear_relation(const std::array<Vec<double, N>, 3>& a,
                            const std::array<Vec<double, N>, 3>& b)
{
    for (std::size_t k = 0; k < N; ++k) {
        const auto extent = [k](const std::array<Vec<double, N>, 3>& t) {
            return Interval{std::min({t[0][k], t[1][k], t[2][k]}),
                            std::max({t[0][k], t[1][k], t[2][k]})};
        };
        const Interval i = extent(a), j = extent(b);
        if (std::min(i.low, j.low) < std::max(i.high, j.high)) return interval_relation(i, j);
    }
    return Relation::crossing; // all are one point
}

/// Of two triangles in the plane, either of which may have no area. The difference set of two
/// polygons is a polygon whose sides are parallel to sides of the two, so that their sides are all
/// the separating lines one has to try, unless everything lies on one line.
Relation planar_relation(const Triangle2& a, const Triangle2& b)
{
    bool separable = false, collinear = true;
    const auto try_sides = [&](const Triangle2& p, const Triangle2& q) {
        for (std::size_t i = 0; i < 3; ++i) {
            const Vec2 &p0 = p[i], &p1 = p[(i + 1) % 3], &p2 = p[(i + 2) % 3];
            if (p0 == p1) continue;
            const int own = orient2d(p0, p1, p2);
            int low = 1, high = -1;
            for (const Vec2& r : q) {
                const int side = orient2d(p0, p1, r);
                low = std::min(low, side);
                high = std::max(high, side);
            }
            if (own != 0 || low != 0 || high != 0) collinear = false;
            if ((low > 0 && own <= 0) || (high < 0 && own >= 0)) return true;
            const bool weakly = (low >= 0 && own <= 0) || (high <= 0 && own >= 0);
            if (weakly && (own != 0 || low != 0 || high != 0)) separable = true;
        }
        return false;
    };
    if (try_sides(a, b) || try_sides(b, a)) return Relation::apart;
    if (collinear) return collinear_relation(a, b);
    return separable ? Relation::touching : Relation::crossing;
}

/// The ends of a triangle of no area.
std::array<Vec3, 2> segment_of(const Triangle& t)
{
    for (std::size_t k = 0; k < 3; ++k) {
        const auto less = [k](const Vec3& p, const Vec3& q) { return p[k] < q[k]; };
        const auto [low, high] = std::minmax_element(t.begin(), t.end(), less);
        if (less(*low, *high)) return {*low, *high};
    }
    return {t[0], t[0]};
}

/// Whether a point of the triangle's plane is on it.
bool holds_point(const Triangle& t, std::size_t axis, const Vec3& p)
{
    const Vec2 q = project(p, axis);
    return planar_relation({q, q, q}, project(t, axis)) != Relation::apart;
}

/// Of a triangle of no area and one with an area.
Relation segment_relation(const Triangle& flat, const Triangle& u, std::size_t u_axis)
{
    const auto [e0, e1] = segment_of(flat);
    const int s0 = orient3d(u[0], u[1], u[2], e0), s1 = orient3d(u[0], u[1], u[2], e1);
    if (s0 == 0 && s1 == 0) return planar_relation(project(flat, u_axis), project(u, u_axis));
    if (s0 == s1) return Relation::apart;
    if (s0 == 0 || s1 == 0)
        return holds_point(u, u_axis, s0 == 0 ? e0 : e1) ? Relation::touching : Relation::apart;
    const Signs turn = {orient3d(e0, e1, u[0], u[1]), orient3d(e0, e1, u[1], u[2]),
                        orient3d(e0, e1, u[2], u[0])};
    if (straddles(turn)) return Relation::apart;
    return strictly_one_side(turn) ? Relation::crossing : Relation::touching;
}

/// Of two triangles of no area.
Relation segments_relation(const Triangle& a, const Triangle& b)
{
    const auto [a0, a1] = segment_of(a);
    const auto [b0, b1] = segment_of(b);
    if (orient3d(a0, a1, b0, b1) != 0) return Relation::apart;
    for (const auto& corners : {Triangle{a0, a1, b0}, Triangle{a0, a1, b1}, Triangle{b0, b1, a0}})
        if (const auto axis = projection_axis(corners[0], corners[1], corners[2]))
            return planar_relation(project(a, *axis), project(b, *axis));
    return collinear_relation(a, b);
}

/// \pre one of the triangles has no area, or they are coplanar.
Relation flat_relation(const Triangle& a, const Triangle& b)
{
    const auto a_axis = projection_axis(a[0], a[1], a[2]);
    const auto b_axis = projection_axis(b[0], b[1], b[2]);
    if (a_axis && b_axis) return planar_relation(project(a, *b_axis), project(b, *b_axis));
    if (b_axis) return segment_relation(a, b, *b_axis);
    if (a_axis) return segment_relation(b, a, *a_axis);
    return segments_relation(a, b);
}

// --- triangles on crossing planes ------------------------------------------------------------

/// T is on one side of U's plane and reaches it in a vertex or an edge.
Relation one_sided_relation(const Triangle& t, const Signs& s, const Triangle& u)
{
    Triangle reach{}; // the part of T in the plane, as a triangle of no area
    std::size_t count = 0;
    for (std::size_t i = 0; i < 3; ++i)
        if (s[i] == 0) reach[count++] = t[i];
    if (count == 1) reach[1] = reach[0];
    reach[2] = reach[1];
    const std::size_t axis = projection_axis(u[0], u[1], u[2]).value();
    return planar_relation(project(reach, axis), project(u, axis)) == Relation::apart
               ? Relation::apart
               : Relation::touching;
}

/// Turns t so that t[0] is alone on its side; the side is returned.
/// \pre straddles(s)
int put_lone_vertex_first(Triangle& t, const Signs& s)
{
    std::size_t lone = 0;
    for (std::size_t i = 0; i < 3; ++i) {
        const int next = s[(i + 1) % 3], last = s[(i + 2) % 3];
        if (s[i] != 0 && next != s[i] && last != s[i]) lone = i;
    }
    const int side = s[lone];
    std::rotate(t.begin(), t.begin() + static_cast<std::ptrdiff_t>(lone), t.end());
    return side;
}

/// Puts the pair in the standard position of [Guigue2003]: T[0] alone above U's plane and U[0]
/// alone above T's. Then, along the common line, T's interval runs from edge T0T1 to edge T0T2 and
/// U's from edge U0U2 to edge U0U1.
/// \pre both straddle
void put_in_standard_position(Triangle& t, const Signs& s, Triangle& u, const Signs& u_sides)
{
    const int t_side = put_lone_vertex_first(t, s);
    const int u_side = put_lone_vertex_first(u, u_sides);
    if (t_side < 0) std::swap(u[1], u[2]);
    if (u_side < 0) std::swap(t[1], t[2]);
}

/// In standard position: +1 where T0Ta meets the common line before U0Ub does, 0 in the same
/// point, -1 after it.
int before(const Triangle& t, std::size_t a, const Triangle& u, std::size_t b)
{
    return -orient3d(t[0], t[a], u[0], u[b]);
}

/// Where the segment meets the plane of u, rounded. \pre its ends are on different sides.
Vec3 meet(const Vec3& p, const Vec3& q, const Triangle& u)
{
    const Vec3 n = cross(u[1] - u[0], u[2] - u[0]);
    const double dp = std::abs(dot(n, p - u[0])), dq = std::abs(dot(n, q - u[0]));
    const double sum = dp + dq;
    const double w = sum > 0 ? dp / sum : 0.5;
    return p * (1 - w) + q * w;
}

/// -1 where x is outside the wedge at v between the rays to c and d, 0 on its border, 1 inside.
/// \pre v, c, d are not collinear in the plane and x != v
int wedge_side(const Vec2& v, const Vec2& c, const Vec2& d, const Vec2& x)
{
    const int turn = orient2d(v, c, d);
    const int from_c = turn * orient2d(v, c, x), to_d = turn * orient2d(v, x, d);
    if (from_c < 0 || to_d < 0) return -1;
    return from_c > 0 && to_d > 0 ? 1 : 0;
}

int wedge_side(const Vec3& v, const Vec3& c, const Vec3& d, const Vec3& x, std::size_t axis)
{
    return wedge_side(project(v, axis), project(c, axis), project(d, axis), project(x, axis));
}

/// Whether a and b lie on one ray from v. \pre a != v and b != v
bool same_ray(const Vec3& v, const Vec3& a, const Vec3& b)
{
    if (projection_axis(v, a, b)) return false;
    for (std::size_t k = 0; k < 3; ++k)
        if (a[k] != v[k]) return (a[k] > v[k]) == (b[k] > v[k]) && b[k] != v[k];
    return false;
}

/// Coplanar triangles with an area that share the vertex v.
Relation wedges_relation(const Vec3& v, const std::array<Vec3, 2>& a, const std::array<Vec3, 2>& b,
                         std::size_t axis)
{
    int nearest = -1;
    for (std::size_t i = 0; i < 2; ++i) {
        nearest = std::max(nearest, wedge_side(v, b[0], b[1], a[i], axis));
        nearest = std::max(nearest, wedge_side(v, a[0], a[1], b[i], axis));
    }
    if (nearest > 0) return Relation::crossing;
    if (nearest < 0) return Relation::apart;
    // Borders on borders: the same wedge, or two that have one ray in common.
    const bool same = (same_ray(v, a[0], b[0]) && same_ray(v, a[1], b[1])) ||
                      (same_ray(v, a[0], b[1]) && same_ray(v, a[1], b[0]));
    return same ? Relation::crossing : Relation::touching;
}

/// The triangle (v, a) has no area, (v, u) has one with the given projection.
Relation ray_wedge_relation(const Vec3& v, const std::array<Vec3, 2>& a,
                            const std::array<Vec3, 2>& u, std::size_t axis)
{
    int nearest = -1;
    for (const Vec3& p : a)
        if (p != v && orient3d(v, u[0], u[1], p) == 0)
            nearest = std::max(nearest, wedge_side(v, u[0], u[1], p, axis));
    if (nearest < 0) return Relation::apart;
    return nearest > 0 ? Relation::crossing : Relation::touching;
}

Relation flat_relation_at_vertex(const Vec3& v, const std::array<Vec3, 2>& a,
                                 const std::array<Vec3, 2>& b)
{
    const auto a_axis = projection_axis(v, a[0], a[1]);
    const auto b_axis = projection_axis(v, b[0], b[1]);
    if (a_axis && b_axis) return wedges_relation(v, a, b, *b_axis);
    if (b_axis) return ray_wedge_relation(v, a, b, *b_axis);
    if (a_axis) return ray_wedge_relation(v, b, a, *a_axis);
    for (const Vec3& p : a)
        for (const Vec3& q : b)
            if (p != v && q != v && same_ray(v, p, q)) return Relation::crossing;
    return Relation::apart;
}

} // namespace

TriangleRelation triangle_relation(const std::array<Vec3, 3>& a, const std::array<Vec3, 3>& b)
{
    const Signs s = sides(b, a);
    if (strictly_one_side(s)) return Relation::apart;
    const Signs t = sides(a, b);
    if (strictly_one_side(t)) return Relation::apart;
    if (all_zero(s) || all_zero(t)) return flat_relation(a, b);
    if (!straddles(s)) return one_sided_relation(a, s, b);
    if (!straddles(t)) return one_sided_relation(b, t, a);

    Triangle ta = a, tb = b;
    put_in_standard_position(ta, s, tb, t);
    const int a_starts = before(ta, 1, tb, 1);  // before b ends
    const int b_starts = -before(ta, 2, tb, 2); // before a ends
    if (a_starts < 0 || b_starts < 0) return Relation::apart;
    return a_starts > 0 && b_starts > 0 ? Relation::crossing : Relation::touching;
}

TriangleRelation triangle_relation_at_vertex(const Vec3& shared, const Vec3& a0, const Vec3& a1,
                                             const Vec3& b0, const Vec3& b1)
{
    const Vec3& v = shared;
    const int s0 = orient3d(v, b0, b1, a0), s1 = orient3d(v, b0, b1, a1);
    if (s0 == s1 && s0 != 0) return Relation::apart;
    const int t0 = orient3d(v, a0, a1, b0), t1 = orient3d(v, a0, a1, b1);
    if (t0 == t1 && t0 != 0) return Relation::apart;
    if ((s0 == 0 && s1 == 0) || (t0 == 0 && t1 == 0))
        return flat_relation_at_vertex(v, {a0, a1}, {b0, b1});

    // The planes meet in a line through v, on which each triangle has a piece that starts at v:
    // they have more than v in common where both pieces run the same way.
    if (s0 == 0 || s1 == 0) {
        const std::size_t axis = projection_axis(v, b0, b1).value();
        const int side = wedge_side(v, b0, b1, s0 == 0 ? a0 : a1, axis);
        return side < 0 ? Relation::apart : Relation::touching;
    }
    if (t0 == 0 || t1 == 0) {
        const std::size_t axis = projection_axis(v, a0, a1).value();
        const int side = wedge_side(v, a0, a1, t0 == 0 ? b0 : b1, axis);
        return side < 0 ? Relation::apart : Relation::touching;
    }
    // The edge a0 a1 pierces b's plane inside the wedge of b, or else inside its mirror image.
    return -s0 * orient3d(a0, a1, v, b0) > 0 ? Relation::crossing : Relation::apart;
}

TriangleRelation triangle_relation_at_edge(const Vec3& e0, const Vec3& e1, const Vec3& a,
                                           const Vec3& b)
{
    if (orient3d(e0, e1, a, b) != 0) return Relation::apart;
    const auto a_axis = projection_axis(e0, e1, a);
    const auto b_axis = projection_axis(e0, e1, b);
    if (a_axis && b_axis) {
        const Vec2 p0 = project(e0, *b_axis), p1 = project(e1, *b_axis);
        return orient2d(p0, p1, project(a, *b_axis)) == orient2d(p0, p1, project(b, *b_axis))
                   ? Relation::crossing
                   : Relation::apart;
    }
    // A triangle of no area beside one with an area lies on the line of the edge, where the other
    // has nothing but the edge.
    if (a_axis || b_axis) return Relation::apart;
    if (e0 == e1)
        return a != e0 && b != e0 && same_ray(e0, a, b) ? Relation::crossing : Relation::apart;
    // Two segments with a piece in common: the edge, or more where both go beyond the same end.
    const auto beyond = [](const Vec3& from, const Vec3& end, const Vec3& p) {
        for (std::size_t k = 0; k < 3; ++k)
            if (from[k] != end[k]) return from[k] < end[k] ? p[k] > end[k] : p[k] < end[k];
        return false;
    };
    const bool both =
        (beyond(e0, e1, a) && beyond(e0, e1, b)) || (beyond(e1, e0, a) && beyond(e1, e0, b));
    return both ? Relation::crossing : Relation::apart;
}

TriangleRelation face_relation(const std::array<std::uint32_t, 3>& nodes_a,
                               const std::array<Vec3, 3>& a,
                               const std::array<std::uint32_t, 3>& nodes_b,
                               const std::array<Vec3, 3>& b)
{
    std::array<std::size_t, 3> in_a{}, in_b{}; // corners at the shared nodes
    std::size_t shared = 0;
    std::array<bool, 3> is_used{}; // of b; a face in a file may name a node twice
    for (std::size_t i = 0; i < 3; ++i)
        for (std::size_t j = 0; j < 3; ++j) {
            if (is_used[j] || nodes_a[i] != nodes_b[j]) continue;
            is_used[j] = true;
            in_a[shared] = i;
            in_b[shared++] = j;
            break;
        }
    switch (shared) {
    case 0:
        return triangle_relation(a, b);
    case 1: {
        const std::size_t i = in_a[0], j = in_b[0];
        return triangle_relation_at_vertex(a[i], a[(i + 1) % 3], a[(i + 2) % 3], b[(j + 1) % 3],
                                           b[(j + 2) % 3]);
    }
    case 2:
        return triangle_relation_at_edge(a[in_a[0]], a[in_a[1]], a[3 - in_a[0] - in_a[1]],
                                         b[3 - in_b[0] - in_b[1]]);
    default:
        return Relation::crossing;
    }
}

std::optional<std::array<Vec3, 2>> intersection_segment(const std::array<Vec3, 3>& a,
                                                        const std::array<Vec3, 3>& b)
{
    const Signs s = sides(b, a), t = sides(a, b);
    if (!straddles(s) || !straddles(t)) return std::nullopt;
    Triangle ta = a, tb = b;
    put_in_standard_position(ta, s, tb, t);
    if (before(ta, 1, tb, 1) <= 0 || before(ta, 2, tb, 2) >= 0) return std::nullopt;
    const Vec3 start = before(ta, 1, tb, 2) > 0 ? meet(tb[0], tb[2], ta) : meet(ta[0], ta[1], tb);
    const Vec3 end = before(ta, 2, tb, 1) > 0 ? meet(ta[0], ta[2], tb) : meet(tb[0], tb[1], ta);
    return std::array<Vec3, 2>{start, end};
}

} // namespace pleat
