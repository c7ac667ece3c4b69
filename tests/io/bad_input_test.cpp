// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// The corpus of malformed meshes and motions, and what happens to files that are damaged at random.
#include "bad_input/corpus.hpp"
#include "pleat/core/error.hpp"
#include "pleat/io/motion_file.hpp"
#include "pleat/io/obj.hpp"
#include "pleat/io/ply.hpp"
#include "temporary_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <string>
#include <vector>

namespace pleat {
namespace {

namespace fs = std::filesystem;

void read_any(const fs::path& path)
{
    if (path.extension() == ".obj")
        static_cast<void>(read_obj(path));
    else if (path.extension() == ".ply")
        static_cast<void>(read_ply(path));
    else
        static_cast<void>(read_motion_file(path));
}

bool is_ours(const BadInput& row)
{
    return row.file.starts_with("meshes/") || row.file.starts_with("motions/");
}

TEST(BadInput, every_file_of_the_corpus_is_in_the_table_and_the_other_way_round)
{
    std::set<std::string> in_table, on_disk;
    for (const BadInput& row : read_bad_inputs()) {
        if (!is_ours(row)) continue;
        EXPECT_TRUE(in_table.insert(row.file).second) << row.file << " twice";
    }
    for (const char* folder : {"meshes", "motions"})
        for (const auto& entry : fs::directory_iterator(bad_input_folder() / folder))
            on_disk.insert(folder + ("/" + entry.path().filename().string()));
    EXPECT_EQ(in_table, on_disk);
    EXPECT_GE(on_disk.size(), 40u);
}

TEST(BadInput, readers_name_file_and_place_of_each_defect)
{
    for (const BadInput& row : read_bad_inputs()) {
        if (!is_ours(row) || row.found_by != "reader") continue;
        SCOPED_TRACE(row.file + ": " + row.defect);
        const fs::path path = bad_input_folder() / row.file;
        EXPECT_FALSE(row.message_contains.empty());
        try {
            read_any(path);
            ADD_FAILURE() << "was read without an error";
        } catch (const InputError& error) {
            for (const std::string& words : row.message_contains)
                EXPECT_TRUE(says(error.what(), words)) << "no " << words << " in:\n"
                                                       << error.what();
            for (const Problem& problem : error.problems()) {
                EXPECT_EQ(problem.file, path.string());
                EXPECT_FALSE(problem.place.empty()) << error.what();
                EXPECT_FALSE(problem.found.empty()) << error.what();
                EXPECT_FALSE(problem.expected.empty()) << error.what();
            }
        }
    }
}

TEST(BadInput, readers_pass_defects_that_only_the_mesh_check_can_see)
{
    std::size_t count = 0;
    for (const BadInput& row : read_bad_inputs()) {
        if (!row.file.starts_with("meshes/") || row.found_by != "mesh check") continue;
        EXPECT_NO_THROW(read_any(bad_input_folder() / row.file)) << row.file;
        ++count;
    }
    EXPECT_GE(count, 10u);
}

TEST(BadInput, a_missing_file_and_a_directory_and_a_device_are_errors_that_name_them)
{
    const TemporaryFolder folder;
    for (const char* ending : {".obj", ".ply", ".mot"}) {
        const fs::path missing = folder / (std::string("missing") + ending);
        const fs::path directory = folder / (std::string("directory") + ending);
        const fs::path device = folder / (std::string("device") + ending);
        fs::create_directory(directory);
        fs::create_symlink("/dev/zero", device);
        const std::pair<fs::path, const char*> cases[] = {{missing, "No such file or directory"},
                                                          {directory, "is a directory"},
                                                          {device, "device"}};
        for (const auto& [path, reason] : cases) {
            try {
                read_any(path);
                ADD_FAILURE() << path << " was read";
            } catch (const InputError& error) {
                EXPECT_EQ(error.problems().at(0).file, path.string());
                EXPECT_THAT(error.what(), testing::HasSubstr(reason));
            }
        }
    }
}

TEST(BadInput, a_file_larger_than_32_bit_indices_is_refused_unread)
{
    const TemporaryFolder folder;
    const fs::path path = folder / "sparse.obj";
    write_bytes(path, "v 0 0 0\n");
    std::error_code error_code;
    fs::resize_file(path, std::uintmax_t{1} << 40, error_code);
    if (error_code) GTEST_SKIP() << "no sparse files here";
    try {
        static_cast<void>(read_obj(path));
        FAIL() << "read a terabyte";
    } catch (const InputError& error) {
        EXPECT_THAT(error.what(), testing::HasSubstr("larger than 4 GiB"));
    }
}

TEST(BadInput, an_endless_line_is_an_error_at_that_line)
{
    const std::string zeros = "v 0 0 0\nv 1 0 " + std::string(2 << 20, '0') + "\nf 1 2 3\n";
    std::string continued = "v 0 0 0\nf 1 ";
    for (int i = 0; i < 400000; ++i) continued += "1 \\\n";
    for (const std::string& text : {zeros, continued}) {
        try {
            static_cast<void>(parse_obj(text, "long.obj"));
            FAIL() << "took a line of megabytes";
        } catch (const InputError& error) {
            EXPECT_EQ(error.problems().at(0).place, "line 2");
            EXPECT_THAT(error.what(), testing::HasSubstr("at most 1048576"));
        }
    }
}

TEST(BadInput, at_most_fifty_problems_are_listed_and_the_first_ones_first)
{
    std::string text;
    for (int i = 0; i < 1000; ++i) text += "v 0 x 0\n";
    try {
        static_cast<void>(parse_obj(text, "many.obj"));
        FAIL() << "took words for numbers";
    } catch (const InputError& error) {
        ASSERT_EQ(error.problems().size(), 50u);
        EXPECT_EQ(error.problems().front().place, "line 1");
        EXPECT_EQ(error.problems().back().place, "line 50");
    }
}

TEST(BadInput, problems_come_in_the_order_of_their_lines)
{
    // The index can only be judged at the end of the file, the number at once.
    try {
        static_cast<void>(parse_obj("v 0 0 0\nf 1 2 9\nv 1 0 q\nv 1 1 0\n", "order.obj"));
        FAIL() << "took a bad index";
    } catch (const InputError& error) {
        ASSERT_EQ(error.problems().size(), 2u);
        EXPECT_EQ(error.problems()[0].place, "line 2");
        EXPECT_EQ(error.problems()[1].place, "line 3");
    }
}

TEST(BadInput, strange_words_make_one_note_each_and_not_without_end)
{
    std::string text = "v 0 0 0\nv 1 0 0\nv 1 1 0\nf 1 2 3\nbevel on\nbevel off\n";
    EXPECT_EQ(parse_obj(text, "a.obj").notes,
              std::vector<std::string>{"line 5: unknown keyword \"bevel\" is ignored"});
    for (int i = 0; i < 1000; ++i) text += "word" + std::to_string(i) + "\n";
    EXPECT_EQ(parse_obj(text, "a.obj").notes.size(), 50u);
}

// ---- damaged files ----------------------------------------------------------------------------

void expect_sound(const MeshInput& mesh)
{
    EXPECT_FALSE(mesh.face_nodes.empty());
    const auto all_below = [](const auto& faces, std::size_t count) {
        return std::all_of(faces.begin(), faces.end(), [&](const auto& f) {
            return f[0] < count && f[1] < count && f[2] < count;
        });
    };
    EXPECT_TRUE(all_below(mesh.face_nodes, mesh.node_x.size()));
    EXPECT_TRUE(all_below(mesh.face_points, mesh.material_u.size()));
    EXPECT_EQ(mesh.material_u.empty(), mesh.face_points.empty());
    const auto fits = [](std::size_t size, std::size_t count) {
        return size == 0 || size == count;
    };
    EXPECT_TRUE(fits(mesh.face_points.size(), mesh.face_nodes.size()));
    EXPECT_TRUE(fits(mesh.node_v.size(), mesh.node_x.size()));
    EXPECT_TRUE(fits(mesh.node_label.size(), mesh.node_x.size()));
    EXPECT_TRUE(fits(mesh.face_material.size(), mesh.face_nodes.size()));
    for (const Vec3& x : mesh.node_x) EXPECT_TRUE(is_finite(x));
    for (const Vec2& u : mesh.material_u) EXPECT_TRUE(is_finite(u));
    for (const auto& mark : mesh.edge_marks)
        EXPECT_TRUE(mark.node_a < mesh.node_x.size() && mark.node_b < mesh.node_x.size());
}

/// Flips, drops, repeats and cuts a few bytes.
std::string damage(std::string text, std::mt19937& random)
{
    const auto below = [&](std::size_t n) { return random() % std::max<std::size_t>(n, 1); };
    constexpr std::string_view spice = "0123456789-+.eE/ \\\n\r#fvtnae\0\xff";
    for (std::size_t i = 0, count = 1 + below(6); i < count && !text.empty(); ++i) {
        const std::size_t at = below(text.size());
        switch (below(6)) {
        case 0:
            text[at] = static_cast<char>(random());
            break;
        case 1:
            text[at] = spice[below(spice.size())];
            break;
        case 2:
            text.erase(at, 1 + below(8));
            break;
        case 3:
            text.insert(at, text.substr(below(text.size()), below(40)));
            break;
        case 4:
            text.insert(at, 1, spice[below(spice.size())]);
            break;
        default:
            if (below(4) == 0) text.resize(at);
        }
    }
    return text;
}

TEST(DamagedFiles, are_read_soundly_or_refused)
{
    std::vector<fs::path> seeds;
    for (const char* folder : {"meshes", "motions"})
        for (const auto& entry : fs::directory_iterator(bad_input_folder() / folder))
            seeds.push_back(entry.path());
    std::sort(seeds.begin(), seeds.end());
    std::mt19937 random(20120);
    std::size_t read = 0, refused = 0;
    for (const fs::path& seed : seeds) {
        const std::string text = read_bytes(seed);
        for (int i = 0; i < 200; ++i) {
            const std::string bytes = damage(text, random);
            try {
                if (seed.extension() == ".obj") {
                    expect_sound(parse_obj(bytes, "damaged").mesh);
                } else if (seed.extension() == ".ply") {
                    expect_sound(parse_ply(bytes, "damaged").mesh);
                } else {
                    const MotionFile motion = parse_motion_file(bytes, "damaged");
                    for (const auto& body : motion.bodies) {
                        EXPECT_EQ(body.position.size(), motion.frame_count);
                        EXPECT_EQ(body.quaternion.size(), motion.frame_count);
                    }
                }
                ++read;
            } catch (const InputError& error) {
                ++refused;
                EXPECT_FALSE(error.problems().empty());
                EXPECT_LE(error.problems().size(), 50u);
            }
            if (HasFailure()) FAIL() << seed << ", damage " << i;
        }
    }
    EXPECT_GT(read, 100u); // both ways are taken
    EXPECT_GT(refused, 1000u);
}

} // namespace
} // namespace pleat
