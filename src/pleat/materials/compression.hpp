// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Softer compression: negative principal Green strains are scaled before a law is evaluated.
// Based on: [Koh2015] sec. 3.5 (buckling compensation).
#pragma once

#include "pleat/materials/strain.hpp"

namespace pleat {

/// g -> f(g), the principal strains l becoming l (l >= 0) or scale * l (l < 0), with derivatives.
struct CompressionMap {
    Strain scaled;    // f(g)
    Mat3 first;       // d f / d g by components uu, vv, uv
    double scale = 1; // as given
    Strain g{};       // as given
};

/// \pre 0 <= scale
[[nodiscard]] CompressionMap compress(const Strain& g, double scale);

/// The stress of w(f(g)) from the stress of w at f(g).
[[nodiscard]] Stress pull_back(const CompressionMap& map, const Stress& s);

/// The tangent of w(f(g)) from stress and tangent of w at f(g). psd: without the second derivative
/// of f, so that a positive tangent stays positive.
[[nodiscard]] Tangent pull_back(const CompressionMap& map, const Stress& s, const Tangent& t,
                                Definiteness d);

} // namespace pleat
