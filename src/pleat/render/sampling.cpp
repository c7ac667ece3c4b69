// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/render/sampling.hpp"

#include <bit>
#include <numeric>
#include <utility>

namespace pleat {

namespace {

constexpr std::uint64_t step = 0x9e3779b97f4a7c15ull; // between states of a hash sequence
constexpr int curve_levels = 15;

/// The image of a digit below 4 under one of the 24 permutations.
std::uint32_t permuted(std::uint32_t digit, std::uint64_t random)
{
    std::array<std::uint32_t, 4> order{0, 1, 2, 3};
    std::swap(order[3], order[random & 3]);
    std::swap(order[2], order[(random >> 8 & 0xffffff) % 3]);
    std::swap(order[1], order[random >> 40 & 1]);
    return order[digit];
}

} // namespace

std::array<std::uint32_t, 2> spread_point(std::uint64_t index)
{
    std::array<std::uint32_t, 2> point{0, 0};
    std::uint32_t corput = 0x80000000u; // direction numbers of the two dimensions
    std::uint32_t sobol = 0x80000000u;
    for (; index != 0; index >>= 1) {
        if (index & 1) {
            point[0] ^= corput;
            point[1] ^= sobol;
        }
        corput >>= 1;
        sobol ^= sobol >> 1;
    }
    return point;
}

std::uint64_t shuffled_z_order(std::uint32_t column, std::uint32_t row, std::uint64_t seed)
{
    std::uint64_t place = 0;
    for (int level = curve_levels - 1; level >= 0; --level) {
        const std::uint32_t digit = (column >> level & 1) | (row >> level & 1) << 1;
        // The leading one keeps the places of different levels apart.
        const std::uint64_t parent = place | std::uint64_t(1) << (2 * (curve_levels - level));
        place = place << 2 | permuted(digit, mixed_bits(seed + step * parent));
    }
    return place;
}

PixelPoints::PixelPoints(std::size_t count, std::uint64_t seed)
    : seed_(mixed_bits(seed + step)), stride_(std::bit_ceil(count)), order_(count)
{
    for (std::size_t i = 0; i < count; ++i) points_.push_back(spread_point(i));
}

void PixelPoints::move_to(std::uint32_t column, std::uint32_t row)
{
    // The sequence is linear over bits, so a pixel's run of it is the first run, scrambled by the
    // point at which its own begins. The seed adds the same shift everywhere.
    const std::uint64_t place = shuffled_z_order(column, row, seed_);
    scramble_ = spread_point(place * stride_);
    scramble_[0] ^= std::uint32_t(seed_);
    scramble_[1] ^= std::uint32_t(seed_ >> 32);

    std::uint64_t state = mixed_bits(seed_ ^ mixed_bits(place));
    std::iota(order_.begin(), order_.end(), 0u);
    for (std::size_t i = order_.size(); i > 1; --i) { // Fisher and Yates
        state = mixed_bits(state + step);
        const std::size_t j = std::size_t((std::uint64_t(std::uint32_t(state)) * i) >> 32);
        std::swap(order_[i - 1], order_[j]);
    }
}

} // namespace pleat
