// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// One step of the pipeline, and the retry around it.
#pragma once

#include "pleat/core/stage_times.hpp"
#include "pleat/model/reports.hpp"
#include "pleat/model/world.hpp"
#include "pleat/sim/simulation.hpp"
#include "pleat/strain_limiting/limited_mesh.hpp"

#include <string>

namespace pleat {

struct StepReport {
    ContactReport contact;
    SolveReport solve;
    LimitReport limit;
    ImpactReport impact;
    LimitCheck limits_after;   // the strain limits once more, when impacts have been resolved
    bool limits_kept = true;   // false: after impacts, strains are far outside the limits again
    bool within_bounds = true; // positions and velocities are finite and within bounds
    StageTimes times;

    [[nodiscard]] bool accepted() const
    {
        return solve.ok && limit.ok && impact.ok && limits_kept && within_bounds;
    }
    /// Why the step was rejected, in words; empty when it was accepted.
    [[nodiscard]] std::string trouble() const;
};

/// Advances the simulation by dt, or leaves it unchanged and reports why.
/// \param insist do not ask for a smaller dt because of impacts or strain limits
[[nodiscard]] StepReport step(const World& world, Pipeline& pipeline, Simulation& sim, double dt,
                              bool insist = false);

/// Report of an interval of time.
struct AdvanceReport {
    bool ok = true;
    std::string trouble; // of the step that was rejected last; empty where none was
    int steps = 0;       // accepted
    int rejected = 0;
    StageTimes times;
    std::size_t proximities = 0; // largest of any step
    std::size_t impacts = 0;
    std::size_t pinched = 0; // largest of any step: nodes between obstacles without room
    std::size_t rigid_zones = 0;
    std::size_t unresolved = 0; // pairs that impacts gave up
    int linear_iterations = 0;
    int unsettled = 0; // accepted steps whose forces were not balanced to the tolerance
    int fallbacks = 0;
    int inner_steps = 1;              // most into which the integrator cut a step for its stability
    double dt_stable = 0;             // its bound then [s]
    double worst_limit_violation = 0; // left by the limiter
    LimitCheck limits_after;          // worst of any step: impacts may push faces out again
};

/// Steps whose dt was halved this often and still rejected end the run.
inline constexpr int max_halvings = 6;
/// Impacts that this many halvings do not resolve are not resolved by more of them.
inline constexpr int max_impact_halvings = 2;

/// Advances by dt in one step; where it is rejected, in two of half the length, and so on. Where
/// the integrator only found it too long to be stable, in as many as it asks for.
[[nodiscard]] AdvanceReport advance(const World& world, Pipeline& pipeline, Simulation& sim,
                                    double dt);

} // namespace pleat
