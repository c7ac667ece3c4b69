// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// A mesh as a part of a hierarchy of triangles that are divided into four.
// Based on: [Wang2002] sec. 3.1, 3.2.
//
// The mesh that the hierarchy begins with is level 0. A triangle that is *refined* has four
// children: one at each corner and one in the middle. Its edges then have midpoints and halves, and
// it has three edges inside, each parallel to one of its own. So an edge has four children: its
// halves and the edge parallel to it in each of its two triangles.
//
// An edge is *active* if it is not split and its parent is (or it is of level 0). Splitting an
// active edge makes its children active. A triangle is refined while at least one of its edges is
// split: that is the paper's reference count of child triangles. The set of split edges is all that
// there is to know: the rest, and the mesh itself, are functions of it.
//
// A midpoint exists if a triangle at its edge is refined. If the edge is split, the midpoint is
// free. If not, it is a *T-vertex*: the mean of the ends of the edge, which may be T-vertices
// themselves.
//
// The mesh of Pleat is conforming: a triangle that is not refined, but has T-vertices on its edges,
// is cut at them. The cuts are a function of the T-vertices: edges with midpoints on all three
// sides give the four children, on two sides a corner and a quad, on one side two halves, and so on
// within the parts. All parts lie in one plane, in material space and in the world.
//
// Seams: an edge has verts for each of its sides, and one node at each end. So the edge of a seam
// is split for both panels at once.
#pragma once

#include "pleat/mesh/mesh.hpp"
#include "pleat/mesh/quad_forest.hpp"

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace pleat {

enum class QuadEdgeId : std::uint32_t {}; // an edge of any level
enum class QuadFaceId : std::uint32_t {}; // a triangle of any level
inline constexpr QuadEdgeId no_quad_edge = no_id<QuadEdgeId>;
inline constexpr QuadFaceId no_quad_face = no_id<QuadFaceId>;

class QuadHierarchy {
public:
    struct Edge {
        std::array<NodeId, 2> nodes{no_node, no_node}; // no_node: dead
        /// Of each side: at nodes[0] and nodes[1]; no_vert: an outline.
        std::array<std::array<VertId, 2>, 2> verts{{{no_vert, no_vert}, {no_vert, no_vert}}};
        /// Of its own level, on each side; none where the outline or a coarser triangle is. The
        /// first runs nodes[0] -> nodes[1], the second the other way.
        std::array<QuadFaceId, 2> faces{no_quad_face, no_quad_face};
        QuadEdgeId parent = no_quad_edge;
        std::array<QuadEdgeId, 2> halves{no_quad_edge, no_quad_edge}; // at nodes[0], nodes[1]
        NodeId middle = no_node;
        std::array<VertId, 2> middle_verts{no_vert, no_vert}; // of each side
        int level = 0;
        bool is_half = false; // of its parent; false: level 0, or inside a triangle
        bool is_split = false;

        [[nodiscard]] bool has_side(std::size_t side) const { return is_some(verts[side][0]); }
        [[nodiscard]] bool has_middle() const { return is_some(middle); }
    };
    struct Face {
        std::array<VertId, 3> verts{no_vert, no_vert, no_vert}; // no_vert: dead
        std::array<QuadEdgeId, 3> edges{}; // edges[i] joins verts[i] and verts[i + 1]
        std::array<QuadFaceId, 4> children{no_quad_face, no_quad_face, no_quad_face,
                                           no_quad_face}; // at the corners, and the middle one
        std::array<QuadEdgeId, 3> inner{}; // of a refined one: inner[i] is parallel to edges[i]
        int level = 0;
        std::vector<FaceId> parts; // of one that is not refined: the faces of the mesh

        [[nodiscard]] bool is_refined() const { return is_some(children[0]); }
    };
    using Triangle = std::array<VertId, 3>;

    QuadHierarchy() = default;
    /// \pre find_problem(forest, mesh) finds nothing
    QuadHierarchy(const Mesh& mesh, const QuadForest& forest);

    /// Why the mesh is not what the forest says; empty: it is. Nothing else may be asked then.
    [[nodiscard]] const std::string& problem() const { return problem_; }

    [[nodiscard]] const Edge& operator[](QuadEdgeId id) const { return edges_[index(id)]; }
    [[nodiscard]] const Face& operator[](QuadFaceId id) const { return faces_[index(id)]; }
    [[nodiscard]] Edge& operator[](QuadEdgeId id) { return edges_[index(id)]; }
    [[nodiscard]] Face& operator[](QuadFaceId id) { return faces_[index(id)]; }
    [[nodiscard]] IdRange<QuadEdgeId> edges() const { return IdRange<QuadEdgeId>(edges_.size()); }
    [[nodiscard]] IdRange<QuadFaceId> faces() const { return IdRange<QuadFaceId>(faces_.size()); }
    [[nodiscard]] bool is_alive(QuadEdgeId id) const { return is_some((*this)[id].nodes[0]); }
    [[nodiscard]] bool is_alive(QuadFaceId id) const { return is_some((*this)[id].verts[0]); }

    [[nodiscard]] bool is_active(QuadEdgeId id) const
    {
        const Edge& e = (*this)[id];
        return !e.is_split && (!is_some(e.parent) || (*this)[e.parent].is_split);
    }
    /// The edges that a split makes active.
    [[nodiscard]] std::vector<QuadEdgeId> children(QuadEdgeId id) const;
    /// Whether an edge of the triangle is split.
    [[nodiscard]] bool is_needed(QuadFaceId id) const;
    /// Whether a triangle at the edge is refined, so that the midpoint must exist.
    [[nodiscard]] bool needs_middle(QuadEdgeId id) const;
    [[nodiscard]] std::size_t position_of(QuadFaceId face, QuadEdgeId edge) const;
    /// The triangle that is not refined at an edge without a midpoint, of its level or coarser, and
    /// its edge that the given one is a part of; none on an outline.
    struct Leaf {
        QuadFaceId face = no_quad_face;
        QuadEdgeId edge = no_quad_edge;
    };
    [[nodiscard]] Leaf leaf_at(QuadEdgeId edge, std::size_t side) const;
    /// How often an edge is halved, at most.
    [[nodiscard]] int depth(QuadEdgeId edge) const;
    /// The edges of the mesh that an edge consists of.
    void append_parts(QuadEdgeId edge, std::vector<std::array<NodeId, 2>>& parts) const;

    /// The faces of the mesh in a triangle that is not refined.
    [[nodiscard]] std::vector<Triangle> triangulation(const Mesh& mesh, QuadFaceId face) const;

    /// A T-vertex that depends on a node, directly or not, and the edge that it is the middle of.
    struct Dependent {
        NodeId node = no_node;
        QuadEdgeId edge = no_quad_edge;
    };
    /// The T-vertices that depend on the midpoint of an edge, each after those that it depends on.
    [[nodiscard]] std::vector<Dependent> dependents(QuadEdgeId edge) const;

    /// Gives an edge its halves. \pre middle and middle_verts are set
    void add_halves(QuadEdgeId edge);
    void remove_halves(QuadEdgeId edge);
    /// Gives a triangle its children and inner edges. \pre all its edges have midpoints
    void add_children(QuadFaceId face);
    void remove_children(QuadFaceId face);

    /// What is to be stored; the same for the same mesh, whatever led to it.
    [[nodiscard]] QuadForest forest() const;

private:
    struct Side {
        QuadEdgeId edge = no_quad_edge;
        std::size_t side = 0;
    };
    void build(const Mesh& mesh, const QuadForest& forest);
    void find_parts(const Mesh& mesh);
    [[nodiscard]] bool has_middle(const Side& s) const
    {
        return is_some(s.edge) && (*this)[s.edge].has_middle();
    }
    [[nodiscard]] VertId middle(const Side& s) const
    {
        return (*this)[s.edge].middle_verts[s.side];
    }
    [[nodiscard]] Side half(const Side& s, VertId end) const
    {
        const Edge& e = (*this)[s.edge];
        return {e.halves[e.verts[s.side][0] == end ? 0 : 1], s.side};
    }
    void cut(const Mesh& mesh, const Triangle& verts, const std::array<Side, 3>& sides,
             std::vector<Triangle>& out) const;
    void append_dependents(QuadEdgeId edge, std::vector<Dependent>& all) const;
    void append_midpoints(QuadEdgeId edge, QuadForest& forest) const;

    std::vector<Edge> edges_;
    std::vector<Face> faces_;
    std::size_t base_count_ = 0; // triangles of level 0, the first
    std::string problem_;
};

/// A forest of the faces of a mesh that begins with it. \param is_left_out by PanelId; empty: none
[[nodiscard]] QuadForest forest_of(const Mesh& mesh, const std::vector<bool>& is_left_out = {});

} // namespace pleat
