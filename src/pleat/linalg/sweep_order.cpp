// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/linalg/sweep_order.hpp"

#include <numeric>

namespace pleat {

void SweepOrder::sort_by_colour(std::uint32_t colour_count)
{
    // Counted one colour further on, so that filling moves each start to where it belongs.
    colour_start_.assign(colour_count + std::size_t{2}, 0);
    for (const std::uint32_t colour : colour_) ++colour_start_[colour + 2];
    std::partial_sum(colour_start_.begin(), colour_start_.end(), colour_start_.begin());
    chunks_of_colour_.resize(colour_.size());
    for (std::uint32_t c = 0; c < colour_.size(); ++c)
        chunks_of_colour_[colour_start_[colour_[c] + 1]++] = c;
    colour_start_.pop_back();
}

} // namespace pleat
