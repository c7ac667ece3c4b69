// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// The limited strains of a face: two values computed from its deformation gradient F = dx/du, and
// their derivatives.
// Based on: [Narain2012] sec. 5.2, eqs. 23 to 27.
//
//   principal   the singular values of F, less one: stretch in any direction.
//   components  half the diagonal of the Green strain F^T F - 1: stretch along warp and weft only.
//               Departs from [Narain2012] by the factor of one half, so that small values are
//               strains.
//
// Where the two singular values are equal their order is arbitrary, and each has a one-sided
// derivative only; sums of a function of both are smooth there, and that is what the limiters use.
#pragma once

#include "pleat/core/vec.hpp"
#include "pleat/geometry/decompose.hpp"

#include <array>
#include <cmath>

namespace pleat {

enum class StrainMeasure { principal, components };

struct FaceStrain {
    Vec2 value;                     // the larger first where principal
    std::array<Mat3x2, 2> gradient; // d value / d F
};

/// d sigma_k / d F = u_k v_k^T, eq. 26; one of the one-sided derivatives where sigma is zero.
[[nodiscard]] inline FaceStrain principal_strain(const Mat3x2& f)
{
    const Svd3x2 s = svd(f);
    return {{s.s[0] - 1, s.s[1] - 1},
            {outer(column(s.u, 0), column(s.v, 0)), outer(column(s.u, 1), column(s.v, 1))}};
}

[[nodiscard]] inline FaceStrain component_strain(const Mat3x2& f)
{
    const Vec3 a = column(f, 0), b = column(f, 1);
    return {{0.5 * (norm2(a) - 1), 0.5 * (norm2(b) - 1)},
            {outer(a, Vec2{1, 0}), outer(b, Vec2{0, 1})}};
}

/// The limit on half the Green strain that means a stretch of 1 + limit.
[[nodiscard]] constexpr double component_limit(double limit)
{
    return limit * (1 + 0.5 * limit);
}

} // namespace pleat
