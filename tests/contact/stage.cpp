// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "contact/stage.hpp"

#include "contact/folded_sheet.hpp"
#include "pleat/contact/impact_zones.hpp"
#include "pleat/contact/impulses.hpp"
#include "pleat/contact/proximity.hpp"
#include "pleat/integrators/backward_euler.hpp"
#include "pleat/sim/audit.hpp"
#include "pleat/sim/frames.hpp"
#include "pleat/sim/step.hpp"

#include <algorithm>
#include <cmath>

namespace pleat::test {

void Stage::hold(const std::function<bool(const Vec3&)>& test, Motion motion)
{
    const std::uint64_t bit = std::uint64_t{1} << world.handles.size();
    for (NodeId n : sim.model.mesh.nodes())
        if (test(sim.state.x[n])) sim.model.node_handles[n] |= bit;
    Handle handle;
    handle.motion = std::move(motion);
    world.handles.push_back(std::move(handle));
}

Stage make_stage(const std::vector<SheetPlan>& sheets, const Material& material,
                 const ContactOptions& contact, ContactParts parts)
{
    MeshInput joined;
    for (const SheetPlan& plan : sheets) {
        MeshInput input;
        const Sheet grid = make_sheet(plan.columns, plan.rows, [&](std::size_t i, std::size_t j) {
            const Vec2 u{plan.width * double(i) / double(plan.columns),
                         plan.height * double(j) / double(plan.rows)};
            input.material_u.push_back(u);
            return plan.place(u);
        });
        input.node_x = grid.x;
        input.node_v.assign(grid.x.size(), plan.velocity);
        input.face_nodes = grid.triangles;
        input.face_points = grid.triangles;
        append(joined, input);
    }
    Stage stage;
    Model& model = stage.sim.model;
    model = make_model(joined, {material});
    model.cloths.clear();
    for (std::size_t i = 0; i < sheets.size(); ++i) { // a panel is a sheet
        model.cloths.push_back({"sheet" + std::to_string(i)});
        model.panel_cloth[i] = make_id<ClothId>(i);
    }
    stage.sim.state = start_state(joined);
    stage.world.gravity = {0, 0, -9.8};
    stage.pipeline.integrator = std::make_unique<IntegratorBackwardEuler>();
    if (parts == ContactParts::impulses) {
        stage.pipeline.impact_resolver = std::make_unique<ImpactResolverImpulses>(contact);
        return stage;
    }
    stage.pipeline.contact_finder = std::make_unique<ContactFinderProximity>(contact);
    stage.pipeline.impact_resolver = std::make_unique<ImpactResolverImpactZones>(contact);
    return stage;
}

Outcome play(Stage& stage, double seconds, double dt, int audit_every)
{
    Outcome outcome;
    const auto steps = static_cast<int>(std::lround(seconds / dt));
    for (int s = 1; s <= steps; ++s) {
        const AdvanceReport r = advance(stage.world, stage.pipeline, stage.sim, dt);
        outcome.unresolved += r.unresolved;
        outcome.pinched = std::max(outcome.pinched, r.pinched);
        outcome.impacts += r.impacts;
        outcome.rejected += r.rejected;
        if (!r.ok) {
            outcome.ok = false;
            outcome.trouble = r.trouble;
            return outcome;
        }
        if (s % audit_every != 0 && s != steps) continue;
        const MeshAudit found = audit(object_meshes(stage.world, stage.sim), 0.005);
        outcome.intersections += found.intersections;
        outcome.max_stretch = std::max(outcome.max_stretch, found.max_stretch);
        outcome.least_gap = std::min(outcome.least_gap, found.min_gap);
        for (const Vec3& v : stage.sim.state.v)
            outcome.top_speed = std::max(outcome.top_speed, norm(v));
    }
    return outcome;
}

Motion slide(const std::vector<std::pair<double, Vec3>>& keys)
{
    Motion motion;
    for (const auto& [time, translate] : keys) motion.keys.push_back({time, {translate, {}, 1}});
    return motion;
}

} // namespace pleat::test
