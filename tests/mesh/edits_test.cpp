// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/mesh/edits.hpp"

#include "pleat/mesh/measures.hpp"
#include "pleat/mesh/validate.hpp"

#include "mesh/zoo.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pleat {
namespace {

using testing::IsEmpty;

template <class Wanted> EdgeId first_edge(const Mesh& mesh, Wanted wanted)
{
    for (EdgeId e : mesh.edges())
        if (mesh.is_alive(e) && wanted(e)) return e;
    return no_edge;
}

TEST(SeamSplit, adds_two_verts_and_one_node)
{
    Mesh mesh = build_mesh(zoo::two_panels(4));
    const EdgeId seam = first_edge(mesh, [&](EdgeId e) { return mesh.is_seam(e); });
    const std::size_t verts = mesh.vert_count(), nodes = mesh.node_count(),
                      faces = mesh.face_count();
    const EdgeSplit s = split_edge(mesh, seam);
    EXPECT_EQ(mesh.vert_count(), verts + 2);
    EXPECT_EQ(mesh.node_count(), nodes + 1);
    EXPECT_EQ(mesh.face_count(), faces + 2);
    EXPECT_NE(s.new_verts[0], s.new_verts[1]);
    EXPECT_EQ(mesh.kind(s.new_node), NodeKind::seam);
    EXPECT_THAT(validate(mesh, {.expected_area = 2.0}), IsEmpty());
}

TEST(InteriorSplit, adds_one_vert_and_keeps_the_midpoint)
{
    Mesh mesh = build_mesh(zoo::grid(3, 3));
    const EdgeId e = first_edge(mesh, [&](EdgeId i) { return !mesh.is_feature(i); });
    const auto v = mesh.verts_of(e, 0);
    const Vec2 middle = 0.5 * mesh.u(v[0]) + 0.5 * mesh.u(v[1]);
    const EdgeSplit s = split_edge(mesh, e);
    EXPECT_EQ(s.new_verts[0], s.new_verts[1]);
    EXPECT_EQ(mesh.u(s.new_verts[0]), middle);
    EXPECT_EQ(mesh.kind(s.new_node), NodeKind::interior);
    EXPECT_THAT(validate(mesh, {.expected_area = 1.0}), IsEmpty());
}

TEST(BorderSplit, then_collapse_gives_the_outline_back)
{
    Mesh mesh = build_mesh(zoo::grid(2, 2));
    const EdgeId border = first_edge(mesh, [&](EdgeId e) { return mesh.is_border(e); });
    const EdgeSplit s = split_edge(mesh, border);
    EXPECT_EQ(mesh.kind(s.new_node), NodeKind::border);
    EXPECT_EQ(may_collapse(mesh, s.new_cross[0], s.new_node), Refusal::feature)
        << "a border node does not leave the outline";
    ASSERT_EQ(may_collapse(mesh, s.new_edge, s.new_node), Refusal::none);
    const EdgeCollapse c = collapse_edge(mesh, s.new_edge, s.new_node);
    EXPECT_FALSE(mesh.is_alive(c.removed));
    EXPECT_THAT(validate(mesh, {.expected_area = 1.0}), IsEmpty());
}

TEST(DartSplit, makes_two_verts_next_to_the_tip)
{
    Mesh mesh = build_mesh(zoo::dart(1, 8));
    const EdgeId seam = first_edge(mesh, [&](EdgeId e) { return mesh.is_seam(e); });
    ASSERT_TRUE(is_some(seam));
    const double area = total_area(mesh);
    const EdgeSplit s = split_edge(mesh, seam);
    EXPECT_NE(s.new_verts[0], s.new_verts[1]);
    EXPECT_THAT(validate(mesh, {.expected_area = area}), IsEmpty());
}

TEST(Collapse, never_removes_corners_and_locked_nodes)
{
    MeshInput input = zoo::grid(4, 4);
    input.node_label.assign(input.node_x.size(), 0);
    input.node_label[12] = 1;
    const Mesh mesh = build_mesh(input);
    for (EdgeId e : mesh.edges())
        for (NodeId n : mesh[e].nodes)
            if (mesh.kind(n) == NodeKind::corner || mesh.kind(n) == NodeKind::locked) {
                EXPECT_EQ(may_collapse(mesh, e, n), Refusal::feature);
            }
}

TEST(Collapse, of_a_seam_node_runs_along_the_seam_only)
{
    Mesh mesh = build_mesh(zoo::tube(6, 4));
    std::size_t along = 0;
    for (EdgeId e : mesh.edges())
        for (NodeId n : mesh[e].nodes) {
            if (mesh.kind(n) != NodeKind::seam) continue;
            if (mesh.is_seam(e))
                along += may_collapse(mesh, e, n) == Refusal::none;
            else
                EXPECT_EQ(may_collapse(mesh, e, n), Refusal::feature);
        }
    EXPECT_GT(along, 0u);
}

/// Whether a collapse leaves each pair of nodes one edge and each node faces enough, found by doing
/// it without asking.
bool keeps_topology(const Mesh& mesh, EdgeId e, NodeId removed)
{
    Mesh trial = mesh;
    collapse_edge(trial, e, removed, nullptr, EditCheck::done);
    return validate(trial).empty();
}

TEST(Collapse, is_refused_where_the_ends_have_a_neighbour_that_is_on_no_face_of_the_edge)
{
    // Around a tube of three nodes each ring's are all neighbours: a collapse along it would close
    // the tube.
    std::size_t refused = 0, allowed = 0;
    for (int around : {3, 4, 6}) {
        const Mesh mesh = build_mesh(zoo::tube(around, 4));
        for (EdgeId e : mesh.edges())
            for (NodeId n : mesh[e].nodes) {
                const Refusal r = may_collapse(mesh, e, n);
                if (r == Refusal::topology) {
                    ++refused;
                } else if (r == Refusal::none) {
                    ++allowed;
                    EXPECT_TRUE(keeps_topology(mesh, e, n));
                }
            }
    }
    EXPECT_GT(refused, 10u);
    EXPECT_GT(allowed, 10u);
}

TEST(VisitFaces, ends_where_it_is_told_to)
{
    const Mesh mesh = build_mesh(zoo::grid(4, 4));
    for (NodeId n : mesh.nodes()) {
        std::vector<FaceId> all, some;
        mesh.visit_faces(n, [&](FaceId f, std::size_t) { all.push_back(f); });
        mesh.visit_faces(n, [&](FaceId f, std::size_t) {
            some.push_back(f);
            return some.size() < 2;
        });
        all.resize(std::min<std::size_t>(2, all.size()));
        EXPECT_EQ(some, all);
    }
}

TEST(Flip, is_refused_on_borders_seams_and_concave_quads)
{
    const Mesh two = build_mesh(zoo::two_panels(3));
    for (EdgeId e : two.edges())
        if (two.is_feature(e)) {
            EXPECT_EQ(may_flip(two, e), Refusal::feature);
        }
    // A dart-like quad: c sees d across the outside.
    MeshInput input;
    input.node_x = {{0, 0, 0}, {1, 0, 0}, {0.1, 0.1, 0}, {0, 1, 0}};
    input.face_nodes = {{0, 1, 2}, {0, 2, 3}};
    ASSERT_TRUE(flatten_planar(input));
    const Mesh mesh = build_mesh(input);
    const EdgeId diagonal = mesh.find_edge(NodeId{0}, NodeId{2});
    EXPECT_EQ(may_flip(mesh, diagonal), Refusal::inverted);
}

TEST(Flip, twice_brings_the_edge_back)
{
    Mesh mesh = build_mesh(zoo::grid(1, 1));
    const EdgeId e = first_edge(mesh, [&](EdgeId i) { return !mesh.is_border(i); });
    const auto nodes = mesh[e].nodes;
    ASSERT_EQ(may_flip(mesh, e), Refusal::none);
    flip_edge(mesh, e);
    EXPECT_NE(mesh[e].nodes[0], nodes[0]);
    EXPECT_THAT(validate(mesh, {.expected_area = 1.0}), IsEmpty());
    flip_edge(mesh, e);
    EXPECT_TRUE((mesh[e].nodes == nodes) || (mesh[e].nodes == std::array{nodes[1], nodes[0]}));
}

TEST(Retriangulation, of_two_faces_is_a_flip_and_can_be_undone)
{
    Mesh mesh = build_mesh(zoo::grid(4, 4));
    const EdgeId e = first_edge(mesh, [&](EdgeId i) { return may_flip(mesh, i) == Refusal::none; });
    const auto [a, b] = mesh.verts_of(e, 0);
    const VertId c = mesh.opposite_vert(e, 0), d = mesh.opposite_vert(e, 1);
    const std::array<FaceId, 2> faces = mesh[e].faces;
    const Mesh before = mesh;
    UndoLog undo;
    const std::array<std::array<VertId, 3>, 2> now{{{c, d, b}, {d, c, a}}};
    const Retriangulation r = retriangulate(mesh, faces, now, &undo);
    EXPECT_THAT(validate(mesh, {.expected_area = 1.0}), IsEmpty());
    EXPECT_EQ(r.edges, std::vector<EdgeId>{e});
    EXPECT_EQ(r.faces.size(), 2u);
    Mesh flipped = before;
    flip_edge(flipped, e);
    EXPECT_TRUE(is_some(mesh.find_edge(mesh.node(c), mesh.node(d))));
    EXPECT_EQ(mesh.edge_count(), flipped.edge_count());
    undo_edit(mesh, undo);
    EXPECT_EQ(mesh, before);
}

TEST(Retriangulation, keeps_what_is_there_already)
{
    Mesh mesh = build_mesh(zoo::grid(4, 4));
    const Mesh before = mesh;
    const std::array<FaceId, 3> faces{FaceId{0}, FaceId{1}, FaceId{2}};
    std::vector<std::array<VertId, 3>> same;
    for (FaceId f : faces) {
        const auto& v = mesh[f].verts;
        same.push_back({v[1], v[2], v[0]});
    }
    EXPECT_FALSE(retriangulate(mesh, faces, same).changed());
    EXPECT_EQ(mesh, before);
}

TEST(FaceSplit, is_the_inverse_of_join)
{
    for (const zoo::Animal& animal : zoo::animals()) {
        Mesh mesh = build_mesh(animal.input);
        const Mesh before = mesh;
        for (FaceId f : before.faces()) {
            const FaceSplit s = split_face(mesh, f);
            ASSERT_THAT(validate(mesh), IsEmpty()) << animal.name;
            ASSERT_EQ(may_join(mesh, s.new_node), Refusal::none) << animal.name;
            const FaceJoin j = join_faces(mesh, s.new_node);
            EXPECT_EQ(j.face, f);
            ASSERT_THAT(validate(mesh), IsEmpty()) << animal.name;
            EXPECT_EQ(mesh[f].verts, before[f].verts) << animal.name;
            EXPECT_EQ(mesh[f].edges, before[f].edges) << animal.name;
        }
    }
}

TEST(Collapse, cannot_empty_a_small_mesh)
{
    Mesh mesh = build_mesh(zoo::pillow(2));
    for (int round = 0; round < 100; ++round)
        for (EdgeId e : mesh.edges()) {
            if (!mesh.is_alive(e)) continue;
            const NodeId n = mesh[e].nodes[std::size_t(round) % 2];
            if (may_collapse(mesh, e, n) == Refusal::none) collapse_edge(mesh, e, n);
        }
    EXPECT_THAT(validate(mesh, {.expected_area = 2.0}), IsEmpty());
}

} // namespace
} // namespace pleat
