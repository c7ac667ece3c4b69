// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Units of mesh files, rest lengths and rest angles: from the file to how the cloth moves.
#include "pleat/core/error.hpp"
#include "pleat/export/obj_writer.hpp"
#include "pleat/geometry/dihedral.hpp"
#include "pleat/mesh/measures.hpp"
#include "pleat/mesh/mesh.hpp"
#include "pleat/scene/load_scene.hpp"
#include "pleat/scene/resume.hpp"
#include "pleat/sim/run.hpp"

#include "mesh/zoo.hpp"
#include "problems.hpp"
#include "temporary_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <string>

namespace pleat {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

class RestShape : public testing::Test {
protected:
    void mesh(const std::string& name, const MeshInput& input) const
    {
        write_obj(folder_ / name, view_as_obj(input));
    }
    [[nodiscard]] SceneDescription describe(const std::string& cloth_keys,
                                            const std::string& keys = "") const
    {
        return parse_scene(R"({"pleat": 1, "cloths": [{"mesh": "a.obj", "material": "jersey")" +
                               (cloth_keys.empty() ? "" : ", " + cloth_keys) + "}]" +
                               (keys.empty() ? "" : ", " + keys) + "}",
                           folder_ / "scene.json");
    }
    [[nodiscard]] Scene load(const std::string& cloth_keys, const std::string& keys = "") const
    {
        return load_scene(describe(cloth_keys, keys));
    }
    [[nodiscard]] std::string complaint(const std::string& cloth_keys,
                                        const std::string& keys = "") const
    {
        return complaint_of([&] { (void)load(cloth_keys, keys); });
    }

    TemporaryFolder folder_;
};

constexpr double radius = 0.2; // of the shapes below [m]

/// A sheet of 0.3 x 0.2 m rolled to a part of a cylinder, with UV coordinates from 0 to 1.
MeshInput rolled(int columns, int rows)
{
    MeshInput m = zoo::grid(columns, rows, 0.3, 0.2);
    for (Vec3& x : m.node_x)
        x = {-radius * std::cos(x[0] / radius), radius * std::sin(x[0] / radius), x[1]};
    for (Vec2& u : m.material_u) u = {u[0] / 0.3, u[1] / 0.2};
    return m;
}

/// Largest relative difference between edge lengths in space and in material.
double largest_strain(const Scene& s)
{
    const Mesh& mesh = s.start.model.mesh;
    double worst = 0;
    for (EdgeId e : mesh.edges()) {
        const auto [a, b] = mesh[e].nodes;
        const double length = norm(s.start.state.x[b] - s.start.state.x[a]);
        worst = std::max(worst, std::abs(material_length(mesh, e, 0) / length - 1));
    }
    return worst;
}

double angle_in_space(const Scene& s, EdgeId e)
{
    const Mesh& mesh = s.start.model.mesh;
    const auto& x = s.start.state.x;
    if (mesh.is_border(e)) return 0;
    return dihedral_angle(x[mesh[e].nodes[0]], x[mesh[e].nodes[1]],
                          x[mesh.node(mesh.opposite_vert(e, 0))],
                          x[mesh.node(mesh.opposite_vert(e, 1))]);
}

TEST_F(RestShape, unit_multiplies_all_coordinates_of_a_mesh_file)
{
    MeshInput m = zoo::grid(2, 2, 50, 30); // centimetres
    m.node_v.assign(m.node_x.size(), Vec3{0, 200, 0});
    mesh("a.obj", m);
    mesh("ball.obj", m);
    mesh("body_1.obj", m);
    mesh("body_2.obj", m);
    const Scene s = load(R"("unit": 0.01, "transform": {"translate": [0, 0, 1]})",
                         R"("obstacles": [{"mesh": "ball.obj", "unit": 0.01},
                            {"sequence": {"files": "body_%d.obj", "first": 1}, "unit": 0.01}])");
    EXPECT_NEAR(total_area(s.start.model.mesh), 0.15, 1e-12);
    EXPECT_LT(largest_strain(s), 1e-12);
    EXPECT_NEAR(s.start.state.x.values.back()[0], 0.5, 1e-15);
    EXPECT_NEAR(s.start.state.x.values.back()[2], 1, 1e-15);
    EXPECT_NEAR(s.start.state.v.values.back()[1], 2, 1e-15);
    for (const Obstacle& o : s.world.obstacles) EXPECT_NEAR(o.x.back()[1], 0.3, 1e-15);
    EXPECT_NEAR(s.world.obstacles[1].frames[1].back()[1], 0.3, 1e-15);
    EXPECT_THAT(complaint(R"("unit": 0)"), HasSubstr("cloths[0].unit"));
    EXPECT_THAT(complaint("", R"("obstacles": [{"plane": {}, "unit": 0.01}])"),
                AllOf(HasSubstr("obstacles[0].unit"), HasSubstr("a plane is in metres")));
    EXPECT_THAT(complaint("", R"("obstacles": [{"gltf": {"file": "a.glb"}, "unit": 0.01}])"),
                AllOf(HasSubstr("obstacles[0].unit"), HasSubstr("inside \"gltf\"")));
}

TEST_F(RestShape, mesh_takes_the_lengths_of_the_model_whatever_its_uv_coordinates)
{
    mesh("a.obj", rolled(12, 8));
    EXPECT_GT(largest_strain(load("")), 1); // UV coordinates of 0 to 1 are taken for metres
    const Scene s = load(R"("rest": "mesh")");
    EXPECT_LT(largest_strain(s), 1e-9);
    EXPECT_EQ(s.start.model.mesh.panel_count(), 1u);
    EXPECT_EQ(s.start.model.rest_surface, nullptr);
    for (double angle : s.start.model.rest_angle) EXPECT_EQ(angle, 0);
    EXPECT_THAT(s.notes,
                Contains(AllOf(HasSubstr("1 panel laid flat"), HasSubstr("0 % on average"))));

    MeshInput bare = rolled(12, 8);
    bare.material_u.clear();
    bare.face_points.clear();
    mesh("a.obj", bare);
    EXPECT_THAT(complaint(""), HasSubstr("\"rest\": \"mesh\""));
    EXPECT_LT(largest_strain(load(R"("rest": "mesh")")), 1e-9);

    MeshInput tube = zoo::tube(12, 4);
    tube.material_u.clear();
    tube.face_points.clear();
    mesh("a.obj", tube);
    const Scene open = load(R"("rest": "mesh", "unit": 0.5, "transform": {"scale": 0.5})");
    EXPECT_LT(largest_strain(open), 1e-9);
    EXPECT_THAT(open.notes, Contains(HasSubstr("1 had to be cut open")));
}

TEST_F(RestShape, mesh_reports_the_distortion_of_a_dome_and_refuses_a_ball)
{
    MeshInput dome = zoo::grid(16, 16);
    dome.material_u.clear();
    dome.face_points.clear();
    for (Vec3& x : dome.node_x) {
        const double a = x[0] - 0.5, b = x[1] - 0.5;
        x = {a, b, std::sqrt(1 - a * a - b * b)};
    }
    mesh("a.obj", dome);
    const Scene s = load(R"("rest": "mesh")");
    EXPECT_LT(largest_strain(s), 0.1);
    EXPECT_GT(largest_strain(s), 0.005);
    EXPECT_THAT(s.notes, Contains(AllOf(HasSubstr("1 panel laid flat, edge lengths change by"),
                                        HasSubstr("at most"))));

    MeshInput ball; // an octahedron blown up twice would be round; a flat one has sharp edges
    ball.node_x = {{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}};
    ball.face_nodes = {{0, 2, 4}, {2, 1, 4}, {1, 3, 4}, {3, 0, 4},
                       {2, 0, 5}, {1, 2, 5}, {3, 1, 5}, {0, 3, 5}};
    mesh("a.obj", ball);
    EXPECT_EQ(load(R"("rest": "mesh")").start.model.mesh.panel_count(), 8u);
}

TEST_F(RestShape, file_gives_lengths_and_angles_of_another_shape)
{
    MeshInput flat = zoo::grid(12, 8, 0.3, 0.2);
    mesh("a.obj", flat);
    MeshInput shape = rolled(12, 8);
    for (Vec3& x : shape.node_x) x *= 1.5;
    mesh("shape.obj", shape);
    const Scene s = load(R"("rest": "shape.obj")");
    EXPECT_NEAR(total_area(s.start.model.mesh), 0.06 * 2.25, 1e-3);
    double fold = 0;
    for (EdgeId e : s.start.model.mesh.edges())
        fold += s.start.model.rest_angle[e] * material_length(s.start.model.mesh, e, 0);
    EXPECT_NEAR(std::abs(fold), 11.0 / 12 * 0.3 / radius * 0.3, 1e-3); // ten inner rulings and one
    const Scene lengths = load(R"("rest": "shape.obj", "rest_angles": "flat")");
    EXPECT_EQ(lengths.start.model.rest_surface, nullptr);
    const Scene angles = load(R"("rest_angles": "shape.obj")");
    EXPECT_NEAR(total_area(angles.start.model.mesh), 0.06, 1e-12);
    for (EdgeId e : angles.start.model.mesh.edges())
        EXPECT_NEAR(angles.start.model.rest_angle[e], s.start.model.rest_angle[e], 1e-12);

    mesh("shape.obj", zoo::grid(3, 3));
    EXPECT_THAT(complaint(R"("rest": "shape.obj")"),
                AllOf(HasSubstr("shape.obj"), HasSubstr("16 vertices and 18 triangles"),
                      HasSubstr("117 vertices and 192 triangles")));
    EXPECT_THAT(complaint(R"("rest": "none.obj")"), HasSubstr("none.obj"));
    EXPECT_THAT(complaint(R"("rest": "meshes")"),
                AllOf(HasSubstr("cloths[0].rest"), HasSubstr("material or mesh")));
}

TEST_F(RestShape, angles_of_the_mesh_are_taken_and_sharp_folds_kept)
{
    MeshInput m = rolled(12, 8);
    m.edge_marks = {{0, 1, 0.7, false}};
    for (std::size_t i = 0; i < m.node_x.size(); ++i) // a crease across the middle
        if (m.node_x[i][2] > 0.1) m.node_x[i][1] += 2 * (m.node_x[i][2] - 0.1);
    mesh("a.obj", m);
    const Scene s = load(R"("rest": "mesh", "rest_angles": "mesh")");
    ASSERT_NE(s.start.model.rest_surface, nullptr);
    EXPECT_THAT(s.notes, Contains(HasSubstr("1 rest angles of edges (ea) are ignored")));
    std::size_t kept = 0;
    for (EdgeId e : s.start.model.mesh.edges()) {
        const double angle = angle_in_space(s, e);
        EXPECT_NEAR(s.start.model.rest_angle[e], angle, 1e-12);
        EXPECT_EQ(s.start.model.mesh[e].keep, std::abs(angle) >= 0.5);
        kept += s.start.model.mesh[e].keep;
    }
    EXPECT_GT(kept, 3u);
}

TEST_F(RestShape, angles_are_not_for_isometric_bending_which_a_note_says)
{
    mesh("a.obj", rolled(4, 4));
    SceneDescription d = describe(R"("rest": "mesh", "rest_angles": "mesh")");
    d.cloths[0].materials[0].bending = BendingIsometric{};
    EXPECT_THAT(load_scene(d).notes, Contains(HasSubstr("law \"isometric\"")));
}

TEST_F(RestShape, is_read_again_as_it_was_written)
{
    mesh("a.obj", rolled(4, 4));
    for (const std::string keys :
         {R"("unit": 0.01)", R"("rest": "mesh")", R"("rest": "mesh", "rest_angles": "mesh")",
          R"("rest": "b.obj")", R"("rest": "b.obj", "rest_angles": "flat")",
          R"("rest_angles": "b.PLY")"}) {
        const SceneDescription d =
            describe(keys, R"("obstacles": [{"mesh": "o.obj", "unit": 0.001}])");
        SceneDescription again = parse_scene(to_json_text(d), d.file);
        EXPECT_EQ(again, d) << keys;
        EXPECT_NE(d.cloths[0], describe("").cloths[0]);
    }
}

TEST_F(RestShape, of_another_scene_counts_where_a_run_goes_on_with_it)
{
    mesh("a.obj", zoo::grid(12, 8, 0.3, 0.2));
    mesh("shape.obj", rolled(12, 8));
    const SceneDescription flat = describe(""), bent = describe(R"("rest_angles": "shape.obj")");
    const Scene from = load_scene(flat);
    Scene on = load_scene(bent);
    const auto angles = on.start.model.rest_angle;
    start_from(bent, {from.start, checkpoint_info(flat, from)}, on);
    ASSERT_NE(on.start.model.rest_surface, nullptr);
    for (EdgeId e : on.start.model.mesh.edges())
        EXPECT_NEAR(on.start.model.rest_angle[e], angles[e], 1e-6);
}

double width_of(const Scene& s)
{
    double widest = 0;
    for (const Vec3& a : s.start.state.x)
        for (const Vec3& b : s.start.state.x) widest = std::max(widest, norm(a - b));
    return widest;
}

/// How much the width of the cloth changes over a run [m].
double motion_of(const SceneDescription& d)
{
    Scene s = load_scene(d);
    const double before = width_of(s);
    Pipeline p = make_pipeline(d);
    EXPECT_EQ(run(s.world, p, s.start, s.settings, {}).end, RunEnd::finished);
    return std::abs(width_of(s) - before);
}

TEST_F(RestShape, sculpted_cloth_stays_as_it_is_and_flat_cloth_unrolls)
{
    mesh("a.obj", rolled(12, 8));
    const std::string still = R"("gravity": [0, 0, 0], "frames": 10, "substeps": 4,
                                 "contact": {"type": "none"})";
    for (const std::string remeshing :
         {"", R"(, "remeshing": {"type": "anisotropic", "edge_length": [0.02, 0.1]})"}) {
        const double sculpted =
            motion_of(describe(R"("rest": "mesh", "rest_angles": "mesh")" + remeshing, still));
        const double flat = motion_of(describe(R"("rest": "mesh")" + remeshing, still));
        EXPECT_LT(sculpted, 0.1 * flat) << remeshing;
        RecordProperty("sculpted", std::to_string(sculpted));
        RecordProperty("flat", std::to_string(flat));
    }
}

} // namespace
} // namespace pleat
