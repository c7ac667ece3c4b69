// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// The linear system of one implicit step: symmetric positive definite, 3x3 blocks.
//
//   A = own + internal + links,
//
//   internal  forces between nodes that do not change when everything moves together, so that the
//             blocks of a row add up to zero: only the off-diagonal ones are stored, and
//             (A x)_i = sum_j off_ij (x_j - x_i). The diagonal is never formed in the product, so
//             that rounding, in float too, cannot make a translation cost energy.
//   own       what ties a node to the world: mass, drag, springs.
//   links     little dense couplings outside the pattern, such as contacts:
//             sum_l (w_l (x) I) S_l (w_l (x) I)^T.
#pragma once

#include "pleat/core/vec.hpp"
#include "pleat/linalg/block_pattern.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace pleat {

/// Weighted sums of nodes, each held by a 3x3 matrix.
struct BlockLinks {
    std::vector<std::uint32_t> start{0}; // by link, link count + 1 entries
    std::vector<std::uint32_t> row;      // each at most once in a link
    std::vector<double> weight;
    std::vector<Mat3> matrix; // by link, symmetric positive semi-definite

    [[nodiscard]] std::size_t size() const { return matrix.size(); }
    void clear();
    void add(std::span<const std::uint32_t> rows, std::span<const double> weights, const Mat3& m);
    /// The same where some of the rows depend on others.
    void add(const Dependencies& dependencies, std::span<const std::uint32_t> rows,
             std::span<const double> weights, const Mat3& m);
};

struct BlockSystem {
    const BlockPattern* pattern = nullptr; // borrowed; a new pattern has a new address or revision
    std::uint64_t pattern_revision = 0;    // changes whenever the pattern does
    std::vector<Mat3> off;                 // by slot; off(j, i) == transpose(off(i, j))
    std::vector<Mat3> own;                 // by row, symmetric
    BlockLinks links;
    std::vector<std::uint8_t> fixed; // by row: 1 where the solution is given; empty: none
    // Changes whenever off, own or fixed do, so that solvers need not prepare them anew; 0:
    // unknown.
    std::uint64_t blocks_revision = 0;
    // Changes when links change much, so that approximations of them must be made anew; 0: unknown.
    std::uint64_t links_revision = 0;
    std::vector<Vec3> positions; // of the rows [m], for coarse levels of solvers; empty: unknown
    // Rows that links may couple as long as blocks_revision stays, by possible link, as in
    // BlockLinks. Empty: what the links couple now.
    std::vector<std::uint32_t> couple_start, couple_row;

    [[nodiscard]] std::size_t row_count() const { return own.size(); }
    [[nodiscard]] bool is_fixed(std::size_t row) const { return !fixed.empty() && fixed[row] != 0; }
};

/// The rows of the links that there are or may be, by link as in BlockLinks: those of the couplings
/// where they are known, else those of the links.
struct PossibleLinks {
    std::span<const std::uint32_t> start, row;
};
[[nodiscard]] inline PossibleLinks possible_links(const BlockSystem& a)
{
    if (a.couple_start.empty()) return {a.links.start, a.links.row};
    return {a.couple_start, a.couple_row};
}

/// y = (off part) x: the internal forces' share only.
void multiply_internal(const BlockPattern& pattern, std::span<const Mat3> off,
                       std::span<const Vec3> x, std::span<Vec3> y);

/// y = A x, with no regard to `fixed`.
void multiply(const BlockSystem& a, std::span<const Vec3> x, std::span<Vec3> y);

/// The 3x3 blocks on the diagonal of A.
[[nodiscard]] std::vector<Mat3> diagonal_blocks(const BlockSystem& a);

} // namespace pleat
