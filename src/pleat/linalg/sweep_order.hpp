// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// The order in which Gauss-Seidel sweeps visit the rows of a matrix, and which of them run in
// parallel: consecutive rows form chunks, and chunks that no element of the matrix couples share a
// colour. Sweeps go from colour to colour. The order follows from the matrix and never from the
// number of threads.
#pragma once

#include "pleat/core/parallel.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace pleat {

class SweepOrder {
public:
    /// \param visit_coupled visit_coupled(row, visit) calls visit(other_row) for the rows that the
    /// matrix couples with `row`
    template <class VisitCoupled> void make(std::size_t row_count, VisitCoupled&& visit_coupled);

    /// Whether a forward sweep visits row a before row b.
    [[nodiscard]] bool is_before(std::uint32_t a, std::uint32_t b) const
    {
        const std::uint32_t colour_a = colour_[a / chunk_], colour_b = colour_[b / chunk_];
        return colour_a != colour_b ? colour_a < colour_b : a < b;
    }

    /// Calls relax(row) in order, or in the reverse of it.
    template <bool forward, class Relax> void sweep(Relax&& relax) const;

private:
    void sort_by_colour(std::uint32_t colour_count);

    // Below this many rows a sweep is too short to be shared by threads.
    static constexpr std::size_t least_parallel = 1500;
    static constexpr std::size_t parallel_chunk = 64;
    static constexpr std::size_t chunks_per_task = 2;
    static constexpr std::uint32_t no_colour = 0xffffffffu;

    std::size_t row_count_ = 0, chunk_ = 1;
    std::vector<std::uint32_t> colour_;                          // by chunk
    std::vector<std::uint32_t> colour_start_, chunks_of_colour_; // one entry more than colours
    std::vector<std::uint32_t> refused_; // by colour: the last chunk that could not have it, plus 1
};

// --- inline -------------------------------------------------------------------------------------

template <class VisitCoupled>
void SweepOrder::make(std::size_t row_count, VisitCoupled&& visit_coupled)
{
    row_count_ = row_count;
    chunk_ = row_count < least_parallel ? std::max<std::size_t>(row_count, 1) : parallel_chunk;
    const std::size_t chunks = chunk_count(row_count, chunk_);
    colour_.assign(chunks, no_colour);
    refused_.clear();
    for (std::uint32_t c = 0; c < chunks; ++c) { // each gets the first colour that it may have
        const std::size_t last = std::min(row_count, (c + std::size_t{1}) * chunk_);
        for (std::size_t i = c * chunk_; chunks > 1 && i < last; ++i)
            visit_coupled(i, [&](std::uint32_t other) {
                const std::uint32_t colour = colour_[other / chunk_];
                if (colour != no_colour) refused_[colour] = c + 1;
            });
        const auto first = std::find_if(refused_.begin(), refused_.end(),
                                        [c](std::uint32_t chunk) { return chunk != c + 1; });
        colour_[c] = static_cast<std::uint32_t>(first - refused_.begin());
        if (first == refused_.end()) refused_.push_back(0);
    }
    sort_by_colour(static_cast<std::uint32_t>(refused_.size()));
}

template <bool forward, class Relax> void SweepOrder::sweep(Relax&& relax) const
{
    const std::size_t colours = colour_start_.size() - 1;
    for (std::size_t k = 0; k < colours; ++k) {
        const std::size_t colour = forward ? k : colours - 1 - k;
        const std::uint32_t start = colour_start_[colour];
        parallel_for(
            colour_start_[colour + 1] - start,
            [&](std::size_t c) {
                const std::size_t begin = chunks_of_colour_[start + c] * chunk_;
                const std::size_t end = std::min(row_count_, begin + chunk_);
                if constexpr (forward) {
                    for (std::size_t i = begin; i < end; ++i) relax(i);
                } else {
                    for (std::size_t i = end; i-- > begin;) relax(i);
                }
            },
            chunks_per_task);
    }
}

} // namespace pleat
