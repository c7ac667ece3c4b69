// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// No edge reaches through the tangent plane of the nearest obstacle point.
// Based on: [Narain2012] eq. 9.
//
// Departs from [Narain2012]: obstacles farther away than the longest edge are ignored; they would
// ask for less than the least that any face is given.
#pragma once

#include "pleat/remeshing/sizing_metric.hpp"

namespace pleat {

class SizingObstacle final : public SizingMetric {
public:
    void ask(const SizingInput& input, Field<FaceId, Mat2>& asked) const override;
};

} // namespace pleat
