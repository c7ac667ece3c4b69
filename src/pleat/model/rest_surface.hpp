// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// The shape that cloth bends back to: a surface over the material space of its panels.
// Based on: [Bridson2003] sec. 4 (rest angles).
//
// The surface never changes, however the mesh does. The rest angle of an edge is the angle between
// its two faces with their nodes on the surface. So rest angles depend on the current mesh only,
// not on its history: coarsening and then refining restores them.
#pragma once

#include "pleat/core/field.hpp"
#include "pleat/core/vec.hpp"
#include "pleat/mesh/mesh.hpp"

#include <vector>

namespace pleat {

struct RestSurface {
    Mesh mesh;                     // as it was before any edit, with the same panels
    Field<NodeId, Vec3> x;         // in space [m]; where and how it is turned means nothing
    std::vector<bool> is_of_cloth; // by ClothId: whether this is the rest shape of that cloth
};

/// Dihedral angle of an edge of the surface [rad], 0 on a border.
[[nodiscard]] double angle_of(const RestSurface& surface, EdgeId edge);

} // namespace pleat
