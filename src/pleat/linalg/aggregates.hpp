// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Groups of rows that a matrix couples strongly, for the coarse levels of a multigrid method.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace pleat {

/// A symmetric graph with positive strengths; both (i, j) and (j, i) are there.
struct CouplingGraph {
    std::vector<std::uint32_t> start; // by row, row count + 1 entries
    std::vector<std::uint32_t> column;
    std::vector<float> strength;

    [[nodiscard]] std::size_t row_count() const { return start.empty() ? 0 : start.size() - 1; }
};

struct Aggregates {
    std::vector<std::uint32_t> of_row;
    std::vector<std::uint32_t> start; // by aggregate, count + 1 entries
    std::vector<std::uint32_t> rows;  // ascending within an aggregate

    [[nodiscard]] std::size_t count() const { return start.size() - 1; }
    [[nodiscard]] std::span<const std::uint32_t> of(std::size_t aggregate) const
    {
        return std::span(rows).subspan(start[aggregate], start[aggregate + 1] - start[aggregate]);
    }
};

/// Pairs each row with the neighbour that it is coupled with most strongly, then pairs the pairs,
/// and so on: aggregates of up to 2^rounds rows that follow the directions in which the matrix is
/// stiff. Depends on the numbers and the order of the rows only. The graph becomes that between the
/// aggregates.
[[nodiscard]] Aggregates make_aggregates(CouplingGraph& graph, int rounds);

} // namespace pleat
