// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/geometry/box_tree.hpp"

#include "contact/folded_sheet.hpp"
#include "pleat/core/parallel.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <limits>
#include <random>

namespace pleat {
namespace {

using test::Sheet;

std::vector<Box> boxes_of(const Sheet& sheet, double margin)
{
    std::vector<Box> boxes;
    for (const auto& t : sheet.triangles) boxes.push_back(triangle_box(sheet.x, t, margin));
    return boxes;
}

std::vector<BoxPair> brute_self_pairs(const std::vector<Box>& boxes)
{
    std::vector<BoxPair> pairs;
    for (std::uint32_t a = 0; a < boxes.size(); ++a)
        for (std::uint32_t b = a + 1; b < boxes.size(); ++b)
            if (overlap(boxes[a], boxes[b])) pairs.push_back({a, b});
    return pairs;
}

std::vector<BoxPair> brute_cross_pairs(const std::vector<Box>& a, const std::vector<Box>& b)
{
    std::vector<BoxPair> pairs;
    for (std::uint32_t i = 0; i < a.size(); ++i)
        for (std::uint32_t j = 0; j < b.size(); ++j)
            if (overlap(a[i], b[j])) pairs.push_back({i, j});
    return pairs;
}

std::vector<BoxPair> sorted(std::vector<BoxPair> pairs)
{
    std::sort(pairs.begin(), pairs.end());
    return pairs;
}

std::vector<Sheet> cloth_states()
{
    std::vector<Sheet> states;
    for (std::size_t layers : {1u, 3u, 8u}) states.push_back(test::folded_sheet(1500, layers));
    for (unsigned seed : {1u, 2u, 3u}) {
        states.push_back(test::folded_sheet(800 + 300 * seed, 5, 0.01));
        test::shake(states.back(), 0.01 * seed, seed);
    }
    states.push_back(test::flat_sheet(20, 20, 1, 0.0)); // boxes of no height
    return states;
}

TEST(Box, holds_the_doubles_it_was_made_of)
{
    std::mt19937_64 random(5);
    std::uniform_real_distribution<double> mantissa(-1, 1), exponent(-330, 308);
    for (int n = 0; n < 100000; ++n) {
        const double v = mantissa(random) * std::pow(10.0, exponent(random));
        const Box box = outward_box({v, v, v}, {v, v, v}, 0);
        // Beyond the range of the boxes everything is moved to its end.
        const double inside = std::clamp(v, -1e38, 1e38);
        ASSERT_LE(double(box.low[0]), inside);
        ASSERT_GE(double(box.high[0]), inside);
        if (std::abs(v) > 1e-30 && std::abs(v) < 1e38) {
            ASSERT_LE(double(box.high[0]) - double(box.low[0]), 6e-7 * std::abs(v));
        }
    }
}

TEST(BoxTree, finds_the_same_pairs_as_brute_force)
{
    for (const Sheet& sheet : cloth_states())
        for (const double margin : {0.0, 0.004}) {
            const std::vector<Box> boxes = boxes_of(sheet, margin);
            BoxTree bvh;
            bvh.build(boxes);
            ASSERT_EQ(bvh.size(), boxes.size());
            const std::vector<BoxPair> expected = brute_self_pairs(boxes);
            ASSERT_GT(expected.size(), sheet.triangles.size()); // neighbours at least
            ASSERT_EQ(sorted(bvh.self_pairs()), expected);
        }
}

TEST(BoxTree, finds_the_same_cross_pairs_as_brute_force)
{
    const std::vector<Sheet> states = cloth_states();
    for (std::size_t i = 0; i + 1 < states.size(); ++i) {
        const std::vector<Box> a = boxes_of(states[i], 0.001), b = boxes_of(states[i + 1], 0);
        BoxTree tree_a, tree_b;
        tree_a.build(a);
        tree_b.build(b);
        const std::vector<BoxPair> expected = brute_cross_pairs(a, b);
        ASSERT_GT(expected.size(), 10u);
        ASSERT_EQ(sorted(tree_a.cross_pairs(tree_b)), expected);
    }
}

TEST(BoxTree, refit_finds_the_same_pairs_as_a_new_tree)
{
    Sheet sheet = test::flat_sheet(30, 25, 1, 0);
    BoxTree bvh; // built on the flat sheet, as it would be in material space
    bvh.build(boxes_of(sheet, 0));
    const std::vector<Vec3> flat = sheet.x;
    for (unsigned step = 1; step <= 5; ++step) {
        const std::vector<Vec3> before = sheet.x;
        for (Vec3& p : sheet.x) // roll it up
            p = {p[0], 0.9 * p[1] + 0.1 * std::sin(20 * p[1]), p[2] + 0.05 * std::cos(9 * p[1])};
        test::shake(sheet, 0.02, step);
        bvh.refit(sheet.x, sheet.triangles, 0.003);
        ASSERT_EQ(sorted(bvh.self_pairs()), brute_self_pairs(boxes_of(sheet, 0.003)));

        std::vector<Box> swept;
        for (const auto& t : sheet.triangles) {
            swept.push_back(swept_triangle_box(before, sheet.x, t, 0.001));
            for (const std::uint32_t i : t)
                for (const double s : {0.0, 0.3, 1.0}) {
                    const Vec3 p = before[i] * (1 - s) + sheet.x[i] * s;
                    ASSERT_TRUE(overlap(swept.back(), outward_box(p, p, 0)));
                }
        }
        bvh.refit_swept(before, sheet.x, sheet.triangles, 0.001);
        ASSERT_EQ(sorted(bvh.self_pairs()), brute_self_pairs(swept));
        bvh.refit(swept);
        ASSERT_EQ(sorted(bvh.self_pairs()), brute_self_pairs(swept));
    }
}

TEST(BoxTree, gives_the_same_pairs_in_the_same_order_for_any_thread_count)
{
    const Sheet sheet = test::folded_sheet(12000, 8, 0.004);
    const Sheet other = test::folded_sheet(3000, 3, 0.01);
    std::vector<BoxPair> self_of_one, cross_of_one;
    for (const int count : {1, 2, 4}) {
        const Threads threads(count);
        threads.run([&] {
            BoxTree bvh, obstacle;
            bvh.build(boxes_of(sheet, 0));
            obstacle.build(boxes_of(other, 0.002));
            bvh.refit(sheet.x, sheet.triangles, 0.001);
            const auto self = bvh.self_pairs(), cross = bvh.cross_pairs(obstacle);
            if (count == 1) self_of_one = self, cross_of_one = cross;
            EXPECT_EQ(self, self_of_one) << count << " threads";
            EXPECT_EQ(cross, cross_of_one) << count << " threads";
        });
    }
    EXPECT_GT(self_of_one.size(), 30000u);
    EXPECT_GT(cross_of_one.size(), 1000u);
}

TEST(BoxTree, query_visits_each_overlapping_item_once)
{
    const Sheet sheet = test::folded_sheet(1500, 4);
    const std::vector<Box> boxes = boxes_of(sheet, 0);
    BoxTree bvh;
    bvh.build(boxes);
    std::mt19937 random(6);
    std::uniform_real_distribution<double> any(0, 1);
    for (int n = 0; n < 300; ++n) {
        const Vec3 p{any(random) * 0.3, any(random), any(random) * 0.02};
        const Box box = outward_box(p, p, any(random) * 0.1);
        std::vector<std::uint32_t> found, expected;
        bvh.query(box, [&](std::uint32_t item) { found.push_back(item); });
        for (std::uint32_t i = 0; i < boxes.size(); ++i)
            if (overlap(box, boxes[i])) expected.push_back(i);
        std::sort(found.begin(), found.end());
        ASSERT_EQ(found, expected);
    }
}

TEST(BoxTree, takes_any_number_of_items)
{
    std::mt19937 random(7);
    std::uniform_real_distribution<double> any(0, 1);
    for (const std::size_t count : {0u, 1u, 2u, 7u, 8u, 9u, 63u, 64u, 65u, 511u, 513u, 600u}) {
        std::vector<Box> boxes;
        for (std::size_t i = 0; i < count; ++i) {
            const Vec3 p{any(random), any(random), any(random)};
            boxes.push_back(outward_box(p, p, 0.1));
        }
        BoxTree bvh;
        bvh.build(boxes);
        EXPECT_EQ(sorted(bvh.self_pairs()), brute_self_pairs(boxes)) << count;
        EXPECT_EQ(sorted(bvh.cross_pairs(bvh)), brute_cross_pairs(boxes, boxes)) << count;
        EXPECT_TRUE(bvh.cross_pairs(BoxTree{}).empty());
        if (count > 0) {
            for (const Box& b : boxes) EXPECT_TRUE(overlap(bvh.bounds(), b));
        }
    }
}

TEST(BoxTree, items_all_in_one_place_are_all_pairs)
{
    const std::vector<Box> boxes(100, outward_box({1, 2, 3}, {1, 2, 3}, 0));
    BoxTree bvh;
    bvh.build(boxes);
    EXPECT_EQ(bvh.self_pairs().size(), 4950u);
}

TEST(BoxTree, visitors_see_every_piece_once)
{
    const Sheet sheet = test::folded_sheet(5000);
    BoxTree bvh;
    bvh.build(boxes_of(sheet, 0));
    std::vector<std::size_t> visits(bvh.piece_count()), counts(bvh.piece_count());
    bvh.visit_self_pairs([&](std::size_t piece, std::span<const BoxPair> pairs) {
        ++visits[piece];
        counts[piece] = pairs.size();
    });
    std::size_t total = 0;
    for (std::size_t i = 0; i < visits.size(); ++i) {
        EXPECT_EQ(visits[i], 1u);
        total += counts[i];
    }
    EXPECT_EQ(total, bvh.self_pairs().size());
}

TEST(BoxTree, nearest_finds_the_same_distance_as_brute_force)
{
    std::mt19937 random(7);
    std::uniform_real_distribution<double> within(-1, 1);
    const auto point = [&] { return Vec3{within(random), within(random), within(random)}; };
    for (const std::size_t count : {1u, 7u, 8u, 9u, 300u, 1000u}) {
        std::vector<Vec3> items(count);
        std::vector<Box> boxes;
        for (Vec3& x : items) {
            x = point();
            boxes.push_back(outward_box(x, x, 0));
        }
        BoxTree tree;
        tree.build(boxes);
        std::size_t looks = 0;
        constexpr int queries = 50;
        for (int i = 0; i < queries; ++i) {
            const Vec3 x = 1.5 * point();
            double exact = std::numeric_limits<double>::infinity();
            for (const Vec3& y : items) exact = std::min(exact, norm2(x - y));
            const auto search = [&](double best2) {
                return tree.nearest(x, best2, [&](std::uint32_t item) {
                    ++looks;
                    return best2 = std::min(best2, norm2(x - items[item]));
                });
            };
            EXPECT_EQ(search(std::numeric_limits<double>::infinity()), exact);
            EXPECT_EQ(search(0.5 * exact), 0.5 * exact) << "nothing is nearer than the bound";
        }
        if (count == 1000) {
            EXPECT_LT(looks, queries * count / 10) << "most items are never looked at";
        }
    }
}

TEST(BoxTree, nearest_pair_finds_the_same_distance_as_brute_force)
{
    std::mt19937 random(3);
    std::uniform_real_distribution<double> within(-1, 1);
    const auto cloud = [&](std::size_t count) {
        std::vector<Vec3> x(count);
        for (Vec3& p : x) p = {within(random), within(random), within(random)};
        return x;
    };
    const auto tree_of = [](const std::vector<Vec3>& x) {
        std::vector<Box> boxes;
        for (const Vec3& p : x) boxes.push_back(outward_box(p, p, 0));
        BoxTree tree;
        tree.build(boxes);
        return tree;
    };
    for (const auto& [m, n] : {std::pair{1u, 1u}, {9u, 500u}, {500u, 9u}, {300u, 200u}}) {
        const std::vector<Vec3> a = cloud(m), b = cloud(n);
        const BoxTree tree_a = tree_of(a), tree_b = tree_of(b);
        for (const Vec3& shift : {Vec3{}, Vec3{3, 0, 0}, Vec3{0.5, -2, 1}}) {
            double exact = std::numeric_limits<double>::infinity();
            for (const Vec3& p : a)
                for (const Vec3& q : b) exact = std::min(exact, norm2(p + shift - q));
            double best2 = std::numeric_limits<double>::infinity();
            tree_a.nearest_pair(tree_b, shift, best2, [&](std::uint32_t i, std::uint32_t j) {
                return best2 = std::min(best2, norm2(a[i] + shift - b[j]));
            });
            EXPECT_EQ(best2, exact);
        }
    }
}

} // namespace
} // namespace pleat
