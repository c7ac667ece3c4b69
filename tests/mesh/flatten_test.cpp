// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/mesh/flatten.hpp"

#include "pleat/mesh/measures.hpp"
#include "pleat/mesh/mesh.hpp"

#include "zoo.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>

namespace pleat {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr Vec3 up{0, 0, 1};

/// A sheet of the unit square, without material points, bent in space.
MeshInput bent(int columns, int rows, const std::function<Vec3(double, double)>& at)
{
    MeshInput m = zoo::grid(columns, rows);
    for (Vec3& x : m.node_x) x = at(x[0], x[1]);
    m.material_u.clear();
    m.face_points.clear();
    return m;
}

MeshInput without_points(MeshInput m)
{
    m.material_u.clear();
    m.face_points.clear();
    return m;
}

MeshInput half_cylinder(int columns, int rows)
{
    const double r = 1 / std::numbers::pi;
    return bent(columns, rows, [=](double s, double t) {
        return Vec3{-r * std::cos(s / r), r * std::sin(s / r), t};
    });
}

/// A closed ball.
MeshInput ball(int rings, int sectors)
{
    MeshInput m;
    m.node_x.push_back({0, 0, 1});
    for (int i = 1; i < rings; ++i)
        for (int j = 0; j < sectors; ++j) {
            const double a = std::numbers::pi * i / rings, b = 2 * std::numbers::pi * j / sectors;
            m.node_x.push_back({std::sin(a) * std::cos(b), std::sin(a) * std::sin(b), std::cos(a)});
        }
    m.node_x.push_back({0, 0, -1});
    const auto at = [&](int i, int j) {
        return std::uint32_t(1 + (i - 1) * sectors + j % sectors);
    };
    const auto last = std::uint32_t(m.node_x.size() - 1);
    for (int j = 0; j < sectors; ++j) {
        m.face_nodes.push_back({0, at(1, j), at(1, j + 1)});
        for (int i = 1; i + 1 < rings; ++i) {
            m.face_nodes.push_back({at(i, j), at(i + 1, j), at(i + 1, j + 1)});
            m.face_nodes.push_back({at(i, j), at(i + 1, j + 1), at(i, j + 1)});
        }
        m.face_nodes.push_back({at(rings - 1, j), last, at(rings - 1, j + 1)});
    }
    return m;
}

struct Changes {
    double mean = 0, worst = 0;
};

/// Of edge lengths from space to material, measured face by face.
Changes changes_of(const MeshInput& m)
{
    Changes c;
    double total = 0;
    for (std::size_t f = 0; f < m.face_nodes.size(); ++f)
        for (std::size_t k = 0; k < 3; ++k) {
            const std::size_t j = (k + 1) % 3;
            const double in_space =
                norm(m.node_x[m.face_nodes[f][j]] - m.node_x[m.face_nodes[f][k]]);
            const double flat =
                norm(m.material_u[m.face_points[f][j]] - m.material_u[m.face_points[f][k]]);
            c.mean += std::abs(flat - in_space);
            total += in_space;
            c.worst = std::max(c.worst, std::abs(flat - in_space) / in_space);
        }
    c.mean /= total;
    return c;
}

TEST(Flatten, keeps_the_lengths_of_what_can_be_laid_flat)
{
    const MeshInput cone = bent(12, 9, [](double s, double t) {
        const double r = 0.4 + t, angle = 2 * s;
        return Vec3{0.6 * r * std::cos(angle / 0.6), 0.6 * r * std::sin(angle / 0.6), 0.8 * r};
    });
    const MeshInput folded = bent(6, 4, [](double s, double t) {
        return s < 0.5 ? Vec3{s, t, 0} : Vec3{0.5, t, s - 0.5};
    });
    for (MeshInput m : {folded, half_cylinder(24, 8), cone}) { // faceted along their rulings
        const FlattenReport r = flatten_panels(m, m.node_x, up);
        ASSERT_THAT(r.problems, IsEmpty());
        EXPECT_EQ(r.panel_count, 1u);
        EXPECT_EQ(r.cut_count, 0u);
        EXPECT_LT(r.worst_change, 1e-9);
        EXPECT_LT(changes_of(m).worst, 1e-9);
        EXPECT_THAT(find_mesh_problems(m), IsEmpty());
    }
}

TEST(Flatten, reports_by_how_much_lengths_change)
{
    // A cap of the unit sphere, 0.5 m wide along the surface: flat, its rim is 1 % too long or its
    // middle too short; nobody can do better than a part of that, and nobody should do worse.
    MeshInput m = bent(16, 16, [](double s, double t) {
        const double x = 0.5 * (s - 0.5), y = 0.5 * (t - 0.5);
        return Vec3{x, y, std::sqrt(1 - x * x - y * y)};
    });
    const FlattenReport r = flatten_panels(m, m.node_x, up);
    ASSERT_THAT(r.problems, IsEmpty());
    const Changes c = changes_of(m);
    EXPECT_NEAR(r.mean_change, c.mean, 1e-12);
    EXPECT_NEAR(r.worst_change, c.worst, 1e-12);
    EXPECT_GT(r.mean_change, 5e-4);
    EXPECT_LT(r.mean_change, 5e-3);
    EXPECT_LT(r.worst_change, 0.03);
    EXPECT_THAT(find_mesh_problems(m), IsEmpty());
}

TEST(Flatten, cuts_a_tube_open_and_unrolls_it)
{
    MeshInput m = without_points(zoo::tube(16, 6));
    const FlattenReport r = flatten_panels(m, m.node_x, up);
    ASSERT_THAT(r.problems, IsEmpty());
    EXPECT_EQ(r.panel_count, 1u);
    EXPECT_EQ(r.cut_count, 1u);
    EXPECT_LT(r.worst_change, 1e-9);
    EXPECT_EQ(m.material_u.size(), m.node_x.size() + 7); // both sides of the cut
    EXPECT_THAT(find_mesh_problems(m), IsEmpty());
    EXPECT_EQ(build_mesh(m).panel_count(), 1u);
}

TEST(Flatten, ends_panels_where_a_uv_map_is_cut_whatever_its_values)
{
    // Coordinates from 0 to 1, one point a corner as some programs write them, two islands.
    MeshInput m = half_cylinder(12, 5);
    const MeshInput flat = zoo::grid(12, 5);
    for (std::size_t f = 0; f < m.face_nodes.size(); ++f) {
        double middle = 0;
        for (std::uint32_t n : m.face_nodes[f]) middle += flat.node_x[n][0] / 3;
        auto& points = m.face_points.emplace_back();
        for (std::size_t k = 0; k < 3; ++k) {
            const Vec3& x = flat.node_x[m.face_nodes[f][k]];
            points[k] = std::uint32_t(m.material_u.size());
            m.material_u.push_back({0.3 * x[1] + (middle > 0.5 ? 0.5 : 0), 1 - 0.9 * x[0]});
        }
    }
    const FlattenReport r = flatten_panels(m, m.node_x, up);
    ASSERT_THAT(r.problems, IsEmpty());
    EXPECT_EQ(r.panel_count, 2u);
    EXPECT_EQ(r.cut_count, 0u);
    EXPECT_LT(r.worst_change, 5e-3);
    const Mesh mesh = build_mesh(m);
    EXPECT_EQ(mesh.panel_count(), 2u);
    EXPECT_NEAR(total_area(mesh), 1, 0.01);
    // v of the map falls along the arc, so u[1] does.
    for (std::size_t f = 0; f < m.face_nodes.size(); ++f)
        for (std::size_t k = 0; k < 3; ++k) {
            const Vec3 &a = flat.node_x[m.face_nodes[f][k]],
                       &b = flat.node_x[m.face_nodes[f][(k + 1) % 3]];
            if (a[1] != b[1]) continue;
            const double rise = m.material_u[m.face_points[f][(k + 1) % 3]][1] -
                                m.material_u[m.face_points[f][k]][1];
            EXPECT_NEAR(rise, a[0] - b[0], 0.01 * std::abs(a[0] - b[0]));
        }
}

TEST(Flatten, lets_the_warp_point_up)
{
    MeshInput m = half_cylinder(12, 5); // its axis is vertical
    ASSERT_THAT(flatten_panels(m, m.node_x, up).problems, IsEmpty());
    for (std::size_t f = 0; f < m.face_nodes.size(); ++f)
        for (std::size_t k = 0; k < 3; ++k) {
            const double height =
                m.node_x[m.face_nodes[f][(k + 1) % 3]][2] - m.node_x[m.face_nodes[f][k]][2];
            const double rise = m.material_u[m.face_points[f][(k + 1) % 3]][1] -
                                m.material_u[m.face_points[f][k]][1];
            EXPECT_NEAR(rise, height, 2e-3);
        }
}

TEST(Flatten, takes_lengths_from_another_shape)
{
    MeshInput m = without_points(zoo::grid(4, 4));
    std::vector<Vec3> larger = m.node_x;
    for (Vec3& x : larger) x *= 1.5;
    ASSERT_THAT(flatten_panels(m, larger, up).problems, IsEmpty());
    EXPECT_NEAR(total_area(build_mesh(m)), 2.25, 1e-9);
}

TEST(Flatten, of_every_animal_is_a_sound_cloth)
{
    for (const zoo::Animal& animal : zoo::animals()) {
        SCOPED_TRACE(animal.name);
        MeshInput m = without_points(animal.input);
        if (!find_mesh_problems(m).empty()) continue;
        const FlattenReport r = flatten_panels(m, m.node_x, up);
        ASSERT_THAT(r.problems, IsEmpty());
        EXPECT_THAT(find_mesh_problems(m), IsEmpty());
        EXPECT_GT(total_area(build_mesh(m)), 0);
    }
}

TEST(Flatten, says_that_a_closed_round_surface_needs_seams)
{
    MeshInput m = ball(10, 16);
    ASSERT_THAT(find_mesh_problems(m), IsEmpty());
    const FlattenReport r = flatten_panels(m, m.node_x, up);
    ASSERT_THAT(r.problems, SizeIs(1));
    EXPECT_THAT(r.problems[0].found, HasSubstr("closed panel"));
    EXPECT_THAT(r.problems[0].expected, HasSubstr("seams"));
    EXPECT_TRUE(m.material_u.empty());
}

TEST(KeepSharpEdges, marks_folds_and_no_others)
{
    MeshInput m = bent(6, 4, [](double s, double t) {
        return s < 0.5 ? Vec3{s, t, 0} : Vec3{0.5, t, s - 0.5};
    });
    keep_sharp_edges(m, m.node_x, 0.5);
    EXPECT_THAT(m.edge_marks, SizeIs(4));
    for (const MeshInput::EdgeMark& mark : m.edge_marks) {
        EXPECT_TRUE(mark.keep);
        EXPECT_EQ(m.node_x[mark.node_a][0], 0.5);
        EXPECT_EQ(m.node_x[mark.node_b][0], 0.5);
    }
}

} // namespace
} // namespace pleat
