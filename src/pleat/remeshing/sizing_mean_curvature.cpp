// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/remeshing/sizing_mean_curvature.hpp"

#include "pleat/core/parallel.hpp"
#include "pleat/remeshing/mean_curvature.hpp"

#include <algorithm>
#include <cmath>

namespace pleat {

void SizingMeanCurvature::ask(const SizingInput& in, Field<FaceId, Mat2>& asked) const
{
    const Mesh& mesh = in.model.mesh;
    const Field<NodeId, double> curvature = mean_curvatures(mesh, in.state.x, in.normal);
    const double base = base_ * in.strictness, most = most_ * in.strictness;
    const double log_ratio = std::log(in.bounds.edge_min / in.bounds.edge_max);
    parallel_for(in.faces.size(), [&](std::size_t i) {
        const FaceId f = in.faces[i];
        const auto n = mesh.nodes_of(f);
        const double largest = std::max({curvature[n[0]], curvature[n[1]], curvature[n[2]]});
        const double t = std::clamp((largest - base) / (most - base), 0.0, 1.0);
        const double length = in.longest_of(f) * std::exp(t * log_ratio);
        asked[f] = identity<2>() * (1 / (length * length));
    });
}

} // namespace pleat
