// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/scene/run_folder.hpp"

#include "mesh/zoo.hpp"
#include "pleat/export/obj_sink.hpp"
#include "pleat/export/obj_writer.hpp"
#include "pleat/export/ply_sink.hpp"
#include "pleat/scene/load_scene.hpp"
#include "pleat/sim/run.hpp"
#include "problems.hpp"
#include "temporary_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>

namespace pleat {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

/// A falling sheet over a floor that is always there, a wall that comes at frame 2 and goes at
/// frame 4, and a ball that moves; run for five frames.
class FinishedRun {
public:
    explicit FinishedRun(bool as_ply = false)
    {
        write_obj(scene_ / "sheet.obj", view_as_obj(zoo::grid(2, 2)));
        write_bytes(scene_ / "b.obj", "v 0 0 -9\nv 1 0 -9\nv 0 1 -9\nf 1 2 3\n");
        const SceneDescription description = parse_scene(
            R"({"pleat": 1, "fps": 10, "substeps": 1, "frames": 5,
                "cloths": [{"name": "a sheet", "mesh": "sheet.obj", "material": "denim"}],
                "obstacles": [
                  {"name": "floor", "mesh": "b.obj"},
                  {"name": "wall", "mesh": "b.obj", "transform": {"translate": [0, 0, -1]},
                   "from": 0.2, "until": 0.4},
                  {"name": "ball", "mesh": "b.obj", "transform": {"translate": [0, 0, -2]},
                   "motion": [{"time": 0}, {"time": 0.5, "translate": [1, 0, 0]}]}]})",
            scene_ / "scene.json");
        Scene scene = load_scene(description);
        Pipeline pipeline = make_pipeline(description);
        std::unique_ptr<FrameSink> sink;
        if (as_ply)
            sink = std::make_unique<FrameSinkPly>(folder_.path());
        else
            sink = std::make_unique<FrameSinkObj>(folder_.path());
        FrameSink* sinks[] = {sink.get()};
        report_ = run(scene.world, pipeline, scene.start, scene.settings, sinks);
        last_x_ = scene.start.state.x.values;
        write_bytes(folder_ / "scene.json", to_json_text(description));
    }
    [[nodiscard]] const fs::path& path() const { return folder_.path(); }
    [[nodiscard]] const RunReport& report() const { return report_; }
    [[nodiscard]] const std::vector<Vec3>& last_x() const { return last_x_; }

private:
    TemporaryFolder scene_, folder_;
    RunReport report_;
    std::vector<Vec3> last_x_;
};

std::vector<std::string> names_in(const std::vector<ObjectMesh>& meshes)
{
    std::vector<std::string> names;
    for (const ObjectMesh& m : meshes) names.push_back(m.name);
    return names;
}

TEST(RunFolder, lists_frames_and_reads_them_back)
{
    for (const bool as_ply : {false, true}) {
        const FinishedRun run(as_ply);
        ASSERT_EQ(run.report().end, RunEnd::finished);
        const RunFolder folder(run.path());
        EXPECT_THAT(folder.frames(), ElementsAre(0, 1, 2, 3, 4, 5));
        EXPECT_EQ(folder.last_frame(), 5);
        ASSERT_TRUE(folder.scene().has_value());
        EXPECT_EQ(folder.scene()->obstacles.size(), 3u);
        const auto meshes = folder.read(5);
        ASSERT_FALSE(meshes.empty());
        const ObjectMesh& sheet = meshes.front(); // cloths first
        EXPECT_TRUE(sheet.is_cloth);
        EXPECT_FALSE(sheet.is_static);
        if (!as_ply) {
            EXPECT_EQ(sheet.x, run.last_x());
        }
        EXPECT_EQ(sheet.face_nodes.size(), 8u);
        EXPECT_EQ(sheet.face_verts.size(), 8u);
        EXPECT_EQ(sheet.u.size(), 9u);
    }
}

TEST(RunFolder, has_static_obstacles_while_the_scene_has_them)
{
    const FinishedRun run;
    const RunFolder folder(run.path());
    for (int frame = 0; frame <= 5; ++frame) {
        const auto meshes = folder.read(frame);
        if (frame == 2 || frame == 3)
            EXPECT_THAT(names_in(meshes), ElementsAre("a_sheet", "ball", "floor", "wall")) << frame;
        else
            EXPECT_THAT(names_in(meshes), ElementsAre("a_sheet", "ball", "floor")) << frame;
        for (const ObjectMesh& m : meshes)
            EXPECT_EQ(m.is_static, m.name == "floor" || m.name == "wall") << m.name;
    }
}

TEST(RunFolder, has_moving_obstacles_where_they_were)
{
    const FinishedRun run;
    const RunFolder folder(run.path());
    const auto ball_x = [&](int frame) {
        for (const ObjectMesh& m : folder.read(frame))
            if (m.name == "ball") return m.x[0][0];
        return -1.0;
    };
    EXPECT_EQ(ball_x(0), 0);
    EXPECT_EQ(ball_x(5), 1);
    EXPECT_GT(ball_x(3), ball_x(2));
}

TEST(RunFolder, reads_frames_without_their_scene)
{
    const FinishedRun run;
    write_bytes(run.path() / "scene.json", "{\"pleat\": 99");
    const RunFolder folder(run.path());
    EXPECT_FALSE(folder.scene().has_value());
    EXPECT_THAT(names_in(folder.read(3)), ElementsAre("a_sheet", "ball", "floor", "wall"));
}

TEST(RunFolder, passes_files_by_that_are_no_frames)
{
    const FinishedRun run;
    for (const char* name : {"00002.obj", "2_x.obj", "abcde_x.obj", "00002_x.txt", "00002_.png",
                             "0000000002_x.obj", "000002_x.obj"})
        write_bytes(run.path() / "frames" / name, "nothing");
    const RunFolder folder(run.path());
    EXPECT_EQ(folder.read(2).size(), 4u);
    EXPECT_EQ(folder.frames().size(), 6u);
}

TEST(RunFolder, names_frames_and_files_that_are_not_there_or_broken)
{
    const FinishedRun run;
    const RunFolder folder(run.path());
    EXPECT_THAT(complaint_of([&] { (void)folder.read(6); }),
                AllOf(HasSubstr("frame 6: no such frame"), HasSubstr("frames 0 to 5")));
    const fs::path broken = run.path() / "frames/00003_a_sheet.obj";
    write_bytes(broken, "v 0 0 0\nf 1 2 3\n");
    EXPECT_THAT(complaint_of([&] { (void)folder.read(3); }), HasSubstr(broken.string()));
}

TEST(RunFolder, refuses_a_folder_without_frames)
{
    const TemporaryFolder empty;
    EXPECT_THAT(complaint_of([&] { const RunFolder folder(empty.path()); }),
                AllOf(HasSubstr(empty.path().string()), HasSubstr("without frames")));
    EXPECT_THAT(complaint_of([&] { const RunFolder folder(empty / "missing"); }),
                AllOf(HasSubstr((empty / "missing").string()), HasSubstr("no such folder")));
    write_bytes(empty / "scene.json", "{}");
    EXPECT_THAT(complaint_of([&] { const RunFolder folder(empty / "scene.json"); }),
                AllOf(HasSubstr((empty / "scene.json").string()), HasSubstr(": a file;")));
}

} // namespace
} // namespace pleat
