// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/pleat.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace pleat {
namespace {

/// A square of two triangles with sides of 1 m; mirrored in material space where asked for.
MeshInput square(bool is_mirrored)
{
    MeshInput mesh;
    mesh.node_x = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}};
    mesh.face_nodes = {{0, 1, 2}, {0, 2, 3}};
    for (const Vec3& x : mesh.node_x)
        mesh.material_u.push_back({is_mirrored ? 1 - x[0] : x[0], x[1]});
    return mesh;
}

/// Edges of 5 cm near u = (0, 0), and of 20 cm far from it; longer along one diagonal.
Mat2 graded(const Vec2& u)
{
    const double h = std::min(0.2, 0.05 + 0.2 * norm(u));
    const double s = 1 / (h * h);
    return {{s, 0.3 * s, 0.3 * s, s}};
}

double longest_edge(const MeshInput& mesh, const SurfaceMetric& metric)
{
    double longest = 0;
    for (const auto& f : mesh.face_points)
        for (std::size_t k = 0; k < 3; ++k) {
            const Vec2 a = mesh.material_u[f[k]], b = mesh.material_u[f[(k + 1) % 3]];
            longest = std::max(longest, std::sqrt(edge_size2(a, metric(a), b, metric(b))));
        }
    return longest;
}

TEST(RemeshSurface, fits_a_metric_that_is_known_everywhere)
{
    const RemeshedSurface done = remesh_surface(square(false), graded);
    EXPECT_GT(done.splits, 20u);
    EXPECT_LE(longest_edge(done.mesh, graded), 1 + 1e-9);
    EXPECT_LT(double(done.mesh.face_nodes.size()), 3 * done.ideal_faces);
    EXPECT_TRUE(find_mesh_problems(done.mesh).empty());
}

TEST(RemeshSurface, asks_the_metric_at_material_points_of_mirrored_panels_as_they_were_given)
{
    const RemeshedSurface done = remesh_surface(square(true), graded);
    EXPECT_LE(longest_edge(done.mesh, graded), 1 + 1e-9);
    for (std::size_t f = 0; f < done.mesh.face_nodes.size(); ++f)
        for (std::size_t k = 0; k < 3; ++k) {
            const Vec3& x = done.mesh.node_x[done.mesh.face_nodes[f][k]];
            const Vec2& u = done.mesh.material_u[done.mesh.face_points[f][k]];
            EXPECT_NEAR(u[0], 1 - x[0], 1e-12);
        }
}

TEST(RemeshSurface, refuses_tensors_that_are_no_metric)
{
    const MeshInput mesh = square(false);
    const std::vector<Mat2> too_few(3, identity<2>());
    EXPECT_THROW((void)remesh_surface(mesh, too_few), InputError);
    std::vector<Mat2> indefinite(4, identity<2>());
    indefinite[2](1, 1) = -1;
    EXPECT_THROW((void)remesh_surface(mesh, indefinite), InputError);
    EXPECT_THROW((void)remesh_surface(mesh, [](const Vec2&) { return Mat2{}; }), InputError);
}

} // namespace
} // namespace pleat
