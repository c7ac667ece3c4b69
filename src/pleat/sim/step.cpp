// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/sim/step.hpp"

#include "pleat/loads/handles.hpp"
#include "pleat/model/obstacle_sample.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace pleat {

namespace {

// Impacts that leave a face this far outside its limits [strain] are followed by limiting again, so
// many times at most. Most steps need one to three rounds; in sharp folds of a flag some need six.
constexpr double relimit_above = 0.005;
constexpr int most_relimits = 10;
// What is left then [strain] is tried again with a smaller dt, unless the limiter itself could not
// do much better.
constexpr double limits_missed_above = 0.02;
constexpr double limiter_share = 0.5;

void commit(Simulation& sim, State next, double dt)
{
    sim.state = std::move(next);
    sim.time += dt;
}

// How much shorter than the bound of an explicit integrator its steps are made, since the bound
// moves with the state, and the most of them.
constexpr double stable_share = 0.9;
constexpr double most_cuts = 20000;
// A bound that shrinks with the step, as that of springs which get stiffer, ends as a rejected
// step.
constexpr int most_nested_cuts = 6;

/// Into how many steps dt has to be cut for an integrator that refused it as too long; 1: it did
/// not.
int stable_cuts(const SolveReport& solve, double dt)
{
    if (solve.ok || !(solve.dt_stable > 0) || solve.dt_stable >= dt) return 1;
    const double cuts = std::ceil(dt / (stable_share * solve.dt_stable));
    return cuts <= most_cuts ? static_cast<int>(cuts) : 1;
}

/// \param cut how often dt was cut for the sake of stability already
void advance_halving(const World& world, Pipeline& pipeline, Simulation& sim, double dt,
                     int halvings, int cut, AdvanceReport& total)
{
    const StepReport r = step(world, pipeline, sim, dt, halvings >= max_impact_halvings);
    total.times += r.times;
    total.proximities = std::max(total.proximities, r.contact.proximities);
    total.impacts += r.impact.impacts;
    total.pinched = std::max({total.pinched, r.contact.pinched, r.impact.pinched});
    total.rigid_zones += r.impact.rigid_zones;
    total.unresolved += r.accepted() ? r.impact.unresolved : 0;
    total.linear_iterations += r.solve.linear_iterations;
    total.fallbacks += r.solve.fallbacks;
    if (r.solve.inner_steps > total.inner_steps) {
        total.inner_steps = r.solve.inner_steps;
        total.dt_stable = r.solve.dt_stable;
    }
    if (r.accepted()) {
        ++total.steps;
        total.worst_limit_violation =
            std::max(total.worst_limit_violation, r.limit.worst_violation);
        LimitCheck& after = total.limits_after;
        after.worst_violation = std::max(after.worst_violation, r.limits_after.worst_violation);
        after.faces_outside = std::max(after.faces_outside, r.limits_after.faces_outside);
        after.faces_limited = std::max(after.faces_limited, r.limits_after.faces_limited);
        return;
    }
    if (const int cuts = cut < most_nested_cuts ? stable_cuts(r.solve, dt) : 1; cuts > 1) {
        if (cuts > total.inner_steps) {
            total.inner_steps = cuts;
            total.dt_stable = r.solve.dt_stable;
        }
        for (int i = 0; i < cuts && total.ok; ++i)
            advance_halving(world, pipeline, sim, dt / cuts, halvings, cut + 1, total);
        return;
    }
    ++total.rejected;
    total.trouble = r.trouble();
    if (halvings == max_halvings) {
        total.ok = false;
        return;
    }
    for (int half = 0; half < 2 && total.ok; ++half)
        advance_halving(world, pipeline, sim, dt / 2, halvings + 1, cut, total);
}

} // namespace

std::string StepReport::trouble() const
{
    if (!limit.ok) return "strain limiting: " + limit.trouble;
    if (!impact.ok) return "impacts: " + impact.trouble;
    if (!solve.ok) return "integration: " + solve.trouble;
    if (!limits_kept) return "impacts leave faces far outside their strain limits";
    if (!within_bounds)
        return "the new state holds numbers that are not finite, or positions and speeds beyond "
               "1e7";
    return {};
}

StepReport step(const World& world, Pipeline& p, Simulation& sim, double dt, bool insist)
{
    StepReport r;
    const Model& model = sim.model;
    const auto obstacles = sample_obstacles(world, sim.time, dt);
    State held = sim.state; // sim is untouched until commit
    take_hold(world, model, sim.time, held);
    const Loads loads = sum_of(p.loads, world, model, held, sim.time, dt);

    Contacts contacts;
    {
        const StageTimer timer(r.times, Stage::contact_find);
        r.contact = p.contact_finder->find(model, held, world, obstacles, dt, contacts);
    }
    // Limits and collisions for integrators that let velocities be modified inside the step.
    const auto modify = [&](ModifyAt at, const State& from, State& moved) {
        const bool is_end = at == ModifyAt::end;
        LimitReport limit;
        {
            const StageTimer timer(r.times, Stage::strain);
            limit = p.strain_limiter->limit(model, loads, contacts, dt, moved);
        }
        ImpactReport impact;
        const bool usable = limit.ok && is_within_bounds(moved);
        if (usable) {
            const StageTimer timer(r.times, Stage::impact);
            const auto ahead = sample_obstacles(world, sim.time + (is_end ? dt : 0), dt);
            p.impact_resolver->repel(model, from, loads, world, ahead, dt, moved);
            impact = p.impact_resolver->resolve(model, from, loads, world, ahead, dt,
                                                insist || is_end, moved);
        }
        const bool ok = usable && impact.ok && is_within_bounds(moved);
        if (is_end) return ok;
        r.limit = std::move(limit);
        r.impact = std::move(impact);
        return ok;
    };
    State next = held;
    {
        const Stopwatch watch;
        const double others = r.times[Stage::strain] + r.times[Stage::impact];
        r.solve = p.integrator->advance_modified(model, held, loads, contacts, modify, dt, next);
        r.times[Stage::integrate] +=
            watch.ms() - (r.times[Stage::strain] + r.times[Stage::impact] - others);
    }
    LimitCheck limits_before; // impacts
    if (r.solve.ok && !r.solve.modified) {
        const StageTimer timer(r.times, Stage::strain);
        r.limit = p.strain_limiter->limit(model, loads, contacts, dt, next);
        limits_before = check_limits(model, next.x.values);
    }
    r.within_bounds = !r.solve.ok || is_within_bounds(next);
    if (r.solve.ok && r.limit.ok && r.within_bounds) {
        const StageTimer timer(r.times, Stage::impact);
        if (!r.solve.modified)
            p.impact_resolver->repel(model, held, loads, world, obstacles, dt, next);
        ImpactReport impact =
            p.impact_resolver->resolve(model, held, loads, world, obstacles, dt, insist, next);
        impact.impacts += r.impact.impacts; // those of the modifications
        impact.rigid_zones += r.impact.rigid_zones;
        r.impact = std::move(impact);
    }
    r.within_bounds = r.within_bounds && is_within_bounds(next);
    if (!r.accepted()) return r; // the caller retries with smaller dt, or stops and says why
    r.limits_after = check_limits(model, next.x.values);
    // Impacts know nothing of limits. Where they stretched the cloth it is limited again, with what
    // they pushed apart as contacts. A round may meet new impacts and end worse than the last; the
    // best state goes on, and what was met is known to the next round.
    std::vector<Proximity> met = r.impact.kept_apart;
    for (int round = 0;
         round < most_relimits && !met.empty() && r.limits_after.worst_violation > relimit_above;
         ++round) {
        State again = next;
        contacts.proximities.insert(contacts.proximities.end(), met.begin(), met.end());
        LimitReport limit;
        {
            const StageTimer timer(r.times, Stage::strain);
            limit = p.strain_limiter->limit(model, loads, contacts, dt, again);
        }
        if (!limit.ok || limit.worst_violation > 0.5 * r.limits_after.worst_violation ||
            !is_within_bounds(again))
            break; // it would not get much better
        ImpactReport impact;
        {
            const StageTimer timer(r.times, Stage::impact);
            impact =
                p.impact_resolver->resolve(model, held, loads, world, obstacles, dt, false, again);
        }
        if (!impact.ok || !is_within_bounds(again)) break;
        met = impact.kept_apart;
        const LimitCheck after = check_limits(model, again.x.values);
        const bool better = impact.unresolved <= r.impact.unresolved &&
                            after.worst_violation < r.limits_after.worst_violation;
        if (!better) continue;
        impact.impacts += r.impact.impacts;
        impact.rigid_zones += r.impact.rigid_zones;
        impact.pinched = std::max(impact.pinched, r.impact.pinched);
        r.impact = std::move(impact);
        r.limits_after = after;
        next = std::move(again);
    }
    // Where velocities were modified inside the step the limits had their say on either side of it;
    // and without impacts a shorter step changes nothing.
    r.limits_kept = insist || r.solve.modified || r.impact.impacts == 0 ||
                    r.limits_after.worst_violation <= limits_missed_above ||
                    limits_before.worst_violation > limiter_share * r.limits_after.worst_violation;
    if (!r.accepted()) return r;
    commit(sim, std::move(next), dt);
    return r;
}

AdvanceReport advance(const World& world, Pipeline& pipeline, Simulation& sim, double dt)
{
    AdvanceReport total;
    advance_halving(world, pipeline, sim, dt, 0, 0, total);
    return total;
}

} // namespace pleat
