// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// The slot that moves a state inside the strain limits, after the solve and before impacts.
#pragma once

#include "pleat/model/contacts.hpp"
#include "pleat/model/loads.hpp"
#include "pleat/model/model.hpp"
#include "pleat/model/reports.hpp"
#include "pleat/model/state.hpp"

namespace pleat {

class StrainLimiter {
public:
    virtual ~StrainLimiter() = default;
    /// Moves the nodes of `next`, pins excepted, and adds displacement / dt to their velocities.
    [[nodiscard]] virtual LimitReport limit(const Model& model, const Loads& loads,
                                            const Contacts& contacts, double dt, State& next) = 0;
    virtual void mesh_changed() {}
};

/// Leaves the state as it is.
class StrainLimiterNone final : public StrainLimiter {
public:
    LimitReport limit(const Model&, const Loads&, const Contacts&, double, State&) override
    {
        return {};
    }
};

} // namespace pleat
