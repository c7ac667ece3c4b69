// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/remeshing/crossing_guard.hpp"

#include <algorithm>

namespace pleat {

CrossingGuard::CrossingGuard(const Mesh& mesh, const Field<NodeId, Vec3>& x,
                             const ObstacleTree& obstacles)
    : obstacles_(&obstacles), faces_(face_tree(mesh, x))
{}

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
                           DraftContact contact)
{
    const auto is_well = [&](TriangleRelation r) {
        return r == TriangleRelation::apart ||
               (contact == DraftContact::touching && r == TriangleRelation::touching);
    };
    for (std::size_t i = 0; i < drafts.size(); ++i)
        for (std::size_t j = 0; j < i; ++j)
            if (!is_well(relation(drafts[i], drafts[j]))) return false;
    if (drafts.empty()) return true;
    WorldBox all = WorldBox::of(drafts[0].x);
    for (const FaceDraft& draft : drafts) all.grow(WorldBox::of(draft.x));
    near_cloth_.clear();
    near_boxes_.clear();
    near_obstacles_.clear();
    faces_.visit(all, [&](FaceId f) {
        if (std::find(replaced.begin(), replaced.end(), f) == replaced.end()) {
            near_cloth_.push_back(face_draft(mesh, x, f));
            near_boxes_.push_back(WorldBox::of(near_cloth_.back().x));
        }
        return true;
    });
    obstacles_->visit(all, [&](const std::array<Vec3, 3>& triangle) {
        near_obstacles_.push_back(triangle);
        return true;
    });
    for (const FaceDraft& draft : drafts) {
        const WorldBox box = WorldBox::of(draft.x);
        for (std::size_t i = 0; i < near_cloth_.size(); ++i)
            if (near_boxes_[i].overlaps(box) && !is_well(relation(draft, near_cloth_[i])))
                return false;
        for (const auto& triangle : near_obstacles_)
            if (!is_well(triangle_relation(draft.x, triangle))) return false;
    }
    return true;
}

} // namespace pleat
