// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/api/bake.hpp"

#include "pleat/core/error.hpp"
#include "pleat/mesh/validate.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace pleat {
namespace {

/// Two panels of 1 m x 1 m with the same material coordinates, sewn along u = 1 of the first and
/// u = 0 of the second; n cells a side. World: side by side, lifted by a wave.
ObjectMesh two_panels(unsigned n, double wave)
{
    ObjectMesh m;
    m.name = "cloth";
    const auto x = [&](double s, double t) {
        return Vec3{s, t, wave * std::sin(3 * s) * std::cos(2 * t)};
    };
    std::vector<std::uint32_t> seam;
    for (std::uint32_t panel = 0; panel < 2; ++panel) {
        const auto first = std::uint32_t(m.u.size());
        for (unsigned j = 0; j <= n; ++j)
            for (unsigned i = 0; i <= n; ++i) {
                const double s = double(i) / n, t = double(j) / n;
                m.u.push_back({s, t});
                if (panel == 1 && i == 0) {
                    m.vert_node.push_back(seam[j]);
                    continue;
                }
                if (panel == 0 && i == n) seam.push_back(std::uint32_t(m.x.size()));
                m.vert_node.push_back(std::uint32_t(m.x.size()));
                m.x.push_back(x(s + panel, t));
                m.v.push_back({t, 0, s + panel});
            }
        for (unsigned j = 0; j < n; ++j)
            for (unsigned i = 0; i < n; ++i) {
                const std::uint32_t a = first + j * (n + 1) + i, b = a + 1, c = a + n + 1,
                                    d = c + 1;
                for (const auto& f : {std::array{a, b, d}, std::array{a, d, c}}) {
                    m.face_verts.push_back(f);
                    m.face_nodes.push_back(
                        {m.vert_node[f[0]], m.vert_node[f[1]], m.vert_node[f[2]]});
                    m.face_panel.push_back(panel);
                }
            }
    }
    return m;
}

MeshInput input_of(const ObjectMesh& m)
{
    MeshInput input;
    input.node_x = m.x;
    input.material_u = m.u;
    input.face_nodes = m.face_nodes;
    input.face_points = m.face_verts;
    return input;
}

TEST(BakeMesh, takes_positions_and_velocities_from_the_surface)
{
    const ObjectMesh fine = two_panels(12, 0.2);
    const BakeMesh fixed(two_panels(4, 0));
    const BakeMesh::Baked baked = fixed.evaluate(fine);
    const ObjectMesh expected = two_panels(4, 0.2); // its points are points of the fine one
    ASSERT_EQ(baked.x.size(), expected.x.size());
    for (std::size_t i = 0; i < expected.x.size(); ++i) {
        EXPECT_LT(norm(baked.x[i] - expected.x[i]), 1e-5) << i;
        EXPECT_LT(norm(baked.v[i] - expected.v[i]), 1e-5) << i;
    }
}

TEST(BakeMesh, keeps_its_faces_while_those_of_the_cloth_change)
{
    const BakeMesh fixed(two_panels(5, 0));
    const ObjectMesh first = fixed.object("a", fixed.evaluate(two_panels(7, 0.1)).x, {});
    const ObjectMesh second = fixed.object("a", fixed.evaluate(two_panels(11, 0.1)).x, {});
    EXPECT_EQ(first.face_nodes, second.face_nodes);
    EXPECT_EQ(first.face_verts, second.face_verts);
    EXPECT_EQ(first.x.size(), second.x.size());
    EXPECT_NE(first.x, second.x);
}

TEST(BakeMesh, measures_the_distance_and_refines_until_it_is_met)
{
    const ObjectMesh fine = two_panels(24, 0.2);
    BakeMesh fixed(two_panels(2, 0));
    constexpr double tolerance = 0.01;
    Field<FaceId, double> worst;
    double first = 0, last = 0;
    for (int round = 0; round < 30; ++round) {
        worst.values.assign(fixed.mesh().face_count(), 0);
        const BakeError error = fixed.compare(fine, fixed.evaluate(fine).x, worst);
        EXPECT_EQ(*std::max_element(worst.begin(), worst.end()), error.largest);
        EXPECT_LE(error.rms(), error.largest);
        if (round == 0) first = error.largest;
        last = error.largest;
        if (last <= tolerance) break;
        EXPECT_GT(fixed.refine(worst, tolerance), 0u);
        EXPECT_TRUE(validate(fixed.mesh()).empty());
    }
    EXPECT_GT(first, 0.03);
    EXPECT_LE(last, tolerance);
    EXPECT_LT(fixed.mesh().face_count(), fine.face_nodes.size());
}

TEST(BakeMesh, is_exact_on_the_mesh_of_the_frame)
{
    const ObjectMesh frame = two_panels(6, 0.2);
    const BakeMesh fixed(frame);
    Field<FaceId, double> worst;
    EXPECT_LT(fixed.compare(frame, fixed.evaluate(frame).x, worst).largest, 1e-5);
}

TEST(BakeMesh, matches_panels_that_overlap_by_where_they_are)
{
    const ObjectMesh frame = two_panels(8, 0.1);
    ObjectMesh other = two_panels(3, 0.1);
    // The other file has the second panel first.
    std::rotate(other.face_nodes.begin(), other.face_nodes.begin() + 18, other.face_nodes.end());
    std::rotate(other.face_verts.begin(), other.face_verts.begin() + 18, other.face_verts.end());
    const BakeMesh fixed(input_of(other), frame, "other.obj");
    const BakeMesh::Baked baked = fixed.evaluate(frame);
    double largest = 0;
    for (std::size_t i = 0; i < other.x.size(); ++i)
        largest = std::max(largest, norm(baked.x[i] - other.x[i]));
    EXPECT_LT(largest, 0.02);
}

TEST(BakeMesh, refuses_a_mesh_of_another_material_space)
{
    const ObjectMesh frame = two_panels(4, 0.1);
    ObjectMesh other = two_panels(3, 0.1);
    for (Vec2& u : other.u) u = 100.0 * u; // centimetres
    try {
        const BakeMesh fixed(input_of(other), frame, "other.obj");
        FAIL();
    } catch (const InputError& error) {
        EXPECT_THAT(error.what(), testing::HasSubstr("other.obj: panel 0: points that are"));
        EXPECT_THAT(error.what(), testing::HasSubstr("in metres"));
    }
}

} // namespace
} // namespace pleat
