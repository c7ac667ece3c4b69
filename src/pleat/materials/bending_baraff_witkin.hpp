// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// The fold angle itself as the condition.
// Based on: [Baraff1998] sec. 4.3, [Wang2002] sec. 4.
//
// E = k/2 (theta - theta0)^2 per length of edge: cutting a folded edge in two keeps its energy,
// which is the level scaling 2^-level of [Wang2002]. It is not a rigidity: a smooth bend spread
// over twice as many edges costs half as much. Damping is -k_d d theta/dx (d theta/dt) per length
// of edge ([Baraff1998] sec. 4.5, [Wang2002] sec. 4).
#pragma once

#include "pleat/materials/hinge.hpp"

namespace pleat {

struct BendingBaraffWitkin {
    double stiffness = 0; // energy per length of edge and angle squared [N]
    double damping = 0;   // k_d [N s]
    bool operator==(const BendingBaraffWitkin&) const = default;
};

[[nodiscard]] inline HingeNumbers freeze(const BendingBaraffWitkin& law, const HingeRest& rest,
                                         double)
{
    HingeNumbers n;
    n.quadratic = law.stiffness * rest.length;
    n.damping = law.damping * rest.length;
    return n;
}

} // namespace pleat
