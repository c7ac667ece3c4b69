// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// A triangle's membrane energy, forces and stiffness, for any law of strain (materials/strain.hpp).
//
// With F = sum_i x_i b_i^T, b_i the gradients of the linear shape functions in material space, the
// forces are -A F Sigma b_i (Sigma the stress tensor), and the stiffness between corners i, j is
//
//   A (B_i M B_j^T + (b_i . Sigma b_j) 1),    B_i = d(strain)/d(x_i),
//
// M the law's tangent. It is made positive semi-definite term by term: M by the law (its tangent
// with Definiteness::psd), Sigma by clamping its two eigenvalues at zero, which drops the negative
// stiffness caused by compression. Both terms are then sums of squares.
#pragma once

#include "pleat/core/vec.hpp"
#include "pleat/geometry/decompose.hpp"
#include "pleat/materials/compression.hpp"
#include "pleat/materials/strain.hpp"

#include <array>

namespace pleat {

/// The rest shape of a triangle in material space.
struct FaceRest {
    std::array<Vec2, 3> b{}; // gradients of the shape functions [1/m]
    double area = 0;         // [m^2]
};

/// \pre the triangle has area.
[[nodiscard]] inline FaceRest face_rest(const Vec2& u0, const Vec2& u1, const Vec2& u2)
{
    const Vec2 d1 = u1 - u0, d2 = u2 - u0;
    const double det = cross(d1, d2);
    FaceRest rest;
    rest.b[1] = Vec2{d2[1], -d2[0]} / det;
    rest.b[2] = Vec2{-d1[1], d1[0]} / det;
    rest.b[0] = -(rest.b[1] + rest.b[2]);
    rest.area = 0.5 * std::abs(det);
    return rest;
}

/// d x / d u, from differences, so that a translation leaves its bits alone.
[[nodiscard]] inline Mat3x2 deformation(const FaceRest& rest, const Vec3& x0, const Vec3& x1,
                                        const Vec3& x2)
{
    return outer(x1 - x0, rest.b[1]) + outer(x2 - x0, rest.b[2]);
}

/// Sigma from the derivatives by uu, vv, uv.
[[nodiscard]] inline Mat2 stress_tensor(const Stress& s)
{
    return {{s[0], 0.5 * s[2], 0.5 * s[2], s[1]}};
}

/// B_i M B_j^T = F (beta_i M beta_j^T) F^T; the 2x2 in the middle.
[[nodiscard]] inline Mat2 reduced_tangent(const Tangent& m, const Vec2& bi, const Vec2& bj)
{
    const Mat<double, 2, 3> left{{bi[0], 0, 0.5 * bi[1], 0, bi[1], 0.5 * bi[0]}};
    const Mat<double, 3, 2> right{{bj[0], 0, 0, bj[1], 0.5 * bj[1], 0.5 * bj[0]}};
    return left * m * right;
}

/// The block between corners i and j from scaled tangent and stress.
[[nodiscard]] inline Mat3 face_block(const Mat3x2& f, const Tangent& m, const Mat2& sigma,
                                     const Vec2& bi, const Vec2& bj)
{
    Mat3 k = f * reduced_tangent(m, bi, bj) * transpose(f);
    const double g = dot(bi, sigma * bj);
    k(0, 0) += g;
    k(1, 1) += g;
    k(2, 2) += g;
    return k;
}

/// [J]
template <class Frozen>
[[nodiscard]] double face_energy(const Frozen& law, const FaceRest& rest,
                                 const std::array<Vec3, 3>& x, double compression_scale = 1)
{
    const Strain g = green_strain(deformation(rest, x[0], x[1], x[2]));
    return rest.area * energy(law, compress(g, compression_scale).scaled);
}

/// [N]
template <class Frozen>
[[nodiscard]] std::array<Vec3, 3> face_forces(const Frozen& law, const FaceRest& rest,
                                              const std::array<Vec3, 3>& x,
                                              double compression_scale = 1)
{
    const Mat3x2 f = deformation(rest, x[0], x[1], x[2]);
    const CompressionMap map = compress(green_strain(f), compression_scale);
    const Mat3x2 p = f * stress_tensor(pull_back(map, stress(law, map.scaled)));
    std::array<Vec3, 3> result{};
    for (std::size_t i = 0; i < 3; ++i) result[i] = p * rest.b[i] * -rest.area;
    return result;
}

/// [N/m]
template <class Frozen>
[[nodiscard]] Mat<double, 9, 9> face_stiffness(const Frozen& law, const FaceRest& rest,
                                               const std::array<Vec3, 3>& x, Definiteness d,
                                               double compression_scale = 1)
{
    const Mat3x2 f = deformation(rest, x[0], x[1], x[2]);
    const CompressionMap map = compress(green_strain(f), compression_scale);
    const Stress s = stress(law, map.scaled);
    const Tangent m = pull_back(map, s, tangent(law, map.scaled, d), d);
    Mat2 sigma = stress_tensor(pull_back(map, s));
    if (d == Definiteness::psd) sigma = clamp_psd(sigma);
    Mat<double, 9, 9> k{};
    for (std::size_t i = 0; i < 3; ++i)
        for (std::size_t j = 0; j < 3; ++j) {
            const Mat3 block = face_block(f, m, sigma, rest.b[i], rest.b[j]) * rest.area;
            for (std::size_t r = 0; r < 3; ++r)
                for (std::size_t c = 0; c < 3; ++c) k(3 * i + r, 3 * j + c) = block(r, c);
        }
    return k;
}

} // namespace pleat
