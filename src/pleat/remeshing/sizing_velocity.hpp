// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Edges short enough that the velocity changes by no more than `velocity` along them.
// Based on: [Narain2012] eq. 7.
#pragma once

#include "pleat/remeshing/sizing_metric.hpp"

namespace pleat {

class SizingVelocity final : public SizingMetric {
public:
    static constexpr double default_velocity = 0.7; // [m/s], [Narain2012] table 1
    /// \param velocity [m/s] \pre velocity > 0
    explicit SizingVelocity(double velocity = default_velocity) : velocity_(velocity) {}
    void ask(const SizingInput& input, Field<FaceId, Mat2>& asked) const override;

private:
    double velocity_;
};

} // namespace pleat
