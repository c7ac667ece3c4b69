// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Edges by the angle between the normals of their faces.
// Based on: [Wang2002] sec. 3.3.
//
// An edge is to be split if n1.n2 < c_split, and may go if all edges that would go with it have
// n1.n2 >= c_join. The size of an edge is its angle over the angle of the limit. Asked with a
// strictness below 1 (for what may become coarser), the limit is that of c_join.
//
// As a tensor, for remeshers that need one: the same in all directions, and such that the edge of
// the face with the largest angle has this size.
#pragma once

#include "pleat/remeshing/sizing_metric.hpp"

namespace pleat {

class SizingDihedral final : public SizingMetric {
public:
    static constexpr double default_split = 0.97; // 14 degrees
    static constexpr double default_join = 0.997; // 4.4 degrees
    /// \param split, join cosines of angles \pre -1 < split <= join < 1
    explicit SizingDihedral(double split = default_split, double join = default_join);
    void ask(const SizingInput& input, Field<FaceId, Mat2>& asked) const override;
    bool measure_edges(const SizingInput& input, Field<EdgeId, double>& size) const override;

private:
    [[nodiscard]] double limit(const SizingInput& input) const
    {
        return input.strictness < 1 ? join_angle_ : split_angle_;
    }

    double split_angle_, join_angle_; // [rad]
};

} // namespace pleat
