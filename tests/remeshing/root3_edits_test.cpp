// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Root-3 subdivision on every kind of mesh: valid after each step, and back to where it began.
#include "pleat/remeshing/root3_edits.hpp"

#include "pleat/mesh/measures.hpp"
#include "pleat/mesh/validate.hpp"
#include "pleat/model/model.hpp"
#include "pleat/model/state.hpp"
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
class Hierarchy {
public:
    /// \param strain_rise see EditLimits: 0 refuses almost every flip of the crumpled sheet
    explicit Hierarchy(const MeshInput& input, int generations = 6,
                       double strain_rise = std::numeric_limits<double>::infinity())
        : most(generations)
    {
        limits.strain_rise = strain_rise;
        model = make_model(input, {fabric("11oz-black-denim"), fabric("gray-interlock")});
        state = start_state(input);
        std::mt19937 random(5);
        std::uniform_real_distribution<> real(-0.02, 0.02);
        for (NodeId n : model.mesh.nodes()) {
            state.x[n] += Vec3{real(random), real(random), real(random)};
            state.v[n] = {real(random), real(random), real(random)};
            model.region_handles[n] = index(n) % 3 == 0 ? 1 : 0;
        }
        area = total_area(model.mesh);
        begin();
    }

    void begin()
    {
        fields = std::make_unique<FieldSet>(FieldUndo::none);
        add_fields(*fields, model);
        add_fields(*fields, state);
        editor = std::make_unique<MeshEditor>(model.mesh, state.x, *fields, limits);
        edits = std::make_unique<Root3Edits>(*editor, model.face_generation, model.node_generation,
                                             model.edge_unflipped,
                                             std::vector<int>(model.mesh.panel_count(), most));
    }
    /// Compacts and renumbers, as between two remeshings.
    void go_on()
    {
        editor->finish();
        begin();
    }

    bool refine(std::size_t pick)
    {
        const auto f = make_id<FaceId>(pick % model.mesh.face_count());
        return model.mesh.is_alive(f) && edits->refine(f);
    }
    bool coarsen(std::size_t pick)
    {
        const auto n = make_id<NodeId>(pick % model.mesh.node_count());
        return model.mesh.is_alive(n) && edits->coarsen(n);
    }
    /// One step of subdivision everywhere: to the next even generation.
    void refine_all(int generation)
    {
        for (int round = 0; round < 2; ++round)
            for (std::size_t i = 0; i < model.mesh.face_count(); ++i) {
                const auto f = make_id<FaceId>(i);
                if (model.mesh.is_alive(f) && model.face_generation[f] < generation) refine(i);
            }
    }
    void coarsen_all()
    {
        for (int g = most + 1; g > 0; --g)
            for (std::size_t i = 0; i < model.mesh.node_count(); ++i)
                if (model.node_generation.values[i] == g) coarsen(i);
    }

    [[nodiscard]] std::vector<std::string> problems() const
    {
        std::vector<std::string> found = validate(model.mesh, {.expected_area = area});
        for (const std::string& p : edits->hierarchy().find_problems()) found.push_back(p);
        if (!fields->fits(model.mesh)) found.push_back("fields do not fit");
        return found;
    }
    [[nodiscard]] std::size_t faces() const
    {
        std::size_t count = 0;
        for (FaceId f : model.mesh.faces()) count += model.mesh.is_alive(f);
        return count;
    }

    /// All that the mesh is, ids aside: the corners of each face with what lives there.
    using Corner = std::tuple<std::array<double, 2>, std::array<double, 3>, std::array<double, 3>,
                              int, std::uint64_t, NodeKind, double>;
    using Described = std::tuple<std::array<Corner, 3>, int, std::uint32_t, std::uint32_t>;
    [[nodiscard]] std::vector<Described> described() const
    {
        const Mesh& mesh = model.mesh;
        std::vector<Described> all;
        for (FaceId f : mesh.faces()) {
            if (!mesh.is_alive(f)) continue;
            std::array<Corner, 3> corners;
            for (std::size_t k = 0; k < 3; ++k) {
                const VertId v = mesh[f].verts[k];
                const NodeId n = mesh.node(v);
                const Vec3 x = state.x[n], w = state.v[n];
                corners[k] = {{mesh.u(v)[0], mesh.u(v)[1]},
                              {x[0], x[1], x[2]},
                              {w[0], w[1], w[2]},
                              model.node_label[n],
                              model.region_handles[n],
                              mesh.kind(n),
                              model.rest_angle[mesh[f].edges[k]]};
            }
            std::rotate(corners.begin(), std::min_element(corners.begin(), corners.end()),
                        corners.end());
            all.emplace_back(corners, model.face_generation[f], index(mesh.panel(f)),
                             index(model.face_material[f]));
        }
        std::sort(all.begin(), all.end());
        return all;
    }

    Model model;
    State state;
    double area = 0;
    int most;
    EditLimits limits;
    std::unique_ptr<FieldSet> fields;
    std::unique_ptr<MeshEditor> editor;
    std::unique_ptr<Root3Edits> edits;
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

class Root3Zoo : public testing::TestWithParam<zoo::Animal> {};

TEST_P(Root3Zoo, refined_everywhere_has_three_times_the_faces_and_coarsened_is_as_before)
{
    Hierarchy h(GetParam().input);
    const auto before = h.described();
    const std::size_t faces = h.faces();
    for (const int g : {2, 4}) {
        h.refine_all(g);
        ASSERT_THAT(h.problems(), IsEmpty()) << "generation " << g;
        EXPECT_EQ(h.faces(), faces * std::size_t(g == 2 ? 3 : 9));
        for (FaceId f : h.model.mesh.faces())
            if (h.model.mesh.is_alive(f)) {
                EXPECT_EQ(h.model.face_generation[f], g);
            }
    }
    h.go_on();
    h.coarsen_all();
    EXPECT_EQ(h.described(), before);
}

TEST_P(Root3Zoo, random_steps_are_valid_after_each_and_lead_back_exactly)
{
    std::mt19937_64 random(2013);
    std::size_t refined = 0, coarsened = 0;
    for (unsigned round = 0; round < 6; ++round) {
        Hierarchy h(round % 2 == 0 ? GetParam().input : dressed(GetParam(), round),
                    round == 4 ? 5 : 6);
        const auto before = h.described();
        const std::size_t few = h.faces() + 250;
        for (int step = 0; step < 120; ++step) {
            const bool crowded = h.faces() > few;
            const bool changed =
                random() % 100 < (crowded ? 15u : 60u) ? h.refine(random()) : h.coarsen(random());
            (changed && crowded ? coarsened : refined) += changed;
            const auto problems = h.problems();
            ASSERT_THAT(problems, IsEmpty()) << "round " << round << ", step " << step;
            if (step % 40 == 39) {
                h.go_on();
                ASSERT_THAT(h.problems(), IsEmpty());
            }
        }
        h.coarsen_all();
        ASSERT_THAT(h.problems(), IsEmpty());
        ASSERT_EQ(h.described(), before) << "round " << round;
    }
    EXPECT_GT(refined, 0u);
}

TEST_P(Root3Zoo, goes_on_where_flips_are_refused_and_leads_back_exactly)
{
    std::mt19937_64 random(1);
    std::size_t unflipped = 0;
    for (int round = 0; round < 4; ++round) {
        Hierarchy h(GetParam().input, 6, 0); // only what lowers strain is flipped
        const auto before = h.described();
        const std::size_t few = h.faces() + 250;
        for (int step = 0; step < 120; ++step) {
            random() % 100 < (h.faces() > few ? 15u : 70u) ? h.refine(random())
                                                           : h.coarsen(random());
            ASSERT_THAT(h.problems(), IsEmpty()) << "round " << round << ", step " << step;
            if (step % 40 == 39) h.go_on();
        }
        for (EdgeId e : h.model.mesh.edges())
            unflipped += h.model.mesh.is_alive(e) && h.model.edge_unflipped[e] != 0;
        // Strain refuses joins too: taken off, all goes back.
        h.limits.strain_rise = std::numeric_limits<double>::infinity();
        h.go_on();
        h.coarsen_all();
        ASSERT_EQ(h.described(), before) << "round " << round;
        for (EdgeId e : h.model.mesh.edges())
            if (h.model.mesh.is_alive(e)) {
                ASSERT_EQ(h.model.edge_unflipped[e], 0);
            }
    }
    EXPECT_GT(unflipped, 0u);
}

TEST_P(Root3Zoo, old_nodes_never_move_and_mass_stays)
{
    Hierarchy h(GetParam().input, 4);
    const State before = h.state;
    const double mass = total_mass(h.model);
    const std::size_t nodes = h.model.mesh.node_count();
    std::mt19937_64 random(7);
    for (int step = 0; step < 200; ++step)
        random() % 3 == 0 ? h.coarsen(random()) : h.refine(random());
    for (std::size_t i = 0; i < nodes; ++i) {
        EXPECT_EQ(h.state.x.values[i], before.x.values[i]);
        EXPECT_EQ(h.state.v.values[i], before.v.values[i]);
    }
    h.go_on();
    update_derived(h.model);
    EXPECT_NEAR(total_mass(h.model), mass, 1e-12 * mass);
}

INSTANTIATE_TEST_SUITE_P(Zoo, Root3Zoo, testing::ValuesIn(zoo::animals()),
                         [](const auto& animal) { return animal.param.name; });

TEST(Root3, mesh_does_not_depend_on_the_order_of_the_steps)
{
    // The same nodes in two orders: the mesh is a function of the nodes that are there.
    const MeshInput input = zoo::grid(4, 4);
    std::vector<std::vector<Hierarchy::Described>> results;
    for (const bool backwards : {false, true}) {
        Hierarchy h(input, 4);
        const std::size_t count = h.model.mesh.face_count();
        for (std::size_t i = 0; i < count; i += 2) {
            const auto f = make_id<FaceId>(backwards ? count - 2 - i : i);
            if (h.model.face_generation[f] == 0) h.edits->refine(f);
        }
        results.push_back(h.described());
    }
    EXPECT_EQ(results[0], results[1]);
}

TEST(Root3, two_steps_split_every_edge_of_the_outline_and_of_seams_in_three)
{
    for (const MeshInput& input : {zoo::grid(3, 3), zoo::two_panels(3)}) {
        Hierarchy h(input);
        std::size_t features = 0, after = 0;
        for (EdgeId e : h.model.mesh.edges()) features += h.model.mesh.is_feature(e);
        h.refine_all(2);
        for (EdgeId e : h.model.mesh.edges())
            after += h.model.mesh.is_alive(e) && h.model.mesh.is_feature(e);
        EXPECT_EQ(after, features); // the first step leaves them
        h.refine_all(4);
        after = 0;
        for (EdgeId e : h.model.mesh.edges())
            after += h.model.mesh.is_alive(e) && h.model.mesh.is_feature(e);
        EXPECT_EQ(after, 3 * features);
    }
}

TEST(Root3, neighbours_are_refined_first_where_one_face_is_refined_to_the_end)
{
    Hierarchy h(zoo::grid(6, 6));
    // Always a face that holds the same point.
    const Vec2 point{0.51, 0.53};
    for (int step = 0; step < 6; ++step) {
        for (FaceId f : h.model.mesh.faces()) {
            if (!h.model.mesh.is_alive(f)) continue;
            const auto& v = h.model.mesh[f].verts;
            const Vec2 a = h.model.mesh.u(v[0]), b = h.model.mesh.u(v[1]), c = h.model.mesh.u(v[2]);
            if (signed_area(a, b, point) < 0 || signed_area(b, c, point) < 0 ||
                signed_area(c, a, point) < 0)
                continue;
            EXPECT_TRUE(h.edits->refine(f));
            break;
        }
        ASSERT_THAT(h.problems(), IsEmpty());
    }
    int highest = 0;
    for (FaceId f : h.model.mesh.faces())
        if (h.model.mesh.is_alive(f)) highest = std::max(highest, h.model.face_generation[f]);
    EXPECT_GE(highest, 5);
    EXPECT_LT(h.faces(), 72u * 9);
    // A node of the first step cannot go while finer ones are around it.
    std::size_t refused = 0;
    for (NodeId n : h.model.mesh.nodes())
        if (h.model.mesh.is_alive(n) && h.model.node_generation[n] == 1)
            refused += !h.edits->hierarchy().find_removal(n).has_value();
    EXPECT_GT(refused, 0u);
    h.coarsen_all();
    EXPECT_EQ(h.faces(), 72u);
}

} // namespace
} // namespace pleat
