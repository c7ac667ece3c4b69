// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// A node and the plane of a half-space. The plane goes through three points that move along
// straight lines during a step, as everything in contact does, so that a half-space carries cloth,
// gets friction and is fitted by rigid zones like any face of an obstacle.
#pragma once

#include "pleat/core/vec.hpp"
#include "pleat/geometry/time_of_impact.hpp"

#include <array>

namespace pleat {

struct PlaneHeight {
    double height = 0; // of the node above the plane; negative: inside the half-space [m]
    Vec3 normal{};     // unit, out of the half-space
    // height * normal = sum weights[i] x[i]; those of the plane's points are not bounded by 0 and 1
    std::array<double, 4> weights{};
};

/// The node is x[0], the plane goes through x[1], x[2], x[3] and looks to where these turn
/// counter-clockwise. \pre the three are not on a line
[[nodiscard]] PlaneHeight height_above(const std::array<Vec3, 4>& x);

struct PlaneImpact {
    Impact impact;     // weights and normal at the end of the step
    double target = 0; // height at the end of the step that resolves it [m]
};

/// Whether the node comes lower than `least` on its way from x0 to x1. A node that starts lower may
/// approach to half of its height; a node that starts inside is never a hit. Exact for planes that
/// do not turn; where one does, its lowest moment during the step is looked at too. \param
/// separation height that a hit is to be given [m]
[[nodiscard]] PlaneImpact plane_impact(const std::array<Vec3, 4>& x0, const std::array<Vec3, 4>& x1,
                                       double least, double separation);

} // namespace pleat
