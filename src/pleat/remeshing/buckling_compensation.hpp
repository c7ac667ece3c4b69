// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Faces that are too large to buckle as fine cloth does resist compression less.
// Based on: [Koh2015] sec. 3.5.
#pragma once

#include "pleat/model/model.hpp"
#include "pleat/model/state.hpp"
#include "pleat/model/world.hpp"

#include <array>
#include <optional>

namespace pleat {

struct BucklingOptions {
    double exponent = 10;   // k >= 1
    bool all_faces = false; // not only those that no camera has in its frame
    /// Material areas A_min, A_max [m^2]; none: those of the softened faces.
    std::optional<std::array<double, 2>> areas{};
};

/// ((a_max - area) / (a_max - a_min))^exponent [Koh2015] eq. 11, areas clamped to [a_min, a_max]; 1
/// where a_min and a_max are the same.
[[nodiscard]] double compression_factor(double area, double a_min, double a_max, double exponent);

/// Sets Model::compression_scale: by the area of faces that are out of the frame of all cameras, 1
/// of others. \pre the mesh has no dead elements
void compensate_buckling(const World& world, double time, const BucklingOptions& options,
                         const State& state, Model& model);

} // namespace pleat
