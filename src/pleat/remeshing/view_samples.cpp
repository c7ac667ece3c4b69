// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/remeshing/view_samples.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace pleat {

namespace {

constexpr double sample_step = 0.04; // [s], a frame of 25 per second; the margin covers the rest
constexpr std::size_t most_steps = 1000;

} // namespace

std::vector<ViewSample> view_samples(std::span<const CameraTrack> cameras, double time,
                                     double window)
{
    std::vector<ViewSample> samples;
    const auto steps =
        window > 0 ? static_cast<std::size_t>(std::clamp(std::ceil(window / sample_step - 1e-9),
                                                         1.0, double(most_steps)))
                   : 1;
    for (const CameraTrack& camera : cameras) {
        std::vector<double> times;
        for (std::size_t k = 0; k < steps; ++k)
            times.push_back(time + double(k) / double(steps) * window);
        for (const double cut : cuts_between(camera, time, time + window)) times.push_back(cut);
        std::sort(times.begin(), times.end());
        CameraView last;
        for (const double t : times) {
            const CameraView view = camera_at(camera, t);
            if (t > time && view == last) continue; // seen as it was, with a larger weight
            last = view;
            // [Koh2015] eq. 4, w(tau) = 1 - tau / T
            samples.push_back({frustum_of(view), t > time ? 1 - (t - time) / window : 1});
        }
    }
    std::stable_sort(samples.begin(), samples.end(),
                     [](const ViewSample& a, const ViewSample& b) { return a.weight > b.weight; });
    return samples;
}

} // namespace pleat
