// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Axis-parallel boxes in world space, and four of them looked at together: what the trees of faces
// and of obstacles are made of.
#pragma once

#include "pleat/core/vec.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>

namespace pleat {

/// An axis-parallel box in world space [m].
struct WorldBox {
    Vec3 low, high;

    /// Meets nothing, whatever it grows to hold is all it holds.
    [[nodiscard]] static constexpr WorldBox empty()
    {
        constexpr double far = std::numeric_limits<double>::infinity();
        return {{far, far, far}, {-far, -far, -far}};
    }
    [[nodiscard]] static WorldBox of(const std::array<Vec3, 3>& triangle)
    {
        WorldBox box{triangle[0], triangle[0]};
        for (std::size_t i = 1; i < 3; ++i) box.grow({triangle[i], triangle[i]});
        return box;
    }
    void grow(const WorldBox& other)
    {
        for (std::size_t k = 0; k < 3; ++k) {
            low[k] = std::min(low[k], other.low[k]);
            high[k] = std::max(high[k], other.high[k]);
        }
    }
    [[nodiscard]] bool overlaps(const WorldBox& other) const
    {
        // Without branches: mostly any of the six may fail.
        bool apart = false;
        for (std::size_t k = 0; k < 3; ++k)
            apart |= (low[k] > other.high[k]) | (other.low[k] > high[k]);
        return !apart;
    }
    [[nodiscard]] bool holds(const WorldBox& inner) const
    {
        bool sticks_out = false;
        for (std::size_t k = 0; k < 3; ++k)
            sticks_out |= (inner.low[k] < low[k]) | (inner.high[k] > high[k]);
        return !sticks_out;
    }
    /// Square of the distance of a point, 0 inside [m^2].
    [[nodiscard]] double distance2(const Vec3& p) const
    {
        double sum = 0;
        for (std::size_t k = 0; k < 3; ++k) {
            const double d = std::max({low[k] - p[k], 0.0, p[k] - high[k]});
            sum += d * d;
        }
        return sum;
    }
};

/// The same number of four things, for one look at all of them.
using Lanes = double __attribute__((vector_size(32)));
using Lanes3 = std::array<Lanes, 3>;

/// Four boxes; one that is not there is empty.
struct alignas(32) FourBoxes {
    static constexpr std::size_t width = 4;

    Lanes3 low, high;

    [[nodiscard]] static FourBoxes empty()
    {
        FourBoxes boxes;
        for (std::size_t lane = 0; lane < width; ++lane) boxes.set(lane, WorldBox::empty());
        return boxes;
    }
    [[nodiscard]] WorldBox box(std::size_t lane) const
    {
        return {{low[0][lane], low[1][lane], low[2][lane]},
                {high[0][lane], high[1][lane], high[2][lane]}};
    }
    void set(std::size_t lane, const WorldBox& box)
    {
        for (std::size_t k = 0; k < 3; ++k) {
            low[k][lane] = box.low[k];
            high[k][lane] = box.high[k];
        }
    }
    /// Around all four.
    [[nodiscard]] WorldBox whole() const
    {
        WorldBox around = box(0);
        for (std::size_t lane = 1; lane < width; ++lane) around.grow(box(lane));
        return around;
    }
    /// Of each box: not zero where it and `other` do not meet.
    [[nodiscard]] auto apart_from(const WorldBox& other) const
    {
        auto apart = (low[0] > other.high[0]) | (high[0] < other.low[0]);
        for (std::size_t k = 1; k < 3; ++k)
            apart |= (low[k] > other.high[k]) | (high[k] < other.low[k]);
        return apart;
    }
    /// Squares of the distances of a point from each, 0 inside [m^2].
    [[nodiscard]] Lanes distance2(const Vec3& p) const
    {
        Lanes sum{};
        for (std::size_t k = 0; k < 3; ++k) {
            const Lanes below = low[k] - p[k], above = p[k] - high[k], zero{};
            const Lanes outside = below > above ? below : above;
            const Lanes d = outside > zero ? outside : zero;
            sum += d * d;
        }
        return sum;
    }
};

} // namespace pleat
