// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/remeshing/sizing_obstacle.hpp"

#include "pleat/core/parallel.hpp"
#include "pleat/remeshing/face_gradient.hpp"
#include "pleat/remeshing/obstacle_tree.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace pleat {

void SizingObstacle::ask(const SizingInput& in, Field<FaceId, Mat2>& asked) const
{
    const Mesh& mesh = in.model.mesh;
    for (FaceId f : in.faces) asked[f] = {};
    if (in.obstacles.empty()) return;
    std::vector<std::uint8_t> is_of_cloth(mesh.node_count(), 0);
    for (FaceId f : in.faces)
        for (NodeId n : mesh.nodes_of(f)) is_of_cloth[index(n)] = 1;
    // From the nearest obstacle point to the node: unit vector, and length where that point is
    // within reach, else 0.
    Field<NodeId, Vec3> away(mesh.node_count(), FieldRule::reset);
    Field<NodeId, double> distance(mesh.node_count(), FieldRule::reset);
    parallel_chunks(mesh.node_count(), default_chunk,
                    [&](std::size_t, std::size_t begin, std::size_t end) {
                        std::uint32_t hint = 0; // nodes in a row are near one another
                        for (std::size_t i = begin; i < end; ++i) {
                            if (is_of_cloth[i] == 0) continue;
                            const auto n = make_id<NodeId>(i);
                            const Vec3 x = in.state.x[n];
                            const auto p = in.obstacles.nearest(x, in.bounds.edge_max, hint);
                            if (!p) continue;
                            const Vec3 d = x - *p;
                            const double length = norm(d);
                            if (length == 0) continue; // in contact: no side to keep to
                            away[n] = d / length;
                            // Nearer than this asks for edges far below edge_min, which they cannot
                            // have.
                            distance[n] = std::max(length, 1e-3 * in.bounds.edge_min);
                        }
                    });
    parallel_for(in.faces.size(), [&](std::size_t i) {
        const FaceId f = in.faces[i];
        const Mat3x2 grad = face_gradient(mesh, f, in.state.x);
        constexpr double third = 1.0 / 3;
        for (NodeId n : mesh.nodes_of(f)) { // the mean over the corners
            if (distance[n] == 0) continue;
            const Vec2 slope = transpose(grad) * away[n];
            asked[f] += outer(slope, slope) * (1 / (distance[n] * distance[n])) * third;
        }
    });
}

} // namespace pleat
