// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// The two operators of quadrisection on a mesh: the split of an edge, and the join, its exact
// inverse. Based on: [Wang2002] sec. 3.1, 4.2.
//
// A split divides the triangles at the edge into four, where they are not yet, and makes the
// midpoint of the edge free. Nothing moves. Where the midpoint is there already, as a T-vertex, and
// both triangles are refined, the mesh stays as it is.
//
// A join puts the midpoint back to the mean of the ends of the edge, with the T-vertices that
// depend on it, and takes away the children that no other split needs. The mesh is then the very
// one that it was before the split.
//
// Mass needs no rule of its own: T-vertices hand theirs on to their parents (Model::dependencies),
// and what a free midpoint has then, and takes from each parent, are the figures of [Wang2002] sec.
// 4.2. The momentum that a join would lose, because the midpoint did not move as the mean of its
// parents, goes to the parents in equal parts.
#pragma once

#include "pleat/core/field.hpp"
#include "pleat/linalg/dependencies.hpp"
#include "pleat/mesh/quad_forest.hpp"
#include "pleat/remeshing/mesh_editor.hpp"
#include "pleat/remeshing/quadrisection_hierarchy.hpp"

#include <functional>
#include <vector>

namespace pleat {

struct QuadrisectionLimits {
    std::vector<int> levels; // by PanelId: no face comes to a level above
    /// By PanelId: how much finer than a triangle its neighbours may be, at most; 0: any. Coarser
    /// ones are split first where that is needed for it.
    std::vector<int> level_difference;
};

class QuadrisectionEdits {
public:
    /// \param face_level, v fields that follow the editor's edits
    /// \param density of a face of the mesh, for momentum [kg/m^2]
    /// \pre all outlive this; the hierarchy of mesh and forest has no problem().
    QuadrisectionEdits(MeshEditor& editor, QuadHierarchy hierarchy, Field<FaceId, int>& face_level,
                       Field<NodeId, Vec3>& v, std::function<double(FaceId)> density,
                       QuadrisectionLimits limits);

    [[nodiscard]] const QuadHierarchy& hierarchy() const { return hierarchy_; }

    /// \return false where the edge is not active, a limit or the guard forbids it. Coarser edges
    /// may have been split all the same.
    bool split(QuadEdgeId edge);
    /// \return false, with nothing changed, where the edge is not split, has children that are, or
    /// strain, a limit or the guard forbids it.
    bool join(QuadEdgeId edge);

    /// After the last edit: what nodes depend on. \param others of nodes that are not in the forest
    [[nodiscard]] Dependencies dependencies(const Dependencies& others) const;
    /// Hands what joins have taken on to the free nodes. \pre to be called once, at the end
    void apply_impulses(const Dependencies& dependencies);

private:
    [[nodiscard]] bool may_split(QuadEdgeId edge) const;
    [[nodiscard]] bool may_join(QuadEdgeId edge) const;
    [[nodiscard]] bool is_frozen(QuadFaceId leaf) const;
    /// The panel of a triangle of any level.
    [[nodiscard]] PanelId panel_of(QuadFaceId face) const;
    bool split_coarser(QuadEdgeId edge);
    bool force_split(QuadEdgeId edge);
    void do_split(QuadEdgeId edge);
    void do_join(QuadEdgeId edge);
    void refine(QuadFaceId face);
    void coarsen(QuadFaceId face);
    void make_middle(QuadEdgeId edge);
    void remove_middle(QuadEdgeId edge);
    /// Gives a triangle that is not refined the faces that it should have.
    void arrange(QuadFaceId leaf);
    void set_parts(QuadFaceId leaf, std::vector<FaceId> parts);

    /// What a join moves, and what it was.
    struct Moves {
        std::vector<NodeId> nodes; // the midpoint, then what depends on it
        std::vector<Vec3> old_x, old_v, new_x, new_v;
        std::array<NodeId, 2> parents{no_node, no_node};
        Vec3 impulse{}; // for each of the parents [kg m/s]
    };
    [[nodiscard]] Moves find_moves(QuadEdgeId edge) const;
    [[nodiscard]] bool forbids(const Moves& moves);
    [[nodiscard]] Vec3& impulse(NodeId node);

    MeshEditor& editor_;
    const Mesh& mesh_;
    QuadHierarchy hierarchy_;
    Field<FaceId, int>& face_level_;
    Field<NodeId, Vec3>& v_;
    std::function<double(FaceId)> density_;
    QuadrisectionLimits limits_;
    std::vector<QuadFaceId> loose_; // triangles whose faces are to be arranged
    std::vector<Vec3> impulses_;    // by NodeId [kg m/s]
};

} // namespace pleat
