// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/scene/camera_tracks.hpp"

#include "pleat/io/gltf.hpp"
#include "pleat/scene/scene_file.hpp"
#include "problems.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <numbers>
#include <string>

namespace pleat {
namespace {

using testing::HasSubstr;

constexpr double degree = std::numbers::pi / 180;

SceneDescription scene_with(const std::string& camera)
{
    return parse_scene(R"({"pleat": 1, "cloths": [{"mesh": "a.obj", "material": "denim"}],
                           "camera": )" +
                           camera + "}",
                       "/tmp/scene.json");
}

CameraTrack track_of(const std::string& camera)
{
    MotionFiles files;
    const SceneDescription scene = scene_with(camera);
    return read_camera(*scene.camera, scene.up, files);
}

std::string complaint(const std::string& camera)
{
    return complaint_of([&] { (void)track_of(camera); });
}

TEST(CameraTracks, take_what_keys_do_not_say_from_the_camera)
{
    const CameraTrack track = track_of(R"({"fov": 20, "aspect": 2, "near": 0.5, "far": 30, "keys": [
        {"time": 1, "eye": [0, 0, 1], "target": [0, 1, 1]},
        {"time": 2, "eye": [0, 0, 2], "target": [0, 1, 1], "fov": 40, "up": [1, 0, 0]}]})");
    ASSERT_EQ(track.keys.size(), 2u);
    EXPECT_DOUBLE_EQ(track.keys[0].fov, 20 * degree);
    EXPECT_DOUBLE_EQ(track.keys[1].fov, 40 * degree);
    EXPECT_EQ(track.keys[0].up, (Vec3{0, 0, 1}));
    EXPECT_EQ(track.keys[1].up, (Vec3{1, 0, 0}));
    EXPECT_EQ(track.aspect, 2);
    EXPECT_EQ(track.near, 0.5);
    EXPECT_EQ(track.far, 30);
}

TEST(CameraTracks, have_cuts_where_two_keys_have_the_same_time)
{
    const CameraTrack track = track_of(R"({"keys": [
        {"time": 0, "eye": [0, 0, 1], "target": [0, 1, 1]},
        {"time": 2, "eye": [0, 0, 1], "target": [0, 1, 1]},
        {"time": 2, "eye": [5, 0, 1], "target": [0, 1, 1]}]})");
    EXPECT_EQ(cuts_between(track, 0, 9), std::vector<double>{2});
    EXPECT_EQ(camera_at(track, 1.999).eye, (Vec3{0, 0, 1}));
    EXPECT_EQ(camera_at(track, 2).eye, (Vec3{5, 0, 1}));
}

TEST(CameraTracks, refuse_cameras_that_are_nowhere_or_see_nothing)
{
    EXPECT_THAT(complaint("{}"), HasSubstr("exactly one of them, to say where the camera is"));
    EXPECT_THAT(complaint(R"({"eye": [0, 0, 1]})"), HasSubstr("camera.target"));
    EXPECT_THAT(complaint(R"({"eye": [0, 0, 1], "target": [0, 0, 1]})"),
                HasSubstr("another point to look at"));
    EXPECT_THAT(complaint(R"({"eye": [0, 0, 1], "target": [0, 0, 0], "near": 5, "far": 4})"),
                HasSubstr("one above \"near\""));
    EXPECT_THAT(complaint(R"({"eye": [0, 0, 1], "target": [0, 0, 0], "up": [0, 0, 0]})"),
                HasSubstr("a direction"));
    EXPECT_THAT(complaint(R"({"keys": []})"), HasSubstr("camera.keys"));
    const std::string key = R"({"time": 1, "eye": [0, 0, 1], "target": [0, 1, 1]})";
    EXPECT_THAT(complaint(R"({"keys": [)" + key + "," + key + "," + key + "]}"),
                HasSubstr("camera.keys[2].time"));
    EXPECT_EQ(complaint(R"({"keys": [)" + key + "," + key + "]}"), "");
}

TEST(CameraTracks, are_read_from_gltf_files)
{
    const std::string file =
        (std::filesystem::path(PLEAT_SOURCE_DIR) / "scenes/mannequin/female-walk.glb").string();
    const GltfFile gltf = read_gltf(file);
    ASSERT_FALSE(gltf.cameras.empty());
    std::size_t node = 0;
    while (gltf.nodes[node].camera == GltfFile::none) ++node;
    const CameraTrack track =
        track_of(R"({"gltf": {"file": ")" + file + R"(", "time": 1, "unit": 2, "fps": 10}})");
    const GltfFile::Animation* animation =
        gltf.animations.empty() ? nullptr : &gltf.animations.front();
    for (const double t : {0.0, 0.5, 1.0}) { // samples: exact
        const Mat4 m = gltf_pose(gltf, animation, t).transforms[node];
        const CameraView view = camera_at(track, 1 + t);
        // y up in the file, z up in the scene.
        EXPECT_LT(norm(view.eye - 2.0 * Vec3{m(0, 3), -m(2, 3), m(1, 3)}), 1e-9);
        const Vec3 forward = normalized(view.target - view.eye);
        EXPECT_LT(norm(forward - normalized(Vec3{-m(0, 2), m(2, 2), -m(1, 2)})), 1e-9);
        EXPECT_NEAR(dot(normalized(view.up), forward), 0, 1e-9);
        EXPECT_EQ(view.fov, gltf.cameras[gltf.nodes[node].camera].vertical_fov);
    }
    EXPECT_THAT(complaint(R"({"gltf": {"file": ")" + file + R"(", "node": "nobody"}})"),
                HasSubstr("no node \"nobody\" with a camera"));
}

} // namespace
} // namespace pleat
