// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/sim/audit.hpp"

#include "pleat/contact/audit.hpp"
#include "pleat/core/parallel.hpp"
#include "pleat/mesh/measures.hpp"

#include <algorithm>
#include <cmath>

namespace pleat {

namespace {

/// Worst figures of one triangle or of many.
struct Shape {
    double stretch = 0, compression = 0, aspect = 1;
};

Shape worse(const Shape& a, const Shape& b)
{
    return {std::max(a.stretch, b.stretch), std::max(a.compression, b.compression),
            std::min(a.aspect, b.aspect)};
}

Shape shape_of(const ObjectMesh& m, std::size_t face)
{
    const auto& n = m.face_nodes[face];
    const auto& t = m.face_verts[face];
    const Mat2 du = from_columns(m.u[t[1]] - m.u[t[0]], m.u[t[2]] - m.u[t[0]]);
    const Mat3x2 dx = from_columns(m.x[n[1]] - m.x[n[0]], m.x[n[2]] - m.x[n[0]]);
    const Mat3x2 f = dx * inverse(du);
    const Mat2 c = transpose(f) * f;
    const double mean = 0.5 * (c(0, 0) + c(1, 1)), half = 0.5 * (c(0, 0) - c(1, 1));
    const double radius = std::sqrt(half * half + c(0, 1) * c(0, 1));
    return {std::sqrt(mean + radius) - 1, 1 - std::sqrt(std::max(0.0, mean - radius)),
            aspect(m.u[t[0]], m.u[t[1]], m.u[t[2]])};
}

} // namespace

MeshAudit audit(std::span<const ObjectMesh> meshes, double gap_reach)
{
    MeshAudit result;
    std::vector<AuditMesh> audited;
    for (std::size_t i = 0; i < meshes.size(); ++i)
        audited.push_back({.x = meshes[i].x,
                           .triangles = meshes[i].face_nodes,
                           .object = static_cast<int>(i),
                           .is_obstacle = !meshes[i].is_cloth,
                           .planes = meshes[i].planes});
    const AuditReport crossing = audit_intersections(audited, {.gap_cap = gap_reach});
    result.intersections = crossing.crossing_count();
    for (const FacePair& p : crossing.crossings)
        result.crossings.push_back({static_cast<std::size_t>(p.object_a),
                                    static_cast<std::size_t>(p.object_b), p.face_a, p.face_b});
    result.min_gap = crossing.min_gap;

    Shape total;
    for (const ObjectMesh& m : meshes)
        if (!m.face_verts.empty())
            total = parallel_reduce(
                m.face_verts.size(), total, [&](std::size_t f) { return shape_of(m, f); }, worse);
    result.max_stretch = total.stretch;
    result.max_compression = total.compression;
    result.worst_aspect = total.aspect;
    return result;
}

} // namespace pleat
