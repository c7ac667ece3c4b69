// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/linalg/float_system.hpp"

#include <cmath>
#include <numeric>

namespace pleat {

namespace {

void store_columns(const Mat3& m, float* p)
{
    for (std::size_t j = 0; j < 3; ++j)
        for (std::size_t i = 0; i < 3; ++i) p[3 * j + i] = static_cast<float>(m(i, j));
}

} // namespace

void FloatSystem::set_blocks(const BlockSystem& a, const SweepOrder& order)
{
    const BlockPattern& pattern = *a.pattern;
    row_count_ = a.row_count();
    fixed_ = a.fixed;
    row_start_ = pattern.row_start;
    split_.resize(row_count_);
    column_.resize(pattern.slot_count());
    off_.resize(9 * pattern.slot_count() + 1);
    own_.resize(9 * row_count_ + 1);
    diagonal_.resize(row_count_);
    stale_.assign(row_count_, 1);
    parallel_for(row_count_, [&](std::size_t i) {
        Mat3 d = a.own[i];
        const auto self = static_cast<std::uint32_t>(i);
        std::uint32_t to = pattern.row_start[i];
        for (const bool before : {true, false}) {
            for (std::uint32_t s = pattern.row_start[i]; s < pattern.row_start[i + 1]; ++s) {
                if (order.is_before(pattern.column[s], self) != before) continue;
                store_columns(a.off[s], &off_[9 * std::size_t{to}]);
                column_[to++] = pattern.column[s];
                d -= a.off[s];
            }
            if (before) split_[i] = to;
        }
        store_columns(a.own[i], &own_[9 * i]);
        diagonal_[i] = d;
    });
}

void FloatSystem::set_links(const BlockSystem& a)
{
    const BlockLinks& links = a.links;
    const std::size_t count = links.size();
    link_start_ = links.start;
    link_row_ = links.row;
    link_matrix_.resize(9 * count + 1);
    link_total_.resize(count);
    link_weight_.resize(links.row.size());
    pulls_.resize(links.row.size());
    parallel_for(count, [&](std::size_t l) {
        store_columns(links.matrix[l], &link_matrix_[9 * l]);
        double total = 0;
        for (std::uint32_t k = links.start[l]; k < links.start[l + 1]; ++k) {
            link_weight_[k] = static_cast<float>(links.weight[k]);
            total += links.weight[k];
        }
        link_total_[l] = static_cast<float>(total);
    });
    // Counted one row further on, so that filling moves each start to where it belongs.
    pull_start_.assign(row_count_ + 2, 0);
    for (const std::uint32_t row : links.row) ++pull_start_[row + 2];
    std::partial_sum(pull_start_.begin(), pull_start_.end(), pull_start_.begin());
    for (std::uint32_t l = 0; l < count; ++l)
        for (std::uint32_t k = links.start[l]; k < links.start[l + 1]; ++k)
            pulls_[pull_start_[links.row[k] + 1]++] = {l, link_weight_[k]};

    inverse_.resize(9 * row_count_ + 1);
    parallel_for(row_count_, [&](std::size_t i) {
        const bool linked = pull_start_[i] < pull_start_[i + 1];
        if (!linked && stale_[i] == 0) return;
        stale_[i] = linked ? 1 : 0;
        Mat3 inv{}; // stays zero for fixed rows: the filter of [Baraff1998] sec. 5.3
        if (!is_fixed(i)) {
            Mat3 d = diagonal_[i];
            for (std::uint32_t e = pull_start_[i]; e < pull_start_[i + 1]; ++e) {
                const double weight = pulls_[e].weight;
                d += links.matrix[pulls_[e].link] * (weight * weight);
            }
            d = (d + transpose(d)) * 0.5;
            const double det = determinant(d);
            inv = det > 0 && std::isfinite(det) ? inverse(d) : identity<3>();
        }
        store_columns(inv, &inverse_[9 * i]);
    });
}

} // namespace pleat
