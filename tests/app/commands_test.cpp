// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// The command line from outside: files, exit codes, messages.
#include "app/program.hpp"
#include "temporary_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>

namespace pleat {
namespace {

namespace fs = std::filesystem;
using testing::AnyOf;
using testing::HasSubstr;
using testing::Not;

const std::string scenes = std::string(PLEAT_SOURCE_DIR) + "/scenes";

struct Commands : testing::Test {
    TemporaryFolder folder;
    [[nodiscard]] std::string at(const std::string& name) const
    {
        return (folder.path() / name).string();
    }
    void write(const std::string& name, const std::string& text) const
    {
        fs::create_directories((folder.path() / name).parent_path());
        std::ofstream(folder.path() / name) << text;
    }
};

TEST_F(Commands, new_check_run_check_render_is_the_way_of_a_first_user)
{
    ASSERT_EQ(run_pleat_line("new " + at("first") + " --cells 8").exit_code, 0);
    const ProgramResult checked = run_pleat_line("check " + at("first/scene.json"));
    EXPECT_EQ(checked.exit_code, 0);
    EXPECT_THAT(checked.output, HasSubstr("128 faces"));

    const ProgramResult ran = run_pleat_line("run " + at("first/scene.json") + " -o " + at("out") +
                                             " --frames 4 --threads 2");
    EXPECT_EQ(ran.exit_code, 0) << ran.output;
    EXPECT_THAT(ran.output, HasSubstr("frame 4/4"));
    EXPECT_THAT(ran.output, HasSubstr("state hash"));
    for (const char* file : {"scene.json", "run.json", "stats.csv", "frames/00000_sheet.obj",
                             "frames/00004_sheet.obj"})
        EXPECT_TRUE(fs::exists(folder.path() / "out" / file)) << file;
    EXPECT_FALSE(fs::exists(folder.path() / "out/frames/00005_sheet.obj"));
    const std::string stats = read_bytes(at("out/stats.csv"));
    EXPECT_EQ(std::count(stats.begin(), stats.end(), '\n'), 6) << "a header and five frames";
    EXPECT_THAT(read_bytes(at("out/run.json")), HasSubstr("\"finished\""));

    EXPECT_EQ(run_pleat_line("check " + at("out")).exit_code, 0);
    // The resolved scene runs to the same end.
    const ProgramResult again =
        run_pleat_line("run " + at("out/scene.json") + " -o " + at("again") + " --threads 1");
    EXPECT_EQ(again.exit_code, 0) << again.output;
    EXPECT_EQ(read_bytes(at("out/frames/00004_sheet.obj")),
              read_bytes(at("again/frames/00004_sheet.obj")));
}

TEST_F(Commands, render_makes_a_picture)
{
    ASSERT_EQ(run_pleat_line("new " + at("s") + " --cells 4").exit_code, 0);
    ASSERT_EQ(
        run_pleat_line("run " + at("s/scene.json") + " -q --frames 1 -o " + at("out")).exit_code,
        0);
    const ProgramResult r =
        run_pleat_line("render " + at("out") + " --frame 1 --width 64 --height 48 " +
                       "--samples 2 --wireframe -o " + at("p.png"));
    EXPECT_EQ(r.exit_code, 0) << r.output;
    EXPECT_EQ(read_bytes(at("p.png")).substr(1, 3), "PNG");
    const ProgramResult missing =
        run_pleat_line("render " + at("out") + " --frame 7 -o " + at("q.png"));
    EXPECT_EQ(missing.exit_code, 1);
    EXPECT_THAT(missing.output, HasSubstr("frames 0 to 1"));
}

TEST_F(Commands, run_refuses_to_overwrite_without_force)
{
    const std::string run = "run " + scenes + "/seam/scene.json -q --frames 1 -o " + at("out");
    ASSERT_EQ(run_pleat_line(run).exit_code, 0);
    const std::string before = read_bytes(at("out/stats.csv"));
    const ProgramResult refused = run_pleat_line(run);
    EXPECT_EQ(refused.exit_code, 1);
    EXPECT_THAT(refused.output, HasSubstr("--force"));
    EXPECT_EQ(read_bytes(at("out/stats.csv")), before);
    write("out/mine.txt", "not Pleat's");
    write("out/frames/00099_old.obj", "from the earlier run");
    EXPECT_EQ(run_pleat_line(run + " --force").exit_code, 0);
    EXPECT_TRUE(fs::exists(folder.path() / "out/mine.txt")) << "only its own files are replaced";
    EXPECT_FALSE(fs::exists(folder.path() / "out/frames/00099_old.obj"));
}

TEST_F(Commands, json_lines_are_one_object_a_frame)
{
    const ProgramResult r = run_pleat_line(
        "run " + scenes + "/seam/scene.json --json --frames 3 -o " + at("out") +
        " | python3 -c 'import json,sys; " + "rows=[json.loads(l) for l in sys.stdin]; " +
        "print([r[\"frame\"] for r in rows if \"frame\" in r])'");
    EXPECT_EQ(r.exit_code, 0) << r.output;
    EXPECT_THAT(r.output, HasSubstr("[0, 1, 2, 3]"));
}

TEST_F(Commands, formats_go_side_by_side)
{
    ASSERT_EQ(run_pleat_line("run " + scenes +
                             "/seam/scene.json -q --frames 1 --format obj,ply -o " + at("out"))
                  .exit_code,
              0);
    EXPECT_TRUE(fs::exists(folder.path() / "out/frames/00001_panels.obj"));
    EXPECT_TRUE(fs::exists(folder.path() / "out/frames/00001_panels.ply"));
    EXPECT_EQ(
        run_pleat_line("run " + scenes + "/seam/scene.json --format stl -o " + at("o2")).exit_code,
        1);
}

TEST_F(Commands, an_interrupt_leaves_whole_frames_and_a_record)
{
    // A scene too long to finish; the interrupt comes when its third frame is on disk.
    const ProgramResult r = run_shell(
        std::string(PLEAT_BINARY) + " run " + scenes + "/hanging/scene.json -q -o " + at("out") +
        " & pid=$!; for i in $(seq 600); do [ -e " + at("out") +
        "/frames/00002_sheet.obj ] && break; sleep 0.05; done; kill -INT $pid; wait $pid");
    EXPECT_EQ(r.exit_code, 130) << r.output;
    EXPECT_THAT(read_bytes(at("out/run.json")), HasSubstr("\"stopped\""));
    EXPECT_EQ(run_pleat_line("check " + at("out")).exit_code, 0);
    for (const auto& entry : fs::directory_iterator(folder.path() / "out/frames"))
        EXPECT_THAT(entry.path().extension().string(), AnyOf(".obj", ".attributes"))
            << "no half-written file is left";
}

TEST_F(Commands, check_of_a_run_finds_crossing_faces)
{
    // A flat sheet with another frame in which a flap was pushed through it.
    write("out/frames/00000_sheet.obj",
          "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0.2 0.2 -0.5\nv 0.3 0.2 0.5\n"
          "v 0.2 0.3 0.5\nvt 0 0\nvt 1 0\nvt 0 1\nvt 2 0\nvt 3 0\nvt 2 1\n"
          "f 1/1 2/2 3/3\nf 4/4 5/5 6/6\n");
    const ProgramResult r = run_pleat_line("check " + at("out"));
    EXPECT_EQ(r.exit_code, 2);
    EXPECT_THAT(r.output, HasSubstr("frame 0: 1 pairs of faces cross"));
    EXPECT_THAT(r.output, HasSubstr("sheet face 0 crosses sheet face 1"));
    EXPECT_THAT(r.output, HasSubstr("the 2 faces that cross are in " + at("out/offenders.obj")));
    const std::string offenders = read_bytes(at("out/offenders.obj"));
    EXPECT_THAT(offenders, HasSubstr("o 00000_sheet\n"));
    EXPECT_THAT(offenders, HasSubstr("g 00000_sheet pair1\n"));
}

TEST_F(Commands, a_run_with_intersections_says_so_and_ends_with_2)
{
    fs::create_directories(folder.path());
    write("two.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0.2 0.2 0.2\nv 0.3 0.2 0.4\nv 0.2 0.3 0.4\n"
                     "nv 0 0 0\nvt 0 0\nvt 1 0\nvt 0 1\nvt 2 0\nvt 2.3 0\nvt 2 0.3\n"
                     "f 1/1 2/2 3/3\nf 4/4 5/5 6/6\n");
    write("s.json", R"({"pleat": 1, "fps": 10, "frames": 4, "gravity": [0, 0, -9.8],
        "cloths": [{"mesh": "two.obj", "material": "denim"}],
        "handles": [{"nodes": [0, 1, 2]}], "contact": {"type": "none"}})");
    const ProgramResult r = run_pleat_line("run " + at("s.json") + " -o " + at("out"));
    EXPECT_EQ(r.exit_code, 2) << r.output;
    EXPECT_THAT(r.output, HasSubstr("audit failed"));
    EXPECT_EQ(run_pleat_line("check " + at("out")).exit_code, 2);
}

TEST_F(Commands, check_of_a_scene_that_starts_crossed_names_the_faces)
{
    write("two.obj",
          "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0.2 0.2 -0.5\nv 0.3 0.2 0.5\nv 0.2 0.3 0.5\n"
          "vt 0 0\nvt 1 0\nvt 0 1\nvt 2 0\nvt 3 0\nvt 2 1\nf 1/1 2/2 3/3\nf 4/4 5/5 6/6\n");
    write("s.json", R"({"pleat": 1, "cloths": [{"mesh": "two.obj", "material": "denim"}]})");
    const ProgramResult r = run_pleat_line("check " + at("s.json"));
    EXPECT_EQ(r.exit_code, 1);
    EXPECT_THAT(r.output, HasSubstr("cross at the start"));
    EXPECT_THAT(r.output, HasSubstr("face 0 crosses"));
}

TEST_F(Commands, the_faces_that_cross_are_written_once_each_with_the_groups_of_their_pairs)
{
    // A needle of two faces through a sheet of two, one of which nothing touches.
    write("sheet.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nvt 0 0\nvt 1 0\nvt 0 1\nvt 1 1\n"
                       "f 1/1 2/2 3/3\nf 2/2 4/4 3/3\n");
    write("needle.obj", "v 0.2 0.2 -0.5\nv 0.3 0.2 0.5\nv 0.2 0.3 0.5\nv 0.1 0.2 0.5\n"
                        "v 5 5 5\nv 6 5 5\nv 5 6 5\nf 5 6 7\nf 1 2 3\nf 1 3 4\n");
    const std::string scene = R"({"pleat": 1, "cloths": [{"name": "my sheet", "mesh": "sheet.obj",
        "material": "denim"}], "obstacles": [{"name": "needle", "mesh": "needle.obj"}])";
    write("s.json", scene + "}");
    const ProgramResult named =
        run_pleat_line("check " + at("s.json") + " --offenders " + at("bad.obj"));
    EXPECT_EQ(named.exit_code, 1);
    EXPECT_THAT(named.output, HasSubstr("the 3 faces that cross are in " + at("bad.obj")));
    EXPECT_FALSE(fs::exists(at("s-offenders.obj")));
    const std::string text = read_bytes(at("bad.obj"));
    EXPECT_THAT(text, HasSubstr("# pair1: my_sheet face 0 crosses needle face 1\n"
                                "# pair2: my_sheet face 0 crosses needle face 2\n"));
    EXPECT_THAT(text, HasSubstr("o my_sheet\nv 0 0 0\nv 1 0 0\nv 0 1 0\n"
                                "g my_sheet pair1 pair2\nf 1 2 3\n"));
    EXPECT_THAT(text, HasSubstr("g needle pair1\nf 4 5 6\ng needle pair2\nf 4 6 7\n"));
    EXPECT_EQ(run_pleat_line("convert " + at("bad.obj") + " " + at("bad.ply")).exit_code, 0)
        << "it is a mesh that can be read";

    // Without a name it goes into the current folder; `run` says so.
    const ProgramResult ran = run_pleat_line("run " + at("s.json") + " -o " + at("out"));
    EXPECT_EQ(ran.exit_code, 1);
    EXPECT_THAT(ran.output, HasSubstr("pleat check"));
    EXPECT_THAT(ran.output, HasSubstr("s-offenders.obj"));
    const auto check_here = [&](const std::string& name) {
        return run_shell("cd " + folder.path().string() + " && " + std::string(PLEAT_BINARY) +
                         " check " + name);
    };
    EXPECT_THAT(check_here("s.json").output, HasSubstr("are in s-offenders.obj"));
    EXPECT_EQ(read_bytes(at("s-offenders.obj")), text);

    EXPECT_EQ(run_pleat_line("check " + at("s.json") + " --offenders /proc/none/x.obj").exit_code,
              1);
    // What cannot be untangled is shown as well.
    write("u.json", scene + R"(, "contact": {"on_overlap": "untangle"},
        "handles": [{"nodes": [0, 1, 2, 3]}]})");
    EXPECT_EQ(check_here("u.json").exit_code, 1);
    EXPECT_TRUE(fs::exists(at("u-offenders.obj")));
}

TEST_F(Commands, a_floor_without_end_is_checked_run_and_audited_beyond_its_square)
{
    write("sheet.obj", "v 50 0 0.1\nv 50.1 0 0.1\nv 50 0.1 0.1\nvt 0 0\nvt 0.1 0\nvt 0 0.1\n"
                       "f 1/1 2/2 3/3\n");
    const auto scene = [](const std::string& floor, const std::string& contact) {
        return R"({"pleat": 1, "frames": 8, "cloths": [{"name": "s", "mesh": "sheet.obj",
            "material": "denim"}], "obstacles": [{"name": "floor", "plane": {)" +
               floor + R"(}}], "contact": {"type": ")" + contact + R"("}})";
    };
    write("good.json", scene(R"("size": 1)", "impact_zones"));
    EXPECT_EQ(run_pleat_line("check " + at("good.json")).exit_code, 0);
    EXPECT_EQ(run_pleat_line("run " + at("good.json") + " -q -o " + at("good")).exit_code, 0);
    EXPECT_EQ(run_pleat_line("check " + at("good")).exit_code, 0);
    EXPECT_THAT(read_bytes(at("good/frames/00000_floor.obj")), HasSubstr("v 0.5 0.5 0\n"));

    write("through.json", scene(R"("size": 1)", "none"));
    EXPECT_EQ(run_pleat_line("run " + at("through.json") + " -q -o " + at("through")).exit_code, 2);
    const ProgramResult audited = run_pleat_line("check " + at("through"));
    EXPECT_EQ(audited.exit_code, 2) << "from the files alone";
    EXPECT_THAT(audited.output, HasSubstr("s face 0 crosses floor face 0"));

    write("start.json", scene(R"("point": [0, 0, 0.2])", "impact_zones"));
    const ProgramResult refused = run_pleat_line("run " + at("start.json") + " -o " + at("no"));
    EXPECT_EQ(refused.exit_code, 1);
    EXPECT_THAT(refused.output, HasSubstr("s face 0 crosses floor face 0"));
}

TEST_F(Commands, check_lists_every_problem_at_once)
{
    write("s.json", R"({"pleat": 1, "fsp": 25, "substeps": 0,
        "cloths": [{"mesh": "missing.obj", "materail": "denim"}]})");
    const ProgramResult r = run_pleat_line("check " + at("s.json"));
    EXPECT_EQ(r.exit_code, 1);
    for (const char* words : {"fsp", "\"fps\"?", "substeps", "materail", "\"material\"?"})
        EXPECT_THAT(r.output, HasSubstr(words));
}

TEST_F(Commands, convert_keeps_bits_and_seams)
{
    const std::string mesh = scenes + "/seam/panels.obj";
    ASSERT_EQ(run_pleat_line("convert " + mesh + " " + at("a.ply")).exit_code, 0);
    ASSERT_EQ(run_pleat_line("convert " + at("a.ply") + " " + at("b.obj")).exit_code, 0);
    const ProgramResult r = run_pleat_line("check " + at("b.obj"));
    EXPECT_EQ(r.exit_code, 0);
    EXPECT_EQ(r.output, run_pleat_line("check " + mesh).output);
    EXPECT_EQ(run_pleat_line("convert " + mesh + " " + at("c.stl")).exit_code, 1);
}

TEST_F(Commands, what_the_system_refuses_is_named)
{
    const std::string run = "run " + scenes + "/seam/scene.json -q --frames 1 -o ";
    write("file", "");
    const ProgramResult onto_file = run_pleat_line(run + at("file"));
    EXPECT_EQ(onto_file.exit_code, 1);
    EXPECT_THAT(onto_file.output, HasSubstr(at("file")));
    const ProgramResult nowhere = run_pleat_line(run + "/proc/none/out");
    EXPECT_EQ(nowhere.exit_code, 1);
    EXPECT_THAT(nowhere.output, HasSubstr("/proc/none/out"));
    const ProgramResult missing = run_pleat_line("run " + at("nothing.json"));
    EXPECT_EQ(missing.exit_code, 1);
    EXPECT_THAT(missing.output, HasSubstr(at("nothing.json")));
    EXPECT_THAT(missing.output, HasSubstr("No such file"));
}

TEST_F(Commands, a_full_disk_ends_the_run_and_keeps_what_was_written)
{
    // A limit on the size of files stands for the full disk: the first frames fit, then they grow.
    const ProgramResult r =
        run_shell("trap '' XFSZ; ulimit -f 24; " + std::string(PLEAT_BINARY) + " run " + scenes +
                  "/seam/scene.json -q --frames 2000 -o " + at("out"));
    EXPECT_EQ(r.exit_code, 1) << r.output;
    EXPECT_THAT(r.output, HasSubstr(at("out")));
    EXPECT_THAT(r.output, HasSubstr("File too large"));
    EXPECT_EQ(run_pleat_line("check " + at("out")).exit_code, 0) << "every frame there is whole";
}

TEST_F(Commands, unknown_verbs_and_options_are_bad_input)
{
    EXPECT_EQ(run_pleat_line("").exit_code, 1);
    EXPECT_EQ(run_pleat_line("fly").exit_code, 1);
    EXPECT_EQ(run_pleat_line("run " + scenes + "/seam/scene.json --frames -3").exit_code, 1);
    EXPECT_EQ(run_pleat_line("--help").exit_code, 0);
    EXPECT_EQ(run_pleat_line("--version").exit_code, 0);
}

TEST_F(Commands, materials_are_listed)
{
    const ProgramResult r = run_pleat_line("materials");
    EXPECT_EQ(r.exit_code, 0);
    EXPECT_THAT(r.output, HasSubstr("11oz-black-denim"));
    EXPECT_THAT(r.output, HasSubstr("jersey"));
    EXPECT_EQ(run_shell(std::string(PLEAT_BINARY) +
                        " materials --json | python3 -c 'import json,sys; "
                        "assert len(json.load(sys.stdin)) == 10'")
                  .exit_code,
              0);
}

} // namespace
} // namespace pleat
