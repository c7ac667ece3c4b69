// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/mesh/mesh.hpp"

#include "pleat/mesh/measures.hpp"
#include "pleat/mesh/mesh_writer.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <unordered_map>
#include <utility>

namespace pleat {

namespace {

// How far a vert may lie from the line of its neighbours and still count as on a straight outline,
// as a share of the largest coordinate: rounding and no more, so that collapsing it moves the
// outline by less than 1e-12 m on a garment-sized panel.
constexpr double straight_tolerance = 1e-13;
// How well the two sides of a seam must agree on where between its neighbours a node lies.
constexpr double ratio_tolerance = 1e-9;
// Rest angles below this are flat: rounding in a file must not hold an edge in place [rad].
constexpr double least_rest_angle = 1e-6;

/// Where between its neighbours the middle vert lies (0..1), or -1 off their line.
double ratio_between(const Mesh& mesh, VertId a, VertId m, VertId b)
{
    const Vec2 ua = mesh.u(a), um = mesh.u(m), ub = mesh.u(b);
    const double length2 = norm2(ub - ua);
    double largest = 0;
    for (const Vec2& u : {ua, um, ub})
        largest = std::max({largest, std::abs(u[0]), std::abs(u[1])});
    if (length2 == 0) return -1;
    const double off = std::abs(cross(um - ua, ub - ua)) / std::sqrt(length2);
    if (off > straight_tolerance * largest) return -1;
    return dot(um - ua, ub - ua) / length2;
}

/// The verts of one side of a feature edge at `node` and at its other end.
struct Ends {
    VertId here, there;
};
Ends ends(const Mesh& mesh, EdgeId edge, std::size_t side, NodeId node)
{
    const auto v = mesh.verts_of(edge, side);
    return mesh[edge].nodes[0] == node ? Ends{v[0], v[1]} : Ends{v[1], v[0]};
}

/// What a node is by the feature edges at it.
/// \pre its kind does not say interior if it has a border
/// \param rest_angle by EdgeId [rad]; empty: flat
NodeKind kind_of(const Mesh& mesh, NodeId node, std::span<const double> rest_angle)
{
    std::vector<EdgeId> features;
    mesh.visit_edges(node, [&](EdgeId e) {
        if (mesh.is_feature(e)) features.push_back(e);
    });
    if (features.empty()) return NodeKind::interior;
    if (features.size() != 2) return NodeKind::corner;
    const EdgeId e = features[0], f = features[1];
    const bool border = mesh.is_border(e);
    if (mesh.is_border(f) != border || mesh.is_seam(f) != mesh.is_seam(e)) return NodeKind::corner;
    if (border) {
        const Ends a = ends(mesh, e, 0, node), b = ends(mesh, f, 0, node);
        const double t = a.here == b.here ? ratio_between(mesh, a.there, a.here, b.there) : -1;
        return t > 0 && t < 1 ? NodeKind::border : NodeKind::corner;
    }
    if (!rest_angle.empty() &&
        std::abs(rest_angle[index(e)] - rest_angle[index(f)]) > least_rest_angle)
        return NodeKind::corner; // one fold ends where another begins
    // Seam or kept line: match the sides of the two edges by the vert they share here.
    std::array<double, 2> t{-1, -1};
    for (std::size_t side = 0; side < 2; ++side) {
        const Ends a = ends(mesh, e, side, node);
        const Ends b0 = ends(mesh, f, 0, node), b1 = ends(mesh, f, 1, node);
        if (mesh.is_seam(e) && b0.here == b1.here) return NodeKind::corner;
        const Ends b = a.here == b0.here ? b0 : b1;
        if (a.here != b.here) return NodeKind::corner;
        t[side] = ratio_between(mesh, a.there, a.here, b.there);
        if (!(t[side] > 0 && t[side] < 1)) return NodeKind::corner;
    }
    return std::abs(t[0] - t[1]) <= ratio_tolerance ? NodeKind::seam : NodeKind::corner;
}

class Builder {
public:
    Builder(const MeshInput& input, Mesh& mesh) : in_(input), mesh_(mesh), out_(mesh) {}

    void run()
    {
        make_nodes_and_verts();
        make_edges();
        mark_kept_edges();
        find_panels();
        unmirror_panels();
        classify_nodes();
    }

private:
    using NodePair = std::uint64_t;

    static NodePair key(std::uint32_t a, std::uint32_t b)
    {
        return (std::uint64_t(std::min(a, b)) << 32) | std::max(a, b);
    }

    void make_nodes_and_verts()
    {
        out_.nodes().resize(in_.node_x.size());
        out_.verts().resize(in_.material_u.size());
        for (std::size_t i = 0; i < in_.material_u.size(); ++i)
            out_.verts()[i].u = in_.material_u[i];
        out_.faces().resize(in_.face_nodes.size());
        std::unordered_map<std::uint64_t, VertId> further; // (node, point) beyond the first node
        for (std::size_t f = 0; f < in_.face_nodes.size(); ++f)
            for (std::size_t k = 0; k < 3; ++k) {
                const std::uint32_t node = in_.face_nodes[f][k], point = in_.face_points[f][k];
                auto vert = make_id<VertId>(point);
                if (!is_some(out_.verts()[point].node)) {
                    out_.verts()[point].node = make_id<NodeId>(node);
                } else if (out_.verts()[point].node != make_id<NodeId>(node)) {
                    const auto [it, is_new] = further.emplace((std::uint64_t(node) << 32) | point,
                                                              make_id<VertId>(out_.verts().size()));
                    if (is_new)
                        out_.verts().push_back({make_id<NodeId>(node), in_.material_u[point]});
                    vert = it->second;
                }
                out_.faces()[f].verts[k] = vert;
                out_.nodes()[node].face = make_id<FaceId>(f);
            }
    }

    void make_edges()
    {
        edge_of_.reserve(in_.face_nodes.size() * 2);
        for (std::size_t f = 0; f < in_.face_nodes.size(); ++f)
            for (std::size_t k = 0; k < 3; ++k) {
                const std::uint32_t a = in_.face_nodes[f][k], b = in_.face_nodes[f][(k + 1) % 3];
                const auto [it, is_new] =
                    edge_of_.emplace(key(a, b), make_id<EdgeId>(out_.edges().size()));
                if (is_new) {
                    out_.edges().push_back({{make_id<NodeId>(a), make_id<NodeId>(b)},
                                            {make_id<FaceId>(f), no_face},
                                            false});
                } else {
                    out_.edges()[index(it->second)].faces[1] = make_id<FaceId>(f);
                }
                out_.faces()[f].edges[k] = it->second;
            }
    }

    void mark_kept_edges()
    {
        rest_angle_.assign(out_.edges().size(), 0.0);
        for (const MeshInput::EdgeMark& mark : in_.edge_marks) {
            const auto it = edge_of_.find(key(mark.node_a, mark.node_b));
            if (it == edge_of_.end()) continue;
            if (mark.rest_angle) rest_angle_[index(it->second)] = *mark.rest_angle;
            // A fold belongs to its edge: no other edge could take it over.
            const bool is_fold = mark.rest_angle && std::abs(*mark.rest_angle) > least_rest_angle;
            if (mark.keep || is_fold) out_.edges()[index(it->second)].keep = true;
        }
        if (in_.face_material.empty()) return;
        for (Mesh::Edge& e : out_.edges())
            if (is_some(e.faces[1]) &&
                in_.face_material[index(e.faces[0])] != in_.face_material[index(e.faces[1])])
                e.keep = true;
    }

    void find_panels()
    {
        constexpr auto unknown = no_id<PanelId>;
        for (Mesh::Face& f : out_.faces()) f.panel = unknown;
        std::vector<FaceId> stack;
        std::uint32_t count = 0;
        for (FaceId seed : mesh_.faces()) {
            if (mesh_[seed].panel != unknown) continue;
            const PanelId panel{count++};
            out_.faces()[index(seed)].panel = panel;
            stack.push_back(seed);
            while (!stack.empty()) {
                const FaceId face = stack.back();
                stack.pop_back();
                for (EdgeId e : mesh_[face].edges) {
                    if (mesh_.is_border(e) || mesh_.is_seam(e)) continue;
                    for (FaceId other : mesh_[e].faces)
                        if (mesh_[other].panel == unknown) {
                            out_.faces()[index(other)].panel = panel;
                            stack.push_back(other);
                        }
                }
            }
        }
        out_.panel_count() = count;
    }

    void unmirror_panels()
    {
        std::vector<char> done(mesh_.vert_count(), 0);
        for (FaceId f : mesh_.faces()) {
            if (material_area(mesh_, f) > 0) continue;
            // All faces of the panel are clockwise, so each of its verts is met by one of them;
            // turning verts one by one leaves faces half-turned, hence the second loop.
            for (VertId v : mesh_[f].verts) done[index(v)] = 1;
        }
        for (VertId v : mesh_.verts())
            if (done[index(v)]) out_.verts()[index(v)].u[0] *= -1;
    }

    void classify_nodes()
    {
        // The faces of interior nodes are walked from any of them, so no node may be called
        // interior before that is known.
        for (Mesh::Node& n : out_.nodes()) n.kind = NodeKind::corner;
        for (NodeId n : mesh_.nodes()) out_.nodes()[index(n)].kind = kind_of(mesh_, n, rest_angle_);
        for (std::size_t i = 0; i < in_.node_label.size(); ++i)
            if (in_.node_label[i] != 0) out_.nodes()[i].kind = NodeKind::locked;
    }

    const MeshInput& in_;
    Mesh& mesh_;
    MeshWriter out_;
    std::unordered_map<NodePair, EdgeId> edge_of_;
    std::vector<double> rest_angle_; // by EdgeId, as marked [rad]
};

} // namespace

Mesh build_mesh(const MeshInput& input)
{
    PLEAT_ASSERT(!input.material_u.empty(), "a cloth has material points");
    Mesh mesh;
    Builder(input, mesh).run();
    return mesh;
}

void lock_nodes(Mesh& mesh, std::span<const NodeId> nodes)
{
    const MeshWriter out(mesh);
    for (NodeId n : nodes) out.nodes()[index(n)].kind = NodeKind::locked;
}

void unlock_nodes(Mesh& mesh, std::span<const NodeId> nodes, std::span<const double> rest_angle)
{
    const MeshWriter out(mesh);
    for (NodeId n : nodes)
        if (mesh.kind(n) == NodeKind::locked)
            out.nodes()[index(n)].kind = kind_of(mesh, n, rest_angle);
}

EdgeId Mesh::find_edge(NodeId a, NodeId b) const
{
    EdgeId found = no_edge;
    visit_edges(a, [&](EdgeId e) {
        if ((*this)[e].nodes[0] == b || (*this)[e].nodes[1] == b) found = e;
    });
    return found;
}

} // namespace pleat
