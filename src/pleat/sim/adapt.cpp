// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/sim/adapt.hpp"

#include "pleat/loads/handles.hpp"

namespace pleat {

AdaptReport adapt(const World& world, Pipeline& p, Simulation& sim)
{
    AdaptReport r;
    let_go(world, sim.time, sim.model);
    {
        const StageTimer timer(r.times, Stage::remesh);
        r.remesh = p.remesher->remesh(world, sim.time, sim.model, sim.state);
    }
    r.times[Stage::remesh] -= r.remesh.ms_separate;
    r.times[Stage::separate] += r.remesh.ms_separate;
    if (p.buckling) {
        const StageTimer timer(r.times, Stage::remesh);
        compensate_buckling(world, sim.time, *p.buckling, sim.state, sim.model);
    }
    if (!r.remesh.changed) return r;
    p.contact_finder->mesh_changed();
    p.integrator->mesh_changed();
    p.strain_limiter->mesh_changed();
    p.impact_resolver->mesh_changed();
    return r;
}

} // namespace pleat
