// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Disjoint sets of numbers (union-find).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

namespace pleat {

/// 0 to count - 1, each a set of its own at first. The root of a set is its lowest number, whatever
/// the order in which sets were joined.
class DisjointSets {
public:
    explicit DisjointSets(std::size_t count) : parent_(count)
    {
        std::iota(parent_.begin(), parent_.end(), 0u);
    }
    [[nodiscard]] std::uint32_t root(std::uint32_t i)
    {
        while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
        return i;
    }
    void join(std::uint32_t a, std::uint32_t b)
    {
        a = root(a);
        b = root(b);
        parent_[std::max(a, b)] = std::min(a, b);
    }

private:
    std::vector<std::uint32_t> parent_;
};

} // namespace pleat
