// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/mesh/field_set.hpp"

#include "pleat/mesh/measures.hpp"

#include "mesh/zoo.hpp"

#include <gtest/gtest.h>

namespace pleat {
namespace {

struct Fixture : testing::Test {
    Mesh mesh = build_mesh(zoo::two_panels(3));
    Field<NodeId, Vec3> x{mesh.node_count(), FieldRule::interpolate};
    Field<NodeId, int> label{mesh.node_count(), FieldRule::agree};
    Field<NodeId, unsigned> bits{mesh.node_count(), FieldRule::common};
    Field<VertId, double> heat{mesh.vert_count(), FieldRule::interpolate};
    Field<EdgeId, double> angle{mesh.edge_count(), FieldRule::copy};
    Field<FaceId, double> dose{mesh.face_count(), FieldRule::area_average};
    Field<FaceId, MaterialId> cloth{mesh.face_count(), FieldRule::copy};
    Field<FaceId, int> age{mesh.face_count(), FieldRule::reset, -1};
    FieldSet fields;

    Fixture()
    {
        for (NodeId n : mesh.nodes()) x[n] = {double(index(n)), 1, 2}, label[n] = 1;
        for (VertId v : mesh.verts()) heat[v] = index(v);
        for (EdgeId e : mesh.edges()) angle[e] = 0.1 * index(e);
        for (FaceId f : mesh.faces()) dose[f] = index(f) % 5, age[f] = 1;
        fields.add(x);
        fields.add(label);
        fields.add(bits);
        fields.add(heat);
        fields.add(angle);
        fields.add(dose);
        fields.add(cloth);
        fields.add(age);
    }
    [[nodiscard]] double total_dose() const
    {
        double sum = 0;
        for (FaceId f : mesh.faces())
            if (mesh.is_alive(f)) sum += dose[f] * material_area(mesh, f);
        return sum;
    }
};

using FieldSetRules = Fixture;

TEST_F(FieldSetRules, split_interpolates_inherits_and_agrees)
{
    EdgeId seam = no_edge;
    for (EdgeId e : mesh.edges())
        if (mesh.is_seam(e)) seam = e;
    const auto nodes = mesh[seam].nodes;
    label[nodes[0]] = 2; // the ends disagree
    bits[nodes[0]] = 6;  // and share a bit
    bits[nodes[1]] = 3;
    const double before = total_dose();
    const EdgeSplit s = split_edge(mesh, seam, 0.25);
    fields.follow(mesh, s);
    ASSERT_TRUE(fields.fits(mesh));
    EXPECT_EQ(x[s.new_node], 0.75 * x[nodes[0]] + 0.25 * x[nodes[1]]);
    EXPECT_EQ(label[s.new_node], 0);
    EXPECT_EQ(bits[s.new_node], 2u);
    EXPECT_EQ(angle[s.new_edge], angle[seam]);
    EXPECT_EQ(angle[s.new_cross[0]], 0.0);
    for (std::size_t side = 0; side < 2; ++side)
        EXPECT_DOUBLE_EQ(heat[s.new_verts[side]], 0.75 * heat[s.parent_verts[side][0]] +
                                                      0.25 * heat[s.parent_verts[side][1]]);
    EXPECT_EQ(age[s.new_faces[0]], -1);
    EXPECT_NEAR(total_dose(), before, 1e-14);
}

TEST_F(FieldSetRules, flip_and_collapse_keep_the_integral_of_an_area_average)
{
    const double before = total_dose();
    std::size_t flips = 0, collapses = 0;
    for (EdgeId e : mesh.edges()) {
        if (!mesh.is_alive(e)) continue;
        if (may_flip(mesh, e) == Refusal::none && index(e) % 2 == 0) {
            fields.follow(mesh, flip_edge(mesh, e));
            ++flips;
        } else if (may_collapse(mesh, e, mesh[e].nodes[0]) == Refusal::none) {
            fields.follow(mesh, collapse_edge(mesh, e, mesh[e].nodes[0]));
            ++collapses;
        }
        EXPECT_NEAR(total_dose(), before, 1e-13);
    }
    EXPECT_GT(flips, 0u);
    EXPECT_GT(collapses, 0u);
}

TEST_F(FieldSetRules, values_are_the_same_where_no_undo_is_kept)
{
    const Mesh start = mesh;
    const auto edit = [](Mesh& m, FieldSet& set) {
        for (EdgeId e : IdRange<EdgeId>(m.edge_count())) {
            if (!m.is_alive(e)) continue;
            if (index(e) % 3 == 0)
                set.follow(m, split_edge(m, e));
            else if (may_flip(m, e) == Refusal::none)
                set.follow(m, flip_edge(m, e));
            else if (may_collapse(m, e, m[e].nodes[0]) == Refusal::none)
                set.follow(m, collapse_edge(m, e, m[e].nodes[0]));
        }
        set.permute(reorder(m));
    };
    auto other_x = x;
    auto other_angle = angle;
    auto other_dose = dose;
    auto other_age = age;
    edit(mesh, fields);
    Mesh other = start;
    FieldSet without(FieldUndo::none);
    without.add(other_x);
    without.add(other_angle);
    without.add(other_dose);
    without.add(other_age);
    edit(other, without);
    ASSERT_NE(mesh.face_count(), start.face_count());
    ASSERT_EQ(other, mesh);
    EXPECT_EQ(other_x, x);
    EXPECT_EQ(other_angle, angle);
    EXPECT_EQ(other_dose, dose);
    EXPECT_EQ(other_age, age);
}

TEST_F(FieldSetRules, face_split_and_join_keep_values)
{
    const double before = total_dose();
    const FaceSplit s = split_face(mesh, FaceId{3});
    fields.follow(mesh, s);
    EXPECT_EQ(label[s.new_node], 1);
    EXPECT_EQ(dose[s.new_faces[1]], dose[FaceId{3}]);
    fields.follow(mesh, join_faces(mesh, s.new_node));
    EXPECT_NEAR(total_dose(), before, 1e-14);
}

TEST_F(FieldSetRules, reorder_carries_values_with_their_elements)
{
    fields.follow(mesh, split_edge(mesh, EdgeId{5}));
    const Mesh before = mesh;
    const auto old_x = x;
    const auto old_dose = dose;
    const MeshPermutation p = reorder(mesh);
    fields.permute(p);
    ASSERT_TRUE(fields.fits(mesh));
    for (NodeId n : before.nodes()) EXPECT_EQ(x[p.new_node[n]], old_x[n]);
    for (FaceId f : before.faces()) EXPECT_EQ(dose[p.new_face[f]], old_dose[f]);
}

} // namespace
} // namespace pleat
