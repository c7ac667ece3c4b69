// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Root-3 subdivision that can go on anywhere and back again: a mesh and its hierarchy, and the two
// steps that change it.
// Based on: [Bender2013] sec. 5, [Kobbelt2000] (refinement).
//
// Every face has a generation, 0 in the mesh that the hierarchy begins with. One step of
// subdivision takes a face from an even generation g to g + 2:
//
//   g -> g + 1      the face is split in three at its barycentre. Each part has one edge of the old
//                   face, its *mate edge*.
//   g + 1 -> g + 2  where the parts on both sides of a mate edge have the same generation, the edge
//                   is flipped.
//
// So six generations are three steps, and 27 faces where there was one. Faces that share an edge
// differ by at most one generation: a refinement refines its neighbours first where it must.
//
// Feature edges (outline, seam, kept edge) are not flipped: a part at one is taken to g + 2 as it
// is, on both sides of a seam at once. In the next step of such a part (it has one node of the last
// step, a flipped face has two) the edge is split in three parts of equal length, on both sides of
// a seam at once, instead of the face at its barycentre. The parts at the ends have one edge each
// of the face, their mate edge; the part in the middle is taken to the next even generation as it
// is. After two steps each edge of the mesh that the hierarchy begins with is in three parts, on
// outlines and seams too.
//
// An edge within a panel is treated so too where its flip is refused and something finer is asked
// for there: where the flip would turn a triangle over in material space, cut the corner of a fold,
// or make faces intersect. A fold sharper than the mesh then becomes a line of edges. The edge is
// marked until coarsening comes back to it.
//
// Coarsening is the exact inverse: a node goes, or the two nodes within an edge, and what was
// flipped after it was inserted is flipped back. The mesh is a function of the nodes that are
// there, not of the order in which they came, but for flips that were refused.
//
// What must be known for that: the generation of each face, and of each node the generation in
// which it was inserted. The newest nodes of a face tell its mate edge: there is one, and the mate
// edge is opposite; or there are two, and the mate edge joins them (it was flipped).
//
// Departs from [Bender2013]: the paper stores a bit for each odd generation of a face, which tells
// the mate edge after a join. The generation of nodes tells it too, and follows every edit as any
// other field does. Seams, kept edges and refused flips are not in the paper.
#pragma once

#include "pleat/core/field.hpp"
#include "pleat/mesh/mesh.hpp"
#include "pleat/remeshing/mesh_editor.hpp"

#include <optional>
#include <string>
#include <vector>

namespace pleat {

/// A mesh with the generations of its faces and nodes; to look at.
class Root3Hierarchy {
public:
    /// \pre all outlive this.
    Root3Hierarchy(const Mesh& mesh, const Field<FaceId, int>& face_generation,
                   const Field<NodeId, int>& node_generation,
                   const Field<EdgeId, int>& edge_unflipped)
        : mesh_(mesh), face_generation_(face_generation), node_generation_(node_generation),
          edge_unflipped_(edge_unflipped)
    {}

    /// Whether an edge is not flipped: a feature edge, or one whose flip was refused.
    [[nodiscard]] bool is_fixed(EdgeId edge) const
    {
        return edge_unflipped_[edge] != 0 || mesh_.is_feature(edge);
    }

    /// The edge of a face that its last step left to pair, or paired; no_edge in generation 0.
    [[nodiscard]] EdgeId mate_edge(FaceId face) const;
    /// The face on the other side of an edge, no_face on an outline.
    [[nodiscard]] FaceId across(FaceId face, EdgeId edge) const
    {
        const auto& faces = mesh_[edge].faces;
        return faces[0] == face ? faces[1] : faces[0];
    }
    /// Whether the next step of a face splits its mate edge in three instead.
    [[nodiscard]] bool is_split_at_edge(FaceId face) const;

    /// All that is to be done to remove a node.
    struct Removal {
        int generation = 0;                   // of the node
        std::vector<NodeId> nodes;            // one, or two within an edge
        std::vector<EdgeId> collapsed;        // of the latter: from each to the end of the edge
        std::vector<EdgeId> flips;            // to take back
        std::vector<FaceId> steps_back;       // faces that lose a generation as they are
        std::vector<EdgeId> unmarked;         // edges that may be flipped again
        std::vector<FaceId> old;              // faces that go or change
        std::vector<MeshEditor::NewFace> now; // what comes instead
        std::vector<FaceId> coarse;           // of a removal within an edge: faces that stay
    };
    /// \return nothing where the node was not inserted, or where finer neighbours need it.
    [[nodiscard]] std::optional<Removal> find_removal(NodeId node) const;

    /// What is wrong in words, empty where nothing is: generations of neighbours, mate edges.
    [[nodiscard]] std::vector<std::string> find_problems() const;

private:
    [[nodiscard]] bool is_at_most(FaceId face, EdgeId edge, int generation) const;
    [[nodiscard]] std::optional<Removal> find_centre_removal(NodeId node) const;
    [[nodiscard]] std::optional<Removal> find_edge_removal(EdgeId middle) const;
    [[nodiscard]] bool add_unpaired(FaceId face, Removal& r) const;
    [[nodiscard]] bool add_end(FaceId face, NodeId node, Removal& r, VertId& end_vert,
                               EdgeId& end_edge) const;

    const Mesh& mesh_;
    const Field<FaceId, int>& face_generation_;
    const Field<NodeId, int>& node_generation_;
    const Field<EdgeId, int>& edge_unflipped_;
};

/// Changes a mesh along its hierarchy.
class Root3Edits {
public:
    /// \param face_generation, node_generation, edge_unflipped fields that follow the editor's
    /// edits \param most by PanelId: no face comes to a generation above \pre all outlive this;
    /// find_problems() finds nothing.
    Root3Edits(MeshEditor& editor, Field<FaceId, int>& face_generation,
               Field<NodeId, int>& node_generation, Field<EdgeId, int>& edge_unflipped,
               std::vector<int> most);

    /// Takes a face to a higher generation, and others where that is needed for it.
    /// \return false where it could not be done; faces around may have been refined all the same.
    bool refine(FaceId face);
    /// Removes a node that refinement has inserted. \return false, with nothing changed, where it
    /// is needed or its removal is refused.
    bool coarsen(NodeId node);
    /// Flips the mate edge of a face where both sides wait for it: what was refused before.
    void pair(FaceId face) { pair(face, RefusedFlip::waits); }

    [[nodiscard]] const Root3Hierarchy& hierarchy() const { return hierarchy_; }

private:
    enum class RefusedFlip { waits, is_marked };
    void pair(FaceId face, RefusedFlip refused);
    bool split(FaceId face);
    bool raise(FaceId face);
    bool raise_neighbours(FaceId face, int generation);
    bool split_at_centre(FaceId face);
    bool split_at_edge(FaceId face);
    [[nodiscard]] int most(FaceId face) const { return most_[index(mesh_.panel(face))]; }

    MeshEditor& editor_;
    const Mesh& mesh_;
    Field<FaceId, int>& face_generation_;
    Field<NodeId, int>& node_generation_;
    Field<EdgeId, int>& edge_unflipped_;
    Root3Hierarchy hierarchy_;
    std::vector<int> most_;
};

} // namespace pleat
