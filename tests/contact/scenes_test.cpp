// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Whole scenes of contact: free of intersections in every frame that is audited, with nothing given
// up. Small ones always, full ones as "Long".
#include "contact/shapes.hpp"
#include "contact/stage.hpp"
#include "pleat/core/parallel.hpp"
#include "pleat/scene/material_file.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace pleat::test {
namespace {

constexpr double pi = std::numbers::pi;

std::size_t cells(double size, double count)
{
    return static_cast<std::size_t>(std::lround(size * count));
}

void expect_clean(const Outcome& o)
{
    EXPECT_TRUE(o.ok) << o.trouble;
    EXPECT_EQ(o.intersections, 0u);
    EXPECT_EQ(o.unresolved, 0u);
    EXPECT_LT(o.top_speed, 60) << "something exploded";
    EXPECT_LT(o.max_stretch, 3) << "something exploded";
}

Motion turning(const Vec3& axis, double angle, double seconds, const Vec3& shift)
{
    Motion motion;
    const int steps = static_cast<int>(std::ceil(std::abs(angle) / (pi / 6)));
    for (int i = 0; i <= steps; ++i)
        motion.keys.push_back(
            {seconds * i / steps,
             {shift * (double(i) / steps), rotation_about(axis, angle * i / steps), 1}});
    return motion;
}

/// \param size 1 is about 20k faces
void sheet_over_moving_sphere(double size, double seconds)
{
    const std::size_t n = cells(size, 100);
    Stage stage = make_stage({{n, n, 1, 1,
                               [](const Vec2& u) {
                                   return Vec3{u[0] - 0.5, 0, u[1]};
                               }}},
                             fabric("gray-interlock"), {});
    stage.hold([](const Vec3& x) { return x[2] > 0.999 && std::abs(x[0]) > 0.499; });
    Obstacle ball = sphere(0.2, 12);
    ball.motion =
        slide({{0, {0.03, 0.25, 0.45}}, {0.5, {0.03, -0.3, 0.45}}, {1, {0.03, 0.3, 0.45}}});
    stage.world.obstacles.push_back(ball);
    const Outcome o = play(stage, seconds);
    expect_clean(o);
    double farthest = 0; // a sheet that no ball touches hangs at y = 0
    for (const Vec3& x : stage.sim.state.x) farthest = std::max(farthest, std::abs(x[1]));
    EXPECT_GT(farthest, 0.05);
}

void sheet_on_box(double size, double seconds)
{
    const std::size_t n = cells(size, 100);
    Stage stage = make_stage({{n, n, 0.6, 0.6,
                               [](const Vec2& u) {
                                   return Vec3{u[0] - 0.3, u[1] - 0.3, 0.32};
                               }}},
                             fabric("gray-interlock"), {});
    Obstacle block = box({-0.12, -0.1, 0}, {0.12, 0.1, 0.3});
    for (Vec3& p : block.x) p = rotate(rotation_about({0, 0, 1}, 0.35), p);
    stage.world.obstacles = {block, floor_at(0)};
    expect_clean(play(stage, seconds));
}

void sheet_on_needle(double size, double seconds)
{
    const std::size_t n = cells(size, 100);
    Stage stage = make_stage({{n, n, 0.4, 0.4,
                               [](const Vec2& u) {
                                   return Vec3{u[0] - 0.213, u[1] - 0.187, 0.33};
                               }}},
                             fabric("11oz-black-denim"), {.friction = 0.5});
    stage.world.obstacles = {needle(0.02, 0.3, 10), floor_at(-0.01)};
    expect_clean(play(stage, seconds));
}

void stack_is_pressed(double size, double seconds)
{
    constexpr double gap = 0.012, length = 0.8;
    constexpr std::size_t layers = 8;
    constexpr double turn = pi * gap / 2, run = (length - turn * (layers - 1)) / layers;
    Stage stage = make_stage({{cells(size, 400), cells(size, 50), length, 0.1,
                               [&](const Vec2& u) {
                                   const auto layer =
                                       std::min(std::size_t(u[0] / (run + turn)), layers - 1);
                                   const double along = u[0] - double(layer) * (run + turn);
                                   double x = std::min(along, run), z = gap * double(layer);
                                   if (along > run) {
                                       const double a = (along - run) / (gap / 2);
                                       x += gap / 2 * std::sin(a);
                                       z += gap / 2 * (1 - std::cos(a));
                                   }
                                   return Vec3{layer % 2 == 1 ? run - x : x, u[1], z + 0.01};
                               }}},
                             fabric("gray-interlock"), {.thickness = 0.004});
    Obstacle press = box({-0.1, -0.1, 0}, {0.2, 0.2, 0.05});
    press.motion =
        slide({{0, {0, 0, 0.13}}, {0.35, {0, 0, 0.02}}, {0.5, {0, 0, 0.02}}, {0.7, {0, 0, 0.15}}});
    stage.world.obstacles = {press, floor_at(0)};
    expect_clean(play(stage, seconds));
}

void sheet_is_twisted(double size, double seconds)
{
    Stage stage = make_stage({{cells(size, 240), cells(size, 60), 0.48, 0.12,
                               [](const Vec2& u) {
                                   return Vec3{0.24 - u[0], u[1] - 0.06, 0};
                               }}},
                             fabric("gray-interlock"), {.thickness = 0.003, .friction = 0.2});
    stage.world.gravity = {};
    // Four turns between the ends, two each; the ends come nearer as the cloth shortens.
    stage.hold([](const Vec3& x) { return x[0] < -0.2399; },
               turning({1, 0, 0}, 4 * pi, seconds, {0.03, 0, 0}));
    stage.hold([](const Vec3& x) { return x[0] > 0.2399; },
               turning({1, 0, 0}, -4 * pi, seconds, {-0.03, 0, 0}));
    expect_clean(play(stage, seconds));
}

void sheet_goes_through_funnel(double size, double seconds)
{
    const std::size_t n = cells(size, 100);
    Stage stage = make_stage({{n, n, 0.4, 0.4,
                               [](const Vec2& u) {
                                   return Vec3{u[0] - 0.2, u[1] - 0.2, 0.31};
                               }}},
                             fabric("gray-interlock"), {.friction = 0.05});
    Obstacle ball = sphere(0.03, 6);
    ball.motion = slide({{0, {0, 0, 0.36}}, {seconds, {0, 0, -0.3}}});
    stage.world.obstacles = {funnel(0.06, 0.3, 0.3, 0.1, 24), ball};
    expect_clean(play(stage, seconds));
}

void sheets_make_a_pile(double size, double seconds)
{
    const std::size_t n = cells(size, 32);
    std::vector<SheetPlan> sheets;
    for (int k = 0; k < 10; ++k)
        sheets.push_back(
            {n, n, 0.3, 0.3, [k](const Vec2& u) {
                 const Vec3 p{u[0] - 0.15, u[1] - 0.15, 0};
                 return rotate(rotation_about({0, 0, 1}, 0.7 * k), p) + Vec3{0, 0, 0.07 + 0.02 * k};
             }});
    Stage stage = make_stage(sheets, fabric("gray-interlock"), {});
    stage.world.obstacles = {box({-0.06, -0.06, 0}, {0.06, 0.06, 0.05}), floor_at(0)};
    expect_clean(play(stage, seconds));
}

double lowest(const Stage& stage)
{
    double z = 0;
    for (const Vec3& x : stage.sim.state.x) z = std::min(z, x[2]);
    return z;
}

Outcome sheet_goes_between_rollers(double size, double seconds)
{
    Stage stage = make_stage({{cells(size, 40), cells(size, 130), 0.12, 0.4,
                               [](const Vec2& u) {
                                   return Vec3{u[0] - 0.06, 0, u[1] - 0.36};
                               }}},
                             fabric("gray-interlock"), {});
    for (const double side : {-1.0, 1.0}) {
        Obstacle roller = cylinder(0.04, 0.2, 32);
        for (Vec3& p : roller.x) p = rotate(rotation_about({1, 0, 0}, pi / 64), p);
        // 0.5 mm of room between the facets, less than two separations. The nip goes up.
        roller.motion = turning({1, 0, 0}, -side * 2 * pi * seconds, seconds, {});
        for (MotionKey& key : roller.motion.keys) key.transform.translate = {0, side * 0.04025, 0};
        roller.friction = 0.8;
        stage.world.obstacles.push_back(roller);
    }
    const double before = lowest(stage);
    const Outcome o = play(stage, seconds);
    // A quarter of a metre a second at the nip, and the sheet goes along.
    EXPECT_NEAR(lowest(stage), before + 0.25 * seconds, 0.1 * 0.25 * seconds);
    return o;
}

void plate_hits_sheet(double size, double seconds)
{
    const std::size_t n = cells(size, 100);
    Stage stage = make_stage({{n, n, 0.6, 0.6,
                               [](const Vec2& u) {
                                   return Vec3{u[0] - 0.3, 0, u[1] - 0.3};
                               }}},
                             fabric("11oz-black-denim"), {});
    stage.hold([](const Vec3& x) { return x[2] > 0.2999; });
    Obstacle plate = box({-0.1, 0, -0.12}, {0.1, 0.02, 0.12});
    // 0.5 m in 25 ms: 20 m/s.
    plate.motion = slide(
        {{0, {0, -0.4, 0}}, {0.01, {0, -0.3, 0}}, {0.035, {0, 0.2, 0}}, {0.06, {0, 0.25, 0}}});
    stage.world.obstacles = {plate};
    // The plate goes by about an edge length a step.
    const Outcome o = play(stage, seconds, 0.0003 / size, 1);
    expect_clean(o);
    EXPECT_GT(o.impacts, 0u);
}

TEST(ContactScenes, sheet_over_a_moving_sphere_is_free_of_intersections)
{
    sheet_over_moving_sphere(0.25, 0.8);
}
TEST(ContactScenes, sheet_dropped_on_a_sharp_box_is_free_of_intersections)
{
    sheet_on_box(0.24, 0.6);
}
TEST(ContactScenes, sheet_dropped_on_a_needle_is_free_of_intersections)
{
    sheet_on_needle(0.22, 0.5);
}
TEST(ContactScenes, folded_stack_can_be_pressed)
{
    stack_is_pressed(0.2, 0.5);
}
TEST(ContactScenes, sheet_can_be_twisted_through_four_turns)
{
    sheet_is_twisted(0.25, 1.2);
}
TEST(ContactScenes, sheet_goes_through_a_funnel)
{
    sheet_goes_through_funnel(0.2, 1);
}
TEST(ContactScenes, ten_sheets_make_a_pile)
{
    sheets_make_a_pile(0.25, 0.6);
}
TEST(ContactScenes, sheet_between_rollers_is_flagged_as_pinched_and_does_not_explode)
{
    const Outcome o = sheet_goes_between_rollers(0.25, 0.5);
    expect_clean(o);
    EXPECT_GT(o.pinched, 0u);
}
TEST(ContactScenes, spatial_hash_does_as_well_as_the_tree)
{
    Stage stage = make_stage({{20, 20, 0.5, 0.5,
                               [](const Vec2& u) {
                                   return Vec3{u[0] - 0.25, u[1] - 0.25, 0.22};
                               }}},
                             fabric("gray-interlock"), {.broad_phase = BroadPhase::spatial_hash});
    stage.world.obstacles = {box({-0.1, -0.08, 0}, {0.1, 0.08, 0.2}), floor_at(0)};
    expect_clean(play(stage, 0.5));
}
TEST(ContactScenes, plate_at_20_metres_a_second_does_not_pass_through_a_sheet)
{
    plate_hits_sheet(0.24, 0.1);
}

TEST(ContactScenesLong, sheet_over_a_moving_sphere_is_free_of_intersections)
{
    sheet_over_moving_sphere(1, 1.5);
}
TEST(ContactScenesLong, sheet_dropped_on_a_sharp_box_is_free_of_intersections)
{
    sheet_on_box(1, 1);
}
TEST(ContactScenesLong, sheet_dropped_on_a_needle_is_free_of_intersections)
{
    sheet_on_needle(1, 0.8);
}
TEST(ContactScenesLong, folded_stack_can_be_pressed)
{
    stack_is_pressed(0.75, 0.8);
}
TEST(ContactScenesLong, sheet_can_be_twisted_through_four_turns)
{
    sheet_is_twisted(1, 2);
}
TEST(ContactScenesLong, sheet_goes_through_a_funnel)
{
    sheet_goes_through_funnel(1, 1.2);
}
TEST(ContactScenesLong, ten_sheets_make_a_pile)
{
    sheets_make_a_pile(1, 1);
}
TEST(ContactScenesLong, sheet_between_rollers_is_flagged_as_pinched_and_does_not_explode)
{
    const Outcome o = sheet_goes_between_rollers(1.4, 0.8);
    expect_clean(o);
    EXPECT_GT(o.pinched, 0u);
}
TEST(ContactScenesLong, plate_at_20_metres_a_second_does_not_pass_through_a_sheet)
{
    plate_hits_sheet(1, 0.1);
}

} // namespace
} // namespace pleat::test
