// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// What must be known of a mesh that was refined by quadrisection, to go back: the triangles that it
// began with, and which verts are the midpoints of which edges.
// Based on: [Wang2002] sec. 3.
//
// A forest over the triangles of the mesh that it began with: each triangle may have four children,
// which share the midpoints of its edges; each edge may have two halves. Everything else follows
// from which midpoints there are and which are free (remeshing/quadrisection_hierarchy.hpp).
#pragma once

#include "pleat/core/ids.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace pleat {

class Mesh;
struct MeshPermutation;

struct QuadForest {
    struct Midpoint {
        VertId vert = no_vert;
        std::array<VertId, 2> parents{no_vert, no_vert}; // the ends of the edge
        /// 1: the edge is split, and the node is free. 0: the node is a T-vertex.
        std::uint8_t is_split = 0;
        bool operator==(const Midpoint&) const = default;
    };
    std::vector<std::array<VertId, 3>> base; // triangles; empty: there is no forest
    std::vector<Midpoint> midpoints;         // one for each side of a seam

    [[nodiscard]] bool empty() const { return base.empty(); }
    bool operator==(const QuadForest&) const = default;
};

/// Renumbers the verts, as after reorder() of a mesh. Midpoints whose verts are gone are left out.
/// A forest with a base triangle of which a vert is gone is no more: it becomes empty.
void permute(QuadForest& forest, const MeshPermutation& permutation);

/// What is wrong with the ids of a forest on a mesh; empty: nothing.
[[nodiscard]] std::string find_problem(const QuadForest& forest, const Mesh& mesh);

} // namespace pleat
