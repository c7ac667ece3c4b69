// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// All that can touch during a step, as one numbered set of points: the cloth's nodes first, then
// the points of the obstacles that are present. Faces of cloth and of obstacles each have a tree of
// boxes over them.
// Based on: [Curtis2008] (every vertex and edge belongs to one face, so that no pair of features is
// looked at twice), [Bender2013] sec. 6.
//
// Pairs looked at: cloth with itself or other cloth, cloth with obstacle. Obstacles may overlap one
// another. Half-spaces are planes, not faces: a cloth face is above a plane exactly if its three
// nodes are.
#pragma once

#include "pleat/contact/contact_options.hpp"
#include "pleat/contact/spatial_hash.hpp"
#include "pleat/geometry/box_tree.hpp"
#include "pleat/model/model.hpp"
#include "pleat/model/obstacle_sample.hpp"

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace pleat {

/// A vertex and a face, or two edges, that may come near.
struct FeaturePair {
    // A vertex and the corners of a face, or the two ends of each edge.
    std::array<std::uint32_t, 4> nodes{};
    bool edges = false;
    std::uint32_t face_a = 0, face_b = 0;  // a owns the vertex or the first edge
    std::uint8_t place_a = 0, place_b = 0; // corner of the vertex; first corner of each edge
    bool obstacle_a = false, obstacle_b = false;
    bool plane = false; // a vertex and the plane of a half-space: face_b counts the planes

    [[nodiscard]] bool with_obstacle() const { return obstacle_a || obstacle_b; }
};

/// Triangles, the features that each of them owns, and the neighbour across each edge.
struct SurfacePart {
    static constexpr std::uint32_t none = 0xffffffffu;

    std::vector<TriangleIndices> faces;
    std::vector<std::uint8_t> owned; // bit k: corner k; bit 3 + k: the edge from corner k to k + 1
    std::vector<TriangleIndices> across;   // the node beyond that edge, or none
    std::vector<std::uint32_t> ring_begin; // by node - first_node; neighbours in ring
    std::vector<std::uint32_t> ring;
    std::uint32_t first_node = 0;
    BroadPhase broad_phase = BroadPhase::bvh;
    BoxTree tree;                               // if the broad phase is a tree
    SpatialHash hash;                           // if it is a hash
    std::vector<Box> boxes;                     // of the faces, as last placed
    std::vector<std::array<Box, 3>> edge_boxes; // of the edges that a face owns

    /// \param faces nodes numbered from first_node to first_node + node_count
    void set_faces(std::vector<TriangleIndices> faces, std::uint32_t first_node,
                   std::size_t node_count);
    /// Takes the boxes into the broad phase.
    void refit();
    // As in BoxTree; cross pairs are those with a part of the same broad phase.
    [[nodiscard]] std::size_t piece_count() const;
    void visit_self_pairs(BoxTree::PairVisitor visit) const;
    void visit_cross_pairs(const SurfacePart& other, BoxTree::PairVisitor visit) const;
    void query(const Box& box, FunctionRef<void(std::uint32_t face)> visit) const;

    [[nodiscard]] std::span<const std::uint32_t> ring_of(std::uint32_t node) const
    {
        const std::size_t i = node - first_node;
        return std::span(ring).subspan(ring_begin[i], ring_begin[i + 1] - ring_begin[i]);
    }
};

/// A plane of an obstacle, through three of its points.
struct SurfacePlane {
    std::uint32_t obstacle = 0; // into World::obstacles
    TriangleIndices nodes{};

    bool operator==(const SurfacePlane&) const = default;
};

class ContactSurface {
public:
    explicit ContactSurface(BroadPhase broad_phase = BroadPhase::bvh) : broad_phase_(broad_phase) {}

    /// Takes the cloth's faces, and makes a tree over them by material space.
    void set_cloth(const Model& model);
    /// Takes the obstacles' faces; rebuilds only those that differ from the last call.
    void set_obstacles(const World& world, std::span<const ObstacleSample> obstacles);
    /// Moves everything from x0 to x1 along straight lines; boxes hold all points nearer than
    /// `reach` to one another during that [m].
    void place(std::span<const Vec3> cloth_x0, std::span<const Vec3> cloth_x1,
               std::span<const ObstacleSample> obstacles, double reach);
    /// Changes the end positions of the cloth; the boxes stay as they are until place_boxes().
    void move_end(std::span<const Vec3> cloth_x1);
    void place_boxes(double reach);

    [[nodiscard]] bool is_empty() const { return cloth_.faces.empty(); }
    [[nodiscard]] std::size_t cloth_node_count() const { return cloth_nodes_; }
    [[nodiscard]] bool is_obstacle(std::uint32_t node) const { return node >= cloth_nodes_; }
    [[nodiscard]] const SurfacePart& cloth() const { return cloth_; }
    [[nodiscard]] const SurfacePart& obstacle() const { return obstacle_; }
    [[nodiscard]] std::span<const SurfacePlane> planes() const { return planes_; }
    /// A node of the cloth and the plane of a half-space.
    [[nodiscard]] FeaturePair plane_pair(std::uint32_t node, std::uint32_t plane) const;
    /// Into World::obstacles. \pre a face of obstacle()
    [[nodiscard]] std::uint32_t obstacle_of(std::uint32_t face) const
    {
        return obstacle_of_face_[face];
    }
    [[nodiscard]] std::span<const Vec3> x0() const { return x0_; }
    [[nodiscard]] std::span<const Vec3> x1() const { return x1_; }

    /// Calls visit(FeaturePair) for the features that two faces own and whose boxes overlap.
    template <class Visit> void visit_self(std::uint32_t a, std::uint32_t b, Visit&& visit) const
    {
        visit_features(cloth_, a, false, cloth_, b, false, visit);
    }
    template <class Visit>
    void visit_obstacle(std::uint32_t cloth_face, std::uint32_t obstacle_face, Visit&& visit) const
    {
        visit_features(cloth_, cloth_face, false, obstacle_, obstacle_face, true, visit);
    }

private:
    void update_boxes(SurfacePart& part, double reach, std::size_t first, std::size_t last);
    template <class Visit>
    void visit_features(const SurfacePart& part_a, std::uint32_t a, bool obstacle_a,
                        const SurfacePart& part_b, std::uint32_t b, bool obstacle_b,
                        Visit&& visit) const;
    template <class Visit>
    void visit_vertices(const SurfacePart& part_a, std::uint32_t a, bool obstacle_a,
                        const SurfacePart& part_b, std::uint32_t b, bool obstacle_b,
                        Visit&& visit) const;

    BroadPhase broad_phase_;
    std::size_t cloth_nodes_ = 0;
    SurfacePart cloth_, obstacle_;
    std::vector<std::uint32_t> obstacle_of_face_;
    std::vector<std::uint32_t> face_of_node_; // of the cloth, one that has it
    std::vector<SurfacePlane> planes_;
    std::vector<Vec3> x0_, x1_;   // all points
    std::vector<Box> node_boxes_; // swept, grown by half the reach
};

/// Coulomb's mu between two faces: that of the pair of things where the world has one, else the
/// obstacle's own, else the fabric's, else the scene's; two fabrics meet in the geometric mean.
[[nodiscard]] double pair_friction(const Model& model, const World& world,
                                   const ContactSurface& surface, const FeaturePair& pair,
                                   double scene_friction);

// --- inline --------------------------------------------------------------------------------------

template <class Visit>
void ContactSurface::visit_vertices(const SurfacePart& part_a, std::uint32_t a, bool obstacle_a,
                                    const SurfacePart& part_b, std::uint32_t b, bool obstacle_b,
                                    Visit&& visit) const
{
    const TriangleIndices &fa = part_a.faces[a], &fb = part_b.faces[b];
    for (std::uint8_t i = 0; i < 3; ++i) {
        if ((part_a.owned[a] >> i & 1) == 0) continue;
        const std::uint32_t v = fa[i];
        if (v == fb[0] || v == fb[1] || v == fb[2]) continue;
        if (!overlap(node_boxes_[v], part_b.boxes[b])) continue;
        visit(FeaturePair{{v, fb[0], fb[1], fb[2]}, false, a, b, i, 0, obstacle_a, obstacle_b});
    }
}

template <class Visit>
void ContactSurface::visit_features(const SurfacePart& part_a, std::uint32_t a, bool obstacle_a,
                                    const SurfacePart& part_b, std::uint32_t b, bool obstacle_b,
                                    Visit&& visit) const
{
    const std::uint8_t own_a = part_a.owned[a], own_b = part_b.owned[b];
    if ((own_a & 7) != 0) visit_vertices(part_a, a, obstacle_a, part_b, b, obstacle_b, visit);
    if ((own_b & 7) != 0) visit_vertices(part_b, b, obstacle_b, part_a, a, obstacle_a, visit);
    if (own_a < 8 || own_b < 8) return;
    const TriangleIndices &fa = part_a.faces[a], &fb = part_b.faces[b];
    const std::array<Box, 3>&boxes_a = part_a.edge_boxes[a], &boxes_b = part_b.edge_boxes[b];
    for (std::uint8_t i = 0; i < 3; ++i) {
        if ((own_a >> (3 + i) & 1) == 0 || !overlap(boxes_a[i], part_b.boxes[b])) continue;
        const std::uint32_t a0 = fa[i], a1 = fa[(i + 1u) % 3];
        for (std::uint8_t j = 0; j < 3; ++j) {
            if ((own_b >> (3 + j) & 1) == 0 || !overlap(boxes_a[i], boxes_b[j])) continue;
            const std::uint32_t b0 = fb[j], b1 = fb[(j + 1u) % 3];
            if (a0 == b0 || a0 == b1 || a1 == b0 || a1 == b1) continue;
            visit(FeaturePair{{a0, a1, b0, b1}, true, a, b, i, j, obstacle_a, obstacle_b});
        }
    }
}

} // namespace pleat
