// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// On which side of a line or plane does a point lie? The sign is exact for all finite doubles.
// Based on: [Shewchuk1997] (floating-point filter, then exact expansion arithmetic).
//
// Departs from [Shewchuk1997]: products use a fused multiply-add instead of splitting; and where
// exponents are so far apart that an expansion could under- or overflow, the determinant is
// summed in one wide integer instead, so that no range of coordinates is excluded.
#pragma once

#include "pleat/core/vec.hpp"

#include <cfloat>
#include <cmath>

namespace pleat {

/// Sign of the area of the triangle abc by exact arithmetic, without a filter. Slow.
[[nodiscard]] int orient2d_exact(const Vec2& a, const Vec2& b, const Vec2& c);

/// Sign of the volume of the tetrahedron abcd by exact arithmetic, without a filter. Slow.
[[nodiscard]] int orient3d_exact(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d);

/// +1 where a, b, c turn counter-clockwise, -1 clockwise, 0 where they are collinear. Exact.
/// \pre the coordinates are finite.
[[nodiscard]] inline int orient2d(const Vec2& a, const Vec2& b, const Vec2& c)
{
    const double left = (b[0] - a[0]) * (c[1] - a[1]);
    const double right = (b[1] - a[1]) * (c[0] - a[0]);
    const double det = left - right;
    // Each product is off by three roundings (two differences and itself) of eps/2, eps being
    // DBL_EPSILON: 1.5 eps (1 + O(eps)) of |left| + |right| in all; the last subtraction cannot
    // turn the sign. 2 eps covers the higher orders and the rounding of the bound, DBL_MIN what
    // an underflow may take away. Overflow makes the bound infinite or NaN: not decided here.
    const double bound = 2 * DBL_EPSILON * (std::abs(left) + std::abs(right)) + DBL_MIN;
    if (det > bound) return 1;
    if (-det > bound) return -1;
    return orient2d_exact(a, b, c);
}

/// Sign of (b-a) x (c-a) . (d-a): +1 where d is on the side to which the normal of the
/// counter-clockwise triangle abc points, -1 on the other side, 0 where all four are coplanar.
/// Exact.
/// \pre the coordinates are finite.
[[nodiscard]] inline int orient3d(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d)
{
    const Vec3 u = b - a, v = c - a, w = d - a;
    const double xy = u[0] * v[1], yx = u[1] * v[0];
    const double yz = u[1] * v[2], zy = u[2] * v[1];
    const double zx = u[2] * v[0], xz = u[0] * v[2];
    const double det = w[2] * (xy - yx) + (w[0] * (yz - zy) + w[1] * (zx - xz));
    const double w0 = std::abs(w[0]), w1 = std::abs(w[1]), w2 = std::abs(w[2]);
    const double permanent =
        w2 * (std::abs(xy) + std::abs(yx)) +
        (w0 * (std::abs(yz) + std::abs(zy)) + w1 * (std::abs(zx) + std::abs(xz)));
    // Seven roundings a term (three differences, two products, two sums) of eps/2 each, beside
    // the last sum, which cannot turn the sign: 3.5 eps (1 + O(eps)). 4 eps covers the rest.
    // An underflow in a product of u and v is multiplied by w, hence the last part.
    const double bound = 4 * DBL_EPSILON * permanent + DBL_MIN * (w0 + w1 + w2 + 1);
    if (det > bound) return 1;
    if (-det > bound) return -1;
    return orient3d_exact(a, b, c, d);
}

} // namespace pleat
