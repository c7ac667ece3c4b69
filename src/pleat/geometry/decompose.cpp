// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/geometry/decompose.hpp"

#include <algorithm>
#include <array>
#include <numeric>

namespace pleat {

EigenSym3 eigen_symmetric(const Mat3& a)
{
    Mat3 d = a;
    Mat3 v = identity<3>();
    constexpr int most_sweeps = 30; // cyclic Jacobi converges quadratically: 6 or so suffice
    for (int sweep = 0; sweep < most_sweeps; ++sweep) {
        const double off = std::abs(d(0, 1)) + std::abs(d(0, 2)) + std::abs(d(1, 2));
        const double on = std::abs(d(0, 0)) + std::abs(d(1, 1)) + std::abs(d(2, 2));
        if (off <= 1e-16 * on || off == 0) break;
        for (std::size_t p = 0; p < 2; ++p)
            for (std::size_t q = p + 1; q < 3; ++q) {
                if (d(p, q) == 0) continue;
                const double tau = (d(q, q) - d(p, p)) / (2 * d(p, q));
                const double t =
                    (tau >= 0 ? 1.0 : -1.0) / (std::abs(tau) + std::sqrt(1 + tau * tau));
                const double c = 1 / std::sqrt(1 + t * t);
                const double s = t * c;
                for (std::size_t k = 0; k < 3; ++k) {
                    const double dkp = d(k, p), dkq = d(k, q);
                    d(k, p) = c * dkp - s * dkq;
                    d(k, q) = s * dkp + c * dkq;
                }
                for (std::size_t k = 0; k < 3; ++k) {
                    const double dpk = d(p, k), dqk = d(q, k);
                    d(p, k) = c * dpk - s * dqk;
                    d(q, k) = s * dpk + c * dqk;
                    const double vkp = v(k, p), vkq = v(k, q);
                    v(k, p) = c * vkp - s * vkq;
                    v(k, q) = s * vkp + c * vkq;
                }
            }
    }
    std::array<std::size_t, 3> order{0, 1, 2};
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t i, std::size_t j) { return d(i, i) > d(j, j); });
    EigenSym3 result{};
    for (std::size_t j = 0; j < 3; ++j) {
        result.values[j] = d(order[j], order[j]);
        for (std::size_t i = 0; i < 3; ++i) result.vectors(i, j) = v(i, order[j]);
    }
    return result;
}

Mat3 clamp_psd(const Mat3& a)
{
    // Leading minors decide without an eigenvalue in the common case.
    if (a(0, 0) > 0) {
        const double minor = a(0, 0) * a(1, 1) - a(0, 1) * a(0, 1);
        if (minor > 0 && determinant(a) >= 0) return a;
    }
    const EigenSym3 s = eigen_symmetric(a);
    if (s.values[2] >= 0) return a;
    Mat3 result{};
    for (std::size_t k = 0; k < 3; ++k) {
        if (s.values[k] <= 0) continue;
        const Vec3 w = column(s.vectors, k);
        result += s.values[k] * outer(w, w);
    }
    return result;
}

Polar3x2 polar(const Mat3x2& f)
{
    // The square root of c = f^T f: (c + sqrt(det c)) / sqrt(tr c + 2 sqrt(det c)).
    const Mat2 c = transpose(f) * f;
    const double root = std::sqrt(std::max(0.0, determinant(c)));
    const double scale = 1 / std::sqrt(c(0, 0) + c(1, 1) + 2 * root);
    const Mat2 stretch = (c + root * identity<2>()) * scale;
    return {f * inverse(stretch), stretch};
}

Svd3x2 svd(const Mat3x2& f)
{
    const EigenSym2 s = eigen_symmetric(transpose(f) * f);
    Svd3x2 result{};
    result.v = s.vectors;
    const Mat3x2 us = f * s.vectors; // columns are orthogonal
    Vec3 first = column(us, 0);
    Vec3 second = column(us, 1);
    result.s[0] = norm(first);
    first = result.s[0] > 0 ? first / result.s[0] : Vec3{1, 0, 0};
    second -= dot(first, second) * first;
    result.s[1] = norm(second);
    if (result.s[1] > 1e-14 * result.s[0] && result.s[1] > 0) {
        second /= result.s[1];
    } else { // any direction across the first
        const Vec3 axis = std::abs(first[0]) < 0.6 ? Vec3{1, 0, 0} : Vec3{0, 1, 0};
        second = normalized(axis - dot(first, axis) * first);
    }
    result.u = from_columns(first, second);
    return result;
}

} // namespace pleat
