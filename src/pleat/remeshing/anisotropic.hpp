// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Remeshing to a sizing field that is made anew each time from what the cloth does.
// Based on: [Narain2012] sec. 4.
#pragma once

#include "pleat/remeshing/remesh_to_metric.hpp"
#include "pleat/remeshing/remesher.hpp"
#include "pleat/remeshing/sizing.hpp"

#include <optional>
#include <vector>

namespace pleat {

/// What keeps remeshing from making intersections.
enum class CrossingStrategy {
    guard, // each edit is tried first, see crossing_guard.hpp
    none,  // nothing: for scenes without contact
};

struct AnisotropicOptions {
    /// By ClothId; a cloth without sizing keeps its mesh.
    std::vector<std::optional<SizingOptions>> sizing;
    CrossingStrategy crossings = CrossingStrategy::guard;
    double hysteresis = 0.2;
    double strain_rise = 0.01;                 // see RemeshOptions
    std::vector<SizingAdjustment> adjustments; // later metrics, in order
};

class RemesherAnisotropic final : public Remesher {
public:
    explicit RemesherAnisotropic(AnisotropicOptions options);
    /// Total mass stays as it is to rounding. Momentum does too where edges are split; a flip or a
    /// collapse moves lumped mass between nodes of different velocity, and the report says by how
    /// much that changed the sums.
    RemeshReport remesh(const World& world, double time, Model& model, State& state) override;

private:
    AnisotropicOptions options_;
};

/// Remeshes a model to given tensors and measures what that did: the common part of remeshers.
/// \param metric by vert. Model and state are compact and up to date afterwards.
/// \param frozen panels that keep their mesh, by PanelId; empty: none
[[nodiscard]] RemeshReport remesh_model(Model& model, State& state, MetricField metric,
                                        const std::vector<bool>& frozen, double hysteresis,
                                        double strain_rise, const ObstacleTree* guard_obstacles);

} // namespace pleat
