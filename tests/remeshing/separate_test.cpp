// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/remeshing/separate.hpp"

#include "pleat/contact/audit.hpp"
#include "pleat/contact/untangle.hpp"
#include "pleat/mesh/validate.hpp"
#include "pleat/model/obstacle_sample.hpp"
#include "pleat/remeshing/anisotropic.hpp"
#include "pleat/remeshing/material_map.hpp"

#include "mesh/slit_sheet.hpp"
#include "mesh/zoo.hpp"
#include "remeshing/scroll.hpp"
#include "remeshing/subject.hpp"
#include "sim/model_of.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

namespace pleat {
namespace {

using testing::IsEmpty;

std::size_t crossing_count(const Mesh& mesh, const Field<NodeId, Vec3>& x,
                           const std::vector<std::array<Vec3, 3>>& obstacle = {})
{
    std::vector<std::array<std::uint32_t, 3>> faces, obstacle_faces;
    for (FaceId f : mesh.faces()) {
        const auto n = mesh.nodes_of(f);
        faces.push_back({index(n[0]), index(n[1]), index(n[2])});
    }
    std::vector<Vec3> points;
    for (const auto& t : obstacle) {
        const auto first = std::uint32_t(points.size());
        points.insert(points.end(), t.begin(), t.end());
        obstacle_faces.push_back({first, first + 1, first + 2});
    }
    const AuditMesh meshes[] = {{x.values, faces, 0, false}, {points, obstacle_faces, 1, true}};
    return audit_intersections(std::span(meshes, obstacle.empty() ? 1u : 2u), {}).crossing_count();
}

TEST(ExitDistance, is_where_a_moving_triangle_loses_touch)
{
    std::mt19937_64 random(3);
    std::uniform_real_distribution<double> unit(-1, 1);
    const auto point = [&] { return Vec3{unit(random), unit(random), unit(random)}; };
    int crossing = 0;
    for (int i = 0; i < 20000; ++i) {
        const std::array<Vec3, 3> a{point(), point(), point()}, b{point(), point(), point()};
        if (triangle_relation(a, b) != TriangleRelation::crossing) continue;
        ++crossing;
        const Vec3 way = normalized(point());
        const double far = exit_distance(a, b, way);
        const auto at = [&](double t) {
            std::array<Vec3, 3> moved = a;
            for (Vec3& p : moved) p += way * t;
            return triangle_relation(moved, b);
        };
        EXPECT_EQ(at(far - 1e-6), TriangleRelation::crossing);
        EXPECT_EQ(at(far + 1e-6), TriangleRelation::apart);
    }
    EXPECT_GT(crossing, 1000);
}

TEST(MaterialMap, gives_back_positions_on_every_panel)
{
    std::mt19937_64 random(4);
    std::uniform_real_distribution<double> unit(0, 1);
    for (const MeshInput& input : {zoo::grid(7, 5), zoo::two_pieces(3), zoo::tube(9, 4)}) {
        const Mesh mesh = build_mesh(input);
        Field<NodeId, Vec3> x{FieldRule::interpolate};
        x.values = input.node_x;
        for (Vec3& p : x) p += Vec3{unit(random), unit(random), unit(random)};
        const MaterialMap map(mesh, x);
        for (FaceId f : mesh.faces()) {
            double a = unit(random), b = unit(random);
            if (a + b > 1) a = 1 - a, b = 1 - b;
            const std::array<double, 3> w{1 - a - b, a, b};
            Vec2 u{};
            Vec3 expected{};
            for (std::size_t k = 0; k < 3; ++k) {
                u += w[k] * mesh.u(mesh[f].verts[k]);
                expected += w[k] * x[mesh.nodes_of(f)[k]];
            }
            EXPECT_LT(norm(map.position(mesh.panel(f), u) - expected), 1e-9);
            EXPECT_THAT(map.faces_in(mesh.panel(f), u, u), testing::Contains(f));
        }
    }
}

TEST(MaterialMap, knows_the_sides_of_a_slit)
{
    const MeshInput input = zoo::slit_sheet(6, 0.2).input;
    const Mesh mesh = build_mesh(input);
    Field<NodeId, Vec3> x{FieldRule::interpolate};
    x.values = input.node_x;
    const MaterialMap map(mesh, x);
    for (EdgeId e : mesh.edges()) {
        if (!mesh.is_border(e)) continue;
        const FaceId f = mesh[e].faces[0];
        const auto [a, b] = mesh.verts_of(e, 0);
        Vec2 centre{};
        for (VertId v : mesh[f].verts) centre += mesh.u(v) / 3.0;
        const Vec3 expected = 0.3 * x[mesh.node(a)] + 0.7 * x[mesh.node(b)];
        const Vec2 u = 0.3 * mesh.u(a) + 0.7 * mesh.u(b);
        EXPECT_LT(norm(map.position(mesh.panel(f), u, centre) - expected), 1e-6);
    }
}

/// A flat sheet of 8 x 8 cells whose middle nodes have come up through a second one above it.
TEST(Separate, moves_a_bump_back_to_where_it_came_from)
{
    MeshInput input = zoo::grid(8, 8);
    MeshInput above = zoo::grid(8, 8);
    for (Vec3& p : above.node_x) p[2] += 0.01;
    append(input, above);
    const Mesh mesh = build_mesh(input);
    Field<NodeId, Vec3> before{FieldRule::interpolate}, x{FieldRule::interpolate};
    before.values = x.values = input.node_x;
    for (NodeId n : mesh.nodes())
        if (x[n][2] == 0 && norm(Vec2{x[n][0] - 0.5, x[n][1] - 0.5}) < 0.2) x[n][2] = 0.015;
    const MaterialMap map(mesh, before);
    std::vector<FaceId> all(mesh.faces().begin(), mesh.faces().end());
    auto crossings = find_face_crossings(mesh, x, face_tree(mesh, x), {}, all);
    ASSERT_GT(crossings.size(), 10u);
    EXPECT_EQ(crossings.size(), crossing_count(mesh, x));
    const Field<NodeId, double> inverse_mass(mesh.node_count(), FieldRule::reset, 1.0);
    const SeparateReport r = separate(mesh, inverse_mass, {}, map, std::move(crossings), {}, x);
    EXPECT_TRUE(r.ok);
    EXPECT_EQ(crossing_count(mesh, x), 0u);
    EXPECT_LT(r.largest_move, 0.02);
    // Both give way, and equal masses by equal sums.
    Vec3 sum{};
    for (NodeId n : mesh.nodes()) sum += x[n];
    EXPECT_LT(sum[2] / double(mesh.node_count()), 0.01);
}

TEST(Separate, leaves_nodes_without_inverse_mass_where_they_are)
{
    MeshInput input = zoo::grid(6, 6);
    const Mesh mesh = build_mesh(input);
    Field<NodeId, Vec3> before{FieldRule::interpolate}, x{FieldRule::interpolate};
    before.values = x.values = input.node_x;
    // A plate below, and the middle pushed into it.
    const std::vector<std::array<Vec3, 3>> plate{
        {Vec3{-1, -1, -0.01}, Vec3{3, -1, -0.01}, Vec3{-1, 3, -0.01}}};
    Field<NodeId, double> inverse_mass(mesh.node_count(), FieldRule::reset, 1.0);
    NodeId held = no_node;
    for (NodeId n : mesh.nodes()) {
        if (norm(x[n] - Vec3{0.5, 0.5, 0}) < 0.2) x[n][2] = -0.013;
        if (x[n][0] == 0 && x[n][1] == 0) held = n;
    }
    inverse_mass[held] = 0;
    const MaterialMap map(mesh, before);
    std::vector<FaceId> all(mesh.faces().begin(), mesh.faces().end());
    const ObstacleTree obstacles(plate);
    auto crossings = find_face_crossings(mesh, x, face_tree(mesh, x), obstacles, all);
    ASSERT_FALSE(crossings.empty());
    const SeparateReport r =
        separate(mesh, inverse_mass, obstacles, map, std::move(crossings), {}, x);
    EXPECT_TRUE(r.ok);
    EXPECT_EQ(crossing_count(mesh, x, plate), 0u);
    EXPECT_EQ(x[held], before[held]);
}

RemeshReport remesh_to(Simulation& sim, const test::MetricFunction& at, CrossingStrategy crossings)
{
    const Mesh& mesh = sim.model.mesh;
    MetricField metric(mesh.vert_count(), FieldRule::interpolate);
    for (VertId v : mesh.verts()) metric[v] = at(mesh.u(v));
    EditOptions options;
    options.crossings = crossings;
    options.strain_rise = 1e9; // so that edits go wrong
    if (crossings == CrossingStrategy::contour)
        options.untangle = [](const World& world, double time, const Model& model, State& state) {
            const std::vector<std::uint8_t> held(model.mesh.node_count(), 0);
            UntangleOptions untangling;
            untangling.step = 1e-4;
            untangling.max_iterations = 80;
            return untangle(model, world, sample_obstacles(world, time, 0), held, untangling, state)
                .ok;
        };
    return remesh_model(sim.model, sim.state, {}, 0, metric, {}, options);
}

TEST(CrossingStrategies, no_random_remesh_of_a_scroll_crosses_itself)
{
    for (const CrossingStrategy strategy :
         {CrossingStrategy::guard, CrossingStrategy::separate, CrossingStrategy::contour}) {
        std::mt19937_64 random(1);
        std::uniform_real_distribution<double> unit(0, 1);
        std::size_t crossings = 0, kept = 0, edits = 0;
        for (int run = 0; run < 2; ++run) {
            Simulation sim = simulation_of(test::scroll(120, 0.002));
            const double mass = total_mass(sim.model);
            ASSERT_EQ(crossing_count(sim.model.mesh, sim.state.x), 0u);
            for (int pass = 0; pass < 3; ++pass) {
                const double fine = 0.01 + 0.02 * unit(random), a = 7 * unit(random);
                const RemeshReport r = remesh_to(
                    sim,
                    [&](const Vec2& u) {
                        return test::tensor(a + u[0], fine, fine * (1 + 3 * u[0]));
                    },
                    strategy);
                crossings += r.crossings;
                kept += r.kept;
                edits += r.splits + r.flips + r.collapses;
                ASSERT_EQ(crossing_count(sim.model.mesh, sim.state.x), 0u);
                ASSERT_THAT(validate(sim.model.mesh), IsEmpty());
                EXPECT_NEAR(total_mass(sim.model), mass, 1e-12 * mass);
            }
        }
        EXPECT_GT(crossings, 100u); // without either it would cross
        // Contour minimisation alone is weak in layers so near: most of the old mesh is kept.
        EXPECT_GT(edits, strategy == CrossingStrategy::contour ? 0u : 500u);
        RecordProperty("kept", std::to_string(kept));
        RecordProperty("edits", std::to_string(edits));
    }
}

TEST(CrossingStrategies, separate_keeps_the_old_mesh_where_nothing_else_helps)
{
    // A scroll held everywhere: nothing may move, so edits that cross must be taken back.
    Simulation sim = simulation_of(test::scroll(120, 0.002));
    for (NodeId n : sim.model.mesh.nodes()) sim.model.region_handles[n] = 1;
    const std::size_t faces = sim.model.mesh.face_count();
    const RemeshReport r = remesh_to(
        sim, [](const Vec2&) { return test::tensor(0, 0.03, 0.03); }, CrossingStrategy::separate);
    EXPECT_GT(r.crossings, 0u);
    EXPECT_GT(r.kept, 0u);
    EXPECT_LT(r.kept, faces); // not all of it
    EXPECT_GT(r.refused, 0u);
    EXPECT_TRUE(r.changed);
    EXPECT_EQ(crossing_count(sim.model.mesh, sim.state.x), 0u);
}

} // namespace
} // namespace pleat
