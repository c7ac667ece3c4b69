// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/remeshing/rest_angles.hpp"

#include "pleat/core/error.hpp"
#include "pleat/core/parallel.hpp"
#include "pleat/geometry/dihedral.hpp"
#include "pleat/remeshing/material_map.hpp"

#include <algorithm>
#include <vector>

namespace pleat {

namespace {

// A node of an outline is looked for this share of the way into its face: where two outlines of a
// panel coincide (a slit), that tells on which side it is.
constexpr double inward = 1e-8;

Vec3 position_at_rest(const Mesh& mesh, const MaterialMap& surface, NodeId node)
{
    const FaceId face = mesh[node].face;
    const auto& v = mesh[face].verts;
    Vec2 u = mesh.u(v[mesh.corner_at(face, node)]);
    if (mesh.kind(node) != NodeKind::interior) {
        const Vec2 middle = (mesh.u(v[0]) + mesh.u(v[1]) + mesh.u(v[2])) / 3.0;
        u += inward * (middle - u);
    }
    return surface.position(mesh.panel(face), u);
}

} // namespace

void update_rest_angles(Model& model, std::span<const FaceId> faces)
{
    PLEAT_ASSERT(model.rest_surface != nullptr, "the model has a rest surface");
    const Mesh& mesh = model.mesh;
    std::vector<EdgeId> edges;
    for (FaceId f : faces)
        if (model.rest_surface->is_of_cloth[index(model.cloth_of(f))])
            edges.insert(edges.end(), mesh[f].edges.begin(), mesh[f].edges.end());
    std::sort(edges.begin(), edges.end());
    edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
    if (edges.empty()) return;
    const MaterialMap surface(model.rest_surface->mesh, model.rest_surface->x);
    parallel_for(edges.size(), [&](std::size_t i) {
        const EdgeId e = edges[i];
        model.rest_angle[e] = 0;
        if (mesh.is_border(e)) return;
        const auto at = [&](NodeId n) { return position_at_rest(mesh, surface, n); };
        const auto [a, b] = mesh[e].nodes;
        model.rest_angle[e] = dihedral_angle(at(a), at(b), at(mesh.node(mesh.opposite_vert(e, 0))),
                                             at(mesh.node(mesh.opposite_vert(e, 1))));
    });
}

} // namespace pleat
