// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/core/disjoint_sets.hpp"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace pleat {
namespace {

TEST(DisjointSets, have_their_lowest_number_as_root_in_any_order_of_joining)
{
    const std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs{
        {7, 3}, {5, 6}, {3, 5}, {1, 8}};
    for (const bool backward : {false, true}) {
        DisjointSets sets(9);
        for (std::size_t i = 0; i < pairs.size(); ++i) {
            const auto& [a, b] = pairs[backward ? pairs.size() - 1 - i : i];
            backward ? sets.join(b, a) : sets.join(a, b);
        }
        const std::vector<std::uint32_t> expected{0, 1, 2, 3, 4, 3, 3, 3, 1};
        for (std::uint32_t i = 0; i < 9; ++i) EXPECT_EQ(sets.root(i), expected[i]) << i;
    }
}

} // namespace
} // namespace pleat
