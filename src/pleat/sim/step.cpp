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

// If impacts leave a face this far outside its limits [strain], strain limiting is repeated, at
// most this many times. Most steps need one to three rounds; sharp folds of a flag may need six.
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
        total.unsettled += r.solve.contacts_settled ? 0 : 1;
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

namespace {

/// One call of step(): what it is given, and the report that its stages fill.
class Step {
public:
    Step(const World& world, Pipeline& pipeline, const Simulation& sim, double dt, bool insist)
        : world_(world), p_(pipeline), model_(sim.model), time_(sim.time), dt_(dt), insist_(insist),
          obstacles_(sample_obstacles(world, sim.time, dt)), held_(sim.state)
    {
        take_hold(world, model_, time_, held_);
        loads_ = sum_of(p_.loads, world, model_, held_, time_, dt);
    }

    /// \return the new state, to be used where the report says accepted
    State run()
    {
        State next = held_;
        find_contacts();
        integrate(next);
        const LimitCheck limits_before = limit(next);
        resolve_impacts(next);
        report.within_bounds = report.within_bounds && is_within_bounds(next);
        if (!report.accepted()) return next;
        report.limits_after = check_limits(model_, next.x.values);
        limit_again(next);
        // Where velocities were modified inside the step the limits were applied on either side of
        // it; and without impacts a shorter step changes nothing.
        const double after = report.limits_after.worst_violation;
        report.limits_kept = insist_ || report.solve.modified || report.impact.impacts == 0 ||
                             after <= limits_missed_above ||
                             limits_before.worst_violation > limiter_share * after;
        return next;
    }

    StepReport report;

private:
    void find_contacts()
    {
        const StageTimer timer(report.times, Stage::contact_find);
        report.contact = p_.contact_finder->find(model_, held_, world_, obstacles_, dt_, contacts_);
    }

    void integrate(State& next)
    {
        const auto modify = [&](ModifyAt at, const State& from, State& moved) {
            return modify_motion(at, from, moved);
        };
        const Stopwatch watch;
        const double others = report.times[Stage::strain] + report.times[Stage::impact];
        report.solve =
            p_.integrator->advance_modified(model_, held_, loads_, contacts_, modify, dt_, next);
        report.times[Stage::integrate] +=
            watch.ms() - (report.times[Stage::strain] + report.times[Stage::impact] - others);
    }

    /// Limits and collisions for integrators that let velocities be modified inside the step.
    bool modify_motion(ModifyAt at, const State& from, State& moved)
    {
        const bool is_end = at == ModifyAt::end;
        LimitReport limit;
        {
            const StageTimer timer(report.times, Stage::strain);
            limit = p_.strain_limiter->limit(model_, loads_, contacts_, dt_, moved);
        }
        ImpactReport impact;
        const bool usable = limit.ok && is_within_bounds(moved);
        if (usable) {
            const StageTimer timer(report.times, Stage::impact);
            const auto ahead = sample_obstacles(world_, time_ + (is_end ? dt_ : 0), dt_);
            p_.impact_resolver->repel(model_, from, loads_, world_, ahead, dt_, moved);
            impact = p_.impact_resolver->resolve(model_, from, loads_, world_, ahead, dt_,
                                                 insist_ || is_end, moved);
        }
        const bool ok = usable && impact.ok && is_within_bounds(moved);
        if (is_end) return ok;
        report.limit = std::move(limit);
        report.impact = std::move(impact);
        return ok;
    }

    /// \return the strains before impacts
    LimitCheck limit(State& next)
    {
        LimitCheck check;
        if (report.solve.ok && !report.solve.modified) {
            const StageTimer timer(report.times, Stage::strain);
            report.limit = p_.strain_limiter->limit(model_, loads_, contacts_, dt_, next);
            check = check_limits(model_, next.x.values);
        }
        report.within_bounds = !report.solve.ok || is_within_bounds(next);
        return check;
    }

    void resolve_impacts(State& next)
    {
        if (!report.solve.ok || !report.limit.ok || !report.within_bounds) return;
        const StageTimer timer(report.times, Stage::impact);
        if (!report.solve.modified)
            p_.impact_resolver->repel(model_, held_, loads_, world_, obstacles_, dt_, next);
        ImpactReport impact = p_.impact_resolver->resolve(model_, held_, loads_, world_, obstacles_,
                                                          dt_, insist_, next);
        impact.impacts += report.impact.impacts; // those of the modifications
        impact.rigid_zones += report.impact.rigid_zones;
        report.impact = std::move(impact);
    }

    /// Impact resolution ignores strain limits. Where it stretched the cloth, limits are applied
    /// again, with the pairs that it pushed apart as contacts. A round may cause new impacts and
    /// end worse than the one before; the best state is kept, and the next round knows the new
    /// contacts.
    void limit_again(State& next)
    {
        std::vector<Proximity> met = report.impact.kept_apart;
        for (int round = 0; round < most_relimits && !met.empty() &&
                            report.limits_after.worst_violation > relimit_above;
             ++round) {
            State again = next;
            contacts_.proximities.insert(contacts_.proximities.end(), met.begin(), met.end());
            LimitReport limit;
            {
                const StageTimer timer(report.times, Stage::strain);
                limit = p_.strain_limiter->limit(model_, loads_, contacts_, dt_, again);
            }
            if (!limit.ok || limit.worst_violation > 0.5 * report.limits_after.worst_violation ||
                !is_within_bounds(again))
                return; // it would not get much better
            ImpactReport impact;
            {
                const StageTimer timer(report.times, Stage::impact);
                impact = p_.impact_resolver->resolve(model_, held_, loads_, world_, obstacles_, dt_,
                                                     false, again);
            }
            if (!impact.ok || !is_within_bounds(again)) return;
            met = impact.kept_apart;
            const LimitCheck after = check_limits(model_, again.x.values);
            const bool better = impact.unresolved <= report.impact.unresolved &&
                                after.worst_violation < report.limits_after.worst_violation;
            if (!better) continue;
            impact.impacts += report.impact.impacts;
            impact.rigid_zones += report.impact.rigid_zones;
            impact.pinched = std::max(impact.pinched, report.impact.pinched);
            report.impact = std::move(impact);
            report.limits_after = after;
            next = std::move(again);
        }
    }

    const World& world_;
    Pipeline& p_;
    const Model& model_;
    double time_, dt_;
    bool insist_;
    std::vector<ObstacleSample> obstacles_;
    State held_; // at the start of the step, with the anchors of handles that take hold
    Loads loads_;
    Contacts contacts_;
};

} // namespace

StepReport step(const World& world, Pipeline& p, Simulation& sim, double dt, bool insist)
{
    Step step(world, p, sim, dt, insist);
    State next = step.run(); // sim is untouched until commit
    // Rejected: the caller retries with smaller dt, or stops and says why.
    if (step.report.accepted()) commit(sim, std::move(next), dt);
    return std::move(step.report);
}

AdvanceReport advance(const World& world, Pipeline& pipeline, Simulation& sim, double dt)
{
    AdvanceReport total;
    advance_halving(world, pipeline, sim, dt, 0, 0, total);
    return total;
}

} // namespace pleat
