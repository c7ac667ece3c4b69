// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/io/ply.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <string>
#include <vector>

namespace pleat {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using Triangle = std::array<std::uint32_t, 3>;

std::string header(const std::string& format, const std::string& vertex_properties)
{
    return "ply\nformat " + format + " 1.0\ncomment made by hand\nelement vertex 4\n" +
           vertex_properties +
           "element face 2\nproperty list uchar int vertex_indices\nend_header\n";
}

const std::string position = "property float x\nproperty float y\nproperty float z\n";

template <class T> void put(std::string& bytes, T value, std::endian order)
{
    auto raw = std::bit_cast<std::array<char, sizeof(T)>>(value);
    if (order != std::endian::native) std::reverse(raw.begin(), raw.end());
    bytes.append(raw.data(), raw.size());
}

TEST(Ply, reads_positions_and_faces_as_text)
{
    const PlyFile ply = parse_ply(
        header("ascii", position) + "0 0 0\n1 0 0\n1 1 0.5\n0 1 0\n3 0 1 2\n3 0 2 3\n", "a.ply");
    EXPECT_EQ(ply.mesh.node_x[2], (Vec3{1.0, 1.0, 0.5}));
    EXPECT_THAT(ply.mesh.face_nodes, ElementsAre(Triangle{0, 1, 2}, Triangle{0, 2, 3}));
    EXPECT_THAT(ply.mesh.material_u, IsEmpty());
    EXPECT_THAT(ply.mesh.face_points, IsEmpty());
    EXPECT_THAT(ply.notes, IsEmpty());
}

TEST(Ply, reads_both_byte_orders)
{
    for (const std::endian order : {std::endian::little, std::endian::big}) {
        std::string bytes =
            header(order == std::endian::little ? "binary_little_endian" : "binary_big_endian",
                   position + "property uchar red\n");
        for (const float c : {0.f, 1.f, 2.f, 3.f}) {
            for (const float d : {c, c * c, 0.25f}) put(bytes, d, order);
            put(bytes, std::uint8_t{200}, order);
        }
        for (const std::array<std::int32_t, 3>& face : {std::array{0, 1, 2}, std::array{0, 2, 3}}) {
            put(bytes, std::uint8_t{3}, order);
            for (const std::int32_t corner : face) put(bytes, corner, order);
        }
        const PlyFile ply = parse_ply(bytes, "a.ply");
        EXPECT_EQ(ply.mesh.node_x[3], (Vec3{3.0, 9.0, 0.25}));
        EXPECT_THAT(ply.mesh.face_nodes, ElementsAre(Triangle{0, 1, 2}, Triangle{0, 2, 3}));
    }
}

TEST(Ply, reads_material_points_under_each_of_their_names)
{
    for (const auto& [u, v] : {std::pair{"s", "t"}, {"u", "v"}, {"texture_u", "texture_v"}}) {
        const std::string properties =
            position + "property float " + u + "\nproperty float " + v + "\n";
        const PlyFile ply =
            parse_ply(header("ascii", properties) + "0 0 0 0 0\n1 0 0 2 0\n1 1 0 2 2\n0 1 0 0 2\n"
                                                    "3 0 1 2\n3 0 2 3\n",
                      "a.ply");
        EXPECT_THAT(ply.mesh.material_u,
                    ElementsAre(Vec2{0, 0}, Vec2{2, 0}, Vec2{2, 2}, Vec2{0, 2}));
        EXPECT_EQ(ply.mesh.face_points, ply.mesh.face_nodes);
    }
}

TEST(Ply, joins_the_vertices_of_one_node_into_a_seam)
{
    const std::string text = "ply\nformat ascii 1.0\nelement vertex 6\n" + position +
                             "property float s\nproperty float t\nproperty int node\n"
                             "element face 2\nproperty list uchar int vertex_indices\nend_header\n"
                             "0 0 0 0 0 0\n0 1 0 0 1 1\n-1 0 0 -1 0 2\n"
                             "0 0 0 5 0 0\n0 1 0 5 1 1\n1 0 0 6 0 3\n"
                             "3 0 1 2\n3 4 3 5\n";
    const PlyFile ply = parse_ply(text, "a.ply");
    EXPECT_EQ(ply.mesh.node_x.size(), 4u);
    EXPECT_EQ(ply.mesh.material_u.size(), 6u);
    EXPECT_THAT(ply.mesh.face_nodes, ElementsAre(Triangle{0, 1, 2}, Triangle{1, 0, 3}));
    EXPECT_THAT(ply.mesh.face_points, ElementsAre(Triangle{0, 1, 2}, Triangle{4, 3, 5}));
    EXPECT_THAT(ply.node_vertex, ElementsAre(0u, 1u, 2u, 5u));
    const std::vector<Problem> located = locate({{MeshElement::node, {3}, "found", "expected"},
                                                 {MeshElement::material_point, {4}, "", ""},
                                                 {MeshElement::face, {1}, "", ""},
                                                 {MeshElement::edge, {1, 3}, "", ""}},
                                                ply, "a.ply");
    EXPECT_EQ(located.at(0), (Problem{"a.ply", "vertex 5", "found", "expected"}));
    EXPECT_EQ(located.at(1).place, "vertex 4");
    EXPECT_EQ(located.at(2).place, "face 1");
    EXPECT_EQ(located.at(3).place, "face 1 (edge 1-5)");
}

TEST(Ply, cuts_polygons_into_fans_and_remembers_their_row)
{
    const PlyFile ply = parse_ply("ply\r\nformat ascii 1.0\r\nelement vertex 4\r\n"
                                  "property double x\r\nproperty double y\r\nproperty double z\r\n"
                                  "element face 1\r\nproperty list uint8 uint32 vertex_index\r\n"
                                  "end_header\r\n0 0 0\r\n1 0 0\r\n1 1 0\r\n0 1 0\r\n4 0 1 2 3\r\n",
                                  "a.ply");
    EXPECT_THAT(ply.mesh.face_nodes, ElementsAre(Triangle{0, 1, 2}, Triangle{0, 2, 3}));
    EXPECT_THAT(ply.face_row, ElementsAre(0u, 0u));
}

TEST(Ply, skips_elements_and_properties_it_does_not_know)
{
    const PlyFile ply = parse_ply("ply\nformat ascii 1.0\nelement camera 1\nproperty float fov\n"
                                  "property list uchar float lens\nelement vertex 3\n" +
                                      position +
                                      "property float nx\nelement face 1\nproperty uchar red\n"
                                      "property list uchar int vertex_indices\n"
                                      "property list uchar float texcoord\nend_header\n"
                                      "45 2 0.1 0.2\n0 0 0 nan\n1 0 0 0\n1 1 0 0\n"
                                      "255 3 0 1 2 6 0 0 1 0 1 1\n",
                                  "a.ply");
    EXPECT_THAT(ply.mesh.face_nodes, ElementsAre(Triangle{0, 1, 2}));
    EXPECT_THAT(ply.notes, ElementsAre("element \"camera\" is skipped"));
}

} // namespace
} // namespace pleat
