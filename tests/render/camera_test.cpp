// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/render/camera.hpp"

#include "pleat/core/error.hpp"
#include "render/shapes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <numbers>

namespace pleat {
namespace {

constexpr double pi = std::numbers::pi;

/// The part of the picture that the points take: -1 and 1 are its edges.
struct Reach {
    double left = 1e9, right = -1e9, bottom = 1e9, top = -1e9;
    bool is_behind = false;

    [[nodiscard]] bool inside() const
    {
        return !is_behind && left > -1 && right < 1 && bottom > -1 && top < 1;
    }
    [[nodiscard]] double filled() const { return 0.5 * std::max(right - left, top - bottom); }
};

Reach reach(const Camera& camera, double aspect, const RenderMesh& mesh)
{
    const CameraAxes axes = camera_axes(camera);
    const double tan_y = std::tan(0.5 * camera.vertical_fov);
    Reach r;
    for (const Vec3& point : mesh.positions) {
        const Vec3 d = point - camera.eye;
        const double depth = dot(d, axes.forward);
        if (depth <= 0) r.is_behind = true;
        const double x = dot(d, axes.right) / (depth * tan_y * aspect);
        const double y = dot(d, axes.up) / (depth * tan_y);
        r.left = std::min(r.left, x);
        r.right = std::max(r.right, x);
        r.bottom = std::min(r.bottom, y);
        r.top = std::max(r.top, y);
    }
    return r;
}

/// A sheet that is neither flat nor centred.
RenderMesh bent_sheet()
{
    RenderMesh mesh = sheet({3, -7, 2}, 1.5, 12);
    for (Vec3& x : mesh.positions) x[2] += 0.4 * std::sin(3 * x[0]) * x[1];
    return mesh;
}

TEST(FitCamera, keeps_all_cloth_in_frame_and_fills_it_from_any_side)
{
    const std::vector<RenderMesh> meshes{bent_sheet()};
    for (const Vec3& up : {Vec3{0, 0, 1}, Vec3{0, 1, 0}, Vec3{1, 0, 0}})
        for (const double aspect : {0.5, 4.0 / 3, 2.4})
            for (const double azimuth : {0.0, 1.0, -2.5})
                for (const double elevation : {0.0, 0.4, 1.2, pi / 2, -0.5}) {
                    const Camera camera = fit_camera(meshes, up, aspect, azimuth, elevation);
                    const Reach r = reach(camera, aspect, meshes[0]);
                    EXPECT_TRUE(r.inside()) << aspect << ' ' << azimuth << ' ' << elevation;
                    EXPECT_GT(r.filled(), 0.9) << aspect << ' ' << azimuth << ' ' << elevation;
                    EXPECT_NEAR(r.left, -r.right, 1e-3);
                    EXPECT_NEAR(r.bottom, -r.top, 1e-3);
                }
}

TEST(FitCamera, a_floor_does_not_make_the_cloth_small)
{
    const RenderMesh cloth = bent_sheet();
    const std::vector<RenderMesh> meshes{cloth, box({-200, -200, -1}, {200, 200, 0})};
    const Camera camera = fit_camera(meshes, {0, 0, 1}, 1.5, 0.3, 0.4);
    EXPECT_TRUE(reach(camera, 1.5, cloth).inside());
    EXPECT_GT(reach(camera, 1.5, cloth).filled(), 0.6);
}

TEST(FitCamera, an_obstacle_of_the_cloths_size_is_framed_too)
{
    const RenderMesh cloth = sheet({0, 0, 0}, 1, 4);
    const RenderMesh ball = sphere({1.5, 0.5, 0}, 0.5, 10, false);
    const Camera camera = fit_camera(std::vector{cloth, ball}, {0, 0, 1}, 1.5, 0.3, 0.4);
    EXPECT_TRUE(reach(camera, 1.5, cloth).inside());
    EXPECT_TRUE(reach(camera, 1.5, ball).inside());
}

TEST(FitCamera, azimuth_zero_has_x_to_the_right_and_up_upwards)
{
    const std::vector<RenderMesh> meshes{bent_sheet()};
    for (const Vec3& up : {Vec3{0, 0, 1}, Vec3{0, 1, 0}}) {
        const CameraAxes axes = camera_axes(fit_camera(meshes, up, 1, 0, 0));
        EXPECT_LT(norm(axes.right - Vec3{1, 0, 0}), 1e-12);
        EXPECT_LT(norm(axes.up - up), 1e-12);
    }
    // A quarter turn counter-clockwise brings the eye to the +x side.
    const CameraAxes axes = camera_axes(fit_camera(meshes, {0, 0, 1}, 1, pi / 2, 0));
    EXPECT_LT(norm(axes.forward - Vec3{-1, 0, 0}), 1e-12);
}

TEST(FitCamera, a_single_point_and_nothing_at_all_give_usable_cameras)
{
    RenderMesh point;
    point.positions = {{5, 5, 5}};
    point.triangles = {{0, 0, 0}};
    const Camera camera = fit_camera(std::vector{point}, {0, 0, 1}, 1, 0, 0.3);
    EXPECT_TRUE(reach(camera, 1, point).inside());
    EXPECT_NO_THROW((void)camera_axes(fit_camera({}, {0, 0, 1}, 1, 0, 0.3)));
}

TEST(FitCamera, positions_without_a_triangle_do_not_count)
{
    RenderMesh cloth = bent_sheet();
    const Camera expected = fit_camera(std::vector{cloth}, {0, 0, 1}, 1, 0.2, 0.3);
    cloth.positions.push_back({1000, 1000, 1000});
    EXPECT_EQ(fit_camera(std::vector{cloth}, {0, 0, 1}, 1, 0.2, 0.3).eye, expected.eye);
}

TEST(CameraAxes, are_a_right_handed_frame)
{
    const CameraAxes axes = camera_axes({{1, 2, 3}, {4, -1, 0}, {0, 0, 1}, 0.5});
    EXPECT_NEAR(dot(axes.right, axes.up), 0, 1e-12);
    EXPECT_NEAR(dot(axes.right, axes.forward), 0, 1e-12);
    EXPECT_LT(norm(cross(axes.right, axes.up) + axes.forward), 1e-12);
    EXPECT_GT(axes.up[2], 0);
}

TEST(CameraAxes, a_camera_that_sees_nothing_throws)
{
    EXPECT_THROW((void)camera_axes({{1, 2, 3}, {1, 2, 3}, {0, 0, 1}, 0.5}), InputError);
    EXPECT_THROW((void)camera_axes({{0, 0, 0}, {1, 2, 3}, {0, 0, 1}, 0.0}), InputError);
    const double nan = std::numeric_limits<double>::quiet_NaN();
    EXPECT_THROW((void)camera_axes({{nan, 0, 0}, {1, 2, 3}, {0, 0, 1}, 0.5}), InputError);
}

TEST(CameraAxes, looking_along_up_still_gives_a_frame)
{
    const CameraAxes axes = camera_axes({{0, 0, 5}, {0, 0, 0}, {0, 0, 1}, 0.5});
    EXPECT_NEAR(norm(axes.up), 1, 1e-12);
    EXPECT_NEAR(norm(axes.right), 1, 1e-12);
}

} // namespace
} // namespace pleat
