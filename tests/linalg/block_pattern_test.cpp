// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/linalg/block_pattern.hpp"

#include <gtest/gtest.h>

#include <array>

namespace pleat {
namespace {

/// Two triangles 0-1-2 and 2-1-3 as elements, and one coupling of 0 and 3.
PatternParts two_triangles(const Dependencies& d = {})
{
    static constexpr std::array<std::uint32_t, 6> triangles{0, 1, 2, 2, 1, 3};
    static constexpr std::array<std::uint32_t, 3> links{0, no_row, 3};
    const std::array<ElementList, 2> lists{ElementList{triangles, 3}, ElementList{links, 3}};
    return build_pattern(4, lists, d);
}

TEST(BlockPattern, rows_hold_their_neighbours_in_order)
{
    const PatternParts parts = two_triangles();
    EXPECT_EQ(parts.pattern.row_count(), 4u);
    EXPECT_EQ(parts.pattern.row_start, (std::vector<std::uint32_t>{0, 3, 6, 9, 12}));
    EXPECT_EQ(parts.pattern.column,
              (std::vector<std::uint32_t>{1, 2, 3, 0, 2, 3, 0, 1, 3, 0, 1, 2}));
}

TEST(BlockPattern, pairs_know_their_two_slots)
{
    const BlockPattern p = two_triangles().pattern;
    ASSERT_EQ(p.pairs.size(), 6u);
    for (const auto& pair : p.pairs) {
        EXPECT_LT(pair.row, pair.column);
        EXPECT_EQ(p.column[pair.slot], pair.column);
        EXPECT_EQ(p.column[pair.mirror], pair.row);
        EXPECT_GE(pair.slot, p.row_start[pair.row]);
        EXPECT_LT(pair.slot, p.row_start[pair.row + 1]);
        EXPECT_GE(pair.mirror, p.row_start[pair.column]);
        EXPECT_LT(pair.mirror, p.row_start[pair.column + 1]);
    }
}

TEST(BlockPattern, assembly_sums_the_elements_of_a_pair)
{
    const PatternParts parts = two_triangles();
    std::vector<Mat3> blocks(parts.pattern.slot_count());
    const auto triangle = [](std::uint32_t e, std::uint32_t i, std::uint32_t j) {
        Mat3 m{};
        m(0, 0) = e + 1.0;
        m(0, 1) = i + 10.0 * j; // not symmetric in (i, j): transposed in the mirror
        m(1, 0) = j + 10.0 * i;
        return m;
    };
    const auto link = [](std::uint32_t, std::uint32_t, std::uint32_t) { return identity<3>(); };
    assemble_blocks(parts.pattern, blocks, GatherPart{parts.gathers[0], triangle},
                    GatherPart{parts.gathers[1], link});
    const auto at = [&](std::uint32_t row, std::uint32_t column) {
        for (std::uint32_t s = parts.pattern.row_start[row]; s < parts.pattern.row_start[row + 1];
             ++s)
            if (parts.pattern.column[s] == column) return blocks[s];
        return Mat3{};
    };
    EXPECT_EQ(at(0, 1)(0, 0), 1.0);            // first triangle only
    EXPECT_EQ(at(1, 2)(0, 0), 3.0);            // both
    EXPECT_EQ(at(1, 2)(0, 1), 1 + 20.0 + 1.0); // corners (1, 2) and (1, 0)
    EXPECT_EQ(at(2, 1)(1, 0), at(1, 2)(0, 1));
    EXPECT_EQ(at(0, 3), identity<3>());
}

TEST(BlockPattern, dependent_rows_pass_their_couplings_to_the_parents)
{
    // Row 3 is the mean of rows 0 and 1.
    Dependencies d;
    d.start = {0, 0, 0, 0, 2};
    d.parents = {{0, 0.5}, {1, 0.5}};
    const PatternParts parts = two_triangles(d);
    EXPECT_EQ(parts.pattern.row_start[4], parts.pattern.row_start[3]); // none left
    std::vector<Mat3> blocks(parts.pattern.slot_count());
    // Element stiffness of a triangle: 2 on the diagonal, -1 off it.
    const auto triangle = [](std::uint32_t, std::uint32_t i, std::uint32_t j) {
        return identity<3>() * (i == j ? 2.0 : -1.0);
    };
    assemble_blocks(parts.pattern, blocks, GatherPart{parts.gathers[0], triangle});
    const auto at = [&](std::uint32_t row, std::uint32_t column) {
        for (std::uint32_t s = parts.pattern.row_start[row]; s < parts.pattern.row_start[row + 1];
             ++s)
            if (parts.pattern.column[s] == column) return blocks[s](0, 0);
        return 0.0;
    };
    // K of both triangles with P: (0,1): -1 + 1/4*2 + 1/2*(-1); (0,2): -1 + 1/2*(-1);
    // (1,2): -2 + 1/2*(-1).
    EXPECT_DOUBLE_EQ(at(0, 1), -1 + 0.5 - 0.5);
    EXPECT_DOUBLE_EQ(at(0, 2), -1.5);
    EXPECT_DOUBLE_EQ(at(1, 2), -2.5);
}

} // namespace
} // namespace pleat
