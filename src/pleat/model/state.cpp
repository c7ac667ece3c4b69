// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/model/state.hpp"

#include "pleat/core/hash.hpp"
#include "pleat/core/parallel.hpp"
#include "pleat/mesh/mesh_input.hpp"
#include "pleat/model/model.hpp"

#include <cmath>

namespace pleat {

State start_state(const MeshInput& input)
{
    State state;
    state.x.values = input.node_x;
    state.v.values = input.node_v;
    state.v.resize(input.node_x.size());
    state.anchor.values = input.node_x;
    return state;
}

void add_fields(FieldSet& fields, State& state)
{
    visit_fields(state, [&](const char*, auto& field) { fields.add(field); });
}

void follow(const Model& model, State& state)
{
    follow(model.dependencies, state.x.span());
    follow(model.dependencies, state.v.span());
}

bool is_within_bounds(const State& state)
{
    const auto within = [](const Vec3& a) { // false for NaN
        return std::abs(a[0]) <= largest_component && std::abs(a[1]) <= largest_component &&
               std::abs(a[2]) <= largest_component;
    };
    return parallel_reduce(
        state.x.size(), true,
        [&](std::size_t i) { return within(state.x.values[i]) && within(state.v.values[i]); },
        [](bool a, bool b) { return a && b; });
}

std::uint64_t state_hash(const Model& model, const State& state)
{
    Hash h;
    for (FaceId f : model.mesh.faces()) {
        h.add_array(std::span<const VertId>(model.mesh[f].verts));
        for (NodeId n : model.mesh.nodes_of(f)) h.add(index(n));
    }
    for (VertId v : model.mesh.verts()) {
        h.add(model.mesh.u(v)[0]);
        h.add(model.mesh.u(v)[1]);
    }
    h.add_array(std::span<const Vec3>(state.x.values));
    h.add_array(std::span<const Vec3>(state.v.values));
    if (!model.dependencies.empty())
        h.add_array(std::span<const std::uint32_t>(model.dependencies.start));
    for (const Dependencies::Parent& p : model.dependencies.parents) {
        h.add(p.row);
        h.add(p.weight);
    }
    return h.value();
}

Vec3 linear_momentum(const Model& model, const State& state)
{
    return parallel_sum(state.v.size(),
                        [&](std::size_t i) { return model.mass.values[i] * state.v.values[i]; });
}

Vec3 angular_momentum(const Model& model, const State& state)
{
    return parallel_sum(state.v.size(), [&](std::size_t i) {
        return cross(state.x.values[i], model.mass.values[i] * state.v.values[i]);
    });
}

double kinetic_energy(const Model& model, const State& state)
{
    return parallel_sum(state.v.size(), [&](std::size_t i) {
        return 0.5 * model.mass.values[i] * norm2(state.v.values[i]);
    });
}

} // namespace pleat
