// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Remeshing to a sizing field that is made anew each time from what the cloth does.
// Based on: [Narain2012] sec. 4.
#pragma once

#include "pleat/remeshing/remesh_to_metric.hpp"
#include "pleat/remeshing/remesher.hpp"
#include "pleat/remeshing/sizing.hpp"

#include <functional>
#include <optional>
#include <vector>

namespace pleat {

/// What keeps remeshing from making intersections.
enum class CrossingStrategy {
    /// Faces that changed are looked at; where any crosses, the remeshing is done anew with each
    /// edit tried first, see crossing_guard.hpp.
    guard,
    /// Faces that changed are looked at; those that cross are moved apart, see separate.hpp. Where
    /// that does not help, contours are shortened, and at last the old mesh is kept there.
    separate,
    none, // nothing: for scenes without contact
};

/// Takes the cloth out of what it crosses by changing positions alone.
/// \return whether nothing crosses any more
using Untangler =
    std::function<bool(const World& world, double time, const Model& model, State& state)>;

struct AnisotropicOptions {
    /// By ClothId; a cloth without sizing keeps its mesh.
    std::vector<std::optional<SizingOptions>> sizing;
    CrossingStrategy crossings = CrossingStrategy::guard;
    double hysteresis = 0.2;
    double strain_rise = 0.01;                 // see RemeshOptions
    std::vector<SizingAdjustment> adjustments; // later metrics, in order
    /// For CrossingStrategy::separate, where moving apart alone does not do; may be empty.
    Untangler untangle;
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
    ObstacleTree obstacles_; // as they were at the last call: most stand still
};

struct ModelRemeshOptions {
    std::vector<bool> frozen_panels; // keep their mesh, by PanelId; empty: none
    double hysteresis = 0.2;
    double strain_rise = 0.01;
    CrossingStrategy crossings = CrossingStrategy::guard;
    const Field<NodeId, Vec3>* normal = nullptr; // as RemeshOptions has it
    /// Takes the cloth apart where separate() could not. \return whether nothing crosses then.
    std::function<bool()> untangle;
};

/// Remeshes a model to given tensors and measures what that did: the common part of remeshers.
/// \param metric by vert. Model and state are compact and up to date afterwards.
[[nodiscard]] RemeshReport remesh_model(Model& model, State& state, MetricField metric,
                                        const ObstacleTree& obstacles,
                                        const ModelRemeshOptions& options);

} // namespace pleat
