// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/scene/load_scene.hpp"

#include "mesh/zoo.hpp"
#include "pleat/export/obj_writer.hpp"
#include "pleat/mesh/validate.hpp"
#include "pleat/model/world.hpp"
#include "pleat/scene/material_file.hpp"
#include "problems.hpp"
#include "temporary_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <random>
#include <set>
#include <string>

namespace pleat {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// A folder in which scenes are written and loaded.
class SceneFolder {
public:
    void mesh(const std::string& name, const MeshInput& input) const
    {
        write_obj(folder_ / name, view_as_obj(input));
    }
    void file(const std::string& name, const std::string& text) const
    {
        write_bytes(folder_ / name, text);
    }
    [[nodiscard]] std::string path(const std::string& name) const
    {
        return (folder_ / name).string();
    }
    [[nodiscard]] SceneDescription describe(const std::string& text) const
    {
        return parse_scene(text, folder_ / "scene.json");
    }
    [[nodiscard]] Scene load(const std::string& text) const { return load_scene(describe(text)); }
    [[nodiscard]] std::string complaint(const std::string& text) const
    {
        return complaint_of([&] { (void)load(text); });
    }
    /// A sheet of 2 x 2 cells, a cloth of it, and further keys.
    [[nodiscard]] std::string sheet_scene(const std::string& keys = "",
                                          const std::string& cloth_keys = "") const
    {
        mesh("sheet.obj", zoo::grid(2, 2));
        return R"({"pleat": 1, "cloths": [{"name": "sheet", "mesh": "sheet.obj",
                   "material": "jersey")" +
               (cloth_keys.empty() ? "" : ", " + cloth_keys) + "}]" +
               (keys.empty() ? "" : ", " + keys) + "}";
    }

private:
    TemporaryFolder folder_;
};

constexpr const char* triangle = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";

TEST(LoadScene, passes_settings_and_surroundings_on)
{
    const SceneFolder f;
    const Scene s = f.load(f.sheet_scene(
        R"("up": "y", "fps": 30, "substeps": 3, "frames": 7, "gravity": [1, 2, 3],
           "wind": {"velocity": [4, 5, 6], "drag": 0.5})"));
    EXPECT_EQ(s.settings.fps, 30);
    EXPECT_EQ(s.settings.substeps, 3);
    EXPECT_EQ(s.settings.frames, 7);
    EXPECT_EQ(s.world.up, (Vec3{0, 1, 0}));
    EXPECT_EQ(s.world.gravity, (Vec3{1, 2, 3}));
    EXPECT_EQ(s.world.wind, (Wind{{4, 5, 6}, 1.0, 0.5}));
    EXPECT_EQ(s.start.time, 0);
    EXPECT_EQ(s.start.frame, 0);
    EXPECT_THAT(s.notes, IsEmpty());
}

TEST(LoadScene, keeps_nodes_in_the_order_of_the_file)
{
    const SceneFolder f;
    const Scene s = f.load(f.sheet_scene());
    const MeshInput grid = zoo::grid(2, 2);
    EXPECT_EQ(s.start.state.x.values, grid.node_x);
    EXPECT_EQ(s.start.state.v.values, std::vector<Vec3>(9));
    EXPECT_EQ(s.start.model.mesh.face_count(), grid.face_nodes.size());
    EXPECT_NEAR(total_mass(s.start.model), fabric("jersey").density, 1e-15); // a square metre
    EXPECT_THAT(validate(s.start.model.mesh), IsEmpty());
}

TEST(LoadScene, loads_every_animal_of_the_zoo)
{
    const SceneFolder f;
    for (const zoo::Animal& animal : zoo::animals()) {
        f.mesh("animal.obj", animal.input);
        const Scene s =
            f.load(R"({"pleat": 1, "cloths": [{"mesh": "animal.obj", "material": "denim"}]})");
        EXPECT_EQ(s.start.model.mesh.face_count(), animal.input.face_nodes.size()) << animal.name;
        EXPECT_THAT(validate(s.start.model.mesh), IsEmpty()) << animal.name;
    }
}

TEST(LoadScene, puts_two_cloths_into_one_mesh)
{
    const SceneFolder f;
    f.mesh("a.obj", zoo::two_panels(2));
    MeshInput striped = zoo::grid(2, 1);
    striped.face_material = {0, 0, 1, 1};
    f.mesh("b.obj", striped);
    const Scene s = f.load(
        R"({"pleat": 1, "cloths": [
            {"name": "a", "mesh": "a.obj", "material": "denim"},
            {"name": "b", "mesh": "b.obj", "materials": ["jersey", "sweater"],
             "transform": {"translate": [0, 0, 5]}}]})");
    const Model& m = s.start.model;
    ASSERT_EQ(m.cloths.size(), 2u);
    EXPECT_EQ(m.cloths[1].name, "b");
    EXPECT_EQ(m.materials, (std::vector{fabric("denim"), fabric("jersey"), fabric("sweater")}));
    const std::size_t first = zoo::two_panels(2).face_nodes.size();
    std::set<std::uint32_t> panels_a, panels_b;
    for (FaceId face : m.mesh.faces()) {
        const bool in_b = index(face) >= first;
        EXPECT_EQ(index(m.cloth_of(face)), in_b ? 1u : 0u);
        (in_b ? panels_b : panels_a).insert(index(m.mesh.panel(face)));
        const std::size_t k = index(face) - first;
        EXPECT_EQ(index(m.face_material[face]), in_b ? (k < 2 ? 1u : 2u) : 0u);
    }
    EXPECT_EQ(panels_a.size(), 2u);
    EXPECT_EQ(panels_b.size(), 1u);
    EXPECT_EQ(s.start.state.x.values.back()[2], 5);
}

TEST(LoadScene, keeps_the_edges_between_materials)
{
    const SceneFolder f;
    MeshInput striped = zoo::grid(2, 1);
    striped.face_material = {0, 0, 1, 1};
    f.mesh("b.obj", striped);
    const Scene s = f.load(
        R"({"pleat": 1, "cloths": [{"mesh": "b.obj", "materials": ["jersey", "sweater"]}]})");
    const Mesh& mesh = s.start.model.mesh;
    std::size_t kept = 0;
    for (EdgeId e : mesh.edges()) kept += mesh[e].keep;
    EXPECT_EQ(kept, 1u); // the middle line
}

TEST(LoadScene, wants_a_material_for_every_index_of_the_mesh)
{
    const SceneFolder f;
    MeshInput striped = zoo::grid(2, 1);
    striped.face_material = {0, 0, 2, 2};
    f.mesh("b.obj", striped);
    EXPECT_THAT(
        f.complaint(
            R"({"pleat": 1, "cloths": [{"mesh": "b.obj", "materials": ["jersey", "sweater"]}]})"),
        AllOf(HasSubstr("cloths[0].materials: 2 of them"), HasSubstr("go up to 2")));
    // An index near the end of the integers does not wrap around.
    striped.face_material = {0, 0, 2147483647, 0};
    f.mesh("b.obj", striped);
    f.mesh("a.obj", zoo::grid(1, 1));
    EXPECT_THAT(f.complaint(R"({"pleat": 1, "cloths": [
                    {"name": "a", "mesh": "a.obj", "material": "jersey"},
                    {"name": "b", "mesh": "b.obj", "material": "jersey"}]})"),
                HasSubstr("go up to 2147483647"));
}

TEST(LoadScene, places_cloth_and_scales_its_material_too)
{
    const SceneFolder f;
    const Scene s = f.load(f.sheet_scene(
        "", R"("transform": {"scale": 2, "rotate": [90, 1, 0, 0], "translate": [0, 0, 3]})"));
    const MeshInput grid = zoo::grid(2, 2);
    const Model& m = s.start.model;
    for (std::size_t i = 0; i < grid.node_x.size(); ++i) {
        const Vec3& x = grid.node_x[i];
        EXPECT_LT(norm(s.start.state.x.values[i] - Vec3{2 * x[0], 0, 3 + 2 * x[1]}), 1e-15);
    }
    for (VertId v : m.mesh.verts()) EXPECT_EQ(m.mesh.u(v), 2.0 * grid.material_u[index(v)]);
    EXPECT_NEAR(total_mass(m), 4 * fabric("jersey").density, 1e-14);
    double area = 0;
    for (FaceId face : m.mesh.faces()) area += m.area[face];
    EXPECT_NEAR(area, 4, 1e-14);
}

TEST(LoadScene, gives_velocities_to_a_cloth_whose_file_has_none)
{
    const SceneFolder f;
    MeshInput grid = zoo::grid(1, 1);
    f.mesh("still.obj", grid);
    grid.node_v.assign(4, Vec3{0, 1, 0});
    f.mesh("moving.obj", grid);
    const auto load = [&](const std::string& mesh) {
        return f.load(R"({"pleat": 1, "cloths": [{"mesh": ")" + mesh + R"(", "material": "jersey",
            "transform": {"rotate": [90, 0, 0, 1], "translate": [10, 0, 0]},
            "velocity": {"linear": [0, 0, 7], "angular": [0, 0, 2], "origin": [10, 0, 0]}}]})");
    };
    const Scene still = load("still.obj"), moving = load("moving.obj");
    for (std::size_t i = 0; i < 4; ++i) {
        const Vec3 arm = still.start.state.x.values[i] - Vec3{10, 0, 0};
        EXPECT_LT(norm(still.start.state.v.values[i] - Vec3{-2 * arm[1], 2 * arm[0], 7}), 1e-14);
        // Turned by 90 degrees: the file's (0, 1, 0) points along -x.
        EXPECT_LT(norm(moving.start.state.v.values[i] - Vec3{-1, 0, 0}), 1e-14);
    }
    EXPECT_THAT(still.notes, IsEmpty());
    EXPECT_THAT(moving.notes, ElementsAre(HasSubstr("cloths[0].velocity is not used")));
}

TEST(LoadScene, takes_rest_angles_and_kept_edges_from_the_file)
{
    const SceneFolder f;
    MeshInput grid = zoo::grid(1, 1); // diagonal 0 - 2
    grid.edge_marks = {{0, 2, 0.25, false}, {0, 1, std::nullopt, true}};
    f.mesh("a.obj", grid);
    const Scene s = f.load(R"({"pleat": 1, "cloths": [{"mesh": "a.obj", "material": "jersey"}]})");
    const Mesh& mesh = s.start.model.mesh;
    for (EdgeId e : mesh.edges()) {
        const bool diagonal = e == mesh.find_edge(NodeId{0}, NodeId{2});
        EXPECT_EQ(s.start.model.rest_angle[e], diagonal ? 0.25 : 0);
        EXPECT_EQ(mesh[e].keep, diagonal || e == mesh.find_edge(NodeId{0}, NodeId{1}));
    }
    EXPECT_THAT(s.notes, IsEmpty());
}

TEST(LoadScene, says_where_a_marked_edge_is_none)
{
    const SceneFolder f;
    MeshInput grid = zoo::grid(1, 1);
    grid.edge_marks = {{1, 3, 0.25, false}};
    f.mesh("a.obj", grid);
    const Scene s = f.load(R"({"pleat": 1, "cloths": [{"mesh": "a.obj", "material": "jersey"}]})");
    EXPECT_THAT(s.notes, ElementsAre(HasSubstr("1 marked edges")));
}

TEST(LoadScene, flattens_a_sheet_without_material_points)
{
    const SceneFolder f;
    f.file("flat.obj", "v 0 0 0\nv 0 2 0\nv 0 2 1\nv 0 0 1\nf 1 2 3\nf 1 3 4\n");
    const Scene s =
        f.load(R"({"pleat": 1, "cloths": [{"mesh": "flat.obj", "material": "jersey"}]})");
    EXPECT_NEAR(total_mass(s.start.model), 2 * fabric("jersey").density, 1e-15);
    f.file("bent.obj", "v 0 0 0\nv 0 2 0\nv 0 2 1\nv 1 0 1\nf 1 2 3\nf 1 3 4\n");
    EXPECT_THAT(f.complaint(R"({"pleat": 1, "cloths": [{"mesh": "bent.obj",
                                "material": "jersey"}]})"),
                AllOf(HasSubstr(f.path("bent.obj")), HasSubstr("not flat")));
}

// ---- handles -----------------------------------------------------------------------------------

std::vector<std::uint32_t> held(const Scene& s, std::size_t handle)
{
    std::vector<std::uint32_t> nodes;
    for (NodeId n : s.start.model.mesh.nodes())
        if ((s.start.model.handles(n) >> handle & 1) != 0) nodes.push_back(index(n));
    return nodes;
}

TEST(LoadScene, holds_nodes_by_number_label_and_box)
{
    const SceneFolder f;
    MeshInput labelled = zoo::grid(2, 2); // nodes in rows of cells: see the order of the file
    labelled.node_label.assign(9, 0);
    labelled.node_label[4] = -2;
    labelled.node_label[7] = -2;
    f.mesh("b.obj", labelled);
    const std::string scene = f.sheet_scene();
    const Scene s = f.load(
        R"({"pleat": 1, "cloths": [
            {"name": "a", "mesh": "sheet.obj", "material": "denim"},
            {"name": "b", "mesh": "b.obj", "material": "denim",
             "transform": {"translate": [0, 0, 1]}}],
            "handles": [
              {"nodes": [8, 0]},
              {"cloth": "b", "nodes": [0]},
              {"cloth": "b", "label": -2},
              {"cloth": "a", "box": {"min": [-1, 0.9, -9], "max": [1, 1, 9]}},
              {"cloth": "b", "box": {"min": [0, 0, 1], "max": [0, 0, 1]},
               "motion": [{"time": 0}], "from": 1, "until": 2, "fade": 3, "stiffness": 4}]})");
    EXPECT_THAT(held(s, 0), ElementsAre(0u, 8u));
    EXPECT_THAT(held(s, 1), ElementsAre(9u));
    EXPECT_THAT(held(s, 2), ElementsAre(13u, 16u));
    std::vector<std::uint32_t> top;
    for (std::uint32_t i = 0; i < 9; ++i)
        if (labelled.node_x[i][1] == 1) top.push_back(i);
    EXPECT_EQ(held(s, 3), top); // ends of a box belong to it
    EXPECT_THAT(held(s, 4), ElementsAre(9u));
    std::uint64_t points = 0, regions = 0;
    for (std::uint64_t bits : s.start.model.node_handles) points |= bits;
    for (std::uint64_t bits : s.start.model.region_handles) regions |= bits;
    EXPECT_EQ(points, 0b00011u) << "given by nodes";
    EXPECT_EQ(regions, 0b11100u) << "given by label or box";
    ASSERT_EQ(s.world.handles.size(), 5u);
    const Handle& h = s.world.handles[4];
    EXPECT_EQ(h.start_time, 1);
    EXPECT_EQ(h.end_time, 2);
    EXPECT_EQ(h.fade_time, 3);
    EXPECT_EQ(h.stiffness, 4);
    EXPECT_EQ(h.motion.keys.size(), 1u);
    EXPECT_EQ(s.start.state.anchor.values, s.start.state.x.values);
}

TEST(LoadScene, complains_about_handles_that_hold_nothing)
{
    const SceneFolder f;
    EXPECT_THAT(f.complaint(f.sheet_scene(R"("handles": [
                    {"nodes": [3, 9]}, {"label": 5},
                    {"box": {"min": [5, 5, 5], "max": [6, 6, 6]}}])")),
                AllOf(HasSubstr("handles[0].nodes: node 9; expected numbers from 0 to 8"),
                      HasSubstr("handles[1].label: no node of sheet there"),
                      HasSubstr("handles[2].box: no node of sheet there")));
}

// ---- obstacles ---------------------------------------------------------------------------------

TEST(LoadScene, moves_an_obstacle_between_its_keys)
{
    const SceneFolder f;
    f.file("b.obj", triangle);
    const Scene s = f.load(f.sheet_scene(R"("obstacles": [{
        "name": "b", "mesh": "b.obj", "transform": {"scale": 2, "translate": [0, 0, -1]},
        "motion": [{"time": 1, "translate": [0, 0, 0]}, {"time": 3, "translate": [4, 0, 0]}],
        "from": 0.5, "until": 9, "friction": 0.7}], "contact": {"type": "none"})"));
    ASSERT_EQ(s.world.obstacles.size(), 1u);
    const Obstacle& o = s.world.obstacles[0];
    EXPECT_EQ(o.name, "b");
    EXPECT_TRUE(o.is_moving());
    EXPECT_FALSE(o.is_present(0.4));
    EXPECT_TRUE(o.is_present(0.5));
    EXPECT_FALSE(o.is_present(9));
    EXPECT_EQ(o.friction, 0.7);
    EXPECT_THAT(points_at(o, 0), ElementsAre(Vec3{0, 0, -1}, Vec3{2, 0, -1}, Vec3{0, 2, -1}));
    EXPECT_EQ(points_at(o, 2)[1], (Vec3{4, 0, -1}));
    EXPECT_EQ(points_at(o, 3)[1], (Vec3{6, 0, -1}));
    EXPECT_THAT(s.notes, Contains(HasSubstr("contact is \"none\"")));
}

TEST(LoadScene, reads_a_sequence_of_files)
{
    const SceneFolder f;
    for (int i = 3; i < 6; ++i)
        f.file("b_0" + std::to_string(i) + ".obj",
               "v 0 0 " + std::to_string(i) + "\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    const Scene s = f.load(f.sheet_scene(R"("obstacles": [{
        "sequence": {"files": "b_%02d.obj", "first": 3, "fps": 10, "time": 1},
        "transform": {"translate": [0, 0, 100]}}])"));
    const Obstacle& o = s.world.obstacles.at(0);
    EXPECT_TRUE(o.is_moving());
    EXPECT_EQ(o.frames.size(), 3u);
    EXPECT_EQ(points_at(o, 0)[0], (Vec3{0, 0, 103}));
    EXPECT_NEAR(points_at(o, 1.1)[0][2], 104, 1e-12);
    EXPECT_NEAR(points_at(o, 1.2)[0][2], 105, 1e-12);
    EXPECT_EQ(points_at(o, 7)[0], (Vec3{0, 0, 105}));
}

TEST(LoadScene, reads_a_body_of_a_motion_file)
{
    const SceneFolder f;
    f.file("b.obj", triangle);
    f.file("b.mot", "NumFrames: 3\nfirst\n9 9 9\n9 9 9\n9 9 9\nq\n1 0 0 0\n1 0 0 0\n1 0 0 0\n"
                    "second\n0 0 0\n0 0 1\n0 0 2\nq\n1 0 0 0\n1 0 0 0\n0 0 0 1\n");
    const Scene s = f.load(f.sheet_scene(R"(
        "obstacles": [{"mesh": "b.obj", "motion": {"file": "b.mot", "body": 1, "fps": 2}}],
        "handles": [{"nodes": [0], "motion": {"file": "b.mot"}}])"));
    const Obstacle& o = s.world.obstacles.at(0);
    EXPECT_EQ(points_at(o, 0.5)[0], (Vec3{0, 0, 1}));
    EXPECT_LT(norm(points_at(o, 1.0)[1] - Vec3{-1, 0, 2}), 1e-15);
    EXPECT_EQ(s.world.handles.at(0).motion.keys.size(), 3u);
    EXPECT_EQ(s.world.handles.at(0).motion.keys[2].time, 2 / 120.0);
}

TEST(LoadScene, takes_obstacles_that_cloth_could_not_be)
{
    const SceneFolder f;
    f.file("b.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 5 5 5\nf 1 2 3\nf 1 3 2\n"); // no use, no sides
    EXPECT_EQ(f.load(f.sheet_scene(R"("obstacles": [{"mesh": "b.obj"}])")).world.obstacles.size(),
              1u);
}

// ---- bad files ---------------------------------------------------------------------------------

TEST(LoadScene, reports_the_problems_of_all_files_at_once)
{
    const SceneFolder f;
    f.file("nan.obj", "v 0 0 nan\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    f.file("unused.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 3 3 3\nf 1 2 3\n");
    f.file("b.obj", triangle);
    f.file("bad.mot", "NumFrames: 0\n");
    f.file("short.mot", "NumFrames: 1\np\n0 0 0\nq\n1 0 0 0\n");
    const std::string text = f.complaint(R"({"pleat": 1,
        "cloths": [{"name": "a", "mesh": "nan.obj", "material": "denim"},
                   {"name": "b", "mesh": "unused.obj", "material": "denim"},
                   {"name": "c", "mesh": "missing.obj", "material": "denim"},
                   {"name": "d", "mesh": "d.stl", "material": "denim"}],
        "obstacles": [{"mesh": "b.obj", "motion": {"file": "bad.mot"}},
                      {"mesh": "gone.ply", "motion": {"file": "short.mot", "body": 1}},
                      {"sequence": {"files": "none_%d.obj"}}],
        "handles": [{"label": 1, "motion": {"file": "lost.mot"}}]})");
    const std::string scene = f.path("scene.json");
    EXPECT_THAT(text, AllOf(HasSubstr(f.path("nan.obj") + ": line 1"),
                            HasSubstr(f.path("unused.obj") + ": line 4"),
                            HasSubstr(scene + ": cloths[2].mesh: " + f.path("missing.obj")),
                            HasSubstr(scene + ": cloths[3].mesh: " + f.path("d.stl"))));
    EXPECT_THAT(text, AllOf(HasSubstr(f.path("bad.mot") + ": line 1"),
                            HasSubstr(scene + ": obstacles[1].mesh: " + f.path("gone.ply")),
                            HasSubstr(scene + ": obstacles[1].motion: " + f.path("short.mot") +
                                      ": 1 bodies; expected body 1"),
                            HasSubstr(scene + ": obstacles[2].sequence: " + f.path("none_0.obj")),
                            HasSubstr(scene + ": handles[0].motion: " + f.path("lost.mot"))));
}

TEST(LoadScene, refuses_sequences_that_change_their_faces)
{
    const SceneFolder f;
    f.file("b_0.obj", triangle);
    f.file("b_1.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 3 2\n");
    EXPECT_THAT(f.complaint(f.sheet_scene(R"("obstacles": [{"sequence": {"files": "b_%d.obj"}}])")),
                AllOf(HasSubstr(f.path("b_1.obj") + ": line 4"), HasSubstr("b_0.obj")));
    EXPECT_THAT(f.complaint(f.sheet_scene(R"("obstacles": [{"sequence": {"files": "b.obj"}}])")),
                HasSubstr("obstacles[0].sequence"));
}

TEST(LoadScene, refuses_transforms_that_throw_things_out_of_the_world)
{
    const SceneFolder f;
    f.file("b.obj", triangle);
    EXPECT_THAT(f.complaint(f.sheet_scene("", R"("transform": {"scale": 1e300})")),
                HasSubstr("cloths[0].transform"));
    EXPECT_THAT(f.complaint(f.sheet_scene("", R"("velocity": {"linear": [1e300, 0, 0]})")),
                HasSubstr("cloths[0].velocity"));
    EXPECT_THAT(f.complaint(f.sheet_scene(R"("obstacles": [{"mesh": "b.obj",
                    "transform": {"translate": [1e300, 0, 0]}}])")),
                HasSubstr("obstacles[0]: points farther"));
    EXPECT_THAT(f.complaint(f.sheet_scene(R"("obstacles": [{"mesh": "b.obj",
                    "motion": [{"time": 0}, {"time": 1, "scale": 1e300}]}])")),
                HasSubstr("obstacles[0]: points farther"));
}

TEST(LoadScene, notes_limits_that_nothing_keeps)
{
    const SceneFolder f;
    EXPECT_THAT(f.load(f.sheet_scene(R"("strain_limiting": {"type": "none"})",
                                     R"("strain_limits": [-0.1, 0.1])"))
                    .notes,
                ElementsAre(HasSubstr("cloths[0].strain_limits are given")));
}

TEST(LoadScene, loads_the_resolved_scene_to_the_same_state)
{
    const SceneDescription s =
        read_scene_file(fs::path(PLEAT_SOURCE_DIR) / "tests/scene/everything/scene.json");
    const Scene a = load_scene(s);
    const Scene b = load_scene(parse_scene(to_json_text(s), "/elsewhere/scene.json"));
    EXPECT_EQ(a.start.state, b.start.state);
    EXPECT_EQ(state_hash(a.start.model, a.start.state), state_hash(b.start.model, b.start.state));
    EXPECT_EQ(a.start.model.materials, b.start.model.materials);
    EXPECT_EQ(a.start.model.node_handles.values, b.start.model.node_handles.values);
}

TEST(LoadScene, loads_damaged_scenes_soundly_or_refuses_them)
{
    const fs::path path = fs::path(PLEAT_SOURCE_DIR) / "tests/scene/everything/scene.json";
    const std::string whole = read_bytes(path);
    constexpr std::string_view spice = "0123456789-.eE\"\",:[]{}/ \n\\\xc3\xff";
    std::mt19937 random(1850);
    const auto below = [&](std::size_t n) { return random() % n; };
    std::size_t loaded = 0, refused = 0;
    for (int i = 0; i < 3000; ++i) {
        std::string text = whole;
        for (std::size_t k = 0, count = 1 + below(3); k < count; ++k) {
            const std::size_t at = below(text.size());
            switch (below(8)) {
            case 0:
                text[at] = spice[below(spice.size())];
                break;
            case 1:
                text.erase(at, 1 + below(4));
                break;
            case 2:
                text.insert(at, 1, spice[below(spice.size())]);
                break;
            case 3:
                text.insert(at, text.substr(below(text.size()), below(60)));
                break;
            default: // another number: still JSON, seldom still a scene
                if (const std::size_t digit = text.find_first_of("0123456789", at);
                    digit != std::string::npos)
                    text[digit] = "0123456789e"[below(11)];
            }
        }
        try {
            const Scene s = load_scene(parse_scene(text, path));
            ++loaded;
            ASSERT_THAT(validate(s.start.model.mesh), IsEmpty()) << text;
            for (const Vec3& x : s.start.state.x.values) ASSERT_TRUE(is_finite(x)) << text;
            for (const double m : s.start.model.mass.values) ASSERT_GT(m, 0) << text;
        } catch (const InputError& error) {
            ++refused;
            for (const Problem& p : error.problems()) ASSERT_FALSE(p.file.empty()) << text;
        }
    }
    EXPECT_GT(loaded, 300u); // both ways are taken
    EXPECT_GT(refused, 1000u);
}

TEST(MakePipeline, has_every_part)
{
    const SceneFolder f;
    for (const char* solver : {"cg", "cholesky"}) {
        const Pipeline p = make_pipeline(f.describe(
            f.sheet_scene(R"("solver": {"linear_solver": ")" + std::string(solver) + "\"}")));
        EXPECT_TRUE(p.integrator && p.contact_finder && p.impact_resolver && p.strain_limiter &&
                    p.remesher);
    }
}

} // namespace
} // namespace pleat
