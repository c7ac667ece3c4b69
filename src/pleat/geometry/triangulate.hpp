// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Triangles that fill a polygon with holes and use its corners only: the constrained Delaunay
// triangulation of the outline.
// Based on: [Meisters1975] (ears), [Lawson1977] (flips), [Shewchuk1997] (error bound of the circle
// test).
//
// Holes are joined to the outline by bridges, ears are cut off with exact predicates, and edges
// inside are flipped until no corner lies inside the circle of a triangle that sees it. A flip is
// made only where rounding cannot have decided it, so flipping ends; corners on a circle to
// within rounding stay as they came.
#pragma once

#include "pleat/core/vec.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace pleat {

/// Corners in order; the last joins the first. Indices into an array of points.
using Ring = std::vector<std::uint32_t>;

/// Two sides of rings that touch where they should not.
struct RingCrossing {
    std::size_t ring_a = 0, side_a = 0; // a side runs from its corner to the next
    std::size_t ring_b = 0, side_b = 0;
    Vec2 near{}; // a point of the touch, or near it
};

/// Twice the area, positive where the ring runs counter-clockwise.
[[nodiscard]] double twice_area(std::span<const Vec2> points, const Ring& ring);

/// The first two sides that cross, touch or fold back on one another; neighbours may share their
/// corner. Exact. \pre finite points, rings of three corners or more
[[nodiscard]] std::optional<RingCrossing> find_crossing(std::span<const Vec2> points,
                                                        std::span<const Ring> rings);

/// Whether a point lies inside a ring; on it counts as inside. Exact.
[[nodiscard]] bool is_inside(std::span<const Vec2> points, const Ring& ring, const Vec2& p);

/// Counter-clockwise triangles. The first ring is the outline, the others are holes, in any
/// direction.
/// \pre find_crossing() finds nothing; holes lie inside the outline and outside one another.
[[nodiscard]] std::vector<std::array<std::uint32_t, 3>> triangulate(std::span<const Vec2> points,
                                                                    std::span<const Ring> rings);

} // namespace pleat
