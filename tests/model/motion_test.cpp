// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/model/motion.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace pleat {
namespace {

void expect_near(const Vec3& a, const Vec3& b, double tolerance = 1e-14)
{
    for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(a[k], b[k], tolerance);
}

TEST(Transform, turns_then_scales_then_moves)
{
    const Transform t{{1, 2, 3}, rotation_about({0, 0, 2}, std::numbers::pi / 2), 2};
    expect_near(apply(t, {1, 0, 0}), {1, 4, 3});
    expect_near(apply(inverse(t), apply(t, {0.3, -0.7, 5})), {0.3, -0.7, 5});
    const Transform s{{0, 1, 0}, rotation_about({1, 1, 0}, 0.4), 0.5};
    expect_near(apply(t * s, {1, 2, 3}), apply(t, apply(s, {1, 2, 3})));
}

Motion slide()
{
    return {{{0, {{0, 0, 0}, {}, 1}}, {1, {{1, 0, 0}, {}, 1}}, {3, {{2, 0, 0}, {}, 1}}}};
}

TEST(Motion, passes_through_its_keys_and_rests_outside)
{
    const Motion m = slide();
    for (const MotionKey& k : m.keys) EXPECT_EQ(transform_at(m, k.time), k.transform);
    EXPECT_EQ(transform_at(m, -5), m.keys.front().transform);
    EXPECT_EQ(transform_at(m, 9), m.keys.back().transform);
    EXPECT_EQ(transform_at({}, 1), Transform{});
}

TEST(Motion, velocity_is_continuous_central_inside_and_zero_at_the_ends)
{
    const Motion m = slide();
    const auto velocity = [&](double t, double side) {
        constexpr double h = 1e-6;
        return (transform_at(m, t + side * h).translate[0] - transform_at(m, t).translate[0]) /
               (side * h);
    };
    EXPECT_NEAR(velocity(1, +1), 2.0 / 3, 1e-5); // (2 - 0) / (3 - 0)
    EXPECT_NEAR(velocity(1, -1), 2.0 / 3, 1e-5);
    EXPECT_NEAR(velocity(0, +1), 0, 1e-5);
    EXPECT_NEAR(velocity(3, -1), 0, 1e-5);
}

TEST(Motion, takes_the_velocity_of_a_key_where_it_has_one)
{
    Motion m = slide();
    const TransformRate rate{{0, 2, 0}, {0, 0, 3}, -0.5};
    for (MotionKey& k : m.keys) k.velocity = rate;
    const auto change = [&](double t, double side) {
        constexpr double h = 1e-6;
        const Transform a = transform_at(m, t), b = transform_at(m, t + side * h);
        const Vec3 from = rotate(a.rotation, {1, 0, 0}), to = rotate(b.rotation, {1, 0, 0});
        expect_near((b.translate - a.translate) / (side * h), {0, 2, 0}, 1e-4);
        expect_near((to - from) / (side * h), {0, 3, 0}, 1e-4);
        EXPECT_NEAR((b.scale - a.scale) / (side * h), -0.5, 1e-4);
    };
    change(0, +1); // the ends are not at rest then
    change(1, -1);
    change(1, +1);
    change(3, -1);
    for (const MotionKey& k : m.keys) EXPECT_EQ(transform_at(m, k.time), k.transform);
}

TEST(Motion, with_velocity_zero_at_two_equal_keys_stays_between_them)
{
    Motion m = slide();
    m.keys.push_back({4, m.keys.back().transform});
    m.keys.push_back({5, {}});
    EXPECT_GT(transform_at(m, 3.5).translate[0], 2.1) << "central differences overshoot";
    m.keys[2].velocity = m.keys[3].velocity = TransformRate{};
    EXPECT_EQ(transform_at(m, 3.5).translate[0], 2);
}

TEST(Motion, turns_the_short_way)
{
    Rotation far = rotation_about({0, 0, 1}, 0.4);
    far = {-far.w, -far.x, -far.y, -far.z}; // the same rotation
    const Motion m{{{0, {}}, {1, {{}, far, 1}}}};
    const Vec3 half = rotate(transform_at(m, 0.5).rotation, {1, 0, 0});
    EXPECT_NEAR(std::atan2(half[1], half[0]), 0.2, 1e-3);
    EXPECT_NEAR(norm(half), 1, 1e-14);
}

} // namespace
} // namespace pleat
