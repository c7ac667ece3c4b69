// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// The edits of a mesh: edge split, flip, collapse, face 1-to-3 split and 3-to-1 join, and another
// triangulation of a patch.
// Based on: [Narain2012] sec. 4.1 (split, flip, collapse with seams), [Bender2013] sec. 5 (1-to-3).
//
// Each edit changes topology and material coordinates only; what lives on the mesh follows through
// the record that the edit returns (field_set.hpp). Each can be undone, bit for bit, in reverse
// order, when an UndoLog is passed.
//
// What each kind of node allows:
//
//   kind      removed by a collapse along            removed by a 3-to-1 join
//   interior  any edge                               yes
//   border    the outline only                       no
//   seam      the seam (or the kept edges) only      no
//   corner    never                                  no
//   locked    never                                  no
//
// Any edge can be split, whatever its ends: the new node is interior, border or seam as the edge
// is. An edge is flipped only if it is no border, no seam and not kept. So outlines, seams and
// corners stay where they are in material space.
#pragma once

#include "pleat/mesh/mesh.hpp"

#include <array>
#include <cstddef>
#include <span>
#include <vector>

namespace pleat {

/// Why an edit is refused.
enum class Refusal {
    none,     // allowed
    feature,  // a border, seam, kept edge, corner or locked node forbids it
    topology, // it would make a non-manifold or empty mesh
    inverted, // a material triangle would lose its area or turn over
};

// --- records: what an edit did, for the fields that follow --------------------------------------

/// Edge (a, b) became (a, m) and (m, b); each face was cut in two.
struct EdgeSplit {
    EdgeId edge = no_edge;                             // now (a, m)
    EdgeId new_edge = no_edge;                         // (m, b)
    std::array<EdgeId, 2> new_cross{no_edge, no_edge}; // (m, opposite) of each side
    NodeId new_node = no_node;
    std::array<NodeId, 2> parent_nodes{no_node, no_node}; // a, b
    std::array<VertId, 2> new_verts{no_vert, no_vert};    // of each side; equal off the seams
    std::array<std::array<VertId, 2>, 2> parent_verts{};  // of each side: at a, at b
    std::array<FaceId, 2> faces{no_face, no_face};        // halves at a
    std::array<FaceId, 2> new_faces{no_face, no_face};    // halves at b
    double t = 0.5;                                       // m = (1 - t) a + t b in material space
};

/// The edge between two faces now joins their other two nodes.
struct EdgeFlip {
    EdgeId edge = no_edge;
    std::array<FaceId, 2> faces{no_face, no_face};
    std::array<double, 2> old_area{}; // material [m^2]
};

/// One node of an edge went away; its faces now meet the other.
struct EdgeCollapse {
    NodeId removed = no_node;
    NodeId kept = no_node;
    EdgeId edge = no_edge; // dead
    std::array<FaceId, 2> removed_faces{no_face, no_face};
    std::array<double, 2> removed_area{};                  // material [m^2]
    std::array<EdgeId, 2> removed_edges{no_edge, no_edge}; // of each side: (removed, opposite)
    std::array<EdgeId, 2> kept_edges{no_edge, no_edge};    // of each side: (kept, opposite)
    std::vector<FaceId> changed_faces;
    std::vector<double> old_area; // of changed_faces, before
};

/// A face became three around a new vert at its barycentre.
struct FaceSplit {
    FaceId face = no_face; // keeps its first edge
    std::array<FaceId, 2> new_faces{no_face, no_face};
    std::array<EdgeId, 3> new_edges{no_edge, no_edge, no_edge}; // to the corners in turn
    NodeId new_node = no_node;
    VertId new_vert = no_vert;
    std::array<VertId, 3> parent_verts{no_vert, no_vert, no_vert};
};

/// Three faces around a node became one.
struct FaceJoin {
    FaceId face = no_face;
    std::array<FaceId, 2> removed_faces{no_face, no_face};
    std::array<EdgeId, 3> removed_edges{no_edge, no_edge, no_edge};
    NodeId removed_node = no_node;
    VertId removed_vert = no_vert;
    std::array<double, 3> old_area{}; // of face and removed_faces, before
};

/// A patch of faces has other faces with the same verts: many flips at once. Only what changed is
/// listed.
struct Retriangulation {
    std::vector<FaceId> faces;
    std::vector<double> old_area; // of the faces [m^2]
    std::vector<EdgeId> edges;    // inside the patch
    [[nodiscard]] bool changed() const { return !faces.empty(); }
};

/// What to restore when edits are taken back: old records, newest last. Edits are undone in reverse
/// order only.
class UndoLog {
public:
    [[nodiscard]] std::size_t edit_count() const { return marks_.size(); }
    void clear();

private:
    friend class EditWorker;
    template <class IdT, class Record> struct Saved {
        IdT id;
        Record record;
    };
    struct Mark { // sizes before the edit
        std::size_t verts, nodes, edges, faces;
        std::size_t saved_verts, saved_nodes, saved_edges, saved_faces;
    };
    std::vector<Saved<VertId, Mesh::Vert>> verts_;
    std::vector<Saved<NodeId, Mesh::Node>> nodes_;
    std::vector<Saved<EdgeId, Mesh::Edge>> edges_;
    std::vector<Saved<FaceId, Mesh::Face>> faces_;
    std::vector<Mark> marks_;
};

// --- the edits ----------------------------------------------------------------------------------

/// Splits an edge at (1 - t) nodes[0] + t nodes[1] in material space, on both sides of a seam.
/// \pre the edge is alive and 0 < t < 1.
EdgeSplit split_edge(Mesh& mesh, EdgeId edge, double t = 0.5, UndoLog* undo = nullptr);

/// Whether an edit asserts once more that it is allowed. Asking costs about as much as the edit.
enum class EditCheck {
    again,
    done, // the caller asked may_...() of the mesh as it is
};

[[nodiscard]] Refusal may_flip(const Mesh& mesh, EdgeId edge);
/// \pre may_flip(mesh, edge) == Refusal::none
EdgeFlip flip_edge(Mesh& mesh, EdgeId edge, UndoLog* undo = nullptr,
                   EditCheck check = EditCheck::again);

/// Whether the edge may collapse by removing `removed`, one of its two nodes.
[[nodiscard]] Refusal may_collapse(const Mesh& mesh, EdgeId edge, NodeId removed);
/// \pre may_collapse(mesh, edge, removed) == Refusal::none
EdgeCollapse collapse_edge(Mesh& mesh, EdgeId edge, NodeId removed, UndoLog* undo = nullptr,
                           EditCheck check = EditCheck::again);

/// Splits a face at its barycentre in material space. \pre the face is alive.
FaceSplit split_face(Mesh& mesh, FaceId face, UndoLog* undo = nullptr);

[[nodiscard]] Refusal may_join(const Mesh& mesh, NodeId node);
/// Inverse of split_face. \pre may_join(mesh, node) == Refusal::none
FaceJoin join_faces(Mesh& mesh, NodeId node, UndoLog* undo = nullptr);

/// Covers what some faces cover with other triangles on the same verts. A triangle that is there
/// already keeps its face, and an edge its id.
/// \param triangles counter-clockwise, as many as there are faces
/// \pre the faces are a disc of one panel without verts or feature edges inside, and the triangles
/// cover the same polygon.
Retriangulation retriangulate(Mesh& mesh, std::span<const FaceId> faces,
                              std::span<const std::array<VertId, 3>> triangles,
                              UndoLog* undo = nullptr);

/// Takes the newest edit back; the mesh has the very bits it had before it.
/// \pre undo.edit_count() > 0 and the mesh was changed by logged edits only.
void undo_edit(Mesh& mesh, UndoLog& undo);

} // namespace pleat
