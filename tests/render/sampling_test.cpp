// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/render/sampling.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace pleat {
namespace {

/// Whether 2^k points put one into each box of 2^a by 2^(k - a) in the unit square, for every a.
bool is_spread(const std::vector<Vec2f>& points, int k)
{
    for (int a = 0; a <= k; ++a) {
        std::set<std::pair<int, int>> boxes;
        for (const Vec2f& p : points)
            boxes.insert({int(p[0] * float(1 << a)), int(p[1] * float(1 << (k - a)))});
        if (boxes.size() != points.size()) return false;
    }
    return true;
}

TEST(SpreadPoint, every_aligned_run_fills_every_elementary_box)
{
    for (const std::uint64_t first : {0ull, 64ull, 640ull, 1ull << 30, (1ull << 40) + 128}) {
        std::vector<Vec2f> points;
        for (std::uint64_t i = 0; i < 64; ++i) {
            const auto p = spread_point(first + i);
            points.push_back({unit_float(p[0]), unit_float(p[1])});
        }
        EXPECT_TRUE(is_spread(points, 6)) << first;
    }
}

TEST(ShuffledZOrder, visits_each_pixel_of_an_aligned_square_once_and_together)
{
    std::set<std::uint64_t> places;
    for (std::uint32_t row = 32; row < 48; ++row)
        for (std::uint32_t column = 80; column < 96; ++column)
            places.insert(shuffled_z_order(column, row, 7));
    ASSERT_EQ(places.size(), 256u);
    EXPECT_EQ(*places.rbegin() - *places.begin(), 255u);
    EXPECT_EQ(*places.begin() % 256, 0u);
    EXPECT_NE(shuffled_z_order(80, 32, 7), shuffled_z_order(80, 32, 8));
}

TEST(PixelPoints, are_spread_in_a_pixel_and_in_a_square_of_pixels)
{
    PixelPoints points(16, 3);
    std::vector<Vec2f> square;
    for (std::uint32_t row = 4; row < 6; ++row)
        for (std::uint32_t column = 10; column < 12; ++column) {
            points.move_to(column, row);
            std::vector<Vec2f> own;
            for (std::size_t i = 0; i < 16; ++i) own.push_back(points[i]);
            EXPECT_TRUE(is_spread(own, 4));
            square.insert(square.end(), own.begin(), own.end());
        }
    EXPECT_TRUE(is_spread(square, 6));
}

TEST(PixelPoints, depend_on_pixel_and_seed_only)
{
    PixelPoints a(16, 3), b(16, 3), other(16, 4);
    a.move_to(5, 9);
    const Vec2f first = a[0];
    a.move_to(6, 9);
    EXPECT_NE(a[0], first);
    a.move_to(5, 9);
    b.move_to(5, 9);
    other.move_to(5, 9);
    EXPECT_EQ(a[0], first);
    EXPECT_EQ(b[0], first);
    EXPECT_NE(other[0], first);
}

} // namespace
} // namespace pleat
