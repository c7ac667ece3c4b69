// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Lengths, angles and shapes in the stretched space of a sizing field: a symmetric tensor M at each
// vert [1/m^2], for which an edge e of material space should have e^T M e <= 1.
// Based on: [Narain2012] sec. 4.1, [Bossen1996] (the flip test), [Musin1997] (the energy that a
// Delaunay flip lowers).
#pragma once

#include "pleat/core/field.hpp"
#include "pleat/core/vec.hpp"
#include "pleat/mesh/measures.hpp"
#include "pleat/mesh/mesh.hpp"

#include <array>
#include <cmath>

namespace pleat {

/// Sizing tensors, one a vert [1/m^2], material space. Seam partners have one each: the same
/// tensor, turned into the axes of their own panel.
using MetricField = Field<VertId, Mat2>;

/// a^T m b
[[nodiscard]] constexpr double metric_dot(const Vec2& a, const Mat2& m, const Vec2& b)
{
    return a[0] * (m(0, 0) * b[0] + m(0, 1) * b[1]) + a[1] * (m(1, 0) * b[0] + m(1, 1) * b[1]);
}

/// Square of the size of an edge between two points of one panel [Narain2012] eq. 1.
[[nodiscard]] constexpr double edge_size2(const Vec2& ui, const Mat2& mi, const Vec2& uj,
                                          const Mat2& mj)
{
    const Vec2 e = ui - uj;
    return 0.5 * metric_dot(e, mi + mj, e);
}

/// False for edges that are surely not on a seam: those with an end that is on none. Cheap.
[[nodiscard]] inline bool may_be_seam(const Mesh& mesh, EdgeId edge)
{
    const auto [a, b] = mesh[edge].nodes;
    return !mesh.is_border(edge) && mesh.kind(a) != NodeKind::interior &&
           mesh.kind(b) != NodeKind::interior;
}

/// Square of the size of an edge of the mesh; on a seam the mean of its two sides.
[[nodiscard]] inline double edge_size2(const Mesh& mesh, const MetricField& metric, EdgeId edge)
{
    const auto size2 = [&](const std::array<VertId, 2>& v) {
        return edge_size2(mesh.u(v[0]), metric[v[0]], mesh.u(v[1]), metric[v[1]]);
    };
    const auto first = mesh.verts_of(edge, 0);
    if (!may_be_seam(mesh, edge)) return size2(first);
    const auto second = mesh.verts_of(edge, 1);
    return second == first ? size2(first) : 0.5 * (size2(first) + size2(second));
}

/// Whether the edge (i, j) is not Delaunay in the stretched space of `m` [Narain2012] eq. 3: the
/// two angles that look at it sum to more than pi.
/// \param k the far corner on the right of i -> j
/// \param l the far corner on its left
[[nodiscard]] inline bool is_not_delaunay(const Vec2& ui, const Vec2& uj, const Vec2& uk,
                                          const Vec2& ul, const Mat2& m)
{
    // Cocircular within this share of the terms counts as Delaunay: neither diagonal is better.
    constexpr double tie = 1e-10;
    const double first = cross(uj - uk, ui - uk) * metric_dot(ui - ul, m, uj - ul);
    const double second = metric_dot(uj - uk, m, ui - uk) * cross(ui - ul, uj - ul);
    return first + second < -tie * (std::abs(first) + std::abs(second));
}

/// Shape in stretched space: 1 for an equilateral triangle, 0 for one of no area, negative for one
/// turned over.
[[nodiscard]] inline double metric_quality(const Vec2& a, const Vec2& b, const Vec2& c,
                                           const Mat2& m)
{
    const Vec2 p = b - a, q = c - b, r = a - c;
    const double squares = metric_dot(p, m, p) + metric_dot(q, m, q) + metric_dot(r, m, r);
    constexpr double of_equilateral = 3.4641016151377544; // 2 sqrt(3), for twice the area
    return of_equilateral * cross(p, q) * std::sqrt(std::max(0.0, determinant(m))) / squares;
}

/// Shape of a face in the mean of its verts' tensors.
[[nodiscard]] inline double metric_quality(const Mesh& mesh, const MetricField& metric,
                                           const std::array<VertId, 3>& v)
{
    return metric_quality(mesh.u(v[0]), mesh.u(v[1]), mesh.u(v[2]),
                          (metric[v[0]] + metric[v[1]] + metric[v[2]]) * (1.0 / 3));
}

/// Number of equilateral triangles of unit edges that the mesh's field asks for: 4 / sqrt(3) times
/// the integral of sqrt(det M), by the mean over each face.
[[nodiscard]] double ideal_face_count(const Mesh& mesh, const MetricField& metric);

/// Edges by the angles that look at them in stretched space, by the mean tensor of their four verts
/// as in the flip test. More than pi by less than 1e-9 rad counts as Delaunay.
struct DelaunayCount {
    std::size_t edges = 0;        // that are no borders, seams or kept edges
    std::size_t not_delaunay = 0; // of these
    [[nodiscard]] double share() const
    {
        return edges > 0 ? double(not_delaunay) / double(edges) : 0;
    }
};

/// How far a mesh is from the Delaunay property in the stretched space of its field. A remeshing
/// leaves some edges: flips are tried where a split or a collapse changed a face, and must do no
/// harm.
[[nodiscard]] DelaunayCount count_delaunay(const Mesh& mesh, const MetricField& metric);

} // namespace pleat
