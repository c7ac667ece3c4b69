// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/model/shapes.hpp"
#include "pleat/remeshing/crossing_guard.hpp"

#include "pleat/contact/audit.hpp"
#include "pleat/geometry/distance.hpp"
#include "pleat/geometry/triangle_intersection.hpp"
#include "pleat/mesh/validate.hpp"

#include "mesh/zoo.hpp"
#include "remeshing/scroll.hpp"
#include "remeshing/subject.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numbers>
#include <optional>
#include <random>

namespace pleat {
namespace {

using test::Subject;
using testing::IsEmpty;

AuditReport audit_of(const Subject& s, const std::vector<std::array<Vec3, 3>>& obstacle = {})
{
    std::vector<std::array<std::uint32_t, 3>> faces, obstacle_faces;
    for (FaceId f : s.mesh.faces()) {
        const auto n = s.mesh.nodes_of(f);
        faces.push_back({index(n[0]), index(n[1]), index(n[2])});
    }
    std::vector<Vec3> points;
    for (const auto& t : obstacle) {
        const auto first = std::uint32_t(points.size());
        points.insert(points.end(), t.begin(), t.end());
        obstacle_faces.push_back({first, first + 1, first + 2});
    }
    const AuditMesh meshes[] = {{s.x.values, faces, 0, false}, {points, obstacle_faces, 1, true}};
    return audit_intersections(std::span(meshes, obstacle.empty() ? 1u : 2u), {});
}

EditCounts guarded_remesh(Subject& s, const ObstacleTree& obstacles)
{
    FieldSet fields;
    fields.add(s.x);
    fields.add(s.metric);
    CrossingGuard guard(s.mesh, s.x, obstacles);
    return remesh_to_metric(s.mesh, s.metric, s.x, fields, {}, {}, &guard);
}

TEST(CrossingGuard, lets_no_random_remesh_of_a_scroll_cross_itself)
{
    std::mt19937_64 random(1);
    std::uniform_real_distribution<double> unit(0, 1);
    std::size_t refused = 0, midpoints = 0, edits = 0;
    for (int run = 0; run < 10; ++run) {
        Subject s(test::scroll(120, 0.002));
        ASSERT_EQ(audit_of(s).crossing_count(), 0u);
        for (int pass = 0; pass < 4; ++pass) {
            const double fine = 0.01 + 0.02 * unit(random), a = 7 * unit(random);
            s.metric.resize(s.mesh.vert_count());
            s.set_metric(
                [&](const Vec2& u) { return test::tensor(a + u[0], fine, fine * (1 + 3 * u[0])); });
            const EditCounts c = guarded_remesh(s, {});
            refused += c.refused;
            midpoints += c.midpoints;
            edits += c.splits + c.flips + c.collapses;
            ASSERT_EQ(audit_of(s).crossing_count(), 0u);
            ASSERT_THAT(validate(s.mesh), IsEmpty());
        }
    }
    // The scene is hard enough to mean something: without the guard it crosses.
    EXPECT_GT(refused + midpoints, 100u);
    EXPECT_GT(edits, 1000u);
    Subject s(test::scroll(120, 0.002));
    s.set_metric([&](const Vec2&) { return test::tensor(0, 0.03, 0.03); });
    (void)s.remesh();
    EXPECT_GT(audit_of(s).crossing_count(), 0u);
    RecordProperty("refused_share", std::to_string(double(refused) / double(refused + edits)));
}

TEST(CrossingGuard, refines_to_the_field_all_the_same)
{
    // Splits can always fall back to the middle of the edge, so nothing stays too long.
    Subject s(test::scroll(120, 0.002));
    s.set_metric([](const Vec2&) { return test::tensor(0, 0.006, 0.006); });
    (void)guarded_remesh(s, {});
    EXPECT_LE(s.largest_size(), 1);
    EXPECT_EQ(audit_of(s).crossing_count(), 0u);
}

TEST(CrossingGuard, keeps_cloth_off_the_spikes_of_an_obstacle)
{
    // A sheet bent over a row of needles that end just below it: coarsening would cut them off.
    MeshInput input = zoo::grid(40, 40);
    const double r = 0.4;
    for (Vec3& x : input.node_x) {
        const double a = (x[0] - 0.5) / r;
        x = {r * std::sin(a), x[1], r * std::cos(a)};
    }
    std::vector<std::array<Vec3, 3>> spikes;
    for (int i = 0; i < 15; ++i)
        for (int j = 1; j < 15; ++j) {
            const double a = (i - 7) * 0.15, y = j / 15.0 + 0.003;
            const Vec3 tip{(r - 0.002) * std::sin(a), y, (r - 0.002) * std::cos(a)};
            spikes.push_back({tip, Vec3{0.002, y, 0}, Vec3{-0.002, y + 0.001, 0}});
        }
    const ObstacleTree tree(spikes);
    Subject s(input);
    ASSERT_EQ(audit_of(s, spikes).crossing_count(), 0u);
    s.set_metric([](const Vec2&) { return test::tensor(0, 0.3, 0.3); });
    const EditCounts c = guarded_remesh(s, tree);
    EXPECT_GT(c.refused, 10u);
    EXPECT_GT(c.collapses, 100u);
    EXPECT_EQ(audit_of(s, spikes).crossing_count(), 0u);

    Subject bare(input);
    bare.set_metric([](const Vec2&) { return test::tensor(0, 0.3, 0.3); });
    (void)bare.remesh();
    EXPECT_GT(audit_of(bare, spikes).crossing_count(), 0u);
}

TEST(CrossingGuard, refuses_nothing_on_a_flat_sheet)
{
    for (const auto& metric : test::analytic_metrics(0.03)) {
        SCOPED_TRACE(metric.name);
        Subject plain(zoo::grid(10, 10)), guarded(zoo::grid(10, 10));
        plain.set_metric(metric.at);
        guarded.set_metric(metric.at);
        (void)plain.remesh();
        const EditCounts c = guarded_remesh(guarded, {});
        EXPECT_EQ(c.refused, 0u);
        EXPECT_TRUE(plain.mesh == guarded.mesh);
    }
}

TEST(FaceTree, finds_what_a_slow_search_finds)
{
    std::mt19937_64 random(5);
    std::uniform_real_distribution<double> unit(0, 1);
    const auto box = [&] {
        const Vec3 low{2 * unit(random) - 0.5, unit(random), unit(random)};
        const double size = std::pow(10, -3 + 3 * unit(random));
        return WorldBox{low,
                        low + Vec3{size * unit(random), size * unit(random), size * unit(random)}};
    };
    FaceTree tree;
    std::vector<std::optional<WorldBox>> boxes(500);
    for (int step = 0; step < 4000; ++step) {
        const auto i = std::size_t(unit(random) * 499.999);
        if (unit(random) < 0.6) {
            boxes[i] = box();
            tree.put(make_id<FaceId>(i), *boxes[i]);
        } else {
            boxes[i].reset();
            tree.drop(make_id<FaceId>(i));
        }
        if (step % 20 != 0) continue;
        const WorldBox query = box();
        std::vector<std::uint32_t> found, expected;
        tree.visit(query, [&](FaceId f) {
            found.push_back(index(f));
            return true;
        });
        std::sort(found.begin(), found.end());
        for (std::uint32_t k = 0; k < boxes.size(); ++k)
            if (boxes[k] && boxes[k]->overlaps(query)) expected.push_back(k);
        ASSERT_EQ(found, expected);
    }
}

TEST(FaceTree, built_at_once_finds_the_same_and_may_change_later)
{
    std::mt19937_64 random(9);
    std::uniform_real_distribution<double> unit(0, 1);
    const auto box = [&] {
        const Vec3 low{unit(random), unit(random), unit(random)};
        const double size = std::pow(10, -3 + 2 * unit(random));
        return WorldBox{low, low + Vec3{size, size, size}};
    };
    for (std::size_t count : {0, 1, 5, 64, 513, 3000}) {
        std::vector<WorldBox> boxes(count, WorldBox::empty());
        for (WorldBox& b : boxes)
            if (unit(random) < 0.9) b = box();
        FaceTree tree;
        tree.build(
            count, [&](FaceId f) { return boxes[index(f)]; },
            count % 2 == 0 ? BoxTree::Order::as_given : BoxTree::Order::by_position);
        const auto look = [&] {
            for (int i = 0; i < 20; ++i) {
                const WorldBox query = box();
                std::vector<std::uint32_t> found, expected;
                tree.visit(query, [&](FaceId f) {
                    EXPECT_EQ(tree.box(f).low, boxes[index(f)].low);
                    found.push_back(index(f));
                    return true;
                });
                std::sort(found.begin(), found.end());
                for (std::uint32_t k = 0; k < boxes.size(); ++k)
                    if (boxes[k].overlaps(query)) expected.push_back(k);
                ASSERT_EQ(found, expected);
            }
        };
        look();
        for (std::size_t i = 0; i < count + 3; i += 2) { // move some, drop some, add three
            boxes.resize(std::max(boxes.size(), i + 1), WorldBox::empty());
            const bool is_put = unit(random) < 0.7;
            boxes[i] = is_put ? box() : WorldBox::empty();
            if (is_put)
                tree.put(make_id<FaceId>(i), boxes[i]);
            else
                tree.drop(make_id<FaceId>(i));
        }
        look();
    }
}

TEST(ObstacleTree, finds_the_nearest_point)
{
    std::mt19937_64 random(6);
    std::uniform_real_distribution<double> unit(-1, 1);
    const auto point = [&] { return Vec3{unit(random), unit(random), unit(random)}; };
    std::vector<std::array<Vec3, 3>> triangles;
    for (int i = 0; i < 300; ++i) {
        const Vec3 c = point();
        triangles.push_back({c + point() * 0.1, c + point() * 0.1, c + point() * 0.1});
    }
    const ObstacleTree tree(triangles);
    for (int i = 0; i < 500; ++i) {
        const Vec3 p = point() * 1.5;
        double best = 1e9;
        for (const auto& t : triangles)
            best = std::min(best, point_triangle_distance(p, t[0], t[1], t[2]).distance2);
        best = std::sqrt(best);
        const auto found = tree.nearest(p, 0.4);
        ASSERT_EQ(found.has_value(), best < 0.4);
        if (found) {
            EXPECT_NEAR(norm(*found - p), best, 1e-12);
        }
    }
}

TEST(ObstacleTree, moved_is_the_same_as_made_anew)
{
    World world;
    Obstacle rests, deforms, comes_and_goes;
    for (int i = 0; i < 30; ++i) {
        const double c = 0.1 * i;
        const auto n = static_cast<std::uint32_t>(rests.x.size());
        for (const Vec3& x : {Vec3{c, 0, 0}, Vec3{c + 0.1, 0, 0}, Vec3{c, 0.1, 0}})
            rests.x.push_back(x);
        rests.faces.push_back({n, n + 1, n + 2});
    }
    deforms = comes_and_goes = rests;
    deforms.frames = {rests.x, rests.x, rests.x}; // at 0, 1 and 2 s
    for (Vec3& x : deforms.frames[2]) x[2] += 1;
    deforms.fps = 1;
    for (Vec3& x : comes_and_goes.x) x[2] -= 1;
    comes_and_goes.start_time = 0.5;
    comes_and_goes.end_time = 1.5;
    world.obstacles = {rests, deforms, comes_and_goes,
                       make_half_space("floor", {0, 0, -5}, {0, 0, 1}, 1)};

    ObstacleTree moved;
    std::mt19937_64 random(4);
    std::uniform_real_distribution<double> unit(-1, 1);
    for (const double time : {0.0, 0.25, 0.75, 1.0, 1.75, 2.0, 0.0}) {
        SCOPED_TRACE(time);
        moved.move_to(world, time);
        const ObstacleTree made(world, time);
        for (int i = 0; i < 200; ++i) {
            const Vec3 p{1.5 + 1.5 * unit(random), unit(random), 2 * unit(random)};
            EXPECT_EQ(moved.nearest(p, 10), made.nearest(p, 10));
        }
    }
    world.obstacles.clear();
    moved.move_to(world, 0);
    EXPECT_TRUE(moved.empty());
    EXPECT_FALSE(moved.nearest({0, 0, 0}, 10).has_value());
}

TEST(ObstacleTree, knows_half_spaces_beyond_their_squares)
{
    World world;
    world.obstacles = {make_half_space("slope", {0, 0, 1}, {1, 0, 1}, 1)};
    const ObstacleTree tree(world, 0);
    EXPECT_FALSE(tree.empty());
    const Vec3 normal = normalized(Vec3{1, 0, 1});
    const Vec3 on{-40, 25, 41}, p = on + 0.1 * normal; // far from the square
    const auto found = tree.nearest(p, 0.2);
    ASSERT_TRUE(found.has_value());
    EXPECT_NEAR(norm(*found - on), 0, 1e-12);
    EXPECT_FALSE(tree.nearest(p, 0.05).has_value());

    // Faces that dip into it are found to cross, others not.
    std::mt19937_64 random(8);
    std::uniform_real_distribution<double> unit(-1, 1);
    for (int i = 0; i < 500; ++i) {
        std::array<Vec3, 3> face;
        int below = 0;
        for (Vec3& x : face) {
            x = on + Vec3{unit(random), unit(random), unit(random)};
            below += dot(normal, x - on) < 0;
        }
        bool crosses = false;
        (void)tree.visit(WorldBox::of(face), [&](const std::array<Vec3, 3>& triangle) {
            crosses = triangle_relation(face, triangle) == TriangleRelation::crossing;
            return true;
        });
        EXPECT_EQ(crosses, below == 1 || below == 2);
    }
}

} // namespace
} // namespace pleat
