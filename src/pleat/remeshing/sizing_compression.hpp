// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Room to buckle: compressed cloth is refined before it wrinkles.
// Based on: [Narain2012] eq. 8, with a length c for all fabrics: an edge in the direction of a
// compressive strain is at most c / sqrt(1 - stretch^2) long.
//
// Or c from the fabric, which [Narain2012] sec. 7 leaves for later. A sheet of membrane stiffness S
// and bending rigidity B under a compressive strain e carries S e per width; the shortest wave that
// this can buckle has B k^2 = S e, the length
//
//     wave = 2 pi sqrt(B / (S e)).
//
// With n edges a wave and 1 - stretch^2 = 2 e to first order, c = (2 pi / n) sqrt(2 B / S). S and B
// are those of the fabric at rest, each in the direction of the principal strain: measured fabrics
// bend and stretch differently along weft, warp and bias, and change both with strain, which is
// small where cloth begins to buckle.
#pragma once

#include "pleat/materials/stiffness.hpp"
#include "pleat/remeshing/sizing_metric.hpp"

namespace pleat {

/// c of [Narain2012] for waves of a fabric that is compressed in the direction `angle` to the weft
/// [rad], in metres: an edge is c / sqrt(2 strain) long at most.
[[nodiscard]] double buckling_tolerance(const Material& material, double angle,
                                        double edges_per_wave);

class SizingCompression final : public SizingMetric {
public:
    static constexpr double default_tolerance = 0.07;   // [m], [Narain2012] table 1
    static constexpr double default_edges_per_wave = 6; // docs/remeshing.md, "Wrinkles"

    /// \param tolerance c [m] \pre tolerance > 0
    explicit SizingCompression(double tolerance = default_tolerance) : tolerance_(tolerance) {}
    /// c from the fabric of each face. \pre edges_per_wave > 0
    [[nodiscard]] static SizingCompression from_fabric(double edges_per_wave)
    {
        SizingCompression metric(0);
        metric.edges_per_wave_ = edges_per_wave;
        return metric;
    }
    void ask(const SizingInput& input, Field<FaceId, Mat2>& asked) const override;

private:
    double tolerance_;          // 0: from the fabric
    double edges_per_wave_ = 0; // where it is
};

} // namespace pleat
