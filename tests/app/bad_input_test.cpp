// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// The whole corpus of malformed files through the command line: exit code 1 and a message with
// file and place, for every one of them.
#include "bad_input/corpus.hpp"
#include "program.hpp"
#include "temporary_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <set>
#include <string>

namespace pleat {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

/// The rows of one folder of the corpus.
std::vector<BadInput> rows_of(const std::string& folder)
{
    std::vector<BadInput> rows;
    for (BadInput& row : read_bad_inputs())
        if (row.file.starts_with(folder + "/")) rows.push_back(std::move(row));
    return rows;
}

void expect_refused(const ProgramResult& result, const BadInput& row, const fs::path& named)
{
    EXPECT_EQ(result.signal, 0) << result.output;
    EXPECT_EQ(result.exit_code, 1) << result.output;
    EXPECT_FALSE(result.has_sanitizer_report()) << result.output;
    EXPECT_THAT(result.output, HasSubstr(named.string()));
    for (const std::string& words : row.message_contains)
        EXPECT_TRUE(says(result.output, words)) << "no " << words << " in:\n" << result.output;
}

/// A sheet of its own folder, for scenes that name a bad file.
class SheetFolder {
public:
    SheetFolder() { write_bytes(folder_ / "sheet.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"); }
    /// Writes a scene and checks it.
    [[nodiscard]] ProgramResult check(const std::string& scene) const
    {
        write_bytes(folder_ / "scene.json", scene);
        return run_pleat({"check", (folder_ / "scene.json").string()});
    }

private:
    TemporaryFolder folder_;
};

TEST(BadInput, every_scene_and_material_is_in_the_table_and_the_other_way_round)
{
    std::set<std::string> in_table, on_disk;
    for (const char* folder : {"scenes", "materials"}) {
        for (const BadInput& row : rows_of(folder))
            EXPECT_TRUE(in_table.insert(row.file).second) << row.file << " twice";
        for (const auto& entry : fs::directory_iterator(bad_input_folder() / folder))
            if (!entry.is_directory())
                on_disk.insert(folder + ("/" + entry.path().filename().string()));
    }
    EXPECT_EQ(in_table, on_disk);
    EXPECT_GE(on_disk.size(), 40u);
}

TEST(BadInput, every_row_says_what_the_message_must_contain)
{
    const std::set<std::string> finders{"reader", "mesh check", "files", "start"};
    for (const BadInput& row : read_bad_inputs()) {
        EXPECT_FALSE(row.message_contains.empty()) << row.file;
        EXPECT_TRUE(finders.contains(row.found_by)) << row.file;
    }
}

TEST(BadInput, check_refuses_every_mesh)
{
    for (const BadInput& row : rows_of("meshes")) {
        SCOPED_TRACE(row.file + ": " + row.defect);
        const fs::path path = bad_input_folder() / row.file;
        expect_refused(run_pleat({"check", path.string()}), row, path);
    }
}

TEST(BadInput, check_refuses_scenes_with_a_bad_mesh_as_cloth)
{
    const SheetFolder folder;
    for (const BadInput& row : rows_of("meshes")) {
        SCOPED_TRACE(row.file + ": " + row.defect);
        const fs::path path = bad_input_folder() / row.file;
        expect_refused(folder.check(R"({"pleat": 1, "cloths": [{"mesh": ")" + path.string() +
                                    R"(", "material": "jersey"}]})"),
                       row, path);
    }
}

TEST(BadInput, check_refuses_scenes_with_an_unreadable_mesh_as_obstacle)
{
    const SheetFolder folder;
    for (const BadInput& row : rows_of("meshes")) {
        if (row.found_by != "reader") continue;
        SCOPED_TRACE(row.file + ": " + row.defect);
        const fs::path path = bad_input_folder() / row.file;
        expect_refused(folder.check(R"({"pleat": 1, "cloths": [{"mesh": "sheet.obj",
                                        "material": "jersey"}], "obstacles": [{"mesh": ")" +
                                    path.string() + R"("}]})"),
                       row, path);
    }
}

TEST(BadInput, check_refuses_every_motion)
{
    const SheetFolder folder;
    for (const BadInput& row : rows_of("motions")) {
        SCOPED_TRACE(row.file + ": " + row.defect);
        const fs::path path = bad_input_folder() / row.file;
        expect_refused(folder.check(R"({"pleat": 1, "cloths": [{"mesh": "sheet.obj",
                                        "material": "jersey"}], "obstacles": [{"mesh": "sheet.obj",
                                        "motion": {"file": ")" +
                                    path.string() + R"("}}]})"),
                       row, path);
        expect_refused(folder.check(R"({"pleat": 1, "cloths": [{"mesh": "sheet.obj",
                                        "material": "jersey"}], "handles": [{"nodes": [0],
                                        "motion": {"file": ")" +
                                    path.string() + R"("}}]})"),
                       row, path);
    }
}

TEST(BadInput, check_refuses_every_material)
{
    const SheetFolder folder;
    for (const BadInput& row : rows_of("materials")) {
        SCOPED_TRACE(row.file + ": " + row.defect);
        const fs::path path = bad_input_folder() / row.file;
        expect_refused(folder.check(R"({"pleat": 1, "cloths": [{"mesh": "sheet.obj",
                                        "material": ")" +
                                    path.string() + R"("}]})"),
                       row, path);
    }
}

TEST(BadInput, check_refuses_every_scene)
{
    for (const BadInput& row : rows_of("scenes")) {
        SCOPED_TRACE(row.file + ": " + row.defect);
        const fs::path path = bad_input_folder() / row.file;
        expect_refused(run_pleat({"check", path.string()}), row, path);
    }
}

TEST(BadInput, run_refuses_every_scene_and_writes_nothing)
{
    for (const BadInput& row : rows_of("scenes")) {
        if (row.found_by == "start") continue; // runs, and its audit fails
        SCOPED_TRACE(row.file + ": " + row.defect);
        const TemporaryFolder folder;
        const fs::path path = bad_input_folder() / row.file;
        expect_refused(run_pleat({"run", path.string(), "-o", (folder / "out").string()}), row,
                       bad_input_folder() / "scenes");
        EXPECT_FALSE(fs::exists(folder / "out"));
    }
}

TEST(BadInput, arguments_that_are_no_files_are_refused)
{
    const TemporaryFolder folder;
    for (const std::string& verb : std::vector<std::string>{"run", "check", "render", "convert"}) {
        for (const std::string& path : std::vector<std::string>{
                 (folder / "missing.json").string(), (folder / "missing.obj").string(),
                 std::string("/dev/null"), folder.path().string()}) {
            std::vector<std::string> arguments{verb, path};
            if (verb == "convert") arguments.push_back((folder / "to.ply").string());
            if (verb == "render" || verb == "run") {
                arguments.push_back("-o");
                arguments.push_back((folder / "out").string());
            }
            const ProgramResult result = run_pleat(arguments);
            SCOPED_TRACE(verb + " " + path);
            EXPECT_EQ(result.exit_code, 1) << result.output;
            EXPECT_FALSE(result.has_sanitizer_report()) << result.output;
            EXPECT_THAT(result.output, HasSubstr(path));
        }
    }
}

TEST(StrangeNames, of_folders_do_not_hinder_a_run)
{
    const TemporaryFolder folder;
    // No UTF-8, and a percent sign as patterns have it.
    const std::string home = (folder / "caf\xe9 100%d").string();
    ASSERT_EQ(run_pleat({"new", home, "--cells", "2"}).exit_code, 0);
    write_bytes(fs::path(home) / "b_0.obj", "v 0 0 -9\nv 1 0 -9\nv 0 1 -9\nf 1 2 3\n");
    write_bytes(fs::path(home) / "with.json",
                R"({"pleat": 1, "cloths": [{"mesh": "sheet.obj", "material": "jersey",
                    "strain_limits": [-0.1, 0.1]}],
                    "obstacles": [{"sequence": {"files": "b_%d.obj"}}]})");
    const std::string out = home + "/out";
    const ProgramResult ran =
        run_pleat({"run", home + "/with.json", "--frames", "1", "--json", "-o", out});
    EXPECT_EQ(ran.exit_code, 0) << ran.output;
    EXPECT_EQ(run_pleat({"check", out}).exit_code, 0);
}

TEST(StrangeNames, in_capital_letters_are_meshes_all_the_same)
{
    const TemporaryFolder folder;
    write_bytes(folder / "A.OBJ", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    EXPECT_EQ(run_pleat({"check", (folder / "A.OBJ").string()}).exit_code, 0);
}

} // namespace
} // namespace pleat
