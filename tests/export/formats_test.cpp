// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Every format is written and read back: positions, velocities, faces and material points.
#include "pleat/export/frame_formats.hpp"

#include "pleat/core/error.hpp"
#include "pleat/export/glb_writer.hpp"
#include "pleat/export/usda_sink.hpp"
#include "pleat/io/gltf.hpp"
#include "pleat/io/ply.hpp"
#include "temporary_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <sstream>

namespace pleat {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// A cloth of two panels with a seam that moves from frame to frame, a static floor and a ball.
struct MovingScene {
    std::vector<Vec3> x = {{0, 0, 0}, {0, 1, 0}, {-1, 0, 0}, {1, 0, 0.25}};
    std::vector<Vec3> v = {{0, 0, 1}, {0, 0, 2}, {0, 0, 3}, {0.5, 0, 4}};
    std::vector<Vec2> u = {{0, 0}, {0, 1}, {-1, 0}, {5, 0}, {5, 1}, {6, 0}};
    std::vector<std::uint32_t> vert_node = {0, 1, 2, 0, 1, 3};
    std::vector<std::array<std::uint32_t, 3>> face_nodes = {{0, 1, 2}, {1, 0, 3}};
    std::vector<std::array<std::uint32_t, 3>> face_verts = {{0, 1, 2}, {4, 3, 5}};
    std::vector<std::uint32_t> face_panel = {0, 1};

    explicit MovingScene(int number = 0)
    {
        for (Vec3& p : x) p[2] += 0.5 * number;
    }
    [[nodiscard]] Frame frame(int number) const
    {
        FrameMesh cloth;
        cloth.name = "sheet";
        cloth.is_cloth = true;
        cloth.x = x;
        cloth.u = u;
        cloth.face_nodes = face_nodes;
        cloth.face_verts = face_verts;
        cloth.v = v;
        cloth.vert_node = vert_node;
        cloth.face_panel = face_panel;
        FrameMesh floor;
        floor.name = "2nd floor";
        floor.is_static = true;
        floor.x = x;
        floor.face_nodes = face_nodes;
        FrameMesh ball = floor;
        ball.name = "ball";
        ball.is_static = false;
        ball.v = v;
        return {number, 0.04 * number, {cloth, floor, ball}};
    }
};

void write_frames(const std::string& format, const std::filesystem::path& folder, int count,
                  const FrameFileOptions& options = {})
{
    const auto sink = make_frame_sink(format, folder, options);
    for (int i = 0; i < count; ++i) sink->write(MovingScene(i).frame(i));
    sink->finish();
}

TEST(FrameFormats, are_known_by_name)
{
    EXPECT_THAT(frame_format_names(), ElementsAre("obj", "ply", "usda", "vtp", "glb"));
    const TemporaryFolder folder;
    try {
        (void)make_frame_sink("fbx", folder.path(), {});
        FAIL();
    } catch (const InputError& error) {
        EXPECT_THAT(error.what(), HasSubstr("obj, ply, usda, vtp, glb"));
    }
}

TEST(FrameFormats, use_the_name_pattern)
{
    for (const std::string& format : frame_format_names()) {
        const TemporaryFolder folder;
        FrameFileOptions options;
        options.names = NamePattern("{name}.{frame:03d}");
        write_frames(format, folder.path(), 2, options);
        EXPECT_TRUE(std::filesystem::exists(folder / ("frames/sheet.001." + format))) << format;
    }
}

TEST(PlyFormat, comes_back_with_velocities_and_seams)
{
    const TemporaryFolder folder;
    write_frames("ply", folder.path(), 2);
    const MeshInput mesh = read_ply(folder / "frames/00001_sheet.ply").mesh;
    const MovingScene scene(1);
    EXPECT_EQ(mesh.node_x, scene.x);
    EXPECT_EQ(mesh.node_v, scene.v);
    EXPECT_EQ(mesh.material_u, scene.u);
    EXPECT_EQ(mesh.face_nodes, scene.face_nodes);
    EXPECT_EQ(mesh.face_points, scene.face_verts);
    EXPECT_EQ(read_ply(folder / "frames/00001_ball.ply").mesh.node_v, scene.v);
}

/// The text between "name.timeSamples = {" and "}" below the first `prim`, by time.
std::map<int, std::string> samples(const std::string& text, const std::string& prim,
                                   const std::string& name)
{
    std::map<int, std::string> found;
    std::size_t at = text.find("\"" + prim + "\"");
    EXPECT_NE(at, std::string::npos) << prim;
    at = text.find(" " + name + ".timeSamples = {\n", at);
    EXPECT_NE(at, std::string::npos) << prim << " " << name;
    std::istringstream lines(text.substr(text.find('\n', at) + 1));
    for (std::string line; std::getline(lines, line) && line.find('}') == std::string::npos;) {
        const std::size_t colon = line.find(": ");
        found[std::stoi(line)] = line.substr(colon + 2, line.size() - colon - 3);
    }
    return found;
}

TEST(UsdaFormat, has_all_frames_with_velocities_in_one_file)
{
    const TemporaryFolder folder;
    FrameFileOptions options;
    options.fps = 50;
    options.up = {0, 1, 0};
    write_frames("usda", folder.path(), 3, options);
    const std::string text = read_bytes(folder / "run.usda");
    EXPECT_TRUE(text.starts_with("#usda 1.0\n"));
    for (const char* line :
         {"    startTimeCode = 0\n", "    endTimeCode = 2\n", "    timeCodesPerSecond = 50\n",
          "    metersPerUnit = 1\n", "    upAxis = \"Y\"\n", "    defaultPrim = \"run\"\n"})
        EXPECT_THAT(text, HasSubstr(line));
    const auto points = samples(text, "sheet", "points");
    ASSERT_EQ(points.size(), 3u);
    EXPECT_EQ(points.at(2), "[(0, 0, 1), (0, 1, 1), (-1, 0, 1), (1, 0, 1.25)]");
    EXPECT_EQ(samples(text, "sheet", "velocities").at(1),
              "[(0, 0, 1), (0, 0, 2), (0, 0, 3), (0.5, 0, 4)]");
    EXPECT_EQ(samples(text, "sheet", "faceVertexIndices").at(1), "[0, 1, 2, 1, 0, 3]");
    EXPECT_EQ(samples(text, "sheet", "faceVertexCounts").at(0), "[3, 3]");
    EXPECT_EQ(samples(text, "sheet", "primvars:st").at(0),
              "[(0, 0), (0, 1), (-1, 0), (5, 0), (5, 1), (6, 0)]");
    EXPECT_EQ(samples(text, "sheet", "primvars:st:indices").at(0), "[0, 1, 2, 4, 3, 5]");
    EXPECT_EQ(samples(text, "panel_1", "indices").at(2), "[1]");
    // Obstacles keep their faces; a static one has no samples at all.
    EXPECT_EQ(samples(text, "ball", "points").size(), 3u);
    const std::string floor = text.substr(text.find("_2nd_floor"));
    EXPECT_EQ(floor.substr(0, floor.find("\n    }\n")).find("timeSamples"), std::string::npos);
    EXPECT_THAT(floor, HasSubstr("int[] faceVertexIndices = [0, 1, 2, 1, 0, 3]\n"));
}

TEST(UsdaFormat, keeps_the_frames_of_the_run_before_it_was_resumed)
{
    const TemporaryFolder folder;
    write_frames("usda", folder.path(), 2);
    const auto resumed = make_frame_sink("usda", folder.path(), {});
    resumed->write(MovingScene(2).frame(2));
    resumed->finish();
    EXPECT_EQ(samples(read_bytes(folder / "run.usda"), "sheet", "points").size(), 3u);
}

TEST(UsdaFormat, hides_objects_in_frames_in_which_they_are_not)
{
    const TemporaryFolder folder;
    const auto sink = make_frame_sink("usda", folder.path(), {});
    for (int i = 0; i < 5; ++i) {
        const MovingScene scene(i);
        Frame frame = scene.frame(i);
        if (i == 0 || i == 4) frame.meshes.pop_back();
        sink->write(frame);
    }
    sink->finish();
    const auto visible = samples(read_bytes(folder / "run.usda"), "ball", "visibility");
    const std::map<int, std::string> expected{
        {0, "\"invisible\""}, {1, "\"inherited\""}, {4, "\"invisible\""}};
    EXPECT_EQ(visible, expected);
}

TEST(UsdaFormat, turns_scenes_with_x_up)
{
    const TemporaryFolder folder;
    FrameFileOptions options;
    options.up = {1, 0, 0};
    write_frames("usda", folder.path(), 1, options);
    const std::string text = read_bytes(folder / "run.usda");
    EXPECT_THAT(text, HasSubstr("upAxis = \"Z\""));
    const std::string turn = "xformOp:rotateXYZ = (0, -90, 0)";
    EXPECT_THAT(text, HasSubstr(turn));
    EXPECT_EQ(text.find(turn), text.rfind(turn)) << "turned once";
    EXPECT_THAT(read_bytes(folder / "frames/00000_sheet.usda"), HasSubstr(turn));
}

TEST(UsdaFormat, refuses_to_join_files_of_others)
{
    const TemporaryFolder folder;
    write_frames("usda", folder.path(), 2);
    write_bytes(folder / "frames/00001_sheet.usda", "#usda 1.0\n");
    const auto sink = make_frame_sink("usda", folder.path(), {});
    EXPECT_THROW(sink->finish(), InputError);
}

/// The values of an appended array of a .vtp file.
template <class T> std::vector<T> vtp_array(const std::string& bytes, const std::string& name)
{
    const std::size_t at = bytes.find("Name=\"" + name + "\"");
    EXPECT_NE(at, std::string::npos) << name;
    const std::string key = "offset=\"";
    const std::size_t offset = std::stoul(bytes.substr(bytes.find(key, at) + key.size()));
    const std::size_t data = bytes.find("<AppendedData encoding=\"raw\">\n_") + 31 + offset;
    std::uint64_t size = 0;
    std::memcpy(&size, bytes.data() + data, sizeof size);
    std::vector<T> values(size / sizeof(T));
    std::memcpy(values.data(), bytes.data() + data + sizeof size, size);
    return values;
}

TEST(VtpFormat, comes_back_with_velocities_and_strain)
{
    const TemporaryFolder folder;
    write_frames("vtp", folder.path(), 2);
    const std::string bytes = read_bytes(folder / "frames/00001_sheet.vtp");
    EXPECT_THAT(bytes, HasSubstr("NumberOfPoints=\"6\""));
    EXPECT_THAT(bytes, HasSubstr("NumberOfPolys=\"2\""));
    const auto points = vtp_array<double>(bytes, "Points");
    const auto velocity = vtp_array<double>(bytes, "velocity");
    ASSERT_EQ(points.size(), 18u);
    ASSERT_EQ(velocity.size(), 18u);
    const MovingScene scene(1);
    for (std::size_t i = 0; i < 6; ++i)
        for (std::size_t k = 0; k < 3; ++k) {
            EXPECT_EQ(points[3 * i + k], scene.x[scene.vert_node[i]][k]);
            EXPECT_EQ(velocity[3 * i + k], scene.v[scene.vert_node[i]][k]);
        }
    EXPECT_THAT(vtp_array<std::int64_t>(bytes, "connectivity"), ElementsAre(0, 1, 2, 4, 3, 5));
    EXPECT_THAT(vtp_array<std::int64_t>(bytes, "offsets"), ElementsAre(3, 6));
    EXPECT_THAT(vtp_array<std::int32_t>(bytes, "node"), ElementsAre(0, 1, 2, 0, 1, 3));
    EXPECT_THAT(vtp_array<std::int32_t>(bytes, "panel"), ElementsAre(0, 1));
    const auto strain = vtp_array<double>(bytes, "strain");
    EXPECT_NEAR(strain[0], 0, 1e-12); // the first face is as in the material
    EXPECT_NEAR(strain[2], std::sqrt(1 + 0.0625) - 1, 1e-12); // the second is pulled along u
    EXPECT_NEAR(strain[3], 0, 1e-12);
}

TEST(VtpFormat, lists_all_files_with_their_times)
{
    const TemporaryFolder folder;
    write_frames("vtp", folder.path(), 2);
    const std::string text = read_bytes(folder / "run.pvd");
    EXPECT_THAT(text, HasSubstr("timestep=\"0.04\" group=\"\" part=\"2\" name=\"sheet\" "
                                "file=\"frames/00001_sheet.vtp\""));
    // The floor is one file, and there in both frames.
    EXPECT_THAT(text, HasSubstr("timestep=\"0.04\" group=\"\" part=\"0\" name=\"2nd_floor\" "
                                "file=\"frames/00000_2nd_floor.vtp\""));
}

TEST(GlbFormat, comes_back_turned_to_y_up)
{
    const TemporaryFolder folder;
    write_frames("glb", folder.path(), 2);
    const GltfFile file = read_gltf(folder / "frames/00001_sheet.glb");
    ASSERT_EQ(file.meshes.size(), 1u);
    EXPECT_EQ(file.meshes[0].name, "sheet");
    EXPECT_EQ(file.meshes[0].faces.size(), 2u);
    const auto instances = gltf_instances(file);
    ASSERT_EQ(instances.size(), 1u);
    const auto points = gltf_points(file, instances[0], gltf_pose(file, nullptr, 0));
    ASSERT_EQ(points.size(), 4u); // verts of a seam are joined by the reader
    const MovingScene scene(1);
    for (const Vec3& expected : scene.x) {
        bool is_there = false; // (x, y, z) with z up is (x, z, -y) with y up
        for (const Vec3& p : points)
            is_there = is_there || norm(p - Vec3{expected[0], expected[2], -expected[1]}) < 1e-6;
        EXPECT_TRUE(is_there);
    }
    const std::string bytes = read_bytes(folder / "frames/00001_sheet.glb");
    EXPECT_THAT(bytes, HasSubstr("\"_VELOCITY\":3"));
    EXPECT_EQ(bytes.size() % 4, 0u);
}

TEST(GlbWriter, animates_positions_by_morph_targets)
{
    const TemporaryFolder folder;
    const MovingScene first(0), second(1), third(2);
    GlbMesh mesh;
    mesh.name = "baked \"sheet\"";
    mesh.x = first.x;
    mesh.face_nodes = first.face_nodes;
    mesh.up = {0, 1, 0};
    write_glb(folder / "a.glb", mesh, {{0, 0.04f, 0.08f}, {first.x, second.x, third.x}});
    const GltfFile file = read_gltf(folder / "a.glb");
    ASSERT_EQ(file.animations.size(), 1u);
    EXPECT_EQ(file.meshes[0].targets.size(), 3u);
    EXPECT_EQ(file.meshes[0].name, mesh.name);
    const auto instance = gltf_instances(file).at(0);
    for (const auto& [time, height] :
         {std::pair{0.0, 0.0}, {0.04, 0.5}, {0.06, 0.75}, {1.0, 1.0}}) {
        const auto points = gltf_points(file, instance, gltf_pose(file, &file.animations[0], time));
        EXPECT_NEAR(points[0][2], height, 1e-6) << time;
        EXPECT_NEAR(points[3][2], 0.25 + height, 1e-6) << time;
    }
}

} // namespace
} // namespace pleat
