// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/core/error.hpp"
#include "pleat/export/frame_files.hpp"
#include "pleat/export/frame_formats.hpp"
#include "pleat/export/obj_sink.hpp"
#include "pleat/export/ply_sink.hpp"
#include "temporary_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

namespace pleat {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// A cloth of two panels with a seam, a static floor and a moving ball.
struct Scene {
    std::vector<Vec3> x = {{0, 0, 0}, {0, 1, 0}, {-1, 0, 0}, {1, 0, 0}};
    std::vector<Vec3> v = {{0, 0, 1}, {0, 0, 2}, {0, 0, 3}, {0, 0, 4}};
    std::vector<Vec2> u = {{0, 0}, {0, 1}, {-1, 0}, {5, 0}, {5, 1}, {6, 0}};
    std::vector<std::uint32_t> vert_node = {0, 1, 2, 0, 1, 3};
    std::vector<std::array<std::uint32_t, 3>> face_nodes = {{0, 1, 2}, {1, 0, 3}};
    std::vector<std::array<std::uint32_t, 3>> face_verts = {{0, 1, 2}, {4, 3, 5}};

    [[nodiscard]] FrameMesh cloth(const std::string& name) const
    {
        FrameMesh mesh = obstacle(name, false);
        mesh.is_cloth = true;
        mesh.u = u;
        mesh.face_verts = face_verts;
        mesh.vert_node = vert_node;
        mesh.v = v;
        return mesh;
    }
    [[nodiscard]] FrameMesh obstacle(const std::string& name, bool is_static) const
    {
        FrameMesh mesh;
        mesh.name = name;
        mesh.is_static = is_static;
        mesh.x = x;
        mesh.face_nodes = face_nodes;
        return mesh;
    }
    [[nodiscard]] Frame frame(int number) const
    {
        return {number,
                0.04 * number,
                {cloth("sheet"), obstacle("floor", true), obstacle("ball", false)}};
    }
};

std::set<std::string> names_in(const std::filesystem::path& folder)
{
    std::set<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder))
        names.insert(entry.path().filename().string());
    return names;
}

TEST(ObjSink, writes_one_file_an_object_and_static_ones_once)
{
    const TemporaryFolder folder;
    const Scene scene;
    FrameSinkObj sink(folder / "deep/run");
    for (const int number : {0, 1, 12345, 123456}) sink.write(scene.frame(number));
    sink.finish();
    EXPECT_THAT(names_in(folder / "deep/run/frames"),
                ElementsAre("00000_ball.obj", "00000_floor.obj", "00000_sheet.obj",
                            "00001_ball.obj", "00001_sheet.obj", "123456_ball.obj",
                            "123456_sheet.obj", "12345_ball.obj", "12345_sheet.obj"));
    EXPECT_EQ(read_bytes(folder / "deep/run/frames/00001_sheet.obj"),
              "# Pleat: cloth sheet, frame 1, time 0.04 s\n"
              "v 0 0 0\nv 0 1 0\nv -1 0 0\nv 1 0 0\n"
              "vt 0 0\nvt 0 1\nvt -1 0\nvt 5 0\nvt 5 1\nvt 6 0\n"
              "f 1/1 2/2 3/3\nf 2/5 1/4 4/6\n");
    EXPECT_EQ(read_bytes(folder / "deep/run/frames/00000_floor.obj"),
              "# Pleat: static obstacle floor\n"
              "v 0 0 0\nv 0 1 0\nv -1 0 0\nv 1 0 0\nf 1 2 3\nf 2 1 4\n");
}

TEST(ObjSink, writes_velocities_when_asked)
{
    const TemporaryFolder folder;
    FrameSinkObj sink(folder.path(), {.velocities = true});
    sink.write(Scene().frame(0));
    EXPECT_THAT(read_bytes(folder / "frames/00000_sheet.obj"), HasSubstr("v 0 1 0\nnv 0 0 2\n"));
}

TEST(ObjSink, numbers_static_objects_zero_also_when_a_run_goes_on_in_the_middle)
{
    const TemporaryFolder folder;
    FrameSinkObj sink(folder.path());
    sink.write(Scene().frame(40));
    EXPECT_THAT(names_in(folder / "frames"),
                ElementsAre("00000_floor.obj", "00040_ball.obj", "00040_sheet.obj"));
}

TEST(PlySink, writes_verts_with_their_nodes_and_obstacles_with_nodes_only)
{
    const TemporaryFolder folder;
    FrameSinkPly sink(folder.path(), {PlyPrecision::float32, true});
    sink.write(Scene().frame(0));
    sink.write(Scene().frame(1));
    EXPECT_THAT(names_in(folder / "frames"),
                ElementsAre("00000_ball.ply", "00000_floor.ply", "00000_sheet.ply",
                            "00001_ball.ply", "00001_sheet.ply"));
    const std::string sheet = read_bytes(folder / "frames/00000_sheet.ply");
    EXPECT_THAT(sheet, HasSubstr("element vertex 6\nproperty float x\nproperty float y\n"
                                 "property float z\nproperty float vx\nproperty float vy\n"
                                 "property float vz\nproperty float s\nproperty float t\n"
                                 "property int node\nelement face 2\n"));
    const std::string end = "end_header\n";
    const std::size_t data = sheet.find(end) + end.size();
    EXPECT_EQ(sheet.size() - data, 6u * 9u * 4u + 2u * 13u);
    EXPECT_THAT(read_bytes(folder / "frames/00000_floor.ply"),
                testing::AllOf(HasSubstr("element vertex 4\n"), testing::Not(HasSubstr("node"))));
}

TEST(FrameFiles, keep_only_plain_characters_of_a_name)
{
    EXPECT_EQ(file_stem("sheet-1_b.c"), "sheet-1_b.c");
    EXPECT_EQ(file_stem("../../etc/pass wd"), ".._.._etc_pass_wd");
    EXPECT_EQ(file_stem("ärmel"), "_rmel");
    EXPECT_EQ(file_stem(""), "mesh");
    EXPECT_EQ(file_stem(std::string(1000, 'x')).size(), 100u);
    EXPECT_EQ(file_stem(std::string("a\0b\n", 4)), "a_b_");
}

TEST(FrameFiles, make_colliding_names_unique_and_keep_them_through_the_run)
{
    const TemporaryFolder folder;
    const Scene scene;
    const auto stems = [&](FrameFiles& files, const std::vector<std::string>& names) {
        Frame frame;
        for (const std::string& name : names) frame.meshes.push_back(scene.obstacle(name, false));
        std::vector<std::string> result;
        for (const auto& path : files.paths_of(frame))
            result.push_back(path->filename().string().substr(6));
        return result;
    };
    FrameFiles files(folder.path(), "obj");
    EXPECT_THAT(
        stems(files, {"a b", "a/b", "a_b", "A_B", "a_b-2", "a b"}),
        ElementsAre("a_b.obj", "a_b-2.obj", "a_b-3.obj", "A_B-4.obj", "a_b-2-2.obj", "a_b-5.obj"));
    EXPECT_THAT(stems(files, {"a_b", "new", "a b"}),
                ElementsAre("a_b-3.obj", "new.obj", "a_b.obj"));
    FrameFiles again(folder.path(), "obj");
    EXPECT_THAT(stems(again, {"a b", "a/b"}), ElementsAre("a_b.obj", "a_b-2.obj"));
}

// ---- what every sink must do --------------------------------------------------------------------

class EverySink : public testing::TestWithParam<FrameFormat> {};

TEST_P(EverySink, writes_the_same_bytes_twice)
{
    const TemporaryFolder a, b;
    for (const TemporaryFolder* folder : {&a, &b}) {
        const auto sink = GetParam().make(folder->path(), {});
        for (int i = 0; i < 3; ++i) sink->write(Scene().frame(i));
        sink->finish();
    }
    const std::set<std::string> names = names_in(a / "frames");
    EXPECT_EQ(names, names_in(b / "frames"));
    EXPECT_EQ(names.size(), 7u); // two moving objects in three frames, one static
    for (const std::string& name : names)
        EXPECT_EQ(read_bytes(a.path() / "frames" / name), read_bytes(b.path() / "frames" / name));
}

TEST_P(EverySink, says_which_directory_it_cannot_make)
{
    const TemporaryFolder folder;
    write_bytes(folder / "file", "in the way");
    try {
        static_cast<void>(GetParam().make(folder / "file", {}));
        FAIL() << "made a directory inside a file";
    } catch (const FileError& error) {
        EXPECT_EQ(error.path(), (folder / "file/frames").string());
        EXPECT_THAT(error.what(), HasSubstr("Not a directory"));
    }
}

TEST_P(EverySink, says_which_file_it_cannot_write)
{
    const TemporaryFolder folder;
    const auto sink = GetParam().make(folder.path(), {});
    std::filesystem::remove_all(folder / "frames");
    try {
        sink->write(Scene().frame(0));
        FAIL() << "wrote into a directory that is gone";
    } catch (const FileError& error) {
        EXPECT_THAT(error.path(), HasSubstr("frames/00000_sheet."));
    }
}

INSTANTIATE_TEST_SUITE_P(Sinks, EverySink,
                         testing::ValuesIn(frame_formats().begin(), frame_formats().end()),
                         [](const auto& format) { return std::string(format.param.name); });

} // namespace
} // namespace pleat
