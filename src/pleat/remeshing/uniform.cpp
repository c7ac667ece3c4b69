// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/remeshing/uniform.hpp"

#include "pleat/remeshing/anisotropic.hpp"

#include <utility>

namespace pleat {

RemesherUniform::RemesherUniform(std::vector<std::optional<double>> edge_length)
    : edge_length_(std::move(edge_length))
{}

RemeshReport RemesherUniform::remesh(const World& world, double time, Model& model, State& state)
{
    if (time > 0) return {}; // not "the first call": a run that is resumed must not refine again
    const Mesh& mesh = model.mesh;
    MetricField metric(mesh.vert_count(), FieldRule::interpolate);
    EditOptions edit;
    edit.frozen_panels.resize(mesh.panel_count());
    for (FaceId f : mesh.faces()) {
        const auto& length = edge_length_[index(model.cloth_of(f))];
        edit.frozen_panels[index(mesh.panel(f))] = !length.has_value();
        if (!length) continue;
        for (VertId v : mesh[f].verts) metric[v] = identity<2>() * (1 / (*length * *length));
    }
    RemeshOptions options;
    options.hysteresis = 1; // no edge is to be coarser than the file's: nothing is collapsed
    return remesh_model(model, state, world, time, metric, options, edit);
}

} // namespace pleat
