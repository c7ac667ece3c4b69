// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Larger faces where no camera sees them: what the other metrics ask for is scaled by the square of
// a view factor per face.
// Based on: [Koh2015] sec. 3.1 and 3.3.
#pragma once

#include "pleat/remeshing/sizing_metric.hpp"

#include <array>
#include <cstdint>
#include <vector>

namespace pleat {

struct SizingViewOptions {
    double front = 1;          // factor of faces in the frame that face the camera
    double back = 0.2;         // that face away from it
    double out = 0.01;         // of faces out of the frame
    double margin = 0.4;       // distance from the frame over which factors fall to `out` [m]
    double anticipation = 0.2; // time ahead in which the camera counts [s]
    /// Difference of factors across an edge above which the face that is not seen is raised to
    /// their mean.
    double silhouette = 0.25;
};

/// View factors of faces, in the order of the list.
struct ViewFactors {
    std::vector<double> factor;
    std::vector<std::uint8_t> is_seen; // now in the frame of a camera, and facing it
};

/// The factors of triangles for all cameras, the largest of them [Koh2015] eqs. 3 and 4; before
/// silhouettes.
[[nodiscard]] ViewFactors view_factors(std::span<const std::array<Vec3, 3>> triangles,
                                       std::span<const CameraTrack> cameras, double time,
                                       const SizingViewOptions& options);

class SizingView final : public SizingMetric {
public:
    explicit SizingView(const SizingViewOptions& options) : options_(options) {}
    /// Asks for nothing.
    void ask(const SizingInput& input, Field<FaceId, Mat2>& asked) const override;
    /// M -> nu^2 M [Koh2015] eq. 2. Without cameras: as it was.
    void adjust(const SizingInput& input, Field<FaceId, Mat2>& metric) const override;

    /// The factors that adjust() uses, in the order of input.faces: with silhouettes.
    [[nodiscard]] ViewFactors factors(const SizingInput& input) const;

private:
    SizingViewOptions options_;
};

} // namespace pleat
