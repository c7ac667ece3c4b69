// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/mesh/measures.hpp"
#include "pleat/mesh/mesh.hpp"
#include "pleat/mesh/validate.hpp"

#include "mesh/zoo.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace pleat {
namespace {

using testing::IsEmpty;

std::size_t count_kind(const Mesh& mesh, NodeKind kind)
{
    std::size_t count = 0;
    for (NodeId n : mesh.nodes()) count += mesh.kind(n) == kind;
    return count;
}

std::size_t count_seams(const Mesh& mesh)
{
    std::size_t count = 0;
    for (EdgeId e : mesh.edges()) count += mesh.is_seam(e);
    return count;
}

TEST(BuildMesh, makes_every_animal_of_the_zoo_sound)
{
    for (const zoo::Animal& animal : zoo::animals()) {
        ASSERT_THAT(find_mesh_problems(animal.input), IsEmpty()) << animal.name;
        const Mesh mesh = build_mesh(animal.input);
        EXPECT_THAT(validate(mesh), IsEmpty()) << animal.name;
        EXPECT_EQ(mesh.node_count(), animal.input.node_x.size()) << animal.name;
        EXPECT_EQ(mesh.face_count(), animal.input.face_nodes.size()) << animal.name;
        // Euler: V - E + F is 1 for a disc, 0 for tube and hole, 2 for the pillow and two pieces.
        const auto euler = std::int64_t(mesh.node_count()) - std::int64_t(mesh.edge_count()) +
                           std::int64_t(mesh.face_count());
        const std::int64_t expected = animal.name == "tube" || animal.name == "hole"           ? 0
                                      : animal.name == "pillow" || animal.name == "two_pieces" ? 2
                                                                                               : 1;
        EXPECT_EQ(euler, expected) << animal.name;
    }
}

TEST(BuildMesh, knows_panels_seams_and_kinds)
{
    const Mesh grid = build_mesh(zoo::grid(4, 3));
    EXPECT_EQ(grid.panel_count(), 1u);
    EXPECT_EQ(count_seams(grid), 0u);
    EXPECT_EQ(count_kind(grid, NodeKind::corner), 4u);
    EXPECT_EQ(count_kind(grid, NodeKind::border), 10u);
    EXPECT_EQ(count_kind(grid, NodeKind::interior), 6u);

    const Mesh two = build_mesh(zoo::two_panels(4));
    EXPECT_EQ(two.panel_count(), 2u);
    EXPECT_EQ(count_seams(two), 4u);
    EXPECT_EQ(count_kind(two, NodeKind::seam), 3u);
    EXPECT_EQ(count_kind(two, NodeKind::corner), 6u);

    const Mesh tube = build_mesh(zoo::tube(6, 4));
    EXPECT_EQ(tube.panel_count(), 1u);
    EXPECT_EQ(count_seams(tube), 4u);
    EXPECT_EQ(count_kind(tube, NodeKind::corner), 2u);

    const Mesh three = build_mesh(zoo::three_panels(3));
    EXPECT_EQ(three.panel_count(), 3u);
    EXPECT_EQ(count_seams(three), 9u);
    std::size_t most = 0;
    for (NodeId n : three.nodes()) {
        std::set<VertId> verts;
        three.visit_faces(n, [&](FaceId f, std::size_t c) { verts.insert(three[f].verts[c]); });
        most = std::max(most, verts.size());
    }
    EXPECT_EQ(most, 3u) << "three verts share the node where the panels meet";

    const Mesh dart = build_mesh(zoo::dart(3, 8));
    EXPECT_EQ(dart.panel_count(), 1u);
    EXPECT_EQ(count_seams(dart), 3u);
    EXPECT_EQ(dart.kind(NodeId{0}), NodeKind::corner) << "the tip of a dart stays";
}

TEST(BuildMesh, a_gathered_seam_keeps_its_ratio_nodes_removable)
{
    const Mesh mesh = build_mesh(zoo::two_panels(4, 1.3));
    EXPECT_EQ(count_kind(mesh, NodeKind::seam), 3u); // both sides divide the seam alike
}

TEST(BuildMesh, labelled_nodes_are_locked)
{
    MeshInput input = zoo::grid(4, 4);
    input.node_label.assign(input.node_x.size(), 0);
    input.node_label[12] = 3;
    const Mesh mesh = build_mesh(input);
    EXPECT_EQ(mesh.kind(NodeId{12}), NodeKind::locked);
}

TEST(BuildMesh, edges_between_materials_are_kept)
{
    MeshInput input = zoo::grid(4, 4);
    for (std::size_t f = 0; f < input.face_nodes.size(); ++f)
        input.face_material.push_back(f < input.face_nodes.size() / 2 ? 0 : 1);
    const Mesh mesh = build_mesh(input);
    std::size_t kept = 0;
    for (EdgeId e : mesh.edges()) kept += mesh[e].keep;
    EXPECT_EQ(kept, 4u);
}

TEST(BuildMesh, turns_a_mirrored_panel_over)
{
    MeshInput input = zoo::two_panels(3);
    for (Vec2& u : input.material_u)
        if (u[0] > 1.5) u[0] = 9 - u[0]; // the second panel, drawn from its back
    ASSERT_THAT(find_mesh_problems(input), IsEmpty());
    const Mesh mesh = build_mesh(input);
    EXPECT_THAT(validate(mesh, {.expected_area = 2.0}), IsEmpty());
}

TEST(BuildMesh, one_material_point_may_serve_two_panels)
{
    // Front and back cut from one drawing: the same vt lines, different nodes.
    MeshInput input = zoo::grid(3, 3);
    const auto nodes = std::uint32_t(input.node_x.size());
    const std::size_t faces = input.face_nodes.size();
    for (std::uint32_t i = 0; i < nodes; ++i)
        input.node_x.push_back(input.node_x[i] + Vec3{0, 0, 1});
    for (std::size_t f = 0; f < faces; ++f) {
        auto n = input.face_nodes[f];
        for (auto& i : n) i += nodes;
        input.face_nodes.push_back(n);
        input.face_points.push_back(input.face_points[f]);
    }
    ASSERT_THAT(find_mesh_problems(input), IsEmpty());
    const Mesh mesh = build_mesh(input);
    EXPECT_THAT(validate(mesh), IsEmpty());
    EXPECT_EQ(mesh.vert_count(), 2 * nodes);
    EXPECT_EQ(mesh.panel_count(), 2u);
}

TEST(Validate, finds_what_is_planted)
{
    // A mesh with a wrong area total, as the only thing that can be planted from outside.
    const Mesh mesh = build_mesh(zoo::grid(3, 3));
    EXPECT_THAT(validate(mesh, {.expected_area = 1.0}), IsEmpty());
    EXPECT_FALSE(validate(mesh, {.expected_area = 1.1}).empty());
    Field<FaceId, double> density(mesh.face_count(), FieldRule::copy, 0.2);
    EXPECT_THAT(validate(mesh, {.face_density = &density, .expected_mass = 0.2}), IsEmpty());
    EXPECT_FALSE(validate(mesh, {.face_density = &density, .expected_mass = 0.3}).empty());
}

TEST(Measures, aspect_is_one_for_equilateral_and_zero_for_flat)
{
    EXPECT_NEAR(aspect({0, 0}, {1, 0}, {0.5, std::sqrt(3.0) / 2}), 1.0, 1e-15);
    EXPECT_EQ(aspect({0, 0}, {1, 0}, {2, 0}), 0.0);
    const Mesh mesh = build_mesh(zoo::grid(5, 7));
    double sum = 0;
    for (double a : node_areas(mesh)) sum += a;
    EXPECT_NEAR(sum, 1.0, 1e-14);
}

} // namespace
} // namespace pleat
