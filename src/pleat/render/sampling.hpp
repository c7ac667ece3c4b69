// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Well-spread sample points that depend on the pixel alone, never on the order of the work.
// Based on: [KolligKeller2002] sec. 3 ((0,2)-sequences), [AhmedWonka2020] (neighbouring pixels
// share one sequence along a shuffled Z curve, which turns noise into fine grain)
#pragma once

#include "pleat/core/vec.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace pleat {

/// A good mixing of 64 bits (the finaliser of splitmix64).
[[nodiscard]] constexpr std::uint64_t mixed_bits(std::uint64_t x)
{
    x ^= x >> 30;
    x *= 0xbf58476d1ce4e5b9ull;
    x ^= x >> 27;
    x *= 0x94d049bb133111ebull;
    return x ^ (x >> 31);
}

/// In [0, 1), from the upper bits.
[[nodiscard]] constexpr float unit_float(std::uint32_t bits)
{
    return float(bits >> 8) * 0x1p-24f;
}

/// Point `index` of the (0,2)-sequence of van der Corput and Sobol, as 32-bit fractions: each
/// aligned run of 2^k points puts one into every elementary box of area 2^-k.
[[nodiscard]] std::array<std::uint32_t, 2> spread_point(std::uint64_t index);

/// The place of a pixel on a Z curve whose quarters are visited in an order that `seed` shuffles
/// at every level. One to one on pixels with column and row below 2^15.
[[nodiscard]] std::uint64_t shuffled_z_order(std::uint32_t column, std::uint32_t row,
                                             std::uint64_t seed);

/// The sample points of one pixel for one purpose, in a random order, so that points for different
/// purposes are unrelated. Well spread in the pixel, and together with those of its neighbours.
class PixelPoints {
public:
    /// \param count points a pixel, \param seed of the purpose
    PixelPoints(std::size_t count, std::uint64_t seed);

    void move_to(std::uint32_t column, std::uint32_t row);
    /// In the unit square. \pre i < count
    [[nodiscard]] Vec2f operator[](std::size_t i) const
    {
        const auto& point = points_[order_[i]];
        return {unit_float(point[0] ^ scramble_[0]), unit_float(point[1] ^ scramble_[1])};
    }

private:
    std::uint64_t seed_;
    std::uint64_t stride_; // points a pixel on the curve, a power of two
    std::vector<std::array<std::uint32_t, 2>> points_;
    std::vector<std::uint32_t> order_;
    std::array<std::uint32_t, 2> scramble_{};
};

} // namespace pleat
