// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/mesh/measures.hpp"

#include <algorithm>
#include <cmath>

namespace pleat {

double aspect(const Vec2& a, const Vec2& b, const Vec2& c)
{
    // height / longest edge = 2 area / longest^2; sqrt(3)/2 for the equilateral triangle.
    const double longest2 = std::max({norm2(b - a), norm2(c - b), norm2(a - c)});
    if (longest2 == 0) return 0;
    return std::max(0.0, 2 * signed_area(a, b, c) / longest2 * (2 / std::sqrt(3.0)));
}

double total_area(const Mesh& mesh)
{
    double sum = 0;
    for (FaceId f : mesh.faces())
        if (mesh.is_alive(f)) sum += material_area(mesh, f);
    return sum;
}

namespace {

template <class FaceMass> Field<NodeId, double> lump(const Mesh& mesh, FaceMass face_mass)
{
    Field<NodeId, double> result(mesh.node_count(), FieldRule::reset);
    for (FaceId f : mesh.faces()) {
        if (!mesh.is_alive(f)) continue;
        const double third = face_mass(f) / 3;
        for (NodeId n : mesh.nodes_of(f)) result[n] += third;
    }
    return result;
}

} // namespace

Field<NodeId, double> node_areas(const Mesh& mesh)
{
    return lump(mesh, [&](FaceId f) { return material_area(mesh, f); });
}

Field<NodeId, double> node_masses(const Mesh& mesh, const Field<FaceId, double>& face_density)
{
    return lump(mesh, [&](FaceId f) { return material_area(mesh, f) * face_density[f]; });
}

} // namespace pleat
