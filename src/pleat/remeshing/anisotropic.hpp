// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Remeshing to a sizing field that is recomputed each time from the state of the cloth.
// Based on: [Narain2012] sec. 4.
#pragma once

#include "pleat/remeshing/edit_safely.hpp"
#include "pleat/remeshing/remesh_to_metric.hpp"
#include "pleat/remeshing/remesher.hpp"
#include "pleat/remeshing/sizing.hpp"

namespace pleat {

struct AnisotropicOptions {
    SizingByCloth sizing;
    double hysteresis = 0.2; // see RemeshOptions
    EditOptions edit;        // frozen_panels and obstacles are set by the remesher
};

class RemesherAnisotropic final : public Remesher {
public:
    explicit RemesherAnisotropic(AnisotropicOptions options);
    /// Total mass stays as it is to rounding. Momentum does too where edges are split; a flip or a
    /// collapse moves lumped mass between nodes of different velocity, and the report says by how
    /// much that changed the sums. The report has the sizing that was used.
    RemeshReport remesh(const World& world, double time, Model& model, State& state) override;

private:
    AnisotropicOptions options_;
    ObstacleTree obstacles_; // as they were at the last call: most stand still
};

/// Remeshes a model to given tensors.
/// \param metric by vert, positive definite outside frozen panels
[[nodiscard]] RemeshReport remesh_model(Model& model, State& state, const World& world, double time,
                                        const MetricField& metric, const RemeshOptions& remesh,
                                        const EditOptions& edit);

} // namespace pleat
