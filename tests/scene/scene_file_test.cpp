// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/scene/scene_file.hpp"

#include "pleat/core/error.hpp"
#include "pleat/scene/material_file.hpp"
#include "problems.hpp"
#include "temporary_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <numbers>
#include <string>

namespace pleat {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

const fs::path everything = fs::path(PLEAT_SOURCE_DIR) / "tests/scene/everything/scene.json";

/// A scene of one cloth with further keys.
std::string scene_with(const std::string& keys)
{
    return R"({"pleat": 1, "cloths": [{"mesh": "a.obj", "material": "jersey"}])" +
           (keys.empty() ? std::string() : ", " + keys) + "}";
}

std::string cloth_with(const std::string& keys)
{
    return R"({"pleat": 1, "cloths": [{"mesh": "a.obj", )" + keys + "}]}";
}

std::string handle_with(const std::string& keys)
{
    return scene_with(R"("handles": [{)" + keys + "}]");
}

std::string obstacle_with(const std::string& keys)
{
    return scene_with(R"("obstacles": [{)" + keys + "}]");
}

SceneDescription parse(const std::string& text)
{
    return parse_scene(text, "/folder/scene.json");
}

std::string complaint(const std::string& text)
{
    return complaint_of([&] { (void)parse(text); });
}

TEST(SceneFile, fills_in_every_default)
{
    const SceneDescription s = parse(scene_with(R"("obstacles": [{"mesh": "b.obj"}],
                                                   "handles": [{"nodes": [1]}])"));
    SceneDescription expected;
    expected.file = "/folder/scene.json";
    expected.gravity = {0, 0, -9.8};
    expected.cloths.resize(1);
    expected.cloths[0].name = "cloth";
    expected.cloths[0].mesh = "/folder/a.obj";
    expected.cloths[0].materials = {fabric("jersey")};
    expected.obstacles.resize(1);
    expected.obstacles[0].name = "obstacle";
    expected.obstacles[0].mesh = "/folder/b.obj";
    expected.handles.resize(1);
    expected.handles[0].name = "handle0";
    expected.handles[0].cloth = "cloth";
    expected.handles[0].nodes = {1};
    EXPECT_EQ(s, expected);
    EXPECT_EQ(s.fps, 25);
    EXPECT_EQ(s.substeps, 8);
    EXPECT_EQ(s.frames, 250);
    EXPECT_EQ(s.wind, Wind{}); // no air where none is asked for
    EXPECT_EQ(s.handles[0].until, forever);
    EXPECT_EQ(s.obstacles[0].from, -forever);
}

TEST(SceneFile, reads_every_key)
{
    const SceneDescription s = read_scene_file(everything);
    const fs::path folder = everything.parent_path();
    EXPECT_EQ(s.up, (Vec3{0, 1, 0}));
    EXPECT_EQ(s.fps, 50);
    EXPECT_EQ(s.substeps, 4);
    EXPECT_EQ(s.frames, 12);
    EXPECT_EQ(s.gravity, (Vec3{0, -9.81, 0}));
    EXPECT_EQ(s.wind, (Wind{{1, 2, 3}, 1.2, 0.01}));

    ASSERT_EQ(s.cloths.size(), 2u);
    const ClothDescription& c = s.cloths[0];
    EXPECT_EQ(c.name, "sheet");
    EXPECT_EQ(c.mesh, folder / "sheet.obj");
    EXPECT_EQ(c.transform.translate, (Vec3{0, 2, 0}));
    EXPECT_EQ(c.transform.scale, 0.5);
    EXPECT_DOUBLE_EQ(c.transform.rotation.w, std::sqrt(0.5));
    EXPECT_DOUBLE_EQ(c.transform.rotation.x, std::sqrt(0.5));
    EXPECT_EQ(c.linear_velocity, (Vec3{0, 0, 1}));
    EXPECT_EQ(c.angular_velocity, (Vec3{0, 1, 0}));
    EXPECT_EQ(c.velocity_origin, (Vec3{0.5, 2, 0}));
    ASSERT_EQ(c.materials.size(), 6u);
    EXPECT_DOUBLE_EQ(c.materials[0].density, 0.2 * 2 * 2);
    EXPECT_EQ(c.materials[0].damping, 0.001);
    EXPECT_EQ(c.materials[0].friction, 0.4);
    EXPECT_EQ(c.materials[1].name, "soft denim");
    EXPECT_EQ(c.strain_limits, (StrainLimits{-0.1, 0.15}));
    for (const Material& m : c.materials) EXPECT_EQ(m.strain_limits, c.strain_limits);
    EXPECT_EQ(s.cloths[1].materials, std::vector{fabric("gray-interlock")});

    ASSERT_EQ(s.obstacles.size(), 6u); // one is an instance
    const ObstacleDescription& ball = s.obstacles[0];
    EXPECT_EQ(ball.mesh, folder / "ball.obj");
    EXPECT_EQ(ball.transform.translate, (Vec3{-3, 0, 0}));
    ASSERT_EQ(ball.motion.keys.keys.size(), 2u);
    EXPECT_EQ(ball.motion.keys.keys[1], (MotionKey{1.5,
                                                   {{0, 1, 0}, Rotation{0.6, 0.8, 0, 0}, 2},
                                                   TransformRate{{0, 0.5, 0}, {1, 2, 3}, 0.25}}));
    EXPECT_EQ(ball.from, 0.02);
    EXPECT_EQ(ball.until, 10);
    EXPECT_EQ(ball.friction, 0.5);
    const ObstacleDescription& body = s.obstacles[1];
    EXPECT_EQ(body.sequence, folder / "body_%04d.obj");
    EXPECT_EQ(body.sequence_first, 3);
    EXPECT_EQ(body.sequence_fps, 30);
    EXPECT_EQ(body.sequence_time, 0.1);
    EXPECT_TRUE(body.mesh.empty());
    EXPECT_EQ(s.obstacles[2].motion.file, folder / "bodies.mot");
    EXPECT_EQ(s.obstacles[2].motion.body, 1);
    EXPECT_EQ(s.obstacles[2].motion.fps, 60);
    EXPECT_EQ(s.obstacles[2].motion.time, 0.5);
    EXPECT_EQ(s.obstacles[2].motion.transform.translate, (Vec3{0, 0, 0.25}));
    EXPECT_EQ(s.obstacles[3].shape,
              ShapeDescription(PlaneDescription{{0, 0, -20}, {0, 0.5, 2}, 3}));
    EXPECT_EQ(s.obstacles[3].motion.keys.keys.size(), 2u);

    ASSERT_EQ(s.handles.size(), 3u);
    const HandleDescription& left = s.handles[0];
    EXPECT_EQ(left.cloth, "sheet");
    EXPECT_EQ(left.nodes, (std::vector<std::uint32_t>{0, 3}));
    EXPECT_EQ(left.motion.keys.keys.size(), 2u);
    EXPECT_EQ(left.from, 0.1);
    EXPECT_EQ(left.until, 2);
    EXPECT_EQ(left.fade, 0.5);
    EXPECT_EQ(left.stiffness, 500);
    EXPECT_EQ(s.handles[1].label, 7);
    EXPECT_EQ(s.handles[1].name, "handle1");
    EXPECT_EQ(s.handles[2].box, (std::array<Vec3, 2>{Vec3{-1, 4, -1}, Vec3{2, 5.5, 0.5}}));

    EXPECT_EQ(s.solver,
              (SolverDescription{"backward_euler", "cholesky", 2, 1e-6, "leapfrog_trapezoid"}));
    EXPECT_EQ(s.contact, (ContactDescription{"none",
                                             0.004,
                                             0.2,
                                             {{{"ground", "sheet"}, 0.9}, {{"sheet", "flag"}, 0.1}},
                                             2,
                                             "untangle",
                                             "spatial_hash"}));
    EXPECT_EQ(s.strain_limiting,
              (StrainLimitingDescription{"projected_newton", "components", 0.01, 9}));
    EXPECT_EQ(s.settle, (SettleDescription{0.02, 50}));
    EXPECT_EQ(s.dress, (DressDescription{0.1, 0.01, 0.3, 0.2}));
    EXPECT_EQ(s.cloths[0].layer, 1);
    EXPECT_EQ(s.cloths[0].colour, (Vec3{0.2, 0.4, 1}));
    EXPECT_FALSE(s.cloths[1].colour.has_value());
    EXPECT_EQ(s.obstacles[4].gltf,
              (GltfDescription{folder / "arm.glb", "y", 0.5, "Animation", {"rig"}, 40, 0.2}));
    ASSERT_TRUE(s.camera.has_value());
    EXPECT_EQ(s.camera->eye, (Vec3{2, -3, 1.5}));
    EXPECT_EQ(s.camera->target, (Vec3{0, 0, 0.5}));
    EXPECT_EQ(s.camera->fov, 35);
    EXPECT_EQ(s.camera->name, "first");
    EXPECT_EQ(s.camera->up, (Vec3{0, 0.1, 1}));
    EXPECT_EQ(s.camera->aspect, 1.5);
    EXPECT_EQ(s.camera->near, 0.1);
    EXPECT_EQ(s.camera->far, 90);
    ASSERT_EQ(s.cameras.size(), 1u);
    ASSERT_EQ(s.cameras[0].keys.size(), 3u);
    EXPECT_EQ(s.cameras[0].keys[0].fov, 40);
    EXPECT_EQ(s.cameras[0].keys[0].up, (Vec3{1, 0, 0}));
    EXPECT_EQ(s.cameras[0].keys[0].velocity, (CameraRateDescription{{1, 0, 0}, {0, 1, 0}, 3}));
    EXPECT_FALSE(s.cameras[0].keys[1].fov.has_value());
    EXPECT_EQ(s.buckling_compensation, (BucklingDescription{4, "all", std::array{0.001, 0.02}}));
    EXPECT_EQ(s.obstacles[5].name, "ball_copy");
    EXPECT_TRUE(s.instances.empty());
    EXPECT_EQ(s.camera->motion.keys.keys.size(), 2u);
}

TEST(SceneFile, resolved_and_read_again_is_the_same_scene_to_the_bit)
{
    const SceneDescription s = read_scene_file(everything);
    SceneDescription again = parse_scene(to_json_text(s), "/elsewhere/scene.json");
    again.file = s.file;
    EXPECT_EQ(again, s);
    EXPECT_EQ(to_json_text(again), to_json_text(s));
}

TEST(SceneFile, brief_and_read_again_is_the_same_scene)
{
    const SceneDescription s = read_scene_file(everything);
    const std::string brief = to_json_text(s, {}, SceneText::brief);
    SceneDescription again = parse_scene(brief, "/elsewhere/scene.json");
    again.file = s.file;
    EXPECT_EQ(again, s) << brief;
    EXPECT_EQ(to_json_text(again), to_json_text(s));
    EXPECT_LT(2 * brief.size(), to_json_text(s).size());
}

TEST(SceneFile, brief_leaves_out_what_is_as_usual)
{
    const SceneDescription s = parse(R"({"pleat": 1, "cloths": [
        {"mesh": "a.obj", "material": "denim"},
        {"mesh": "a.obj", "material": {"base": "denim", "bending_scale": 0.5}}]})");
    const std::string folder = s.cloths[0].mesh.parent_path().string();
    EXPECT_EQ(to_json_text(s, folder, SceneText::brief),
              R"({
  "pleat": 1,
  "cloths": [
    {"mesh": "a.obj", "material": "11oz-black-denim"},
    {"mesh": "a.obj", "material": {"base": "11oz-black-denim", "bending_scale": 0.5}}
  ]
}
)");
}

TEST(SceneFile, scale_zero_is_for_motions_of_handles)
{
    const std::string motion = R"("motion": [{"time": 0}, {"time": 1, "scale": 0}])";
    EXPECT_EQ(parse(scene_with(R"("handles": [{"nodes": [0], )" + motion + "}]"))
                  .handles[0]
                  .motion.keys.keys[1]
                  .transform.scale,
              0);
    EXPECT_THAT(complaint_of([&] { (void)parse(obstacle_with(R"("mesh": "b.obj", )" + motion)); }),
                HasSubstr("obstacles[0].motion[1].scale"));
}

TEST(SceneFile, resolved_keeps_turns_still_air_and_limits)
{
    for (int i = 0; i < 200; ++i) {
        const std::string turn = "[" + std::to_string(37.7 * i) + ", 0." + std::to_string(i) +
                                 ", 1, -0." + std::to_string(7 * i) + "]";
        SceneDescription s = parse(R"({"pleat": 1, "wind": {"density": 0, "velocity": [1, 0, 0]},
            "cloths": [{"mesh": "a.obj", "material": "denim", "strain_limits": [-0.1, 0.3],
                        "transform": {"rotate": )" +
                                   turn + "}}]}");
        SceneDescription again = parse(to_json_text(s));
        ASSERT_EQ(again, s) << turn;
    }
}

TEST(SceneFile, resolved_has_paths_that_hold_from_any_folder)
{
    const SceneDescription s =
        parse_scene(obstacle_with(R"("sequence": {"files": "b/%d.obj"})"), "some/where/scene.json");
    const SceneDescription again = parse_scene(to_json_text(s), "/elsewhere/scene.json");
    EXPECT_EQ(again.cloths[0].mesh, fs::current_path() / "some/where/a.obj");
    EXPECT_EQ(again.obstacles[0].sequence, fs::current_path() / "some/where/b/%d.obj");
}

TEST(SceneFile, takes_a_percent_sign_in_the_folder_of_a_sequence)
{
    const SceneDescription s =
        parse_scene(obstacle_with(R"("sequence": {"files": "b_%d.obj"})"), "/100%d/scene.json");
    EXPECT_EQ(s.obstacles[0].sequence, "/100%%d/b_%d.obj");
    SceneDescription again = parse_scene(to_json_text(s), "/50%/scene.json");
    EXPECT_EQ(again.obstacles[0].sequence, "/100%%d/b_%d.obj");
}

TEST(SceneFile, points_gravity_against_up)
{
    EXPECT_EQ(parse(scene_with(R"("up": "x")")).gravity, (Vec3{-9.8, 0, 0}));
    EXPECT_EQ(parse(scene_with(R"("up": "y")")).gravity, (Vec3{0, -9.8, 0}));
    EXPECT_EQ(parse(scene_with(R"("up": "y", "gravity": [1, 2, 3])")).gravity, (Vec3{1, 2, 3}));
    EXPECT_EQ(parse(scene_with(R"("up": "Y")")).gravity, (Vec3{0, -9.8, 0})) << "as y";
    EXPECT_EQ(parse(scene_with(R"("up": "X")")).up, (Vec3{1, 0, 0}));
    EXPECT_EQ(parse(scene_with(R"("up": "Z")")).up, (Vec3{0, 0, 1}));
    EXPECT_EQ(parse(scene_with(R"("obstacles": [{"gltf": {"file": "a.glb", "up": "Z"}}])"))
                  .obstacles[0]
                  .gltf.up,
              "z");
    EXPECT_THAT(complaint(scene_with(R"("up": "YZ")")), HasSubstr("expected x, y or z"));
    EXPECT_THAT(complaint(scene_with(R"("up": "w")")), HasSubstr("up: \"w\"; expected x, y or z"));
}

TEST(SceneFile, gives_things_without_a_name_one_of_their_own)
{
    const SceneDescription s = parse(
        R"({"pleat": 1, "cloths": [{"mesh": "a.obj", "material": "denim"},
                                   {"mesh": "a.obj", "material": "denim"}],
            "obstacles": [{"mesh": "b.obj"}, {"mesh": "b.obj"}]})");
    EXPECT_EQ(s.cloths[1].name, "cloth1");
    EXPECT_EQ(s.obstacles[1].name, "obstacle1");
}

TEST(SceneFile, refuses_two_things_of_one_name)
{
    EXPECT_THAT(
        complaint(R"({"pleat": 1, "cloths": [{"name": "n", "mesh": "a.obj", "material": "denim"}],
                      "obstacles": [{"name": "n", "mesh": "b.obj"}]})"),
        HasSubstr("obstacles[0].name: the name \"n\" a second time"));
}

TEST(SceneFile, needs_a_version_and_a_cloth)
{
    EXPECT_THAT(complaint("{}"), AllOf(HasSubstr("pleat: this key is missing"),
                                       HasSubstr("cloths: no cloth; expected at least one")));
    EXPECT_THAT(complaint(R"({"pleat": 2, "cloths": []})"),
                AllOf(HasSubstr("pleat: the number 2"), HasSubstr("cloths: no cloth")));
    EXPECT_THAT(complaint(R"({"pleat": "1", "cloths": 3})"),
                AllOf(HasSubstr("pleat: the text"), HasSubstr("cloths: the number 3"),
                      Not(HasSubstr("no cloth"))));
    EXPECT_THAT(complaint("[]"), HasSubstr("an array of 0; expected an object"));
}

TEST(SceneFile, lists_all_problems_at_once)
{
    const auto problems = problems_of([] {
        (void)parse(R"({"pleat": 1, "fps": 0, "substeps": 0, "colour": 1,
            "cloths": [{"mesh": 3, "material": "jersy", "remeshing": {"type": "x"}}],
            "obstacles": [{}], "handles": [{"cloth": "nobody", "label": 1}]})");
    });
    EXPECT_EQ(problems.size(), 8u);
    for (const Problem& p : problems) {
        EXPECT_EQ(p.file, "/folder/scene.json");
        EXPECT_FALSE(p.place.empty());
        EXPECT_FALSE(p.found.empty());
        EXPECT_FALSE(p.expected.empty());
    }
}

TEST(SceneFile, suggests_the_nearest_key_at_every_level)
{
    EXPECT_THAT(complaint(scene_with(R"("gravty": [0, 0, 0])")),
                HasSubstr("gravty: unknown key; expected \"gravity\"?"));
    EXPECT_THAT(complaint(cloth_with(R"("materail": "denim", "material": "denim")")),
                HasSubstr("cloths[0].materail: unknown key; expected \"material\"?"));
    EXPECT_THAT(complaint(cloth_with(R"("material": {"base": "denim", "densty": 1})")),
                HasSubstr("cloths[0].material.densty: unknown key; expected \"density\"?"));
    EXPECT_THAT(complaint(obstacle_with(R"("mesh": "b.obj", "motion": [{"tiem": 0, "time": 1}])")),
                HasSubstr("obstacles[0].motion[0].tiem: unknown key; expected \"time\"?"));
    EXPECT_THAT(complaint(handle_with(R"("nodes": [1], "fad": 1)")),
                HasSubstr("handles[0].fad: unknown key; expected \"fade\"?"));
}

TEST(SceneFile, takes_one_of_material_and_materials)
{
    EXPECT_THAT(complaint(cloth_with(R"("material": "denim", "materials": ["denim"])")),
                HasSubstr("cloths[0]: 2 of \"material\", \"materials\"; expected exactly one"));
    EXPECT_THAT(complaint(cloth_with(R"("name": "n")")),
                HasSubstr("cloths[0]: 0 of \"material\", \"materials\"; expected exactly one"));
    EXPECT_THAT(complaint(cloth_with(R"("materials": [])")),
                HasSubstr("cloths[0].materials: an array of 0"));
    EXPECT_THAT(complaint(cloth_with(R"("materials": ["denim", "dnim"])")),
                HasSubstr("cloths[0].materials[1]: the unknown fabric \"dnim\""));
    EXPECT_THAT(complaint(cloth_with(R"("material": 7)")),
                HasSubstr("cloths[0].material: the number 7"));
    EXPECT_THAT(complaint(cloth_with(R"("material": "none.json")")),
                AllOf(HasSubstr("/folder/scene.json: cloths[0].material: "),
                      HasSubstr("/folder/none.json"), HasSubstr("No such file")));
}

TEST(SceneFile, explains_that_strain_limits_are_no_ratios)
{
    EXPECT_THAT(complaint(cloth_with(R"("material": "denim", "strain_limits": [0.9, 1.1])")),
                AllOf(HasSubstr("cloths[0].strain_limits: [0.9, 1.1]"),
                      HasSubstr("[-0.1, 0.1] (not stretch ratios around 1)")));
    const SceneDescription s =
        parse(cloth_with(R"("material": "denim", "strain_limits": [-0.05, 0])"));
    EXPECT_EQ(s.cloths[0].materials[0].strain_limits, (StrainLimits{-0.05, 0}));
}

TEST(SceneFile, wants_motion_keys_in_order_of_time)
{
    const auto motion = [](const std::string& keys) {
        return obstacle_with(R"("mesh": "b.obj", "motion": )" + keys);
    };
    EXPECT_EQ(complaint(motion(R"([{"time": -1}, {"time": 0}, {"time": 0.5}])")), "");
    EXPECT_EQ(complaint(motion("[]")), "");
    EXPECT_THAT(complaint(motion(R"([{"time": 1}, {"time": 1}])")),
                HasSubstr("obstacles[0].motion[1].time: the time 1.0; expected times in increasing "
                          "order"));
    EXPECT_THAT(complaint(motion(R"([{"time": 1}, {"time": 0.5}])")), HasSubstr("increasing"));
    EXPECT_THAT(complaint(motion(R"([{"translate": [0, 0, 0]}])")),
                HasSubstr("motion[0].time: this key is missing"));
    EXPECT_THAT(complaint(motion(R"("walk.mot")")), HasSubstr("motion: the text"));
    EXPECT_THAT(complaint(motion(R"({"body": 1})")), HasSubstr("motion.file: this key is missing"));
}

TEST(SceneFile, turns_by_degrees_or_quaternion)
{
    const auto rotation = [](const std::string& keys) {
        return parse(cloth_with(R"("material": "denim", "transform": {)" + keys + "}"))
            .cloths[0]
            .transform.rotation;
    };
    const auto turn_complaint = [](const std::string& keys) {
        return complaint(cloth_with(R"("material": "denim", "transform": {)" + keys + "}"));
    };
    const Rotation quarter = rotation(R"("rotate": [90, 0, 0, 7])");
    EXPECT_LT(norm(rotate(quarter, {1, 0, 0}) - Vec3{0, 1, 0}), 1e-15);
    EXPECT_EQ(rotation(R"("quaternion": [0.6, 0, 0.8, 0])"), (Rotation{0.6, 0, 0.8, 0}));
    const Rotation near = rotation(R"("quaternion": [0.70711, 0, 0.70711, 0])"); // six digits
    EXPECT_DOUBLE_EQ(near.w * near.w + near.y * near.y, 1);
    EXPECT_THAT(turn_complaint(R"("rotate": [90, 0, 0, 0])"), HasSubstr("an axis of length zero"));
    EXPECT_THAT(turn_complaint(R"("rotate": [90, 1e200, 1e200, 0])"),
                HasSubstr("an axis of infinite length"));
    EXPECT_THAT(turn_complaint(R"("rotate": [0, 0, 1])"), HasSubstr("an array of 4 numbers"));
    EXPECT_THAT(turn_complaint(R"("quaternion": [0, 0, 0, 0])"), HasSubstr("of length 0"));
    EXPECT_THAT(turn_complaint(R"("quaternion": [90, 0, 0, 1])"), HasSubstr("of length 1"));
    EXPECT_THAT(turn_complaint(R"("rotate": [1, 0, 0, 1], "quaternion": [1, 0, 0, 0])"),
                HasSubstr("beside \"rotate\""));
    EXPECT_THAT(turn_complaint(R"("scale": 0)"), HasSubstr("transform.scale: the number 0"));
}

TEST(SceneFile, takes_one_way_to_say_which_nodes_are_held)
{
    EXPECT_EQ(complaint(handle_with(R"("nodes": [0, 1])")), "");
    EXPECT_EQ(complaint(handle_with(R"("label": -3)")), "");
    EXPECT_EQ(complaint(handle_with(R"("box": {"min": [0, 0, 0], "max": [0, 1, 1]})")), "");
    EXPECT_THAT(complaint(handle_with("")),
                HasSubstr("handles[0]: 0 of \"nodes\", \"label\", \"box\""));
    EXPECT_THAT(complaint(handle_with(R"("nodes": [0], "label": 2)")),
                HasSubstr("handles[0]: 2 of"));
    EXPECT_THAT(complaint(handle_with(R"("label": 0)")), HasSubstr("nodes without a label have 0"));
    for (const char* nodes : {"[]", "3", "[-1]", "[1.5]", "[\"1\"]", "[4294967295]", "[1e30]"})
        EXPECT_THAT(complaint(handle_with(R"("nodes": )" + std::string(nodes))),
                    HasSubstr("handles[0].nodes"))
            << nodes;
    EXPECT_THAT(complaint(handle_with(R"("box": {"min": [0, 0, 0]})")),
                HasSubstr("handles[0].box.max: this key is missing"));
    EXPECT_THAT(complaint(handle_with(R"("box": {"min": [0, 0, 2], "max": [1, 1, 1]})")),
                HasSubstr("min is above its max"));
}

TEST(SceneFile, knows_the_cloths_that_handles_name)
{
    EXPECT_THAT(complaint(handle_with(R"("nodes": [0], "cloth": "curtain")")),
                HasSubstr("handles[0].cloth: the unknown cloth \"curtain\"; expected cloth"));
}

TEST(SceneFile, takes_64_handles)
{
    const auto with_handles = [](int count) {
        std::string list;
        for (int i = 0; i < count; ++i)
            list += (i > 0 ? ", " : "") + std::string(R"({"label": 1})");
        return scene_with(R"("handles": [)" + list + "]");
    };
    EXPECT_EQ(parse(with_handles(64)).handles.size(), 64u);
    EXPECT_THAT(complaint(with_handles(65)), HasSubstr("handles: 65 handles; expected at most 64"));
}

TEST(SceneFile, wants_spans_of_time_that_end_after_they_start)
{
    EXPECT_THAT(complaint(handle_with(R"("nodes": [0], "from": 2, "until": 1)")),
                HasSubstr("handles[0].until: the time 1.0"));
    EXPECT_THAT(complaint(handle_with(R"("nodes": [0], "until": 0)")), HasSubstr("until"));
    EXPECT_EQ(complaint(obstacle_with(R"("mesh": "b.obj", "until": -3)")), "");
    EXPECT_THAT(complaint(obstacle_with(R"("mesh": "b.obj", "from": 1, "until": 1)")),
                HasSubstr("obstacles[0].until"));
}

TEST(SceneFile, takes_one_of_mesh_sequence_and_plane)
{
    EXPECT_THAT(complaint(obstacle_with("")), HasSubstr("obstacles[0]: 0 of"));
    EXPECT_THAT(complaint(obstacle_with(R"("mesh": "b.obj", "sequence": {"files": "b%d.obj"})")),
                HasSubstr("obstacles[0]: 2 of"));
    EXPECT_THAT(complaint(obstacle_with(R"("sequence": {"first": 1})")),
                AllOf(HasSubstr("obstacles[0].sequence.files: this key is missing"),
                      Not(HasSubstr(" of \"mesh\""))));
    EXPECT_THAT(
        complaint(obstacle_with(R"("sequence": {"files": "b%d.obj"}, "motion": [{"time": 0}])")),
        HasSubstr("\"motion\" beside \"sequence\"; expected no motion"));
    EXPECT_EQ(parse(scene_with(R"("fps": 60, "obstacles": [{"sequence": {"files": "b%d.obj"}}])"))
                  .obstacles[0]
                  .sequence_fps,
              60); // as the scene
}

TEST(SceneFile, reads_half_spaces)
{
    EXPECT_THAT(complaint(obstacle_with(R"("mesh": "b.obj", "plane": {})")),
                HasSubstr("obstacles[0]: 2 of"));
    EXPECT_THAT(complaint(obstacle_with(R"("plane": {"normal": [0, 0, 0]})")),
                HasSubstr("obstacles[0].plane.normal: a vector of length 0"));
    const auto plane =
        parse(scene_with(R"("up": "y", "obstacles": [{"plane": {"size": 3}}])")).obstacles[0].shape;
    ASSERT_TRUE(plane.has_value());
    EXPECT_EQ(*plane, ShapeDescription(PlaneDescription{{0, 0, 0}, {0, 1, 0}, 3})) << "looks up";
}

TEST(SceneFile, reads_spheres_boxes_and_capsules_and_writes_them_back)
{
    const SceneDescription s = parse(scene_with(R"("obstacles": [
        {"sphere": {"centre": [1, 2, 3], "radius": 0.5}},
        {"box": {"size": [1, 2, 3]}},
        {"capsule": {"start": [0, 0, 1], "end": [0, 0, 2], "radius": 0.1, "edge_length": 0.02}}])"));
    ASSERT_EQ(s.obstacles.size(), 3u);
    EXPECT_EQ(s.obstacles[0].shape, ShapeDescription(SphereDescription{{1, 2, 3}, 0.5, 0}));
    EXPECT_EQ(s.obstacles[1].shape, ShapeDescription(BoxDescription{{}, {1, 2, 3}}));
    EXPECT_EQ(s.obstacles[2].shape,
              ShapeDescription(CapsuleDescription{{0, 0, 1}, {0, 0, 2}, 0.1, 0.02}));
    EXPECT_EQ(parse(to_json_text(s)).obstacles, s.obstacles);
}

TEST(SceneFile, refuses_shapes_that_are_none)
{
    const auto shape = [](const std::string& text) { return complaint(obstacle_with(text)); };
    EXPECT_THAT(shape(R"("sphere": {})"), HasSubstr("obstacles[0].sphere.radius"));
    EXPECT_THAT(shape(R"("sphere": {"radius": 0})"), HasSubstr("obstacles[0].sphere.radius"));
    EXPECT_THAT(
        shape(R"("sphere": {"radius": 1, "edge_length": 1e-5})"),
        HasSubstr("obstacles[0].sphere.edge_length: 1e-05; expected edges that make at most"));
    EXPECT_THAT(shape(R"("box": {"size": [1, 0, 1]})"),
                HasSubstr("obstacles[0].box.size: [1, 0, 1]; expected three sides above 0"));
    EXPECT_THAT(shape(R"("capsule": {"start": [1, 1, 1], "end": [1, 1, 1], "radius": 0.1})"),
                HasSubstr("obstacles[0].capsule.end: the point where it starts"));
    EXPECT_THAT(shape(R"("capsule": {"end": [1e5, 0, 0], "radius": 1e-3})"),
                HasSubstr("obstacles[0].capsule.edge_length: not given; expected edges"));
    EXPECT_THAT(shape(R"("sphere": {"radius": 1}, "box": {"size": [1, 1, 1]})"),
                HasSubstr("exactly one of them"));
    EXPECT_THAT(shape(R"("box": {"size": [1, 1, 1]}, "unit": 0.01)"), HasSubstr("in metres"));
}

TEST(SceneFile, keeps_numbers_in_their_ranges)
{
    const std::pair<const char*, const char*> cases[] = {
        {R"("fps": -25)", "fps: the number -25"},
        {R"("fps": 1e-9)", "fps"},
        {R"("substeps": 0)", "substeps: the number 0; expected a whole number from 1 to 100000"},
        {R"("substeps": 2.5)", "substeps: the number 2.5"},
        {R"("frames": -1)", "frames: the number -1"},
        {R"("frames": 99999999999)", "frames"},
        {R"("wind": {"density": -1})", "wind.density"},
        {R"("wind": [1, 0, 0])", "wind: an array of 3; expected an object"},
        {R"("contact": {"thickness": 0})", "contact.thickness"},
        {R"("contact": {"friction": -0.1})", "contact.friction"},
        {R"("contact": {"type": "magnets"})", "contact.type: \"magnets\""},
        {R"("solver": {"tolerance": 1})", "solver.tolerance"},
        {R"("solver": {"newton_iterations": 0})", "solver.newton_iterations"},
        {R"("solver": {"linear_solver": "choleski"})", "did you mean \"cholesky\"?"},
        {R"("solver": {"integrator": "euler"})", "solver.integrator: \"euler\""},
        {R"("strain_limiting": {"type": "on"})", "strain_limiting.type: \"on\""},
        {R"("name": 3)", "name: the number 3; expected a text"},
    };
    for (const auto& [keys, words] : cases)
        EXPECT_THAT(complaint(scene_with(keys)), HasSubstr(words)) << keys;
}

} // namespace
} // namespace pleat
