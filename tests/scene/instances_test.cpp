// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "mesh/zoo.hpp"
#include "pleat/export/obj_writer.hpp"
#include "pleat/scene/load_scene.hpp"
#include "pleat/scene/material_file.hpp"
#include "pleat/scene/motions.hpp"
#include "pleat/scene/scene_file.hpp"
#include "problems.hpp"
#include "temporary_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numbers>
#include <string>

namespace pleat {
namespace {

using testing::HasSubstr;

/// A sheet with a handle over a moving box and a floor.
SceneDescription scene_with(const std::string& instances, const std::string& folder = "/tmp")
{
    return parse_scene(R"({"pleat": 1,
        "cloths": [{"name": "sheet", "mesh": "sheet.obj", "material": "denim",
                    "strain_limits": [-0.1, 0.1], "velocity": {"linear": [1, 0, 0]}}],
        "obstacles": [
            {"name": "box", "box": {"centre": [0.5, 0.5, -0.75], "size": [1, 1, 0.5]},
             "motion": [{"time": 0}, {"time": 1, "translate": [1, 0, 0],
                         "velocity": {"linear": [1, 0, 0]}}]},
            {"name": "block", "box": {"centre": [0.5, 3.5, -0.75], "size": [1, 1, 0.5]}},
            {"name": "floor", "plane": {"point": [0, 0, -3]}}],
        "handles": [{"cloth": "sheet", "nodes": [0], "until": 2}],
        "contact": {"friction_pairs": [{"between": ["sheet", "box"], "friction": 0.7},
                                       {"between": ["sheet", "floor"], "friction": 0.2}]},
        "instances": )" + instances +
                           "}",
                       folder + "/scene.json");
}

const std::string turned_copy = R"([{"name": "b", "without": ["floor"], "time": 0.5,
    "transform": {"translate": [10, 0, 0], "rotate": [90, 0, 0, 1]},
    "materials": [{"cloth": "sheet", "material": "gray-interlock"}]}])";

TEST(Instances, copy_cloths_obstacles_handles_and_friction)
{
    const SceneDescription s = scene_with(turned_copy);
    ASSERT_EQ(s.cloths.size(), 2u);
    EXPECT_EQ(s.cloths[1].name, "sheet_b");
    EXPECT_EQ(s.cloths[1].materials[0].name, fabric("gray-interlock").name);
    EXPECT_EQ(s.cloths[1].materials[0].strain_limits, (StrainLimits{-0.1, 0.1}));
    EXPECT_EQ(s.cloths[0].materials[0].name, fabric("denim").name);
    EXPECT_LT(norm(s.cloths[1].linear_velocity - Vec3{0, 1, 0}), 1e-12);
    ASSERT_EQ(s.obstacles.size(), 5u);
    EXPECT_EQ(s.obstacles[3].name, "box_b");
    EXPECT_EQ(s.obstacles[4].name, "block_b");
    ASSERT_EQ(s.handles.size(), 2u);
    EXPECT_EQ(s.handles[1].cloth, "sheet_b");
    EXPECT_EQ(s.handles[1].from, 0);
    EXPECT_EQ(s.handles[1].until, 2.5);
    ASSERT_EQ(s.contact.friction_pairs.size(), 4u);
    EXPECT_EQ(s.contact.friction_pairs[2].between,
              (std::array<std::string, 2>{"sheet_b", "box_b"}));
    EXPECT_EQ(s.contact.friction_pairs[3].between,
              (std::array<std::string, 2>{"sheet_b", "floor"}));
    EXPECT_TRUE(s.instances.empty());
    // What is written has no instances, and is the same scene.
    EXPECT_EQ(parse_scene(to_json_text(s), s.file), s);
}

TEST(Instances, are_where_the_original_is_moved_to_and_later)
{
    const TemporaryFolder folder;
    write_obj(folder.path() / "sheet.obj", view_as_obj(zoo::grid(2, 2)));
    const Scene scene = load_scene(scene_with(turned_copy, folder.path().string()));
    const Transform t{{10, 0, 0}, rotation_about({0, 0, 1}, std::numbers::pi / 2), 1};
    const auto& obstacles = scene.world.obstacles;
    for (const std::size_t o : {0u, 1u})
        for (const double time : {0.0, 0.6, 1.2, 3.0}) {
            const std::vector<Vec3> before = points_at(obstacles[o], time - 0.5);
            const std::vector<Vec3> after = points_at(obstacles[o + 3], time);
            ASSERT_EQ(before.size(), after.size());
            for (std::size_t i = 0; i < before.size(); ++i)
                EXPECT_LT(norm(apply(t, before[i]) - after[i]), 1e-12);
        }
    const auto& x = scene.start.state.x;
    const std::size_t half = x.size() / 2;
    for (std::size_t i = 0; i < half; ++i)
        EXPECT_LT(norm(apply(t, x.values[i]) - x.values[half + i]), 1e-12);
    EXPECT_EQ(scene.start.model.cloths.size(), 2u);
}

TEST(Instances, carry_motions_of_files)
{
    const SceneDescription original =
        read_scene_file(std::filesystem::path(PLEAT_SOURCE_DIR) / "scenes/blue-dress/scene.json");
    MotionDescription moved_file = original.obstacles[3].motion;
    moved_file.time = 0.4;
    moved_file.transform = {{1, 2, 0}, rotation_about({0, 0, 1}, 0.3), 1};
    MotionFiles files;
    const Motion a = read_motion(original.obstacles[3].motion, files);
    const Motion b = read_motion(moved_file, files);
    EXPECT_EQ(files.size(), 1u);
    for (const double t : {0.0, 1.23, 5.0}) {
        const Vec3 p{0.1, 0.2, 0.3};
        EXPECT_LT(norm(apply(moved_file.transform, apply(transform_at(a, t), p)) -
                       apply(transform_at(b, t + 0.4), p)),
                  1e-12);
    }
}

TEST(Instances, with_mistakes_are_refused)
{
    const auto complaint = [](const std::string& instances) {
        return complaint_of([&] { (void)scene_with(instances); });
    };
    EXPECT_THAT(complaint(R"([{"name": "b", "of": ["shet"]}])"),
                HasSubstr("instances[0].of: the unknown name \"shet\""));
    EXPECT_THAT(complaint(R"([{"name": "b"}, {"name": "b"}])"), HasSubstr("a second time"));
    EXPECT_THAT(
        complaint(R"([{"name": "b", "materials": [{"cloth": "box", "material": "denim"}]}])"),
        HasSubstr("materials[0].cloth"));
    EXPECT_THAT(complaint(R"([{"transform": {}}])"), HasSubstr("instances[0].name"));
}

} // namespace
} // namespace pleat
