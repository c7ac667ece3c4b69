// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// S is the square root of C = 1 + 2 G. From S S = C:  S dS + dS S = dC, a Lyapunov equation with
// the solution dS = lyapunov(dC), and once more S d2S + d2S S + 2 dS dS = 0. In two dimensions
//   lyapunov(X) = (det(S) X + adj(S) X adj(S)) / (2 tr(S) det(S)).
#include "pleat/materials/membrane_orthotropic.hpp"

#include "pleat/geometry/decompose.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace pleat {

namespace {

// Areas squeezed below this fraction of their rest size count as this: the derivatives of a square
// root have no limit at zero.
constexpr double least_determinant = 1e-6;

struct Root {
    Mat2 s;
    Mat2 adjugate;
    double det, trace;
};

Root square_root(const Strain& g)
{
    const Mat2 c{{1 + 2 * g[0], 2 * g[2], 2 * g[2], 1 + 2 * g[1]}};
    const double det = std::sqrt(std::max(determinant(c), least_determinant));
    const double trace = std::sqrt(c(0, 0) + c(1, 1) + 2 * det);
    const Mat2 s = (c + det * identity<2>()) * (1 / trace);
    return {s, {{s(1, 1), -s(0, 1), -s(1, 0), s(0, 0)}}, det, trace};
}

Mat2 lyapunov(const Root& r, const Mat2& x)
{
    return (r.det * x + r.adjugate * x * r.adjugate) * (1 / (2 * r.trace * r.det));
}

/// The symmetric matrix whose contraction with another is the law's change by it.
Mat2 stress_matrix(const StrainQuadratic& c, const Mat2& s)
{
    const Stress w = stress(c, {s(0, 0) - 1, s(1, 1) - 1, s(0, 1)});
    return {{w[0], 0.5 * w[2], 0.5 * w[2], w[1]}};
}

double contract(const Mat2& a, const Mat2& b)
{
    return a(0, 0) * b(0, 0) + a(0, 1) * b(0, 1) + a(1, 0) * b(1, 0) + a(1, 1) * b(1, 1);
}

/// d C / d (uu, vv, uv)
constexpr std::array<Mat2, 3> basis{Mat2{{2, 0, 0, 0}}, Mat2{{0, 0, 0, 2}}, Mat2{{0, 2, 2, 0}}};

} // namespace

OrthotropicFrozen freeze(const MembraneOrthotropic& law, const Strain&)
{
    const double scale = 1 / (1 - law.poisson_uv * law.poisson_vu);
    // Symmetric also where the four numbers do not quite satisfy E_u nu_vu = E_v nu_uv.
    const double cross_term =
        0.5 * (law.young_u * law.poisson_vu + law.young_v * law.poisson_uv) * scale;
    // The shear strain of [Bender2013] is twice the tensor's: E_s (2 uv)^2 / 2 = 2 c33 uv^2.
    return {{0.5 * law.young_u * scale, 0.5 * cross_term, 0.5 * law.young_v * scale, law.shear}};
}

double energy(const OrthotropicFrozen& c, const Strain& g)
{
    const Mat2 s = square_root(g).s;
    return energy(c.c, Strain{s(0, 0) - 1, s(1, 1) - 1, s(0, 1)});
}

Stress stress(const OrthotropicFrozen& c, const Strain& g)
{
    const Root r = square_root(g);
    const Mat2 w = lyapunov(r, stress_matrix(c.c, r.s)); // lyapunov is its own adjoint
    return {contract(w, basis[0]), contract(w, basis[1]), contract(w, basis[2])};
}

Tangent tangent(const OrthotropicFrozen& c, const Strain& g, Definiteness d)
{
    const Root r = square_root(g);
    const Mat2 w = lyapunov(r, stress_matrix(c.c, r.s));
    std::array<Mat2, 3> ds{};
    for (std::size_t k = 0; k < 3; ++k) ds[k] = lyapunov(r, basis[k]);
    const Tangent m = tangent(c.c, {}, Definiteness::exact);
    Tangent t{};
    for (std::size_t k = 0; k < 3; ++k)
        for (std::size_t l = 0; l < 3; ++l) {
            const Vec3 a{ds[k](0, 0), ds[k](1, 1), ds[k](0, 1)};
            const Vec3 b{ds[l](0, 0), ds[l](1, 1), ds[l](0, 1)};
            t(k, l) = dot(a, m * b) - contract(w, ds[k] * ds[l] + ds[l] * ds[k]);
        }
    return d == Definiteness::psd ? clamp_psd(t) : t;
}

} // namespace pleat
