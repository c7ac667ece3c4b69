// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/io/gltf.hpp"

#include "pleat/core/error.hpp"
#include "pleat/io/file_bytes.hpp"
#include "pleat/io/motion_file.hpp"
#include "pleat/io/obj.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <map>
#include <random>
#include <set>

namespace pleat {
namespace {

using testing::HasSubstr;

const std::filesystem::path source = PLEAT_SOURCE_DIR;

const auto no_buffers = [](const std::string& uri) -> std::string {
    throw InputError(Problem{"test.gltf", "buffers", uri, "no buffers"});
};

std::string complaint(const std::string& text)
{
    try {
        (void)parse_gltf(text, "test.gltf", no_buffers);
        return {};
    } catch (const InputError& error) {
        return error.what();
    }
}

std::string bytes_of(const std::filesystem::path& path)
{
    const FileBytes bytes = read_file_bytes(path);
    return std::string(bytes.text());
}

/// One triangle; `more` goes into the document.
std::string triangle(const std::string& more, const std::string& primitive = "")
{
    // Three float vertices in base64: (0,0,0), (1,0,0), (0,1,0).
    return R"({"asset": {"version": "2.0"}, "buffers": [{"byteLength": 36, "uri":
        "data:application/octet-stream;base64,AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAA"}],
        "bufferViews": [{"buffer": 0, "byteLength": 36}],
        "accessors": [{"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3"}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0})" +
           primitive + "}]}]" + more + "}";
}

TEST(Gltf, reads_a_triangle_with_its_buffer_inside)
{
    const GltfFile file =
        parse_gltf(triangle(R"(, "nodes": [{"mesh": 0, "translation": [0, 0, 5], "scale": [2, 2, 2],
                               "rotation": [0, 0, 0.7071067811865476, 0.7071067811865476]}])"),
                   "test.gltf", no_buffers);
    const auto instances = gltf_instances(file);
    ASSERT_EQ(instances.size(), 1u);
    const auto x = gltf_points(file, instances[0], gltf_node_transforms(file, nullptr, 0));
    ASSERT_EQ(x.size(), 3u);
    EXPECT_NEAR(norm(x[0] - Vec3{0, 0, 5}), 0, 1e-12);
    EXPECT_NEAR(norm(x[1] - Vec3{0, 2, 5}), 0, 1e-12) << "scaled, turned about z, shifted";
    EXPECT_NEAR(norm(x[2] - Vec3{-2, 0, 5}), 0, 1e-12);
}

TEST(Gltf, matrices_are_column_by_column)
{
    const GltfFile file = parse_gltf(
        triangle(R"(, "nodes": [{"children": [1], "matrix": [1,0,0,0, 0,1,0,0, 0,0,1,0, 7,8,9,1]},
                                {"mesh": 0, "translation": [0, 0, 1]}])"),
        "test.gltf", no_buffers);
    const auto x =
        gltf_points(file, gltf_instances(file).at(0), gltf_node_transforms(file, nullptr, 0));
    EXPECT_NEAR(norm(x[0] - Vec3{7, 8, 10}), 0, 1e-12);
}

TEST(Gltf, only_nodes_of_the_shown_scene_count)
{
    const GltfFile file =
        parse_gltf(triangle(R"(, "scene": 1, "scenes": [{"nodes": [0]}, {"nodes": [1]}],
                    "nodes": [{"mesh": 0}, {"children": [2]}, {"mesh": 0}])"),
                   "test.gltf", no_buffers);
    const auto instances = gltf_instances(file);
    ASSERT_EQ(instances.size(), 1u);
    EXPECT_EQ(instances[0].node, 2u);
}

TEST(Gltf, joints_that_are_no_unsigned_numbers_are_an_error)
{
    std::string text = triangle("");
    const auto put = [&](const std::string& before, const std::string& more) {
        const std::size_t at = text.find(before);
        ASSERT_NE(at, std::string::npos);
        text.insert(at + before.size(), more);
    };
    put(R"("POSITION": 0)", R"(, "JOINTS_0": 1, "WEIGHTS_0": 1)");
    put(R"("count": 3, "type": "VEC3"})",
        R"(, {"bufferView": 0, "componentType": 5126, "count": 2, "type": "VEC4"})");
    EXPECT_THAT(complaint(text), HasSubstr("accessors[1]: another type of joints"));
}

// The file and what is in it: make_with_blender.py beside it.
TEST(Gltf, reads_a_skinned_animated_arm_that_blender_wrote)
{
    const GltfFile file = read_gltf(source / "tests/io/gltf/blender_arm.glb");
    ASSERT_EQ(file.animations.size(), 1u);
    EXPECT_NEAR(file.animations[0].end, 1, 1e-6);
    const auto instances = gltf_instances(file);
    ASSERT_EQ(instances.size(), 2u);
    const GltfInstance arm = instances[0], box = instances[1];
    ASSERT_EQ(file.nodes[arm.node].name, "arm");
    ASSERT_NE(file.nodes[arm.node].skin, GltfFile::none);
    EXPECT_EQ(file.meshes[box.mesh].x.size(), 8u) << "split at edges in the file, joined again";
    EXPECT_EQ(file.meshes[box.mesh].faces.size(), 12u);

    // Straight at first: 2 m along y, which is Blender's z. Bent at the end: the lower half lies
    // across, the elbow at 1 m.
    const auto extent = [&](const GltfInstance& i, double time, std::size_t axis) {
        double low = 1e9, high = -1e9;
        for (const Vec3& p :
             gltf_points(file, i, gltf_node_transforms(file, &file.animations[0], time))) {
            low = std::min(low, p[axis]);
            high = std::max(high, p[axis]);
        }
        return std::array<double, 2>{low, high};
    };
    EXPECT_NEAR(extent(arm, 0, 1)[1], 2, 1e-5);
    EXPECT_NEAR(extent(arm, 0, 1)[0], 0, 1e-5);
    EXPECT_NEAR(extent(arm, 1, 1)[0], 0, 1e-5);
    EXPECT_NEAR(extent(arm, 1, 1)[1], 1.1, 0.02);
    const double reach = std::max(-extent(arm, 1, 2)[0], extent(arm, 1, 2)[1]);
    EXPECT_NEAR(reach, 1, 1e-5);
    // Half way the turn is 45 degrees: the tip of the arm's axis at sin 45 across.
    const double half = std::max(-extent(arm, 0.5, 2)[0], extent(arm, 0.5, 2)[1]);
    EXPECT_NEAR(half, std::sqrt(0.5) + 0.1 * std::sqrt(0.5), 2e-3);
    // A node animation: the box slides along x.
    EXPECT_NEAR(extent(box, 0, 0)[0], 0.75, 1e-5);
    EXPECT_NEAR(extent(box, 0.5, 0)[0], 1.75, 1e-3);
    EXPECT_NEAR(extent(box, 9, 0)[0], 2.75, 1e-5) << "stays behind the last key";
    // The camera rises.
    ASSERT_EQ(file.cameras.size(), 1u);
    EXPECT_NEAR(file.cameras[0].vertical_fov, 0.3996, 1e-3);
    for (std::size_t n = 0; n < file.nodes.size(); ++n) {
        if (file.nodes[n].camera == GltfFile::none) continue;
        EXPECT_NEAR(gltf_node_transforms(file, &file.animations[0], 0.5)[n](1, 3), 1.5, 1e-3);
    }
}

TEST(Gltf, the_mannequin_moves_as_its_motion_file_says)
{
    const GltfFile file = read_gltf(source / "scenes/mannequin/female-walk.glb");
    const MotionFile motion = read_motion_file(source / "scenes/mannequin/female-walk.mot");
    ASSERT_EQ(file.skins.size(), 1u);
    ASSERT_EQ(file.skins[0].joints.size(), motion.bodies.size());
    ASSERT_EQ(file.animations.size(), 1u);
    for (std::size_t frame : {0u, 20u, 37u, 100u}) {
        const auto at = gltf_node_transforms(file, &file.animations[0], double(frame) / 25);
        for (std::size_t j = 0; j < motion.bodies.size(); ++j) {
            const Vec3 p = motion.bodies[j].position[frame];
            const Mat4& m = at[file.skins[0].joints[j]];
            // z up there is y up here; the .mot has four decimals.
            EXPECT_NEAR(m(0, 3), p[0], 3e-4) << j;
            EXPECT_NEAR(m(1, 3), p[2], 3e-4) << j;
            EXPECT_NEAR(m(2, 3), -p[1], 3e-4) << j;
        }
    }
    // Vertices far from joints ride with one part.
    const auto instance = gltf_instances(file).at(0);
    const auto& mesh = file.meshes[instance.mesh];
    const ObjFile head = read_obj(source / "scenes/mannequin/female/04_head.obj");
    const auto x =
        gltf_points(file, instance, gltf_node_transforms(file, &file.animations[0], 1.6));
    double top = -1e9, top_there = -1e9;
    for (std::size_t i = 0; i < x.size(); ++i)
        if (mesh.joints[i][0] == 4) top = std::max(top, x[i][1]);
    const Vec3 p = motion.bodies[4].position[40];
    const auto& q = motion.bodies[4].quaternion[40];
    for (const Vec3& v : head.mesh.node_x) {
        const double z = p[2] + 2 * (q[1] * q[3] - q[0] * q[2]) * v[0] +
                         2 * (q[2] * q[3] + q[0] * q[1]) * v[1] +
                         (1 - 2 * (q[1] * q[1] + q[2] * q[2])) * v[2];
        top_there = std::max(top_there, z);
    }
    EXPECT_NEAR(top, top_there, 2e-3);
}

TEST(Gltf, a_skinned_body_is_closed)
{
    const GltfFile file = read_gltf(source / "scenes/mannequin/female-walk.glb");
    std::map<std::pair<std::uint32_t, std::uint32_t>, int> edges;
    for (const auto& f : file.meshes.at(0).faces)
        for (std::size_t k = 0; k < 3; ++k) ++edges[{f[k], f[(k + 1) % 3]}];
    for (const auto& [edge, count] : edges) {
        EXPECT_EQ(count, 1);
        EXPECT_TRUE(edges.contains({edge.second, edge.first}));
    }
}

TEST(GltfErrors, say_where)
{
    EXPECT_EQ(complaint(triangle("")), "");
    EXPECT_THAT(complaint(""), HasSubstr("no glTF"));
    EXPECT_THAT(complaint("hello"), HasSubstr("no glTF"));
    EXPECT_THAT(complaint("[]"), HasSubstr("no glTF"));
    EXPECT_THAT(complaint("{}"), HasSubstr("asset.version"));
    EXPECT_THAT(complaint(R"({"asset": {"version": "1.0"}})"), HasSubstr("1.0"));
    EXPECT_THAT(complaint(std::string(2000, '[')), HasSubstr("too deep"));
    EXPECT_THAT(complaint(triangle(R"(, "nodes": [{"mesh": 3}])")), HasSubstr("nodes[0].mesh"));
    EXPECT_THAT(complaint(triangle(R"(, "nodes": [{"children": [0]}])")), HasSubstr("ancestor"));
    EXPECT_THAT(complaint(triangle(R"(, "nodes": [{"children": [1]}, {"children": [0]}])")),
                HasSubstr("ancestor"));
    EXPECT_THAT(complaint(triangle(R"(, "nodes": [{"children": [2]}, {"children": [2]}, {}])")),
                HasSubstr("two parents"));
    EXPECT_THAT(complaint(triangle(R"(, "extensionsRequired": ["KHR_draco_mesh_compression"])")),
                HasSubstr("KHR_draco"));
    EXPECT_THAT(complaint(triangle("", R"(, "indices": 7)")), HasSubstr("indices"));
    EXPECT_THAT(complaint(triangle(R"(, "nodes": [{"rotation": [0, 0, 0, 0]}])")),
                HasSubstr("no length"));
    EXPECT_THAT(complaint(triangle(R"(, "skins": [{"joints": [4]}])")), HasSubstr("skins[0]"));
    EXPECT_THAT(complaint(R"({"asset": {"version": "2.0"}, "buffers": [{"byteLength": 4,
                              "uri": "../secret.bin"}]})"),
                HasSubstr("no buffers"));
    EXPECT_THAT(complaint(R"({"asset": {"version": "2.0"}, "buffers": [{"byteLength": 4000,
                              "uri": "data:;base64,AAAA"}]})"),
                HasSubstr("3 bytes"));
    std::string bad = triangle("");
    bad.replace(bad.find("\"count\": 3"), 10, "\"count\": 4");
    EXPECT_THAT(complaint(bad), HasSubstr("room for"));
    bad = triangle("");
    bad.replace(bad.find("\"count\": 3"), 10, "\"count\": 4294967290");
    EXPECT_THAT(complaint(bad), HasSubstr("accessors[0]"));
}

TEST(GltfErrors, files_elsewhere_are_not_opened)
{
    const auto path = std::filesystem::temp_directory_path() / "pleat_gltf_elsewhere.gltf";
    for (const char* uri : {"../../etc/passwd", "/etc/passwd", "http://example.com/x.bin"}) {
        std::FILE* out = std::fopen(path.c_str(), "w");
        ASSERT_NE(out, nullptr);
        std::fprintf(
            out, R"({"asset": {"version": "2.0"}, "buffers": [{"byteLength": 1, "uri": "%s"}]})",
            uri);
        std::fclose(out);
        try {
            (void)read_gltf(path);
            ADD_FAILURE() << uri;
        } catch (const InputError& error) {
            EXPECT_THAT(error.what(), HasSubstr("beside this one"));
        }
    }
    std::filesystem::remove(path);
}

TEST(GltfErrors, changed_bytes_give_a_file_or_an_error)
{
    const std::string good = bytes_of(source / "tests/io/gltf/blender_arm.glb");
    std::mt19937 random(5);
    for (int i = 0; i < 4000; ++i) {
        std::string bad = good;
        // Half of the changes hit the JSON, which comes first.
        const std::size_t reach = i % 2 == 0 ? std::min<std::size_t>(bad.size(), 4000) : bad.size();
        for (auto k = 1 + random() % 8; k > 0; --k)
            bad[random() % reach] =
                static_cast<char>(random() % 5 == 0 ? random() : '0' + random() % 10);
        if (i % 7 == 0) bad.resize(random() % bad.size());
        try {
            const GltfFile file = parse_gltf(bad, "bad.glb", no_buffers);
            for (const auto& a : file.animations)
                for (const auto& instance : gltf_instances(file))
                    (void)gltf_points(file, instance, gltf_node_transforms(file, &a, 0.3));
        } catch (const InputError&) {
        }
    }
}

} // namespace
} // namespace pleat
