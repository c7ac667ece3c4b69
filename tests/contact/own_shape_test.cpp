// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// A shape of obstacle that Pleat does not have: points with triangles or planes, and no part has to
// know of it.
#include "contact/stage.hpp"
#include "pleat/model/world.hpp"
#include "pleat/remeshing/obstacle_tree.hpp"
#include "pleat/scene/material_file.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace pleat {
namespace {

/// A pyramid with many sides, point up.
Obstacle make_cone(const Vec3& top, double radius, double height, std::uint32_t sides)
{
    Obstacle o;
    o.name = "cone";
    o.x = {top, top - Vec3{0, 0, height}};
    for (std::uint32_t i = 0; i < sides; ++i) {
        const double turn = 2 * std::numbers::pi * i / sides;
        o.x.push_back(o.x[1] + radius * Vec3{std::cos(turn), std::sin(turn), 0});
        const std::uint32_t a = 2 + i, b = 2 + (i + 1) % sides;
        o.faces.push_back({0, a, b});
        o.faces.push_back({1, b, a});
    }
    return o;
}

/// A valley between two infinite slopes that meet in the y axis.
Obstacle make_valley(double slope)
{
    Obstacle o;
    o.name = "valley";
    o.x = {{0, -1, 0}, {0, 1, 0}, {-1, 0, slope}, {1, 0, slope}};
    o.faces = {{0, 1, 2}, {1, 0, 3}};
    o.planes = o.faces;
    return o;
}

TEST(OwnShape, of_triangles_carries_cloth_without_crossings)
{
    test::SheetPlan sheet;
    sheet.columns = sheet.rows = 12;
    sheet.width = sheet.height = 0.6;
    sheet.place = [](const Vec2& u) { return Vec3{u[0] - 0.31, u[1] - 0.29, 0.02}; };
    test::Stage stage =
        test::make_stage({sheet}, fabric("gray-interlock"), {.thickness = 0.005, .friction = 0.6});
    stage.world.obstacles = {make_cone({0, 0, 0}, 0.3, 0.3, 24)};
    const test::Outcome outcome = test::play(stage, 0.4);
    EXPECT_TRUE(outcome.ok) << outcome.trouble;
    EXPECT_EQ(outcome.intersections, 0u);
    EXPECT_GT(outcome.impacts, 0u);
    double highest = -1; // the top holds the cloth up
    for (const Vec3& x : stage.sim.state.x.values) highest = std::max(highest, x[2]);
    EXPECT_GT(highest, -0.03);
}

TEST(OwnShape, of_planes_goes_on_beyond_its_faces)
{
    test::SheetPlan sheet;
    sheet.width = sheet.height = 0.3;
    sheet.place = [](const Vec2& u) { return Vec3{u[0] - 0.15, u[1] + 50, 0.2}; };
    test::Stage stage = test::make_stage({sheet}, fabric("gray-interlock"), {});
    stage.world.obstacles = {make_valley(1)};
    const test::Outcome outcome = test::play(stage, 0.5);
    EXPECT_TRUE(outcome.ok) << outcome.trouble;
    EXPECT_EQ(outcome.intersections, 0u);
    double lowest = 1;
    for (const Vec3& x : stage.sim.state.x.values) {
        EXPECT_GT(x[2], std::abs(x[0]));
        lowest = std::min(lowest, x[2]);
    }
    EXPECT_LT(lowest, 0.1) << "it has fallen";

    const ObstacleTree tree(stage.world, 0);
    const auto nearest = tree.nearest({-50, 0, 51}, 2);
    ASSERT_TRUE(nearest.has_value());
    EXPECT_NEAR(norm(*nearest - Vec3{-50.5, 0, 50.5}), 0, 1e-12);
}

} // namespace
} // namespace pleat
