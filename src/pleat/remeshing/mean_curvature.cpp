// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/remeshing/mean_curvature.hpp"

#include "pleat/core/parallel.hpp"

#include <cmath>

namespace pleat {

namespace {

/// What a face adds at its corner x: the gradient of its area there, and its share of the mixed
/// area.
struct CornerPart {
    Vec3 gradient{};
    double area = 0;
};

CornerPart corner_part(const Vec3& x, const Vec3& next, const Vec3& previous)
{
    const Vec3 a = next - x, b = previous - x, c = previous - next;
    const double twice_area = norm(cross(a, b));
    if (!(twice_area > 0)) return {};
    const double here = dot(a, b), at_next = -dot(a, c), at_previous = dot(b, c); // cosines, scaled
    CornerPart part;
    // [Meyer2003] eq. 8: each edge at x with the cotangent of the angle that faces it.
    part.gradient = (a * (-at_previous) + b * (-at_next)) * (0.5 / twice_area);
    // [Meyer2003] fig. 4: Voronoi where no angle is obtuse, else half or a quarter of the face.
    if (here < 0)
        part.area = 0.25 * twice_area;
    else if (at_next < 0 || at_previous < 0)
        part.area = 0.125 * twice_area;
    else
        part.area = 0.125 * (norm2(a) * at_previous + norm2(b) * at_next) / twice_area;
    return part;
}

} // namespace

Field<NodeId, double> mean_curvatures(const Mesh& mesh, const Field<NodeId, Vec3>& x,
                                      const Field<NodeId, Vec3>& normal)
{
    Field<NodeId, double> curvature(mesh.node_count(), FieldRule::interpolate);
    parallel_for(mesh.node_count(), [&](std::size_t i) {
        const auto n = make_id<NodeId>(i);
        Vec3 gradient{};
        double area = 0;
        EdgeId last = no_edge;
        mesh.visit_faces(n, [&](FaceId f, std::size_t corner) {
            const auto& face = mesh[f];
            const CornerPart part =
                corner_part(x[n], x[mesh.node(face.verts[corner_after(corner)])],
                            x[mesh.node(face.verts[corner_before(corner)])]);
            gradient += part.gradient;
            area += part.area;
            last = face.edges[corner_before(corner)];
        });
        if (!(area > 0)) return;
        // The gradient of the area is twice the mean curvature times the area.
        const double length =
            mesh.is_border(last) ? std::abs(dot(gradient, normal[n])) : norm(gradient);
        curvature[n] = 0.5 * length / area;
    });
    return curvature;
}

} // namespace pleat
