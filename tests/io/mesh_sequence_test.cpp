// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/io/mesh_sequence.hpp"

#include "pleat/core/error.hpp"
#include "temporary_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace pleat {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

std::string frame(const std::string& height, const std::string& faces = "f 1 2 3\nf 1 3 4\n")
{
    return "v 0 0 " + height + "\nv 1 0 0\nv 1 1 0\nv 0 1 0\n" + faces;
}

std::string message_of(const std::vector<std::filesystem::path>& files)
{
    try {
        static_cast<void>(read_sequence(files));
    } catch (const InputError& error) {
        return error.what();
    }
    return "";
}

TEST(SequencePattern, puts_the_number_where_printf_would)
{
    EXPECT_EQ(sequence_file("a/body_%04d.obj", 7), "a/body_0007.obj");
    EXPECT_EQ(sequence_file("body%d", 12), "body12");
    EXPECT_EQ(sequence_file("%3i.obj", 12), " 12.obj");
    EXPECT_EQ(sequence_file("100%%_%02u.obj", 123), "100%_123.obj");
}

TEST(SequencePattern, refuses_what_is_not_one_number)
{
    for (const char* pattern : {"body.obj", "%d_%d.obj", "%s.obj", "%n", "%", "a%", "%04", "%5.2f",
                                "%999999999d", "%*d", "%-4d"})
        EXPECT_THROW(static_cast<void>(sequence_file(pattern, 0)), InputError) << pattern;
}

TEST(SequencePattern, is_told_from_a_plain_file)
{
    EXPECT_TRUE(is_sequence_pattern("body_%04d.obj"));
    EXPECT_FALSE(is_sequence_pattern("body.obj"));
    EXPECT_FALSE(is_sequence_pattern("100%%.obj"));
    EXPECT_FALSE(is_sequence_pattern("100%.obj"));
}

TEST(MeshSequence, ends_before_the_first_missing_file)
{
    const TemporaryFolder folder;
    for (const char* name : {"b_0.obj", "b_1.obj", "b_2.obj", "b_4.obj"})
        write_bytes(folder / name, frame("0"));
    const SequenceFiles found = find_sequence(folder / "b_%d.obj");
    ASSERT_EQ(found.files.size(), 3u);
    EXPECT_EQ(found.files[2], folder / "b_2.obj");
    EXPECT_THAT(found.notes, testing::ElementsAre(HasSubstr("number 3")));
    EXPECT_EQ(find_sequence(folder / "b_%d.obj", 2).files.size(), 1u);
    EXPECT_THAT(find_sequence(folder / "b_%d.obj", 4).notes, IsEmpty());
}

TEST(MeshSequence, says_when_the_first_file_is_missing_and_where_the_files_start)
{
    const TemporaryFolder folder;
    write_bytes(folder / "b_1.obj", frame("0"));
    try {
        static_cast<void>(find_sequence(folder / "b_%d.obj"));
        FAIL() << "found a file that is not there";
    } catch (const InputError& error) {
        EXPECT_EQ(error.problems().at(0).file, (folder / "b_0.obj").string());
        EXPECT_THAT(error.what(), HasSubstr("there is one of number 1"));
    }
    EXPECT_THROW(static_cast<void>(find_sequence(folder / "c_%d.obj")), InputError);
}

TEST(MeshSequence, reads_the_positions_of_every_frame)
{
    const TemporaryFolder folder;
    for (int i = 0; i < 3; ++i)
        write_bytes(folder / ("b_" + std::to_string(i) + ".obj"), frame(std::to_string(i)));
    const MeshSequence sequence = read_sequence(find_sequence(folder / "b_%d.obj").files);
    ASSERT_EQ(sequence.frame_x.size(), 3u);
    for (std::size_t i = 0; i < 3; ++i)
        EXPECT_EQ(sequence.frame_x[i][0], (Vec3{0.0, 0.0, static_cast<double>(i)}));
    EXPECT_EQ(sequence.first.mesh.face_nodes.size(), 2u);
}

TEST(MeshSequence, names_the_first_file_with_other_faces)
{
    const TemporaryFolder folder;
    const std::vector<std::filesystem::path> files = {folder / "b_0.obj", folder / "b_1.obj",
                                                      folder / "b_2.obj"};
    write_bytes(files[0], frame("0"));
    write_bytes(files[1], frame("1", "# the other diagonal below\nf 1 2 3\nf 1 4 3\n"));
    write_bytes(files[2], frame("2", "f 1 2 3\n"));
    EXPECT_THAT(message_of(files), HasSubstr(files[1].string() +
                                             ": line 7: a triangle of vertices 1 4 3; expected a "
                                             "triangle of vertices 1 3 4, as in " +
                                             files[0].string() + " line 6"));
    EXPECT_THAT(message_of({files[0], files[2]}), HasSubstr(files[2].string() + ": 1 triangles"));
    write_bytes(files[1], "v 9 9 9\n" + frame("0"));
    EXPECT_THAT(message_of(files), HasSubstr(files[1].string() + ": 5 vertices; expected 4"));
    write_bytes(files[1], "nonsense");
    EXPECT_THAT(message_of(files), HasSubstr(files[1].string() + ": line 1"));
}

} // namespace
} // namespace pleat
