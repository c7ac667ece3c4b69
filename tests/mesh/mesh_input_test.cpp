// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/mesh/mesh_input.hpp"

#include "mesh/slit_sheet.hpp"
#include "mesh/zoo.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>
#include <utility>

namespace pleat {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

/// Expects the first problem found to be of this kind.
void expect_problem(const MeshInput& input, MeshElement element, const std::string& words)
{
    const auto problems = find_mesh_problems(input);
    ASSERT_FALSE(problems.empty()) << words;
    EXPECT_EQ(problems[0].element, element) << problems[0].found;
    EXPECT_THAT(problems[0].found, HasSubstr(words));
    EXPECT_FALSE(problems[0].expected.empty());
}

TEST(MeshProblems, not_finite_numbers_are_named)
{
    MeshInput m = zoo::grid(2, 2);
    m.node_x[3][1] = std::numeric_limits<double>::quiet_NaN();
    m.node_x[4][1] = 1e30;
    const auto problems = find_mesh_problems(m);
    ASSERT_EQ(problems.size(), 2u);
    EXPECT_EQ(problems[0].ids, std::vector<std::uint32_t>{3});
    EXPECT_EQ(problems[1].ids, std::vector<std::uint32_t>{4});
}

TEST(MeshProblems, unused_points_are_named)
{
    MeshInput m = zoo::grid(2, 2);
    m.node_x.push_back({5, 5, 5});
    expect_problem(m, MeshElement::node, "used by no face");
    m = zoo::grid(2, 2);
    m.material_u.push_back({5, 5});
    expect_problem(m, MeshElement::material_point, "used by no face");
}

TEST(MeshProblems, duplicates_are_named)
{
    MeshInput m = zoo::grid(2, 2);
    // The last face gets a vertex of its own, at the place of the one it should share.
    const std::uint32_t shared = m.face_nodes.back()[0];
    m.node_x.push_back(m.node_x[shared]);
    m.material_u.push_back(m.material_u[shared]);
    m.face_nodes.back()[0] = m.face_points.back()[0] = std::uint32_t(m.node_x.size() - 1);
    expect_problem(m, MeshElement::node, "a duplicate of another vertex");
    m = zoo::grid(2, 2);
    m.face_nodes.push_back(m.face_nodes[0]);
    m.face_points.push_back(m.face_points[0]);
    expect_problem(m, MeshElement::face, "same three vertices");
}

TEST(MeshProblems, degenerate_faces_are_named)
{
    MeshInput m = zoo::grid(2, 2);
    m.face_nodes[1][2] = m.face_nodes[1][0];
    expect_problem(m, MeshElement::face, "same vertex twice");
}

TEST(MeshProblems, an_edge_with_three_faces_is_named)
{
    MeshInput m = zoo::grid(1, 1);
    m.node_x.push_back({0.5, 0.5, 1});
    m.material_u.push_back({3, 3});
    m.face_nodes.push_back({m.face_nodes[0][0], m.face_nodes[0][2], 4});
    m.face_points.push_back(m.face_nodes.back());
    expect_problem(m, MeshElement::face, "has 3 faces");
}

TEST(MeshProblems, opposite_orientation_is_named)
{
    MeshInput m = zoo::grid(2, 2);
    std::swap(m.face_nodes[3][1], m.face_nodes[3][2]);
    std::swap(m.face_points[3][1], m.face_points[3][2]);
    expect_problem(m, MeshElement::face, "inconsistent orientation");
}

TEST(MeshProblems, fans_that_meet_in_one_vertex_are_named)
{
    MeshInput m;
    m.node_x = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {-1, 0, 0}, {-1, -1, 0}};
    m.face_nodes = {{0, 1, 2}, {0, 3, 4}};
    for (const Vec3& x : m.node_x) m.material_u.push_back({x[0], x[1]});
    m.face_points = m.face_nodes;
    expect_problem(m, MeshElement::node, "several fans");
}

TEST(MeshProblems, material_triangles_without_area_or_folded_over_are_named)
{
    MeshInput m = zoo::grid(3, 3);
    m.material_u[5] = {0.5, 0};
    m.material_u[5] =
        m.material_u[m.face_points[0][0]] * 0.5 + m.material_u[m.face_points[0][1]] * 0.5;
    EXPECT_FALSE(find_mesh_problems(m).empty());
    m = zoo::grid(3, 3);
    for (std::size_t i = 0; i < m.material_u.size(); ++i)
        if (norm(m.material_u[i] - Vec2{1.0 / 3, 1.0 / 3}) < 1e-9) m.material_u[i] = {0.9, 0.9};
    expect_problem(m, MeshElement::face, "folded over");
    m = zoo::grid(1, 1);
    m.material_u[2] = 0.5 * (m.material_u[0] + m.material_u[1]);
    expect_problem(m, MeshElement::face, "no area");
}

TEST(MeshProblems, seams_whose_sides_do_not_match_are_named)
{
    expect_problem(zoo::two_panels(3, 6.0), MeshElement::face, "seam sides do not match");
    // One side of the seam 0-1 has the extra vertex 2.
    MeshInput m;
    m.node_x = {{0, 0, 0}, {0, 1, 0}, {0, 0.5, 0}, {-1, 0.5, 0}, {1, 0.5, 0}};
    m.face_nodes = {{0, 1, 3}, {1, 0, 4}};
    m.face_nodes = {{0, 1, 3}, {2, 0, 4}, {1, 2, 4}};
    m.material_u = {{0, 0}, {0, 1}, {-1, 0.5}, {5, 0}, {5, 0.5}, {5, 1}, {6, 0.5}};
    m.face_points = {{0, 1, 2}, {4, 3, 6}, {5, 4, 6}};
    expect_problem(m, MeshElement::node, "seam sides do not match");
}

TEST(MeshProblems, a_slit_is_no_mismatched_seam)
{
    // A cut in the middle of a grid: nodes doubled along it, both sides alike.
    MeshInput m = zoo::grid(4, 4);
    std::uint32_t mid = 0;
    for (std::uint32_t i = 0; i < m.node_x.size(); ++i)
        if (m.node_x[i] == Vec3{0.5, 0.5, 0}) mid = i;
    const auto twin = std::uint32_t(m.node_x.size());
    m.node_x.push_back(m.node_x[mid]);
    m.material_u.push_back(m.material_u[mid] + Vec2{1e-4, 0});
    for (auto& f : m.face_nodes) {
        double centre = 0;
        for (std::uint32_t i : f) centre += m.node_x[i][0] / 3;
        for (std::uint32_t& i : f)
            if (i == mid && centre > 0.5) i = twin;
    }
    m.face_points = m.face_nodes;
    EXPECT_THAT(find_mesh_problems(m), IsEmpty());
}

TEST(MeshProblems, a_slit_that_starts_closed_is_none)
{
    const MeshInput m = zoo::slit_sheet(6, 0).input;
    EXPECT_THAT(find_mesh_problems(m), IsEmpty());
    EXPECT_EQ(count_closed_slit_nodes(m), 6u); // three rows below the middle
    EXPECT_EQ(count_closed_slit_nodes(zoo::slit_sheet(6, 1e-3).input), 0u) << "it is open";
    EXPECT_EQ(count_closed_slit_nodes(zoo::grid(6, 6)), 0u);

    // Both sides of a cut right through: two panels.
    MeshInput apart = zoo::grid(2, 2), beside = apart;
    for (Vec3& x : beside.node_x) x[0] += 1;
    for (Vec2& u : beside.material_u) u[0] += 1;
    append(apart, beside);
    expect_problem(apart, MeshElement::node, "a duplicate of another vertex");
    // Vertices of a slit that lie on a third one.
    MeshInput strange = zoo::slit_sheet(6, 0).input;
    MeshInput scrap;
    scrap.node_x = {{0.5, 0, 0}, {0.6, 0, 1}, {0.5, 0.1, 1}};
    scrap.material_u = {{0.5, 0}, {5, 0}, {5, 1}};
    scrap.face_nodes = scrap.face_points = {{0, 1, 2}};
    append(strange, scrap);
    expect_problem(strange, MeshElement::node, "a duplicate of another vertex");
}

TEST(MeshProblems, slits_that_cross_are_none)
{
    // Two cuts of four cells each through the middle: four nodes there, one a quarter.
    MeshInput m = zoo::grid(6, 6);
    const MeshInput whole = m;
    std::map<std::pair<std::uint32_t, int>, std::uint32_t> copies;
    for (std::size_t f = 0; f < m.face_nodes.size(); ++f) {
        Vec2 centre{};
        for (const std::uint32_t n : whole.face_nodes[f]) centre += whole.material_u[n] / 3.0;
        for (std::uint32_t& n : m.face_nodes[f]) {
            const Vec2 d = whole.material_u[n] - Vec2{0.5, 0.5};
            constexpr double half = 0.3; // of a cut; the cells are 1/6
            const bool on_x = d[1] == 0 && std::abs(d[0]) < half;
            const bool on_y = d[0] == 0 && std::abs(d[1]) < half;
            const int quarter =
                (on_y && centre[0] > 0.5 ? 1 : 0) + (on_x && centre[1] > 0.5 ? 2 : 0);
            if (quarter == 0) continue;
            const auto [it, is_new] =
                copies.emplace(std::pair{n, quarter}, std::uint32_t(m.node_x.size()));
            if (is_new) {
                m.node_x.push_back(whole.node_x[n]);
                m.material_u.push_back(whole.material_u[n]);
            }
            n = it->second;
        }
    }
    m.face_points = m.face_nodes;
    EXPECT_THAT(find_mesh_problems(m), IsEmpty());
    EXPECT_EQ(count_closed_slit_nodes(m), 12u);
}

TEST(MeshProblems, are_listed_all_at_once)
{
    MeshInput m = zoo::grid(3, 3);
    for (int k = 0; k < 5; ++k) m.node_x.push_back({9, 9, double(k)});
    EXPECT_EQ(find_mesh_problems(m).size(), 5u);
    EXPECT_EQ(find_mesh_problems(m, 3).size(), 3u);
}

TEST(FlattenPlanar, keeps_world_lengths_in_any_plane)
{
    for (const Vec3 axis : {Vec3{0, 0, 1}, Vec3{0, 1, 0}, Vec3{1, 0, 0}, Vec3{1, 2, 3}}) {
        MeshInput m = zoo::grid(3, 2);
        const Vec3 n = normalized(axis);
        const Vec3 t = normalized(cross(std::abs(n[0]) < 0.9 ? Vec3{1, 0, 0} : Vec3{0, 1, 0}, n));
        const Vec3 b = cross(n, t);
        for (Vec3& x : m.node_x) x = x[0] * t + x[1] * b + 2.0 * n;
        m.material_u.clear();
        m.face_points.clear();
        ASSERT_TRUE(flatten_planar(m));
        for (const auto& f : m.face_nodes)
            for (std::size_t k = 0; k < 3; ++k)
                EXPECT_NEAR(norm(m.node_x[f[k]] - m.node_x[f[(k + 1) % 3]]),
                            norm(m.material_u[f[k]] - m.material_u[f[(k + 1) % 3]]), 1e-14);
        EXPECT_THAT(find_mesh_problems(m), IsEmpty());
    }
    MeshInput bent = zoo::grid(2, 2);
    bent.node_x[4][2] = 0.1;
    bent.material_u.clear();
    bent.face_points.clear();
    EXPECT_FALSE(flatten_planar(bent));
    EXPECT_TRUE(bent.material_u.empty());
}

} // namespace
} // namespace pleat
