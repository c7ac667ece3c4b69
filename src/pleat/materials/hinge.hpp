// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Bending at an edge between two triangles, and the interface of angle-based bending laws.
//
// Whatever the law, the energy of a hinge [J] is, with numbers held fixed within a step,
//
//   quadratic/2 (theta - theta0)^2                                        (measured, Baraff-Witkin)
// + sine (2 cos(theta0/2) - 2 cos(theta/2) - (theta - theta0) sin(theta0/2))         (Bridson)
// + isometric/2 |sum_i q_i x_i|^2                                              (Bergou et al.)
//
// so that a law only provides the coefficients: freeze(law, rest, theta) -> HingeNumbers. Edges
// between different fabrics take half of each side's numbers.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <concepts>

namespace pleat {

/// The rest shape of an edge and its two triangles, in material space. Where the sides of a seam
/// differ in length, `length` is their mean.
struct HingeRest {
    double length = 0;                  // of the edge [m]
    double area_sum = 0;                // of both triangles [m^2]
    std::array<double, 2> weft_angle{}; // of the edge on each side, folded to [0, pi/2] [rad]
    std::array<double, 2> height{};     // of each far corner over the edge [m]
    std::array<double, 2> foot{};       // where it stands, as a fraction of the edge from its start
};

struct HingeNumbers {
    double quadratic = 0; // [N m]
    double sine = 0;      // [N m]
    double isometric = 0; // [N/m]
    double damping = 0;   // moment per angular velocity beside the stiffness-proportional [N m s]
};

[[nodiscard]] inline HingeNumbers operator*(double s, const HingeNumbers& n)
{
    return {s * n.quadratic, s * n.sine, s * n.isometric, s * n.damping};
}
[[nodiscard]] inline HingeNumbers operator+(const HingeNumbers& a, const HingeNumbers& b)
{
    return {a.quadratic + b.quadratic, a.sine + b.sine, a.isometric + b.isometric,
            a.damping + b.damping};
}

/// Energy of the angle's part [J].
[[nodiscard]] inline double angle_energy(const HingeNumbers& n, double theta, double theta0)
{
    const double d = theta - theta0;
    double e = 0.5 * n.quadratic * d * d;
    if (n.sine != 0)
        e += n.sine *
             (2 * std::cos(0.5 * theta0) - 2 * std::cos(0.5 * theta) - d * std::sin(0.5 * theta0));
    return e;
}

/// d energy / d theta [N m].
[[nodiscard]] inline double angle_moment(const HingeNumbers& n, double theta, double theta0)
{
    double m = n.quadratic * (theta - theta0);
    if (n.sine != 0) m += n.sine * (std::sin(0.5 * theta) - std::sin(0.5 * theta0));
    return m;
}

/// d2 energy / d theta2 [N m]; not negative, since |theta| <= pi.
[[nodiscard]] inline double angle_stiffness(const HingeNumbers& n, double theta)
{
    double k = n.quadratic;
    if (n.sine != 0) k += 0.5 * n.sine * std::max(0.0, std::cos(0.5 * theta));
    return k;
}

/// The q_i of the isometric energy for the edge's start, its end and the far corners: sum_i q_i x_i
/// is the edge's length times the fold's slope. [Bergou2006] sec. 4, written with heights.
[[nodiscard]] std::array<double, 4> isometric_weights(const HingeRest& rest);

template <class Law>
concept BendingLawModel = requires(const Law& law, const HingeRest& rest, double theta)
{
    {
        freeze(law, rest, theta)
        } -> std::same_as<HingeNumbers>;
};

} // namespace pleat
