// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Small meshes of every kind that cloth comes in, for tests and benchmarks.
#pragma once

#include "pleat/mesh/mesh_input.hpp"

#include <string>
#include <vector>

namespace pleat::zoo {

/// Flat rectangle of columns x rows cells, two triangles each, in the xy plane [m].
[[nodiscard]] MeshInput grid(int columns, int rows, double width = 1, double height = 1);
/// Disc of triangles around one node.
[[nodiscard]] MeshInput fan(int triangles);
/// Grid squeezed to triangles of aspect 1 : 1000.
[[nodiscard]] MeshInput sliver();
/// Disc with a wedge cut out and the cut sewn: a cone; the tip is one vert.
[[nodiscard]] MeshInput dart(int rings, int sectors);
/// Two rectangles sewn along one side; the second may have its side longer (a gather).
[[nodiscard]] MeshInput two_panels(int cells, double gather = 1);
/// Rectangle rolled up and sewn to itself.
[[nodiscard]] MeshInput tube(int around, int along);
/// Three squares sewn pairwise around one node.
[[nodiscard]] MeshInput three_panels(int cells);
/// L-shaped outline.
[[nodiscard]] MeshInput non_convex(int cells);
/// Rectangle with a rectangular hole.
[[nodiscard]] MeshInput hole(int cells);
/// Two rectangles sewn all around: closed, no border.
[[nodiscard]] MeshInput pillow(int cells);
/// Two rectangles that are not sewn.
[[nodiscard]] MeshInput two_pieces(int cells);

struct Animal {
    std::string name;
    MeshInput input;
};
/// All of the above at a size of up to a few hundred faces.
[[nodiscard]] std::vector<Animal> animals();

} // namespace pleat::zoo
