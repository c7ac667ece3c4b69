// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Well-spread sample points that depend on the pixel alone, never on the order of the work.
// Based on: [KolligKeller2002] sec. 3 (randomised (0,2)-sequences)
#pragma once

#include "pleat/core/vec.hpp"

#include <array>
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

/// The first `count` points of the (0,2)-sequence of van der Corput and Sobol, as 32-bit fractions:
/// each run of 2^k points puts one into every elementary box of area 2^-k.
[[nodiscard]] std::vector<std::array<std::uint32_t, 2>> spread_points(std::size_t count);

/// The points of one pixel for one purpose: the shared ones, scrambled and in an order of its own,
/// so that neighbouring pixels and different purposes are unrelated.
class PixelPoints {
public:
    /// \pre the points outlive this.
    explicit PixelPoints(const std::vector<std::array<std::uint32_t, 2>>& points);

    /// Starts the pixel and purpose named by `key`.
    void restart(std::uint64_t key);
    /// \pre i is below the number of points.
    [[nodiscard]] Vec2f operator[](std::size_t i) const
    {
        const auto& point = (*points_)[order_[i]];
        return {unit_float(point[0] ^ scramble_[0]), unit_float(point[1] ^ scramble_[1])};
    }

private:
    const std::vector<std::array<std::uint32_t, 2>>* points_;
    std::vector<std::uint32_t> order_;
    std::array<std::uint32_t, 2> scramble_{};
};

} // namespace pleat
