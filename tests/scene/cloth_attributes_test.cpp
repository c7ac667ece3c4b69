// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/scene/cloth_attributes.hpp"

#include "pleat/export/obj_sink.hpp"
#include "pleat/scene/load_scene.hpp"
#include "pleat/scene/run_folder.hpp"
#include "pleat/sim/adapt.hpp"
#include "pleat/sim/frames.hpp"
#include "temporary_folder.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace pleat {
namespace {

/// Two cloths, the first with two fabrics and a metric, the second with neither.
constexpr const char* two_cloths = R"({"pleat": 1, "fps": 10, "frames": 1,
    "cloths": [
      {"name": "adaptive", "mesh": "a.obj", "materials": ["denim", "jersey"],
       "velocity": {"linear": [0, 0, 2]},
       "remeshing": {"type": "anisotropic", "edge_length": [0.05, 0.5]}},
      {"name": "fixed", "mesh": "b.obj", "material": "denim"}]})";
constexpr const char* mesh_a = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n"
                               "vt 0 0\nvt 1 0\nvt 1 1\nvt 0 1\n"
                               "f 1/1 2/2 3/3\ntm 0\nf 1/1 3/3 4/4\ntm 1\n";
constexpr const char* mesh_b = "v 0 0 5\nv 1 0 5\nv 1 1 5\nvt 0 0\nvt 1 0\nvt 1 1\n"
                               "f 1/1 2/2 3/3\n";

struct ClothAttributes : testing::Test {
    TemporaryFolder folder;
    SceneDescription description;
    Scene scene;

    void SetUp() override
    {
        write_bytes(folder / "a.obj", mesh_a);
        write_bytes(folder / "b.obj", mesh_b);
        description = parse_scene(two_cloths, folder / "scene.json");
        scene = load_scene(description);
    }
};

TEST_F(ClothAttributes, stand_in_the_order_of_the_meshes)
{
    const auto all = cloth_attributes(description, scene.world, scene.start, nullptr);
    const auto meshes = object_meshes(scene.world, scene.start);
    ASSERT_EQ(all.size(), 2u);
    for (std::size_t c = 0; c < 2; ++c) {
        EXPECT_EQ(all[c].velocity.size(), meshes[c].x.size());
        EXPECT_EQ(all[c].face_material.size(), meshes[c].face_nodes.size());
    }
    for (const Vec3f& v : all[0].velocity) EXPECT_EQ(v, (Vec3f{0, 0, 2}));
    for (const Vec3f& v : all[1].velocity) EXPECT_EQ(v, (Vec3f{}));
    // Each cloth counts its own fabrics from zero.
    EXPECT_EQ(all[0].face_material, (std::vector<std::uint16_t>{0, 1}));
    EXPECT_EQ(all[1].face_material, (std::vector<std::uint16_t>{0}));
}

TEST_F(ClothAttributes, have_the_sizing_that_the_remesher_used)
{
    Pipeline pipeline = make_pipeline(description);
    Simulation& sim = scene.start;
    for (NodeId n : sim.model.mesh.nodes()) sim.state.v[n] = {0, 0, 3 * sim.state.x[n][0]};
    const RemeshReport r = adapt(scene.world, pipeline, sim).remesh;
    ASSERT_TRUE(r.changed);
    ASSERT_TRUE(r.sizing);
    // What comes later changes nothing of it.
    for (NodeId n : sim.model.mesh.nodes()) sim.state.v[n] = {};
    const auto all = cloth_attributes(description, scene.world, sim, r.sizing.get());
    EXPECT_TRUE(all[1].face_ellipse.empty());
    EXPECT_TRUE(all[1].drivers.empty());
    const std::size_t faces = all[0].face_material.size();
    ASSERT_GT(faces, 10u);
    ASSERT_EQ(all[0].face_ellipse.size(), faces);
    EXPECT_EQ(all[0].drivers,
              (std::vector<std::string>{"curvature", "compression", "velocity", "obstacle"}));
    ASSERT_EQ(all[0].face_drivers.size(), 4 * faces);
    for (std::size_t f = 0; f < faces; ++f) {
        EXPECT_GT(all[0].face_drivers[4 * f], 1e3f);
        EXPECT_NEAR(all[0].face_drivers[4 * f + 2], 0.7 / 3, 1e-6);
        EXPECT_NEAR(all[0].face_ellipse[f].longest, 0.5, 1e-6);
        EXPECT_NEAR(all[0].face_ellipse[f].shortest, 0.7 / 3, 1e-6);
    }
}

TEST_F(ClothAttributes, have_no_sizing_where_nothing_was_remeshed)
{
    for (const FrameAttributes& a :
         cloth_attributes(description, scene.world, scene.start, nullptr)) {
        EXPECT_TRUE(a.drivers.empty());
        EXPECT_TRUE(a.face_ellipse.empty());
    }
}

TEST_F(ClothAttributes, are_read_back_with_the_run)
{
    FrameSinkObj sink(folder.path());
    sink.write(frame_of(object_meshes(scene.world, scene.start), 0, 0));
    AttributeFiles files(folder.path());
    files.write(description, scene.world, scene.start, nullptr);
    const RunFolder run(folder.path());
    for (const ObjectMesh& mesh : run.read(0)) {
        const auto a = run.read_attributes(mesh, 0);
        ASSERT_TRUE(a) << mesh.name;
        EXPECT_EQ(a->face_material.size(), mesh.face_nodes.size());
    }
    // Attributes that do not fit the mesh are as good as none.
    write_bytes(folder.path() / "frames/00000_fixed.obj", mesh_a);
    for (const ObjectMesh& mesh : RunFolder(folder.path()).read(0))
        EXPECT_EQ(RunFolder(folder.path()).read_attributes(mesh, 0).has_value(),
                  mesh.name == "adaptive");
}

} // namespace
} // namespace pleat
