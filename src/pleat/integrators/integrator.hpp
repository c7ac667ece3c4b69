// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// What moves the cloth by one step.
#pragma once

#include "pleat/core/function_ref.hpp"
#include "pleat/model/contacts.hpp"
#include "pleat/model/loads.hpp"
#include "pleat/model/model.hpp"
#include "pleat/model/reports.hpp"
#include "pleat/model/state.hpp"

namespace pleat {

/// Which velocity is modified: the one that is about to move the positions by dt, or the one at the
/// end of the step, which is treated as if it moved them by another dt.
enum class ModifyAt { before_positions, end };

/// Strain limits and collisions applied to a velocity: `moved` is `from` moved by its velocities
/// for dt, and both its velocities and its positions are changed. \return false where the motion is
/// refused; a shorter dt may help.
using ModifyMotion = FunctionRef<bool(ModifyAt at, const State& from, State& moved)>;

class Integrator {
public:
    virtual ~Integrator() = default;

    /// Moves `in` by dt [s] into `out`. Pinned nodes end where the loads say, to the bit. Where the
    /// report is not ok, `out` is not to be used.
    /// \pre dt > 0; sizes agree; `out` is not `in`.
    [[nodiscard]] virtual SolveReport advance(const Model& model, const State& in,
                                              const Loads& loads, const Contacts& contacts,
                                              double dt, State& out) = 0;

    /// The same, for integrators that let `modify` change velocities inside the step
    /// (SolveReport::modified says so). These refuse a dt above their stability bound
    /// (SolveReport::dt_stable) instead of cutting it: the caller cuts, and finds contacts anew for
    /// each step. The others ignore `modify`.
    [[nodiscard]] virtual SolveReport advance_modified(const Model& model, const State& in,
                                                       const Loads& loads, const Contacts& contacts,
                                                       ModifyMotion /*modify*/, double dt,
                                                       State& out)
    {
        return advance(model, in, loads, contacts, dt, out);
    }

    /// To be called when the mesh or the kind of a material's law changed since the last advance().
    virtual void mesh_changed() {}
};

} // namespace pleat
