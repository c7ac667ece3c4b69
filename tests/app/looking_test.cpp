// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// `pleat render` and `pleat stats` from outside.
#include "app/program.hpp"
#include "temporary_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <string>

namespace pleat {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

const std::string scenes = std::string(PLEAT_SOURCE_DIR) + "/scenes";

/// A short adaptive run, made once for all tests.
struct Looking : testing::Test {
    static inline std::unique_ptr<TemporaryFolder> shared;
    static void SetUpTestSuite()
    {
        shared = std::make_unique<TemporaryFolder>();
        ASSERT_EQ(run_pleat_line("run " + scenes +
                                 "/sphere-anisotropic/quick.json -q --frames 6 -o " + run())
                      .exit_code,
                  0);
    }
    static void TearDownTestSuite() { shared.reset(); }
    static std::string run() { return (shared->path() / "run").string(); }
    TemporaryFolder folder;
    [[nodiscard]] std::string at(const std::string& name) const { return (folder / name).string(); }
};

constexpr const char* quick = " --width 48 --height 36 --samples 1 -q ";

TEST_F(Looking, every_colour_mode_makes_another_picture)
{
    std::set<std::string> pictures;
    for (const char* mode :
         {"fabric", "size", "aspect", "strain", "velocity", "curvature", "material", "driver"}) {
        const ProgramResult r = run_pleat_line("render " + run() + quick + "--frame 6 --colour " +
                                               mode + " -o " + at("p.png"));
        ASSERT_EQ(r.exit_code, 0) << mode << r.output;
        pictures.insert(read_bytes(at("p.png")));
    }
    EXPECT_EQ(pictures.size(), 8u);
    const ProgramResult unknown = run_pleat_line("render " + run() + " --colour taste");
    EXPECT_EQ(unknown.exit_code, 1);
    EXPECT_THAT(unknown.output, HasSubstr("curvature"));
}

TEST_F(Looking, ranges_of_frames_are_numbered_and_alike_for_any_number_of_threads)
{
    const std::string command = "render " + run() + quick + "--colour strain --frames 0:6:3 ";
    ASSERT_EQ(run_pleat_line(command + "--threads 1 -o " + at("a_%03d.png")).exit_code, 0);
    ASSERT_EQ(run_pleat_line(command + "--threads 2 -o " + at("b.png")).exit_code, 0);
    for (const char* number : {"0", "3", "6"})
        EXPECT_EQ(read_bytes(at(std::string("a_00") + number + ".png")),
                  read_bytes(at(std::string("b_0000") + number + ".png")))
            << number;
    EXPECT_EQ(run_pleat_line("render " + run() + " --frames 20:30").exit_code, 1);
    EXPECT_EQ(run_pleat_line("render " + run() + " --frames 1:2:3:4").exit_code, 1);
    EXPECT_EQ(run_pleat_line("render " + run() + " --frames 0:6 --frame 2").exit_code, 1);
    EXPECT_EQ(run_pleat_line("render " + run() + " --frames 0:6 -o " + at("%s.png")).exit_code, 1);
}

TEST_F(Looking, a_film_appears_whole_or_not_at_all)
{
    const std::string film = "render " + run() + quick + "--film " + at("film.mp4");
    // A folder without ffmpeg stands for a machine without it.
    const ProgramResult without =
        run_shell("PATH=/nowhere " + std::string(PLEAT_BINARY) + " " + film);
    EXPECT_EQ(without.exit_code, 1);
    EXPECT_THAT(without.output, HasSubstr("apt-get install ffmpeg"));
    EXPECT_TRUE(fs::is_empty(folder.path()));
    if (run_shell("command -v ffmpeg").exit_code != 0) GTEST_SKIP() << "there is no ffmpeg";

    ASSERT_EQ(run_pleat_line(film).exit_code, 0);
    EXPECT_THAT(read_bytes(at("film.mp4")).substr(4, 4), "ftyp");
    const ProgramResult length =
        run_shell("ffprobe -v error -count_frames -show_entries stream=nb_read_frames,width "
                  "-of csv=p=0 " +
                  at("film.mp4"));
    EXPECT_THAT(length.output, StartsWith("48,7"));
    const ProgramResult strange =
        run_pleat_line("render " + run() + quick + "--film " + at("film.xyz"));
    EXPECT_EQ(strange.exit_code, 1);
    EXPECT_THAT(strange.output, HasSubstr("ffmpeg failed"));
    EXPECT_EQ(run_pleat_line("render " + run() + quick + "--film " + at("no/film.mp4")).exit_code,
              1);
    const ProgramResult stopped =
        run_shell(std::string(PLEAT_BINARY) + " render " + run() +
                  " --width 320 --height 240 --samples 16 -q --film " + at("long.mp4") +
                  " & pid=$!; for i in $(seq 600); do ls " + folder.path().string() +
                  " | grep -q part && break; sleep 0.05; done; kill -INT $pid; wait $pid");
    EXPECT_EQ(stopped.exit_code, 130) << stopped.output;
    for (const auto& entry : fs::directory_iterator(folder.path()))
        EXPECT_EQ(entry.path().filename(), "film.mp4") << "nothing else is left";
}

TEST_F(Looking, pictures_of_single_frames_have_the_camera_of_the_whole_run)
{
    const std::string render = "render " + run() + quick;
    ASSERT_EQ(run_pleat_line(render + "--frames 0:6:3 -o " + at("all_%d.png")).exit_code, 0);
    for (const std::string& frame : {std::string("0"), std::string("3"), std::string("6")}) {
        ASSERT_EQ(run_pleat_line(render + "--frame " + frame + " -o " + at("one.png")).exit_code,
                  0);
        EXPECT_EQ(read_bytes(at("one.png")), read_bytes(at("all_" + frame + ".png"))) << frame;
    }
    ASSERT_EQ(run_pleat_line(render + "--frame 6 --fit-frames -o " + at("near.png")).exit_code, 0);
    EXPECT_NE(read_bytes(at("near.png")), read_bytes(at("all_6.png")));
}

TEST_F(Looking, a_film_with_a_stride_has_true_speed)
{
    if (run_shell("command -v ffmpeg").exit_code != 0) GTEST_SKIP() << "there is no ffmpeg";
    const auto rate = [&](const std::string& more) {
        EXPECT_EQ(
            run_pleat_line("render " + run() + quick + more + " --film " + at("f.mp4")).exit_code,
            0);
        return run_shell("ffprobe -v error -show_entries stream=avg_frame_rate -of csv=p=0 " +
                         at("f.mp4"))
            .output;
    };
    EXPECT_THAT(rate(""), StartsWith("25/1"));
    EXPECT_THAT(rate("--frames 0:6:3"), StartsWith("25/3"));
    EXPECT_THAT(rate("--frames 0:6:3 --fps 10"), StartsWith("10/1"));
}

TEST_F(Looking, messages_name_what_was_given)
{
    const auto said = [&](const std::string& words) {
        const ProgramResult r = run_pleat_line("render " + words);
        EXPECT_EQ(r.exit_code, 1) << r.output;
        return r.output;
    };
    EXPECT_THAT(said(run() + " --frame 2 --frames 0:6"),
                AllOf(HasSubstr("frame 2"), HasSubstr("--frames 0:6")));
    EXPECT_THAT(said(run() + " --frame 2 --film " + at("f.mp4")),
                AllOf(HasSubstr("frame 2"), HasSubstr("--film " + at("f.mp4"))));
    EXPECT_THAT(said(run() + quick + "-o " + at("p.jpg")),
                AllOf(HasSubstr(at("p.jpg")), HasSubstr(".png")));
    EXPECT_FALSE(fs::exists(at("p.jpg")));
    EXPECT_THAT(said(at("nowhere")), AllOf(HasSubstr(at("nowhere")), HasSubstr("no such folder")));
    EXPECT_THAT(said(run() + "/scene.json"), HasSubstr("scene.json: a file"));
    EXPECT_THAT(said(run() + " --frame 99"), HasSubstr("frame 99"));
}

TEST_F(Looking, the_scenes_camera_is_used_where_there_is_one)
{
    std::string scene = read_bytes(run() + "/scene.json");
    const auto picture = [&](const std::string& more) {
        EXPECT_EQ(
            run_pleat_line("render " + at("seen") + quick + more + " -o " + at("p.png")).exit_code,
            0);
        return read_bytes(at("p.png"));
    };
    fs::copy(run(), folder / "seen", fs::copy_options::recursive);
    const std::string fitted = picture("");
    scene.insert(scene.rfind('}'), R"(, "camera": {"eye": [3, -3, 1], "target": [0, 0, 0.5]})");
    write_bytes(folder / "seen/scene.json", scene);
    const std::string seen = picture("");
    EXPECT_NE(seen, fitted);
    EXPECT_EQ(picture("--azimuth 25"), fitted) << "unless told otherwise";
    EXPECT_EQ(picture("--eye 3,-3,1 --target 0,0,0.5 --fov 30"), seen);
}

TEST_F(Looking, stats_stand_side_by_side_and_in_charts)
{
    fs::copy(run(), folder / "other", fs::copy_options::recursive);
    const ProgramResult one = run_pleat_line("stats " + run());
    EXPECT_EQ(one.exit_code, 0);
    EXPECT_THAT(one.output, AllOf(HasSubstr("faces, maximum"), HasSubstr("finished"),
                                  HasSubstr("remeshing [%]")));
    const ProgramResult two =
        run_pleat_line("stats " + run() + " " + at("other") + " -o " + at("s.html"));
    EXPECT_EQ(two.exit_code, 0);
    EXPECT_THAT(two.output, ContainsRegex("run +other\n.*finished +finished"));
    const std::string page = read_bytes(at("s.html"));
    EXPECT_THAT(page, AllOf(StartsWith("<!doctype html>"), HasSubstr("<svg"), HasSubstr("Energy"),
                            Not(HasSubstr("src=")), Not(HasSubstr("<script"))));
    EXPECT_EQ(run_pleat_line("stats " + run() + " -o " + at("s.svg")).exit_code, 0);
    EXPECT_THAT(read_bytes(at("s.svg")), StartsWith("<svg"));
    EXPECT_EQ(run_shell("python3 -c 'import sys, xml.dom.minidom as m; m.parse(sys.argv[1])' " +
                        at("s.svg"))
                  .exit_code,
              0);
}

TEST_F(Looking, stats_are_read_by_the_names_of_columns)
{
    fs::create_directories(folder / "few");
    write_bytes(folder / "few/stats.csv",
                "min_gap,new_column,frame,faces\ninf,x,0,12\n0.002,y,1,34\n5,");
    const ProgramResult r = run_pleat_line("stats " + at("few") + " -o " + at("few.svg"));
    EXPECT_EQ(r.exit_code, 0) << r.output;
    EXPECT_THAT(r.output, AllOf(HasSubstr("34"), HasSubstr("2")));
    write_bytes(folder / "few/stats.csv", "\xff\xfe binary");
    EXPECT_EQ(run_pleat_line("stats " + at("few")).exit_code, 1);
    const ProgramResult none = run_pleat_line("stats " + folder.path().string());
    EXPECT_EQ(none.exit_code, 1);
    EXPECT_THAT(none.output, HasSubstr("folder without stats.csv"));
    EXPECT_EQ(run_pleat_line("stats " + run() + " -o " + at("s.png")).exit_code, 1);
}

} // namespace
} // namespace pleat
