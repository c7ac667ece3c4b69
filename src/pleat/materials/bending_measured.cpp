// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/materials/bending_measured.hpp"

#include <numbers>

namespace pleat {

namespace {

/// Which interval of a table with unit steps, and how far into it.
struct Place {
    std::size_t lower;
    double t;
};

Place place(double at, std::size_t intervals)
{
    const double x = std::clamp(at, 0.0, static_cast<double>(intervals));
    const auto lower = std::min(static_cast<std::size_t>(x), intervals - 1);
    return {lower, x - static_cast<double>(lower)};
}

} // namespace

double measured_stiffness(const BendingMeasured& law, double weft_angle, double curvature)
{
    const Place row = place(weft_angle / (std::numbers::pi / 4), 2);
    const Place col = place(curvature / 10.0, 4);
    const auto along = [&](std::size_t r) {
        const auto& k = law.stiffness[r];
        return k[col.lower] + col.t * (k[col.lower + 1] - k[col.lower]);
    };
    const double k0 = along(row.lower), k1 = along(row.lower + 1);
    return std::max(0.0, k0 + row.t * (k1 - k0));
}

HingeNumbers measured_numbers(double stiffness, const HingeRest& rest)
{
    HingeNumbers n;
    n.quadratic = stiffness * rest.length * rest.length / (4 * rest.area_sum);
    return n;
}

HingeNumbers freeze(const BendingMeasured& law, const HingeRest& rest, double theta)
{
    const double curvature = std::abs(theta) * rest.length / rest.area_sum;
    const double k0 = measured_stiffness(law, rest.weft_angle[0], curvature);
    const double k1 = rest.weft_angle[1] == rest.weft_angle[0]
                          ? k0
                          : measured_stiffness(law, rest.weft_angle[1], curvature);
    return measured_numbers(std::min(k0, k1), rest);
}

} // namespace pleat
