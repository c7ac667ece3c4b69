// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Cloth as triangles with panels and seams [Narain2012] sec. 3.
//
// A *vert* is a point of a flat panel (material space, u in metres); a *node* is a point of the
// world. Verts on the two sides of a seam or dart share one node; any number of verts may share
// one (a corner where several seams meet). A *face* has three verts. An *edge* joins two nodes and
// has one face (border) or two; it is a *seam* where its two faces use different verts at an end.
// So the world mesh is an ordinary manifold on nodes, and an edit of an edge edits both sides of
// the seam at once, because there is one edge.
//
// Everything is an index into dense arrays. Edits (edits.hpp) leave dead elements behind, so that
// ids stay good during a pass and an undo restores the same bits; compact() (reorder.hpp) removes
// them. Ids in a Mesh handed to any other folder are dense and alive.
//
//   faces[0] of an edge runs nodes[0] -> nodes[1], faces[1] the other way.
//   edges[i] of a face joins verts[i] and verts[i + 1].
#pragma once

#include "pleat/core/error.hpp"
#include "pleat/core/ids.hpp"
#include "pleat/core/vec.hpp"
#include "pleat/mesh/mesh_input.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

namespace pleat {

/// What a node is to the remesher; edits.hpp has the table of what each kind allows.
enum class NodeKind : std::uint32_t {
    interior, // no feature edge (border, seam or kept) meets it
    border,   // on a straight stretch of an outline
    seam,     // on a straight stretch of a seam (or of kept edges), alike on both sides
    corner,   // an outline or seam turns, ends or branches here: never removed
    locked,   // held by a label, a handle or the user: never removed
};

class Mesh {
public:
    struct Vert {
        NodeId node = no_node; // no_node: dead
        Vec2 u{};              // material space [m]
        bool operator==(const Vert&) const = default;
    };
    struct Node {
        FaceId face = no_face; // any face that touches it; no_face: dead
        NodeKind kind = NodeKind::interior;
        bool operator==(const Node&) const = default;
    };
    struct Edge {
        std::array<NodeId, 2> nodes{no_node, no_node}; // no_node: dead
        std::array<FaceId, 2> faces{no_face, no_face}; // faces[1] is no_face on a border
        bool keep = false;                             // marked, folded at rest, between materials
        bool operator==(const Edge&) const = default;
    };
    struct Face {
        std::array<VertId, 3> verts{no_vert, no_vert, no_vert}; // no_vert: dead
        std::array<EdgeId, 3> edges{no_edge, no_edge, no_edge};
        PanelId panel{};
        bool operator==(const Face&) const = default;
    };

    // Counts of the arrays; dead elements are in them until compact().
    [[nodiscard]] std::size_t vert_count() const { return verts_.size(); }
    [[nodiscard]] std::size_t node_count() const { return nodes_.size(); }
    [[nodiscard]] std::size_t edge_count() const { return edges_.size(); }
    [[nodiscard]] std::size_t face_count() const { return faces_.size(); }
    [[nodiscard]] std::size_t panel_count() const { return panel_count_; }
    [[nodiscard]] IdRange<VertId> verts() const { return IdRange<VertId>(verts_.size()); }
    [[nodiscard]] IdRange<NodeId> nodes() const { return IdRange<NodeId>(nodes_.size()); }
    [[nodiscard]] IdRange<EdgeId> edges() const { return IdRange<EdgeId>(edges_.size()); }
    [[nodiscard]] IdRange<FaceId> faces() const { return IdRange<FaceId>(faces_.size()); }

    [[nodiscard]] const Vert& operator[](VertId id) const { return verts_[index(id)]; }
    [[nodiscard]] const Node& operator[](NodeId id) const { return nodes_[index(id)]; }
    [[nodiscard]] const Edge& operator[](EdgeId id) const { return edges_[index(id)]; }
    [[nodiscard]] const Face& operator[](FaceId id) const { return faces_[index(id)]; }

    [[nodiscard]] bool is_alive(VertId id) const { return is_some((*this)[id].node); }
    [[nodiscard]] bool is_alive(NodeId id) const { return is_some((*this)[id].face); }
    [[nodiscard]] bool is_alive(EdgeId id) const { return is_some((*this)[id].nodes[0]); }
    [[nodiscard]] bool is_alive(FaceId id) const { return is_some((*this)[id].verts[0]); }

    [[nodiscard]] Vec2 u(VertId id) const { return (*this)[id].u; }
    [[nodiscard]] NodeId node(VertId id) const { return (*this)[id].node; }
    [[nodiscard]] NodeKind kind(NodeId id) const { return (*this)[id].kind; }
    [[nodiscard]] PanelId panel(FaceId id) const { return (*this)[id].panel; }
    [[nodiscard]] std::array<NodeId, 3> nodes_of(FaceId id) const
    {
        const Face& f = (*this)[id];
        return {node(f.verts[0]), node(f.verts[1]), node(f.verts[2])};
    }

    [[nodiscard]] bool is_border(EdgeId id) const { return !is_some((*this)[id].faces[1]); }
    [[nodiscard]] bool is_seam(EdgeId id) const;
    /// Border, seam or kept: an edge that remeshing must leave where it is.
    [[nodiscard]] bool is_feature(EdgeId id) const
    {
        return is_border(id) || (*this)[id].keep || is_seam(id);
    }

    /// Which of the face's three edges this is. \pre it is one of them.
    [[nodiscard]] std::size_t position_of(FaceId face, EdgeId edge) const;
    /// Which of the face's three corners lies at the node. \pre one does.
    [[nodiscard]] std::size_t corner_at(FaceId face, NodeId node) const;
    /// The verts at nodes[0] and nodes[1] of the edge, as its side (0 or 1) uses them.
    /// \pre the edge has that side.
    [[nodiscard]] std::array<VertId, 2> verts_of(EdgeId edge, std::size_t side) const;
    /// The vert of the edge's side that is not on the edge. \pre the edge has that side.
    [[nodiscard]] VertId opposite_vert(EdgeId edge, std::size_t side) const;
    /// The edge that joins two nodes, or no_edge.
    [[nodiscard]] EdgeId find_edge(NodeId a, NodeId b) const;

    /// Calls visit(face, corner) for the faces around a node, counter-clockwise, from the border
    /// where the node has one; until it returns false, where it returns a bool.
    /// \pre a node that has a border is not of kind interior.
    template <class Visit> void visit_faces(NodeId node, Visit&& visit) const;
    /// Calls visit(edge) for the edges at a node, in the same order.
    template <class Visit> void visit_edges(NodeId node, Visit&& visit) const;

    bool operator==(const Mesh&) const = default;

private:
    friend class MeshWriter; // the edits' access (mesh_writer.hpp)

    struct FanStart {
        FaceId face;
        std::size_t corner;
    };
    [[nodiscard]] FanStart fan_start(NodeId node) const;

    std::vector<Vert> verts_;
    std::vector<Node> nodes_;
    std::vector<Edge> edges_;
    std::vector<Face> faces_;
    std::size_t panel_count_ = 0;
};

/// Turns checked input into a mesh: nodes and faces in the order of the input; verts in the order
/// of its material points, further ones appended where one point serves several nodes. A panel
/// that lies mirrored in material space (all its triangles clockwise) has its u[0] negated: every
/// law is symmetric in u[0], and all material areas are positive from here on.
/// \pre find_mesh_problems(input) is empty and the input has material points.
[[nodiscard]] Mesh build_mesh(const MeshInput& input);

/// Marks nodes as locked (never removed by an edit).
void lock_nodes(Mesh& mesh, std::span<const NodeId> nodes);
/// Gives locked nodes the kind that they have by their edges; the others stay as they are.
/// \param rest_angle by EdgeId [rad]: a node where it changes is a corner; empty: flat
void unlock_nodes(Mesh& mesh, std::span<const NodeId> nodes,
                  std::span<const double> rest_angle = {});

// --- inline -------------------------------------------------------------------------------------

/// The corner after one, counter-clockwise; `% 3` takes a division by multiplication.
[[nodiscard]] constexpr std::size_t corner_after(std::size_t i)
{
    return i == 2 ? 0 : i + 1;
}
[[nodiscard]] constexpr std::size_t corner_before(std::size_t i)
{
    return i == 0 ? 2 : i - 1;
}

inline std::size_t Mesh::position_of(FaceId face, EdgeId edge) const
{
    const Face& f = (*this)[face];
    const std::size_t i = f.edges[0] == edge ? 0 : f.edges[1] == edge ? 1 : 2;
    PLEAT_ASSERT(f.edges[i] == edge, "the edge belongs to the face");
    return i;
}

inline std::size_t Mesh::corner_at(FaceId face, NodeId n) const
{
    const Face& f = (*this)[face];
    const std::size_t i = node(f.verts[0]) == n ? 0 : node(f.verts[1]) == n ? 1 : 2;
    PLEAT_ASSERT(node(f.verts[i]) == n, "the node belongs to the face");
    return i;
}

inline std::array<VertId, 2> Mesh::verts_of(EdgeId edge, std::size_t side) const
{
    const FaceId face = (*this)[edge].faces[side];
    const std::size_t i = position_of(face, edge);
    const Face& f = (*this)[face];
    const std::array<VertId, 2> forward{f.verts[i], f.verts[corner_after(i)]};
    return side == 0 ? forward : std::array<VertId, 2>{forward[1], forward[0]};
}

inline VertId Mesh::opposite_vert(EdgeId edge, std::size_t side) const
{
    const FaceId face = (*this)[edge].faces[side];
    return (*this)[face].verts[corner_before(position_of(face, edge))];
}

inline bool Mesh::is_seam(EdgeId id) const
{
    return !is_border(id) && verts_of(id, 0) != verts_of(id, 1);
}

inline Mesh::FanStart Mesh::fan_start(NodeId n) const
{
    const FaceId first = (*this)[n].face;
    FaceId face = first;
    std::size_t corner = corner_at(face, n);
    if (kind(n) == NodeKind::interior) return {face, corner}; // no border to begin from
    for (;;) { // clockwise: across the edge that leaves the node, and enters it in the next face
        const EdgeId out = (*this)[face].edges[corner];
        const Edge& e = (*this)[out];
        const FaceId next = e.faces[0] == face ? e.faces[1] : e.faces[0];
        if (!is_some(next)) break;
        face = next;
        corner = corner_after(position_of(face, out));
        if (face == first) break;
    }
    return {face, corner};
}

template <class Visit> void Mesh::visit_faces(NodeId n, Visit&& visit) const
{
    const FanStart start = fan_start(n);
    FaceId face = start.face;
    std::size_t corner = start.corner;
    for (;;) { // counter-clockwise: across the edge that enters the node, and leaves it in the next
        const EdgeId in = (*this)[face].edges[corner_before(corner)];
        const Edge& e = (*this)[in];
        const FaceId next = e.faces[0] == face ? e.faces[1] : e.faces[0];
        if constexpr (std::is_same_v<bool, decltype(visit(face, corner))>) {
            if (!visit(face, corner)) return;
        } else {
            visit(face, corner);
        }
        if (!is_some(next) || next == start.face) return;
        face = next;
        corner = position_of(face, in);
    }
}

template <class Visit> void Mesh::visit_edges(NodeId n, Visit&& visit) const
{
    EdgeId last = no_edge;
    visit_faces(n, [&](FaceId face, std::size_t corner) {
        const Face& f = (*this)[face];
        const EdgeId enter = f.edges[corner_before(corner)];
        visit(f.edges[corner]);
        last = enter;
    });
    if (is_border(last)) visit(last);
}

} // namespace pleat
