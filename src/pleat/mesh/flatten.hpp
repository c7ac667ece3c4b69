// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Material coordinates from a shape in space: each panel is laid flat with as little change of its
// edge lengths as it allows.
// Based on: [Levy2002] (least squares conformal maps: where to start), [Liu2008] (as rigid as
// possible: what is minimised), [Gu2002] (cutting a surface open to a disc).
//
// A developable panel (a flat piece, a cylinder, a cone) keeps its lengths to rounding. Any other
// panel is distorted, and the report tells by how much.
//
// A panel is a connected component; where the input has material points, edges at which these
// differ from face to face (the seams of a UV map) separate panels. The values of the points are
// not used otherwise, so coordinates from 0 to 1 serve as well as lengths. A panel that is not a
// disc is cut open along edges: a closed one at its sharp edges, then along a graph that leaves a
// disc.
#pragma once

#include "pleat/core/vec.hpp"
#include "pleat/mesh/mesh_input.hpp"

#include <cstddef>
#include <span>
#include <vector>

namespace pleat {

struct FlattenReport {
    std::size_t panel_count = 0;
    std::size_t cut_count = 0; // panels of them that had to be cut open
    double mean_change = 0;    // of edge lengths, relative, weighted by length
    double worst_change = 0;
    std::vector<MeshProblem> problems; // panels that failed; then the input is unchanged
};

/// Replaces the material points of the input by those of the shape laid flat, panel beside panel.
/// \param shape where the nodes are on it [m]
/// \param up the direction that u[1] follows where the input has no material points [1]; where it
///        has, u[1] follows theirs.
/// \pre find_mesh_problems() of the input without its material points is empty.
[[nodiscard]] FlattenReport flatten_panels(MeshInput& input, std::span<const Vec3> shape,
                                           const Vec3& up);

/// Marks the edges to keep at which a shape is folded by at least `least_angle` [rad]: folds so
/// sharp that an edge across them would not show them.
void keep_sharp_edges(MeshInput& input, std::span<const Vec3> shape, double least_angle);

} // namespace pleat
