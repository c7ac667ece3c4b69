// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/model/rest_surface.hpp"

#include "pleat/geometry/dihedral.hpp"

namespace pleat {

double angle_of(const RestSurface& surface, EdgeId edge)
{
    const Mesh& mesh = surface.mesh;
    if (mesh.is_border(edge)) return 0;
    const auto [a, b] = mesh[edge].nodes;
    const NodeId c = mesh.node(mesh.opposite_vert(edge, 0));
    const NodeId d = mesh.node(mesh.opposite_vert(edge, 1));
    return dihedral_angle(surface.x[a], surface.x[b], surface.x[c], surface.x[d]);
}

} // namespace pleat
