// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// `pleat remesh` from outside.
#include "app/program.hpp"
#include "temporary_folder.hpp"

#include "pleat/mesh/measures.hpp"
#include "pleat/mesh/mesh.hpp"
#include "pleat/scene/mesh_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

namespace pleat {
namespace {

using testing::HasSubstr;

struct RemeshCommand : testing::Test {
    TemporaryFolder folder;
    [[nodiscard]] std::string at(const std::string& name) const
    {
        return (folder.path() / name).string();
    }
    void write(const std::string& name, const std::string& text) const
    {
        std::ofstream(folder.path() / name) << text;
    }
    void write_square() const
    {
        write("square.obj", "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n"
                            "vt 0 0\nvt 1 0\nvt 1 1\nvt 0 1\nf 1/1 2/2 3/3\nf 1/1 3/3 4/4\n");
    }
};

TEST_F(RemeshCommand, fits_a_mesh_to_the_tensors_of_a_file)
{
    write_square();
    write("metric.txt",
          "# 10 cm, 10 cm\n100 0 100\n100 0 100\n\n100 0 100 # the third\n100 0 100\n");
    const ProgramResult r = run_pleat_line("remesh " + at("square.obj") + " --metric " +
                                           at("metric.txt") + " -o " + at("out.obj"));
    ASSERT_EQ(r.exit_code, 0) << r.output;
    const MeshFile out = read_mesh_file(at("out.obj"), MeshUse::cloth);
    EXPECT_TRUE(out.problems.empty());
    const Mesh mesh = build_mesh(out.mesh);
    EXPECT_GT(mesh.face_count(), 230u);
    EXPECT_LT(mesh.face_count(), 550u);
    EXPECT_NEAR(total_area(mesh), 1, 1e-9);
    for (EdgeId e : mesh.edges()) EXPECT_LE(material_length(mesh, e, 0), 0.1 + 1e-9);
}

TEST_F(RemeshCommand, subdivides_with_three_faces_for_one_at_each_level)
{
    write_square();
    for (const int levels : {1, 2, 5}) {
        std::size_t faces = 2;
        for (int level = 0; level < levels; ++level) faces *= 3;
        const ProgramResult r =
            run_pleat_line("remesh " + at("square.obj") + " --type root3 --levels " +
                           std::to_string(levels) + " -o " + at("out.obj"));
        ASSERT_EQ(r.exit_code, 0) << r.output;
        const MeshFile out = read_mesh_file(at("out.obj"), MeshUse::cloth);
        EXPECT_TRUE(out.problems.empty());
        EXPECT_EQ(out.mesh.face_nodes.size(), faces);
        EXPECT_NEAR(total_area(build_mesh(out.mesh)), 1, 1e-9);
    }
}

TEST_F(RemeshCommand, divides_all_faces_into_four)
{
    write_square();
    for (const int levels : {1, 3}) {
        const ProgramResult r =
            run_pleat_line("remesh " + at("square.obj") + " --type quadrisection --levels " +
                           std::to_string(levels) + " -o " + at("out.obj"));
        ASSERT_EQ(r.exit_code, 0) << r.output;
        const MeshFile out = read_mesh_file(at("out.obj"), MeshUse::cloth);
        EXPECT_TRUE(out.problems.empty());
        EXPECT_EQ(out.mesh.face_nodes.size(), levels == 1 ? 8u : 128u);
        EXPECT_NEAR(total_area(build_mesh(out.mesh)), 1, 1e-9);
    }
}

TEST_F(RemeshCommand, says_what_a_type_needs)
{
    write_square();
    write("metric.txt", "100 0 100\n100 0 100\n100 0 100\n100 0 100\n");
    const std::string start = "remesh " + at("square.obj") + " -o " + at("out.obj");
    for (const std::string& bad :
         {std::string(" --type root3"), " --type root3 --levels 1 --metric " + at("metric.txt"),
          std::string(), " --levels 2 --metric " + at("metric.txt"),
          std::string(" --type root3 --levels 0"), std::string(" --type root3 --levels 11"),
          std::string(" --type quadrisection"),
          " --type quadrisection --levels 1 --metric " + at("metric.txt"),
          std::string(" --type root2 --levels 1")}) {
        const ProgramResult r = run_pleat_line(start + bad);
        EXPECT_EQ(r.exit_code, 1) << bad;
        EXPECT_THAT(r.output, HasSubstr("--")) << bad;
    }
}

TEST_F(RemeshCommand, says_what_is_wrong_with_a_metric_file)
{
    write_square();
    write("bad.txt", "100 0 100\n100 0\n100 200 100\n100 0 nan\n");
    ProgramResult r = run_pleat_line("remesh " + at("square.obj") + " --metric " + at("bad.txt") +
                                     " -o " + at("out.obj"));
    EXPECT_EQ(r.exit_code, 1);
    EXPECT_THAT(r.output, HasSubstr("line 2"));
    EXPECT_THAT(r.output, HasSubstr("line 3"));
    EXPECT_THAT(r.output, HasSubstr("line 4"));
    write("few.txt", "100 0 100\n");
    r = run_pleat_line("remesh " + at("square.obj") + " --metric " + at("few.txt") + " -o " +
                       at("out.obj"));
    EXPECT_EQ(r.exit_code, 1);
    EXPECT_THAT(r.output, HasSubstr("4, one for each material point"));
    r = run_pleat_line("remesh " + at("square.obj") + " --metric " + at("none.txt") + " -o " +
                       at("out.obj"));
    EXPECT_EQ(r.exit_code, 1);
}

} // namespace
} // namespace pleat
