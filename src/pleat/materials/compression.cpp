// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// f is a spectral function. In the principal axes, with H = dG there,
//   df_ij   = f[l_i, l_j] H_ij,
//   d2f_ij  = 2 sum_k f[l_i, l_k, l_j] H_ik H_kj   (divided differences),
// and f'' = 0 away from the kink, so that few terms are left.
#include "pleat/materials/compression.hpp"

#include "pleat/geometry/decompose.hpp"

#include <array>
#include <cmath>

namespace pleat {

namespace {

struct Spectrum {
    EigenSym2 e;
    double f1, f2;         // scaled principal strains
    double slope1, slope2; // f'
    double secant;         // f[l1, l2]
    double second112 = 0;  // f[l1, l1, l2]
    double second122 = 0;  // f[l1, l2, l2]
};

Spectrum spectrum(const Strain& g, double scale)
{
    Spectrum s{};
    s.e = eigen_symmetric(Mat2{{g[0], g[2], g[2], g[1]}});
    const double l1 = s.e.values[0], l2 = s.e.values[1];
    s.slope1 = l1 < 0 ? scale : 1;
    s.slope2 = l2 < 0 ? scale : 1;
    s.f1 = s.slope1 * l1;
    s.f2 = s.slope2 * l2;
    if (s.slope1 == s.slope2) {
        s.secant = s.slope1;
    } else { // l1 >= 0 > l2
        s.secant = (s.f1 - s.f2) / (l1 - l2);
        s.second112 = (s.slope1 - s.secant) / (l1 - l2);
        s.second122 = (s.secant - s.slope2) / (l1 - l2);
    }
    return s;
}

/// Components uu, vv, uv of v m v^T.
Strain rotate_back(const Mat2& v, const Mat2& m)
{
    const Mat2 r = v * m * transpose(v);
    return {r(0, 0), r(1, 1), r(0, 1)};
}

/// v^T (unit strain k) v.
Mat2 rotated_unit(const Mat2& v, std::size_t k)
{
    constexpr std::array<Mat2, 3> unit{Mat2{{1, 0, 0, 0}}, Mat2{{0, 0, 0, 1}}, Mat2{{0, 1, 1, 0}}};
    return transpose(v) * unit[k] * v;
}

} // namespace

CompressionMap compress(const Strain& g, double scale)
{
    CompressionMap map{g, identity<3>(), scale, g};
    if (scale == 1) return map;
    const Spectrum s = spectrum(g, scale);
    if (s.slope1 == 1 && s.slope2 == 1) return map;
    map.scaled = rotate_back(s.e.vectors, {{s.f1, 0, 0, s.f2}});
    for (std::size_t k = 0; k < 3; ++k) {
        Mat2 h = rotated_unit(s.e.vectors, k);
        h(0, 0) *= s.slope1;
        h(1, 1) *= s.slope2;
        h(0, 1) *= s.secant;
        h(1, 0) *= s.secant;
        const Strain d = rotate_back(s.e.vectors, h);
        for (std::size_t i = 0; i < 3; ++i) map.first(i, k) = d[i];
    }
    return map;
}

Stress pull_back(const CompressionMap& map, const Stress& s)
{
    return map.scale == 1 ? s : transpose(map.first) * s;
}

Tangent pull_back(const CompressionMap& map, const Stress& w, const Tangent& t, Definiteness d)
{
    if (map.scale == 1) return t;
    Tangent result = transpose(map.first) * t * map.first;
    if (d == Definiteness::psd) return result;
    const Spectrum s = spectrum(map.g, map.scale);
    std::array<Mat2, 3> h{};
    for (std::size_t k = 0; k < 3; ++k) h[k] = rotated_unit(s.e.vectors, k);
    for (std::size_t k = 0; k < 3; ++k)
        for (std::size_t l = 0; l < 3; ++l) {
            const Mat2 &a = h[k], &b = h[l];
            const double mixed = s.second112 * (a(0, 0) * b(0, 1) + b(0, 0) * a(0, 1)) +
                                 s.second122 * (a(0, 1) * b(1, 1) + b(0, 1) * a(1, 1));
            const Mat2 second{{2 * s.second112 * a(0, 1) * b(0, 1), mixed, mixed,
                               2 * s.second122 * a(0, 1) * b(0, 1)}};
            result(k, l) += dot(w, rotate_back(s.e.vectors, second));
        }
    return result;
}

} // namespace pleat
