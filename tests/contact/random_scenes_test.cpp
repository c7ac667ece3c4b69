// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Random sheets thrown at random obstacles and at one another.
#include "contact/dice.hpp"
#include "contact/shapes.hpp"
#include "contact/stage.hpp"
#include "pleat/scene/material_file.hpp"

#include <gtest/gtest.h>

#include <numbers>

namespace pleat::test {
namespace {

Obstacle random_obstacle(Dice& dice)
{
    switch (dice.below(5)) {
    case 0:
        return sphere(dice.between(0.05, 0.12), 3 + std::uint32_t(dice.below(8)));
    case 1:
        return box(Vec3{-1, -1, -1} * dice.between(0.03, 0.08),
                   {dice.between(0.03, 0.1), dice.between(0.03, 0.1), dice.between(0.03, 0.1)});
    case 2:
        return needle(dice.between(0.005, 0.05), 0.12, 3 + std::uint32_t(dice.below(10)));
    case 3:
        return cylinder(dice.between(0.01, 0.08), 0.2, 3 + std::uint32_t(dice.below(20)));
    default:
        return funnel(dice.between(0.02, 0.06), 0.12, 0, dice.between(-0.05, 0.05), 16);
    }
}

/// Two to four sheets fly to the middle, where an obstacle turns; a floor is below.
void play_random_scene(unsigned seed, ContactParts parts = ContactParts::impact_zones)
{
    Dice dice(seed);
    const auto fabrics = fabric_names();
    const std::size_t count = 2 + dice.below(3);
    std::vector<SheetPlan> sheets;
    for (std::size_t i = 0; i < count; ++i) {
        // Far enough out that nothing overlaps at the start: within 0.15 m of centres that are
        // 0.35 m apart on a ring around the obstacle.
        const double angle = 2 * std::numbers::pi * double(i) / double(count);
        const Vec3 centre{0.35 * std::cos(angle), 0.35 * std::sin(angle), dice.between(0, 0.1)};
        const Rotation turn = rotation_about(dice.direction(), dice.between(0, 6));
        const double width = dice.between(0.05, 0.2), height = dice.between(0.05, 0.2);
        sheets.push_back(
            {3 + dice.below(14), 3 + dice.below(14), width, height,
             [=](const Vec2& u) {
                 return centre + rotate(turn, {u[0] - width / 2, u[1] - height / 2, 0});
             },
             centre * dice.between(-15, -2)});
    }
    Stage stage = make_stage(
        sheets, fabric(fabrics[dice.below(fabrics.size())]),
        {.thickness = dice.between(0.001, 0.006), .friction = dice.between(0, 0.8)}, parts);
    Obstacle obstacle = random_obstacle(dice);
    const Vec3 axis = dice.direction(), shift = dice.direction() * dice.between(0, 0.1);
    const double speed = dice.between(-10, 10); // [rad/s]
    for (int i = 0; i <= 40; ++i)
        obstacle.motion.keys.push_back(
            {0.02 * i, {shift * (0.02 * i), rotation_about(axis, speed * 0.02 * i), 1}});
    stage.world.obstacles = {obstacle, floor_at(-0.3)};
    const Outcome o = play(stage, 0.5);
    EXPECT_TRUE(o.ok) << o.trouble;
    EXPECT_EQ(o.intersections, 0u);
    EXPECT_EQ(o.unresolved, 0u);
    EXPECT_LT(o.top_speed, 100);
    for (const Vec3& x : stage.sim.state.x) ASSERT_TRUE(is_finite(x));
}

TEST(RandomScenes, twenty_are_free_of_intersections)
{
    for (unsigned seed = 1; seed <= 20; ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        play_random_scene(seed);
    }
}

TEST(RandomScenes, four_with_impulses_are_free_of_intersections)
{
    for (unsigned seed = 1; seed <= 4; ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        play_random_scene(seed, ContactParts::impulses);
    }
}

TEST(RandomScenesLong, fifty_with_impulses_are_free_of_intersections)
{
    for (unsigned seed = 1; seed <= 50; ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        play_random_scene(seed, ContactParts::impulses);
    }
}

TEST(RandomScenesLong, two_hundred_are_free_of_intersections)
{
    for (unsigned seed = 1; seed <= 200; ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        play_random_scene(seed);
    }
}

} // namespace
} // namespace pleat::test
