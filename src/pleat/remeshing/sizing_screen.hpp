// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// No edges that are shorter on the screen than a given length: faces that are far away or
// foreshortened are larger.
// Based on: [Koh2015] sec. 3.2.
#pragma once

#include "pleat/remeshing/sizing_metric.hpp"

#include <array>
#include <optional>

namespace pleat {

struct SizingScreenOptions {
    double pixels = 6;         // length of the shortest edge on the screen
    double height = 1080;      // of the picture [pixels]
    double anticipation = 0.2; // time ahead in which the camera counts [s]
    /// No edge is asked to become longer than by 1 / coarsest: faces that are edge-on.
    double coarsest = 0.01;
};

/// d screen / d u of a face, linear between its corners [picture heights per metre]; none where a
/// corner is not in front of the near plane.
[[nodiscard]] std::optional<Mat2>
screen_gradient(const Frustum& frustum, const std::array<Vec2, 3>& u, const std::array<Vec3, 3>& x);

/// The tensor with all eigenvalues of S^-T M S^-1 at most `most` [Koh2015] eqs. 5 to 8. S may be
/// singular. \pre `metric` is positive definite
[[nodiscard]] Mat2 capped_on_screen(const Mat2& metric, const Mat2& screen, double most);

/// The smallest tensor that asks for at least what `a` and `b` ask for, each taken in the axes that
/// both share. \pre `a` is positive definite, `b` positive semidefinite
[[nodiscard]] Mat2 finer_of(const Mat2& a, const Mat2& b);

class SizingScreen final : public SizingMetric {
public:
    explicit SizingScreen(const SizingScreenOptions& options) : options_(options) {}
    /// Asks for nothing.
    void ask(const SizingInput& input, Field<FaceId, Mat2>& asked) const override;
    /// Caps the metric of each face by what the cameras that have it before them can show; the
    /// finest of them. Faces that no camera has before it stay as they are, and so do faces that
    /// reach through the near plane of one: they may be seen as large as one likes.
    void adjust(const SizingInput& input, Field<FaceId, Mat2>& metric) const override;

private:
    SizingScreenOptions options_;
};

} // namespace pleat
