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
    sim.model = make_model(input, {fabric(fabric_name)});
    sim.state = start_state(input);
    return sim;
}

[[nodiscard]] inline Pipeline default_pipeline()
{
    Pipeline p;
    p.integrator = std::make_unique<IntegratorBackwardEuler>();
    return p;
}

} // namespace pleat
