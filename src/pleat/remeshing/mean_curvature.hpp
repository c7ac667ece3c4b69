// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Mean curvature at the nodes of a surface in space.
// Based on: [Meyer2003] sec. 3.5 (cotangent formula over mixed areas).
#pragma once

#include "pleat/core/field.hpp"
#include "pleat/core/vec.hpp"
#include "pleat/mesh/mesh.hpp"

namespace pleat {

/// Absolute value of the mean curvature at each node [1/m], across seams: 1/r on a sphere, 1/(2 r)
/// on a cylinder. On an outline the part along the normal is taken: the rest is the turn of the
/// outline within the surface, which [Meyer2003] does not define there.
/// \param normal of the nodes, see node_normals()
/// \pre the mesh has no dead elements.
[[nodiscard]] Field<NodeId, double> mean_curvatures(const Mesh& mesh, const Field<NodeId, Vec3>& x,
                                                    const Field<NodeId, Vec3>& normal);

} // namespace pleat
