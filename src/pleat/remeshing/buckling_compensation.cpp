// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/remeshing/buckling_compensation.hpp"

#include "pleat/core/parallel.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace pleat {

double compression_factor(double area, double a_min, double a_max, double exponent)
{
    if (!(a_max > a_min)) return 1;
    return std::pow((a_max - std::clamp(area, a_min, a_max)) / (a_max - a_min), exponent);
}

void compensate_buckling(const World& world, double time, const BucklingOptions& o,
                         const State& state, Model& model)
{
    const Mesh& mesh = model.mesh;
    std::vector<Frustum> frustums;
    if (!o.all_faces)
        for (const CameraTrack& camera : world.cameras)
            frustums.push_back(frustum_of(camera_at(camera, time)));
    std::vector<std::uint8_t> is_soft(mesh.face_count(), 1);
    parallel_for(mesh.face_count(), [&](std::size_t i) {
        const auto n = mesh.nodes_of(make_id<FaceId>(i));
        const std::array<Vec3, 3> x{state.x[n[0]], state.x[n[1]], state.x[n[2]]};
        for (const Frustum& f : frustums)
            if (distance_from(f, x, 1e-9) == 0) is_soft[i] = 0;
    });
    std::array<double, 2> areas{std::numeric_limits<double>::infinity(), 0};
    if (o.areas)
        areas = *o.areas;
    else
        for (const FaceId f : mesh.faces())
            if (is_soft[index(f)] != 0)
                areas = {std::min(areas[0], model.area[f]), std::max(areas[1], model.area[f])};
    for (const FaceId f : mesh.faces())
        model.compression_scale[f] =
            is_soft[index(f)] != 0
                ? compression_factor(model.area[f], areas[0], areas[1], o.exponent)
                : 1;
}

} // namespace pleat
