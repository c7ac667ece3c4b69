// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// How fine the mesh should be, at each place and in each direction: a symmetric tensor per face,
// computed from the state of the cloth, bounded, and averaged to the verts.
// Based on: [Narain2012] sec. 4.2.
//
// The request of each metric in a cloth's list (sizing_metric.hpp) is stored by name, so that a
// viewer can show why a face is small.
#pragma once

#include "pleat/core/field.hpp"
#include "pleat/core/vec.hpp"
#include "pleat/remeshing/metric.hpp"
#include "pleat/remeshing/sizing_compression.hpp"
#include "pleat/remeshing/sizing_curvature.hpp"
#include "pleat/remeshing/sizing_metric.hpp"
#include "pleat/remeshing/sizing_velocity.hpp"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pleat {

/// How one cloth is sized.
struct ClothSizing {
    SizingBounds bounds;
    std::vector<NamedSizingMetric> metrics; // in the order in which they ask; names differ
    double strictness = 1;                  // see SizingInput
};

/// By ClothId; a cloth without sizing keeps its mesh.
using SizingByCloth = std::vector<std::optional<ClothSizing>>;

/// The four metrics of [Narain2012] sec. 4.2 by their numbers: those of table 1 unless told
/// otherwise. A tolerance of 0 leaves its metric out.
struct SizingOptions : SizingBounds {
    double angle = SizingCurvature::default_angle;
    double compression = SizingCompression::default_tolerance; // [m]
    double velocity = SizingVelocity::default_velocity;        // [m/s]
    bool operator==(const SizingOptions&) const = default;
};
[[nodiscard]] ClothSizing cloth_sizing(const SizingOptions& options);

/// Per face, material space [1/m^2].
struct FaceSizing {
    struct Driver {
        std::string name;
        Field<FaceId, Mat2> asked; // before bounds; zero in cloths that do not have the metric
    };
    std::vector<Driver> drivers; // of all cloths, in the order of their lists
    Field<FaceId, Mat2> metric;  // their sum, bounded and adjusted; zero in cloths without sizing

    /// \pre there is a driver of that name.
    [[nodiscard]] const Field<FaceId, Mat2>& asked(std::string_view name) const;
};

/// The tensor with its eigenvalues clamped to [1/edge_max^2, 1/edge_min^2] and the smaller one
/// raised to aspect_min^2 times the larger [Narain2012] eqs. 11 to 13.
[[nodiscard]] Mat2 bounded(const Mat2& tensor, const SizingBounds& bounds);

/// \param longest of each face [m], for metrics and bounds (SizingInput); null: as each cloth says
/// \pre the mesh has no dead elements.
[[nodiscard]] FaceSizing face_sizing(const Model& model, const State& state, const World& world,
                                     double time, const ObstacleTree& obstacles,
                                     const SizingByCloth& by_cloth,
                                     const Field<FaceId, double>* longest = nullptr);

/// The sizing of a mesh after edits: each face has what was asked of the face that it came from.
/// \param origin by face of the new mesh: a face of the old one
[[nodiscard]] FaceSizing carried(const FaceSizing& sizing, const Field<FaceId, FaceId>& origin);

/// The sizing of two remeshers of one mesh, each for its own cloths.
/// \pre no face has a metric in both
[[nodiscard]] FaceSizing combined(FaceSizing a, const FaceSizing& b);

/// The mean of a face tensor over the faces around each vert, weighted by material area. Around a
/// node on a seam the faces are first turned into one tangent plane (laid side by side, angles
/// scaled to sum to 2 pi, or to pi where the node is on an outline), and the mean is turned back
/// for each vert. \pre the mesh has no dead elements.
[[nodiscard]] MetricField vert_metric(const Mesh& mesh, const Field<FaceId, Mat2>& face_metric);

} // namespace pleat
