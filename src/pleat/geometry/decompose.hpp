// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Decompositions of small matrices in closed form or by Jacobi rotations: symmetric eigenvalues,
// the nearest positive semi-definite matrix, polar and singular-value decompositions of 3x2
// deformation gradients.
#pragma once

#include "pleat/core/vec.hpp"

#include <cmath>

namespace pleat {

/// a = vectors diag(values) vectors^T, values in descending order, vectors a rotation.
struct EigenSym2 {
    Vec2 values;
    Mat2 vectors; // in columns
};
struct EigenSym3 {
    Vec3 values;
    Mat3 vectors; // in columns, orthonormal
};

/// \pre a is symmetric. For a multiple of the identity the vectors are the axes.
[[nodiscard]] inline EigenSym2 eigen_symmetric(const Mat2& a)
{
    const double mean = 0.5 * (a(0, 0) + a(1, 1));
    const double half = 0.5 * (a(0, 0) - a(1, 1));
    const double radius = std::sqrt(half * half + a(0, 1) * a(0, 1));
    if (radius == 0) return {{mean, mean}, identity<2>()};
    // The larger of the two expressions for the first vector, to avoid cancellation.
    Vec2 first = half >= 0 ? Vec2{half + radius, a(0, 1)} : Vec2{a(0, 1), radius - half};
    first /= norm(first);
    return {{mean + radius, mean - radius}, {{first[0], -first[1], first[1], first[0]}}};
}

/// \pre a is symmetric.
[[nodiscard]] EigenSym3 eigen_symmetric(const Mat3& a);

/// The nearest (Frobenius) positive semi-definite matrix: negative eigenvalues become zero.
/// \pre a is symmetric.
[[nodiscard]] inline Mat2 clamp_psd(const Mat2& a)
{
    if (a(0, 0) >= 0 && a(1, 1) >= 0 && determinant(a) >= 0) return a;
    const EigenSym2 s = eigen_symmetric(a);
    if (s.values[0] <= 0) return {};
    const Vec2 first = column(s.vectors, 0);
    return s.values[0] * outer(first, first);
}

/// \pre a is symmetric.
[[nodiscard]] Mat3 clamp_psd(const Mat3& a);

/// f = rotation * stretch, rotation^T rotation = 1, stretch symmetric positive semi-definite.
struct Polar3x2 {
    Mat3x2 rotation;
    Mat2 stretch;
};

/// \pre f has rank 2.
[[nodiscard]] Polar3x2 polar(const Mat3x2& f);

/// f = u diag(s) v^T, s descending and not negative, u with orthonormal columns also where f has
/// rank below 2.
struct Svd3x2 {
    Mat3x2 u;
    Vec2 s;
    Mat2 v;
};

[[nodiscard]] Svd3x2 svd(const Mat3x2& f);

} // namespace pleat
