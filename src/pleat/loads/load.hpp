// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// The slot of loads: external forces and constraints on the cloth, evaluated once per step. A
// pipeline has a list of them; their effects add up.
#pragma once

#include "pleat/model/loads.hpp"
#include "pleat/model/model.hpp"
#include "pleat/model/state.hpp"
#include "pleat/model/world.hpp"

#include <memory>
#include <vector>

namespace pleat {

/// A load must not have state that changes from step to step: anything that depends on time is a
/// function of `time`. So a retried step and a resumed run get the same loads.
class Load {
public:
    virtual ~Load() = default;
    /// Adds to `loads`. Arrays by node that are empty are resized first (loads.force, loads.drag).
    /// \param state at the start of the step
    /// \param time at the start of the step [s]
    virtual void add(const World& world, const Model& model, const State& state, double time,
                     double dt, Loads& loads) const = 0;
};

using LoadList = std::vector<std::shared_ptr<const Load>>;

/// Gravity, wind and handles of the World: the loads that every scene has.
[[nodiscard]] LoadList world_loads();

/// The sum of the loads, in the order of the list.
[[nodiscard]] Loads sum_of(const LoadList& list, const World& world, const Model& model,
                           const State& state, double time, double dt);

} // namespace pleat
