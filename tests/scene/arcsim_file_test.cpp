// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/scene/arcsim_file.hpp"

#include "pleat/scene/load_scene.hpp"
#include "pleat/scene/material_file.hpp"
#include "problems.hpp"
#include "temporary_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>

namespace pleat {
namespace {

using testing::AllOf;
using testing::HasSubstr;

const std::filesystem::path folder =
    std::filesystem::path(PLEAT_SOURCE_DIR) / "tests" / "scene" / "arcsim";

std::size_t count_notes(const ReadScene& read, const std::string& words)
{
    return std::size_t(
        std::count_if(read.notes.begin(), read.notes.end(),
                      [&](const std::string& n) { return n.find(words) != std::string::npos; }));
}

TEST(ArcsimScene, every_key_is_taken_over)
{
    const ReadScene read = read_any_scene(folder / "scenes/frames.json");
    ASSERT_TRUE(read.is_arcsim);
    const SceneDescription& s = read.scene;
    EXPECT_EQ(s.fps, 25);
    EXPECT_EQ(s.substeps, 8);
    EXPECT_EQ(s.frames, 40);
    EXPECT_EQ(s.gravity, (Vec3{0, 0, -9.8}));
    EXPECT_EQ(s.up, (Vec3{0, 0, 1}));
    EXPECT_EQ(s.wind, (Wind{{0, 3, 0}, 1.2, 0.5}));
    EXPECT_EQ(s.contact.friction, 0.5);
    EXPECT_EQ(s.contact.thickness, 5e-3);
    EXPECT_EQ(s.contact.on_overlap, "untangle");

    ASSERT_EQ(s.cloths.size(), 2u);
    const ClothDescription& c = s.cloths[0];
    EXPECT_EQ(c.transform.translate, (Vec3{0, 0, 1}));
    EXPECT_EQ(c.transform.scale, 2);
    const Vec3 turned = rotate(c.transform.rotation, {1, 0, 0});
    EXPECT_NEAR(turned[1], 1, 1e-12);
    EXPECT_EQ(c.linear_velocity, (Vec3{1, 0, 0}));
    EXPECT_EQ(c.angular_velocity, (Vec3{0, 0, 2}));
    EXPECT_EQ(c.velocity_origin, (Vec3{0, 0, 1}));
    ASSERT_EQ(c.materials.size(), 1u);
    const Material& m = c.materials[0];
    EXPECT_EQ(m.name, "measured");
    EXPECT_NEAR(m.density, 0.2 * 2 * 5, 1e-12);
    const auto& membrane = std::get<MembraneMeasured>(m.membrane);
    EXPECT_NEAR(membrane.at_rest.c11, 16 * 3 * 5, 1e-9);
    EXPECT_NEAR(membrane.at_stretch[4].c22, 405 * 3 * 5, 1e-9);
    EXPECT_NEAR(std::get<BendingMeasured>(m.bending).stiffness[2][4], 5e-5 * 4 * 5, 1e-15);
    EXPECT_EQ(m.damping, 0.01);
    ASSERT_TRUE(m.strain_limits.has_value());
    EXPECT_NEAR(m.strain_limits->min, -0.05, 1e-12);
    EXPECT_NEAR(m.strain_limits->max, 0.1, 1e-12);
    const RemeshingDescription& r = c.remeshing;
    EXPECT_EQ(r.type, "anisotropic");
    EXPECT_EQ(r.angle, 0.3);
    EXPECT_EQ(r.compression, 0.01);
    EXPECT_EQ(r.velocity, 1);
    EXPECT_EQ(r.edge_length, (std::array<double, 2>{0.05, 0.4}));
    EXPECT_EQ(r.aspect_min, 0.2);
    EXPECT_EQ(r.crossings, "none") << "separation is disabled";

    EXPECT_EQ(s.cloths[1].remeshing.type, "none");
    EXPECT_NEAR(s.cloths[1].materials[0].density, 0.3, 1e-12);
    EXPECT_EQ(std::get<MembraneIsotropicSheet>(s.cloths[1].materials[0].membrane).young, 1e5);
    EXPECT_EQ(std::get<BendingIsotropicSheet>(s.cloths[1].materials[0].bending).poisson, 0.3);

    ASSERT_EQ(s.handles.size(), 2u);
    EXPECT_EQ(s.handles[0].cloth, "cloth");
    EXPECT_EQ(s.handles[0].nodes, (std::vector<std::uint32_t>{0, 3}));
    EXPECT_EQ(s.handles[0].motion.body, 0) << "motion 1 is the first body of the file";
    EXPECT_EQ(s.handles[0].motion.fps, 60);
    EXPECT_EQ(s.handles[0].from, 0.5);
    EXPECT_EQ(s.handles[0].until, 4);
    EXPECT_EQ(s.handles[0].fade, 1);
    EXPECT_EQ(s.handles[0].stiffness, 2000);
    EXPECT_EQ(s.handles[1].label, 5);
    EXPECT_EQ(s.handles[1].cloth, "cloth1");

    ASSERT_EQ(s.obstacles.size(), 2u);
    EXPECT_EQ(s.obstacles[0].friction, 0.2);
    EXPECT_EQ(s.obstacles[0].transform.translate, (Vec3{0, 0, -3}));
    EXPECT_EQ(s.obstacles[0].from, 0.1);
    EXPECT_EQ(s.obstacles[0].until, 9);
    ASSERT_EQ(s.obstacles[0].motion.keys.keys.size(), 2u);
    EXPECT_EQ(s.obstacles[0].motion.keys.keys[1].transform.scale, 2);
    EXPECT_FALSE(s.obstacles[0].motion.keys.keys[0].velocity.has_value());
    EXPECT_EQ(s.obstacles[0].motion.keys.keys[1].velocity, TransformRate{});
    // Motion 4 is the second body of the second file entry, turned and scaled.
    const auto& keys = s.obstacles[1].motion.keys.keys;
    ASSERT_EQ(keys.size(), 3u);
    EXPECT_NEAR(keys[1].time, 1 / 60.0, 1e-12);
    EXPECT_NEAR(keys[1].transform.translate[0], 0.5, 1e-12);
    EXPECT_NEAR(keys[1].transform.translate[1], 0.5, 1e-12);
    EXPECT_NEAR(keys[1].transform.translate[2], 0.1, 1e-12);
    EXPECT_NEAR(keys[1].transform.scale, 0.1, 1e-12);
}

TEST(ArcsimScene, what_is_not_supported_is_noted_once)
{
    const ReadScene read = read_any_scene(folder / "scenes/frames.json");
    for (const char* words :
         {"\"popfilter\"", "\"physics\"", "\"yield_curv\"", "\"weakening\"", "\"circle\"",
          "\"glue\"", "\"soft\"", "morphs", "\"projection_thickness\"", "\"collision_stiffness\"",
          "\"edge_flip_threshold\"", "\"unheard_of\"", "\"dead_key\""})
        EXPECT_EQ(count_notes(read, words), 1u) << words;
    EXPECT_EQ(read.notes.size(), 13u) << testing::PrintToString(read.notes);
}

TEST(ArcsimScene, runs_what_it_read)
{
    for (const char* name : {"scenes/frames.json", "scenes/steps.json", "scenes/high_res.json"}) {
        const ReadScene read = read_any_scene(folder / name);
        const Scene scene = load_scene(read.scene);
        EXPECT_GT(scene.start.model.mesh.face_count(), 0u) << name;
        (void)make_pipeline(read.scene);
    }
}

TEST(ArcsimScene, step_mode_and_its_own_defaults)
{
    const ReadScene read = read_any_scene(folder / "scenes/steps.json");
    const SceneDescription& s = read.scene;
    EXPECT_NEAR(s.fps, 50, 1e-9);
    EXPECT_EQ(s.substeps, 4);
    EXPECT_EQ(s.frames, 5);
    EXPECT_EQ(s.gravity, (Vec3{}));
    EXPECT_EQ(s.wind.density, 1) << "still air drags where the file says nothing";
    EXPECT_EQ(s.contact.type, "none");
    EXPECT_EQ(s.contact.friction, 0.6);
    EXPECT_EQ(s.contact.thickness, 1e-3);
    EXPECT_EQ(s.strain_limiting.type, "none");
    EXPECT_EQ(s.cloths[0].remeshing.type, "none");
    ASSERT_EQ(s.obstacles.size(), 3u) << "files 0, 1, 2";
    EXPECT_EQ(s.obstacles[0].friction, 0.3);
    EXPECT_EQ(s.obstacles[1].motion.body, 1);
    EXPECT_EQ(s.obstacles[1].motion.fps, 30);
    EXPECT_TRUE(s.obstacles[2].motion.file.empty());
    EXPECT_EQ(count_notes(read, "stand still"), 1u);
    EXPECT_EQ(count_notes(read, "\"save_every\""), 1u);
    EXPECT_EQ(count_notes(read, "\"nonsense\""), 1u);
}

TEST(ArcsimScene, a_fixed_fine_mesh_is_uniform_remeshing)
{
    const ReadScene read = read_any_scene(folder / "scenes/high_res.json");
    EXPECT_EQ(read.scene.cloths[0].remeshing.type, "uniform");
    EXPECT_EQ(read.scene.up, (Vec3{0, 1, 0}));
    EXPECT_EQ(count_notes(read, "no end is given"), 1u);
}

TEST(ArcsimScene, converted_it_is_the_same_scene)
{
    const ReadScene read = read_any_scene(folder / "scenes/frames.json");
    const TemporaryFolder temporary;
    const auto path = temporary.path() / "scene.json";
    std::ofstream(path) << to_json_text(read.scene, temporary.path());
    SceneDescription again = read_any_scene(path).scene;
    const Scene a = load_scene(read.scene), b = load_scene(again);
    EXPECT_EQ(a.start.state.x.values, b.start.state.x.values);
    EXPECT_EQ(a.start.model.materials, b.start.model.materials);
    ASSERT_EQ(a.world.obstacles.size(), b.world.obstacles.size());
    for (std::size_t i = 0; i < a.world.obstacles.size(); ++i) {
        EXPECT_EQ(a.world.obstacles[i].x, b.world.obstacles[i].x);
        EXPECT_EQ(a.world.obstacles[i].motion, b.world.obstacles[i].motion);
    }
    std::ifstream in(path);
    const std::string text((std::istreambuf_iterator<char>(in)), {});
    EXPECT_THAT(text, testing::Not(HasSubstr("\"mesh\": \"/"))) << "paths are relative";
}

TEST(ArcsimScene, the_earlier_of_two_ends_counts)
{
    const auto frames = [](const std::string& keys) {
        return parse_arcsim_scene("{" + keys + R"(, "cloths": [{"mesh": "meshes/square.obj",
            "materials": [{"data": "materials/measured.json"}]}]})",
                                  folder / "scenes" / "made_up.json")
            .scene.frames;
    };
    EXPECT_EQ(frames(R"("frame_time": 0.04, "end_time": 2, "end_frame": 40)"), 40);
    EXPECT_EQ(frames(R"("frame_time": 0.04, "end_time": 1, "end_frame": 40)"), 25);
    EXPECT_EQ(frames(R"("timestep": 0.01, "duration": 1, "end_frame": 200)"), 100);
}

TEST(ArcsimScene, save_frames_is_known_beside_frame_time)
{
    const ReadScene read = parse_arcsim_scene(
        R"({"frame_time": 0.04, "save_frames": 4, "end_frame": 3,
            "cloths": [{"mesh": "meshes/square.obj",
                        "materials": [{"data": "materials/measured.json"}]}]})",
        folder / "scenes" / "made_up.json");
    EXPECT_EQ(count_notes(read, "not known"), 0u);
    EXPECT_EQ(count_notes(read, "\"save_frames\""), 1u);
}

TEST(ArcsimScene, a_fabric_that_is_not_there_is_ours_of_that_name)
{
    const auto read = [](const std::string& material) {
        return parse_arcsim_scene(R"({"frame_time": 0.04, "end_frame": 3, "cloths": [{
            "mesh": "meshes/square.obj", "materials": [)" +
                                      material + "]}]}",
                                  folder / "scenes" / "made_up.json");
    };
    const ReadScene plain = read(R"({"data": "fabrics/gray-interlock.json"})");
    EXPECT_EQ(plain.scene.cloths[0].materials[0], fabric("gray-interlock"));
    EXPECT_EQ(count_notes(plain, "\"fabrics/gray-interlock.json\" is not there"), 1u);
    const ReadScene heavy =
        read(R"({"data": "fabrics/gray-interlock.json", "density_mult": 2, "thicken": 3})");
    EXPECT_EQ(heavy.scene.cloths[0].materials[0],
              thickened(scaled(fabric("gray-interlock"), 2, 1, 1), 3));
    EXPECT_EQ(count_notes(read(R"({"data": "materials/measured.json"})"), "is not there"), 0u);
    // A folder above has the files that come with Pleat, in our format.
    const ReadScene found = read(R"({"data": "materials/11oz-black-denim.json"})");
    EXPECT_EQ(found.scene.cloths[0].materials[0], fabric("denim"));
    EXPECT_EQ(count_notes(found, "is not there"), 0u);
    EXPECT_THAT(complaint_of([&] { (void)read(R"({"data": "fabrics/gray-interlok.json"})"); }),
                HasSubstr("gray-interlok.json"));
}

TEST(ArcsimScene, converted_a_short_scene_stays_short_and_fabrics_keep_their_names)
{
    const ReadScene read = parse_arcsim_scene(R"({
  "frame_time": 0.04, "frame_steps": 8, "end_time": 10,
  "cloths": [{
    "mesh": "meshes/square.obj",
    "transform": {"translate": [0, 0, 1]},
    "materials": [{"data": "fabrics/gray-interlock.json", "bending_mult": 2,
                   "strain_limits": [0.9, 1.1]}],
    "remeshing": {"refine_angle": 0.3, "refine_compression": 0.01, "refine_velocity": 0.5,
                  "size": [10e-3, 200e-3], "aspect_min": 0.2}
  }],
  "motions": [[{"time": 0}, {"time": 1, "transform": {"translate": [0, 1, 0]}, "velocity": {}}]],
  "handles": [{"nodes": [2, 3], "motion": 0}],
  "gravity": [0, 0, -9.8]
})",
                                              folder / "scenes" / "made_up.json");
    const TemporaryFolder temporary;
    const auto path = temporary.path() / "scene.json";
    const std::string text = to_json_text(read.scene, temporary.path(), SceneText::brief);
    EXPECT_LE(std::count(text.begin(), text.end(), '\n'), 20) << text;
    EXPECT_THAT(text, HasSubstr(R"("base": "gray-interlock")"));
    EXPECT_THAT(text, HasSubstr(R"("bending_scale": 2)"));
    for (const char* word : {"at_stretch", "quaternion", "solver", "broad_phase", "fade"})
        EXPECT_THAT(text, testing::Not(HasSubstr(word))) << text;
    std::ofstream(path) << text;
    SceneDescription again = read_scene_file(path);
    again.file = read.scene.file;
    ASSERT_EQ(again.cloths.size(), 1u);
    again.cloths[0].mesh = read.scene.cloths[0].mesh; // another way to the same file
    EXPECT_EQ(again, read.scene) << text;
}

std::string complaint(const std::string& text)
{
    return complaint_of(
        [&] { (void)parse_arcsim_scene(text, folder / "scenes" / "made_up.json"); });
}

TEST(ArcsimScene, bad_scenes_say_where)
{
    const std::string cloth =
        R"("cloths": [{"mesh": "meshes/square.obj", "materials": [{"data": "materials/measured.json"}]}])";
    EXPECT_EQ(complaint("{\"frame_time\": 0.04, " + cloth + "}"), "");
    EXPECT_THAT(complaint(R"({"frame_time": 0.04, "cloths": []})"), HasSubstr("at least one"));
    EXPECT_THAT(complaint("{" + cloth + "}"), HasSubstr("no time step"));
    EXPECT_THAT(complaint(R"({"frame_time": 0.04, "cloths": [{"mesh": "none.obj",
                              "materials": [{"data": "materials/measured.json"}]}]})"),
                AllOf(HasSubstr("cloths[0].mesh"), HasSubstr("scenes/none.obj"),
                      HasSubstr("arcsim/none.obj"), HasSubstr("tried")));
    EXPECT_THAT(complaint(R"({"frame_time": 0.04, "cloths": [{"mesh": "meshes/square.obj",
                              "materials": [{"data": "scenes/steps.json"}]}]})"),
                AllOf(HasSubstr("steps.json"), HasSubstr("density")));
    EXPECT_THAT(complaint("{\"frame_time\": 0.04, " + cloth +
                          R"(, "handles": [{"nodes": [0], "motion": 3}]})"),
                AllOf(HasSubstr("handles[0].motion"), HasSubstr("motion 3")));
    EXPECT_THAT(complaint("{\"frame_time\": 0.04, " + cloth + R"(, "handles": [{}]})"),
                HasSubstr("neither \"nodes\" nor \"label\""));
    EXPECT_THAT(complaint("{\"frame_time\": 0.04, " + cloth + R"(, "handles": [{"cloth": 2,
                          "nodes": [0]}]})"),
                HasSubstr("cloth 2"));
    EXPECT_THAT(complaint("{\"frame_time\": 0.04, " + cloth + R"(, "obstacles": "no%s.obj"})"),
                HasSubstr("obstacles"));
    EXPECT_THAT(complaint("{\"frame_time\": 0.04, " + cloth + R"(, "motions": [[]]})"),
                HasSubstr("motions[0]"));
    EXPECT_THAT(complaint("{\"frame_time\": 0.04, " + cloth + R"(, "motions": 3, "disable": 4})"),
                AllOf(HasSubstr("motions"), HasSubstr("disable")));
    const std::string to_a_point =
        R"(, "motions": [[{"time": 0}, {"time": 1, "transform": {"scale": 0}}]])";
    EXPECT_EQ(complaint("{\"frame_time\": 0.04, " + cloth + to_a_point +
                        R"(, "handles": [{"nodes": [0], "motion": 0}]})"),
              "");
    EXPECT_THAT(complaint("{\"frame_time\": 0.04, " + cloth + to_a_point +
                          R"(, "obstacles": [{"mesh": "meshes/parts/part00.obj", "motion": 0}]})"),
                AllOf(HasSubstr("obstacles[0].motion"), HasSubstr("0 is for handles")));
    EXPECT_THAT(complaint("{\"frame_time\": -1, " + cloth + "}"), HasSubstr("frame_time"));
}

TEST(ArcsimScene, our_own_scenes_stay_ours)
{
    const auto path = std::filesystem::path(PLEAT_SOURCE_DIR) / "tests/scene/everything/scene.json";
    const ReadScene read = read_any_scene(path);
    EXPECT_FALSE(read.is_arcsim);
    EXPECT_EQ(read.scene, read_scene_file(path));
}

} // namespace
} // namespace pleat
