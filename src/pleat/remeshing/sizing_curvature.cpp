// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/remeshing/sizing_curvature.hpp"

#include "pleat/core/parallel.hpp"
#include "pleat/remeshing/face_gradient.hpp"

namespace pleat {

void SizingCurvature::ask(const SizingInput& in, Field<FaceId, Mat2>& asked) const
{
    const double angle = angle_ * in.strictness;
    const double scale = 1 / (angle * angle);
    parallel_for(in.faces.size(), [&](std::size_t i) {
        const FaceId f = in.faces[i];
        const Mat3x2 grad = face_gradient(in.model.mesh, f, in.normal);
        asked[f] = transpose(grad) * grad * scale;
    });
}

} // namespace pleat
