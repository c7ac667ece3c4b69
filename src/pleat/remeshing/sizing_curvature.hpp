// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Edges short enough that the unit normal changes by no more than `angle` along them.
// Based on: [Narain2012] eq. 6.
#pragma once

#include "pleat/remeshing/sizing_metric.hpp"

namespace pleat {

class SizingCurvature final : public SizingMetric {
public:
    static constexpr double default_angle = 0.15; // [Narain2012] table 1
    /// \pre angle > 0
    explicit SizingCurvature(double angle = default_angle) : angle_(angle) {}
    void ask(const SizingInput& input, Field<FaceId, Mat2>& asked) const override;

private:
    double angle_;
};

} // namespace pleat
