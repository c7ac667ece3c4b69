// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/materials/membrane_measured.hpp"

#include "pleat/geometry/decompose.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace pleat {

namespace {

double mix(double a, double b, double t)
{
    return a + t * (b - a);
}

StrainQuadratic mix(const StrainQuadratic& a, const StrainQuadratic& b, double t)
{
    return {mix(a.c11, b.c11, t), mix(a.c12, b.c12, t), mix(a.c22, b.c22, t), mix(a.c33, b.c33, t)};
}

StrainQuadratic at_least_zero(const StrainQuadratic& c)
{
    return {std::max(c.c11, 0.0), std::max(c.c12, 0.0), std::max(c.c22, 0.0), std::max(c.c33, 0.0)};
}

} // namespace

Tangent tangent(const StrainQuadratic& c, const Strain&, Definiteness d)
{
    Mat2 s{{2 * c.c11, 2 * c.c12, 2 * c.c12, 2 * c.c22}};
    double shear = 4 * c.c33;
    if (d == Definiteness::psd) {
        s = clamp_psd(s);
        shear = std::max(shear, 0.0);
    }
    return {{s(0, 0), s(0, 1), 0, s(1, 0), s(1, 1), 0, 0, 0, shear}};
}

StrainQuadratic freeze(const MembraneMeasured& law, const Strain& g)
{
    const EigenSym2 e = eigen_symmetric(Mat2{{g[0], g[2], g[2], g[1]}});
    const double largest = std::sqrt(std::max(0.0, 2 * e.values[0] + 1));
    const double t = std::clamp((largest - 1) / (law.stretch - 1), 0.0, 1.0);
    if (t == 0) return at_least_zero(law.at_rest);
    const double angle = std::atan2(std::abs(e.vectors(1, 0)), std::abs(e.vectors(0, 0)));
    const double row = std::clamp(angle / (std::numbers::pi / 8), 0.0, 4.0);
    const auto lower = std::min(static_cast<std::size_t>(row), std::size_t{3});
    const StrainQuadratic stretched =
        mix(law.at_stretch[lower], law.at_stretch[lower + 1], row - static_cast<double>(lower));
    return at_least_zero(mix(law.at_rest, stretched, t));
}

} // namespace pleat
