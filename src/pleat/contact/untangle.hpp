// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Removes intersections of cloth with cloth and obstacles, using the current positions only: nodes
// move along the gradient of the length of the intersection contours until these vanish.
// Based on: [Volino2006], [Koh2015] sec. 3.4.
//
// A contour is a polyline; its corners are where an edge pierces a face. With E the direction of
// the edge, N the normal of the face and R the sum of the unit vectors from the corner along the
// contour, both ways, an edge that moves by u against the face moves the corner by
// u - E (u.N)/(E.N), and shortens the contour by u.(R - N (E.R)/(E.N)). Each corner moves its edge
// that way and its face the other.
// Departs from [Volino2006], which has twice the second term, because the above is the gradient.
#pragma once

#include "pleat/model/model.hpp"
#include "pleat/model/obstacle_sample.hpp"
#include "pleat/model/state.hpp"
#include "pleat/model/world.hpp"

#include <cstddef>
#include <cstdint>
#include <span>

namespace pleat {

struct UntangleOptions {
    double step = 0.001; // by which a corner moves in an iteration [m]
    int max_iterations = 2000;
};

struct UntangleReport {
    bool ok = true; // nothing crosses any more
    int iterations = 0;
    std::size_t crossings_before = 0; // pairs of faces
    std::size_t crossings_after = 0;
    double largest_move = 0; // [m]
};

/// Changes positions only; velocities stay.
/// \param held nodes that must not move (not 0), by NodeId; empty: none. A dependent node follows
/// its parents, whatever is said of it here
/// \param obstacles where they are is their x_t0
[[nodiscard]] UntangleReport untangle(const Model& model, const World& world,
                                      std::span<const ObstacleSample> obstacles,
                                      std::span<const std::uint8_t> held,
                                      const UntangleOptions& options, State& state);

} // namespace pleat
