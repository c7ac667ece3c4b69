// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/contact/rest_gap.hpp"

#include "pleat/geometry/distance.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace pleat {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

Vec3 flat(const Vec2& u)
{
    return {u[0], u[1], 0};
}

double segment_gap(const Vec3& a0, const Vec3& a1, const Vec3& b0, const Vec3& b1)
{
    return std::sqrt(segment_segment_distance(a0, a1, b0, b1).distance2);
}

double triangle_gap(const std::array<Vec3, 3>& t, const std::array<Vec3, 2>& s)
{
    double d2 = point_triangle_distance(s[0], t[0], t[1], t[2]).distance2;
    for (std::size_t k = 0; k < 3; ++k)
        d2 = std::min(d2, segment_segment_distance(t[k], t[(k + 1) % 3], s[0], s[1]).distance2);
    return std::sqrt(d2);
}

/// The least value over [0, 1] of a convex function, from above, to about a thousandth of how far
/// it can change there.
template <class Function> double least_of(Function&& f)
{
    constexpr double golden = 0.6180339887498949;
    constexpr int rounds = 14;
    double low = 0, high = 1, left = 1 - golden, right = golden;
    double at_left = f(left), at_right = f(right);
    double least = std::min({f(0.0), f(1.0), at_left, at_right});
    for (int k = 0; k < rounds; ++k) {
        if (at_left < at_right) {
            high = right;
            right = left;
            at_right = at_left;
            left = high - golden * (high - low);
            at_left = f(left);
            least = std::min(least, at_left);
        } else {
            low = left;
            left = right;
            at_left = at_right;
            right = low + golden * (high - low);
            at_right = f(right);
            least = std::min(least, at_right);
        }
    }
    return least;
}

} // namespace

RestGap::RestGap(const Model& model, double reach) : reach_(reach)
{
    const Mesh& mesh = model.mesh;
    face_u_.resize(mesh.face_count());
    face_panel_.resize(mesh.face_count());
    for (FaceId f : mesh.faces()) {
        for (std::size_t k = 0; k < 3; ++k) face_u_[index(f)][k] = flat(mesh.u(mesh[f].verts[k]));
        face_panel_[index(f)] = index(mesh.panel(f));
    }

    // Each side of a seam edge tells the faces of its panel that are near it, from face to face.
    struct Note {
        std::uint32_t face;
        SeamSide seam;
    };
    std::vector<Note> notes;
    std::vector<std::uint32_t> seen(mesh.face_count(), 0), queue;
    std::uint32_t round = 0;
    for (EdgeId e : mesh.edges()) {
        if (!mesh.is_seam(e)) continue;
        for (std::uint8_t side = 0; side < 2; ++side) {
            const auto verts = mesh.verts_of(e, side);
            const SeamSide seam{index(e), side, {flat(mesh.u(verts[0])), flat(mesh.u(verts[1]))}};
            ++round;
            queue.assign(1, index(mesh[e].faces[side]));
            seen[queue[0]] = round;
            for (std::size_t next = 0; next < queue.size(); ++next) {
                const std::uint32_t f = queue[next];
                if (triangle_gap(face_u_[f], seam.u) > reach) continue;
                notes.push_back({f, seam});
                for (EdgeId around : mesh[make_id<FaceId>(f)].edges) {
                    if (mesh.is_seam(around)) continue;
                    for (FaceId g : mesh[around].faces)
                        if (is_some(g) && seen[index(g)] != round) {
                            seen[index(g)] = round;
                            queue.push_back(index(g));
                        }
                }
            }
        }
    }
    std::stable_sort(notes.begin(), notes.end(),
                     [](const Note& a, const Note& b) { return a.face < b.face; });
    seam_begin_.assign(mesh.face_count() + 1, 0);
    for (const Note& n : notes) ++seam_begin_[n.face + 1];
    for (std::size_t f = 0; f < mesh.face_count(); ++f) seam_begin_[f + 1] += seam_begin_[f];
    seams_.reserve(notes.size());
    for (const Note& n : notes) seams_.push_back(n.seam);
}

double RestGap::within(const FeaturePair& p) const
{
    if (face_panel_[p.face_a] != face_panel_[p.face_b]) return infinity;
    const Triangle &a = face_u_[p.face_a], &b = face_u_[p.face_b];
    if (p.edges)
        return segment_gap(a[p.place_a], a[(p.place_a + 1u) % 3], b[p.place_b],
                           b[(p.place_b + 1u) % 3]);
    return std::sqrt(point_triangle_distance(a[p.place_a], b[0], b[1], b[2]).distance2);
}

double RestGap::across_seams(const FeaturePair& p) const
{
    const auto near_a = seams_near(p.face_a), near_b = seams_near(p.face_b);
    if (near_a.empty() || near_b.empty()) return infinity;
    const Triangle &a = face_u_[p.face_a], &b = face_u_[p.face_b];
    const auto to_edge = [](const Vec3& point, const Triangle& t, std::size_t place) {
        return point_segment_distance(point, t[place], t[(place + 1) % 3]).distance2;
    };
    const auto gap_a = [&](const Vec3& point) {
        return p.edges ? to_edge(point, a, p.place_a) : norm2(point - a[p.place_a]);
    };
    const auto gap_b = [&](const Vec3& point) {
        return p.edges ? to_edge(point, b, p.place_b)
                       : point_triangle_distance(point, b[0], b[1], b[2]).distance2;
    };
    double least = infinity;
    for (const SeamSide& sa : near_a)
        for (const SeamSide& sb : near_b) {
            if (sa.edge != sb.edge || sa.side == sb.side) continue;
            const double to_a =
                p.edges
                    ? segment_gap(a[p.place_a], a[(p.place_a + 1u) % 3], sa.u[0], sa.u[1])
                    : std::sqrt(point_segment_distance(a[p.place_a], sa.u[0], sa.u[1]).distance2);
            const double to_b =
                p.edges ? segment_gap(b[p.place_b], b[(p.place_b + 1u) % 3], sb.u[0], sb.u[1])
                        : triangle_gap(b, sb.u);
            if (to_a + to_b >= std::min(least, reach_)) continue; // no way is shorter than this
            // Both must come to the same point of the seam. Features that touch it at different
            // points are not in touch: repulsion and impacts must keep them apart.
            least = std::min(least, least_of([&](double s) {
                                 const Vec3 on_a = (1 - s) * sa.u[0] + s * sa.u[1];
                                 const Vec3 on_b = (1 - s) * sb.u[0] + s * sb.u[1];
                                 return std::sqrt(gap_a(on_a)) + std::sqrt(gap_b(on_b));
                             }));
        }
    return least;
}

double RestGap::distance(const FeaturePair& p, const std::array<double, 4>& weights) const
{
    constexpr double touching = 1e-9; // [m]
    const double d = distance(p);
    if (d > touching || face_panel_[p.face_a] != face_panel_[p.face_b]) return d;
    const Triangle &a = face_u_[p.face_a], &b = face_u_[p.face_b];
    Vec3 between{};
    if (p.edges)
        between = weights[0] * a[p.place_a] + weights[1] * a[(p.place_a + 1u) % 3] +
                  weights[2] * b[p.place_b] + weights[3] * b[(p.place_b + 1u) % 3];
    else
        between =
            weights[0] * a[p.place_a] + weights[1] * b[0] + weights[2] * b[1] + weights[3] * b[2];
    return norm(between);
}

double RestGap::distance(const FeaturePair& pair) const
{
    const double d = std::min(within(pair), across_seams(pair));
    return d <= reach_ ? d : infinity;
}

} // namespace pleat
