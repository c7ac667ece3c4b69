// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// What moves the cloth by one step.
#pragma once

#include "pleat/model/contacts.hpp"
#include "pleat/model/loads.hpp"
#include "pleat/model/model.hpp"
#include "pleat/model/reports.hpp"
#include "pleat/model/state.hpp"

namespace pleat {

class Integrator {
public:
    virtual ~Integrator() = default;

    /// Moves `in` by dt [s] into `out`. Pinned nodes end where the loads say, to the bit. Where the
    /// report is not ok, `out` is not to be used.
    /// \pre dt > 0; sizes agree; `out` is not `in`.
    [[nodiscard]] virtual SolveReport advance(const Model& model, const State& in,
                                              const Loads& loads, const Contacts& contacts,
                                              double dt, State& out) = 0;

    /// To be called when the mesh or the kind of a material's law changed since the last advance().
    virtual void mesh_changed() {}
};

} // namespace pleat
