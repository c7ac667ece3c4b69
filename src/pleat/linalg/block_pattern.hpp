// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Where the 3x3 blocks of a symmetric matrix lie, and which elements add to each.
//
// Made once a mesh: element lists (triangles, hinges, ...) go in; out come the rows with their
// columns, and for each pair of rows the elements that couple them, in a fixed order. Assembly then
// is a gather: each block is written by one task, from its elements in order. There are no
// atomics and no colours, and the bits do not depend on the threads.
//
// Where rows depend on others (dependencies.hpp) the elements add to the rows of the parents with
// the products of the weights, which is P^T K P. Elements are not aware of it; without dependencies
// this costs neither memory nor time.
#pragma once

#include "pleat/core/parallel.hpp"
#include "pleat/core/vec.hpp"
#include "pleat/linalg/dependencies.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace pleat {

/// A corner that an element does not use.
inline constexpr std::uint32_t no_row = 0xffffffffu;

/// Elements of one kind: `arity` rows each (at most 16), one after the other.
struct ElementList {
    std::span<const std::uint32_t> rows;
    std::size_t arity = 0;
};

/// Off-diagonal blocks by row; both (i, j) and (j, i) have a slot.
struct BlockPattern {
    struct Pair {
        std::uint32_t row, column; // row < column
        std::uint32_t slot;        // of (row, column)
        std::uint32_t mirror;      // of (column, row)
    };
    std::vector<std::uint32_t> row_start; // row_count + 1 entries
    std::vector<std::uint32_t> column;    // by slot, ascending within a row
    std::vector<Pair> pairs;              // by row, then column

    [[nodiscard]] std::size_t row_count() const
    {
        return row_start.empty() ? 0 : row_start.size() - 1;
    }
    [[nodiscard]] std::size_t slot_count() const { return column.size(); }
};

/// For each pair of a pattern: which elements of one list couple it, between which corners.
struct BlockGather {
    std::vector<std::uint32_t> start; // by pair, pair count + 1 entries
    std::vector<std::uint32_t> entry; // element * 256 + corner of row * 16 + corner of column
    std::vector<double> weight;       // by entry; empty: all 1 (no dependencies)
};

/// For each row: which elements of one list have a corner there.
struct RowGather {
    std::vector<std::uint32_t> start; // by row, row_count + 1 entries
    std::vector<std::uint32_t> entry; // element * 16 + corner
};

struct PatternParts {
    BlockPattern pattern;
    std::vector<BlockGather> gathers; // one a list
};

/// \pre elements repeat no row; find_problem(dependencies, row_count) finds nothing.
[[nodiscard]] PatternParts build_pattern(std::size_t row_count, std::span<const ElementList> lists,
                                         const Dependencies& dependencies = {});

[[nodiscard]] RowGather build_row_gather(std::size_t row_count, const ElementList& list);

/// One list's part in an assembly: block(element, corner_i, corner_j) -> Mat3.
template <class Block> struct GatherPart {
    const BlockGather& gather;
    Block block;
};
template <class Block> GatherPart(const BlockGather&, Block) -> GatherPart<Block>;

/// Writes every off-diagonal block: the sum over its elements.
/// \pre blocks.size() == pattern.slot_count(); block(e, i, j) == transpose(block(e, j, i)).
template <class... Block>
void assemble_blocks(const BlockPattern& pattern, std::span<Mat3> blocks,
                     const GatherPart<Block>&... parts)
{
    parallel_for(pattern.pairs.size(), [&](std::size_t p) {
        Mat3 sum{};
        const auto add = [&](const auto& part) {
            const BlockGather& g = part.gather;
            for (std::uint32_t k = g.start[p]; k < g.start[p + 1]; ++k) {
                const std::uint32_t entry = g.entry[k];
                const Mat3 m = part.block(entry / 256, (entry / 16) % 16, entry % 16);
                if (g.weight.empty()) {
                    sum += m;
                } else {
                    sum += m * g.weight[k];
                }
            }
        };
        (add(parts), ...);
        blocks[pattern.pairs[p].slot] = sum;
        blocks[pattern.pairs[p].mirror] = transpose(sum);
    });
}

} // namespace pleat
