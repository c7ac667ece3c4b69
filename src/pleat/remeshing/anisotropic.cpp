// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/remeshing/anisotropic.hpp"

#include "pleat/energies/elastic_batch.hpp"

#include <algorithm>
#include <utility>

namespace pleat {

RemesherAnisotropic::RemesherAnisotropic(AnisotropicOptions options) : options_(std::move(options))
{}

RemeshReport RemesherAnisotropic::remesh(const World& world, double time, Model& model,
                                         State& state)
{
    const ObstacleTree obstacles(world, time);
    const FaceSizing sizing =
        face_sizing(model, state, obstacles, options_.sizing, options_.adjustments);
    std::vector<bool> frozen(model.mesh.panel_count());
    for (std::size_t p = 0; p < frozen.size(); ++p)
        frozen[p] = !options_.sizing[index(model.panel_cloth[p])].has_value();
    return remesh_model(model, state, vert_metric(model.mesh, sizing.metric), frozen,
                        options_.hysteresis, options_.strain_rise,
                        options_.crossings == CrossingStrategy::guard ? &obstacles : nullptr);
}

RemeshReport remesh_model(Model& model, State& state, MetricField metric,
                          const std::vector<bool>& frozen, double hysteresis, double strain_rise,
                          const ObstacleTree* guard_obstacles)
{
    struct Sums {
        Vec3 momentum, angular;
        double kinetic, elastic;
    };
    const auto sums_of = [&] {
        return Sums{linear_momentum(model, state), angular_momentum(model, state),
                    kinetic_energy(model, state), elastic_energy(model, state)};
    };
    const Sums before = sums_of();

    RemeshOptions options;
    options.hysteresis = hysteresis;
    options.frozen_panels = frozen;
    options.strain_rise = strain_rise;
    for (ClothId c : model.panel_cloth) options.panel_group.push_back(index(c));
    FieldSet fields;
    add_fields(fields, model);
    add_fields(fields, state);
    std::optional<CrossingGuard> guard;
    if (guard_obstacles != nullptr) guard.emplace(model.mesh, state.x, *guard_obstacles);
    const RemeshCounts counts = remesh_to_metric(model.mesh, metric, state.x, fields, options,
                                                 &model.node_handles, guard ? &*guard : nullptr);

    RemeshReport report;
    report.changed = counts.changed();
    report.splits = counts.splits;
    report.flips = counts.flips;
    report.collapses = counts.collapses;
    report.refused = counts.refused;
    report.midpoints = counts.midpoints;
    if (!report.changed) return report;
    update_derived(model);
    const Sums after = sums_of();
    report.momentum_change = after.momentum - before.momentum;
    report.angular_momentum_change = after.angular - before.angular;
    report.kinetic_change = after.kinetic - before.kinetic;
    report.elastic_change = after.elastic - before.elastic;
    return report;
}

} // namespace pleat
