// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/model/camera.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>

namespace pleat {
namespace {

using testing::ElementsAre;

/// At the origin, looking along +x, z up; a frame of 90 by 90 degrees.
CameraView square_view(double near = 1, double far = 10)
{
    return {{0, 0, 0}, {1, 0, 0}, {0, 0, 1}, std::numbers::pi / 2, 1, near, far};
}

CameraTrack track_of(std::vector<CameraKey> keys)
{
    CameraTrack track;
    track.keys = std::move(keys);
    return track;
}

TEST(Camera, moves_smoothly_between_keys_and_rests_outside)
{
    const CameraTrack track = track_of({{1, {0, 0, 0}, {1, 0, 0}, {0, 0, 1}, 0.5, {}},
                                        {2, {0, 2, 0}, {1, 2, 0}, {0, 0, 1}, 0.7, {}},
                                        {3, {0, 4, 0}, {1, 4, 0}, {0, 0, 1}, 0.9, {}}});
    EXPECT_EQ(camera_at(track, 0).eye, (Vec3{0, 0, 0}));
    EXPECT_EQ(camera_at(track, 2).eye, (Vec3{0, 2, 0}));
    EXPECT_EQ(camera_at(track, 9).target, (Vec3{1, 4, 0}));
    EXPECT_NEAR(camera_at(track, 9).fov, 0.9, 1e-15);
    // Slope 2 m/s at the middle key, at rest at the ends.
    const double h = 1e-6;
    EXPECT_NEAR((camera_at(track, 2 + h).eye[1] - camera_at(track, 2 - h).eye[1]) / (2 * h), 2,
                1e-5);
    EXPECT_NEAR((camera_at(track, 1 + h).eye[1] - camera_at(track, 1).eye[1]) / h, 0, 1e-5);
}

TEST(Camera, has_the_velocity_that_a_key_gives)
{
    CameraTrack track = track_of({{0, {0, 0, 0}, {1, 0, 0}, {0, 0, 1}, 0.5, {}},
                                  {1, {0, 1, 0}, {1, 1, 0}, {0, 0, 1}, 0.5, {}}});
    track.keys[0].velocity = CameraRate{{0, 3, 0}, {0, 0, 2}, 0.1};
    const double h = 1e-7;
    const CameraView a = camera_at(track, 0), b = camera_at(track, h);
    EXPECT_NEAR((b.eye[1] - a.eye[1]) / h, 3, 1e-5);
    EXPECT_NEAR((b.target[2] - a.target[2]) / h, 2, 1e-5);
    EXPECT_NEAR((b.fov - a.fov) / h, 0.1, 1e-5);
}

TEST(Camera, jumps_at_a_cut_and_shots_do_not_see_each_other)
{
    const CameraTrack track = track_of({{0, {0, 0, 0}, {1, 0, 0}, {0, 0, 1}, 0.5, {}},
                                        {1, {0, 1, 0}, {1, 1, 0}, {0, 0, 1}, 0.5, {}},
                                        {1, {50, 0, 0}, {0, 0, 0}, {0, 0, 1}, 0.2, {}},
                                        {2, {50, 0, 0}, {0, 0, 0}, {0, 0, 1}, 0.3, {}}});
    EXPECT_NEAR(camera_at(track, 1 - 1e-9).eye[1], 1, 1e-8);
    EXPECT_NEAR(camera_at(track, 1 - 1e-9).eye[0], 0, 1e-8);
    EXPECT_EQ(camera_at(track, 1).eye, (Vec3{50, 0, 0}));
    for (double t = 0; t < 1; t += 0.05) EXPECT_EQ(camera_at(track, t).eye[0], 0);
    EXPECT_THAT(cuts_between(track, 0, 2), ElementsAre(1));
    EXPECT_TRUE(cuts_between(track, 1, 2).empty()); // it has happened
    EXPECT_TRUE(cuts_between(track, 0, 1).empty());
}

TEST(Camera, is_carried_by_its_motion)
{
    CameraTrack track = track_of({{0, {1, 0, 0}, {2, 0, 0}, {0, 0, 1}, 0.5, {}}});
    track.motion.keys = {
        {0, {{0, 0, 5}, rotation_about({0, 0, 1}, std::numbers::pi / 2), 1}, std::nullopt}};
    const CameraView view = camera_at(track, 3);
    EXPECT_LT(norm(view.eye - Vec3{0, 1, 5}), 1e-12);
    EXPECT_LT(norm(view.target - Vec3{0, 2, 5}), 1e-12);
}

TEST(Frustum, has_points_of_the_picture_at_their_places)
{
    const Frustum f = frustum_of(square_view());
    // +y is to the left of someone who looks along +x with z up.
    EXPECT_LT(norm(projected(f, {4, -4, 0}) - Vec2{0.5, 0}), 1e-12);
    EXPECT_LT(norm(projected(f, {4, 0, 4}) - Vec2{0, 0.5}), 1e-12);
    EXPECT_EQ(depth_of(f, {4, 7, -9}), 4);
}

TEST(Frustum, is_zero_away_from_triangles_that_reach_into_it)
{
    const Frustum f = frustum_of(square_view());
    const auto distance = [&](const Vec3& a, const Vec3& b, const Vec3& c) {
        return distance_from(f, {a, b, c}, 100);
    };
    EXPECT_EQ(distance({2, 0, 0}, {3, 0, 0}, {2, 1, 0}), 0); // inside
    EXPECT_EQ(distance({2, 0, 0}, {2, 9, 0}, {2, 9, 1}), 0); // one corner
    EXPECT_EQ(distance({5, -90, 0}, {5, 90, -90}, {5, 90, 90}),
              0); // all corners outside, but across
    EXPECT_EQ(distance({5, -90, 0}, {5, 90, 0}, {5, 90, 0.1}), 0);                // a needle across
    EXPECT_NEAR(distance({0.5, 0, 0}, {0.5, 0.1, 0}, {0.5, 0, 0.1}), 0.5, 1e-12); // too near
    EXPECT_NEAR(distance({12, 0, 0}, {12, 1, 0}, {13, 0, 1}), 2, 1e-12);          // too far
    EXPECT_NEAR(distance({4, 6, 0}, {4, 6, 0.1}, {4, 7, 0}), std::sqrt(2.0), 1e-12); // beside
    EXPECT_NEAR(distance({-3, 0, 0}, {-3, 1, 0}, {-3, 0, 1}), 4, 1e-12);             // behind
    EXPECT_EQ(distance_from(f, {Vec3{-3, 0, 0}, {-3, 1, 0}, {-3, 0, 1}}, 0.4), 0.4);
}

TEST(Frustum, is_as_far_from_triangles_as_a_search_over_both_finds)
{
    // The nearest of many points of the triangle, each to the volume by projections onto its planes
    // (Dykstra), which converge to the nearest point of a convex set.
    const Frustum f =
        frustum_of({{0.3, -0.2, 0.1}, {1.3, 0.4, 0.3}, {0.1, 0, 1}, 0.8, 1.5, 0.5, 4});
    const auto to_volume = [&](const Vec3& from) {
        Vec3 p = from;
        std::array<Vec3, 6> carried{};
        for (int round = 0; round < 2000; ++round)
            for (std::size_t k = 0; k < 6; ++k) {
                const Vec3 q = p + carried[k];
                p = q - std::max(0.0, f.planes[k].height(q)) * f.planes[k].normal;
                carried[k] = q - p;
            }
        return norm(p - from);
    };
    std::mt19937 random(7);
    std::uniform_real_distribution<double> real(-4, 4);
    int apart = 0;
    for (int i = 0; i < 60; ++i) {
        const Vec3 middle{real(random), real(random), real(random)};
        std::array<Vec3, 3> t{};
        for (Vec3& p : t) p = middle + 0.2 * Vec3{real(random), real(random), real(random)};
        double found = 1e9;
        constexpr int cells = 12;
        for (int a = 0; a <= cells; ++a)
            for (int b = 0; a + b <= cells; ++b)
                found = std::min(found, to_volume((double(a) * t[0] + double(b) * t[1] +
                                                   double(cells - a - b) * t[2]) /
                                                  cells));
        const double d = distance_from(f, t, 100);
        EXPECT_LE(d, found + 1e-6);
        const double spacing =
            std::max({norm(t[0] - t[1]), norm(t[1] - t[2]), norm(t[2] - t[0])}) / cells;
        EXPECT_GE(d, found - spacing - 1e-6);
        apart += d > 0;
    }
    EXPECT_GT(apart, 20);
}

TEST(Frustum, has_faces_towards_it_and_away_from_it)
{
    const Frustum f = frustum_of(square_view());
    const std::array<Vec3, 3> towards{Vec3{3, 0, 0}, {3, 0, 1}, {3, 1, 0}};
    EXPECT_TRUE(is_facing(f, towards));
    EXPECT_FALSE(is_facing(f, {towards[0], towards[2], towards[1]}));
}

} // namespace
} // namespace pleat
