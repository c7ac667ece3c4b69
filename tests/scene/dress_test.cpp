// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/scene/dress.hpp"

#include "pleat/core/parallel.hpp"
#include "pleat/export/obj_writer.hpp"
#include "pleat/scene/garment.hpp"
#include "pleat/scene/start_check.hpp"
#include "pleat/sim/audit.hpp"
#include "pleat/sim/frames.hpp"
#include "problems.hpp"
#include "temporary_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <numbers>

namespace pleat {
namespace {

/// A tube of one panel around the z axis, 0.3 m high: `round` [m] is its own circumference, and it
/// starts on a circle of radius `start`.
void write_tube(const std::filesystem::path& path, double round, double start)
{
    const std::string w = std::to_string(round), r = std::to_string(start);
    const Pattern pattern = parse_pattern(
        R"({"pleat_pattern": 1, "edge_length": 0.08, "panels": [{"name": "tube", "outline": [
            {"at": [0, 0]}, {"at": [)" +
            w + R"(, 0], "edge": "p"}, {"at": [)" + w + R"(, 0.3]}, {"at": [0, 0.3], "edge": "m"}],
            "placement": {"wrap": {"radius": )" +
            r + R"(, "turn": )" + w + R"(}}}], "seams": [{"a": "tube.p", "b": "tube.m"}]})",
        "tube.json");
    const Garment g = make_garment(pattern);
    write_obj(path, view_as_obj(g.mesh));
}

/// A closed cylinder of radius 0.1 about the z axis.
void write_cylinder(const std::filesystem::path& path)
{
    std::ofstream f(path);
    constexpr int n = 24;
    for (double z : {-0.3, 0.6})
        for (int i = 0; i < n; ++i) {
            const double a = 2 * std::numbers::pi * i / n;
            f << "v " << 0.1 * std::cos(a) << " " << 0.1 * std::sin(a) << " " << z << "\n";
        }
    f << "v 0 0 -0.3\nv 0 0 0.6\n";
    for (int i = 0; i < n; ++i) {
        const int a = i + 1, b = (i + 1) % n + 1;
        f << "f " << a << " " << b << " " << b + n << " " << a + n << "\n";
        f << "f " << b << " " << a << " " << 2 * n + 1 << "\n";
        f << "f " << a + n << " " << b + n << " " << 2 * n + 2 << "\n";
    }
}

struct Dressed {
    TemporaryFolder folder;
    SceneDescription description;
    Scene scene;

    Dressed(const std::string& cloths, const std::string& dress)
    {
        write_tube(folder / "wide.obj", 0.70, 0.16);
        write_tube(folder / "outer.obj", 0.80, 0.20);
        write_tube(folder / "tight.obj", 0.66, 0.16);
        write_cylinder(folder / "body.obj");
        description = parse_scene(R"({"pleat": 1, "cloths": )" + cloths +
                                      R"(, "obstacles": [{"name": "body", "mesh": "body.obj"}],
                                  "contact": {"thickness": 0.004}, "dress": )" +
                                      dress + "}",
                                  folder / "scene.json");
        scene = load_scene(description);
        check_start(description, scene);
    }
    [[nodiscard]] MeshAudit look() const { return audit(object_meshes(scene.world, scene.start)); }
    [[nodiscard]] double mean_radius(std::size_t cloth) const
    {
        double sum = 0, count = 0;
        const ObjectMesh mesh = object_meshes(scene.world, scene.start)[cloth];
        for (const Vec3& x : mesh.x) {
            sum += std::hypot(x[0], x[1]);
            ++count;
        }
        return sum / count;
    }
};

constexpr const char* one = R"([{"name": "wide", "mesh": "wide.obj", "material": "denim"}])";

TEST(Dress, N20_a_stretched_tube_comes_to_its_own_width_around_the_body)
{
    Dressed d(one, R"({"time": 0.2, "gravity": 0})");
    const MeshAudit before = d.look();
    EXPECT_GT(before.max_stretch, 0.4) << "1.005 m around at the start, 0.7 m by itself";
    dress(d.description, d.scene);
    const MeshAudit after = d.look();
    EXPECT_EQ(after.intersections, 0u);
    EXPECT_LT(after.max_stretch, 0.02);
    EXPECT_NEAR(d.mean_radius(0), 0.7 / (2 * std::numbers::pi), 0.006);
    for (const Vec3& v : d.scene.start.state.v.values) EXPECT_EQ(norm(v), 0);
    EXPECT_THAT(d.scene.notes.back(), testing::HasSubstr("dressed before frame 0"));
    EXPECT_EQ(d.scene.start.time, 0);
    EXPECT_FALSE(d.scene.start.model.materials[0].strain_limits.has_value())
        << "as the scene had it";
}

TEST(Dress, layers_end_in_their_order)
{
    Dressed d(R"([{"name": "outer", "mesh": "outer.obj", "material": "denim", "layer": 2},
                  {"name": "wide", "mesh": "wide.obj", "material": "denim", "layer": 1}])",
              R"({"time": 0.2, "gravity": 0})");
    dress(d.description, d.scene);
    EXPECT_EQ(d.look().intersections, 0u);
    EXPECT_LT(d.mean_radius(1), d.mean_radius(0));
    EXPECT_LT(d.look().max_stretch, 0.02);
    for (std::uint64_t handles : d.scene.start.model.node_handles) EXPECT_EQ(handles, 0u);
}

TEST(Dress, garments_hang_within_their_own_limits_on_a_mesh_that_adapts)
{
    // 0.66 m around a body of 0.63 m: a polygon of 8 cm edges does not fit around it unstretched.
    Dressed d(R"([{"name": "tight", "mesh": "tight.obj", "material": "gray-interlock",
                   "strain_limits": [-0.1, 0.1],
                   "remeshing": {"type": "anisotropic", "edge_length": [0.02, 0.1]}}])",
              R"({"time": 0.2})");
    const std::size_t faces = d.scene.start.model.mesh.face_count();
    dress(d.description, d.scene);
    const Simulation& start = d.scene.start;
    EXPECT_GT(start.model.mesh.face_count(), 2 * faces);
    EXPECT_EQ(start.state.x.size(), start.model.mesh.node_count());
    EXPECT_EQ(start.model.materials[0].strain_limits, (StrainLimits{-0.1, 0.1}));
    EXPECT_EQ(d.look().intersections, 0u);
    EXPECT_LT(d.look().max_stretch, 0.105);
    EXPECT_EQ(start.time, 0);
    EXPECT_EQ(start.frame, 0);
}

TEST(Dress, gives_the_same_bits_for_any_number_of_threads)
{
    State first;
    for (int threads : {1, 2, 8}) {
        Dressed d(one, R"({"time": 0.05})");
        Threads(threads).run([&] { dress(d.description, d.scene); });
        if (threads == 1) first = d.scene.start.state;
        EXPECT_EQ(d.scene.start.state, first) << threads;
    }
}

TEST(Dress, does_nothing_where_the_scene_says_nothing)
{
    Dressed d(one, R"({"time": 0})");
    const Scene before = d.scene;
    dress(d.description, d.scene);
    EXPECT_EQ(before.start.state, d.scene.start.state);
    d.description.dress.reset();
    dress(d.description, d.scene);
    EXPECT_EQ(before.start.state, d.scene.start.state);
}

TEST(GltfObstacle, is_turned_scaled_and_moved)
{
    const TemporaryFolder folder;
    write_tube(folder / "tube.obj", 0.7, 0.2);
    const std::string glb = std::string(PLEAT_SOURCE_DIR) + "/tests/io/gltf/blender_arm.glb";
    const auto scene_with = [&](const std::string& up, const std::string& gltf) {
        const SceneDescription description =
            parse_scene(R"({"pleat": 1, "up": ")" + up +
                            R"(", "cloths": [{"mesh": "tube.obj", "material": "denim",
                   "transform": {"translate": [9, 9, 9]}}], "obstacles": [{"gltf": {"file": ")" +
                            glb + "\"" + gltf + "}}]}",
                        folder / "scene.json");
        return load_scene(description);
    };
    const auto top = [](const Scene& s, double time, std::size_t axis) {
        double high = -1e9;
        for (const Vec3& p : points_at(s.world.obstacles[0], time)) high = std::max(high, p[axis]);
        return high;
    };
    const Scene z = scene_with("z", "");
    EXPECT_NEAR(top(z, 0, 2), 2, 1e-5) << "2 m along the file's y, which is up";
    EXPECT_NEAR(top(z, 0.5, 0), 2.25, 1e-3) << "the box has slid half way";
    EXPECT_THAT(z.notes.back(),
                testing::AllOf(testing::HasSubstr("y up in the file, z up in the scene"),
                               testing::HasSubstr("1 unit is 1 m"), testing::HasSubstr("of 1 s")));
    EXPECT_NEAR(top(scene_with("y", ""), 0, 1), 2, 1e-5);
    EXPECT_NEAR(top(scene_with("x", ""), 0, 0), 2, 1e-5);
    EXPECT_NEAR(top(scene_with("z", R"(, "unit": 0.01)"), 0, 2), 0.02, 1e-6);
    const Scene arm = scene_with("z", R"(, "nodes": ["rig"], "time": 3, "fps": 100)");
    EXPECT_NEAR(top(arm, 2.9, 2), 2, 1e-5) << "before its time it stands";
    EXPECT_NEAR(top(arm, 4, 2), 1.1, 0.02);
    EXPECT_LT(top(arm, 0, 0), 0.2) << "without the box";

    const auto complaint = [&](const std::string& gltf) {
        return complaint_of([&] { (void)scene_with("z", gltf); });
    };
    EXPECT_THAT(complaint(R"(, "animation": "walk")"),
                testing::AllOf(testing::HasSubstr("\"walk\""), testing::HasSubstr("Animation")));
    EXPECT_THAT(complaint(R"(, "nodes": ["leg"])"), testing::HasSubstr("no node \"leg\""));
}

} // namespace
} // namespace pleat
