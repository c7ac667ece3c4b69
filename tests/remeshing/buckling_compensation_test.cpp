// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/remeshing/buckling_compensation.hpp"

#include "pleat/energies/elastic_batch.hpp"
#include "pleat/remeshing/anisotropic.hpp"
#include "pleat/sim/adapt.hpp"

#include "mesh/zoo.hpp"
#include "sim/model_of.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace pleat {
namespace {

/// Columns of cells that become wider along u[0].
Simulation graded_sheet()
{
    MeshInput m = zoo::grid(6, 2);
    for (Vec3& x : m.node_x) x[0] *= x[0];
    for (Vec2& u : m.material_u) u[0] *= u[0];
    return simulation_of(m);
}

TEST(CompressionFactor, is_that_of_the_paper)
{
    EXPECT_EQ(compression_factor(1, 1, 3, 10), 1);
    EXPECT_EQ(compression_factor(3, 1, 3, 10), 0);
    EXPECT_NEAR(compression_factor(2, 1, 3, 10), std::pow(0.5, 10), 1e-15);
    EXPECT_EQ(compression_factor(2, 1, 3, 1), 0.5);
    // Areas beyond those that are given.
    EXPECT_EQ(compression_factor(0.1, 1, 3, 10), 1);
    EXPECT_EQ(compression_factor(9, 1, 3, 10), 0);
    EXPECT_EQ(compression_factor(2, 2, 2, 10), 1); // all faces alike
}

TEST(BucklingCompensation, softens_all_faces_by_their_area_without_a_camera)
{
    Simulation sim = graded_sheet();
    compensate_buckling({}, 0, {}, sim.state, sim.model);
    const auto [least, most] = std::minmax_element(sim.model.area.begin(), sim.model.area.end());
    for (FaceId f : sim.model.mesh.faces())
        EXPECT_EQ(sim.model.compression_scale[f],
                  compression_factor(sim.model.area[f], *least, *most, 10));
    EXPECT_EQ(
        *std::min_element(sim.model.compression_scale.begin(), sim.model.compression_scale.end()),
        0);
}

TEST(BucklingCompensation, leaves_faces_that_a_camera_has_in_its_frame)
{
    Simulation sim = graded_sheet();
    World world;
    CameraTrack camera; // sees u[0] > 0.5, where faces are largest
    camera.keys = {{0, {0.85, 0.5, 1}, {0.85, 0.5, 0}, {0, 1, 0}, 0.6, {}}};
    camera.aspect = 1;
    world.cameras = {camera};
    compensate_buckling(world, 0, {}, sim.state, sim.model);
    double least = 1, most = 0;
    const Frustum frustum = frustum_of(camera_at(camera, 0));
    for (FaceId f : sim.model.mesh.faces()) {
        const auto n = sim.model.mesh.nodes_of(f);
        if (distance_from(frustum, {sim.state.x[n[0]], sim.state.x[n[1]], sim.state.x[n[2]]}, 1) ==
            0) {
            EXPECT_EQ(sim.model.compression_scale[f], 1);
            continue;
        }
        least = std::min(least, sim.model.area[f]);
        most = std::max(most, sim.model.area[f]);
    }
    std::size_t softest = 0;
    for (FaceId f : sim.model.mesh.faces()) {
        if (sim.model.compression_scale[f] == 0) {
            EXPECT_EQ(sim.model.area[f], most);
            ++softest;
        }
    }
    EXPECT_GT(softest, 0u);
    EXPECT_LT(most, *std::max_element(sim.model.area.begin(), sim.model.area.end()));
    BucklingOptions all;
    all.all_faces = true;
    compensate_buckling(world, 0, all, sim.state, sim.model);
    EXPECT_EQ(
        *std::min_element(sim.model.compression_scale.begin(), sim.model.compression_scale.end()),
        0);
}

TEST(BucklingCompensation, makes_a_compressed_sheet_softer_and_not_a_stretched_one)
{
    for (const double stretch : {0.9, 1.1}) {
        MeshInput m = zoo::grid(4, 4);
        for (Vec3& x : m.node_x) x[0] *= stretch;
        Simulation sim = simulation_of(m);
        const double before = elastic_energy(sim.model, sim.state);
        compensate_buckling({}, 0, {10, true, std::array{0.0, 0.25}}, sim.state, sim.model);
        const double after = elastic_energy(sim.model, sim.state);
        if (stretch < 1) {
            EXPECT_LT(after, 0.2 * before);
        } else {
            EXPECT_GT(after, 0.9 * before); // Poisson's contraction across is softened
        }
    }
}

TEST(BucklingCompensation, follows_the_mesh_through_adapt)
{
    Simulation sim = simulation_of(zoo::grid(2, 2));
    for (NodeId n : sim.model.mesh.nodes()) // bent on one side, so that faces differ
        if (sim.state.x[n][0] > 0.6) sim.state.x[n] += Vec3{-0.2, 0, 0.4};
    Pipeline p = default_pipeline();
    SizingOptions o;
    o.edge_min = 0.05;
    o.edge_max = 0.5;
    AnisotropicOptions options;
    options.sizing = {cloth_sizing(o)};
    p.remesher = std::make_unique<RemesherAnisotropic>(options);
    p.buckling = BucklingOptions{};
    const AdaptReport report = adapt({}, p, sim);
    ASSERT_TRUE(report.remesh.changed);
    const auto [least, most] = std::minmax_element(sim.model.area.begin(), sim.model.area.end());
    ASSERT_LT(*least, *most);
    for (FaceId f : sim.model.mesh.faces())
        EXPECT_EQ(sim.model.compression_scale[f],
                  compression_factor(sim.model.area[f], *least, *most, 10));
}

} // namespace
} // namespace pleat
