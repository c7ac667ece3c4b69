// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// A BlockSystem in float, for the inner loops of iterative solvers.
//
// A row's vector is four floats, the fourth always zero. A block is nine floats by column, read as
// three overlapping loads of four; what the fourth lane then holds is masked away once a row. The
// product uses differences x_j - x_i (block_system.hpp), so the diagonal of the internal part is
// never rounded to float. Links do the same with differences to their first row.
#pragma once

#include "pleat/core/simd.hpp"
#include "pleat/linalg/block_system.hpp"
#include "pleat/linalg/sweep_order.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace pleat {

class FloatSystem {
public:
    /// Takes over the blocks: `off`, `own`, `fixed`. In each row those of earlier rows come first.
    void set_blocks(const BlockSystem& a, const SweepOrder& order);
    /// Takes over the links, and inverts the blocks on the diagonal.
    /// \pre set_blocks() was called with the same blocks.
    void set_links(const BlockSystem& a);

    [[nodiscard]] std::size_t row_count() const { return row_count_; }
    [[nodiscard]] bool is_fixed(std::size_t row) const
    {
        return !fixed_.empty() && fixed_[row] != 0;
    }

    /// (A x) of one row.
    [[nodiscard]] Float4 product(std::size_t row, std::span<const Float4> x) const
    {
        const Float4 xi = x[row];
        Float4 sum0{}, sum1{}, sum2{};
        const std::uint32_t end = row_start_[row + 1];
        std::uint32_t s = row_start_[row];
        const float* block = &off_[9 * std::size_t{s}];
        for (; s < end; ++s, block += 9) {
            const Float4 d = x[column_[s]] - xi;
            sum0 += load4(block) * splat(d[0]);
            sum1 += load4(block + 3) * splat(d[1]);
            sum2 += load4(block + 6) * splat(d[2]);
        }
        Float4 sum = (sum0 + sum1) + (sum2 + times(&own_[9 * row], xi));
        for (std::uint32_t e = pull_start_[row]; e < pull_start_[row + 1]; ++e)
            sum += splat(pulls_[e].weight) * link_force(pulls_[e].link, x);
        return three_lanes(sum);
    }

    /// What earlier rows alone add to (A x) of a row. \pre x is zero on this row and on later ones
    [[nodiscard]] Float4 product_before(std::size_t row, std::span<const Float4> x) const
    {
        Float4 sum = blocks_times(row_start_[row], split_[row], x);
        for (std::uint32_t e = pull_start_[row]; e < pull_start_[row + 1]; ++e)
            sum += splat(pulls_[e].weight) * link_force(pulls_[e].link, x);
        return three_lanes(sum);
    }

    /// What later rows alone add to (A x) of a row.
    [[nodiscard]] Float4 product_after(std::size_t row, std::span<const Float4> x,
                                       const SweepOrder& order) const
    {
        Float4 sum = blocks_times(split_[row], row_start_[row + 1], x);
        for (std::uint32_t e = pull_start_[row]; e < pull_start_[row + 1]; ++e) {
            const std::uint32_t l = pulls_[e].link;
            Float4 later{};
            for (std::uint32_t k = link_start_[l]; k < link_start_[l + 1]; ++k)
                if (order.is_before(static_cast<std::uint32_t>(row), link_row_[k]))
                    later += splat(link_weight_[k]) * x[link_row_[k]];
            sum += splat(pulls_[e].weight) * times(&link_matrix_[9 * std::size_t{l}], later);
        }
        return three_lanes(sum);
    }

    /// (block on the diagonal)^-1 r; zero for fixed rows.
    [[nodiscard]] Float4 solve_diagonal(std::size_t row, Float4 r) const
    {
        return three_lanes(times(&inverse_[9 * row], r));
    }

private:
    /// The matrix p points to, nine floats by column, times v. Reads one float beyond.
    static Float4 times(const float* p, Float4 v)
    {
        return load4(p) * splat(v[0]) + load4(p + 3) * splat(v[1]) + load4(p + 6) * splat(v[2]);
    }
    /// The blocks of slots [first, last) times x.
    [[nodiscard]] Float4 blocks_times(std::uint32_t first, std::uint32_t last,
                                      std::span<const Float4> x) const
    {
        Float4 sum0{}, sum1{}, sum2{};
        const float* block = &off_[9 * std::size_t{first}];
        for (std::uint32_t s = first; s < last; ++s, block += 9) {
            const Float4 d = x[column_[s]];
            sum0 += load4(block) * splat(d[0]);
            sum1 += load4(block + 3) * splat(d[1]);
            sum2 += load4(block + 6) * splat(d[2]);
        }
        return (sum0 + sum1) + sum2;
    }
    [[nodiscard]] Float4 link_force(std::uint32_t l, std::span<const Float4> x) const
    {
        const std::uint32_t first = link_start_[l];
        const Float4 x0 = x[link_row_[first]];
        Float4 sum = splat(link_total_[l]) * x0;
        for (std::uint32_t k = first + 1; k < link_start_[l + 1]; ++k)
            sum += splat(link_weight_[k]) * (x[link_row_[k]] - x0);
        return times(&link_matrix_[9 * std::size_t{l}], sum);
    }

    struct Pull {
        std::uint32_t link;
        float weight;
    };
    std::size_t row_count_ = 0;
    std::vector<std::uint32_t> row_start_, split_; // split: the first slot of a later row
    std::vector<std::uint32_t> column_;            // by slot
    std::vector<std::uint8_t> fixed_;
    std::vector<float> off_, own_, inverse_; // nine floats a block, and one float of padding
    std::vector<Mat3> diagonal_;             // without links
    std::vector<std::uint8_t> stale_; // by row: 1 where the inverse is missing or has links in it
    std::vector<std::uint32_t> link_start_, link_row_;
    std::vector<float> link_matrix_, link_weight_, link_total_; // total: sum of a link's weights
    std::vector<std::uint32_t> pull_start_;                     // by row
    std::vector<Pull> pulls_;                                   // of the links on each row
};

} // namespace pleat
