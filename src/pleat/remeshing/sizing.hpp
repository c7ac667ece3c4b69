// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// How fine the mesh should be, where and in which direction: a symmetric tensor a face from what
// the cloth does there, bounded, and averaged to the verts.
// Based on: [Narain2012] sec. 4.2.
//
// What asks for fineness is kept apart by driver, so that a viewer can show why a face is small:
//
//   curvature    normals may differ by `angle` along an edge
//   compression  room to buckle: wrinkles of compressed cloth are as short as 1/sqrt(strain)
//   velocity     velocities may differ by `velocity` along an edge
//   obstacle     no edge may reach through the tangent plane of the nearest obstacle point
//
// Departs from [Narain2012]: obstacles farther away than the longest edge are not looked at; their
// term would be smaller than the least that any face is given.
#pragma once

#include "pleat/core/field.hpp"
#include "pleat/core/vec.hpp"
#include "pleat/model/model.hpp"
#include "pleat/model/state.hpp"
#include "pleat/remeshing/metric.hpp"
#include "pleat/remeshing/obstacle_tree.hpp"

#include <functional>
#include <optional>
#include <vector>

namespace pleat {

/// The tolerances of one cloth; those of [Narain2012] table 1 unless told otherwise.
struct SizingOptions {
    double edge_min = 0.015;   // [m]
    double edge_max = 0.2;     // [m]
    double aspect_min = 0.1;   // shortest over longest side of a face; 1: isotropic
    double angle = 0.15;       // change of the unit normal along an edge; 0: not looked at
    double compression = 0.07; // [m], times 1/sqrt(strain) the length of an edge; 0: not looked at
    double velocity = 0.7;     // change along an edge [m/s]; 0: not looked at
    bool operator==(const SizingOptions&) const = default;
};

/// Per face, material space [1/m^2]: what each driver asks for, before bounds.
struct FaceSizing {
    Field<FaceId, Mat2> curvature, compression, velocity, obstacle;
    Field<FaceId, Mat2> metric; // their sum, adjusted and bounded
};

/// A later metric: changes `metric` (the drivers' sum, not yet bounded) of the faces it cares for,
/// by scaling or capping tensors.
using SizingAdjustment =
    std::function<void(const Model& model, const State& state, Field<FaceId, Mat2>& metric)>;

/// The tensor with its eigenvalues clamped to [1/edge_max^2, 1/edge_min^2] and the smaller one
/// raised to aspect_min^2 times the larger [Narain2012] eqs. 11 to 13.
[[nodiscard]] Mat2 bounded(const Mat2& tensor, const SizingOptions& options);

/// \param by_cloth the tolerances of each cloth; faces of a cloth without any get zero tensors.
/// \pre the mesh has no dead elements.
[[nodiscard]] FaceSizing face_sizing(const Model& model, const State& state,
                                     const ObstacleTree& obstacles,
                                     const std::vector<std::optional<SizingOptions>>& by_cloth,
                                     const std::vector<SizingAdjustment>& adjustments = {});

/// FaceSizing::metric alone, for those who need not know why a face is small.
/// \param normal of the nodes, see node_normals()
[[nodiscard]] Field<FaceId, Mat2>
face_metric(const Model& model, const State& state, const Field<NodeId, Vec3>& normal,
            const ObstacleTree& obstacles,
            const std::vector<std::optional<SizingOptions>>& by_cloth,
            const std::vector<SizingAdjustment>& adjustments = {});

/// The mean of a face tensor over the faces around each vert, weighted by material area. Around a
/// node on a seam the faces are first turned into one tangent plane (laid side by side, angles
/// scaled to sum to 2 pi, or to pi where the node is on an outline), and the mean is turned back
/// for each vert. \pre the mesh has no dead elements.
[[nodiscard]] MetricField vert_metric(const Mesh& mesh, const Field<FaceId, Mat2>& face_metric);

} // namespace pleat
