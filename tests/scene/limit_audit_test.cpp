// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/scene/limit_audit.hpp"

#include <gtest/gtest.h>

namespace pleat {
namespace {

/// A square of two faces, pulled to (1 + along) and (1 + across) times its size; its two fabrics
/// have limits of their own.
struct LimitAudit : testing::Test {
    SceneDescription scene;
    ObjectMesh mesh;
    void SetUp() override
    {
        ClothDescription cloth;
        cloth.name = "my sheet";
        cloth.materials.resize(2);
        cloth.materials[0].strain_limits = StrainLimits{-0.1, 0.1};
        cloth.materials[1].strain_limits = StrainLimits{-0.2, 0.3};
        scene.cloths.push_back(cloth);
        mesh.name = "my_sheet"; // as its file is called
        mesh.u = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
        mesh.face_nodes = mesh.face_verts = {{0, 1, 2}, {0, 2, 3}};
    }
    void pull(double along, double across)
    {
        mesh.x.clear();
        for (const Vec2& u : mesh.u) mesh.x.push_back({(1 + along) * u[0], (1 + across) * u[1], 2});
    }
    [[nodiscard]] LimitExcess excess(const std::vector<std::uint16_t>& fabrics) const
    {
        return limit_excess(scene, std::span(&mesh, 1), std::span(&fabrics, 1), 0.02);
    }
};

TEST_F(LimitAudit, knows_the_fabric_of_each_face)
{
    pull(0.15, 0);
    const LimitExcess found = excess({1, 0});
    EXPECT_NEAR(found.strain, 0.05, 1e-12);
    EXPECT_EQ(found.face, 1u);
    EXPECT_EQ(found.faces, 1u);
    EXPECT_EQ(found.cloth, "my_sheet");
    EXPECT_EQ(excess({1, 1}).strain, 0);
    EXPECT_EQ(excess({}).strain, 0) << "the loosest, where fabrics are not known";
    pull(-0.23, 0);
    EXPECT_NEAR(excess({0, 0}).strain, 0.13, 1e-12) << "compression";
    EXPECT_NEAR(excess({}).strain, 0.03, 1e-12);
}

TEST_F(LimitAudit, measures_what_the_limiter_limits)
{
    pull(0.25, 0);
    for (std::size_t i : {2u, 3u}) mesh.x[i][0] += 0.5; // shear
    const double principal = excess({0, 0}).strain;
    scene.strain_limiting.measure = "components";
    EXPECT_NEAR(excess({0, 0}).strain, 0.15, 0.02) << "along warp and weft";
    EXPECT_GT(principal, excess({0, 0}).strain + 0.1);
    scene.strain_limiting = {};
    scene.strain_limiting.type = "edge_velocity";
    pull(0.25, 0.25);
    EXPECT_NEAR(excess({0, 0}).strain, 0.15, 1e-12);
    scene.strain_limiting.type = "none";
    EXPECT_EQ(excess({0, 0}).strain, 0) << "nothing is limited";
}

TEST_F(LimitAudit, a_summary_has_the_worst_frame_and_counts_those_beyond_the_tolerance)
{
    LimitSummary summary;
    for (const auto& [frame, strain] : {std::pair{3, 0.01}, {4, 0.03}, {5, 0.3}, {6, 0.02}})
        summary.add(frame, {strain, 1, "sheet", 7});
    EXPECT_EQ(summary.frames_beyond, 2);
    EXPECT_EQ(summary.first_beyond, 4);
    EXPECT_EQ(summary.worst_frame, 5);
}

} // namespace
} // namespace pleat
