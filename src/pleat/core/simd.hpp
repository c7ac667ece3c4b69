// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Four numbers at a time, for the inner loops of solvers. The vector types of GCC and Clang: plain
// arithmetic works on them, and they become vector instructions where the target has them.
#pragma once

#include <bit>
#include <cstring>

namespace pleat {

using Float4 = float __attribute__((vector_size(16)));
using Float8 = float __attribute__((vector_size(32)));
using Double4 = double __attribute__((vector_size(32)));
using Mask4 = int __attribute__((vector_size(16)));

/// Four floats from memory; no alignment needed.
[[nodiscard]] inline Float4 load4(const float* p)
{
    Float4 v;
    std::memcpy(&v, p, sizeof v);
    return v;
}

[[nodiscard]] inline Float4 splat(float s)
{
    return Float4{s, s, s, s};
}

[[nodiscard]] inline Float8 splat8(float s)
{
    return Float8{s, s, s, s, s, s, s, s};
}

[[nodiscard]] inline Double4 widen(Float4 v)
{
    return __builtin_convertvector(v, Double4);
}

/// For vectors of three numbers in four lanes: the fourth becomes zero.
[[nodiscard]] inline Float4 three_lanes(Float4 v)
{
    constexpr Mask4 mask = {-1, -1, -1, 0};
    return std::bit_cast<Float4>(std::bit_cast<Mask4>(v) & mask);
}

[[nodiscard]] inline double sum_three_lanes(Double4 v)
{
    return (v[0] + v[1]) + v[2];
}

} // namespace pleat
