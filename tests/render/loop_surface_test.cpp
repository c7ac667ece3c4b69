// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/render/loop_surface.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace pleat {
namespace {

using Triangle = std::array<std::uint32_t, 3>;

/// A sheet of n x n cells, bent.
struct Sheet {
    std::vector<Vec3> x;
    std::vector<Vec2> u;
    std::vector<Triangle> faces;

    Sheet(int n, double bend)
    {
        for (int j = 0; j <= n; ++j)
            for (int i = 0; i <= n; ++i) {
                u.push_back({double(i) / n, double(j) / n});
                x.push_back({u.back()[0], u.back()[1], bend * std::sin(5 * u.back()[0])});
            }
        const auto at = [&](int i, int j) { return std::uint32_t(j * (n + 1) + i); };
        for (int j = 0; j < n; ++j)
            for (int i = 0; i < n; ++i) {
                faces.push_back({at(i, j), at(i + 1, j), at(i + 1, j + 1)});
                faces.push_back({at(i, j), at(i + 1, j + 1), at(i, j + 1)});
            }
    }
    [[nodiscard]] ControlMesh control() const { return {x, faces, u, faces, x}; }
};

class Loop : public testing::Test {
protected:
    void SetUp() override
    {
        if (!loop_surface_available()) GTEST_SKIP() << "built without OpenSubdiv";
    }
};

TEST_F(Loop, has_four_faces_for_one_at_each_level_and_knows_their_parents)
{
    const Sheet sheet(3, 0.1);
    for (const int levels : {1, 2, 3}) {
        const LoopSurface s = loop_surface(sheet.control(), levels);
        const std::size_t each = std::size_t(1) << (2 * levels);
        ASSERT_EQ(s.faces.size(), sheet.faces.size() * each);
        std::map<std::uint32_t, std::size_t> count;
        for (std::uint32_t p : s.parent) ++count[p];
        EXPECT_EQ(count.size(), sheet.faces.size());
        for (const auto& [parent, n] : count) EXPECT_EQ(n, each);
    }
}

TEST_F(Loop, of_a_plane_is_the_plane_with_the_same_corners_and_outline)
{
    const Sheet sheet(4, 0);
    const LoopSurface s = loop_surface(sheet.control(), 2);
    double low = 1, high = 0;
    for (const Vec3& x : s.positions) {
        EXPECT_NEAR(x[2], 0, 1e-12);
        low = std::min(low, x[0]);
        high = std::max(high, x[0]);
    }
    EXPECT_NEAR(low, 0, 1e-9);
    EXPECT_NEAR(high, 1, 1e-9);
    for (const Vec3& corner : {Vec3{0, 0, 0}, Vec3{1, 0, 0}, Vec3{0, 1, 0}, Vec3{1, 1, 0}})
        EXPECT_TRUE(std::any_of(s.positions.begin(), s.positions.end(),
                                [&](const Vec3& x) { return norm(x - corner) < 1e-9; }));
}

TEST_F(Loop, interpolates_material_points_linearly_and_velocities_as_positions)
{
    const Sheet sheet(4, 0.2);
    const LoopSurface s = loop_surface(sheet.control(), 2);
    ASSERT_EQ(s.velocities.size(), s.positions.size());
    for (std::size_t i = 0; i < s.positions.size(); ++i)
        EXPECT_LT(norm(s.velocities[i] - s.positions[i]), 1e-12);
    double area = 0;
    for (const Triangle& f : s.face_material) {
        const Vec2 a = s.material[f[0]], b = s.material[f[1]], c = s.material[f[2]];
        const double own = 0.5 * cross(b - a, c - a);
        EXPECT_NEAR(own, 1.0 / 32 / 16, 1e-12);
        area += own;
    }
    EXPECT_NEAR(area, 1, 1e-12);
}

// A triangle that is not refined beside one that was divided up to four times: cut at the
// T-vertices, the mesh is closed, and so is its surface.
TEST_F(Loop, of_a_mesh_cut_at_t_vertices_has_no_cracks)
{
    for (int difference = 1; difference <= 4; ++difference) {
        const int n = 1 << difference;
        Sheet sheet(1, 0);
        sheet.x = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0.3}, {0, 1, 0}};
        sheet.faces.clear();
        // The edge (0, 2) in n parts: a fan on each side.
        std::vector<std::uint32_t> along{0};
        for (int i = 1; i < n; ++i) {
            along.push_back(std::uint32_t(sheet.x.size()));
            sheet.x.push_back(sheet.x[2] * (double(i) / n));
            sheet.u.push_back(Vec2{1, 1} * (double(i) / n));
        }
        along.push_back(2);
        sheet.u[0] = {0, 0};
        sheet.u[1] = {1, 0};
        sheet.u[2] = {1, 1};
        sheet.u[3] = {0, 1};
        for (std::size_t i = 0; i + 1 < along.size(); ++i) {
            sheet.faces.push_back({along[i], 1, along[i + 1]});
            sheet.faces.push_back({along[i], along[i + 1], 3});
        }
        const LoopSurface s = loop_surface(sheet.control(), 2);
        std::map<std::pair<std::uint32_t, std::uint32_t>, int> edges;
        for (const Triangle& f : s.faces)
            for (std::size_t k = 0; k < 3; ++k) ++edges[std::minmax({f[k], f[(k + 1) % 3]})];
        std::size_t open = 0;
        for (const auto& [edge, count] : edges) {
            EXPECT_LE(count, 2);
            open += count == 1;
        }
        EXPECT_EQ(open, 4u * 4); // the four sides of the square, each in four parts
    }
}

TEST_F(Loop, of_a_mesh_to_be_rendered_has_its_colours)
{
    const Sheet sheet(2, 0.1);
    RenderMesh mesh;
    mesh.positions = sheet.x;
    mesh.triangles = sheet.faces;
    for (const Triangle& f : sheet.faces)
        mesh.material_coords.push_back({sheet.u[f[0]], sheet.u[f[1]], sheet.u[f[2]]});
    for (std::size_t t = 0; t < sheet.faces.size(); ++t) {
        mesh.face_generation.push_back(std::uint8_t(t));
        mesh.face_material.push_back(0);
    }
    mesh.velocities.assign(sheet.x.size(), Vec3f{1, 2, 3});
    mesh.looks.resize(1);
    const RenderMesh s = loop_surface(mesh, 1);
    const std::array<RenderMesh, 1> all{s};
    require_valid(all);
    ASSERT_EQ(s.triangles.size(), 4 * mesh.triangles.size());
    EXPECT_EQ(s.face_generation.size(), s.triangles.size());
    EXPECT_EQ(*std::max_element(s.face_generation.begin(), s.face_generation.end()), 7);
    for (const Vec3f& v : s.velocities) EXPECT_NEAR(v[1], 2, 1e-5);
}

} // namespace
} // namespace pleat
