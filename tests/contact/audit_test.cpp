// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/contact/audit.hpp"

#include "contact/folded_sheet.hpp"
#include "pleat/core/error.hpp"
#include "pleat/core/parallel.hpp"
#include "pleat/geometry/distance.hpp"
#include "pleat/geometry/triangle_intersection.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace pleat {
namespace {

using test::Sheet;

constexpr double infinity = std::numeric_limits<double>::infinity();

AuditMesh cloth(const Sheet& sheet, int object = 0)
{
    return {sheet.x, sheet.triangles, object, false};
}

AuditMesh obstacle(const Sheet& sheet, int object)
{
    return {sheet.x, sheet.triangles, object, true};
}

AuditReport audit(std::vector<AuditMesh> meshes, double gap_cap = 0)
{
    return audit_intersections(meshes, {.gap_cap = gap_cap});
}

void expect_same(const AuditReport& a, const AuditReport& b)
{
    EXPECT_EQ(a.crossings, b.crossings);
    EXPECT_EQ(a.self_crossing_count, b.self_crossing_count);
    EXPECT_EQ(a.cloth_crossing_count, b.cloth_crossing_count);
    EXPECT_EQ(a.obstacle_crossing_count, b.obstacle_crossing_count);
    EXPECT_EQ(a.touching_count, b.touching_count);
    EXPECT_EQ(a.min_gap, b.min_gap);
    EXPECT_EQ(a.nearest, b.nearest);
}

/// Every pair of faces, one after the other.
AuditReport brute_force(const std::vector<AuditMesh>& meshes, double gap_cap)
{
    AuditReport report;
    using Key = std::array<std::size_t, 4>; // mesh, face, mesh, face
    std::vector<std::pair<Key, FacePair>> crossings;
    Key nearest{};
    const auto corners = [](const AuditMesh& m, std::size_t f) {
        const auto& t = m.triangles[f];
        return std::array<Vec3, 3>{m.x[t[0]], m.x[t[1]], m.x[t[2]]};
    };
    const auto look = [&](std::size_t ma, std::size_t fa, std::size_t mb, std::size_t fb) {
        const AuditMesh &a = meshes[ma], &b = meshes[mb];
        const FacePair pair{a.object, std::uint32_t(fa), b.object, std::uint32_t(fb)};
        const Key key{ma, fa, mb, fb};
        const auto p = corners(a, fa), q = corners(b, fb);
        std::vector<std::size_t> shared_a, shared_b, rest_a, rest_b;
        for (std::size_t i = 0; i < 3; ++i)
            for (std::size_t j = 0; j < 3; ++j)
                if (ma == mb && a.triangles[fa][i] == b.triangles[fb][j]) {
                    shared_a.push_back(i);
                    shared_b.push_back(j);
                }
        for (std::size_t i = 0; i < 3; ++i) {
            if (!std::count(shared_a.begin(), shared_a.end(), i)) rest_a.push_back(i);
            if (!std::count(shared_b.begin(), shared_b.end(), i)) rest_b.push_back(i);
        }
        TriangleRelation relation = TriangleRelation::crossing;
        if (shared_a.empty())
            relation = triangle_relation(p, q);
        else if (shared_a.size() == 1)
            relation = triangle_relation_at_vertex(p[shared_a[0]], p[rest_a[0]], p[rest_a[1]],
                                                   q[rest_b[0]], q[rest_b[1]]);
        else if (shared_a.size() == 2)
            relation = triangle_relation_at_edge(p[shared_a[0]], p[shared_a[1]], p[rest_a[0]],
                                                 q[rest_b[0]]);
        if (relation == TriangleRelation::touching) ++report.touching_count;
        if (relation == TriangleRelation::crossing) {
            crossings.push_back({key, pair});
            (b.is_obstacle ? report.obstacle_crossing_count
             : ma == mb    ? report.self_crossing_count
                           : report.cloth_crossing_count) += 1;
        }
        if (!shared_a.empty()) return;
        const double gap = std::sqrt(triangle_triangle_distance(p, q).distance2);
        if (gap > gap_cap) return;
        if (gap < report.min_gap || (gap == report.min_gap && key < nearest)) {
            report.min_gap = gap;
            nearest = key;
            report.nearest = pair;
        }
    };
    for (std::size_t a = 0; a < meshes.size(); ++a)
        for (std::size_t b = 0; b < meshes.size(); ++b) {
            if (meshes[a].is_obstacle || (!meshes[b].is_obstacle && b < a)) continue;
            for (std::size_t i = 0; i < meshes[a].triangles.size(); ++i)
                for (std::size_t j = a == b ? i + 1 : 0; j < meshes[b].triangles.size(); ++j)
                    look(a, i, b, j);
        }
    std::sort(crossings.begin(), crossings.end());
    for (const auto& [key, pair] : crossings) report.crossings.push_back(pair);
    return report;
}

TEST(Audit, a_flat_sheet_is_free_of_crossings)
{
    for (const double height : {0.0, 0.3}) {
        Sheet sheet = test::flat_sheet(20, 15, 1, height);
        EXPECT_EQ(audit({cloth(sheet)}).crossing_count(), 0u);
        EXPECT_EQ(audit({cloth(sheet)}).touching_count, 0u);
        // Tilted: coplanar up to rounding only.
        for (Vec3& p : sheet.x) p = {p[0], 0.8 * p[1] - 0.6 * p[2], 0.6 * p[1] + 0.8 * p[2]};
        EXPECT_EQ(audit({cloth(sheet)}).crossing_count(), 0u);
    }
}

TEST(Audit, two_crossing_sheets_cross)
{
    const Sheet a = test::flat_sheet(10, 10, 1, 0.05);
    Sheet b = test::flat_sheet(10, 10, 1, 0.0);
    for (Vec3& p : b.x) p = {p[0] + 0.013, 0.517, p[1] - 0.5}; // upright, through the middle of a
    const AuditReport report = audit({cloth(a, 4), cloth(b, 7)}, 0.01);
    EXPECT_GT(report.cloth_crossing_count, 20u);
    EXPECT_EQ(report.cloth_crossing_count, report.crossing_count());
    EXPECT_EQ(report.min_gap, 0);
    for (const FacePair& p : report.crossings) {
        EXPECT_EQ(p.object_a, 4);
        EXPECT_EQ(p.object_b, 7);
        // The faces of a that the upright sheet passes through are in one row of quads.
        EXPECT_EQ(p.face_a / 20, 5u);
    }
    // Against an obstacle the same pairs, wherever the obstacle stands in the list.
    const AuditReport other = audit({obstacle(b, 7), cloth(a, 4)});
    EXPECT_EQ(other.crossings, report.crossings);
    EXPECT_EQ(other.obstacle_crossing_count, report.crossing_count());
}

TEST(Audit, obstacles_may_cross_each_other)
{
    const Sheet a = test::flat_sheet(4, 4, 1, 0);
    Sheet b = a;
    for (Vec3& p : b.x) p = {p[0] + 0.013, 0.517, p[1] - 0.5};
    EXPECT_EQ(audit({obstacle(a, 0), obstacle(b, 1)}, 0.1).crossing_count(), 0u);
    EXPECT_EQ(audit({obstacle(a, 0), obstacle(b, 1)}, 0.1).min_gap, infinity);
}

TEST(Audit, a_sheet_folded_through_itself_crosses)
{
    // A loop: the end comes back through the start.
    const Sheet sheet = test::make_sheet(60, 10, [](std::size_t i, std::size_t j) {
        const double angle = 0.12 * double(i);
        return Vec3{std::cos(angle) * (1 + 0.01 * std::sin(3 * angle)), std::sin(angle),
                    0.1 * double(j) + 0.05 * angle};
    });
    const AuditReport report = audit({cloth(sheet, 3)}, 0.01);
    EXPECT_GT(report.self_crossing_count, 5u);
    EXPECT_EQ(report.self_crossing_count, report.crossing_count());
    EXPECT_EQ(report.min_gap, 0);
    expect_same(report, brute_force({cloth(sheet, 3)}, 0.01));
}

TEST(Audit, measures_the_gap_of_a_sheet_above_a_plane)
{
    const Sheet sheet = test::flat_sheet(12, 12, 0.5, 0.001);
    Sheet floor = test::flat_sheet(1, 1, 4, 0);
    for (Vec3& p : floor.x) p -= Vec3{2, 2, 0};
    const AuditReport report = audit({cloth(sheet, 0), obstacle(floor, 1)}, 0.005);
    EXPECT_EQ(report.crossing_count(), 0u);
    EXPECT_EQ(report.touching_count, 0u);
    EXPECT_NEAR(report.min_gap, 0.001, 1e-17);
    EXPECT_EQ(report.nearest, (FacePair{0, 0, 1, 0}));
    // Beyond the cap nothing is looked for.
    EXPECT_EQ(audit({cloth(sheet, 0), obstacle(floor, 1)}, 0.0009).min_gap, infinity);
    EXPECT_EQ(audit({cloth(sheet, 0), obstacle(floor, 1)}).min_gap, infinity);
}

TEST(Audit, a_sheet_lying_exactly_on_a_plane_overlaps_it)
{
    const Sheet sheet = test::flat_sheet(3, 3, 0.5, 0), floor = test::flat_sheet(1, 1, 4, 0);
    EXPECT_GE(audit({cloth(sheet, 0), obstacle(floor, 1)}).obstacle_crossing_count, 18u);
}

TEST(Audit, a_vertex_exactly_on_a_plane_touches)
{
    Sheet sheet = test::flat_sheet(2, 2, 0.5, 0.1);
    sheet.x[4][2] = 0;
    Sheet floor = test::flat_sheet(1, 1, 4, 0);
    for (Vec3& p : floor.x) p -= Vec3{1, 2, 0};
    const AuditReport report = audit({cloth(sheet, 0), obstacle(floor, 1)}, 0.01);
    EXPECT_EQ(report.crossing_count(), 0u);
    EXPECT_GT(report.touching_count, 0u);
    EXPECT_EQ(report.min_gap, 0);
}

TEST(Audit, neighbours_folded_flat_onto_each_other_cross)
{
    const std::vector<Vec3> x = {{0, 0, 0}, {1, 0, 0}, {0.3, 1, 0}, {0.4, 0.7, 0}};
    const std::vector<std::array<std::uint32_t, 3>> triangles = {{0, 1, 2}, {1, 0, 3}};
    const AuditMesh mesh{x, triangles, 0, false};
    const AuditReport report = audit({mesh}, 0.1);
    ASSERT_EQ(report.self_crossing_count, 1u);
    EXPECT_EQ(report.crossings[0], (FacePair{0, 0, 0, 1}));
    // Opened by the least amount it does not.
    std::vector<Vec3> open = x;
    open[3][2] = 4.9406564584124654e-324;
    EXPECT_EQ(audit({{open, triangles, 0, false}}).crossing_count(), 0u);
}

TEST(Audit, the_same_face_twice_crosses)
{
    const std::vector<Vec3> x = {{0, 0, 0}, {1, 0, 0}, {0.3, 1, 0}};
    const std::vector<std::array<std::uint32_t, 3>> triangles = {{0, 1, 2}, {2, 1, 0}};
    EXPECT_EQ(audit({{x, triangles, 0, false}}).self_crossing_count, 1u);
}

TEST(Audit, faces_that_share_a_node_do_not_count_for_the_gap)
{
    const Sheet sheet = test::flat_sheet(2, 1, 1, 0);
    EXPECT_EQ(sheet.triangles.size(), 4u);
    // The two end faces are half a sheet apart; everything else shares a node.
    const AuditReport report = audit({cloth(sheet)}, 10);
    const AuditReport expected = brute_force({cloth(sheet)}, 10);
    expect_same(report, expected);
}

TEST(Audit, takes_degenerate_faces)
{
    Sheet sheet = test::flat_sheet(6, 6, 1, 0);
    for (std::size_t i = 0; i < sheet.x.size(); i += 5) sheet.x[i] = sheet.x[0];
    sheet.triangles.push_back({3, 3, 4});
    sheet.triangles.push_back({8, 8, 8});
    const std::vector<Vec3> point(3, Vec3{0.5, 0.5, 0.1});
    const std::vector<std::array<std::uint32_t, 3>> one = {{0, 1, 2}};
    const AuditReport report =
        audit({cloth(sheet, 0), {point, one, 1, true}, {point, one, 2, false}}, 0.2);
    EXPECT_GT(report.crossing_count(), 0u); // at least the two points in one place
    EXPECT_EQ(audit({}).crossing_count(), 0u);
    EXPECT_EQ(audit({AuditMesh{}}, 1).min_gap, infinity);
}

TEST(Audit, agrees_with_brute_force_on_random_scenes)
{
    std::size_t crossings = 0, free = 0;
    for (unsigned seed = 0; seed < 24; ++seed) {
        std::mt19937 random(seed);
        std::uniform_real_distribution<double> any(-1, 1);
        Sheet a = test::folded_sheet(250, 4, 0.03, 1), b = test::flat_sheet(8, 8, 0.6, 0.13);
        Sheet c = test::flat_sheet(5, 6, 0.7, 0.2), d = test::flat_sheet(3, 3, 1, -0.1);
        const double amount = 0.02 * double(seed % 4);
        test::shake(a, 0.1 * amount, seed);
        test::shake(b, amount, seed + 100);
        test::shake(c, amount, seed + 200);
        const double tilt = 0.3 * any(random) * double(seed % 3);
        for (Vec3& p : b.x) p[2] += tilt * (p[0] - 0.2);
        for (Vec3& p : c.x) p[2] -= tilt * (p[1] - 0.3);
        const std::vector<AuditMesh> meshes = {cloth(a, 5), obstacle(d, 9), cloth(b, 6),
                                               obstacle(c, 8)};
        const double cap = 0.01 * double(1 + seed % 5);
        const AuditReport report = audit_intersections(meshes, {.gap_cap = cap});
        expect_same(report, brute_force(meshes, cap));
        crossings += report.crossing_count();
        free += report.crossing_count() == 0;
        ASSERT_FALSE(testing::Test::HasFailure()) << "seed " << seed;
    }
    EXPECT_GT(crossings, 100u);
    EXPECT_GT(free, 2u);
}

TEST(Audit, a_folded_sheet_is_free_of_crossings_at_its_gap)
{
    const Sheet sheet = test::folded_sheet(6000, 8, 0.005);
    const AuditReport report = audit({cloth(sheet)}, 0.005);
    EXPECT_EQ(report.crossing_count(), 0u);
    EXPECT_GT(report.min_gap, 0.001);
    EXPECT_LT(report.min_gap, 0.005);
}

TEST(Audit, is_the_same_for_any_thread_count)
{
    Sheet a = test::folded_sheet(6000, 8, 0.005), b = test::folded_sheet(2000, 3, 0.02);
    test::shake(a, 0.004, 1);
    test::shake(b, 0.002, 2);
    AuditReport one;
    for (const int count : {1, 2, 4}) {
        const Threads threads(count);
        threads.run([&] {
            const AuditReport report = audit({cloth(a, 0), obstacle(b, 1)}, 0.003);
            if (count == 1) one = report;
            expect_same(report, one);
        });
    }
    EXPECT_GT(one.self_crossing_count, 100u);
    EXPECT_GT(one.obstacle_crossing_count, 100u);
}

TEST(Audit, names_every_position_that_is_not_finite)
{
    Sheet sheet = test::flat_sheet(3, 3, 1, 0);
    sheet.x[5][1] = std::nan("");
    sheet.x[7][2] = infinity;
    sheet.triangles.push_back({0, 1, 99});
    try {
        (void)audit({cloth(test::flat_sheet(1, 1, 1, 0), 2), cloth(sheet, 3)});
        FAIL() << "took a NaN";
    } catch (const InputError& error) {
        ASSERT_EQ(error.problems().size(), 3u);
        EXPECT_EQ(error.problems()[0].place, "object 3, node 5");
        EXPECT_EQ(error.problems()[0].expected, "finite coordinates");
        EXPECT_NE(error.problems()[0].found.find("nan"), std::string::npos);
        EXPECT_EQ(error.problems()[1].place, "object 3, node 7");
        EXPECT_EQ(error.problems()[2].place, "object 3, face 18");
    }
}

} // namespace
} // namespace pleat
