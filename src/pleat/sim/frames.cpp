// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/sim/frames.hpp"

namespace pleat {

namespace {

constexpr std::uint32_t unseen = 0xffffffffu;

ObjectMesh cloth_mesh(const Simulation& sim, ClothId cloth)
{
    const Mesh& mesh = sim.model.mesh;
    ObjectMesh m;
    m.name = sim.model.cloths[index(cloth)].name;
    std::vector<std::uint32_t> node_at(mesh.node_count(), unseen);
    std::vector<std::uint32_t> vert_at(mesh.vert_count(), unseen);
    for (FaceId f : mesh.faces())
        if (sim.model.cloth_of(f) == cloth)
            for (VertId v : mesh[f].verts) {
                vert_at[index(v)] = 0;
                node_at[index(mesh.node(v))] = 0;
            }
    // Numbered in the order of the arrays, so that a mesh that never changes keeps its order.
    for (NodeId n : mesh.nodes())
        if (node_at[index(n)] != unseen) {
            node_at[index(n)] = std::uint32_t(m.x.size());
            m.x.push_back(sim.state.x[n]);
            m.v.push_back(sim.state.v[n]);
        }
    for (VertId v : mesh.verts())
        if (vert_at[index(v)] != unseen) {
            vert_at[index(v)] = std::uint32_t(m.u.size());
            m.u.push_back(mesh.u(v));
            m.vert_node.push_back(node_at[index(mesh.node(v))]);
        }
    std::vector<std::uint32_t> panel_at; // by panel of the model
    std::uint32_t panels = 0;
    for (const ClothId owner : sim.model.panel_cloth)
        panel_at.push_back(owner == cloth ? panels++ : unseen);
    for (FaceId f : mesh.faces()) {
        if (sim.model.cloth_of(f) != cloth) continue;
        m.face_panel.push_back(panel_at[index(mesh.panel(f))]);
        std::array<std::uint32_t, 3> nodes{}, verts{};
        for (std::size_t k = 0; k < 3; ++k) {
            const VertId v = mesh[f].verts[k];
            verts[k] = vert_at[index(v)];
            nodes[k] = node_at[index(mesh.node(v))];
        }
        m.face_nodes.push_back(nodes);
        m.face_verts.push_back(verts);
    }
    return m;
}

/// By central differences: motions are given as positions.
std::vector<Vec3> obstacle_velocities(const Obstacle& obstacle, double time)
{
    constexpr double half_step = 5e-4; // [s], short beside the times between keys
    std::vector<Vec3> v = points_at(obstacle, time + half_step);
    const std::vector<Vec3> before = points_at(obstacle, time - half_step);
    for (std::size_t i = 0; i < v.size(); ++i) v[i] = (v[i] - before[i]) / (2 * half_step);
    return v;
}

} // namespace

std::vector<ObjectMesh> object_meshes(const World& world, const Simulation& sim)
{
    std::vector<ObjectMesh> meshes;
    for (std::size_t c = 0; c < sim.model.cloths.size(); ++c)
        meshes.push_back(cloth_mesh(sim, make_id<ClothId>(c)));
    for (const Obstacle& o : world.obstacles) {
        if (!o.is_present(sim.time)) continue;
        ObjectMesh m;
        m.name = o.name;
        m.is_cloth = false;
        m.is_static = !o.is_moving();
        m.planes = o.planes;
        m.x = points_at(o, sim.time);
        if (!m.is_static) m.v = obstacle_velocities(o, sim.time);
        m.face_nodes = o.faces;
        meshes.push_back(std::move(m));
    }
    return meshes;
}

Frame frame_of(const std::vector<ObjectMesh>& meshes, int number, double time)
{
    Frame frame;
    frame.number = number;
    frame.time = time;
    for (const ObjectMesh& m : meshes)
        frame.meshes.push_back({.name = m.name,
                                .is_cloth = m.is_cloth,
                                .is_static = m.is_static,
                                .x = m.x,
                                .u = m.u,
                                .face_nodes = m.face_nodes,
                                .face_verts = m.face_verts,
                                .v = m.v,
                                .vert_node = m.vert_node,
                                .face_panel = m.face_panel});
    return frame;
}

} // namespace pleat
