// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "program.hpp"
#include "temporary_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <sstream>

namespace pleat {
namespace {

using testing::HasSubstr;

const std::string scene = std::string(PLEAT_SOURCE_DIR) + "/scenes/sphere-anisotropic/quick.json";

using Row = std::map<std::string, std::string>;

/// The rows of a table without quoted commas.
std::vector<Row> read_table(const std::filesystem::path& path)
{
    std::istringstream lines(read_bytes(path));
    std::vector<std::string> columns;
    std::vector<Row> rows;
    for (std::string line; std::getline(lines, line);) {
        std::vector<std::string> cells;
        std::istringstream parts(line);
        for (std::string cell; std::getline(parts, cell, ',');) cells.push_back(cell);
        if (columns.empty()) {
            columns = cells;
            continue;
        }
        Row row;
        for (std::size_t i = 0; i < columns.size() && i < cells.size(); ++i)
            row[columns[i]] = cells[i];
        rows.push_back(row);
    }
    return rows;
}

TEST(Wedge, that_is_killed_goes_on_and_equals_single_runs)
{
    const TemporaryFolder folder;
    const std::string out = (folder / "wedge").string();
    const std::string command = std::string(PLEAT_BINARY) + " wedge " + scene +
                                " --set cloths.0.material=gray-interlock,denim" +
                                " --range contact.friction=0:0.7:8 --frames 8 -q -o " + out;
    const ProgramResult killed =
        run_shell(command + " & pid=$!; while n=$(grep -c ,finished, " + out +
                  "/wedge.csv 2>/dev/null); [ \"${n:-0}\" -lt 5 ]; do sleep 0.01; done; kill -9 "
                  "$pid; wait $pid");
    EXPECT_EQ(killed.exit_code, 128 + 9) << killed.output;
    std::size_t finished = 0;
    for (const Row& row : read_table(out + "/wedge.csv"))
        finished += row.at("state") == "finished" ? 1 : 0;
    EXPECT_GE(finished, 5u);
    EXPECT_LT(finished, 16u);

    const ProgramResult again = run_shell(command);
    EXPECT_EQ(again.exit_code, 0) << again.output;
    const std::vector<Row> rows = read_table(out + "/wedge.csv");
    ASSERT_EQ(rows.size(), 16u);
    for (const Row& row : rows) {
        EXPECT_EQ(row.at("state"), "finished");
        EXPECT_EQ(row.at("frames"), "9");
        const std::string single = (folder / ("single" + row.at("run"))).string();
        const ProgramResult run =
            run_pleat({"run", scene, "-q", "--frames", "8", "--threads", "1", "-o", single, "--set",
                       "cloths.0.material=" + row.at("cloths.0.material"), "--set",
                       "contact.friction=" + row.at("contact.friction")});
        EXPECT_EQ(run.exit_code, 0) << run.output;
        EXPECT_THAT(read_bytes(single + "/run.json"),
                    HasSubstr("\"hash\": \"" + row.at("hash") + "\""));
    }
    EXPECT_EQ(rows[0].at("contact.friction"), "0");
    EXPECT_EQ(rows[15].at("contact.friction"), "0.7");
    EXPECT_EQ(rows[15].at("cloths.0.material"), "denim");
    EXPECT_THAT(read_bytes(out + "/wedge.html"), HasSubstr("0015"));
}

TEST(Wedge, draws_the_same_numbers_for_the_same_seed)
{
    const TemporaryFolder folder;
    const auto table = [&](const std::string& name, const std::string& seed) {
        const std::string out = (folder / name).string();
        const ProgramResult run =
            run_pleat({"wedge", scene, "--range", "fps=20:30:2", "--set", "substeps=1,2,3",
                       "--random", "6", "--seed", seed, "--frames", "0", "-q", "-o", out});
        EXPECT_EQ(run.exit_code, 0) << run.output;
        std::vector<std::string> values;
        for (const Row& row : read_table(out + "/wedge.csv")) {
            values.push_back(row.at("fps") + " " + row.at("substeps"));
            EXPECT_GE(std::stod(row.at("fps")), 20);
            EXPECT_LT(std::stod(row.at("fps")), 30);
        }
        return values;
    };
    const auto first = table("a", "1");
    EXPECT_EQ(first.size(), 6u);
    EXPECT_EQ(first, table("b", "1"));
    EXPECT_NE(first, table("c", "2"));
}

TEST(Wedge, tells_what_is_wrong_before_it_starts)
{
    const TemporaryFolder folder;
    const std::string out = (folder / "wedge").string();
    const auto output = [&](std::vector<std::string> words) {
        words.insert(words.begin(), {"wedge", scene, "-q", "--frames", "0", "-o", out});
        const ProgramResult run = run_pleat(words);
        EXPECT_EQ(run.exit_code, 1) << run.output;
        return run.output;
    };
    EXPECT_THAT(output({}), HasSubstr("at least one --set or --range"));
    EXPECT_THAT(output({"--range", "fps=1:2"}), HasSubstr("FIRST:LAST:COUNT"));
    EXPECT_THAT(output({"--range", "fps=1:x:3"}), HasSubstr("FIRST:LAST:COUNT"));
    EXPECT_THAT(output({"--set", "fsp=1,2"}), HasSubstr("fsp: unknown key"));
    EXPECT_THAT(output({"--set", "cloths.7.material=denim"}), HasSubstr("an array of 1"));
    EXPECT_EQ(run_pleat({"wedge", scene, "-q", "--frames", "0", "-o", out, "--set", "fps=20,25"})
                  .exit_code,
              0);
    EXPECT_THAT(output({"--set", "fps=20,30"}), HasSubstr("another wedge"));
}

TEST(SetOption, replaces_values_by_path)
{
    const TemporaryFolder folder;
    const auto run = [&](std::vector<std::string> words) {
        const std::string out = (folder / "run").string();
        words.insert(words.begin(), {"run", scene, "--frames", "0", "-q", "--force", "-o", out});
        return run_pleat(words);
    };
    ASSERT_EQ(run({"--set", "cloths.sheet.remeshing.edge_length=[0.05, 0.3]", "--set",
                   "wind.density=2", "--set", "cloths[0].material={\"base\": \"denim\"}", "--set",
                   "cloths.0.material.bending_scale=2"})
                  .exit_code,
              0);
    const std::string text = read_bytes(folder / "run/scene.json");
    EXPECT_THAT(text, HasSubstr("\"density\": 2.0"));
    EXPECT_THAT(text, HasSubstr("0.05,\n          0.3"));
    const auto told = [&](const std::string& set, const std::string& words) {
        const ProgramResult result = run({"--set", set});
        EXPECT_EQ(result.exit_code, 1) << set;
        EXPECT_THAT(result.output, HasSubstr(words));
    };
    told("fps", "KEY=VALUE");
    told("cloths.rag.material=denim", "no item with the name \"rag\"");
    told("cloths.0.name.x=1", "expected an object or an array");
    told("fps=[1", "--set fps: line 1");
    told("cloths..name=1", "a key with an empty part");
    told("fps=fast", "fps: ");
}

TEST(NamePatternOption, is_kept_by_resume_check_and_export)
{
    const TemporaryFolder folder;
    const std::string out = (folder / "run").string();
    ASSERT_EQ(run_pleat({"run", scene, "--frames", "2", "-q", "-o", out, "--name-pattern",
                         "{name}.{frame:04d}", "--checkpoint-every", "1"})
                  .exit_code,
              0);
    EXPECT_TRUE(std::filesystem::exists(out + "/frames/sheet.0002.obj"));
    EXPECT_TRUE(std::filesystem::exists(out + "/frames/sheet.0002.attributes"));
    ASSERT_EQ(run_pleat({"resume", out, "--from", "1", "--frames", "3", "-q", "--force"}).exit_code,
              0);
    EXPECT_TRUE(std::filesystem::exists(out + "/frames/sheet.0003.obj"));
    EXPECT_THAT(run_pleat({"check", out}).output, HasSubstr("4 frames: 0 bad"));
    const std::string other = (folder / "other").string();
    EXPECT_EQ(run_pleat({"export", out, "--format", "usda,glb", "-o", other}).exit_code, 0);
    EXPECT_TRUE(std::filesystem::exists(other + "/frames/00003_sheet.glb"));
    EXPECT_THAT(read_bytes(other + "/run.usda"), HasSubstr("velocities.timeSamples"));
    EXPECT_THAT(run_pleat({"run", scene, "--name-pattern", "{name}", "-o", other}).output,
                HasSubstr("{name}.{frame:05d}"));
}

} // namespace
} // namespace pleat
