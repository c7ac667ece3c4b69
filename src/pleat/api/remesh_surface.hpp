// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// The remesher alone: a surface and a metric in, a surface that fits the metric out.
#pragma once

#include "pleat/core/vec.hpp"
#include "pleat/mesh/mesh_input.hpp"
#include "pleat/remeshing/metric.hpp"

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

namespace pleat {

/// The symmetric positive definite tensor M that is asked for at a material point [1/m^2]: an edge
/// e should have e^T M e <= 1. Edges of length h in all directions: 1/h^2 on the diagonal.
using SurfaceMetric = std::function<Mat2(const Vec2& u)>;

struct SurfaceRemeshOptions {
    double hysteresis = 0.2; // collapses make no edge above 1 less this, measured by the metric
    bool guard = false;      // refuse edits that would make the surface intersect itself
};

struct RemeshedSurface {
    MeshInput mesh; // has what the given one had: velocities, labels, materials, marks
    std::size_t splits = 0, flips = 0, collapses = 0;
    std::size_t refused = 0; // edits that the guard refused
    double ideal_faces = 0;  // number of equilateral triangles of unit edges the metric asks for
    DelaunayCount delaunay;
    std::vector<int> face_generation; // of subdivision: two a level of root-3, one of quadrisection
};

/// Remeshes to tensors given at the material points of the mesh; between them they are
/// interpolated. \throw InputError where the mesh cannot be a cloth (find_mesh_problems), the
/// tensors are not one a material point, or one of them is not positive definite.
[[nodiscard]] RemeshedSurface remesh_surface(const MeshInput& mesh, std::span<const Mat2> tensors,
                                             const SurfaceRemeshOptions& options = {});
/// The same with a metric that is known everywhere.
[[nodiscard]] RemeshedSurface remesh_surface(const MeshInput& mesh, const SurfaceMetric& metric,
                                             const SurfaceRemeshOptions& options = {});

/// Refines everywhere by root-3 subdivision [Bender2013] sec. 5, without moving a point: three
/// times as many faces a level, and edges in three after two.
/// \pre levels >= 0 \throw InputError where the mesh cannot be a cloth
[[nodiscard]] RemeshedSurface subdivide_surface(const MeshInput& mesh, int levels);

/// The same by quadrisection [Wang2002] sec. 3: four times as many faces a level, edges in two.
[[nodiscard]] RemeshedSurface quadrisect_surface(const MeshInput& mesh, int levels);

} // namespace pleat
