// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Positions and velocities of the cloth: everything that a step changes.
#pragma once

#include "pleat/core/field.hpp"
#include "pleat/core/vec.hpp"
#include "pleat/mesh/field_set.hpp"

#include <concepts>
#include <cstdint>
#include <type_traits>

namespace pleat {

struct MeshInput;
struct Model;

struct State {
    Field<NodeId, Vec3> x{FieldRule::interpolate}; // world [m]
    Field<NodeId, Vec3> v{FieldRule::interpolate}; // [m/s]
    /// Where a held node was when its handle took hold [m]; meaningless for the others.
    Field<NodeId, Vec3> anchor{FieldRule::interpolate};
    /// Bit i: handle i of the World has taken hold of its nodes.
    std::uint64_t handles_taken = 0;

    bool operator==(const State&) const = default;
};

/// Positions and velocities of the input; at rest where it has no velocities. No handle has taken
/// hold.
[[nodiscard]] State start_state(const MeshInput& input);

/// Calls visit(name, field) for each field, as visit_fields() of the Model does.
template <class StateT, class Visit>
void visit_fields(StateT& state,
                  Visit&& visit) requires std::same_as<std::remove_const_t<StateT>, State>
{
    visit("x", state.x);
    visit("v", state.v);
    visit("anchor", state.anchor);
}

/// The fields of the state that an editing pass must carry along.
void add_fields(FieldSet& fields, State& state);

/// Positions and velocities of dependent nodes from those of their parents (Model::dependencies).
void follow(const Model& model, State& state);

/// Largest coordinate [m] and speed [m/s] of a valid state, ten times the bounds for input. A state
/// beyond them has diverged.
inline constexpr double largest_component = 1e7;

/// Whether every component of positions and velocities is a number, and not beyond the above.
[[nodiscard]] bool is_within_bounds(const State& state);

/// The golden hash: the same for the same bits of topology, positions, velocities and dependencies.
[[nodiscard]] std::uint64_t state_hash(const Model& model, const State& state);

/// m v summed [kg m/s].
[[nodiscard]] Vec3 linear_momentum(const Model& model, const State& state);
/// x cross m v summed, about the origin [kg m^2/s].
[[nodiscard]] Vec3 angular_momentum(const Model& model, const State& state);
/// [J]
[[nodiscard]] double kinetic_energy(const Model& model, const State& state);

} // namespace pleat
