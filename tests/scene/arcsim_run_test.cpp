// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Scenes in ARCSim's format, one a key, advanced by steps: what they do, not only that they load.
#include "pleat/scene/arcsim_file.hpp"

#include "mesh/zoo.hpp"
#include "pleat/export/obj_writer.hpp"
#include "pleat/loads/handles.hpp"
#include "pleat/scene/load_scene.hpp"
#include "pleat/scene/start_check.hpp"
#include "pleat/sim/run.hpp"
#include "pleat/sim/step.hpp"
#include "temporary_folder.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

namespace pleat {
namespace {

/// A folder with meshes, and scenes run in it.
class ArcsimRun : public testing::Test {
protected:
    ArcsimRun()
    {
        MeshInput sheet = zoo::grid(2, 2); // 9 nodes in a square metre
        write_obj(folder_ / "sheet.obj", view_as_obj(sheet));
        sheet.node_label.assign(sheet.node_x.size(), 0);
        sheet.node_label[8] = 7;
        write_obj(folder_ / "labelled.obj", view_as_obj(sheet));
        sheet.node_label.clear();
        sheet.node_v.assign(sheet.node_x.size(), Vec3{0, 0, 1});
        write_obj(folder_ / "moving.obj", view_as_obj(sheet));
        write_obj(folder_ / "two.obj", view_as_obj(zoo::grid(1, 1)));
    }

    /// A scene of one cloth in still air without density, with further keys.
    [[nodiscard]] static std::string text(const std::string& keys,
                                          const std::string& cloth = R"("mesh": "sheet.obj")")
    {
        return R"({"frame_time": 0.04, "frame_steps": 8, "end_frame": 250, "wind": {"density": 0},
            "cloths": [{"materials": [{"thickness": 5e-4, "density": 300, "elastic_modulus": 1e5}], )" +
               cloth + "}], " + keys + "}";
    }
    void load(const std::string& scene)
    {
        ReadScene read = parse_arcsim_scene(scene, folder_ / "scene.json");
        notes = std::move(read.notes);
        scene_ = load_scene(read.scene);
        pipeline_ = make_pipeline(read.scene);
    }
    void go(double until)
    {
        while (sim().time < until - 1e-9) {
            const AdvanceReport r = advance(scene_.world, pipeline_, sim(), 0.005);
            ASSERT_TRUE(r.ok) << r.trouble;
            proximities += r.proximities;
            impacts += r.impacts;
        }
    }
    [[nodiscard]] Simulation& sim() { return scene_.start; }
    [[nodiscard]] const Vec3& x(std::size_t node) { return sim().state.x.values[node]; }
    [[nodiscard]] bool has_note(const std::string& words) const
    {
        return std::any_of(notes.begin(), notes.end(), [&](const std::string& n) {
            return n.find(words) != std::string::npos;
        });
    }

    TemporaryFolder folder_;
    Scene scene_;
    Pipeline pipeline_;
    std::vector<std::string> notes;
    std::size_t proximities = 0, impacts = 0;
};

TEST_F(ArcsimRun, velocity_of_a_key_holds_a_plateau)
{
    const auto height = [&](const std::string& velocity) {
        load(text(R"("magic": {"handle_stiffness": 1e7}, "disable": ["proximity", "collision"],
            "motions": [[{"time": 0}, {"time": 0.2, "transform": {"translate": [0, 0, 0.2]})" +
                  velocity + R"(}, {"time": 0.4, "transform": {"translate": [0, 0, 0.2]}}]],
            "handles": [{"nodes": [0, 1, 2, 3, 4, 5, 6, 7, 8], "motion": 0}])"));
        go(0.3);
        return x(4)[2];
    };
    EXPECT_GT(height(""), 0.21) << "the central difference goes beyond";
    EXPECT_NEAR(height(R"(, "velocity": {"translate": [0, 0, 0]})"), 0.2, 1e-4);
    EXPECT_NEAR(height(R"(, "velocity": {"translate": [0, 0, -1]})"), 0.2 - 0.125 * 0.2, 1e-4);
}

TEST_F(ArcsimRun, velocity_of_a_key_turns_and_scales)
{
    load(text(R"("magic": {"handle_stiffness": 1e7}, "disable": ["proximity", "collision"],
        "motions": [[{"time": 0, "velocity": {"rotate": [90, 0, 0, 2], "scale": 0.5}},
                     {"time": 1, "transform": {"rotate": [90, 0, 0, 1], "scale": 1.5},
                      "velocity": {"rotate": [90, 0, 0, 1], "scale": 0.5}}]],
        "handles": [{"nodes": [0, 1, 2, 3, 4, 5, 6, 7, 8], "motion": 0}])"));
    const Vec3 before = x(8);
    go(0.2); // as far as a fifth of an even turn and growth
    const Vec3 turned = 1.1 * rotate(rotation_about({0, 0, 1}, 0.2 * 1.5707963267948966), before);
    EXPECT_LT(norm(x(8) - turned), 2e-3);
}

TEST_F(ArcsimRun, scale_zero_draws_what_is_held_to_a_point)
{
    load(text(R"("magic": {"handle_stiffness": 1e6}, "disable": ["proximity", "collision"],
        "motions": [[{"time": 0}, {"time": 0.5, "transform": {"translate": [0, 0, 1], "scale": 0}}]],
        "handles": [{"nodes": [0, 2, 6, 8], "motion": 0}])"));
    go(0.6);
    for (std::size_t n : {0u, 2u, 6u, 8u}) EXPECT_LT(norm(x(n) - Vec3{0, 0, 1}), 2e-3) << n;
}

TEST_F(ArcsimRun, nodes_are_held_by_springs_and_the_label_goes_before_them)
{
    load(text(R"("gravity": [0, 0, -9.8], "handles": [{"nodes": [0], "label": 7}])",
              R"("mesh": "labelled.obj")"));
    EXPECT_TRUE(has_note("the label is used"));
    const Vec3 labelled = x(8);
    go(0.3);
    EXPECT_LT(norm(x(8) - labelled), 0.01);
    EXPECT_LT(x(0)[2], -0.1);
    EXPECT_NE(sim().model.region_handles.values[8], 0u);
}

TEST_F(ArcsimRun, a_handle_fades_with_the_fourth_power)
{
    load(text(R"("gravity": [0, 0, -9.8],
        "handles": [{"nodes": [0], "end_time": 0.1, "fade_time": 0.4}])"));
    go(0.295);
    Loads loads;
    add_handles(scene_.world, sim().model, sim().state, sim().time, 0.005, loads);
    ASSERT_EQ(loads.springs.size(), 1u);
    EXPECT_NEAR(loads.springs[0].stiffness, 1000.0 / 16, 1e-6);
    go(0.6);
    EXPECT_LT(x(0)[2], -0.05);
}

TEST_F(ArcsimRun, velocities_of_the_mesh_replace_that_of_the_cloth)
{
    const std::string velocity = R"(, "velocity": {"linear": [1, 0, 0], "angular": [0, 0, 2]})";
    load(text(R"("gravity": [0, 0, 0])", R"("mesh": "moving.obj")" + velocity));
    const Vec3 before = x(8);
    go(0.1);
    EXPECT_LT(norm(x(8) - before - Vec3{0, 0, 0.1}), 1e-9);
    load(text(R"("gravity": [0, 0, 0])",
              R"("mesh": "sheet.obj", "velocity": {"linear": [1, 0, 0]})"));
    go(0.1);
    EXPECT_LT(norm(x(8) - before - Vec3{0.1, 0, 0}), 1e-9);
}

TEST_F(ArcsimRun, a_floor_proxy_goes_on_beyond_its_mesh)
{
    load(text(R"("gravity": [0, 0, -9.8],
        "obstacles": [{"mesh": "two.obj", "proxy": "floor",
                       "transform": {"translate": [7, 7, -0.2], "rotate": [180, 1, 0, 0]}}])"));
    ASSERT_EQ(scene_.world.obstacles[0].planes.size(), 1u);
    go(0.5);
    for (const Vec3& p : sim().state.x.values) EXPECT_NEAR(p[2], -0.2, 0.02);
}

TEST_F(ArcsimRun, a_floor_proxy_that_is_tilted_stays_so)
{
    load(text(R"("obstacles": [{"mesh": "two.obj", "proxy": "floor",
                                "transform": {"translate": [0, 0, -3], "rotate": [45, 1, 0, 0]}}])"));
    const Obstacle& floor = scene_.world.obstacles[0];
    ASSERT_EQ(floor.planes.size(), 1u);
    const Vec3 normal = normalized(cross(floor.x[1] - floor.x[0], floor.x[2] - floor.x[0]));
    EXPECT_LT(norm(normal - normalized(Vec3{0, -1, 1})), 1e-9);
    EXPECT_NEAR(dot(floor.x[0] - Vec3{0, 0, -3}, normal), 0, 1e-9);
}

TEST_F(ArcsimRun, proximity_and_collision_are_disabled_one_by_one)
{
    const auto fall = [&](const std::string& words) {
        proximities = impacts = 0;
        load(text(R"("gravity": [0, 0, -9.8], "disable": [)" + words + R"(],
            "obstacles": [{"mesh": "sheet.obj", "transform": {"translate": [0, 0, -0.2],
                                                              "scale": 3}}])",
                  R"("mesh": "sheet.obj", "transform": {"translate": [1, 1, 0]})"));
        go(0.35);
        double lowest = 1;
        for (const Vec3& p : sim().state.x.values) lowest = std::min(lowest, p[2]);
        return lowest;
    };
    EXPECT_GT(fall(""), -0.2);
    EXPECT_GT(proximities, 0u);
    EXPECT_GT(fall(R"("proximity")"), -0.2) << "impacts hold it";
    EXPECT_EQ(proximities, 0u);
    EXPECT_GT(impacts, 0u);
    (void)fall(R"("collision")");
    EXPECT_EQ(impacts, 0u);
    EXPECT_LT(fall(R"("proximity", "collision")"), -0.4);
    EXPECT_EQ(proximities + impacts, 0u);
}

/// Hashes of the first frames of a run.
std::vector<std::uint64_t> hashes(const SceneDescription& description, int frames,
                                  std::size_t& faces)
{
    Scene scene = load_scene(description);
    check_start(description, scene);
    Pipeline pipeline = make_pipeline(description);
    scene.settings.frames = frames;
    std::vector<std::uint64_t> result;
    RunHooks hooks;
    hooks.on_frame = [&](const FrameStats& s) {
        result.push_back(s.hash);
        faces = s.faces;
    };
    EXPECT_EQ(run(scene.world, pipeline, scene.start, scene.settings, {}, hooks).end,
              RunEnd::finished);
    return result;
}

TEST_F(ArcsimRun, agrees_with_the_same_scene_in_our_format_to_the_bit)
{
    // A sheet of two faces held by two neighbouring corners, remeshed, which touches the ground:
    // written by hand in both formats.
    const ReadScene old = parse_arcsim_scene(R"({
        "frame_time": 0.04, "frame_steps": 4, "end_time": 4, "end_frame": 12,
        "gravity": [0, 0, -9.8],
        "cloths": [{"mesh": "two.obj",
                    "transform": {"translate": [0, 0, 1], "rotate": [90, 1, 0, 0]},
                    "materials": [{"data": "fabrics/gray-interlock.json",
                                   "strain_limits": [0.9, 1.1]}],
                    "remeshing": {"refine_angle": 0.3, "refine_compression": 0.01,
                                  "refine_velocity": 0.5, "size": [0.03, 0.2],
                                  "aspect_min": 0.2}}],
        "motions": [[{"time": 0}, {"time": 0.3, "transform": {"translate": [0, 0.2, 0]},
                                   "velocity": {"translate": [0, 0, 0]}},
                     {"time": 0.6, "transform": {"translate": [0, 0.2, 0]}}]],
        "handles": [{"nodes": [2, 3], "motion": 0}],
        "obstacles": [{"mesh": "two.obj", "transform": {"translate": [-1, -1, 0], "scale": 3}}],
        "magic": {"repulsion_thickness": 5e-3}
    })",
                                             folder_ / "old.json");
    const SceneDescription ours = parse_scene(R"({
        "pleat": 1, "fps": 25, "substeps": 4, "frames": 12, "gravity": [0, 0, -9.8], "wind": {},
        "cloths": [{"mesh": "two.obj",
                    "transform": {"translate": [0, 0, 1], "rotate": [90, 1, 0, 0]},
                    "material": {"base": "gray-interlock",
                                 "strain_limits": [-0.1, 0.1]},
                    "remeshing": {"type": "anisotropic", "angle": 0.3, "compression": 0.01,
                                  "velocity": 0.5, "edge_length": [0.03, 0.2],
                                  "aspect_min": 0.2}}],
        "handles": [{"nodes": [2, 3], "stiffness": 1000,
                     "motion": [{"time": 0}, {"time": 0.3, "translate": [0, 0.2, 0], "velocity": {}},
                                {"time": 0.6, "translate": [0, 0.2, 0]}]}],
        "obstacles": [{"mesh": "two.obj", "transform": {"translate": [-1, -1, 0], "scale": 3},
                       "friction": 0.3}],
        "contact": {"thickness": 0.005, "friction": 0.6, "on_overlap": "untangle"}
    })",
                                              folder_ / "ours.json");
    std::size_t faces = 0;
    const auto a = hashes(old.scene, 12, faces);
    EXPECT_GT(faces, 100u);
    EXPECT_EQ(hashes(ours, 12, faces), a);
    // And so does what convert writes.
    const SceneDescription converted = parse_scene(
        to_json_text(old.scene, folder_.path(), SceneText::brief), folder_ / "converted.json");
    EXPECT_EQ(hashes(converted, 12, faces), a);
}

} // namespace
} // namespace pleat
