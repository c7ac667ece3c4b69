// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// What is written reads back as the same bits.
#include "pleat/core/error.hpp"
#include "pleat/export/obj_writer.hpp"
#include "pleat/export/ply_writer.hpp"
#include "pleat/io/obj.hpp"
#include "pleat/io/ply.hpp"
#include "temporary_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

namespace pleat {
namespace {

/// Any finite double, all exponents alike; now and then a special one.
double any_double(std::mt19937_64& random)
{
    constexpr double special[] = {0.0,
                                  -0.0,
                                  0.1,
                                  1.0 / 3.0,
                                  4.9e-324,
                                  -2.2250738585072014e-308,
                                  std::numeric_limits<double>::max(),
                                  std::numeric_limits<double>::epsilon()};
    if (random() % 8 == 0) return special[random() % std::size(special)];
    for (;;) {
        const double value = std::bit_cast<double>(random());
        if (std::isfinite(value)) return value;
    }
}

/// A strip of two panels joined by a seam, with every optional array, and numbers of all sizes.
MeshInput strange_mesh(std::uint32_t columns, std::mt19937_64& random)
{
    MeshInput mesh;
    for (std::uint32_t i = 0; i < 3 * columns; ++i) {
        mesh.node_x.push_back({any_double(random), any_double(random), any_double(random)});
        mesh.node_v.push_back({any_double(random), any_double(random), any_double(random)});
        mesh.node_label.push_back(static_cast<int>(random() % 3) - 1);
    }
    // Rows 0 and 1 are one panel, rows 1 and 2 the other: row 1 has two material points a node.
    for (std::uint32_t i = 0; i < 4 * columns; ++i)
        mesh.material_u.push_back({any_double(random), any_double(random)});
    for (std::uint32_t panel = 0; panel < 2; ++panel)
        for (std::uint32_t i = 0; i + 1 < columns; ++i) {
            const std::uint32_t n = panel * columns + i, p = 2 * panel * columns + i;
            mesh.face_nodes.push_back({n, n + 1, n + columns});
            mesh.face_points.push_back({p, p + 1, p + columns});
            mesh.face_nodes.push_back({n + 1, n + 1 + columns, n + columns});
            mesh.face_points.push_back({p + 1, p + 1 + columns, p + columns});
            mesh.face_material.insert(mesh.face_material.end(), {static_cast<int>(panel), 0});
        }
    mesh.edge_marks.push_back({0, 1, any_double(random), false});
    mesh.edge_marks.push_back({columns, 1, std::nullopt, true});
    return mesh;
}

/// Equal as bits: -0 is not 0.
template <class T> bool same_bits(const std::vector<T>& a, const std::vector<T>& b)
{
    return a.size() == b.size() &&
           (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

TEST(RoundTrip, obj_keeps_every_bit_of_every_array)
{
    const TemporaryFolder folder;
    std::mt19937_64 random(1);
    for (const std::uint32_t columns : {2u, 30u, 4000u}) {
        const MeshInput mesh = strange_mesh(columns, random);
        ObjMesh view = view_as_obj(mesh);
        view.comment = "first line\nsecond line\\";
        write_obj(folder / "a.obj", view);
        const ObjFile obj = read_obj(folder / "a.obj");
        EXPECT_TRUE(same_bits(obj.mesh.node_x, mesh.node_x));
        EXPECT_TRUE(same_bits(obj.mesh.node_v, mesh.node_v));
        EXPECT_TRUE(same_bits(obj.mesh.material_u, mesh.material_u));
        EXPECT_EQ(obj.mesh.node_label, mesh.node_label);
        EXPECT_EQ(obj.mesh.face_nodes, mesh.face_nodes);
        EXPECT_EQ(obj.mesh.face_points, mesh.face_points);
        EXPECT_EQ(obj.mesh.face_material, mesh.face_material);
        EXPECT_EQ(obj.mesh.edge_marks, mesh.edge_marks);
        EXPECT_THAT(obj.notes, testing::IsEmpty());
        EXPECT_EQ(obj.node_line[0], 3u);
    }
}

TEST(RoundTrip, obj_without_options_has_only_vertices_and_faces)
{
    const TemporaryFolder folder;
    const std::vector<Vec3> x = {{0, 0, 0}, {1, 0, 0.5}, {1, 1e-7, -3}};
    const std::vector<std::array<std::uint32_t, 3>> faces = {{0, 1, 2}};
    ObjMesh mesh;
    mesh.x = x;
    mesh.face_nodes = faces;
    write_obj(folder / "a.obj", mesh);
    EXPECT_EQ(read_bytes(folder / "a.obj"), "v 0 0 0\nv 1 0 0.5\nv 1 1e-07 -3\nf 1 2 3\n");
}

TEST(RoundTrip, ply_keeps_every_bit_and_the_seams)
{
    const TemporaryFolder folder;
    std::mt19937_64 random(2);
    for (const std::uint32_t columns : {2u, 30u, 4000u}) {
        const MeshInput mesh = strange_mesh(columns, random);
        std::vector<std::uint32_t> vert_node(mesh.material_u.size());
        for (std::size_t f = 0; f < mesh.face_nodes.size(); ++f)
            for (std::size_t k = 0; k < 3; ++k)
                vert_node[mesh.face_points[f][k]] = mesh.face_nodes[f][k];
        PlyMesh view;
        view.x = mesh.node_x;
        view.u = mesh.material_u;
        view.v = mesh.node_v;
        view.vert_node = vert_node;
        view.faces = mesh.face_points;
        view.comment = "one\r\ntwo";
        write_ply(folder / "a.ply", view);
        const PlyFile ply = read_ply(folder / "a.ply");
        EXPECT_TRUE(same_bits(ply.mesh.node_x, mesh.node_x));
        EXPECT_TRUE(same_bits(ply.mesh.node_v, mesh.node_v));
        EXPECT_TRUE(same_bits(ply.mesh.material_u, mesh.material_u));
        EXPECT_EQ(ply.mesh.face_nodes, mesh.face_nodes);
        EXPECT_EQ(ply.mesh.face_points, mesh.face_points);
    }
}

TEST(RoundTrip, ply_in_single_precision_is_rounded_once)
{
    const TemporaryFolder folder;
    const std::vector<Vec3> x = {{0.1, 0, 0}, {1, 1.0 / 3.0, 0}, {1, 1, 2}};
    const std::vector<std::array<std::uint32_t, 3>> faces = {{0, 1, 2}};
    PlyMesh view;
    view.x = x;
    view.faces = faces;
    write_ply(folder / "a.ply", view, PlyPrecision::float32);
    const PlyFile ply = read_ply(folder / "a.ply");
    EXPECT_EQ(ply.mesh.node_x[0][0], static_cast<double>(0.1f));
    EXPECT_EQ(ply.mesh.node_x[1][1], static_cast<double>(1.0f / 3.0f));
    EXPECT_EQ(ply.mesh.face_nodes, faces);
    EXPECT_THAT(ply.mesh.material_u, testing::IsEmpty());
}

TEST(RoundTrip, writers_name_the_path_and_the_reason_when_they_cannot_write)
{
    const TemporaryFolder folder;
    const std::vector<Vec3> x(3, Vec3{});
    const std::vector<std::array<std::uint32_t, 3>> faces = {{0, 1, 2}};
    ObjMesh obj;
    obj.x = x;
    obj.face_nodes = faces;
    PlyMesh ply;
    ply.x = x;
    ply.faces = faces;
    const std::filesystem::path missing = folder / "missing" / "a";
    const std::pair<std::filesystem::path, const char*> cases[] = {
        {missing, "No such file or directory"},
        {folder.path(), "Is a directory"},
        {"/dev/full", "No space left on device"}};
    for (const auto& [path, reason] : cases) {
        if (path == "/dev/full" && !std::filesystem::exists(path)) continue;
        for (const bool is_obj : {true, false}) {
            try {
                if (is_obj)
                    write_obj(path, obj);
                else
                    write_ply(path, ply);
                ADD_FAILURE() << "wrote " << path;
            } catch (const FileError& error) {
                EXPECT_EQ(error.path(), path.string());
                EXPECT_THAT(error.what(), testing::HasSubstr(reason));
            }
        }
    }
    EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

} // namespace
} // namespace pleat
