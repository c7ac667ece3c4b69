// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/linalg/block_pattern.hpp"

#include "pleat/core/error.hpp"

#include <algorithm>
#include <tuple>

namespace pleat {

namespace {

struct Record { // one element's share in one pair; the pair's row is its bucket
    std::uint32_t column;
    std::uint32_t list;
    std::uint32_t entry;
    double weight;

    [[nodiscard]] auto key() const { return std::tie(column, list, entry); }
};

/// Calls emit(row, column, list, entry, weight), row < column, for every coupling of an element.
template <class Emit>
void visit_couplings(std::span<const ElementList> lists, const Dependencies& dependencies,
                     Emit&& emit)
{
    for (std::uint32_t l = 0; l < lists.size(); ++l) {
        const std::size_t arity = lists[l].arity;
        const std::size_t count = arity == 0 ? 0 : lists[l].rows.size() / arity;
        for (std::size_t e = 0; e < count; ++e) {
            const auto rows = lists[l].rows.subspan(e * arity, arity);
            for (std::uint32_t i = 0; i < arity; ++i) {
                if (rows[i] == no_row) continue;
                for (std::uint32_t j = 0; j < arity; ++j) {
                    if (rows[j] == no_row) continue;
                    const auto entry = static_cast<std::uint32_t>(e * 64 + i * 8 + j);
                    if (dependencies.empty()) {
                        if (rows[i] < rows[j]) emit(rows[i], rows[j], l, entry, 1.0);
                        continue;
                    }
                    const Dependencies::Parent self_i{rows[i], 1.0}, self_j{rows[j], 1.0};
                    auto parents_i = dependencies.of(rows[i]);
                    auto parents_j = dependencies.of(rows[j]);
                    if (parents_i.empty()) parents_i = {&self_i, 1};
                    if (parents_j.empty()) parents_j = {&self_j, 1};
                    for (const auto& p : parents_i)
                        for (const auto& q : parents_j)
                            if (p.row < q.row) emit(p.row, q.row, l, entry, p.weight * q.weight);
                }
            }
        }
    }
}

} // namespace

PatternParts build_pattern(std::size_t row_count, std::span<const ElementList> lists,
                           const Dependencies& dependencies)
{
    PLEAT_ASSERT(dependencies.empty() || dependencies.start.size() == row_count + 1,
                 "dependencies fit the rows");
    // Bucket the couplings by row, then sort each bucket by column.
    std::vector<std::uint32_t> bucket(row_count + 1, 0);
    visit_couplings(lists, dependencies,
                    [&](std::uint32_t row, std::uint32_t, std::uint32_t, std::uint32_t, double) {
                        ++bucket[row + 1];
                    });
    for (std::size_t r = 0; r < row_count; ++r) bucket[r + 1] += bucket[r];
    std::vector<Record> records(bucket[row_count]);
    std::vector<std::uint32_t> next(bucket.begin(), bucket.end());
    visit_couplings(lists, dependencies,
                    [&](std::uint32_t row, std::uint32_t column, std::uint32_t list,
                        std::uint32_t entry, double weight) {
                        records[next[row]++] = {column, list, entry, weight};
                    });
    std::vector<std::uint32_t> pair_start(row_count + 1, 0); // upper columns of a row
    parallel_for(row_count, [&](std::size_t r) {
        const auto first = records.begin() + bucket[r], last = records.begin() + bucket[r + 1];
        std::sort(first, last, [](const Record& a, const Record& b) { return a.key() < b.key(); });
        std::uint32_t distinct = 0;
        for (auto it = first; it != last; ++it)
            if (it == first || it->column != (it - 1)->column) ++distinct;
        pair_start[r + 1] = distinct;
    });
    for (std::size_t r = 0; r < row_count; ++r) pair_start[r + 1] += pair_start[r];

    PatternParts result;
    BlockPattern& pattern = result.pattern;
    pattern.pairs.resize(pair_start[row_count]);
    result.gathers.resize(lists.size());
    for (BlockGather& g : result.gathers) g.start.assign(pattern.pairs.size() + 1, 0);
    std::size_t pair = 0;
    for (std::size_t r = 0; r < row_count; ++r)
        for (std::uint32_t k = bucket[r]; k < bucket[r + 1]; ++k) {
            if (k == bucket[r] || records[k].column != records[k - 1].column)
                pattern.pairs[pair++] = {static_cast<std::uint32_t>(r), records[k].column, 0, 0};
            BlockGather& g = result.gathers[records[k].list];
            g.entry.push_back(records[k].entry);
            if (!dependencies.empty()) g.weight.push_back(records[k].weight);
            ++g.start[pair];
        }
    for (BlockGather& g : result.gathers)
        for (std::size_t p = 0; p < pattern.pairs.size(); ++p) g.start[p + 1] += g.start[p];

    // Slots: a row's lower columns come from earlier pairs in ascending order, then its upper ones.
    pattern.row_start.assign(row_count + 1, 0);
    for (const auto& p : pattern.pairs) {
        ++pattern.row_start[p.row + 1];
        ++pattern.row_start[p.column + 1];
    }
    for (std::size_t r = 0; r < row_count; ++r) pattern.row_start[r + 1] += pattern.row_start[r];
    pattern.column.resize(2 * pattern.pairs.size());
    std::vector<std::uint32_t> fill(pattern.row_start.begin(), pattern.row_start.end());
    for (auto& p : pattern.pairs) {
        p.mirror = fill[p.column]++;
        pattern.column[p.mirror] = p.row;
    }
    for (auto& p : pattern.pairs) {
        p.slot = fill[p.row]++;
        pattern.column[p.slot] = p.column;
    }
    return result;
}

RowGather build_row_gather(std::size_t row_count, const ElementList& list)
{
    RowGather g;
    g.start.assign(row_count + 1, 0);
    for (std::uint32_t row : list.rows)
        if (row != no_row) ++g.start[row + 1];
    for (std::size_t r = 0; r < row_count; ++r) g.start[r + 1] += g.start[r];
    g.entry.resize(g.start[row_count]);
    std::vector<std::uint32_t> fill(g.start.begin(), g.start.end());
    for (std::size_t k = 0; k < list.rows.size(); ++k)
        if (list.rows[k] != no_row)
            g.entry[fill[list.rows[k]]++] =
                static_cast<std::uint32_t>(k / list.arity * 8 + k % list.arity);
    return g;
}

} // namespace pleat
