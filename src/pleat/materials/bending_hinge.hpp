// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// The bending element of folds and wrinkles, with rest angles and its own damping.
// Based on: [Bridson2003] sec. 4.
//
// F_i = k |E|^2 / (|N1| + |N2|) (sin(theta/2) - sin(theta0/2)) u_i and -k_d |E| (d theta/dt) u_i,
// u_i the gradient of theta. Departs from [Bridson2003]: |E| and |N| in the factor are those of the
// rest shape, so that the elastic force is the gradient of an energy.
#pragma once

#include "pleat/materials/hinge.hpp"

namespace pleat {

struct BendingHinge {
    double stiffness = 0; // k [N m]
    double damping = 0;   // k_d [N s]
    bool operator==(const BendingHinge&) const = default;
};

[[nodiscard]] inline HingeNumbers freeze(const BendingHinge& law, const HingeRest& rest, double)
{
    HingeNumbers n;
    n.sine = law.stiffness * rest.length * rest.length / (2 * rest.area_sum);
    n.damping = law.damping * rest.length;
    return n;
}

} // namespace pleat
