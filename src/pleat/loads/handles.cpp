// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/loads/handles.hpp"

#include <bit>
#include <vector>

namespace pleat {

namespace {

// Step times are sums with rounding errors; a handle that starts at a step must not start one step
// later.
constexpr double same_time = 1e-9; // [s]

/// Share of its strength that a handle has at a time: 1 while it holds, falling over the fade with
/// the fourth power of what is left of it, as scenes of ARCSim expect.
double strength(const Handle& h, double time)
{
    if (time < h.start_time - same_time) return 0;
    if (time <= h.end_time + same_time) return 1;
    if (h.fade_time <= 0 || time >= h.end_time + h.fade_time) return 0;
    const double left = 1 - (time - h.end_time) / h.fade_time;
    return left * left * left * left;
}

/// Whether the handle has no effect on steps that start at a time or later.
bool has_let_go(const Handle& h, double time)
{
    return time >= h.end_time + h.fade_time - same_time;
}

Vec3 target(const Handle& h, const Vec3& anchor, double time)
{
    if (h.motion.keys.empty()) return anchor;
    const Transform from = transform_at(h.motion, h.start_time);
    return apply(transform_at(h.motion, time) * inverse(from), anchor);
}

/// By node: the handles that hold it, hold it later, or have it in their region. A handle on a
/// dependent node holds its parents instead, and the node follows them.
std::vector<std::uint64_t> handles_of_free_nodes(const Model& model)
{
    std::vector<std::uint64_t> handles(model.mesh.node_count(), 0);
    for (NodeId n : model.mesh.nodes())
        model.dependencies.visit(index(n), 1, [&](std::uint32_t free_node, double) {
            handles[free_node] |= model.handles(n);
        });
    return handles;
}

} // namespace

void take_hold(const World& world, const Model& model, double time, State& state)
{
    std::vector<std::uint64_t> handles; // built only when a handle takes hold, which is rare
    for (std::size_t i = 0; i < world.handles.size(); ++i) {
        const std::uint64_t bit = std::uint64_t{1} << i;
        if ((state.handles_taken & bit) != 0 || time < world.handles[i].start_time - same_time)
            continue;
        state.handles_taken |= bit;
        std::uint64_t earlier = 0; // that hold, and whose anchors stay
        for (std::size_t k = 0; k < i; ++k)
            if (!has_let_go(world.handles[k], time)) earlier |= std::uint64_t{1} << k;
        if (handles.empty()) handles = handles_of_free_nodes(model);
        for (NodeId n : model.mesh.nodes())
            if ((handles[index(n)] & bit) != 0 &&
                (handles[index(n)] & earlier & state.handles_taken) == 0)
                state.anchor[n] = state.x[n];
    }
}

void let_go(const World& world, double time, Model& model)
{
    std::uint64_t gone = 0;
    for (std::size_t i = 0; i < world.handles.size(); ++i)
        if (has_let_go(world.handles[i], time)) gone |= std::uint64_t{1} << i;
    if (gone == 0) return;
    std::vector<NodeId> free;
    const std::vector<std::uint8_t> tied = nodes_of_dependencies(model);
    for (NodeId n : model.mesh.nodes()) {
        if ((model.handles(n) & gone) == 0) continue;
        model.node_handles[n] &= ~gone;
        model.region_handles[n] &= ~gone;
        if (model.handles(n) == 0 && model.node_label[n] == 0 && tied[index(n)] == 0)
            free.push_back(n);
    }
    unlock_nodes(model.mesh, free, model.rest_angle.span());
}

void add_handles(const World& world, const Model& model, const State& state, double time, double dt,
                 Loads& loads)
{
    const double t1 = time + dt;
    std::uint64_t holding = 0;
    for (std::size_t i = 0; i < world.handles.size(); ++i)
        if (strength(world.handles[i], t1) > 0 &&
            (state.handles_taken & (std::uint64_t{1} << i)) != 0)
            holding |= std::uint64_t{1} << i;
    if (holding == 0) return;
    const std::vector<std::uint64_t> handles = handles_of_free_nodes(model);
    for (NodeId n : model.mesh.nodes()) {
        const std::uint64_t here = handles[index(n)] & holding;
        if (here == 0) continue;
        const Handle& h = world.handles[static_cast<std::size_t>(std::countr_zero(here))];
        const double s = strength(h, t1);
        const Vec3 goal = target(h, state.anchor[n], t1);
        if (h.stiffness || s < 1)
            loads.springs.push_back({n, goal, s * h.stiffness.value_or(h.fade_stiffness)});
        else
            loads.pins.push_back({n, goal, (goal - state.x[n]) / dt});
    }
}

} // namespace pleat
