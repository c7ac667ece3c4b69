// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/render/render_mesh.hpp"

#include "pleat/core/error.hpp"
#include "render/shapes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <numbers>

namespace pleat {
namespace {

constexpr double pi = std::numbers::pi;

std::string complaint(const RenderMesh& mesh)
{
    try {
        require_valid(std::span(&mesh, 1));
    } catch (const InputError& error) {
        return error.what();
    }
    return "";
}

TEST(RequireValid, accepts_a_good_mesh_and_an_empty_one)
{
    EXPECT_EQ(complaint(sheet({0, 0, 0}, 1, 3)), "");
    EXPECT_EQ(complaint(RenderMesh{}), "");
}

TEST(RequireValid, names_the_position_that_is_not_finite)
{
    RenderMesh mesh = sheet({0, 0, 0}, 1, 3);
    mesh.positions[5][1] = std::numeric_limits<double>::quiet_NaN();
    EXPECT_THAT(complaint(mesh),
                testing::AllOf(testing::HasSubstr("sheet"), testing::HasSubstr("position 5")));
}

TEST(RequireValid, names_the_triangle_whose_corner_is_out_of_range)
{
    RenderMesh mesh = sheet({0, 0, 0}, 1, 3);
    mesh.triangles[7][2] = 16;
    EXPECT_THAT(complaint(mesh),
                testing::AllOf(testing::HasSubstr("triangle 7"), testing::HasSubstr("corner 16")));
}

TEST(RequireValid, wants_material_coordinates_for_all_triangles_or_none)
{
    RenderMesh mesh = sheet({0, 0, 0}, 1, 3);
    mesh.material_coords.resize(2);
    EXPECT_THAT(complaint(mesh), testing::HasSubstr("material coordinates"));
    mesh.material_coords.resize(mesh.triangles.size());
    EXPECT_EQ(complaint(mesh), "");
    mesh.material_coords[4][1][0] = std::numeric_limits<double>::infinity();
    EXPECT_THAT(complaint(mesh), testing::HasSubstr("triangle 4"));
}

TEST(CornerNormals, are_exact_on_a_sphere)
{
    // [Max1999]: the weights make the normals of any polyhedron inscribed in a sphere radial.
    const Vec3 centre{1, 2, 3};
    const RenderMesh mesh = sphere(centre, 0.7, 6, true);
    const auto normals = corner_normals(mesh, pi);
    ASSERT_EQ(normals.size(), mesh.triangles.size());
    for (std::size_t t = 0; t < mesh.triangles.size(); ++t)
        for (std::size_t k = 0; k < 3; ++k) {
            const Vec3& x = mesh.positions[mesh.triangles[t][k]];
            // The poles of this sphere are fans of separate points, which see one triangle each.
            if (std::abs(x[2] - centre[2]) > 0.69) continue;
            EXPECT_LT(norm(normals[t][k] - normalized(x - centre)), 1e-12) << t;
        }
}

TEST(CornerNormals, sharp_edges_stay_sharp_below_the_crease_angle_only)
{
    const RenderMesh mesh = box({0, 0, 0}, {1, 2, 3});
    const auto sharp = corner_normals(mesh, 0.7);
    const auto smooth = corner_normals(mesh, pi);
    for (std::size_t t = 0; t < mesh.triangles.size(); ++t)
        for (std::size_t k = 0; k < 3; ++k) {
            const auto& [a, b, c] = mesh.triangles[t];
            const Vec3 plane = normalized(cross(mesh.positions[b] - mesh.positions[a],
                                                mesh.positions[c] - mesh.positions[a]));
            EXPECT_LT(norm(sharp[t][k] - plane), 1e-12);
            EXPECT_LT(dot(smooth[t][k], plane), 0.95);
        }
}

TEST(CornerNormals, degenerate_triangles_do_no_harm)
{
    RenderMesh mesh = sheet({0, 0, 0}, 1, 2);
    mesh.triangles.push_back({0, 1, 1});
    for (const auto& corners : corner_normals(mesh, pi))
        for (const Vec3& normal : corners) EXPECT_TRUE(is_finite(normal));
    EXPECT_EQ(corner_normals(mesh, pi)[0][0], (Vec3{0, 0, 1}));
}

TEST(FaceShape, equilateral_has_aspect_one)
{
    const FaceShape shape = face_shape({0, 0, 1}, {2, 0, 1}, {1, std::sqrt(3.0), 1});
    EXPECT_NEAR(shape.area, std::sqrt(3.0), 1e-12);
    EXPECT_NEAR(shape.aspect, 1, 1e-6);
}

TEST(FaceShape, aspect_is_the_stretch_of_an_equilateral_face)
{
    for (const double stretch : {0.5, 0.1, 0.01}) {
        const FaceShape shape = face_shape({0, 0, 0}, {2, 0, 0}, {1, stretch * std::sqrt(3.0), 0});
        EXPECT_NEAR(shape.aspect, stretch, 1e-9);
    }
}

TEST(FaceShape, degenerate_faces_have_neither_area_nor_aspect)
{
    const FaceShape shape = face_shape({0, 0, 0}, {1, 0, 0}, {2, 0, 0});
    EXPECT_EQ(shape.area, 0);
    EXPECT_EQ(shape.aspect, 0);
}

TEST(FaceShapes, are_those_of_material_space_where_it_is_given)
{
    RenderMesh mesh = sheet({0, 0, 0}, 1, 1);
    EXPECT_NEAR(face_shapes(mesh)[1].area, 0.5, 1e-12);
    mesh.material_coords = {{Vec2{0, 0}, Vec2{3, 0}, Vec2{3, 3}},
                            {Vec2{0, 0}, Vec2{3, 3}, Vec2{0, 3}}};
    EXPECT_NEAR(face_shapes(mesh)[1].area, 4.5, 1e-12);
}

} // namespace
} // namespace pleat
