// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// A simulation of a zoo mesh in one fabric, for tests of the pipeline.
#pragma once

#include "pleat/integrators/backward_euler.hpp"
#include "pleat/mesh/mesh.hpp"
#include "pleat/scene/material_file.hpp"
#include "pleat/sim/simulation.hpp"

#include <string>

namespace pleat {

[[nodiscard]] inline Simulation simulation_of(const MeshInput& input,
                                              const std::string& fabric_name = "11oz-black-denim")
{
    Simulation sim;
    Model& m = sim.model;
    m.mesh = build_mesh(input);
    m.cloths = {{"cloth"}};
    m.panel_cloth.assign(m.mesh.panel_count(), ClothId{0});
    m.materials = {fabric(fabric_name)};
    m.face_material.resize(m.mesh.face_count());
    m.rest_angle.resize(m.mesh.edge_count());
    m.node_label.resize(m.mesh.node_count());
    m.node_handles.resize(m.mesh.node_count());
    m.region_handles.resize(m.mesh.node_count());
    m.compression_scale.resize(m.mesh.face_count());
    sim.state.x.values = input.node_x;
    sim.state.v.resize(input.node_x.size());
    sim.state.anchor.values = input.node_x;
    update_derived(m);
    return sim;
}

[[nodiscard]] inline Pipeline default_pipeline()
{
    Pipeline p;
    p.integrator = std::make_unique<IntegratorBackwardEuler>();
    return p;
}

} // namespace pleat
