// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Edges by the mean curvature of the surface: a face whose largest mean curvature at a node is
// above a limit is refined, and the limit rises with each refinement.
// Based on: [Bender2013] sec. 5 ("Refinement criterion"), [Meyer2003].
//
// The limit of generation g is
//
//     l_g = g / g_max (l_max - l_base) + l_base,
//
// and each generation shortens edges by the fourth root of 3. So a face of curvature H is to have
// the edges
//
//     longest (shortest / longest)^t,    t = (H - l_base) / (l_max - l_base) in [0, 1],
//
// which says the same without generations, for every remesher: with the hierarchy of root-3
// subdivision, shortest / longest is 3^(-g_max / 4), and generation g is refined where H > l_g.
#pragma once

#include "pleat/remeshing/sizing_metric.hpp"

namespace pleat {

class SizingMeanCurvature final : public SizingMetric {
public:
    static constexpr double default_base = 1;  // [1/m]
    static constexpr double default_most = 10; // [1/m]
    /// \param base mean curvature above which the longest edges are too long [1/m]
    /// \param most mean curvature that asks for the shortest edges [1/m] \pre 0 <= base < most
    explicit SizingMeanCurvature(double base = default_base, double most = default_most)
        : base_(base), most_(most)
    {}
    void ask(const SizingInput& input, Field<FaceId, Mat2>& asked) const override;

private:
    double base_, most_;
};

} // namespace pleat
