// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/render/render.hpp"

#include "pleat/core/error.hpp"
#include "pleat/core/parallel.hpp"
#include "render/shapes.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace pleat {
namespace {

using Rgb = std::array<int, 3>;

class Render : public testing::Test {
protected:
    void SetUp() override
    {
        if (!render_available()) GTEST_SKIP() << "built without Embree";
    }
};

RenderOptions small_options()
{
    RenderOptions options;
    options.width = 320;
    options.height = 240;
    return options;
}

Rgb pixel(const Image& image, int x, int y)
{
    const std::size_t at = 3 * (std::size_t(y) * std::size_t(image.width) + std::size_t(x));
    return {image.rgb.at(at), image.rgb.at(at + 1), image.rgb.at(at + 2)};
}

int brightness(const Rgb& c)
{
    return c[0] + c[1] + c[2];
}

Rgb background(const RenderOptions& options)
{
    Rgb c;
    for (std::size_t i = 0; i < 3; ++i) c[i] = int(std::lround(255 * options.background[i]));
    return c;
}

/// Where a world point is in the picture [pixels].
Vec2 projected(const Camera& camera, const RenderOptions& options, const Vec3& x)
{
    const CameraAxes axes = camera_axes(camera);
    const double tan_y = std::tan(0.5 * camera.vertical_fov);
    const double half = 0.5 * options.height / (tan_y * dot(x - camera.eye, axes.forward));
    return {0.5 * options.width + half * dot(x - camera.eye, axes.right),
            0.5 * options.height - half * dot(x - camera.eye, axes.up)};
}

Rgb pixel_at(const Image& image, const Vec2& place)
{
    return pixel(image, int(std::floor(place[0])), int(std::floor(place[1])));
}

/// A ball that floats above the floor, and its camera.
struct BallScene {
    std::vector<RenderMesh> meshes{sphere({0, 0, 1}, 0.5, 40, true)};
    Camera camera{{0, -6, 2.5}, {0, 0, 0.6}, {0, 0, 1}, 0.5};
    RenderOptions options = small_options();

    BallScene()
    {
        meshes[0].base_colour = {0.8, 0.8, 0.8};
        options.ground_height = 0;
    }
};

TEST_F(Render, ball_is_brighter_than_its_shadow_and_the_floor_elsewhere_is_lit)
{
    const BallScene scene;
    const Image image = render(scene.meshes, scene.camera, scene.options);

    // The middle of the shadow: from the ball's centre away from the light, to the floor. The
    // light stands to the left of the camera, in the camera's frame laid on the floor.
    const double az = scene.options.light_azimuth, el = scene.options.light_elevation;
    const Vec3 to_light{std::cos(el) * std::sin(az), -std::cos(el) * std::cos(az), std::sin(el)};
    const Vec3 shadow = Vec3{0, 0, 1} - to_light / to_light[2];
    const Vec3 clear{1.6, -0.8, 0};

    const int ball = brightness(pixel_at(image, projected(scene.camera, scene.options, {0, 0, 1})));
    const int dark = brightness(pixel_at(image, projected(scene.camera, scene.options, shadow)));
    const int lit = brightness(pixel_at(image, projected(scene.camera, scene.options, clear)));
    EXPECT_GT(ball, dark + 60);
    EXPECT_GT(lit, dark + 150);
    EXPECT_GT(lit, brightness(background(scene.options)) - 45);
}

TEST_F(Render, side_towards_the_light_is_brighter)
{
    const BallScene scene;
    const Image image = render(scene.meshes, scene.camera, scene.options);
    const auto at = [&](const Vec3& direction) {
        return brightness(pixel_at(image, projected(scene.camera, scene.options,
                                                    Vec3{0, 0, 1} + 0.5 * normalized(direction))));
    };
    EXPECT_GT(at({-0.7, -0.7, 0.5}), at({0.7, -0.7, -0.3}) + 100);
}

TEST_F(Render, silhouette_of_a_ball_has_the_area_of_its_projection)
{
    BallScene scene;
    scene.options.ground = false;
    scene.options.width = scene.options.height = 400;
    scene.camera = {{0, -3, 1}, {0, 0, 1}, {0, 0, 1}, 0.5};
    const Image image = render(scene.meshes, scene.camera, scene.options);
    const int none = brightness(background(scene.options));
    int count = 0;
    for (int y = 0; y < image.height; ++y)
        for (int x = 0; x < image.width; ++x)
            if (std::abs(brightness(pixel(image, x, y)) - none) > 40) ++count;
    // The cone that touches a ball of radius r at distance d has slope r / sqrt(d^2 - r^2).
    const double slope = 0.5 / std::sqrt(9 - 0.25);
    const double radius = slope * 0.5 * scene.options.height / std::tan(0.25);
    const double area = std::numbers::pi * radius * radius;
    EXPECT_NEAR(count, area, 0.03 * area);
}

TEST_F(Render, pixels_beside_the_subject_have_exactly_the_background)
{
    BallScene scene;
    scene.options.ground = false;
    scene.options.background = {0.2, 0.51, 0.77};
    const Image image = render(scene.meshes, scene.camera, scene.options);
    const Vec2 centre = projected(scene.camera, scene.options, {0, 0, 1});
    int checked = 0;
    for (int y = 0; y < image.height; ++y)
        for (int x = 0; x < image.width; ++x) {
            if (std::hypot(x - centre[0], y - centre[1]) < 60) continue;
            ASSERT_EQ(pixel(image, x, y), background(scene.options)) << x << ", " << y;
            ++checked;
        }
    EXPECT_GT(checked, 30000);
}

TEST_F(Render, floor_fades_into_the_background)
{
    BallScene scene;
    scene.camera = {{0, -30, 3}, {0, 0, 1}, {0, 0, 1}, 0.5};
    const Image image = render(scene.meshes, scene.camera, scene.options);
    for (int x = 0; x < image.width; ++x) {
        EXPECT_EQ(pixel(image, x, 0), background(scene.options));
        EXPECT_EQ(pixel(image, x, image.height - 1), background(scene.options));
    }
}

TEST_F(Render, a_flat_backdrop_looks_like_the_floor)
{
    BallScene scene;
    const Image floor = render(scene.meshes, scene.camera, scene.options);
    scene.options.ground_height = std::nullopt;
    scene.meshes.push_back(box({-50, -50, -1}, {50, 50, 0}));
    scene.meshes.back().base_colour = obstacle_colour();
    const Image backdrop = render(scene.meshes, scene.camera, scene.options);
    int worst = 0;
    for (int y = 0; y < floor.height; ++y)
        for (int x = 0; x < floor.width; ++x)
            worst = std::max(worst, std::abs(brightness(pixel(floor, x, y)) -
                                             brightness(pixel(backdrop, x, y))));
    EXPECT_LT(worst, 60); // the grain of penumbras

    scene.options.ground = false;
    const Image grey = render(scene.meshes, scene.camera, scene.options);
    const Vec2 place = projected(scene.camera, scene.options, {-0.6, -0.6, 0});
    EXPECT_LT(brightness(pixel_at(grey, place)), brightness(pixel_at(floor, place)) - 100);
}

TEST_F(Render, empty_scenes_give_the_background)
{
    RenderOptions options = small_options();
    for (const bool ground : {false, true}) {
        options.ground = ground;
        const Image image = render({}, Camera{}, options);
        EXPECT_EQ(image.width, 320);
        for (int y = 0; y < image.height; ++y)
            for (int x = 0; x < image.width; ++x)
                ASSERT_EQ(pixel(image, x, y), background(options));
    }
    const std::vector<RenderMesh> hollow(2);
    EXPECT_EQ(pixel(render(hollow, Camera{}, options), 160, 120), background(options));
}

TEST_F(Render, same_bits_for_any_number_of_threads_and_again)
{
    std::vector<RenderMesh> meshes{sheet({-1, -1, 1.2}, 2, 40),
                                   sphere({0, 0, 0.5}, 0.5, 20, false)};
    for (Vec3& x : meshes[0].positions) x[2] += 0.2 * std::sin(5 * x[0]) * std::cos(4 * x[1]);
    RenderOptions options = small_options();
    options.samples = 4;
    options.wireframe = true;
    options.colour = ColourMode::size;
    const Camera camera = fit_camera(meshes, {0, 0, 1}, 4.0 / 3, 0.5, 0.4);
    const auto picture = [&](int count) {
        Image image;
        const Threads threads(count);
        threads.run([&] { image = render(meshes, camera, options); });
        return image;
    };
    const Image one = picture(1);
    for (const int count : {1, 2, 4}) EXPECT_TRUE(picture(count) == one) << count << " threads";
    options.seed = 1;
    EXPECT_FALSE(picture(1) == one);
}

TEST_F(Render, two_pictures_at_once_do_not_disturb_each_other)
{
    const BallScene scene;
    RenderOptions options = scene.options;
    options.samples = 4;
    const Image alone = render(scene.meshes, scene.camera, options);
    Image first, second;
    std::thread one([&] { first = render(scene.meshes, scene.camera, options); });
    std::thread two([&] { second = render(scene.meshes, scene.camera, options); });
    one.join();
    two.join();
    EXPECT_TRUE(first == alone);
    EXPECT_TRUE(second == alone);
}

TEST_F(Render, a_scene_with_y_up_looks_like_the_same_scene_with_z_up)
{
    BallScene scene;
    scene.meshes.push_back(box({0.8, -0.8, 0}, {1.2, -0.4, 0.5}));
    const Image z_up = render(scene.meshes, scene.camera, scene.options);
    const auto turned = [](const Vec3& x) { return Vec3{x[0], x[2], -x[1]}; };
    for (RenderMesh& mesh : scene.meshes)
        for (Vec3& x : mesh.positions) x = turned(x);
    scene.camera = {turned(scene.camera.eye), turned(scene.camera.target), {0, 1, 0}, 0.5};
    scene.options.up = {0, 1, 0};
    const Image y_up = render(scene.meshes, scene.camera, scene.options);
    double sum = 0;
    for (std::size_t i = 0; i < z_up.rgb.size(); ++i)
        sum += std::abs(int(z_up.rgb[i]) - int(y_up.rgb[i]));
    EXPECT_LT(sum / double(z_up.rgb.size()), 1.5); // of 255: the grain differs
}

/// A sheet of two large triangles seen from straight above.
struct FlatScene {
    std::vector<RenderMesh> meshes{sheet({-1, -1, 0}, 2, 1)};
    Camera camera{{0, 0, 6}, {0, 0, 0}, {0, 1, 0}, 0.5};
    RenderOptions options = small_options();
    Vec3 on_diagonal{0.3, 0.3, 0};
    Vec3 on_face{1.0 / 3, -1.0 / 3, 0};
};

TEST_F(Render, wireframe_darkens_edges_and_leaves_the_middle_of_faces)
{
    FlatScene scene;
    const Image plain = render(scene.meshes, scene.camera, scene.options);
    scene.options.wireframe = true;
    const Image lines = render(scene.meshes, scene.camera, scene.options);
    const Vec2 edge = projected(scene.camera, scene.options, scene.on_diagonal);
    const Vec2 face = projected(scene.camera, scene.options, scene.on_face);
    EXPECT_LT(brightness(pixel_at(lines, edge)), 0.75 * brightness(pixel_at(plain, edge)));
    EXPECT_EQ(pixel_at(lines, face), pixel_at(plain, face));
    // Three pixels off the diagonal there is nothing of the line any more.
    const Vec2 beside = edge + Vec2{4, 0};
    EXPECT_EQ(pixel_at(lines, beside), pixel_at(plain, beside));
}

TEST_F(Render, lines_are_as_wide_in_a_small_picture_of_a_far_sheet)
{
    FlatScene scene;
    scene.options.wireframe = true;
    const auto line_width = [&](double distance) {
        scene.camera.eye[2] = distance;
        scene.options.wireframe = false;
        const Image plain = render(scene.meshes, scene.camera, scene.options);
        scene.options.wireframe = true;
        const Image lines = render(scene.meshes, scene.camera, scene.options);
        const Vec2 edge = projected(scene.camera, scene.options, scene.on_diagonal);
        double width = 0; // darkness summed across the diagonal
        for (int dx = -6; dx <= 6; ++dx) {
            const Vec2 place = edge + Vec2{double(dx), 0};
            width +=
                1 - double(brightness(pixel_at(lines, place))) / brightness(pixel_at(plain, place));
        }
        return width;
    };
    EXPECT_NEAR(line_width(5), line_width(10), 0.15 * line_width(5));
}

TEST_F(Render, edges_behind_another_surface_are_hidden)
{
    FlatScene scene;
    RenderMesh lid = box({-0.6, -0.6, 0.1}, {0.6, 0.6, 0.2});
    scene.meshes.push_back(lid);
    const Image plain = render(scene.meshes, scene.camera, scene.options);
    scene.options.wireframe = true;
    const Image lines = render(scene.meshes, scene.camera, scene.options);
    const Vec2 edge = projected(scene.camera, scene.options, scene.on_diagonal);
    EXPECT_EQ(pixel_at(lines, edge), pixel_at(plain, edge));
}

TEST_F(Render, face_colours_show_large_faces_blue_and_small_ones_red)
{
    FlatScene scene;
    RenderMesh small = sheet({0.1, -0.9, 0.05}, 0.8, 20);
    scene.meshes.push_back(small);
    scene.options.colour = ColourMode::size;
    const Image image = render(scene.meshes, scene.camera, scene.options);
    const Rgb large_face = pixel_at(image, projected(scene.camera, scene.options, {-0.5, 0.5, 0}));
    const Rgb small_face =
        pixel_at(image, projected(scene.camera, scene.options, {0.5, -0.5, 0.05}));
    EXPECT_GT(large_face[2], large_face[0] + 40);
    EXPECT_GT(small_face[0], small_face[2] + 40);
}

TEST_F(Render, sides_of_cloth_differ)
{
    FlatScene scene;
    scene.options.ground = false;
    const Rgb front = pixel(render(scene.meshes, scene.camera, scene.options), 160, 100);
    for (auto& corners : scene.meshes[0].triangles) std::swap(corners[1], corners[2]);
    const Rgb back = pixel(render(scene.meshes, scene.camera, scene.options), 160, 100);
    EXPECT_LT(brightness(back), brightness(front) - 15);
}

TEST_F(Render, a_face_beside_a_sharp_fold_is_not_dark)
{
    // A narrow flap turned back under a wide sheet: the normals at the fold are mostly the flap's.
    FlatScene scene;
    RenderMesh& sheet = scene.meshes[0];
    sheet = {};
    sheet.is_cloth = true;
    sheet.positions = {{-1, -1, 0}, {0, -1, 0}, {0, 1, 0}, {-1, 1, 0}};
    sheet.triangles = {{0, 1, 2}, {0, 2, 3}};
    const Vec2 place = projected(scene.camera, scene.options, {-0.05, 0, 0});
    const Image flat = render(scene.meshes, scene.camera, scene.options);
    sheet.positions.push_back({-0.02, -1, -0.02});
    sheet.positions.push_back({-0.02, 1, -0.02});
    sheet.triangles.push_back({2, 1, 4});
    sheet.triangles.push_back({2, 4, 5});
    const Image folded = render(scene.meshes, scene.camera, scene.options);
    EXPECT_GT(brightness(pixel_at(folded, place)), 0.7 * brightness(pixel_at(flat, place)));
}

TEST_F(Render, tilted_sheet_has_no_shadow_acne)
{
    // Far from the origin, where floats are coarse, and with no coordinate that is exact.
    const Vec3 shift{1000.1, 2000.2, -500.3};
    const auto tilted = [&](double u, double v) {
        return shift + Vec3{0.97 * u, 0.93 * v, 0.243 * u - 0.367 * v};
    };
    FlatScene scene;
    scene.meshes[0] = sheet({-1, -1, 0}, 2, 30);
    for (Vec3& x : scene.meshes[0].positions) x = tilted(x[0], x[1]);
    scene.camera.eye = shift + Vec3{1, -4, 4};
    scene.camera.target = shift;
    scene.options.ground = false;
    const Image image = render(scene.meshes, scene.camera, scene.options);
    int least = 765, most = 0;
    for (int i = 0; i < 1600; ++i) {
        const Vec3 x = tilted(-0.8 + 0.04 * (i % 40), -0.8 + 0.04 * (i / 40));
        const int b = brightness(pixel_at(image, projected(scene.camera, scene.options, x)));
        least = std::min(least, b);
        most = std::max(most, b);
    }
    EXPECT_LT(most - least, 40); // the gentle gradient and grain; acne has 200
    EXPECT_GT(least, 300);       // in the light
}

TEST_F(Render, coarse_balls_show_no_shadow_teeth)
{
    // Shadow rays from flat triangles meet the neighbours along the terminator [Hanika2021]: dark
    // triangles on the lit side, which a fine ball does not have. Seen at a right angle to the
    // light, which then shines along the surface in the middle of the picture.
    BallScene scene;
    scene.options.ground = false;
    scene.options.light_azimuth = -std::numbers::pi / 2;
    scene.options.light_elevation = 0.3;
    scene.options.light_radius = 0.02;
    scene.camera = {{0, -3, 1}, {0, 0, 1}, {0, 0, 1}, 0.5};
    const auto picture = [&](std::uint32_t n) {
        scene.meshes[0] = sphere({0, 0, 1}, 0.5, n, true);
        scene.meshes[0].base_colour = {0.8, 0.8, 0.8};
        return render(scene.meshes, scene.camera, scene.options);
    };
    const Image fine = picture(100), coarse = picture(10);
    int darkest = 0;
    for (int y = 0; y < fine.height; ++y)
        for (int x = 0; x < fine.width; ++x) {
            if (std::hypot(x - 160.0, y - 120.0) > 60) continue; // the ball has a radius of 79
            darkest =
                std::max(darkest, brightness(pixel(fine, x, y)) - brightness(pixel(coarse, x, y)));
        }
    EXPECT_LT(darkest, 20); // teeth are about twice as dark
}

TEST_F(Render, bad_meshes_cameras_and_options_throw)
{
    const BallScene scene;
    const auto with = [&](auto&& change) {
        BallScene changed;
        change(changed);
        return [changed] { (void)render(changed.meshes, changed.camera, changed.options); };
    };
    const double nan = std::numeric_limits<double>::quiet_NaN();
    EXPECT_THROW(with([&](BallScene& s) { s.meshes[0].positions[3][0] = nan; })(), InputError);
    EXPECT_THROW(with([&](BallScene& s) { s.meshes[0].triangles[3][0] = 1u << 30; })(), InputError);
    EXPECT_THROW(with([&](BallScene& s) { s.camera.target = s.camera.eye; })(), InputError);
    EXPECT_THROW(with([&](BallScene& s) { s.options.width = 0; })(), InputError);
    EXPECT_THROW(with([&](BallScene& s) { s.options.samples = 0; })(), InputError);
    EXPECT_THROW(with([&](BallScene& s) { s.options.up = {0, 0, 0}; })(), InputError);
    EXPECT_THROW(with([&](BallScene& s) { s.options.exposure = nan; })(), InputError);
    EXPECT_THROW(with([&](BallScene& s) { s.options.range = {2, 1}; })(), InputError);
    EXPECT_THROW(with([&](BallScene& s) { s.options.line_width = nan; })(), InputError);
    EXPECT_NO_THROW(with([&](BallScene&) {})());
}

TEST(RenderWithoutEmbree, says_what_is_missing)
{
    if (render_available()) GTEST_SKIP() << "built with Embree";
    try {
        (void)render({}, Camera{}, RenderOptions{});
        FAIL() << "rendered without Embree";
    } catch (const std::runtime_error& error) {
        EXPECT_NE(std::string(error.what()).find("PLEAT_EMBREE"), std::string::npos);
    }
}

} // namespace
} // namespace pleat
