// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/contact/proximity.hpp"

#include "contact/folded_sheet.hpp"
#include "contact/shapes.hpp"
#include "contact/stage.hpp"
#include "pleat/contact/rest_gap.hpp"
#include "pleat/core/parallel.hpp"
#include "pleat/geometry/distance.hpp"
#include "pleat/scene/material_file.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace pleat::test {
namespace {

constexpr double dt = 0.005;

Contacts find(Stage& stage)
{
    Contacts contacts;
    const auto obstacles = sample_obstacles(stage.world, stage.sim.time, dt);
    const ContactReport r = stage.pipeline.contact_finder->find(
        stage.sim.model, stage.sim.state, stage.world, obstacles, dt, contacts);
    EXPECT_EQ(r.proximities, contacts.proximities.size());
    return contacts;
}

SheetPlan level(std::size_t n, double size, double height)
{
    return {n, n, size, size, [=](const Vec2& u) { return Vec3{u[0], u[1], height}; }};
}

TEST(ContactSurface, visits_each_near_pair_of_features_once)
{
    Stage stage =
        make_stage({level(7, 0.1, 0), level(5, 0.09, 0.004)}, fabric("gray-interlock"), {});
    std::mt19937_64 random(3);
    std::uniform_real_distribution<double> any(-0.004, 0.004);
    for (Vec3& x : stage.sim.state.x) x += Vec3{any(random), any(random), any(random)};
    stage.world.obstacles = {sphere(0.03, 5)};
    for (Vec3& x : stage.world.obstacles[0].x) x += Vec3{0.05, 0.05, -0.02};
    const auto obstacles = sample_obstacles(stage.world, 0, dt);
    ContactSurface surface;
    surface.set_cloth(stage.sim.model);
    surface.set_obstacles(stage.world, obstacles);
    constexpr double reach = 0.006;
    surface.place(stage.sim.state.x.span(), stage.sim.state.x.span(), obstacles, reach);

    std::map<std::pair<bool, std::set<std::set<std::uint32_t>>>, int> visited;
    const auto note = [&](const FeaturePair& p) {
        const auto& n = p.nodes;
        std::set<std::set<std::uint32_t>> pair;
        if (p.edges)
            pair = {{n[0], n[1]}, {n[2], n[3]}};
        else
            pair = {{n[0]}, {n[1], n[2], n[3]}};
        ++visited[{p.edges, pair}];
    };
    for (const BoxPair& p : surface.cloth().tree.self_pairs()) surface.visit_self(p.a, p.b, note);
    for (const BoxPair& p : surface.cloth().tree.cross_pairs(surface.obstacle().tree))
        surface.visit_obstacle(p.a, p.b, note);
    for (const auto& [pair, count] : visited) EXPECT_EQ(count, 1);

    // Brute force: whatever is near must be among them.
    const auto x = surface.x0();
    std::set<std::uint32_t> nodes;
    std::set<std::set<std::uint32_t>> edges;
    std::vector<TriangleIndices> faces = surface.cloth().faces;
    faces.insert(faces.end(), surface.obstacle().faces.begin(), surface.obstacle().faces.end());
    for (const TriangleIndices& f : faces)
        for (std::size_t k = 0; k < 3; ++k) {
            nodes.insert(f[k]);
            edges.insert({f[k], f[(k + 1) % 3]});
        }
    std::size_t near = 0;
    for (const std::uint32_t v : nodes)
        for (const TriangleIndices& f : faces) {
            if (surface.is_obstacle(v) && surface.is_obstacle(f[0])) continue;
            if (std::find(f.begin(), f.end(), v) != f.end()) continue;
            if (point_triangle_distance(x[v], x[f[0]], x[f[1]], x[f[2]]).distance2 > reach * reach)
                continue;
            ++near;
            EXPECT_EQ((visited.count({false, {{v}, {f[0], f[1], f[2]}}})), 1u);
        }
    for (auto a = edges.begin(); a != edges.end(); ++a)
        for (auto b = std::next(a); b != edges.end(); ++b) {
            const std::uint32_t a0 = *a->begin(), a1 = *a->rbegin(), b0 = *b->begin(),
                                b1 = *b->rbegin();
            if (a->contains(b0) || a->contains(b1)) continue;
            if (surface.is_obstacle(a0) && surface.is_obstacle(b0)) continue;
            if (segment_segment_distance(x[a0], x[a1], x[b0], x[b1]).distance2 > reach * reach)
                continue;
            ++near;
            EXPECT_EQ((visited.count({true, {*a, *b}})), 1u);
        }
    EXPECT_GT(near, 1000u);
}

TEST(Proximity, sheet_over_a_floor_has_one_for_each_node)
{
    Stage stage = make_stage({level(6, 0.2, 0.003)}, fabric("gray-interlock"), {.friction = 0.45});
    stage.world.obstacles = {floor_at(0)};
    const Contacts contacts = find(stage);
    std::set<NodeId> seen;
    for (const Proximity& c : contacts.proximities) {
        EXPECT_TRUE(seen.insert(c.nodes[0]).second);
        EXPECT_FALSE(is_some(c.nodes[1]));
        EXPECT_NEAR(c.normal[2], 1, 1e-12);
        EXPECT_EQ(c.friction, 0.45);
        const double gap =
            dot(c.normal, stage.sim.state.x[c.nodes[0]] * c.weights[0] + c.anchor_t0);
        EXPECT_NEAR(gap, 0.003, 1e-12);
        EXPECT_LE(c.thickness, 0.005);
        EXPECT_GT(c.thickness, gap);
    }
    EXPECT_EQ(seen.size(), stage.sim.model.mesh.node_count());
}

TEST(Proximity, fine_sheet_does_not_repel_itself)
{
    // Edges of 1.5 mm under a thickness of 5 mm.
    Stage stage = make_stage({level(20, 0.03, 0)}, fabric("gray-interlock"), {});
    EXPECT_TRUE(find(stage).proximities.empty());
    // Neither when it is bent a little ...
    for (Vec3& x : stage.sim.state.x) x[2] = 5 * x[0] * x[0];
    EXPECT_TRUE(find(stage).proximities.empty());
    // ... but when it is folded.
    for (Vec3& x : stage.sim.state.x) x = {std::abs(x[0] - 0.015), x[1], x[0] < 0.015 ? 0 : 0.002};
    EXPECT_FALSE(find(stage).proximities.empty());
}

/// Two panels of 8 x 8 cells that lie side by side in the world, far apart in material space, and
/// are sewn where they meet.
struct SewnPanels {
    static constexpr std::uint32_t n = 8;
    static constexpr double edge = 0.0015; // [m]
    Stage stage = make_stage({level(2, 0.1, 0)}, fabric("gray-interlock"), {});

    static std::uint32_t node(std::uint32_t i, std::uint32_t j) { return j * (2 * n + 1) + i; }

    SewnPanels()
    {
        MeshInput input;
        for (std::uint32_t j = 0; j <= n; ++j)
            for (std::uint32_t i = 0; i <= 2 * n; ++i)
                input.node_x.push_back({edge * i, edge * j, 0});
        for (std::uint32_t panel = 0; panel < 2; ++panel) {
            const auto first = std::uint32_t(input.material_u.size());
            for (std::uint32_t j = 0; j <= n; ++j)
                for (std::uint32_t i = 0; i <= n; ++i)
                    input.material_u.push_back({3.0 * panel + edge * i, edge * j});
            for (std::uint32_t j = 0; j < n; ++j)
                for (std::uint32_t i = 0; i < n; ++i) {
                    const auto at = [&](std::uint32_t k, std::uint32_t l) {
                        return first + l * (n + 1) + k;
                    };
                    const std::uint32_t w = panel * n;
                    input.face_nodes.push_back(
                        {node(w + i, j), node(w + i + 1, j), node(w + i + 1, j + 1)});
                    input.face_points.push_back({at(i, j), at(i + 1, j), at(i + 1, j + 1)});
                    input.face_nodes.push_back(
                        {node(w + i, j), node(w + i + 1, j + 1), node(w + i, j + 1)});
                    input.face_points.push_back({at(i, j), at(i + 1, j + 1), at(i, j + 1)});
                }
        }
        EXPECT_TRUE(find_mesh_problems(input).empty());
        stage.sim.model = make_model(input, stage.sim.model.materials);
        EXPECT_EQ(stage.sim.model.mesh.panel_count(), 2u);
        stage.sim.state = start_state(input);
        stage.pipeline.contact_finder->mesh_changed();
    }
};

TEST(Proximity, seam_does_not_repel_itself)
{
    SewnPanels panels;
    EXPECT_TRUE(find(panels.stage).proximities.empty());
    // Folded along the seam the two panels do repel.
    for (Vec3& x : panels.stage.sim.state.x) {
        const double from_seam = x[0] - SewnPanels::n * SewnPanels::edge;
        x = {std::abs(from_seam), x[1], from_seam < 0 ? 0 : 0.001};
    }
    EXPECT_FALSE(find(panels.stage).proximities.empty());
}

TEST(RestGap, features_that_touch_a_seam_at_different_points_are_apart)
{
    const SewnPanels panels;
    const Mesh& mesh = panels.stage.sim.model.mesh;
    const RestGap rest(panels.stage.sim.model, 0.01);
    const std::uint32_t n = SewnPanels::n;
    // A vertex of the seam, and a face of the other panel that has the next one but not this.
    const NodeId here = make_id<NodeId>(SewnPanels::node(n, 3));
    const NodeId next = make_id<NodeId>(SewnPanels::node(n, 4));
    int tried = 0;
    for (FaceId a : mesh.faces())
        for (FaceId b : mesh.faces()) {
            const auto of_a = mesh.nodes_of(a), of_b = mesh.nodes_of(b);
            const auto at = std::find(of_a.begin(), of_a.end(), here);
            if (at == of_a.end() || mesh.panel(a) == mesh.panel(b)) continue;
            if (std::find(of_b.begin(), of_b.end(), next) == of_b.end()) continue;
            if (std::find(of_b.begin(), of_b.end(), here) != of_b.end()) continue;
            FeaturePair pair;
            pair.face_a = index(a);
            pair.face_b = index(b);
            pair.place_a = static_cast<std::uint8_t>(at - of_a.begin());
            EXPECT_GT(rest.distance(pair), 0.7 * SewnPanels::edge); // past a diagonal
            ++tried;
        }
    EXPECT_GT(tried, 0);
}

TEST(Proximity, friction_is_that_of_the_obstacle_then_of_the_fabric_then_of_the_scene)
{
    Stage stage = make_stage({level(2, 0.1, 0.003), level(3, 0.1, 0.006)}, fabric("gray-interlock"),
                             {.friction = 0.1});
    stage.world.obstacles = {floor_at(0)};
    const auto of = [&](bool with_floor) {
        for (const Proximity& c : find(stage).proximities)
            if (is_some(c.nodes[1]) != with_floor) return c.friction;
        return -1.0;
    };
    EXPECT_EQ(of(true), 0.1);
    EXPECT_EQ(of(false), 0.1);
    stage.sim.model.materials[0].friction = 0.4;
    EXPECT_EQ(of(true), 0.4);
    EXPECT_EQ(of(false), 0.4);
    stage.world.obstacles[0].friction = 0.7;
    EXPECT_EQ(of(true), 0.7);
    EXPECT_EQ(of(false), 0.4);
}

TEST(Proximity, forces_on_cloth_alone_sum_to_zero)
{
    Stage stage =
        make_stage({level(6, 0.1, 0), level(5, 0.1, 0.003)}, fabric("gray-interlock"), {});
    const Contacts contacts = find(stage);
    EXPECT_FALSE(contacts.proximities.empty());
    for (const Proximity& c : contacts.proximities) {
        double sum = 0;
        for (const double w : c.weights) sum += w;
        EXPECT_NEAR(sum, 0, 1e-15);
    }
}

TEST(Proximity, nodes_see_no_more_stiffness_than_asked_for)
{
    Stage stage = make_stage({level(6, 0.1, 0.0049), level(17, 0.1, 0.0098)},
                             fabric("gray-interlock"), {.stiffness = 0.5});
    stage.world.gravity = {};
    stage.world.obstacles = {sphere(0.2, 60)};
    for (Vec3& x : stage.world.obstacles[0].x) x += Vec3{0.05, 0.05, -0.2};
    std::vector<double> load(stage.sim.model.mesh.node_count(), 0);
    for (const Proximity& c : find(stage).proximities)
        for (std::size_t i = 0; i < 4 && is_some(c.nodes[i]); ++i)
            load[index(c.nodes[i])] += c.stiffness * c.weights[i] * c.weights[i] * dt * dt /
                                       stage.sim.model.mass[c.nodes[i]];
    const double most = *std::max_element(load.begin(), load.end());
    EXPECT_GT(most, 0.1);
    EXPECT_LT(most, 0.5 * 1.2) << "contacts this shallow are hardly stiffened";
}

TEST(Proximity, does_not_depend_on_the_number_of_threads)
{
    std::vector<std::vector<double>> results;
    for (const int count : {1, 2, 8}) {
        const Threads threads(count);
        threads.run([&] {
            const Sheet folded = folded_sheet(3000);
            Stage stage = make_stage({{39, 39, 1, 1}}, fabric("gray-interlock"), {});
            ASSERT_EQ(folded.x.size(), stage.sim.state.x.size());
            stage.sim.state.x.values = folded.x;
            std::vector<double> numbers;
            for (const Proximity& c : find(stage).proximities) {
                numbers.push_back(c.stiffness);
                numbers.push_back(c.normal[0] + double(index(c.nodes[0])));
            }
            results.push_back(numbers);
        });
    }
    EXPECT_GT(results[0].size(), 1000u);
    EXPECT_TRUE(results[0] == results[1]);
    EXPECT_TRUE(results[0] == results[2]);
}

/// Total stiffness of the pairs between the first and the last of some level sheets [N/m].
double stiffness_from_first_to_last(const std::vector<double>& heights)
{
    constexpr std::size_t n = 6;
    std::vector<SheetPlan> sheets;
    for (const double z : heights) sheets.push_back(level(n, 0.06, z));
    Stage stage = make_stage(sheets, fabric("gray-interlock"), {});
    stage.world.gravity = {};
    const std::size_t nodes = (n + 1) * (n + 1), last = nodes * (heights.size() - 1);
    double sum = 0;
    for (const Proximity& c : find(stage).proximities) {
        bool first_one = false, last_one = false;
        for (std::size_t i = 0; i < c.node_count(); ++i) {
            first_one = first_one || index(c.nodes[i]) < nodes;
            last_one = last_one || index(c.nodes[i]) >= last;
        }
        if (first_one && last_one) sum += c.stiffness;
    }
    return sum;
}

TEST(Proximity, a_layer_between_two_others_stands_for_them)
{
    const double alone = stiffness_from_first_to_last({0, 0.003});
    EXPECT_GT(alone, 0);
    EXPECT_EQ(stiffness_from_first_to_last({0, 0.0015, 0.003}), 0);
    EXPECT_EQ(stiffness_from_first_to_last({0, 0.001, 0.003}), 0);
}

TEST(Proximity, pairs_do_not_grow_with_the_layers_in_reach)
{
    constexpr std::size_t n = 8, layers = 12;
    const auto most_of_a_node = [&](double gap) {
        std::vector<SheetPlan> sheets;
        for (std::size_t k = 0; k < layers; ++k) sheets.push_back(level(n, 0.08, gap * double(k)));
        Stage stage = make_stage(sheets, fabric("gray-interlock"), {});
        stage.world.gravity = {};
        std::map<std::uint32_t, int> of_vertex;
        for (const Proximity& c : find(stage).proximities) ++of_vertex[index(c.nodes[0])];
        int most = 0;
        for (const auto& [node, count] : of_vertex) most = std::max(most, count);
        return most;
    };
    // 1 layer in reach on each side, and 12.
    EXPECT_EQ(most_of_a_node(0.0004), most_of_a_node(0.004));
}

} // namespace
} // namespace pleat::test
