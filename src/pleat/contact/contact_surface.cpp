// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/contact/contact_surface.hpp"

#include "pleat/core/error.hpp"
#include "pleat/core/parallel.hpp"

#include <algorithm>
#include <cmath>

namespace pleat {

namespace {

/// An edge of a face: its nodes in ascending order, and which of the face's edges it is.
struct HalfEdge {
    std::uint32_t low, high, face;
    std::uint8_t place;

    auto operator<=>(const HalfEdge&) const = default;
};

Box union_of(const Box& a, const Box& b)
{
    Box box;
    for (std::size_t k = 0; k < 3; ++k) {
        box.low[k] = a.low[k] < b.low[k] ? a.low[k] : b.low[k];
        box.high[k] = a.high[k] > b.high[k] ? a.high[k] : b.high[k];
    }
    return box;
}

} // namespace

void SurfacePart::set_faces(std::vector<TriangleIndices> new_faces, std::uint32_t first,
                            std::size_t node_count)
{
    faces = std::move(new_faces);
    first_node = first;
    owned.assign(faces.size(), 0);
    across.assign(faces.size(), {none, none, none});
    boxes.assign(faces.size(), Box{});
    edge_boxes.assign(faces.size(), {});

    std::vector<HalfEdge> edges;
    edges.reserve(3 * faces.size());
    std::vector<std::uint8_t> taken(node_count, 0);
    for (std::uint32_t f = 0; f < faces.size(); ++f)
        for (std::uint8_t k = 0; k < 3; ++k) {
            const std::uint32_t a = faces[f][k], b = faces[f][(k + 1u) % 3];
            edges.push_back({std::min(a, b), std::max(a, b), f, k});
            if (taken[a - first] != 0) continue;
            taken[a - first] = 1;
            owned[f] = static_cast<std::uint8_t>(owned[f] | 1u << k);
        }
    std::sort(edges.begin(), edges.end());
    std::vector<std::array<std::uint32_t, 2>> unique;
    for (std::size_t i = 0; i < edges.size();) {
        std::size_t j = i + 1;
        while (j < edges.size() && edges[j].low == edges[i].low && edges[j].high == edges[i].high)
            ++j;
        unique.push_back({edges[i].low, edges[i].high});
        // The face that owns the fewest features so far takes the edge, which balances the work.
        std::size_t best = i;
        for (std::size_t k = i; k < j; ++k) {
            if (owned[edges[k].face] >> 3 == 0 && owned[edges[best].face] >> 3 != 0) best = k;
            // Obstacles may have more than two faces at an edge; the next one stands for the rest.
            const HalfEdge& other = edges[k + 1 < j ? k + 1 : i];
            if (j - i > 1)
                across[edges[k].face][edges[k].place] = faces[other.face][(other.place + 2u) % 3];
        }
        std::uint8_t& mask = owned[edges[best].face];
        mask = static_cast<std::uint8_t>(mask | 8u << edges[best].place);
        i = j;
    }

    ring_begin.assign(node_count + 1, 0);
    for (const auto& e : unique)
        for (const std::uint32_t n : e) ++ring_begin[n - first + 1];
    for (std::size_t i = 0; i < node_count; ++i) ring_begin[i + 1] += ring_begin[i];
    ring.assign(ring_begin.back(), 0);
    std::vector<std::uint32_t> fill(ring_begin.begin(), ring_begin.end() - 1);
    for (const auto& e : unique) {
        ring[fill[e[0] - first]++] = e[1];
        ring[fill[e[1] - first]++] = e[0];
    }
}

void SurfacePart::refit()
{
    if (broad_phase == BroadPhase::bvh)
        tree.refit(boxes);
    else
        hash.fill(boxes);
}

std::size_t SurfacePart::piece_count() const
{
    return broad_phase == BroadPhase::bvh ? tree.piece_count() : hash.piece_count();
}

void SurfacePart::visit_self_pairs(BoxTree::PairVisitor visit) const
{
    if (broad_phase == BroadPhase::bvh)
        tree.visit_self_pairs(visit);
    else
        hash.visit_self_pairs(visit);
}

void SurfacePart::visit_cross_pairs(const SurfacePart& other, BoxTree::PairVisitor visit) const
{
    if (broad_phase == BroadPhase::bvh)
        tree.visit_cross_pairs(other.tree, visit);
    else
        hash.visit_cross_pairs(other.hash, visit);
}

void SurfacePart::query(const Box& box, FunctionRef<void(std::uint32_t)> visit) const
{
    if (broad_phase == BroadPhase::bvh)
        tree.query(box, visit);
    else
        hash.query(box, visit);
}

void ContactSurface::set_cloth(const Model& model)
{
    const Mesh& mesh = model.mesh;
    cloth_nodes_ = mesh.node_count();
    std::vector<TriangleIndices> faces(mesh.face_count());
    std::vector<Box> flat(mesh.face_count());
    // Panels lie side by side, so that the tree does not mix what only shares coordinates.
    Vec2 low{1e300, 1e300}, high{-1e300, -1e300};
    for (VertId v : mesh.verts())
        for (std::size_t k = 0; k < 2; ++k) {
            low[k] = std::min(low[k], mesh.u(v)[k]);
            high[k] = std::max(high[k], mesh.u(v)[k]);
        }
    const double pitch = mesh.vert_count() == 0 ? 1 : 4 * norm(high - low);
    for (FaceId f : mesh.faces()) {
        const auto nodes = mesh.nodes_of(f);
        faces[index(f)] = {index(nodes[0]), index(nodes[1]), index(nodes[2])};
        const auto& v = mesh[f].verts;
        Vec3 corner[3];
        for (std::size_t k = 0; k < 3; ++k)
            corner[k] = {mesh.u(v[k])[0], mesh.u(v[k])[1], pitch * double(index(mesh.panel(f)))};
        flat[index(f)] = triangle_box(corner, {0, 1, 2}, 0);
    }
    face_of_node_.assign(cloth_nodes_, 0);
    for (std::uint32_t f = 0; f < faces.size(); ++f)
        for (const std::uint32_t n : faces[f]) face_of_node_[n] = f;
    cloth_.set_faces(std::move(faces), 0, cloth_nodes_);
    cloth_.broad_phase = broad_phase_;
    if (broad_phase_ == BroadPhase::bvh) cloth_.tree.build(flat);
    obstacle_ = {}; // its points are numbered behind the cloth's
    obstacle_of_face_.clear();
    planes_.clear();
}

void ContactSurface::set_obstacles(const World& world, std::span<const ObstacleSample> obstacles)
{
    std::vector<TriangleIndices> faces;
    std::vector<std::uint32_t> of_face;
    std::vector<SurfacePlane> planes;
    std::size_t next = cloth_nodes_;
    for (const ObstacleSample& s : obstacles) {
        const Obstacle& o = world.obstacles[s.obstacle];
        const auto shifted = [&](TriangleIndices t) {
            for (std::uint32_t& n : t) n += static_cast<std::uint32_t>(next);
            return t;
        };
        const auto body = static_cast<std::uint32_t>(s.obstacle);
        for (const TriangleIndices& t : o.planes) planes.push_back({body, shifted(t)});
        for (const TriangleIndices& t : solid_faces(o)) {
            faces.push_back(shifted(t));
            of_face.push_back(body);
        }
        next += s.x_t0.size();
    }
    planes_ = std::move(planes);
    if (faces == obstacle_.faces && of_face == obstacle_of_face_) return;
    obstacle_of_face_ = std::move(of_face);
    obstacle_.set_faces(std::move(faces), static_cast<std::uint32_t>(cloth_nodes_),
                        next - cloth_nodes_);
    // The tree is built from the bodies' initial positions, side by side, not from the current
    // ones. It determines the order of the pairs, and a resumed run must visit them in the same
    // order as the original run.
    std::vector<Vec3> x(cloth_nodes_);
    double pitch = 0;
    for (const ObstacleSample& s : obstacles) {
        const std::vector<Vec3>& rest = world.obstacles[s.obstacle].x;
        for (const Vec3& p : rest) pitch = std::max(pitch, 4 * norm(p));
        PLEAT_ASSERT(rest.size() == s.x_t0.size(), "a body keeps its points");
    }
    for (const ObstacleSample& s : obstacles)
        for (const Vec3& p : world.obstacles[s.obstacle].x)
            x.push_back(p + Vec3{pitch * double(s.obstacle), 0, 0});
    std::vector<Box> boxes(obstacle_.faces.size());
    for (std::size_t f = 0; f < boxes.size(); ++f)
        boxes[f] = triangle_box(x, obstacle_.faces[f], 0);
    obstacle_.broad_phase = broad_phase_;
    if (broad_phase_ == BroadPhase::bvh) obstacle_.tree.build(boxes);
}

void ContactSurface::update_boxes(SurfacePart& part, double reach, std::size_t first,
                                  std::size_t last)
{
    parallel_for(last - first, [&](std::size_t k) {
        const std::size_t i = first + k;
        Vec3 low = x0_[i], high = x0_[i];
        for (std::size_t axis = 0; axis < 3; ++axis) {
            low[axis] = std::min(low[axis], x1_[i][axis]);
            high[axis] = std::max(high[axis], x1_[i][axis]);
        }
        node_boxes_[i] = outward_box(low, high, reach / 2);
    });
    parallel_for(part.faces.size(), [&](std::size_t f) {
        const TriangleIndices& n = part.faces[f];
        std::array<Box, 3>& edges = part.edge_boxes[f];
        for (std::size_t k = 0; k < 3; ++k)
            edges[k] = union_of(node_boxes_[n[k]], node_boxes_[n[(k + 1) % 3]]);
        part.boxes[f] = union_of(edges[0], edges[1]);
    });
    part.refit();
}

void ContactSurface::place(std::span<const Vec3> cloth_x0, std::span<const Vec3> cloth_x1,
                           std::span<const ObstacleSample> obstacles, double reach)
{
    PLEAT_ASSERT(cloth_x0.size() == cloth_nodes_ && cloth_x1.size() == cloth_nodes_,
                 "the positions fit the cloth");
    x0_.assign(cloth_x0.begin(), cloth_x0.end());
    x1_.assign(cloth_x1.begin(), cloth_x1.end());
    for (const ObstacleSample& s : obstacles) {
        x0_.insert(x0_.end(), s.x_t0.begin(), s.x_t0.end());
        x1_.insert(x1_.end(), s.x_t1.begin(), s.x_t1.end());
    }
    node_boxes_.resize(x0_.size());
    update_boxes(cloth_, reach, 0, cloth_nodes_);
    update_boxes(obstacle_, reach, cloth_nodes_, x0_.size());
}

void ContactSurface::move_end(std::span<const Vec3> cloth_x1)
{
    std::copy(cloth_x1.begin(), cloth_x1.end(), x1_.begin());
}

void ContactSurface::place_boxes(double reach)
{
    update_boxes(cloth_, reach, 0, cloth_nodes_);
}

FeaturePair ContactSurface::plane_pair(std::uint32_t node, std::uint32_t plane) const
{
    const TriangleIndices& p = planes_[plane].nodes;
    FeaturePair pair{
        {node, p[0], p[1], p[2]}, false, face_of_node_[node], plane, 0, 0, false, true};
    pair.plane = true;
    return pair;
}

double pair_friction(const Model& model, const World& world, const ContactSurface& surface,
                     const FeaturePair& p, double scene_friction)
{
    const auto of_fabric = [&](std::uint32_t face) {
        return model.materials[index(model.face_material[make_id<FaceId>(face)])].friction.value_or(
            scene_friction);
    };
    const auto of_pair = [&](std::size_t a, std::size_t b) -> const FrictionPair* {
        for (const FrictionPair& f : world.friction_pairs)
            if (f.with_obstacle == p.with_obstacle() &&
                ((f.cloth == a && f.other == b) ||
                 (!f.with_obstacle && f.cloth == b && f.other == a)))
                return &f;
        return nullptr;
    };
    const auto cloth_of = [&](std::uint32_t face) {
        return std::size_t{index(model.cloth_of(make_id<FaceId>(face)))};
    };
    if (!p.with_obstacle()) {
        if (!world.friction_pairs.empty())
            if (const auto* f = of_pair(cloth_of(p.face_a), cloth_of(p.face_b))) return f->friction;
        const double a = of_fabric(p.face_a), b = of_fabric(p.face_b);
        return a == b ? a : std::sqrt(a * b);
    }
    const std::uint32_t body = p.plane ? surface.planes()[p.face_b].obstacle
                                       : surface.obstacle_of(p.obstacle_a ? p.face_a : p.face_b);
    const std::uint32_t face = p.obstacle_a ? p.face_b : p.face_a;
    if (!world.friction_pairs.empty())
        if (const auto* f = of_pair(cloth_of(face), body)) return f->friction;
    return world.obstacles[body].friction.value_or(of_fabric(face));
}

} // namespace pleat
