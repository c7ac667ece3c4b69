// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/loads/wind.hpp"

#include "pleat/core/parallel.hpp"

#include <cmath>

namespace pleat {

namespace {

struct FaceWind {
    Vec3 force{}; // on each corner [N]
    Mat3 drag{};  // [kg/s]
};

} // namespace

void add_wind(const Model& model, const State& state, const Wind& wind, Loads& loads)
{
    if (wind.density == 0 && wind.drag == 0) return;
    const Mesh& mesh = model.mesh;
    std::vector<FaceWind> faces(mesh.face_count());
    parallel_for(faces.size(), [&](std::size_t i) {
        const auto [a, b, c] = mesh.nodes_of(make_id<FaceId>(i));
        const Vec3 area_normal = 0.5 * cross(state.x[b] - state.x[a], state.x[c] - state.x[a]);
        const double area = norm(area_normal);
        if (area == 0) return;
        const Vec3 n = area_normal / area;
        const Vec3 v = wind.velocity - (state.v[a] + state.v[b] + state.v[c]) / 3.0;
        const double vn = dot(v, n);
        const double third = area / 3;
        faces[i].force = third * (wind.density * std::abs(vn) * vn * n + wind.drag * (v - vn * n));
        const Mat3 across = outer(n, n);
        faces[i].drag = across * (third * 2 * wind.density * std::abs(vn)) +
                        (identity<3>() - across) * (third * wind.drag);
    });
    loads.force.resize(mesh.node_count());
    loads.drag.resize(mesh.node_count());
    parallel_for(mesh.node_count(), [&](std::size_t i) {
        mesh.visit_faces(make_id<NodeId>(i), [&](FaceId f, std::size_t) {
            loads.force[i] += faces[index(f)].force;
            loads.drag[i] += faces[index(f)].drag;
        });
    });
}

} // namespace pleat
