// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/remeshing/sizing_compression.hpp"

#include "pleat/core/parallel.hpp"
#include "pleat/geometry/decompose.hpp"
#include "pleat/remeshing/face_gradient.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace pleat {

double buckling_tolerance(const Material& material, double angle, double edges_per_wave)
{
    const double ratio =
        bending_rigidity(material, angle) / membrane_stiffness(material, angle); // [m^2]
    return 2 * std::numbers::pi / edges_per_wave * std::sqrt(2 * ratio);
}

void SizingCompression::ask(const SizingInput& in, Field<FaceId, Mat2>& asked) const
{
    const double tolerance = tolerance_ * in.strictness;
    const double scale = tolerance > 0 ? 1 / (tolerance * tolerance) : 0;
    // No edge becomes shorter than edge_min, however little a fabric resists bending.
    const double most = 1 / (in.bounds.edge_min * in.bounds.edge_min);
    parallel_for(in.faces.size(), [&](std::size_t i) {
        const FaceId f = in.faces[i];
        const Mat3x2 grad = face_gradient(in.model.mesh, f, in.state.x);
        const Mat2 compression = clamp_psd(identity<2>() - transpose(grad) * grad);
        if (tolerance_ > 0) {
            asked[f] = compression * scale;
            return;
        }
        asked[f] = {};
        const EigenSym2 principal = eigen_symmetric(compression);
        for (std::size_t k = 0; k < 2; ++k) {
            if (!(principal.values[k] > 0)) continue;
            const Vec2 along = column(principal.vectors, k);
            const double c =
                in.strictness *
                buckling_tolerance(in.model.materials[index(in.model.face_material[f])],
                                   std::atan2(along[1], along[0]), edges_per_wave_);
            const double needed = c > 0 ? std::min(most, principal.values[k] / (c * c)) : most;
            asked[f] += outer(along, along) * needed;
        }
    });
}

} // namespace pleat
