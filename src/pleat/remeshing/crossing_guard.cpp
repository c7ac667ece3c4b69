// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/remeshing/crossing_guard.hpp"

#include "pleat/geometry/triangle_intersection.hpp"

#include <algorithm>

namespace pleat {

namespace {

WorldBox box_of_cloth(const Mesh& mesh, const Field<NodeId, Vec3>& x)
{
    WorldBox box{{}, {}};
    bool first = true;
    for (NodeId n : mesh.nodes()) {
        if (!mesh.is_alive(n)) continue;
        const WorldBox point{x[n], x[n]};
        if (first)
            box = point;
        else
            box.grow(point);
        first = false;
    }
    return box;
}

/// How two faces meet beyond the nodes that they share.
TriangleRelation relation(const FaceDraft& a, const FaceDraft& b)
{
    std::array<std::size_t, 3> in_a{}, in_b{}; // the shared nodes
    std::size_t shared = 0;
    for (std::size_t i = 0; i < 3; ++i)
        for (std::size_t j = 0; j < 3; ++j)
            if (a.nodes[i] == b.nodes[j] && shared < 3) {
                in_a[shared] = i;
                in_b[shared++] = j;
            }
    switch (shared) {
    case 0:
        return triangle_relation(a.x, b.x);
    case 1: {
        const std::size_t i = in_a[0], j = in_b[0];
        return triangle_relation_at_vertex(a.x[i], a.x[(i + 1) % 3], a.x[(i + 2) % 3],
                                           b.x[(j + 1) % 3], b.x[(j + 2) % 3]);
    }
    case 2:
        return triangle_relation_at_edge(a.x[in_a[0]], a.x[in_a[1]], a.x[3 - in_a[0] - in_a[1]],
                                         b.x[3 - in_b[0] - in_b[1]]);
    default:
        return TriangleRelation::crossing; // two faces on the same three nodes
    }
}

} // namespace

CrossingGuard::CrossingGuard(const Mesh& mesh, const Field<NodeId, Vec3>& x,
                             const ObstacleTree& obstacles)
    : obstacles_(&obstacles), faces_(box_of_cloth(mesh, x))
{
    for (FaceId f : mesh.faces()) changed(mesh, x, f);
}

void CrossingGuard::changed(const Mesh& mesh, const Field<NodeId, Vec3>& x, FaceId face)
{
    if (!mesh.is_alive(face)) {
        faces_.drop(face);
        return;
    }
    const auto n = mesh.nodes_of(face);
    faces_.put(face, WorldBox::of({x[n[0]], x[n[1]], x[n[2]]}));
}

bool CrossingGuard::allows(const Mesh& mesh, const Field<NodeId, Vec3>& x,
                           std::span<const FaceDraft> drafts, std::span<const FaceId> replaced,
                           DraftContact contact) const
{
    const auto is_well = [&](TriangleRelation r) {
        return r == TriangleRelation::apart ||
               (contact == DraftContact::touching && r == TriangleRelation::touching);
    };
    for (std::size_t i = 0; i < drafts.size(); ++i)
        for (std::size_t j = 0; j < i; ++j)
            if (!is_well(relation(drafts[i], drafts[j]))) return false;
    for (const FaceDraft& draft : drafts) {
        const WorldBox box = WorldBox::of(draft.x);
        const bool free_of_cloth = faces_.visit(box, [&](FaceId f) {
            if (std::find(replaced.begin(), replaced.end(), f) != replaced.end()) return true;
            const auto n = mesh.nodes_of(f);
            return is_well(relation(draft, {n, {x[n[0]], x[n[1]], x[n[2]]}}));
        });
        if (!free_of_cloth) return false;
        const auto meets_not = [&](const std::array<Vec3, 3>& triangle) {
            return is_well(triangle_relation(draft.x, triangle));
        };
        if (!obstacles_->visit(box, meets_not)) return false;
    }
    return true;
}

} // namespace pleat
