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
using testing::AllOf;
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
    EXPECT_THAT(r.output, HasSubstr("frame 0: 1 pairs of faces intersect"));
    EXPECT_THAT(r.output, HasSubstr("sheet face 0 intersects sheet face 1"));
    EXPECT_THAT(r.output, HasSubstr("the 2 intersecting faces are in " + at("out/offenders.obj")));
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
    EXPECT_THAT(r.output, HasSubstr("check failed"));
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
    EXPECT_THAT(r.output, HasSubstr("intersect at the start"));
    EXPECT_THAT(r.output, HasSubstr("face 0 intersects"));
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
    EXPECT_THAT(named.output, HasSubstr("the 3 intersecting faces are in " + at("bad.obj")));
    EXPECT_FALSE(fs::exists(at("s-offenders.obj")));
    const std::string text = read_bytes(at("bad.obj"));
    EXPECT_THAT(text, HasSubstr("# pair1: my_sheet face 0 intersects needle face 1\n"
                                "# pair2: my_sheet face 0 intersects needle face 2\n"));
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
    EXPECT_THAT(audited.output, HasSubstr("s face 0 intersects floor face 0"));

    write("start.json", scene(R"("point": [0, 0, 0.2])", "impact_zones"));
    const ProgramResult refused = run_pleat_line("run " + at("start.json") + " -o " + at("no"));
    EXPECT_EQ(refused.exit_code, 1);
    EXPECT_THAT(refused.output, HasSubstr("s face 0 intersects floor face 0"));
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

TEST_F(Commands, missing_files_unknown_fabrics_and_nodes_out_of_range_are_one_report)
{
    write("sheet.obj", "v 0 0 1\nv 1 0 1\nv 0 1 1\nvt 0 0\nvt 1 0\nvt 0 1\nf 1/1 2/2 3/3\n");
    write("s.json", R"({"pleat": 1, "cloths": [
            {"name": "a", "mesh": "sheet.obj", "material": "denmi"},
            {"name": "b", "mesh": "missing.obj", "material": "denim"},
            {"name": "c", "mesh": "sheet.obj"}],
        "obstacles": [{"mesh": "ball.obj"}, {}],
        "handles": [{"cloth": "a", "nodes": [0, 17]}, {"cloth": "b", "nodes": [99]},
            {"cloth": "c", "label": 4}, {"cloth": "d", "nodes": [1]}]})");
    for (const std::string& verb : {std::string("check "), "run -o " + at("out") + " "}) {
        const ProgramResult r = run_pleat_line(verb + at("s.json"));
        EXPECT_EQ(r.exit_code, 1);
        for (const char* words :
             {"unknown fabric \"denmi\"", "missing.obj", "cloths[2]: 0 of \"material\"", "ball.obj",
              "obstacles[1]", "handles[0].nodes: node 17", "handles[2].label", "\"d\""})
            EXPECT_THAT(r.output, HasSubstr(words)) << verb;
        EXPECT_THAT(r.output, Not(HasSubstr("node 99"))) << "b is not there to count them";
    }
}

TEST_F(Commands, overlaps_at_the_start_begin_with_their_number_and_what_to_do)
{
    write("two.obj",
          "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0.2 0.2 -0.5\nv 0.3 0.2 0.5\nv 0.2 0.3 0.5\n"
          "vt 0 0\nvt 1 0\nvt 0 1\nvt 2 0\nvt 3 0\nvt 2 1\nf 1/1 2/2 3/3\nf 4/4 5/5 6/6\n");
    write("s.json", R"({"pleat": 1, "cloths": [{"mesh": "two.obj", "material": "denim"}]})");
    for (const std::string& verb :
         {"check --offenders " + at("bad.obj") + " ", "run -o " + at("out") + " "}) {
        const std::string said = run_pleat_line(verb + at("s.json")).output;
        const std::size_t count = said.find("1 pairs of faces intersect");
        const std::size_t advice = said.find(R"("contact": {"on_overlap": "untangle"})");
        const std::size_t pair = said.find("face 0 intersects");
        ASSERT_NE(pair, std::string::npos) << said;
        EXPECT_LT(count, advice) << said;
        EXPECT_LT(advice, pair) << said;
    }
}

/// Two faces, square, in the plane z = 1; with material coordinates of another size where given.
std::string square_obj(double side, double material_side)
{
    const std::string s = std::to_string(side), m = std::to_string(material_side);
    return "v 0 0 1\nv " + s + " 0 1\nv " + s + " " + s + " 1\nv 0 " + s + " 1\nvt 0 0\nvt " + m +
           " 0\nvt " + m + " " + m + "\nvt 0 " + m + "\nf 1/1 2/2 3/3\nf 1/1 3/3 4/4\n";
}

TEST_F(Commands, check_lists_boxes_weights_and_distances)
{
    write("sheet.obj", square_obj(2, 2));
    write("block.obj",
          "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 0.25\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n");
    write("s.json", R"({"pleat": 1, "cloths": [{"name": "sheet", "mesh": "sheet.obj",
        "material": {"base": "denim", "density": 0.3}}],
        "obstacles": [{"name": "block", "mesh": "block.obj",
            "motion": [{"time": 0}, {"time": 1, "translate": [0, 0, 0.5]}]},
          {"name": "floor", "plane": {"point": [0, 0, -1]}}]})");
    const std::string said = run_pleat_line("check " + at("s.json")).output;
    EXPECT_THAT(said, HasSubstr("cloth sheet: 2 x 2 x 0 m, from (0, 0, 1) to (2, 2, 1), 1.2 kg"));
    EXPECT_THAT(said, HasSubstr("obstacle block: 1 x 1 x 0.25 m, from (0, 0, 0) to (1, 1, 0.25)"));
    EXPECT_THAT(said,
                HasSubstr("sheet to obstacles in the first 1 s: 0.75 m at the start; 0.25 m "
                          "to block at 1.0 s with the cloth in its start pose; 0 m to block"));
    EXPECT_THAT(said, Not(HasSubstr("warning")));
}

TEST_F(Commands, cloth_of_strange_sizes_gets_a_warning_with_the_key_that_mends_it)
{
    const auto said = [&](const std::string& more, const std::string& verb = "check ") {
        write("s.json", R"({"pleat": 1, "frames": 1, "cloths": [{"name": "sheet",
            "mesh": "sheet.obj", "material": "denim"}])" +
                            more + "}");
        const ProgramResult r = run_pleat_line(verb + at("s.json"));
        EXPECT_EQ(r.exit_code, 0) << r.output;
        return r.output;
    };
    const std::string run = "run --force -o " + at("out") + " ";
    write("sheet.obj", square_obj(150, 150));
    EXPECT_THAT(said(""), HasSubstr("warning: cloth \"sheet\" is 150 m long"));
    EXPECT_THAT(said(""), HasSubstr("\"unit\": 0.01"));
    EXPECT_THAT(said("", run), HasSubstr("warning: cloth \"sheet\" is 150 m long"));
    EXPECT_THAT(said("", run), Not(HasSubstr("cloth sheet:"))) << "without the listing";
    write("sheet.obj", square_obj(0.004, 0.004));
    EXPECT_THAT(said(""), HasSubstr("warning: cloth \"sheet\" is 0.004 m long"));
    write("sheet.obj", square_obj(1.5, 1));
    EXPECT_THAT(said(""), AllOf(HasSubstr("UVs of 0..1"), HasSubstr("\"rest\": \"mesh\"")));
    EXPECT_THAT(said("", run), HasSubstr("\"rest\": \"mesh\""));
    write("sheet.obj", square_obj(2, 200));
    EXPECT_THAT(said(""), HasSubstr("another unit than its points"));
    write("sheet.obj", square_obj(1.1, 1));
    EXPECT_THAT(said(""), Not(HasSubstr("warning"))) << "a tenth may be meant";
    EXPECT_THAT(said(R"(, "handles": [{"nodes": [0, 1]}])"), Not(HasSubstr("warning")));
}

TEST_F(Commands, cloth_that_never_comes_near_an_obstacle_gets_a_warning)
{
    const auto said = [&](const std::string& obstacle, const std::string& more = "") {
        write("s.json", R"({"pleat": 1, "cloths": [{"name": "sheet", "mesh": "sheet.obj",
            "material": "denim"}], "obstacles": [)" +
                            obstacle + "]" + more + "}");
        return run_pleat_line("check --offenders " + at("bad.obj") + " " + at("s.json")).output;
    };
    const auto block = [&](const std::string& transform, const std::string& more = "") {
        return R"({"name": "block", "mesh": "block.obj", "transform": {)" + transform + "}" + more +
               "}";
    };
    write("sheet.obj", square_obj(1, 1));
    write("block.obj",
          "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 0.25\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n");
    const std::string far = "never comes near an obstacle";
    EXPECT_THAT(said(block(R"("translate": [9, 0, 0])")),
                AllOf(HasSubstr(far), HasSubstr("\"up\""), HasSubstr("\"transform\"")));
    EXPECT_THAT(said(block(R"("scale": 100, "translate": [5, 5, -50])")),
                AllOf(HasSubstr(far), HasSubstr("is \"block\" in centimetres"),
                      HasSubstr("\"unit\": 0.01 in the obstacle")))
        << "modelled in centimetres";
    EXPECT_THAT(said(block(R"("translate": [0, 0, -30])")), Not(HasSubstr(far))) << "falls on it";
    EXPECT_THAT(said(block(R"("translate": [0, 0, -30])"), R"(, "frames": 25)"), HasSubstr(far))
        << "not within a second";
    EXPECT_THAT(said(R"({"plane": {"point": [0, 0, -4]}})"), Not(HasSubstr(far)));
    EXPECT_THAT(said(block(R"("translate": [9, 0, 0])", R"(, "motion": [{"time": 0}, {"time": 5},
        {"time": 8, "translate": [-9, 0, 0.5]}])"),
                     R"(, "handles": [{"nodes": [0, 1, 2, 3]}])"),
                Not(HasSubstr(far)))
        << "it comes";
    EXPECT_THAT(said(block(R"("translate": [9, 0, 0])"), R"(, "handles": [{"nodes": [0, 1, 2, 3],
        "motion": [{"time": 0}, {"time": 4, "translate": [9, 0, 0]}]}])"),
                Not(HasSubstr(far)))
        << "it is carried there";
    EXPECT_THAT(said(""), Not(HasSubstr("warning"))) << "no obstacle is none to come near to";
}

TEST_F(Commands, strains_beyond_the_limits_are_a_warning_and_with_strict_a_failure)
{
    // Ten per cent are allowed, and two nodes are pulled thirty per cent apart.
    write("sheet.obj", square_obj(1, 1));
    write("s.json", R"({"pleat": 1, "frames": 4, "gravity": [0, 0, 0], "cloths": [{"name": "sheet",
        "mesh": "sheet.obj", "material": "denim", "strain_limits": [-0.1, 0.1]}],
        "handles": [{"nodes": [0, 3]}, {"nodes": [1, 2],
            "motion": [{"time": 0}, {"time": 0.16, "translate": [0.3, 0, 0]},
                {"time": 0.2}]}]})");
    const std::string run = "run --force " + at("s.json") + " -o " + at("out") + " ";
    const ProgramResult warned = run_pleat_line(run);
    EXPECT_EQ(warned.exit_code, 0);
    EXPECT_THAT(warned.output, HasSubstr("warning: 3 frame(s) with strains more than 0.02 beyond"));
    EXPECT_THAT(warned.output, HasSubstr("worst: 0.2 beyond, in frame 4 at sheet face"));
    const ProgramResult strict = run_pleat_line(run + "--strict");
    EXPECT_EQ(strict.exit_code, 2);
    EXPECT_THAT(strict.output, HasSubstr("check failed: 3 frame(s) with strains"));
    EXPECT_EQ(run_pleat_line(run + "--strict --limit-tolerance 0.25").exit_code, 0);

    // From the files alone.
    const ProgramResult checked = run_pleat_line("check " + at("out"));
    EXPECT_EQ(checked.exit_code, 0);
    EXPECT_THAT(checked.output, HasSubstr("strain beyond the limits: maximum 0.2"));
    EXPECT_THAT(checked.output, HasSubstr("warning: 3 frame(s) with strains more than 0.02"));
    EXPECT_EQ(run_pleat_line("check --strict " + at("out")).exit_code, 2);
    EXPECT_EQ(run_pleat_line("check --strict --limit-tolerance 0.25 " + at("out")).exit_code, 0);

    // A run that goes on counts what was written before; the new frames are within the limits.
    const ProgramResult resumed = run_pleat_line("resume " + at("out") + " --frames 6 --strict");
    EXPECT_EQ(resumed.exit_code, 2);
    EXPECT_THAT(resumed.output, HasSubstr("check failed: 3 frame(s) with strains"));
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
