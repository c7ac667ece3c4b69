// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// What every integrator does at the end of a step.
#pragma once

#include "pleat/model/loads.hpp"
#include "pleat/model/reports.hpp"
#include "pleat/model/state.hpp"

#include <algorithm>

namespace pleat {

/// Pinned nodes end where the loads say, to the bit.
inline void place_pins(const Loads& loads, State& state)
{
    for (const Pin& p : loads.pins) {
        state.x[p.node] = p.x_t1;
        state.v[p.node] = p.v_t1;
    }
}

/// Reports positions that are not finite; such a state must not be used.
inline void refuse_infinite(const State& state, SolveReport& report)
{
    if (std::all_of(state.x.begin(), state.x.end(), [](const Vec3& p) { return is_finite(p); }))
        return;
    report.ok = false;
    report.trouble = "a position is not finite";
}

} // namespace pleat
