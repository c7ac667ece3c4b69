// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// When do a vertex and a face, or two edges, whose ends move along straight lines first come
// nearer than a given separation? Conservative: an impact is never missed, and the time returned is
// never after it.
// Based on: [Li2021] sec. 5 (additive continuous collision detection).
//
// Departs from [Li2021]: the step is bounded along the current nearest direction instead of by the
// largest speed, which is never shorter and does not stall where features slide past one another;
// and a hit is reported at a given separation instead of at a fraction of the gap at the start.
#pragma once

#include "pleat/core/vec.hpp"

#include <array>

namespace pleat {

struct ImpactOptions {
    double min_separation = 0; // [m], >= 0: nearer than this is an impact
    // An impact may be reported up to this fraction of min_separation too far away (where that is
    // less than rounding, up to rounding). Larger is faster.
    double slack = 0.05;
    // After so many steps without an answer the time reached is reported as an impact.
    int max_iterations = 200;
};

/// \see vertex_face_impact, edge_edge_impact
struct Impact {
    bool hit = false;
    // In [0, 1], of the step. Over [0, t] the features stay farther apart than min_separation,
    // unless touching_at_start. 1 where there is no hit.
    double t = 1;
    // Unit, from the second feature (face, second edge) to the first at time t. Where the features
    // touch exactly it is a guess that points against their motion. Meaningful only on a hit.
    Vec3 normal{};
    // The gap at time t is sum weights[i] x[i]: (1, -a, -b, -c) for a vertex and the barycentric
    // weights of a face, (1-s, s, -(1-t), -t) for edges. Meaningful only on a hit.
    std::array<double, 4> weights{};
    // The features start within min_separation (and slack). Such a pair is a hit at t = 0, unless
    // its gap along the nearest direction at the start never falls below what it is there. A pair
    // whose gap is lost in rounding is always a hit, because it has no side to be kept on.
    bool touching_at_start = false;
    // False where max_iterations ran out; then t is safe, but need not be near an impact.
    bool converged = true;
    // The features stay at least this far apart during the whole step [m]; a lower bound, 0 where
    // none was found.
    double apart = 0;
};

/// The vertex is x[0], the face (x[1], x[2], x[3]); x0 at the start of the step, x1 at its end [m].
/// \pre the coordinates are finite
[[nodiscard]] Impact vertex_face_impact(const std::array<Vec3, 4>& x0,
                                        const std::array<Vec3, 4>& x1,
                                        const ImpactOptions& options);

/// The edges are (x[0], x[1]) and (x[2], x[3]).
/// \pre the coordinates are finite
[[nodiscard]] Impact edge_edge_impact(const std::array<Vec3, 4>& x0, const std::array<Vec3, 4>& x1,
                                      const ImpactOptions& options);

} // namespace pleat
