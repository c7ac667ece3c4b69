// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Splits and joins of quadrisection on every kind of mesh: valid after each, back to where it
// began, and with the mass and momentum that there were.
#include "pleat/remeshing/quadrisection_edits.hpp"

#include "pleat/mesh/measures.hpp"
#include "pleat/mesh/validate.hpp"
#include "pleat/model/model.hpp"
#include "pleat/model/state.hpp"
#include "pleat/remeshing/obstacle_tree.hpp"
#include "pleat/scene/material_file.hpp"

#include "mesh/zoo.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <random>
#include <tuple>

namespace pleat {
namespace {

using testing::IsEmpty;

/// A mesh of a simulation with labels, a handle, fabrics and folds, in the hands of an editor.
class Quads {
public:
    explicit Quads(const MeshInput& input, int levels = 4, int level_difference = 0)
    {
        model = make_model(input, {fabric("11oz-black-denim"), fabric("gray-interlock")});
        state = start_state(input);
        limits_.levels.assign(model.mesh.panel_count(), levels);
        limits_.level_difference.assign(model.mesh.panel_count(), level_difference);
        std::mt19937 random(5);
        std::uniform_real_distribution<> real(-0.02, 0.02);
        for (NodeId n : model.mesh.nodes()) {
            state.x[n] += Vec3{real(random), real(random), real(random)};
            state.v[n] = {real(random), real(random), real(random)};
            model.region_handles[n] = index(n) % 3 == 0 ? 1 : 0;
        }
        area = total_area(model.mesh);
        model.forest = forest_of(model.mesh);
        begin();
    }

    void begin()
    {
        fields = std::make_unique<FieldSet>(guard ? FieldUndo::kept : FieldUndo::none);
        add_fields(*fields, model);
        add_fields(*fields, state);
        editor = std::make_unique<MeshEditor>(model.mesh, state.x, *fields, edit_limits,
                                              guard ? &*guard : nullptr);
        edits = std::make_unique<QuadrisectionEdits>(
            *editor, QuadHierarchy(model.mesh, model.forest), model.face_level, state.v,
            [this](FaceId f) { return model.materials[index(model.face_material[f])].density; },
            limits_);
    }
    /// Compacts and renumbers, as between two remeshings.
    void go_on()
    {
        model.forest = edits->hierarchy().forest();
        model.dependencies = edits->dependencies(model.dependencies);
        edits->apply_impulses(model.dependencies);
        follow(model, state);
        editor->finish();
        update_derived(model);
        guard.reset();
        begin();
    }
    /// The same, and every edit is asked for from then on.
    void go_on_with_guard()
    {
        go_on();
        guard.emplace(model.mesh, state.x, obstacles);
        begin();
    }

    /// Of the edges that can be split, or that are.
    bool split(std::size_t pick)
    {
        std::vector<QuadEdgeId> all;
        for (QuadEdgeId e : edits->hierarchy().edges())
            if (edits->hierarchy().is_alive(e) && edits->hierarchy().is_active(e)) all.push_back(e);
        return edits->split(all[pick % all.size()]);
    }
    bool join(std::size_t pick)
    {
        std::vector<QuadEdgeId> all;
        for (QuadEdgeId e : edits->hierarchy().edges())
            if (edits->hierarchy()[e].is_split) all.push_back(e);
        return !all.empty() && edits->join(all[pick % all.size()]);
    }
    /// Splits every edge of a level.
    void split_all(int level)
    {
        const std::size_t count = edits->hierarchy().edges().size();
        for (std::size_t i = 0; i < count; ++i)
            if (const auto e = make_id<QuadEdgeId>(i); edits->hierarchy()[e].level == level)
                edits->split(e);
    }
    std::size_t join_all()
    {
        std::size_t joined = 0;
        for (int level = 8; level >= 0; --level)
            for (std::size_t i = 0; i < edits->hierarchy().edges().size(); ++i)
                if (const auto e = make_id<QuadEdgeId>(i);
                    edits->hierarchy().is_alive(e) && edits->hierarchy()[e].level == level)
                    joined += edits->join(e);
        return joined;
    }

    [[nodiscard]] std::vector<std::string> problems() const
    {
        std::vector<std::string> found = validate(model.mesh, {.expected_area = area});
        const QuadHierarchy again(model.mesh, edits->hierarchy().forest());
        if (!again.problem().empty()) found.push_back(again.problem());
        if (!fields->fits(model.mesh)) found.emplace_back("fields do not fit");
        return found;
    }
    /// T-vertices are the means of the ends of their edges, as far as the world is concerned.
    [[nodiscard]] double largest_gap() const
    {
        double most = 0;
        const QuadHierarchy& h = edits->hierarchy();
        for (QuadEdgeId id : h.edges())
            if (h.is_alive(id) && h[id].has_middle() && !h[id].is_split) {
                const auto& e = h[id];
                const auto gap = [&](const Field<NodeId, Vec3>& f) {
                    return norm(f[e.middle] - 0.5 * (f[e.nodes[0]] + f[e.nodes[1]]));
                };
                most = std::max({most, gap(state.x), gap(state.v)});
            }
        return most;
    }
    [[nodiscard]] std::size_t faces() const
    {
        std::size_t count = 0;
        for (FaceId f : model.mesh.faces()) count += model.mesh.is_alive(f);
        return count;
    }
    [[nodiscard]] std::size_t t_vertices() const
    {
        std::size_t count = 0;
        for (NodeId n : model.mesh.nodes()) count += model.dependencies.depends(index(n));
        return count;
    }

    /// All that the mesh is, ids aside: the corners of each face with what lives there.
    using Corner = std::tuple<std::array<double, 2>, std::array<double, 3>, int, std::uint64_t,
                              NodeKind, double>;
    using Described = std::tuple<std::array<Corner, 3>, int, std::uint32_t, std::uint32_t>;
    /// \param digits of the positions that count; T-vertices are rounded otherwise by follow()
    [[nodiscard]] std::vector<Described> described(double digits = 0) const
    {
        const auto rounded = [&](double c) {
            return digits > 0 ? std::round(c * digits) / digits : c;
        };
        const Mesh& mesh = model.mesh;
        std::vector<Described> all;
        for (FaceId f : mesh.faces()) {
            if (!mesh.is_alive(f)) continue;
            std::array<Corner, 3> corners;
            for (std::size_t k = 0; k < 3; ++k) {
                const VertId v = mesh[f].verts[k];
                const NodeId n = mesh.node(v);
                const Vec3 x = state.x[n];
                corners[k] = {{mesh.u(v)[0], mesh.u(v)[1]},
                              {rounded(x[0]), rounded(x[1]), rounded(x[2])},
                              model.node_label[n],
                              model.region_handles[n],
                              mesh.kind(n),
                              model.rest_angle[mesh[f].edges[k]]};
            }
            std::rotate(corners.begin(), std::min_element(corners.begin(), corners.end()),
                        corners.end());
            all.emplace_back(corners, model.face_level[f], index(mesh.panel(f)),
                             index(model.face_material[f]));
        }
        std::sort(all.begin(), all.end());
        return all;
    }

    Model model;
    State state;
    double area = 0;
    EditLimits edit_limits;
    ObstacleTree obstacles;
    std::optional<CrossingGuard> guard;
    std::unique_ptr<FieldSet> fields;
    std::unique_ptr<MeshEditor> editor;
    std::unique_ptr<QuadrisectionEdits> edits;

private:
    QuadrisectionLimits limits_;
};

/// The animal with labels, two fabrics and folds.
MeshInput dressed(const zoo::Animal& animal, unsigned seed)
{
    MeshInput input = animal.input;
    std::mt19937 random(seed);
    input.node_label.resize(input.node_x.size(), 0);
    for (std::size_t i = 0; i < input.node_label.size(); i += 7) input.node_label[i] = int(i % 3);
    input.face_material.resize(input.face_nodes.size(), 0);
    for (std::size_t f = 0; f < input.face_material.size(); ++f)
        input.face_material[f] = f < input.face_material.size() / 3 ? 1 : 0;
    const Mesh mesh = build_mesh(input);
    for (EdgeId e : mesh.edges())
        if (!mesh.is_border(e) && random() % 9 == 0)
            input.edge_marks.push_back({index(mesh[e].nodes[0]), index(mesh[e].nodes[1]),
                                        std::uniform_real_distribution<>(-2, 2)(random)});
    return input;
}

class QuadZoo : public testing::TestWithParam<zoo::Animal> {};

TEST_P(QuadZoo, split_everywhere_has_four_times_the_faces_and_joined_is_as_before)
{
    Quads q(GetParam().input);
    const auto before = q.described();
    const std::size_t faces = q.faces();
    q.split_all(0);
    ASSERT_THAT(q.problems(), IsEmpty());
    EXPECT_EQ(q.faces(), 4 * faces);
    q.split_all(1);
    ASSERT_THAT(q.problems(), IsEmpty());
    EXPECT_EQ(q.faces(), 16 * faces);
    q.go_on();
    EXPECT_EQ(q.t_vertices(), 0u);
    for (int level : q.model.face_level) EXPECT_EQ(level, 2);
    q.join_all();
    EXPECT_EQ(q.described(), before);
}

TEST_P(QuadZoo, random_splits_and_joins_are_valid_after_each_and_lead_back_exactly)
{
    std::mt19937_64 random(2002);
    std::size_t splits = 0, joins = 0;
    for (unsigned round = 0; round < 6; ++round) {
        Quads q(round % 2 == 0 ? GetParam().input : dressed(GetParam(), round), 4,
                round < 4 ? 0 : 1);
        const auto before = q.described();
        const double mass = total_mass(q.model);
        const Vec3 momentum = linear_momentum(q.model, q.state);
        const std::size_t few = q.faces() + 300;
        for (int step = 0; step < 120; ++step) {
            const bool crowded = q.faces() > few;
            if (random() % 100 < (crowded ? 15u : 60u))
                splits += q.split(random());
            else
                joins += q.join(random());
            const auto problems = q.problems();
            ASSERT_THAT(problems, IsEmpty()) << "round " << round << ", step " << step;
            ASSERT_LT(q.largest_gap(), 1e-14);
            if (step % 40 == 39) {
                q.go_on();
                ASSERT_THAT(q.problems(), IsEmpty());
                EXPECT_NEAR(total_mass(q.model), mass, 1e-12 * mass);
                EXPECT_LT(norm(linear_momentum(q.model, q.state) - momentum),
                          1e-12 * norm(momentum) + 1e-15 * mass);
            }
        }
        q.join_all();
        ASSERT_THAT(q.problems(), IsEmpty());
        ASSERT_EQ(q.described(), before) << "round " << round;
        q.go_on();
        EXPECT_EQ(q.t_vertices(), 0u);
    }
    EXPECT_GT(splits, 30u);
    EXPECT_GT(joins, 10u);
}

TEST_P(QuadZoo, cloth_that_has_moved_keeps_mass_and_momentum_when_joined)
{
    std::mt19937_64 random(3);
    Quads q(GetParam().input, 3);
    for (int i = 0; i < 60; ++i) q.split(random());
    q.go_on();
    std::uniform_real_distribution<> real(-1, 1);
    for (int round = 0; round < 4; ++round) {
        for (NodeId n : q.model.mesh.nodes()) {
            q.state.v[n] += Vec3{real(random), real(random), real(random)};
            q.state.x[n] += 1e-3 * Vec3{real(random), real(random), real(random)};
        }
        follow(q.model, q.state);
        const double mass = total_mass(q.model);
        const Vec3 momentum = linear_momentum(q.model, q.state);
        std::size_t joined = 0;
        for (int i = 0; i < 60; ++i) joined += q.join(random());
        for (int i = 0; i < 10; ++i) q.split(random());
        EXPECT_GT(joined, 0u);
        ASSERT_THAT(q.problems(), IsEmpty());
        q.go_on();
        EXPECT_LT(q.largest_gap(), 1e-14);
        EXPECT_NEAR(total_mass(q.model), mass, 1e-12 * mass);
        EXPECT_LT(norm(linear_momentum(q.model, q.state) - momentum), 1e-12 * mass);
        for (int i = 0; i < 30; ++i) q.split(random());
        q.go_on();
        EXPECT_LT(norm(linear_momentum(q.model, q.state) - momentum), 1e-12 * mass);
    }
}

TEST_P(QuadZoo, with_a_guard_what_is_refused_leaves_everything_as_it_was)
{
    std::mt19937_64 random(9);
    Quads q(GetParam().input, 3);
    for (int i = 0; i < 40; ++i) q.split(random());
    q.go_on_with_guard();
    for (int i = 0; i < 60; ++i) {
        const auto before = q.described(1e9);
        const std::size_t refused = q.editor->counts().refused;
        random() % 2 == 0 ? q.split(random()) : q.join(random());
        ASSERT_THAT(q.problems(), IsEmpty());
        if (q.editor->counts().refused > refused) {
            ASSERT_EQ(q.described(1e9), before);
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Zoo, QuadZoo, testing::ValuesIn(zoo::animals()),
                         [](const auto& animal) { return animal.param.name; });

TEST(QuadrisectionEdits, mesh_does_not_depend_on_the_order_of_the_splits)
{
    std::vector<std::vector<Quads::Described>> results;
    for (const bool backwards : {false, true}) {
        Quads q(zoo::grid(4, 4));
        const std::size_t count = q.edits->hierarchy().edges().size();
        for (std::size_t i = 0; i < count; i += 3)
            q.edits->split(make_id<QuadEdgeId>(backwards ? (count - 1) / 3 * 3 - i : i));
        results.push_back(q.described());
    }
    EXPECT_EQ(results[0], results[1]);
}

/// The edge of the hierarchy between two material points.
QuadEdgeId edge_at(const Quads& q, const Vec2& a, const Vec2& b)
{
    const QuadHierarchy& h = q.edits->hierarchy();
    for (QuadEdgeId id : h.edges()) {
        if (!h.is_alive(id)) continue;
        const Vec2 p = q.model.mesh.u(h[id].verts[0][0]), r = q.model.mesh.u(h[id].verts[0][1]);
        if ((norm(p - a) < 1e-9 && norm(r - b) < 1e-9) ||
            (norm(p - b) < 1e-9 && norm(r - a) < 1e-9))
            return id;
    }
    return no_quad_edge;
}

// Figure 5 of the paper: masses in units of which a node of level 0 has half a unit for each of its
// triangles. A child takes 3 / (2 4^level) units from each parent when it becomes free.
TEST(QuadrisectionEdits, free_children_take_the_mass_of_the_paper_from_their_parents)
{
    Quads q(zoo::grid(8, 8));
    const double unit = 2.0 / 3 * q.model.materials[0].density / 128; // triangles of 1/128 m^2
    const auto mass_at = [&](const Quads& of, const Vec2& u) {
        for (VertId v : of.model.mesh.verts())
            if (norm(of.model.mesh.u(v) - u) < 1e-9)
                return of.model.mass[of.model.mesh.node(v)] / unit;
        return 0.0;
    };
    const double h = 1.0 / 8;
    const Vec2 a{4 * h, 4 * h}, b{5 * h, 4 * h}, m{4.5 * h, 4 * h}, m2{4.25 * h, 4 * h};
    const double at_a = mass_at(q, a), at_b = mass_at(q, b);
    EXPECT_NEAR(at_a + at_b, 6, 1e-9); // eight triangles and four
    ASSERT_TRUE(q.edits->split(edge_at(q, a, b)));
    q.go_on();
    EXPECT_EQ(q.t_vertices(), 4u);
    EXPECT_NEAR(mass_at(q, m), 3.0 / 4, 1e-9);
    EXPECT_NEAR(mass_at(q, a), at_a - 3.0 / 8, 1e-9);
    EXPECT_NEAR(mass_at(q, b), at_b - 3.0 / 8, 1e-9);
    // The next level, at the half next to a.
    ASSERT_TRUE(q.edits->split(edge_at(q, a, m)));
    q.go_on();
    EXPECT_NEAR(mass_at(q, m2), 3.0 / 16, 1e-9);
    EXPECT_NEAR(mass_at(q, m), 3.0 / 4 - 3.0 / 32, 1e-9);
    EXPECT_NEAR(mass_at(q, a), at_a - 3.0 / 8 - 3.0 / 32, 1e-9);
    // Where all edges are split, every node keeps a quarter.
    Quads all(zoo::grid(8, 8));
    all.split_all(0);
    all.go_on();
    EXPECT_NEAR(mass_at(all, a), at_a / 4, 1e-9);
    EXPECT_NEAR(mass_at(all, m), 3.0 / 4, 1e-9);
}

TEST(QuadrisectionEdits, a_triangle_is_refined_while_one_of_its_edges_is_split)
{
    Quads q(zoo::grid(2, 2));
    const QuadHierarchy& h = q.edits->hierarchy();
    const QuadEdgeId a = edge_at(q, {0, 0}, {0.5, 0.5}), b = edge_at(q, {0, 0}, {0.5, 0});
    ASSERT_TRUE(is_some(a) && is_some(b));
    const QuadFaceId shared = h[a].faces[0] == h[b].faces[0] || h[a].faces[0] == h[b].faces[1]
                                  ? h[a].faces[0]
                                  : h[a].faces[1];
    EXPECT_FALSE(h[shared].is_refined());
    ASSERT_TRUE(q.edits->split(a));
    EXPECT_TRUE(h[shared].is_refined());
    EXPECT_FALSE(h[b].is_split);
    EXPECT_TRUE(h[b].has_middle());
    EXPECT_EQ(h.children(a).size(), 4u);
    for (QuadEdgeId c : h.children(a)) EXPECT_TRUE(h.is_active(c));
    ASSERT_TRUE(q.edits->split(b));
    EXPECT_EQ(h.children(b).size(), 3u); // on the outline
    ASSERT_TRUE(q.edits->join(a));
    EXPECT_TRUE(h[shared].is_refined());
    ASSERT_TRUE(q.edits->join(b));
    EXPECT_FALSE(h[shared].is_refined());
    EXPECT_FALSE(q.edits->join(b));
    ASSERT_THAT(q.problems(), IsEmpty());
    EXPECT_EQ(q.faces(), 8u);
}

TEST(QuadrisectionEdits, chains_of_t_vertices_resolve_to_free_nodes)
{
    // Always a corner edge at the same place: four levels beside a triangle of level 0.
    Quads q(zoo::grid(1, 1));
    const Vec2 from{0, 0};
    double length = 1;
    for (int level = 0; level < 4; ++level, length /= 2)
        ASSERT_TRUE(q.edits->split(edge_at(q, from, {length, 0})));
    ASSERT_THAT(q.problems(), IsEmpty());
    q.go_on();
    EXPECT_EQ(q.t_vertices(), 2u * 4);
    // On the diagonal: at 1/2, 1/4, 1/8, 1/16, all of them between its two ends.
    std::size_t on_diagonal = 0;
    for (NodeId n : q.model.mesh.nodes())
        for (const auto& p : q.model.dependencies.of(index(n))) {
            EXPECT_FALSE(q.model.dependencies.depends(p.row));
            on_diagonal += p.weight == 0.0625;
        }
    EXPECT_GT(on_diagonal, 0u);
    EXPECT_LT(q.largest_gap(), 1e-15);
    q.join_all();
    EXPECT_EQ(q.faces(), 2u);
}

TEST(QuadrisectionEdits, difference_of_levels_is_bounded_where_asked)
{
    for (const int difference : {1, 2}) {
        Quads q(zoo::grid(3, 3), 5, difference);
        std::mt19937_64 random(4);
        for (int i = 0; i < 400; ++i) {
            random() % 4 == 0 ? q.join(random()) : q.split(random());
            const QuadHierarchy& h = q.edits->hierarchy();
            for (QuadFaceId f : h.faces()) {
                if (!h.is_alive(f) || h[f].is_refined()) continue;
                for (QuadEdgeId e : h[f].edges) ASSERT_LE(h.depth(e), difference);
            }
            if (q.faces() > 1500) break;
        }
        ASSERT_THAT(q.problems(), IsEmpty());
        EXPECT_GT(q.faces(), 200u);
    }
}

TEST(QuadrisectionEdits, strain_refuses_a_join_and_leaves_the_node_where_it_is)
{
    Quads q(zoo::grid(2, 2));
    const QuadEdgeId e = edge_at(q, {0, 0}, {0.5, 0.5});
    ASSERT_TRUE(q.edits->split(e));
    const NodeId m = q.edits->hierarchy()[e].middle;
    // At rest now, and strained by a move back.
    q.state.x[m] += Vec3{0, 0, 0.2};
    const Vec3 there = q.state.x[m];
    q.edit_limits.strain_rise = 0;
    q.go_on();
    std::size_t joined = q.join_all();
    EXPECT_EQ(std::count(q.state.x.begin(), q.state.x.end(), there), joined == 0 ? 1 : 0);
    q.edit_limits.strain_rise = std::numeric_limits<double>::infinity();
    q.go_on();
    joined += q.join_all();
    EXPECT_EQ(joined, 1u);
    EXPECT_EQ(q.faces(), 8u);
}

TEST(QuadrisectionEdits, guard_refuses_a_join_that_would_pull_the_cloth_through_an_obstacle)
{
    Quads q(zoo::grid(1, 1));
    for (NodeId n : q.model.mesh.nodes()) q.state.x[n][2] = 0;
    const QuadEdgeId e = edge_at(q, {0, 0}, {1, 1});
    ASSERT_TRUE(q.edits->split(e));
    q.state.x[q.edits->hierarchy()[e].middle] += Vec3{0, 0, 0.2};
    const std::vector<std::array<Vec3, 3>> spike{
        {Vec3{0.45, 0.45, 0.1}, Vec3{0.55, 0.45, 0.1}, Vec3{0.5, 0.5, -0.5}}};
    q.obstacles = ObstacleTree(spike);
    q.go_on_with_guard();
    const auto before = q.described();
    EXPECT_EQ(q.join_all(), 0u);
    EXPECT_EQ(q.editor->counts().refused, 1u);
    EXPECT_EQ(q.described(), before);
    ASSERT_THAT(q.problems(), IsEmpty());
    q.go_on();
    EXPECT_EQ(q.join_all(), 1u);
}

} // namespace
} // namespace pleat
