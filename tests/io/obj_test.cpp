// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/io/obj.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <string>
#include <vector>

namespace pleat {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using Triangle = std::array<std::uint32_t, 3>;

const std::string square = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n";

TEST(Obj, reads_two_panels_that_share_the_nodes_of_a_seam)
{
    // The seam is the edge between nodes 1 and 2; each side has its own material points.
    const ObjFile obj = parse_obj("v 0 0 0\n"
                                  "v 0 1 0\n"
                                  "v -1 0.5 0\n"
                                  "v 1 0.5 0\n"
                                  "vt 0 0\n"
                                  "vt 0 1\n"
                                  "vt -1 0.5\n"
                                  "vt 5 0\n"
                                  "vt 5 1\n"
                                  "vt 6 0.5\n"
                                  "f 1/1 2/2 3/3\n"
                                  "f 2/5 1/4 4/6\n",
                                  "seam.obj");
    EXPECT_EQ(obj.mesh.node_x.size(), 4u);
    EXPECT_EQ(obj.mesh.material_u.size(), 6u);
    EXPECT_THAT(obj.mesh.face_nodes, ElementsAre(Triangle{0, 1, 2}, Triangle{1, 0, 3}));
    EXPECT_THAT(obj.mesh.face_points, ElementsAre(Triangle{0, 1, 2}, Triangle{4, 3, 5}));
    EXPECT_EQ(obj.mesh.material_u[5], (Vec2{6.0, 0.5}));
    EXPECT_THAT(obj.node_line, ElementsAre(1u, 2u, 3u, 4u));
    EXPECT_THAT(obj.point_line, ElementsAre(5u, 6u, 7u, 8u, 9u, 10u));
    EXPECT_THAT(obj.face_line, ElementsAre(11u, 12u));
    EXPECT_THAT(obj.notes, IsEmpty());
}

TEST(Obj, leaves_empty_what_the_file_does_not_give)
{
    const MeshInput mesh = parse_obj(square + "f 1 2 3\n", "a.obj").mesh;
    EXPECT_THAT(mesh.node_v, IsEmpty());
    EXPECT_THAT(mesh.node_label, IsEmpty());
    EXPECT_THAT(mesh.material_u, IsEmpty());
    EXPECT_THAT(mesh.face_points, IsEmpty());
    EXPECT_THAT(mesh.face_material, IsEmpty());
    EXPECT_THAT(mesh.edge_marks, IsEmpty());
}

TEST(Obj, cuts_polygons_into_fans_of_one_line)
{
    const ObjFile obj = parse_obj(square + "v -1 0.5 0\nf 1 2 3 4 5\nf 1 2 4\n", "a.obj");
    EXPECT_THAT(obj.mesh.face_nodes, ElementsAre(Triangle{0, 1, 2}, Triangle{0, 2, 3},
                                                 Triangle{0, 3, 4}, Triangle{0, 1, 3}));
    EXPECT_THAT(obj.face_line, ElementsAre(6u, 6u, 6u, 7u));
}

TEST(Obj, reads_every_form_of_a_corner)
{
    const std::string with_points = square + "vt 0 0\nvt 1 0\nvt 1 1\nvn 0 0 1\n";
    for (const char* face : {"f 1/1 2/2 3/3\n", "f 1/1/1 2/2/1 3/3/1\n", "f +1/+1 +2/+2 +3/+3\n"}) {
        const MeshInput mesh = parse_obj(with_points + face, "a.obj").mesh;
        EXPECT_THAT(mesh.face_nodes, ElementsAre(Triangle{0, 1, 2})) << face;
        EXPECT_THAT(mesh.face_points, ElementsAre(Triangle{0, 1, 2})) << face;
    }
    for (const char* face : {"f 1 2 3\n", "f 1//1 2//1 3//1\n"}) {
        const MeshInput mesh = parse_obj(with_points + face, "a.obj").mesh;
        EXPECT_THAT(mesh.face_nodes, ElementsAre(Triangle{0, 1, 2})) << face;
        EXPECT_THAT(mesh.face_points, IsEmpty()) << face;
    }
}

TEST(Obj, counts_negative_indices_back_from_the_line_they_stand_on)
{
    const MeshInput mesh = parse_obj("v 0 0 0\nv 1 0 0\nv 1 1 0\nvt 0 0\nvt 1 0\nvt 1 1\n"
                                     "f -3/-3 -2/-2 -1/-1\n"
                                     "v 0 1 0\nvt 0 1\n"
                                     "f -4/-4 -2/-2 -1/-1\n",
                                     "a.obj")
                               .mesh;
    EXPECT_THAT(mesh.face_nodes, ElementsAre(Triangle{0, 1, 2}, Triangle{0, 2, 3}));
    EXPECT_THAT(mesh.face_points, ElementsAre(Triangle{0, 1, 2}, Triangle{0, 2, 3}));
}

TEST(Obj, lets_indices_point_forward)
{
    const MeshInput mesh = parse_obj("f 1 2 3\ne 1 3\nep 1\n" + square, "a.obj").mesh;
    EXPECT_THAT(mesh.face_nodes, ElementsAre(Triangle{0, 1, 2}));
    EXPECT_THAT(mesh.edge_marks, ElementsAre(MeshInput::EdgeMark{0, 2, std::nullopt, true}));
}

TEST(Obj, reads_the_same_from_every_kind_of_line_end_and_behind_a_byte_order_mark)
{
    const std::string unix_text = "# a square\n" + square + "\nf 1 2 3\nf 1 3 4"; // no last end
    const ObjFile expected = parse_obj(unix_text, "a.obj");
    std::string windows_text, old_text = unix_text;
    for (const char c : unix_text) {
        if (c == '\n') windows_text += '\r';
        windows_text += c;
    }
    for (char& c : old_text)
        if (c == '\n') c = '\r';
    for (const std::string& text : {windows_text, old_text, "\xef\xbb\xbf" + unix_text}) {
        const ObjFile obj = parse_obj(text, "a.obj");
        EXPECT_EQ(obj.mesh.node_x, expected.mesh.node_x);
        EXPECT_EQ(obj.mesh.face_nodes, expected.mesh.face_nodes);
        EXPECT_EQ(obj.node_line, expected.node_line);
        EXPECT_EQ(obj.face_line, expected.face_line);
    }
}

TEST(Obj, joins_continued_lines_and_counts_them)
{
    const ObjFile obj = parse_obj("v 0 \\\n 0 \\\r\n 0\nv 1 0 0\nv 1 1 0\nf 1 \\\n2 3\\", "a.obj");
    EXPECT_EQ(obj.mesh.node_x[0], (Vec3{0.0, 0.0, 0.0}));
    EXPECT_THAT(obj.node_line, ElementsAre(1u, 4u, 5u));
    EXPECT_THAT(obj.face_line, ElementsAre(6u));
}

TEST(Obj, does_not_continue_a_comment_that_ends_in_a_backslash)
{
    const ObjFile obj = parse_obj("# from C:\\meshes\\\n" + square + "f 1 2 3 # last\\\n", "a.obj");
    EXPECT_EQ(obj.mesh.node_x.size(), 4u);
    EXPECT_EQ(obj.mesh.face_nodes.size(), 1u);
}

TEST(Obj, gives_velocity_and_label_to_the_node_above)
{
    const MeshInput mesh =
        parse_obj("v 0 0 0\nv 1 0 0\nnv 1 -2 3e0\nnl 7\nv 1 1 0\nf 1 2 3\n", "a.obj").mesh;
    EXPECT_THAT(mesh.node_v, ElementsAre(Vec3{}, Vec3{1.0, -2.0, 3.0}, Vec3{}));
    EXPECT_THAT(mesh.node_label, ElementsAre(0, 7, 0));
}

TEST(Obj, gives_a_material_to_all_triangles_of_the_face_above)
{
    const MeshInput mesh = parse_obj(square + "f 1 2 3\nf 1 2 3 4\ntm 2\nf 1 3 4\n", "a.obj").mesh;
    EXPECT_THAT(mesh.face_material, ElementsAre(0, 2, 2, 0));
}

TEST(Obj, keeps_the_edges_that_say_something)
{
    const MeshInput mesh = parse_obj(square + "e 1 2\n"
                                              "e 1 3\nea -0.25\n"
                                              "e -1 1\nep 1\n"
                                              "e 2 3\nep 0\n"
                                              "e 3 4\nea 1\nep\n"
                                              "f 1 2 3\nf 1 3 4\n",
                                     "a.obj")
                               .mesh;
    using Mark = MeshInput::EdgeMark;
    EXPECT_THAT(mesh.edge_marks,
                ElementsAre(Mark{0, 2, -0.25, false}, Mark{3, 0, std::nullopt, true},
                            Mark{2, 3, 1.0, true}));
}

TEST(Obj, takes_ms_for_a_material_point_and_notes_a_third_coordinate_once)
{
    const ObjFile flat = parse_obj(square + "ms 0 0 0\nms 2 0 0\nvt 2 2\nf 1/1 2/2 3/3\n", "a.obj");
    EXPECT_THAT(flat.mesh.material_u, ElementsAre(Vec2{0, 0}, Vec2{2, 0}, Vec2{2, 2}));
    EXPECT_THAT(flat.notes, IsEmpty());
    const ObjFile thick =
        parse_obj(square + "ms 0 0 1\nms 2 0 1\nms 2 2 0\nf 1/1 2/2 3/3\n", "a.obj");
    EXPECT_THAT(thick.notes, ElementsAre(testing::HasSubstr("line 5: the third material")));
}

TEST(Obj, ignores_what_others_put_into_files)
{
    const ObjFile obj = parse_obj("mtllib a.mtl\no square\ng front\ns off\nusemtl red\n" + square +
                                      "vn 0 0 1\nf 1 2 3\nl 1 2 3\np 1\n\t  \n",
                                  "a.obj");
    EXPECT_THAT(obj.notes, IsEmpty());
    EXPECT_EQ(obj.mesh.face_nodes.size(), 1u);
}

TEST(Obj, drops_material_points_that_no_face_uses_and_says_so)
{
    const ObjFile obj = parse_obj(square + "vt 0 0\nvt 1 1\nf 1 2 3\n", "a.obj");
    EXPECT_THAT(obj.mesh.material_u, IsEmpty());
    EXPECT_THAT(obj.point_line, IsEmpty());
    EXPECT_THAT(obj.notes, ElementsAre(testing::HasSubstr("2 material points")));
}

TEST(Obj, reads_numbers_in_every_common_spelling)
{
    const MeshInput mesh = parse_obj("v +1.5 -2. .25\nv 1e3 -1E-3 +2e+2 1 0.5 0.5 0.5\n"
                                     "v 1e-400 -1e-400 4.9e-324\nf 1 2 3\n",
                                     "a.obj")
                               .mesh;
    EXPECT_EQ(mesh.node_x[0], (Vec3{1.5, -2.0, 0.25}));
    EXPECT_EQ(mesh.node_x[1], (Vec3{1000.0, -0.001, 200.0}));
    EXPECT_EQ(mesh.node_x[2][0], 0.0);
    EXPECT_TRUE(std::signbit(mesh.node_x[2][1]));
    EXPECT_EQ(mesh.node_x[2][2], 4.9e-324);
}

TEST(Obj, takes_a_polygon_of_many_corners)
{
    std::string text, face = "f";
    constexpr int count = 20000;
    for (int i = 0; i < count; ++i) {
        const double angle = 6.283185307179586 * i / count;
        text +=
            "v " + std::to_string(std::cos(angle)) + " " + std::to_string(std::sin(angle)) + " 0\n";
        face += ' ';
        face += std::to_string(i + 1);
    }
    EXPECT_EQ(parse_obj(text + face + "\n", "a.obj").mesh.face_nodes.size(), count - 2u);
}

// ---- places -----------------------------------------------------------------------------------

TEST(LocateObj, names_lines_and_numbers_as_the_file_counts)
{
    const ObjFile obj = parse_obj("# head\n" + square + "vt 0 0\nvt 1 0\nvt 1 1\nvt 0 1\n" +
                                      "f 1/1 2/2 3/3 4/4\nf 1/1 2/2 4/4\n",
                                  "a.obj");
    const std::vector<MeshProblem> problems = {
        {MeshElement::node, {2}, "found", "expected"},
        {MeshElement::material_point, {0, 3}, "found", "expected"},
        {MeshElement::face, {0, 1}, "found", "expected"},
        {MeshElement::face, {2}, "found", "expected"},
        {MeshElement::edge, {1, 3}, "found", "expected"},
        {MeshElement::face, {99}, "found", "expected"},
        {MeshElement::node, {}, "found", "expected"}};
    const std::vector<Problem> located = locate(problems, obj, "a.obj");
    ASSERT_EQ(located.size(), problems.size());
    EXPECT_EQ(located[0], (Problem{"a.obj", "line 4 (vertex 3)", "found", "expected"}));
    EXPECT_EQ(located[1].place, "line 6 (material point 1), line 9 (material point 4)");
    EXPECT_EQ(located[2].place, "line 10 (face 1)"); // two triangles of one polygon
    EXPECT_EQ(located[3].place, "line 11 (face 2)");
    EXPECT_EQ(located[4].place, "line 11 (edge 2-4)");
    EXPECT_EQ(located[5].place, "face 100");
    EXPECT_EQ(located[6].place, "");
}

TEST(LocateObj, shows_the_first_few_places_of_many)
{
    const ObjFile obj = parse_obj(square + "v 2 0 0\nv 2 1 0\nf 1 2 3\n", "a.obj");
    const std::vector<Problem> located =
        locate({{MeshElement::node, {0, 1, 2, 3, 4, 5}, "found", "expected"}}, obj, "a.obj");
    EXPECT_EQ(located.at(0).place,
              "line 1 (vertex 1), line 2 (vertex 2), line 3 (vertex 3), line 4 (vertex 4), ...");
}

} // namespace
} // namespace pleat
