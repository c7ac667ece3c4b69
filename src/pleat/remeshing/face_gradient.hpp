// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Gradients in material space of what is given at nodes, linear over each face.
#pragma once

#include "pleat/core/field.hpp"
#include "pleat/core/vec.hpp"
#include "pleat/mesh/mesh.hpp"

#include <array>

namespace pleat {

/// d value / d u on a face [value/m].
[[nodiscard]] inline Mat3x2 face_gradient(const Mesh& mesh, FaceId face,
                                          const Field<NodeId, Vec3>& value)
{
    const auto& v = mesh[face].verts;
    const std::array<Vec2, 3> u{mesh.u(v[0]), mesh.u(v[1]), mesh.u(v[2])};
    const double twice_area = cross(u[1] - u[0], u[2] - u[0]);
    const auto hat = [&](std::size_t from, std::size_t to) { // gradient of a corner's hat function
        const Vec2 e = u[to] - u[from];                      // turned left, it points at the corner
        return Vec2{-e[1], e[0]} / twice_area;
    };
    return outer(value[mesh.node(v[0])], hat(1, 2)) + outer(value[mesh.node(v[1])], hat(2, 0)) +
           outer(value[mesh.node(v[2])], hat(0, 1));
}

} // namespace pleat
