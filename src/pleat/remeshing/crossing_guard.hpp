// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Keeps remeshing from pushing the cloth through itself or through an obstacle: an edit is allowed
// only if the faces that it would make cross nothing, by exact predicates, against the faces there
// are at that moment.
// Based on: [Brochu2009] (each operation tried before it is done).
//
// Departs from [Brochu2009]: the new position is tested, not the path to it. To pass through
// unnoticed, an object would have to lie entirely between the old and the new faces, which
// connected cloth cannot.
#pragma once

#include "pleat/core/field.hpp"
#include "pleat/core/vec.hpp"
#include "pleat/mesh/mesh.hpp"
#include "pleat/remeshing/face_crossings.hpp"
#include "pleat/remeshing/face_tree.hpp"
#include "pleat/remeshing/obstacle_tree.hpp"

#include <array>
#include <span>
#include <vector>

namespace pleat {

enum class DraftContact {
    none,     // no point in common with anything
    touching, // touching is allowed, crossing is not: for an edit that leaves the surface in place
};

class CrossingGuard {
public:
    /// \pre `obstacles` outlives the guard.
    CrossingGuard(const Mesh& mesh, const Field<NodeId, Vec3>& x, const ObstacleTree& obstacles);

    /// Whether the drafts may stand in for the faces `replaced`.
    [[nodiscard]] bool allows(const Mesh& mesh, const Field<NodeId, Vec3>& x,
                              std::span<const FaceDraft> drafts, std::span<const FaceId> replaced,
                              DraftContact contact);

    /// To be called for each face that an edit made, changed or removed.
    void changed(const Mesh& mesh, const Field<NodeId, Vec3>& x, FaceId face);

private:
    const ObstacleTree* obstacles_;
    FaceTree faces_;
    // Near the drafts at hand.
    std::vector<FaceDraft> near_cloth_;
    std::vector<WorldBox> near_boxes_;
    std::vector<std::array<Vec3, 3>> near_obstacles_;
};

} // namespace pleat
