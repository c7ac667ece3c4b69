// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/pleat.hpp"
#include "pleat/scene/load_scene.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

namespace pleat {
namespace {

using testing::HasSubstr;

const std::filesystem::path scenes = std::filesystem::path(PLEAT_SOURCE_DIR) / "scenes";

/// A flat square with sides of 1 m at height z, without material points.
MeshInput square(unsigned cells, double z)
{
    MeshInput mesh;
    for (unsigned j = 0; j <= cells; ++j)
        for (unsigned i = 0; i <= cells; ++i)
            mesh.node_x.push_back({double(i) / cells, double(j) / cells, z});
    for (unsigned j = 0; j < cells; ++j)
        for (unsigned i = 0; i < cells; ++i) {
            const unsigned a = j * (cells + 1) + i, c = a + cells + 1;
            mesh.face_nodes.push_back({a, a + 1, c + 1});
            mesh.face_nodes.push_back({a, c + 1, c});
        }
    return mesh;
}

std::string message_of(const ArrayScene& scene)
{
    try {
        const Simulator simulator(scene);
    } catch (const InputError& error) {
        return error.what();
    }
    return "";
}

/// An acceleration of all nodes, as gravity is.
class Push final : public Load {
public:
    explicit Push(const Vec3& acceleration) : acceleration_(acceleration) {}
    void add(const World&, const Model& model, const State&, double, double,
             Loads& loads) const override
    {
        loads.force.resize(model.mesh.node_count());
        for (NodeId n : model.mesh.nodes()) loads.force[index(n)] += model.mass[n] * acceleration_;
    }

private:
    Vec3 acceleration_;
};

TEST(Simulator, gives_the_bits_of_a_run_of_the_same_scene_file)
{
    const auto file = scenes / "sphere-anisotropic" / "quick.json";
    SceneDescription description = read_scene_file(file);
    description.frames = 2;
    Scene scene = load_scene(description);
    Pipeline pipeline = make_pipeline(description);
    ASSERT_EQ(run(scene.world, pipeline, scene.start, scene.settings, {}).end, RunEnd::finished);

    Simulator simulator(file);
    for (int i = 0; i < 2; ++i) ASSERT_TRUE(simulator.advance_frame().ok);
    EXPECT_EQ(simulator.frame(), 2);
    EXPECT_EQ(simulator.hash(), state_hash(scene.start.model, scene.start.state));
    EXPECT_EQ(simulator.hash(), [&] {
        Simulator one_thread(file, {.threads = 1});
        for (int i = 0; i < 2; ++i) EXPECT_TRUE(one_thread.advance_frame().ok);
        return one_thread.hash();
    }());
}

TEST(Simulator, gives_the_same_bits_for_meshes_from_arrays_and_from_files)
{
    const auto file = scenes / "sphere-anisotropic" / "quick.json";
    ArrayScene scene;
    scene.description = read_scene_file(file);
    for (ClothDescription& c : scene.description.cloths) {
        scene.meshes["array of " + c.name] = read_mesh_file(c.mesh, MeshUse::cloth).mesh;
        c.mesh = "array of " + c.name;
    }
    for (ObstacleDescription& o : scene.description.obstacles)
        if (!o.mesh.empty()) {
            scene.meshes["array of " + o.name] = read_mesh_file(o.mesh, MeshUse::obstacle).mesh;
            o.mesh = "array of " + o.name;
        }
    Simulator from_arrays(scene), from_file(file);
    ASSERT_TRUE(from_arrays.advance_frame().ok);
    ASSERT_TRUE(from_file.advance_frame().ok);
    EXPECT_EQ(from_arrays.hash(), from_file.hash());
}

TEST(Simulator, lets_a_free_cloth_fall_and_reads_its_arrays_back)
{
    ArrayScene scene;
    scene.description.gravity = {0, 0, -10};
    add_cloth(scene, "sheet", square(4, 2), fabric("gray-interlock"));
    Simulator simulator(scene);
    const FrameResult result = simulator.advance_frame();
    ASSERT_TRUE(result.ok) << result.trouble;
    EXPECT_EQ(result.stats.audit.intersections, 0u);
    const ObjectMesh cloth = simulator.cloth("sheet");
    ASSERT_EQ(cloth.x.size(), 25u);
    ASSERT_EQ(cloth.v.size(), 25u);
    ASSERT_EQ(cloth.face_nodes.size(), 32u);
    ASSERT_EQ(cloth.u.size(), 25u);
    const double t = simulator.time();
    EXPECT_DOUBLE_EQ(t, 1 / 25.0);
    for (const Vec3& v : cloth.v) EXPECT_NEAR(v[2], -10 * t, 1e-9);
    EXPECT_LT(simulator.audit().max_stretch, 1e-6);
}

TEST(Simulator, holds_the_nodes_of_handles)
{
    ArrayScene scene;
    scene.description.gravity = {0, 0, -10};
    add_cloth(scene, "sheet", square(4, 2), fabric("gray-interlock"));
    add_handle(scene, "sheet", {0, 4});
    Simulator simulator(scene);
    for (int i = 0; i < 3; ++i) ASSERT_TRUE(simulator.advance_frame().ok);
    const ObjectMesh cloth = simulator.cloth("sheet");
    EXPECT_EQ(cloth.x[0], (Vec3{0, 0, 2}));
    EXPECT_EQ(cloth.x[4], (Vec3{1, 0, 2}));
    EXPECT_LT(cloth.x[24][2], 1.99);
}

TEST(Simulator, adds_the_loads_of_its_user_to_those_of_the_scene)
{
    const auto velocity = [](const Vec3& gravity, const LoadList& loads) {
        ArrayScene scene;
        scene.description.gravity = gravity;
        add_cloth(scene, "sheet", square(3, 0), fabric("gray-interlock"));
        SimulatorOptions options;
        options.loads = loads;
        Simulator simulator(scene, options);
        EXPECT_TRUE(simulator.advance_frame().ok);
        return simulator.cloth("sheet").v.front();
    };
    const Vec3 fall = velocity({0, 0, -10}, {});
    const Vec3 pushed = velocity({}, {std::make_shared<Push>(Vec3{0, 0, -10})});
    const Vec3 both = velocity({0, 0, -10}, {std::make_shared<Push>(Vec3{0, 0, 10})});
    EXPECT_NEAR(norm(pushed - fall), 0, 1e-9);
    EXPECT_NEAR(norm(both), 0, 1e-9);
}

/// Small faces on the side where x < 0.5.
class SizingLeft final : public SizingMetric {
public:
    void ask(const SizingInput& in, Field<FaceId, Mat2>& asked) const override
    {
        for (FaceId f : in.faces) {
            const auto nodes = in.model.mesh.nodes_of(f);
            const double x =
                in.state.x[nodes[0]][0] + in.state.x[nodes[1]][0] + in.state.x[nodes[2]][0];
            asked[f] = x < 1.5 ? identity<2>() * 400.0 : Mat2{}; // edges of 5 cm
        }
    }
};

TEST(Simulator, refines_where_the_sizing_metric_of_its_user_asks_for_it)
{
    ArrayScene scene;
    add_cloth(scene, "sheet", square(4, 0), fabric("gray-interlock")).remeshing.type =
        "anisotropic";
    const auto faces = [&](const SimulatorOptions& options) {
        std::array<int, 2> count{}; // left, right
        Simulator simulator(scene, options);
        for (int i = 0; i < 3; ++i) // the first remeshing sees the metric on large faces only
            EXPECT_TRUE(simulator.advance_frame().ok);
        const ObjectMesh cloth = simulator.cloth("sheet");
        for (const auto& f : cloth.face_nodes)
            ++count[cloth.x[f[0]][0] + cloth.x[f[1]][0] + cloth.x[f[2]][0] < 1.5 ? 0 : 1];
        return count;
    };
    SimulatorOptions options;
    options.sizing.push_back({"left", std::make_shared<SizingLeft>()});
    const auto plain = faces({}), own = faces(options);
    EXPECT_GT(own[0], 10 * plain[0]);
    EXPECT_GT(own[0], 3 * own[1]);
}

TEST(Simulator, steps_with_a_clock_of_the_caller)
{
    ArrayScene scene;
    scene.description.gravity = {0, 0, -10};
    add_cloth(scene, "sheet", square(3, 0), fabric("gray-interlock"));
    Simulator simulator(scene);
    ASSERT_TRUE(simulator.step(0.001).ok);
    ASSERT_TRUE(simulator.step(0.002).ok);
    EXPECT_DOUBLE_EQ(simulator.time(), 0.003);
    EXPECT_NEAR(simulator.cloth("sheet").v.front()[2], -0.03, 1e-9);
    EXPECT_THROW((void)simulator.step(0), InputError);
    EXPECT_THROW((void)simulator.step(std::numeric_limits<double>::quiet_NaN()), InputError);
    EXPECT_THROW((void)simulator.advance_frame(), InputError);
}

TEST(Simulator, names_what_is_wrong_with_arrays_and_descriptions)
{
    ArrayScene scene;
    MeshInput broken = square(2, 0);
    broken.face_nodes[3][1] = 99;
    add_cloth(scene, "sheet", broken, fabric("gray-interlock"));
    EXPECT_THAT(message_of(scene), HasSubstr("sheet: face 3: node 99"));

    scene = {};
    MeshInput bent = square(2, 0);
    bent.node_x[4][2] = 0.3;
    add_cloth(scene, "sheet", bent, fabric("gray-interlock"));
    EXPECT_THAT(message_of(scene), HasSubstr("without material points that is not flat"));

    scene = {};
    MeshInput far = square(2, 0);
    far.node_x[4][0] = std::numeric_limits<double>::infinity();
    add_cloth(scene, "sheet", square(2, 0), fabric("gray-interlock"));
    add_obstacle(scene, "wall", far);
    EXPECT_THAT(message_of(scene), HasSubstr("wall: node 4: a coordinate that is not finite"));

    scene = {};
    add_cloth(scene, "sheet", square(2, 0), fabric("gray-interlock")).remeshing.type =
        "anisotropik";
    EXPECT_THAT(message_of(scene), HasSubstr("\"anisotropic\""));

    scene = {};
    add_cloth(scene, "sheet", square(2, 0), fabric("gray-interlock"));
    EXPECT_THROW(add_obstacle(scene, "sheet", square(2, -1)), InputError);
    const Simulator simulator(scene);
    EXPECT_THROW((void)simulator.cloth("shet"), InputError);
}

TEST(Simulator, refuses_a_start_that_intersects)
{
    ArrayScene scene;
    add_cloth(scene, "sheet", square(2, 0), fabric("gray-interlock"));
    MeshInput blade; // stands upright through the sheet
    blade.node_x = {{0.2, 0.3, -1}, {0.8, 0.4, -1}, {0.5, 0.35, 1}};
    blade.face_nodes = {{0, 1, 2}};
    add_obstacle(scene, "blade", blade);
    EXPECT_THAT(message_of(scene), HasSubstr("pairs of faces intersect"));
}

} // namespace
} // namespace pleat
