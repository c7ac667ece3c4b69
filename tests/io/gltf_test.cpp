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
    const auto x = gltf_points(file, instances[0], gltf_pose(file, nullptr, 0));
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
    const auto x = gltf_points(file, gltf_instances(file).at(0), gltf_pose(file, nullptr, 0));
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

/// A file whose buffer is `bytes`; `rest` is the document behind the buffer.
std::string with_buffer(const std::vector<float>& numbers, const std::vector<std::uint16_t>& shorts,
                        const std::string& rest)
{
    std::string bytes(4 * numbers.size() + 2 * shorts.size(), '\0');
    std::memcpy(bytes.data(), numbers.data(), 4 * numbers.size());
    std::memcpy(bytes.data() + 4 * numbers.size(), shorts.data(), 2 * shorts.size());
    std::string json = R"({"asset": {"version": "2.0"}, "buffers": [{"byteLength": )" +
                       std::to_string(bytes.size()) + "}], " + rest + "}";
    json.resize((json.size() + 3) / 4 * 4, ' ');
    bytes.resize((bytes.size() + 3) / 4 * 4, '\0');
    const auto word = [](std::size_t n) {
        const auto w = std::uint32_t(n);
        return std::string(reinterpret_cast<const char*>(&w), 4);
    };
    return "glTF" + word(2) + word(28 + json.size() + bytes.size()) + word(json.size()) + "JSON" +
           json + word(bytes.size()) + std::string("BIN\0", 4) + bytes;
}

/// The points of the only instance at a time of the only animation.
std::vector<Vec3> points_at(const GltfFile& file, double time)
{
    return gltf_points(
        file, gltf_instances(file).at(0),
        gltf_pose(file, file.animations.empty() ? nullptr : &file.animations[0], time));
}

// Three vertices (0,0,0), (1,0,0), (0,1,0); vertex 2 is replaced by (5,6,7).
TEST(Gltf, sparse_accessors_replace_elements)
{
    const std::string views =
        R"("bufferViews": [{"buffer": 0, "byteLength": 36},
                           {"buffer": 0, "byteOffset": 36, "byteLength": 12},
                           {"buffer": 0, "byteOffset": 48, "byteLength": 2}],)";
    const std::string sparse =
        R"("sparse": {"count": 1, "indices": {"bufferView": 2, "componentType": 5123},
                      "values": {"bufferView": 1}}})";
    const std::string rest =
        R"(], "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}], "nodes": [{"mesh": 0}])";
    const std::vector<float> numbers{0, 0, 0, 1, 0, 0, 0, 1, 0, 5, 6, 7};
    const auto read = [&](const std::string& accessor) {
        return points_at(parse_gltf(with_buffer(numbers, {2}, views + accessor + sparse + rest),
                                    "test.glb", no_buffers),
                         0);
    };
    const std::string accessor =
        R"("accessors": [{"componentType": 5126, "count": 3, "type": "VEC3", )";
    EXPECT_THAT(read(accessor + R"("bufferView": 0, )"),
                testing::ElementsAre(Vec3{0, 0, 0}, Vec3{1, 0, 0}, Vec3{5, 6, 7}));
    // Without a view all others are zero, and lie on one point.
    const GltfFile zero = parse_gltf(with_buffer(numbers, {2}, views + accessor + sparse + rest),
                                     "test.glb", no_buffers);
    EXPECT_THAT(zero.meshes.at(0).x, testing::ElementsAre(Vec3{0, 0, 0}, Vec3{5, 6, 7}));

    const auto refused = [&](const std::string& a, std::uint16_t index) {
        return complaint(with_buffer(numbers, {index}, views + a + sparse + rest));
    };
    EXPECT_THAT(refused(accessor, 3), HasSubstr("accessors[0].sparse.indices: the index 3"));
    EXPECT_THAT(
        refused(R"("accessors": [{"componentType": 5126, "count": 1000000000, "type": "VEC3", )",
                2),
        HasSubstr("accessors[0].sparse: 1000000000 elements"));
}

// A triangle with two targets: the first moves vertex 1 by (0,0,1), the second all by (0,2,0).
std::string morphing(const std::string& more_of_mesh, const std::string& more)
{
    return with_buffer({0, 0, 0, 1, 0, 0, 0, 1, 0,           // positions
                        0, 0, 0, 0, 0, 1, 0, 0, 0,           // first target
                        0, 2, 0, 0, 2, 0, 0, 2, 0,           // second
                        0, 1, 3,                             // times
                        0, 0, 1, 0, 1, 1,                    // weights at these times
                        1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0}, // of joint 0 at each vertex
                       {},
                       R"("bufferViews": [{"buffer": 0, "byteLength": 36},
            {"buffer": 0, "byteOffset": 36, "byteLength": 36},
            {"buffer": 0, "byteOffset": 72, "byteLength": 36},
            {"buffer": 0, "byteOffset": 108, "byteLength": 12},
            {"buffer": 0, "byteOffset": 120, "byteLength": 24},
            {"buffer": 0, "byteOffset": 144, "byteLength": 48}],
            "accessors": [
            {"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3"},
            {"bufferView": 1, "componentType": 5126, "count": 3, "type": "VEC3"},
            {"bufferView": 2, "componentType": 5126, "count": 3, "type": "VEC3"},
            {"bufferView": 3, "componentType": 5126, "count": 3, "type": "SCALAR"},
            {"bufferView": 4, "componentType": 5126, "count": 6, "type": "SCALAR"},
            {"bufferView": 1, "componentType": 5121, "count": 3, "type": "VEC4"},
            {"bufferView": 5, "componentType": 5126, "count": 3, "type": "VEC4"}],
            "meshes": [{"primitives": [{"attributes": {"POSITION": 0, "JOINTS_0": 5, "WEIGHTS_0": 6},
                        "targets": [{"POSITION": 1}, {"POSITION": 2}]}])" +
                           more_of_mesh + "}]" + more);
}

TEST(Gltf, morph_targets_move_vertices_by_the_weights_of_mesh_or_node)
{
    const GltfFile of_mesh =
        parse_gltf(morphing(R"(, "weights": [0.5, 0])", R"(, "nodes": [{"mesh": 0}])"), "test.glb",
                   no_buffers);
    EXPECT_EQ(points_at(of_mesh, 0).at(1), (Vec3{1, 0, 0.5}));
    EXPECT_EQ(points_at(of_mesh, 0).at(2), (Vec3{0, 1, 0}));
    const GltfFile of_node = parse_gltf(
        morphing(R"(, "weights": [0.5, 0])",
                 R"(, "nodes": [{"mesh": 0, "weights": [0, 0.25], "scale": [2, 2, 2]}])"),
        "test.glb", no_buffers);
    EXPECT_EQ(points_at(of_node, 0).at(1), (Vec3{2, 1, 0})) << "before the node carries them";
    const GltfFile none =
        parse_gltf(morphing("", R"(, "nodes": [{"mesh": 0}])"), "test.glb", no_buffers);
    EXPECT_EQ(points_at(none, 0).at(1), (Vec3{1, 0, 0}));
}

TEST(Gltf, weights_of_morph_targets_are_animated)
{
    const auto animated = [](const std::string& interpolation) {
        return parse_gltf(morphing("", R"(, "nodes": [{"mesh": 0}], "animations": [{
                "channels": [{"sampler": 0, "target": {"node": 0, "path": "weights"}}],
                "samplers": [{"input": 3, "output": 4, "interpolation": ")" +
                                           interpolation + R"("}]}])"),
                          "test.glb", no_buffers);
    };
    // Weights (0,0) at 0 s, (1,0) at 1 s, (1,1) at 3 s.
    const GltfFile linear = animated("LINEAR");
    EXPECT_EQ(linear.animations.at(0).end, 3);
    EXPECT_EQ(points_at(linear, 0.25).at(1), (Vec3{1, 0, 0.25}));
    EXPECT_EQ(points_at(linear, 2).at(1), (Vec3{1, 1, 1}));
    EXPECT_EQ(points_at(linear, 9).at(0), (Vec3{0, 2, 0}));
    EXPECT_EQ(points_at(animated("STEP"), 2.9).at(1), (Vec3{1, 0, 1}));
    EXPECT_THAT(complaint(morphing("", R"(, "nodes": [{"mesh": 0}], "animations": [{
                "channels": [{"sampler": 0, "target": {"node": 0, "path": "weights"}}],
                "samplers": [{"input": 3, "output": 3}]}])")),
                HasSubstr("3 values"));
}

TEST(Gltf, morph_targets_are_applied_before_the_skin)
{
    // One joint that turns by 90 degrees about z carries all vertices.
    const GltfFile file =
        parse_gltf(morphing(R"(, "weights": [1, 0.5])", R"(, "skins": [{"joints": [1]}],
            "nodes": [{"mesh": 0, "skin": 0},
                      {"rotation": [0, 0, 0.7071067811865476, 0.7071067811865476]}])"),
                   "test.glb", no_buffers);
    // (1,0,0) + 1 (0,0,1) + 0.5 (0,2,0) = (1,1,1), turned.
    EXPECT_NEAR(norm(points_at(file, 0).at(1) - Vec3{-1, 1, 1}), 0, 1e-12);
}

TEST(GltfErrors, morph_targets_cannot_ask_for_more_memory_than_a_file_deserves)
{
    std::string targets = R"({"POSITION": 1})";
    for (int i = 0; i < 18; ++i) targets += ", " + targets; // 2^18, of 87,381 vertices
    const std::string text = with_buffer(std::vector<float>(3), {},
                                         R"(
        "bufferViews": [{"buffer": 0, "byteLength": 12}],
        "accessors": [{"componentType": 5126, "count": 87381, "type": "VEC3", "sparse": {"count": 0,
            "indices": {"bufferView": 0, "componentType": 5125}, "values": {"bufferView": 0}}},
            {"componentType": 5126, "count": 87381, "type": "VEC3", "sparse": {"count": 0,
            "indices": {"bufferView": 0, "componentType": 5125}, "values": {"bufferView": 0}}}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "targets": [)" +
                                             targets + "]}]}]");
    EXPECT_THAT(complaint(text), HasSubstr("too many morph targets"));
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
        for (const Vec3& p : gltf_points(file, i, gltf_pose(file, &file.animations[0], time))) {
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
        EXPECT_NEAR(gltf_pose(file, &file.animations[0], 0.5).transforms[n](1, 3), 1.5, 1e-3);
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
        const auto at = gltf_pose(file, &file.animations[0], double(frame) / 25).transforms;
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
    const auto x = gltf_points(file, instance, gltf_pose(file, &file.animations[0], 1.6));
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
                    (void)gltf_points(file, instance, gltf_pose(file, &a, 0.3));
        } catch (const InputError&) {
        }
    }
}

} // namespace
} // namespace pleat
