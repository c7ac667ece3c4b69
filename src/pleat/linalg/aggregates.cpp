// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/linalg/aggregates.hpp"

#include <numeric>

namespace pleat {

namespace {

constexpr std::uint32_t none = 0xffffffffu;

/// By row: the number of its pair. Rows without a free neighbour stay alone.
std::vector<std::uint32_t> pair_rows(const CouplingGraph& g, std::uint32_t& count)
{
    std::vector<std::uint32_t> pair(g.row_count(), none);
    count = 0;
    for (std::uint32_t i = 0; i < pair.size(); ++i) {
        if (pair[i] != none) continue;
        std::uint32_t best = none;
        float most = 0;
        for (std::uint32_t s = g.start[i]; s < g.start[i + 1]; ++s)
            if (pair[g.column[s]] == none && g.column[s] != i && g.strength[s] > most) {
                most = g.strength[s];
                best = g.column[s];
            }
        pair[i] = count;
        if (best != none) pair[best] = count;
        ++count;
    }
    return pair;
}

/// The graph between groups of rows: strengths added up.
CouplingGraph join_rows(const CouplingGraph& g, std::span<const std::uint32_t> group,
                        std::uint32_t count)
{
    std::vector<std::uint32_t> first(count + std::size_t{2}, 0);
    for (const std::uint32_t k : group) ++first[k + 2];
    std::partial_sum(first.begin(), first.end(), first.begin());
    std::vector<std::uint32_t> members(group.size());
    for (std::uint32_t i = 0; i < group.size(); ++i) members[first[group[i] + 1]++] = i;

    CouplingGraph out;
    out.start.push_back(0);
    std::vector<std::uint32_t> place(count, none); // of a neighbour in the row that is being made
    for (std::uint32_t k = 0; k < count; ++k) {
        const std::uint32_t begin = out.start.back();
        for (std::uint32_t m = first[k]; m < first[k + 1]; ++m)
            for (std::uint32_t s = g.start[members[m]]; s < g.start[members[m] + 1]; ++s) {
                const std::uint32_t other = group[g.column[s]];
                if (other == k) continue;
                if (place[other] == none || place[other] < begin) {
                    place[other] = static_cast<std::uint32_t>(out.column.size());
                    out.column.push_back(other);
                    out.strength.push_back(0);
                }
                out.strength[place[other]] += g.strength[s];
            }
        out.start.push_back(static_cast<std::uint32_t>(out.column.size()));
    }
    return out;
}

} // namespace

Aggregates make_aggregates(CouplingGraph& graph, int rounds)
{
    Aggregates a;
    a.of_row.resize(graph.row_count());
    std::iota(a.of_row.begin(), a.of_row.end(), 0u);
    auto count = static_cast<std::uint32_t>(graph.row_count());
    for (int r = 0; r < rounds; ++r) {
        const std::vector<std::uint32_t> pair = pair_rows(graph, count);
        for (std::uint32_t& k : a.of_row) k = pair[k];
        graph = join_rows(graph, pair, count);
    }
    a.start.assign(count + std::size_t{2}, 0);
    for (const std::uint32_t k : a.of_row) ++a.start[k + 2];
    std::partial_sum(a.start.begin(), a.start.end(), a.start.begin());
    a.rows.resize(a.of_row.size());
    for (std::uint32_t i = 0; i < a.of_row.size(); ++i) a.rows[a.start[a.of_row[i] + 1]++] = i;
    a.start.pop_back();
    return a;
}

} // namespace pleat
