// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/sim/audit.hpp"

#include "mesh/zoo.hpp"
#include "sim/model_of.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace pleat {
namespace {

std::vector<ObjectMesh> meshes_of(const Simulation& sim)
{
    return object_meshes({}, sim);
}

TEST(FrameAudit, measures_principal_strains)
{
    Simulation sim = simulation_of(zoo::grid(4, 4));
    for (Vec3& x : sim.state.x)
        x = {1.2 * x[0], 0, 0.9 * x[1]}; // turned into xz, stretched, squeezed
    const MeshAudit a = audit(meshes_of(sim));
    EXPECT_NEAR(a.max_stretch, 0.2, 1e-12);
    EXPECT_NEAR(a.max_compression, 0.1, 1e-12);
    EXPECT_EQ(a.intersections, 0u);
    EXPECT_TRUE(std::isinf(a.min_gap));
}

TEST(FrameAudit, counts_what_crosses_an_obstacle_and_measures_the_gap)
{
    Simulation sim = simulation_of(zoo::grid(4, 4));
    World world;
    world.obstacles.resize(1);
    world.obstacles[0].name = "plate";
    world.obstacles[0].x = {{-1, -1, -0.004}, {3, -1, -0.004}, {0, 3, -0.004}};
    world.obstacles[0].faces = {{0, 1, 2}};
    EXPECT_NEAR(audit(object_meshes(world, sim)).min_gap, 0.004, 1e-12);
    for (Vec3& p : world.obstacles[0].x) p[2] = 0.1 * (p[0] - 0.4);
    EXPECT_GT(audit(object_meshes(world, sim)).intersections, 0u);
}

TEST(ObjectMeshes, split_cloths_and_keep_the_order_of_the_file)
{
    const MeshInput input = zoo::two_pieces(3);
    Simulation sim = simulation_of(input);
    sim.model.cloths = {{"below"}, {"above"}};
    sim.model.panel_cloth = {ClothId{0}, ClothId{1}};
    const auto meshes = meshes_of(sim);
    ASSERT_EQ(meshes.size(), 2u);
    EXPECT_EQ(meshes[0].name, "below");
    EXPECT_EQ(meshes[0].x.size() + meshes[1].x.size(), input.node_x.size());
    EXPECT_EQ(meshes[1].x[0], input.node_x[meshes[0].x.size()]);
    EXPECT_EQ(meshes[0].face_nodes[5], input.face_nodes[5]);
}

TEST(ObjectMeshes, keep_seams_by_indexing)
{
    const Simulation sim = simulation_of(zoo::two_panels(3));
    const auto meshes = meshes_of(sim);
    EXPECT_EQ(meshes[0].x.size(), sim.model.mesh.node_count());
    EXPECT_EQ(meshes[0].u.size(), sim.model.mesh.vert_count());
    EXPECT_GT(meshes[0].u.size(), meshes[0].x.size());
}

} // namespace
} // namespace pleat
