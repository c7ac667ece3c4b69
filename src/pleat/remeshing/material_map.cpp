// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/remeshing/material_map.hpp"

#include "pleat/geometry/distance.hpp"

#include <limits>

namespace pleat {

namespace {

Vec3 lifted(const Vec2& u, PanelId panel)
{
    return {u[0], u[1], double(index(panel))};
}

} // namespace

MaterialMap::MaterialMap(const Mesh& mesh, const Field<NodeId, Vec3>& x) : mesh_(&mesh), x_(&x)
{
    tree_.build(mesh.face_count(), [&](FaceId f) {
        const auto& v = mesh[f].verts;
        const PanelId p = mesh.panel(f);
        return WorldBox::of(
            {lifted(mesh.u(v[0]), p), lifted(mesh.u(v[1]), p), lifted(mesh.u(v[2]), p)});
    });
}

Vec3 MaterialMap::position(PanelId panel, const Vec2& u) const
{
    const Vec3 point = lifted(u, panel);
    double best = std::numeric_limits<double>::infinity();
    Vec3 position{};
    // A point of the cloth lies in a face, to rounding; the box grows until one is found.
    for (double reach = 1e-12; best > 0 && reach < 1e3; reach *= 1e3) {
        const Vec3 around{reach, reach, 0};
        tree_.visit({point - around, point + around}, [&](FaceId f) {
            const auto& v = (*mesh_)[f].verts;
            const PointTriangleDistance d = point_triangle_distance(
                point, lifted(mesh_->u(v[0]), panel), lifted(mesh_->u(v[1]), panel),
                lifted(mesh_->u(v[2]), panel));
            if (d.distance2 < best) {
                best = d.distance2;
                position = {};
                for (std::size_t k = 0; k < 3; ++k)
                    position += d.weights[k] * (*x_)[mesh_->node(v[k])];
            }
            return best > 0;
        });
        if (best <= reach * reach) break;
    }
    return position;
}

std::vector<FaceId> MaterialMap::faces_in(PanelId panel, const Vec2& low, const Vec2& high) const
{
    std::vector<FaceId> faces;
    tree_.visit({lifted(low, panel), lifted(high, panel)}, [&](FaceId f) {
        faces.push_back(f);
        return true;
    });
    return faces;
}

} // namespace pleat
