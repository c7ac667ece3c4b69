// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// What the cameras see now and within a time window ahead.
// Based on: [Koh2015] sec. 3.1.2.
#pragma once

#include "pleat/model/camera.hpp"

#include <span>
#include <vector>

namespace pleat {

/// A camera at a time of the window.
struct ViewSample {
    Frustum frustum;
    double weight = 1; // falls from 1 now to 0 at the end of the window
};

/// The cameras as they are now, and as they are in [time, time + window): at regular times and just
/// after each cut. A camera that does not move has one sample. Weights do not increase.
/// \param window [s]; 0: only now
[[nodiscard]] std::vector<ViewSample> view_samples(std::span<const CameraTrack> cameras,
                                                   double time, double window);

} // namespace pleat
