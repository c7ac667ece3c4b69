// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/mesh/reorder.hpp"

#include "pleat/mesh/edits.hpp"
#include "pleat/mesh/measures.hpp"
#include "pleat/mesh/validate.hpp"

#include "mesh/zoo.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace pleat {
namespace {

using testing::IsEmpty;

TEST(Compact, drops_the_dead_and_keeps_the_order)
{
    Mesh mesh = build_mesh(zoo::grid(5, 5));
    for (EdgeId e : mesh.edges())
        if (mesh.is_alive(e) && may_collapse(mesh, e, mesh[e].nodes[0]) == Refusal::none)
            collapse_edge(mesh, e, mesh[e].nodes[0]);
    std::size_t live = 0;
    for (FaceId f : mesh.faces()) live += mesh.is_alive(f);
    ASSERT_LT(live, mesh.face_count());
    const Mesh before = mesh;
    const MeshPermutation p = compact(mesh);
    EXPECT_EQ(mesh.face_count(), live);
    EXPECT_EQ(p.face_count, live);
    EXPECT_THAT(validate(mesh, {.expected_area = 1.0}), IsEmpty());
    FaceId last = no_face;
    for (FaceId f : before.faces()) {
        if (!is_some(p.new_face[f])) continue;
        if (is_some(last)) {
            EXPECT_LT(last, p.new_face[f]);
        }
        last = p.new_face[f];
        EXPECT_EQ(material_area(before, f), material_area(mesh, p.new_face[f]));
    }
}

TEST(Reorder, makes_neighbours_in_space_neighbours_in_memory)
{
    Mesh mesh = build_mesh(zoo::grid(64, 64));
    const auto mean_span = [](const Mesh& m) {
        double sum = 0;
        for (EdgeId e : m.edges())
            sum += std::abs(double(index(m[e].nodes[0])) - double(index(m[e].nodes[1])));
        return sum / double(m.edge_count());
    };
    // Shuffle by splitting everywhere: new nodes come last, far from their neighbours.
    for (EdgeId e : IdRange<EdgeId>(mesh.edge_count())) split_edge(mesh, e);
    const double before = mean_span(mesh);
    reorder(mesh);
    EXPECT_THAT(validate(mesh, {.expected_area = 1.0}), IsEmpty());
    EXPECT_LT(mean_span(mesh), before / 10);
}

TEST(Reorder, keeps_groups_of_panels_together)
{
    Mesh mesh = build_mesh(zoo::two_pieces(4));
    reorder(mesh, {1, 0}); // the second panel first
    EXPECT_THAT(validate(mesh), IsEmpty());
    EXPECT_EQ(index(mesh.panel(FaceId{0})), 1u);
    EXPECT_EQ(index(mesh.panel(make_id<FaceId>(mesh.face_count() - 1))), 0u);
}

TEST(Reorder, is_the_same_twice)
{
    Mesh a = build_mesh(zoo::three_panels(4)), b = a;
    reorder(a);
    reorder(b);
    EXPECT_EQ(a, b);
    const Mesh once = a;
    reorder(a);
    EXPECT_EQ(a, once) << "an ordered mesh stays as it is";
}

TEST(HilbertIndex, steps_to_a_neighbouring_cell_each_time)
{
    constexpr int n = 32;
    std::vector<std::pair<std::uint64_t, std::pair<int, int>>> cells;
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j)
            cells.push_back({hilbert_index((i + 0.5) / n, (j + 0.5) / n), {i, j}});
    std::sort(cells.begin(), cells.end());
    for (std::size_t k = 1; k < cells.size(); ++k) {
        const auto [i0, j0] = cells[k - 1].second;
        const auto [i1, j1] = cells[k].second;
        EXPECT_EQ(std::abs(i1 - i0) + std::abs(j1 - j0), 1);
    }
}

} // namespace
} // namespace pleat
