// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Axis-parallel boxes in double precision: exact where those of the box tree are rounded outwards.
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

    /// The empty box: it meets nothing.
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
};

} // namespace pleat
