// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/render/sampling.hpp"

#include <numeric>
#include <utility>

namespace pleat {

std::vector<std::array<std::uint32_t, 2>> spread_points(std::size_t count)
{
    std::vector<std::array<std::uint32_t, 2>> points(count);
    for (std::size_t i = 0; i < count; ++i) {
        std::uint32_t corput = 0x80000000u; // direction numbers of the two dimensions
        std::uint32_t sobol = 0x80000000u;
        points[i] = {0, 0};
        for (std::size_t bits = i; bits != 0; bits >>= 1) {
            if (bits & 1) {
                points[i][0] ^= corput;
                points[i][1] ^= sobol;
            }
            corput >>= 1;
            sobol ^= sobol >> 1;
        }
    }
    return points;
}

PixelPoints::PixelPoints(const std::vector<std::array<std::uint32_t, 2>>& points)
    : points_(&points), order_(points.size())
{}

void PixelPoints::restart(std::uint64_t key)
{
    std::uint64_t state = mixed_bits(key + 0x9e3779b97f4a7c15ull);
    scramble_ = {std::uint32_t(state), std::uint32_t(state >> 32)};
    std::iota(order_.begin(), order_.end(), 0u);
    for (std::size_t i = order_.size(); i > 1; --i) { // Fisher and Yates
        state = mixed_bits(state + 0x9e3779b97f4a7c15ull);
        const std::size_t j = std::size_t((std::uint64_t(std::uint32_t(state)) * i) >> 32);
        std::swap(order_[i - 1], order_[j]);
    }
}

} // namespace pleat
