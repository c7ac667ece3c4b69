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
