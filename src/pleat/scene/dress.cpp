// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/scene/dress.hpp"

#include "pleat/core/error.hpp"
#include "pleat/sim/adapt.hpp"
#include "pleat/sim/step.hpp"
#include "pleat/strain_limiting/limited_mesh.hpp"

#include <algorithm>
#include <cmath>
#include <set>

namespace pleat {

namespace {

// The share of the time over which the limits shrink to zero; they stay there for the rest.
constexpr double shrinking = 0.7;
// How long the garments then hang with their own limits on a mesh that adapts, as a share of the
// time of a layer, and how often the mesh does. A coarse mesh goes around a shoulder as a polygon
// around a circle: it is longer than the body there, and only a finer one can take that strain out.
constexpr double hanging = 0.5;
constexpr int steps_a_remesh = 5;

/// The world as it is at time 0, standing still.
World frozen(const World& world)
{
    World still = world;
    for (Obstacle& o : still.obstacles) {
        o.x = points_at(o, 0);
        o.motion = {};
        o.frames.clear();
        if (!o.is_present(0)) o.start_time = forever;
    }
    return still;
}

std::string percent(double strain)
{
    const std::string digits = std::to_string(std::lround(1000 * strain));
    return (digits.size() < 2 ? "0" : digits.substr(0, digits.size() - 1)) + "." + digits.back() +
           " %";
}

} // namespace

void dress(const SceneDescription& description, Scene& scene)
{
    if (!description.dress || description.dress->time <= 0) return;
    const DressDescription& d = *description.dress;
    SceneDescription parts = description;
    parts.strain_limiting.type = "projected_newton";
    for (ClothDescription& c : parts.cloths) c.remeshing.type = "none";
    Pipeline pipeline = make_pipeline(parts);

    Simulation sim = scene.start;
    World world = frozen(scene.world);
    world.gravity *= d.gravity;
    world.wind = {};
    const std::uint64_t waiting = std::uint64_t{1} << world.handles.size();
    const bool can_wait = world.handles.size() < max_handles;
    if (can_wait) world.handles.push_back({.name = "waiting layers"});

    constexpr StrainLimits zero{0, 0};
    const auto worst = [&] {
        return check_limits(sim.model, sim.state.x.values, zero).worst_violation;
    };
    const double before = worst();
    std::set<int> layers;
    for (const ClothDescription& c : description.cloths) layers.insert(c.layer);
    int steps = 0;
    const auto step_once = [&](Pipeline& with, const std::string& what) {
        sim.time = 0; // nothing moves by itself
        const AdvanceReport r = advance(world, with, sim, d.step);
        if (!r.ok)
            throw InputError(Problem{description.file.string(), "dress", what + ": " + r.trouble,
                                     "panels placed farther from the body, or a wider garment"});
        for (Vec3& v : sim.state.v.values) v *= d.speed;
        ++steps;
    };
    for (const int layer : layers) {
        for (NodeId n : sim.model.mesh.nodes()) sim.model.node_handles[n] &= ~waiting;
        for (FaceId f : sim.model.mesh.faces()) {
            const ClothDescription& c = description.cloths[index(sim.model.cloth_of(f))];
            if (c.layer > layer && can_wait)
                for (NodeId n : sim.model.mesh.nodes_of(f)) sim.model.node_handles[n] |= waiting;
        }
        const int count = std::max(1, int(std::lround(d.time / d.step)));
        const double start = worst();
        for (int k = 0; k < count; ++k) {
            const double left = std::max(0.0, 1 - (k + 1) / (shrinking * count));
            for (std::size_t i = 0; i < sim.model.materials.size(); ++i)
                sim.model.materials[i].strain_limits =
                    StrainLimits{-std::min(start * left, 0.99), start * left};
            step_once(pipeline, "layer " + std::to_string(layer) + " cannot be dressed");
        }
    }
    for (NodeId n : sim.model.mesh.nodes()) sim.model.node_handles[n] &= ~waiting;
    sim.model.materials = scene.start.model.materials;
    Pipeline own = make_pipeline(description);
    const int count = int(std::lround(hanging * d.time / d.step));
    for (int k = 0; k < count; ++k) {
        if (k % steps_a_remesh == 0) (void)adapt(world, own, sim);
        step_once(own, "the garments cannot hang");
    }
    sim.time = 0;
    const double after = worst();
    const double beyond = check_limits(sim.model, sim.state.x.values).worst_violation;
    sim.state.v.values.assign(sim.state.v.size(), {});
    sim.state.anchor.values = sim.state.x.values;
    sim.state.handles_taken = scene.start.state.handles_taken;
    scene.start = std::move(sim);
    scene.notes.push_back("dressed before frame 0 in " + std::to_string(layers.size()) +
                          " layer(s), " + std::to_string(steps) + " steps: worst strain " +
                          percent(before) + " -> " + percent(after) +
                          (beyond > 0 ? ", " + percent(beyond) + " beyond the limits" : ""));
}

} // namespace pleat
