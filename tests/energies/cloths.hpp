// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Cloths for the tests and benchmarks of the physics: sheets on meshes of several kinds, and
// fabrics.
#pragma once

#include "pleat/mesh/mesh_input.hpp"
#include "pleat/model/model.hpp"
#include "pleat/model/state.hpp"

#include <string>
#include <vector>

namespace pleat::cloths {

enum class MeshKind { structured, rotated, random };
[[nodiscard]] std::string to_string(MeshKind kind);

/// Flat rectangle [0, width] x [0, height] in the xy plane with edges of about `edge` [m]:
/// right triangles with parallel diagonals; an equilateral lattice turned by 20 degrees with the
/// outline cut into it; Delaunay triangles of random points.
[[nodiscard]] MeshInput rectangle(MeshKind kind, double width, double height, double edge,
                                  unsigned seed = 1);

/// Flat disc about the origin in `rings` rings of nearly equilateral triangles, 6 rings^2 in all.
[[nodiscard]] MeshInput disc(double radius, int rings);

struct Cloth {
    Model model;
    State state; // at rest, as the input lies
};

[[nodiscard]] Cloth make_cloth(const MeshInput& input, const Material& material);

/// One of the shipped fabrics, read from materials/<name>.json.
[[nodiscard]] Material fabric(const std::string& name);
[[nodiscard]] std::vector<std::string> fabric_names();

/// Membrane and bending of a solid sheet.
[[nodiscard]] Material isotropic_sheet(double density, double thickness, double young,
                                       double poisson);

/// A fabric for each pair of laws that the tests run over, stiffness like that of cloth.
[[nodiscard]] std::vector<Material> one_of_each_law();

/// Nodes whose position satisfies a test.
template <class Test> [[nodiscard]] std::vector<NodeId> nodes_where(const Cloth& cloth, Test&& test)
{
    std::vector<NodeId> found;
    for (NodeId n : cloth.model.mesh.nodes())
        if (test(cloth.state.x[n])) found.push_back(n);
    return found;
}

/// Moves every node by up to `amount` [m] along each axis, the same for the same seed.
void shake(State& state, double amount, unsigned seed);

} // namespace pleat::cloths
