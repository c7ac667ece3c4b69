// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Unit normals at nodes, across seams.
// Based on: [Max1999].
#pragma once

#include "pleat/core/field.hpp"
#include "pleat/core/vec.hpp"
#include "pleat/mesh/mesh.hpp"

namespace pleat {

/// World-space unit normal with the weights of [Max1999]; zero where the faces have no area.
[[nodiscard]] Vec3 node_normal(const Mesh& mesh, const Field<NodeId, Vec3>& x, NodeId node);

/// For all live nodes.
[[nodiscard]] Field<NodeId, Vec3> node_normals(const Mesh& mesh, const Field<NodeId, Vec3>& x);

} // namespace pleat
