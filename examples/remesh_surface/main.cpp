// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Remeshes a flat disc to a metric: long thin triangles along a wave, small ones across it.
#include <pleat/pleat.hpp>

#include <cmath>
#include <cstdio>
#include <numbers>

namespace {

/// A disc of radius 1 m, as rings of points around a centre.
pleat::MeshInput disc(unsigned rings, unsigned around)
{
    pleat::MeshInput mesh;
    mesh.node_x.push_back({0, 0, 0});
    for (unsigned r = 1; r <= rings; ++r)
        for (unsigned k = 0; k < around; ++k) {
            const double angle = 2 * std::numbers::pi * k / around, radius = double(r) / rings;
            mesh.node_x.push_back({radius * std::cos(angle), radius * std::sin(angle), 0});
        }
    const auto at = [&](unsigned r, unsigned k) { return 1 + (r - 1) * around + k % around; };
    for (unsigned k = 0; k < around; ++k) mesh.face_nodes.push_back({0, at(1, k), at(1, k + 1)});
    for (unsigned r = 1; r < rings; ++r)
        for (unsigned k = 0; k < around; ++k) {
            mesh.face_nodes.push_back({at(r, k), at(r + 1, k), at(r + 1, k + 1)});
            mesh.face_nodes.push_back({at(r, k), at(r + 1, k + 1), at(r, k + 1)});
        }
    for (const pleat::Vec3& x : mesh.node_x) mesh.material_u.push_back({x[0], x[1]});
    return mesh;
}

} // namespace

int main()
{
    // Edges of 20 cm along y everywhere; along x of 2 cm on the line x = 0 and 20 cm far from it.
    const auto metric = [](const pleat::Vec2& u) {
        const double across = std::min(0.2, 0.02 + 0.5 * std::abs(u[0])), along = 0.2;
        return pleat::Mat2{{1 / (across * across), 0, 0, 1 / (along * along)}};
    };
    const pleat::RemeshedSurface done = pleat::remesh_surface(disc(6, 24), metric);
    std::printf("%zu triangles, %.0f would be ideal; %zu splits, %zu flips, %zu collapses\n",
                done.mesh.face_nodes.size(), done.ideal_faces, done.splits, done.flips,
                done.collapses);
    pleat::write_obj("remeshed.obj", pleat::view_as_obj(done.mesh));

    double longest = 0; // by the metric: at most 1 where it varies slowly
    for (const auto& f : done.mesh.face_points)
        for (unsigned k = 0; k < 3; ++k) {
            const pleat::Vec2 a = done.mesh.material_u[f[k]],
                              b = done.mesh.material_u[f[(k + 1) % 3]];
            longest = std::max(longest, std::sqrt(pleat::edge_size2(a, metric(a), b, metric(b))));
        }
    std::printf("longest edge, measured by the metric: %.3f\n", longest);
    return longest <= 1 + 1e-9 ? 0 : 1;
}
