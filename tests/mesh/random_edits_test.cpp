// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Thousands of random edits over the zoo, the mesh validated after each, and undone bit for bit.
#include "pleat/core/hash.hpp"
#include "pleat/mesh/edits.hpp"
#include "pleat/mesh/field_set.hpp"
#include "pleat/mesh/measures.hpp"
#include "pleat/mesh/validate.hpp"

#include "mesh/zoo.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cstdlib>
#include <random>

namespace pleat {
namespace {

using testing::IsEmpty;

/// A mesh with one field of each rule that matters to undo.
struct Subject {
    Mesh mesh;
    Field<NodeId, Vec3> x{FieldRule::interpolate};
    Field<FaceId, double> dose{FieldRule::area_average};
    Field<EdgeId, double> angle{FieldRule::reset, 0.5};
    Field<EdgeId, double> fold{FieldRule::interpolate}; // as the input marks it [rad]
    FieldSet fields;
    UndoLog undo;
    double area = 0;

    explicit Subject(const MeshInput& input) : mesh(build_mesh(input))
    {
        x.values = input.node_x;
        for (FaceId f : mesh.faces()) dose.values.push_back(std::sin(index(f)));
        for (EdgeId e : mesh.edges()) angle.values.push_back(std::cos(index(e)));
        fold.resize(mesh.edge_count());
        for (const MeshInput::EdgeMark& m : input.edge_marks)
            fold[mesh.find_edge(NodeId{m.node_a}, NodeId{m.node_b})] = m.rest_angle.value_or(0);
        fields.add(x);
        fields.add(dose);
        fields.add(angle);
        fields.add(fold);
        area = total_area(mesh);
    }
    Subject(const Subject&) = delete;

    [[nodiscard]] std::uint64_t hash() const
    {
        Hash h;
        for (VertId v : mesh.verts()) {
            h.add(index(mesh[v].node));
            h.add(mesh[v].u[0]);
            h.add(mesh[v].u[1]);
        }
        for (NodeId n : mesh.nodes()) {
            h.add(index(mesh[n].face));
            h.add(static_cast<std::uint32_t>(mesh[n].kind));
        }
        for (EdgeId e : mesh.edges()) {
            h.add_array(std::span<const NodeId>(mesh[e].nodes));
            h.add_array(std::span<const FaceId>(mesh[e].faces));
        }
        for (FaceId f : mesh.faces()) {
            h.add_array(std::span<const VertId>(mesh[f].verts));
            h.add_array(std::span<const EdgeId>(mesh[f].edges));
        }
        h.add_array(std::span<const Vec3>(x.values));
        h.add_array(std::span<const double>(dose.values));
        h.add_array(std::span<const double>(angle.values));
        h.add_array(std::span<const double>(fold.values));
        return h.value();
    }
    /// Angle times length of all folds, and their length [rad m], [m].
    [[nodiscard]] Vec2 total_fold() const
    {
        Vec2 sum{};
        for (EdgeId e : mesh.edges()) {
            if (!mesh.is_alive(e) || fold[e] == 0) continue;
            const auto v = mesh.verts_of(e, 0);
            const double length = norm(mesh.u(v[1]) - mesh.u(v[0]));
            sum += Vec2{fold[e] * length, length};
        }
        return sum;
    }
};

enum class Op { split, flip, collapse, face_split, join };

/// Tries the edit on the element that `pick` falls on; returns whether it was allowed.
bool attempt(Subject& s, Op op, std::uint32_t pick, double t)
{
    Mesh& mesh = s.mesh;
    const auto alive = [&](auto ids) {
        auto id = *ids.begin();
        using IdT = decltype(id);
        const std::size_t count = ids.size();
        for (std::size_t k = 0; k < count; ++k) {
            id = make_id<IdT>((pick + k) % count);
            if (mesh.is_alive(id)) break;
        }
        return id;
    };
    switch (op) {
    case Op::split:
        s.fields.follow(mesh, split_edge(mesh, alive(mesh.edges()), t, &s.undo));
        break;
    case Op::flip: {
        const EdgeId e = alive(mesh.edges());
        if (may_flip(mesh, e) != Refusal::none) return false;
        s.fields.follow(mesh, flip_edge(mesh, e, &s.undo));
        break;
    }
    case Op::collapse: {
        const EdgeId e = alive(mesh.edges());
        const NodeId n = mesh[e].nodes[pick % 2];
        if (may_collapse(mesh, e, n) != Refusal::none) return false;
        s.fields.follow(mesh, collapse_edge(mesh, e, n, &s.undo));
        break;
    }
    case Op::face_split:
        s.fields.follow(mesh, split_face(mesh, alive(mesh.faces()), &s.undo));
        break;
    case Op::join: {
        const NodeId n = alive(mesh.nodes());
        if (may_join(mesh, n) != Refusal::none) return false;
        s.fields.follow(mesh, join_faces(mesh, n, &s.undo));
        break;
    }
    }
    return true;
}

class RandomEdits : public testing::TestWithParam<zoo::Animal> {};

TEST_P(RandomEdits, ten_thousand_are_valid_after_each_and_undone_bit_for_bit)
{
    constexpr int edits_a_round = 1000, rounds = 10;
    constexpr std::size_t face_limit = 250; // beyond it, mostly coarsen
    Subject s(GetParam().input);
    std::mt19937_64 random(2012);
    int counts[5] = {};
    for (int round = 0; round < rounds; ++round) {
        const Mesh start = s.mesh;
        const auto start_x = s.x;
        std::vector<std::uint64_t> hashes{s.hash()};
        std::size_t live = s.mesh.face_count();
        while (s.undo.edit_count() < edits_a_round) {
            const double r = std::uniform_real_distribution<>(0, 1)(random);
            const bool crowded = live > face_limit;
            const Op op = r < (crowded ? 0.05 : 0.3)    ? Op::split
                          : r < (crowded ? 0.3 : 0.6)   ? Op::flip
                          : r < (crowded ? 0.8 : 0.85)  ? Op::collapse
                          : r < (crowded ? 0.82 : 0.92) ? Op::face_split
                                                        : Op::join;
            const double t =
                round % 2 == 0 ? 0.5 : std::uniform_real_distribution<>(0.2, 0.8)(random);
            if (!attempt(s, op, std::uint32_t(random()), t)) continue;
            ++counts[int(op)];
            const auto broken = validate(s.mesh, {.expected_area = s.area});
            ASSERT_THAT(broken, IsEmpty())
                << GetParam().name << ", round " << round << ", edit " << s.undo.edit_count();
            ASSERT_TRUE(s.fields.fits(s.mesh));
            hashes.push_back(s.hash());
            live = 0;
            for (FaceId f : s.mesh.faces()) live += s.mesh.is_alive(f);
        }
        if (round % 2 == 0) { // undo everything and compare every state on the way
            for (std::size_t i = hashes.size() - 1; i > 0; --i) {
                ASSERT_EQ(s.hash(), hashes[i]);
                undo_edit(s.mesh, s.undo);
                s.fields.undo();
            }
            ASSERT_EQ(s.hash(), hashes[0]);
            ASSERT_EQ(s.mesh, start);
            ASSERT_EQ(s.x, start_x);
        } else { // keep them, close the ranks and go on from there
            s.fields.permute(reorder(s.mesh));
            s.undo.clear();
            ASSERT_THAT(validate(s.mesh, {.expected_area = s.area}), IsEmpty());
        }
    }
    for (int op = 0; op < 5; ++op)
        EXPECT_GT(counts[op], 0) << GetParam().name << ": edit " << op << " never ran";
}

TEST_P(RandomEdits, keep_the_angle_and_length_of_marked_folds)
{
    std::mt19937_64 random(2003);
    MeshInput input = GetParam().input;
    {
        const Mesh mesh = build_mesh(input);
        for (EdgeId e : mesh.edges())
            if (!mesh.is_border(e) && random() % 6 == 0)
                input.edge_marks.push_back({index(mesh[e].nodes[0]), index(mesh[e].nodes[1]),
                                            std::uniform_real_distribution<>(-2, 2)(random)});
    }
    Subject s(input);
    ASSERT_GT(input.edge_marks.size(), 0u);
    const Vec2 whole = s.total_fold();
    for (int round = 0; round < 4; ++round) {
        for (int i = 0; i < 400; ++i) {
            const double r = std::uniform_real_distribution<>(0, 1)(random);
            const Op op = r < 0.15   ? Op::split
                          : r < 0.5  ? Op::flip
                          : r < 0.85 ? Op::collapse
                          : r < 0.9  ? Op::face_split
                                     : Op::join;
            if (!attempt(s, op, std::uint32_t(random()), 0.5)) continue;
            ASSERT_LT(norm(s.total_fold() - whole), 1e-9) << "after edit " << int(op);
        }
        if (round % 2 == 0) {
            s.fields.permute(reorder(s.mesh));
            s.undo.clear();
        } else {
            while (s.undo.edit_count() > 0) {
                undo_edit(s.mesh, s.undo);
                s.fields.undo();
            }
        }
        ASSERT_LT(norm(s.total_fold() - whole), 1e-9);
    }
}

INSTANTIATE_TEST_SUITE_P(Zoo, RandomEdits, testing::ValuesIn(zoo::animals()),
                         [](const auto& animal) { return animal.param.name; });

TEST(RandomEditSequences, keep_every_animal_valid_whatever_the_order)
{
    setenv("RC_PARAMS", "seed=1", 0); // the same cases every time, unless the caller says otherwise
    const auto animals = zoo::animals();
    const bool ok = rc::check("valid and undone", [&] {
        const auto which = *rc::gen::inRange<std::size_t>(0, animals.size());
        const auto script = *rc::gen::container<std::vector<std::tuple<int, std::uint32_t, int>>>(
            rc::gen::tuple(rc::gen::inRange(0, 5), rc::gen::arbitrary<std::uint32_t>(),
                           rc::gen::inRange(1, 10)));
        Subject s(animals[which].input);
        const std::uint64_t before = s.hash();
        for (const auto& [op, pick, tenth] : script) {
            attempt(s, Op(op), pick, 0.1 * tenth);
            const auto broken = validate(s.mesh, {.expected_area = s.area});
            if (!broken.empty()) RC_FAIL(animals[which].name + ": " + broken[0]);
        }
        while (s.undo.edit_count() > 0) {
            undo_edit(s.mesh, s.undo);
            s.fields.undo();
        }
        RC_ASSERT(s.hash() == before);
    });
    EXPECT_TRUE(ok);
}

} // namespace
} // namespace pleat
