// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/remeshing/sizing_dihedral.hpp"

#include "pleat/core/error.hpp"
#include "pleat/core/parallel.hpp"
#include "pleat/geometry/dihedral.hpp"
#include "pleat/mesh/measures.hpp"

#include <algorithm>
#include <cmath>

namespace pleat {

namespace {

/// The angle between the normals at an edge; 0 on outlines [rad].
double angle_at(const Mesh& mesh, const Field<NodeId, Vec3>& x, EdgeId e)
{
    if (mesh.is_border(e)) return 0;
    const auto& n = mesh[e].nodes;
    const NodeId c = mesh.node(mesh.opposite_vert(e, 0)), d = mesh.node(mesh.opposite_vert(e, 1));
    return c == d ? 0 : std::abs(dihedral_angle(x[n[0]], x[n[1]], x[c], x[d]));
}

} // namespace

SizingDihedral::SizingDihedral(double split, double join)
    : split_angle_(std::acos(split)), join_angle_(std::acos(join))
{
    PLEAT_ASSERT(-1 < split && split <= join && join < 1, "cosines, and no going back and forth");
}

void SizingDihedral::ask(const SizingInput& in, Field<FaceId, Mat2>& asked) const
{
    const Mesh& mesh = in.model.mesh;
    parallel_for(in.faces.size(), [&](std::size_t i) {
        const FaceId f = in.faces[i];
        double most = 0; // turn per length
        for (EdgeId e : mesh[f].edges)
            most = std::max(most, angle_at(mesh, in.state.x, e) /
                                      material_length(mesh, e, mesh[e].faces[0] == f ? 0 : 1));
        const double per_length = most / limit(in);
        asked[f] = identity<2>() * (per_length * per_length);
    });
}

bool SizingDihedral::measure_edges(const SizingInput& in, Field<EdgeId, double>& size) const
{
    const Mesh& mesh = in.model.mesh;
    for (FaceId f : in.faces) // an edge of two faces gets the same twice
        for (EdgeId e : mesh[f].edges) size[e] = angle_at(mesh, in.state.x, e) / limit(in);
    return true;
}

} // namespace pleat
