// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/remeshing/anisotropic.hpp"

#include <memory>
#include <utility>

namespace pleat {

RemesherAnisotropic::RemesherAnisotropic(AnisotropicOptions options) : options_(std::move(options))
{}

RemeshReport RemesherAnisotropic::remesh(const World& world, double time, Model& model,
                                         State& state)
{
    obstacles_.move_to(world, time);
    FaceSizing sizing = face_sizing(model, state, world, time, obstacles_, options_.sizing);
    EditOptions edit = options_.edit;
    edit.obstacles = &obstacles_;
    for (ClothId c : model.panel_cloth)
        edit.frozen_panels.push_back(!options_.sizing[index(c)].has_value());
    RemeshOptions options;
    options.hysteresis = options_.hysteresis;
    RemeshReport report = remesh_model(model, state, world, time,
                                       vert_metric(model.mesh, sizing.metric), options, edit);
    if (report.changed) sizing = carried(sizing, report.origin);
    report.sizing = std::make_shared<const FaceSizing>(std::move(sizing));
    return report;
}

RemeshReport remesh_model(Model& model, State& state, const World& world, double time,
                          const MetricField& metric, const RemeshOptions& remesh,
                          const EditOptions& edit)
{
    MetricField followed; // begins anew in each attempt
    return edit_safely(model, state, world, time, edit, [&](MeshEditor& editor) {
        followed = metric;
        editor.fields().add(followed);
        edit_to_metric(editor, followed, remesh);
    });
}

} // namespace pleat
