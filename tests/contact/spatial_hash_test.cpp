// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/contact/spatial_hash.hpp"

#include "contact/folded_sheet.hpp"
#include "pleat/core/parallel.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace pleat::test {
namespace {

std::vector<Box> boxes_of(const Sheet& sheet, double margin)
{
    std::vector<Box> boxes;
    for (const auto& t : sheet.triangles) boxes.push_back(triangle_box(sheet.x, t, margin));
    return boxes;
}

std::vector<BoxPair> sorted(std::vector<BoxPair> pairs)
{
    std::sort(pairs.begin(), pairs.end());
    return pairs;
}

std::vector<BoxPair> brute_force(std::span<const Box> a, std::span<const Box> b, bool self)
{
    std::vector<BoxPair> pairs;
    for (std::uint32_t i = 0; i < a.size(); ++i)
        for (std::uint32_t j = self ? i + 1 : 0; j < b.size(); ++j)
            if (overlap(a[i], b[j])) pairs.push_back({i, j});
    return pairs;
}

TEST(SpatialHash, finds_the_pairs_of_brute_force_on_random_cloth)
{
    for (unsigned seed = 1; seed <= 10; ++seed) {
        Sheet sheet = folded_sheet(700), other = flat_sheet(9, 13, 0.7, 0.01);
        shake(sheet, 0.02 * seed, seed);
        shake(other, 0.01 * seed, seed + 100);
        const auto a = boxes_of(sheet, 0.002), b = boxes_of(other, 0.003);
        SpatialHash hash_a, hash_b;
        hash_a.fill(a);
        hash_b.fill(b);
        EXPECT_TRUE(sorted(hash_a.self_pairs()) == brute_force(a, a, true));
        EXPECT_TRUE(sorted(hash_a.cross_pairs(hash_b)) == brute_force(a, b, false));
        EXPECT_TRUE(sorted(hash_b.cross_pairs(hash_a)) == brute_force(b, a, false));
    }
}

TEST(SpatialHash, agrees_with_the_tree)
{
    const auto boxes = boxes_of(folded_sheet(6000), 0.0025);
    SpatialHash hash;
    hash.fill(boxes);
    BoxTree tree;
    tree.build(boxes);
    EXPECT_TRUE(sorted(hash.self_pairs()) == sorted(tree.self_pairs()));
}

TEST(SpatialHash, takes_boxes_of_very_different_sizes_and_places)
{
    std::vector<Box> boxes;
    for (int i = 0; i < 60; ++i) {
        const float at = 0.01f * float(i);
        boxes.push_back({{at, 0, 0}, {at + 0.015f, 0.01f, 0.01f}});
    }
    boxes.push_back({{-1e6f, -1e6f, 0.005f}, {1e6f, 1e6f, 0.006f}}); // a floor
    boxes.push_back({{1e30f, 0, 0}, {2e30f, 1, 1}});
    boxes.push_back({{1.5e30f, 0, 0}, {2e30f, 1, 1}});
    boxes.push_back({{0.2f, 0.005f, 0.005f}, {0.2f, 0.005f, 0.005f}}); // a point
    SpatialHash hash;
    hash.fill(boxes);
    EXPECT_TRUE(sorted(hash.self_pairs()) == brute_force(boxes, boxes, true));
}

TEST(SpatialHash, holds_nothing_at_first)
{
    SpatialHash hash;
    EXPECT_TRUE(hash.self_pairs().empty());
    hash.fill({});
    EXPECT_TRUE(hash.self_pairs().empty());
    EXPECT_TRUE(hash.cross_pairs(hash).empty());
}

TEST(SpatialHash, gives_the_same_order_for_any_number_of_threads)
{
    const auto boxes = boxes_of(folded_sheet(3000), 0.0025);
    std::vector<std::vector<BoxPair>> results;
    for (const int count : {1, 2, 8})
        Threads(count).run([&] {
            SpatialHash hash;
            hash.fill(boxes);
            results.push_back(hash.self_pairs());
        });
    EXPECT_TRUE(results[0] == results[1]);
    EXPECT_TRUE(results[0] == results[2]);
}

} // namespace
} // namespace pleat::test
