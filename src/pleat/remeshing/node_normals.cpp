// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/remeshing/node_normals.hpp"

#include "pleat/core/parallel.hpp"

namespace pleat {

Vec3 node_normal(const Mesh& mesh, const Field<NodeId, Vec3>& x, NodeId node)
{
    Vec3 sum{};
    mesh.visit_faces(node, [&](FaceId face, std::size_t corner) {
        const auto& v = mesh[face].verts;
        const Vec3 a = x[mesh.node(v[corner_after(corner)])] - x[node];
        const Vec3 b = x[mesh.node(v[corner_before(corner)])] - x[node];
        const double weight = norm2(a) * norm2(b);
        if (weight > 0) sum += cross(a, b) / weight;
    });
    const double length = norm(sum);
    return length > 0 ? sum / length : Vec3{};
}

Field<NodeId, Vec3> node_normals(const Mesh& mesh, const Field<NodeId, Vec3>& x)
{
    Field<NodeId, Vec3> normals(mesh.node_count(), FieldRule::interpolate);
    parallel_for(mesh.node_count(), [&](std::size_t i) {
        const auto n = make_id<NodeId>(i);
        if (mesh.is_alive(n)) normals[n] = node_normal(mesh, x, n);
    });
    return normals;
}

} // namespace pleat
