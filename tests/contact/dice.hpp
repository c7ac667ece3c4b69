// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Random numbers for scenes that are given by a seed.
#pragma once

#include "pleat/core/vec.hpp"

#include <cstddef>
#include <random>

namespace pleat::test {

class Dice {
public:
    explicit Dice(unsigned seed) : engine_(seed) {}
    double between(double low, double high)
    {
        return std::uniform_real_distribution<double>(low, high)(engine_);
    }
    std::size_t below(std::size_t count)
    {
        return std::uniform_int_distribution<std::size_t>(0, count - 1)(engine_);
    }
    bool half() { return below(2) == 0; }
    Vec3 direction()
    {
        for (;;) {
            const Vec3 p{between(-1, 1), between(-1, 1), between(-1, 1)};
            if (norm2(p) < 1 && norm2(p) > 0.01) return normalized(p);
        }
    }

private:
    std::mt19937_64 engine_;
};

} // namespace pleat::test
