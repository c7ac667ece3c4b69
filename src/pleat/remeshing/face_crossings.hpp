// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Which faces of the cloth cross other faces or obstacles, by exact predicates.
#pragma once

#include "pleat/core/field.hpp"
#include "pleat/core/vec.hpp"
#include "pleat/geometry/triangle_intersection.hpp"
#include "pleat/mesh/mesh.hpp"
#include "pleat/remeshing/face_tree.hpp"
#include "pleat/remeshing/obstacle_tree.hpp"

#include <array>
#include <span>
#include <vector>

namespace pleat {

/// A face that is there, or that an edit would make.
struct FaceDraft {
    std::array<NodeId, 3> nodes; // a node to come has the id that it will get
    std::array<Vec3, 3> x;       // world [m]
};

[[nodiscard]] inline FaceDraft face_draft(const Field<NodeId, Vec3>& x,
                                          const std::array<NodeId, 3>& n)
{
    return {n, {x[n[0]], x[n[1]], x[n[2]]}};
}
[[nodiscard]] inline FaceDraft face_draft(const Mesh& mesh, const Field<NodeId, Vec3>& x,
                                          FaceId face)
{
    return face_draft(x, mesh.nodes_of(face));
}

/// How two faces meet beyond the nodes that they share.
[[nodiscard]] TriangleRelation relation(const FaceDraft& a, const FaceDraft& b);

struct FaceCrossing {
    FaceId face = no_face;
    FaceId other = no_face;         // no_face: an obstacle's triangle
    std::array<Vec3, 3> obstacle{}; // its corners [m]
};

/// All faces of the mesh that are alive, in a tree.
[[nodiscard]] FaceTree face_tree(const Mesh& mesh, const Field<NodeId, Vec3>& x);

/// The crossings of the faces `suspects` with any face and any obstacle; each pair once, in the
/// order of the suspects. \param tree of the faces where they are now
[[nodiscard]] std::vector<FaceCrossing>
find_face_crossings(const Mesh& mesh, const Field<NodeId, Vec3>& x, const FaceTree& tree,
                    const ObstacleTree& obstacles, std::span<const FaceId> suspects);

} // namespace pleat
