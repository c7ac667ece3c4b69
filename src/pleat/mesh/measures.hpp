// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Lengths, areas and shapes in material space.
#pragma once

#include "pleat/core/field.hpp"
#include "pleat/mesh/mesh.hpp"

namespace pleat {

/// Signed area of a material triangle [m^2], positive when counter-clockwise.
[[nodiscard]] constexpr double signed_area(const Vec2& a, const Vec2& b, const Vec2& c)
{
    return 0.5 * cross(b - a, c - a);
}

/// Material area [m^2].
[[nodiscard]] inline double material_area(const Mesh& mesh, FaceId face)
{
    const auto& v = mesh[face].verts;
    return signed_area(mesh.u(v[0]), mesh.u(v[1]), mesh.u(v[2]));
}

/// Material length of the edge on one side [m].
[[nodiscard]] inline double material_length(const Mesh& mesh, EdgeId edge, std::size_t side)
{
    const auto v = mesh.verts_of(edge, side);
    return norm(mesh.u(v[1]) - mesh.u(v[0]));
}

/// 1 for an equilateral triangle, 0 for a degenerate one: smallest height over longest edge,
/// scaled.
[[nodiscard]] double aspect(const Vec2& a, const Vec2& b, const Vec2& c);

/// Sum of material areas of the live faces [m^2].
[[nodiscard]] double total_area(const Mesh& mesh);

/// A third of the material area of the faces around each node [m^2] [Narain2012] sec. 3.
[[nodiscard]] Field<NodeId, double> node_areas(const Mesh& mesh);

/// Lumped masses: each face gives a third of its mass to each of its nodes [kg].
/// \param face_density area density [kg/m^2]
[[nodiscard]] Field<NodeId, double> node_masses(const Mesh& mesh,
                                                const Field<FaceId, double>& face_density);

} // namespace pleat
