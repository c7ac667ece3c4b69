// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Notation: V the velocity at the end of the step (the unknown), y = x + dt V, v* = v + dt g.
//   r(V) = M (V - v*) - dt f(y) + dt D V - dt (loads) = 0,   A = M + dt^2 K + dt D + ...
// The first iteration linearises f at x, where V = 0, but takes everything that is linear in V at
// v*, so that with V = v* + w the right-hand side is dt f(x) - (dt^2 K + dt D) v* + loads at v*.
// Later ones start from the last V.
//
// Contacts make the first iteration a problem with corners: pushes that start and end, and friction
// that sticks or slides. It is solved again, from where the last solve ended, with each contact as
// it then is, until none of them changes by much: an active-set (semi-smooth Newton) method on what
// is quadratic otherwise. Only links and right-hand side change; the elastic blocks stay.
#include "pleat/integrators/backward_euler.hpp"

#include "pleat/core/error.hpp"
#include "pleat/core/parallel.hpp"
#include "pleat/core/stage_times.hpp"
#include "pleat/energies/elastic_batch.hpp"
#include "pleat/integrators/finish_step.hpp"
#include "pleat/integrators/touch.hpp"
#include "pleat/linalg/cg.hpp"

#include <cmath>
#include <limits>

namespace pleat {

namespace {

// Firm contacts are as stiff as the cloth is in its plane, about: this share of the trace of what
// holds a node.
constexpr double firm_stiffness_share = 0.25;
// Against an obstacle at least this many times mass / dt^2: soft fabric hangs from a point as well,
// and a node that only an obstacle holds costs the solver nothing. Between layers of cloth it
// would.
constexpr double least_firm = 2000;
// Friction that holds a heavily loaded contact would be by far the stiffest part of the system. It
// need not be stiffer than a firm contact, nor than this many times mass / dt, which is what holds
// a few dozen times the weight of a node at friction_speed.
constexpr double most_drag = 1000;
// Contacts have settled when a solve has met their pushes to this share, all added up,
constexpr double settled_share = 0.01;
// and each one to this share of its push or of the weight that it touches;
constexpr double settled_each_share = 0.25;
// friction, when it changed by less than this share of mu N, all added up,
constexpr double settled_friction_share = 0.005;
// or after this many solves: where much sticks it comes to its end slowly.
constexpr int friction_passes = 1;

/// y += (links) x.
void add_product(const BlockLinks& links, std::span<const Vec3> x, std::span<Vec3> y)
{
    for (std::size_t l = 0; l < links.size(); ++l) {
        Vec3 sum{};
        for (std::uint32_t k = links.start[l]; k < links.start[l + 1]; ++k)
            sum += links.weight[k] * x[links.row[k]];
        const Vec3 f = links.matrix[l] * sum;
        for (std::uint32_t k = links.start[l]; k < links.start[l + 1]; ++k)
            y[links.row[k]] += links.weight[k] * f;
    }
}

} // namespace

struct IntegratorBackwardEuler::Work {
    bool stale = true;
    std::uint64_t revision = 0;
    ElasticBatch batch;
    Dependencies dependencies;
    BackwardEulerTimes times;

    BlockSystem system;
    std::vector<Mat3> off_damping;       // dt D, where more than one iteration needs it
    std::vector<Vec3> fall;              // v*
    std::vector<Vec3> velocity, y;       // V and x + dt V
    std::vector<Vec3> trial, trial_y;    // of the line search
    std::vector<Vec3> force, rhs, delta; // delta: the solution
    std::vector<Vec3> product;
    std::vector<Touch> touches;
    std::vector<Vec3> prescribed; // velocity of fixed rows
    std::vector<Vec3> base;       // right-hand side without contacts

    void resize(std::size_t n);
    void make_firm(const Model& model, double dt);
    void make_links(double dt, std::span<const Vec3> at);
    void add_touches(double dt, std::span<const Vec3> v, std::span<const Vec3> at);
    bool settle(const Model& model, bool friction, double friction_speed, double gravity,
                std::span<const Vec3> v, std::span<const Vec3> at, std::span<const Vec3> at_last);
    void add_own(const Model& model, const Loads& loads, double dt);
    void add_loads(const State& in, const Loads& loads, double dt, std::span<const Vec3> v,
                   std::span<const Vec3> at);
    void fold_dependencies();
    void follow_parents(std::span<Vec3> values) const;
    double potential(const Model& model, const State& in, const Loads& loads, double dt,
                     std::span<const Vec3> v, std::span<const Vec3> at);
};

void IntegratorBackwardEuler::Work::resize(std::size_t n)
{
    for (auto* v : {&fall, &velocity, &y, &force, &rhs, &delta, &product, &prescribed})
        v->resize(n);
    system.own.resize(n);
}

/// Below `firm` a contact is as stiff as the rows of its nodes are in all: stiffer than the cloth
/// in its plane, so that what hangs there stretches the cloth before it crushes the contact, and
/// not harder on the solver than the cloth itself. \pre own and off are those of the step
void IntegratorBackwardEuler::Work::make_firm(const Model& model, double dt)
{
    const auto row_stiffness = [&](std::uint32_t i) {
        const BlockPattern& pattern = batch.pattern();
        const auto trace = [](const Mat3& m) { return m(0, 0) + m(1, 1) + m(2, 2); };
        double sum = trace(system.own[i]);
        for (std::uint32_t s = pattern.row_start[i]; s < pattern.row_start[i + 1]; ++s)
            sum -= trace(system.off[s]);
        return sum / (dt * dt);
    };
    parallel_for(touches.size(), [&](std::size_t k) {
        Touch& t = touches[k];
        if (t.firm <= 0) return;
        double sum = 0, weight = 0, mass = 0, balance = 0;
        for (std::size_t i = 0; i < t.count; ++i) {
            balance += t.weights[i];
            if (system.is_fixed(t.rows[i]) &&
                (dependencies.empty() || dependencies.of(t.rows[i]).empty()))
                continue;
            double stiffness = 0;
            if (!dependencies.empty() && !dependencies.of(t.rows[i]).empty())
                for (const auto& p : dependencies.of(t.rows[i]))
                    stiffness += p.weight * row_stiffness(p.row);
            else
                stiffness = row_stiffness(t.rows[i]);
            sum += std::abs(t.weights[i]) * stiffness;
            weight += std::abs(t.weights[i]);
            mass += std::abs(t.weights[i]) * model.mass.values[t.rows[i]];
        }
        if (weight == 0) return;
        if (std::abs(balance) > 0.5) // weights of cloth against cloth add up to zero
            sum = std::max(sum, least_firm / firm_stiffness_share * mass / (dt * dt));
        t.firm_stiffness = firm_stiffness_share * sum / weight;
        t.most_drag = std::max(dt * t.firm_stiffness, most_drag * mass / (weight * dt));
        t.drag = std::min(t.drag, t.most_drag);
    });
}

/// Links of the contacts that are active at the given positions.
void IntegratorBackwardEuler::Work::make_links(double dt, std::span<const Vec3> at)
{
    system.links.clear();
    for (const Touch& t : touches) {
        const double stiffness = t.push_stiffness(t.gap(at, 1));
        if (stiffness == 0 && t.drag == 0) continue;
        const Mat3 across = outer(t.normal, t.normal);
        const Mat3 m = (identity<3>() - across - outer(t.along, t.along)) * (dt * t.drag) +
                       across * (dt * dt * stiffness);
        if (dependencies.empty()) {
            system.links.add(std::span(t.rows).first(t.count), std::span(t.weights).first(t.count),
                             m);
            continue;
        }
        std::vector<std::uint32_t> rows;
        std::vector<double> weights;
        const auto add = [&](std::uint32_t row, double weight) {
            for (std::size_t k = 0; k < rows.size(); ++k)
                if (rows[k] == row) {
                    weights[k] += weight;
                    return;
                }
            rows.push_back(row);
            weights.push_back(weight);
        };
        for (std::size_t i = 0; i < t.count; ++i) {
            const auto parents = dependencies.of(t.rows[i]);
            if (parents.empty()) add(t.rows[i], t.weights[i]);
            for (const auto& p : parents) add(p.row, t.weights[i] * p.weight);
        }
        system.links.add(rows, weights, m);
    }
}

void IntegratorBackwardEuler::Work::add_own(const Model& model, const Loads& loads, double dt)
{
    parallel_for(system.own.size(), [&](std::size_t i) {
        Mat3 m = identity<3>() * model.mass[make_id<NodeId>(i)];
        if (!loads.drag.empty()) m += loads.drag[i] * dt;
        system.own[i] = m;
    });
    for (const Spring& s : loads.springs)
        system.own[index(s.node)] += identity<3>() * (dt * dt * s.stiffness);
    if (dependencies.empty()) return;
    for (std::uint32_t i = 0; i < system.own.size(); ++i) {
        const auto parents = dependencies.of(i);
        if (parents.empty()) continue;
        for (const auto& p : parents) system.own[p.row] += system.own[i] * p.weight;
        system.own[i] = identity<3>();
    }
}

/// rhs += dt (loads that are linear in V) at V = v, y = at.
void IntegratorBackwardEuler::Work::add_loads(const State& in, const Loads& loads, double dt,
                                              std::span<const Vec3> v, std::span<const Vec3> at)
{
    if (!loads.force.empty() || !loads.drag.empty())
        parallel_for(rhs.size(), [&](std::size_t i) {
            Vec3 f = loads.force.empty() ? Vec3{} : loads.force[i];
            if (!loads.drag.empty()) f -= loads.drag[i] * (v[i] - in.v.values[i]);
            rhs[i] += dt * f;
        });
    for (const Spring& s : loads.springs)
        rhs[index(s.node)] += (dt * s.stiffness) * (s.target - at[index(s.node)]);
}

/// rhs += dt (contact forces) at V = v, y = at.
void IntegratorBackwardEuler::Work::add_touches(double dt, std::span<const Vec3> v,
                                                std::span<const Vec3> at)
{
    for (const Touch& t : touches) {
        const double push = t.push(t.gap(at, 1));
        if (push == 0 && t.drag == 0) continue;
        const Vec3 f = push * t.normal + t.friction_force(t.slip(v));
        for (std::size_t i = 0; i < t.count; ++i) rhs[t.rows[i]] += (dt * t.weights[i]) * f;
    }
}

/// Looks at the contacts where the last solve ended and settles their friction.
/// \param at_last where the links of that solve were made
/// \return whether the solve met their laws already
bool IntegratorBackwardEuler::Work::settle(const Model& model, bool friction, double friction_speed,
                                           double gravity, std::span<const Vec3> v,
                                           std::span<const Vec3> at, std::span<const Vec3> at_last)
{
    struct Sums {
        bool each = true;
        double missed = 0, push = 0, turned = 0, friction = 0; // [N]
    };
    const Sums sums = parallel_reduce(
        touches.size(), Sums{},
        [&](std::size_t k) {
            Touch& t = touches[k];
            const double gap = t.gap(at, 1), gap_last = t.gap(at_last, 1), pushed = t.push(gap);
            const double solved = t.push(gap_last) - t.push_stiffness(gap_last) * (gap - gap_last);
            double weight = 0;
            for (std::size_t i = 0; i < t.count; ++i)
                weight += std::abs(t.weights[i]) * model.mass.values[t.rows[i]] * gravity;
            const double missed = std::abs(pushed - solved), size = std::max(pushed, weight);
            return Sums{missed <= settled_each_share * size, missed, size,
                        settle_friction(t, pushed, t.slip(v), friction_speed), t.friction * pushed};
        },
        [](const Sums& a, const Sums& b) {
            return Sums{a.each && b.each, a.missed + b.missed, a.push + b.push, a.turned + b.turned,
                        a.friction + b.friction};
        });
    return sums.each && sums.missed <= settled_share * sums.push &&
           (!friction || sums.turned <= settled_friction_share * sums.friction);
}

/// Forces on dependent rows go to the parents.
void IntegratorBackwardEuler::Work::fold_dependencies()
{
    if (dependencies.empty()) return;
    for (std::uint32_t i = 0; i < rhs.size(); ++i) {
        const auto parents = dependencies.of(i);
        if (parents.empty()) continue;
        for (const auto& p : parents) rhs[p.row] += p.weight * rhs[i];
        rhs[i] = Vec3{};
    }
}

void IntegratorBackwardEuler::Work::follow_parents(std::span<Vec3> values) const
{
    if (dependencies.empty()) return;
    for (std::uint32_t i = 0; i < values.size(); ++i) {
        const auto parents = dependencies.of(i);
        if (parents.empty()) continue;
        Vec3 sum{};
        for (const auto& p : parents) sum += p.weight * values[p.row];
        values[i] = sum;
    }
}

/// What a step of several iterations minimises [J].
double IntegratorBackwardEuler::Work::potential(const Model& model, const State& in,
                                                const Loads& loads, double dt,
                                                std::span<const Vec3> v, std::span<const Vec3> at)
{
    double e = batch.energy(model, at);
    if (!off_damping.empty()) {
        multiply_internal(batch.pattern(), off_damping, v, product);
        e += parallel_sum(v.size(), [&](std::size_t i) { return 0.5 * dot(v[i], product[i]); });
    }
    e += parallel_sum(v.size(), [&](std::size_t i) {
        double m = 0.5 * model.mass[make_id<NodeId>(i)] * norm2(v[i] - fall[i]);
        if (!loads.force.empty()) m -= dt * dot(loads.force[i], v[i]);
        if (!loads.drag.empty()) {
            const Vec3 d = v[i] - in.v.values[i];
            m += 0.5 * dt * dot(d, loads.drag[i] * d);
        }
        return m;
    });
    for (const Spring& s : loads.springs)
        e += 0.5 * s.stiffness * norm2(s.target - at[index(s.node)]);
    for (const Touch& t : touches) {
        const double gap = t.gap(at, 1);
        const double depth = std::max(0.0, t.thickness - gap), deep = std::max(0.0, t.firm - gap);
        const Vec3 slip = t.slip(v), across = slip - dot(slip, t.along) * t.along;
        e += 0.5 * t.stiffness * depth * depth + 0.5 * t.firm_stiffness * deep * deep +
             dt * (dot(t.grip, slip) + 0.5 * t.drag * norm2(across));
    }
    return e;
}

IntegratorBackwardEuler::IntegratorBackwardEuler(const BackwardEulerOptions& options,
                                                 std::unique_ptr<LinearSolver> solver)
    : options_(options), solver_(std::move(solver)), work_(std::make_unique<Work>())
{
    PLEAT_ASSERT(options_.newton_iterations >= 1, "a step needs an iteration");
    if (!solver_) solver_ = std::make_unique<LinearSolverCg>();
}

IntegratorBackwardEuler::~IntegratorBackwardEuler() = default;

void IntegratorBackwardEuler::mesh_changed()
{
    work_->stale = true;
    work_->dependencies = {};
}

void IntegratorBackwardEuler::set_dependencies(Dependencies dependencies)
{
    work_->stale = true;
    work_->dependencies = std::move(dependencies);
}

const BackwardEulerTimes& IntegratorBackwardEuler::last_times() const
{
    return work_->times;
}

SolveReport IntegratorBackwardEuler::advance(const Model& model, const State& in,
                                             const Loads& loads, const Contacts& contacts,
                                             double dt, State& out)
{
    const std::size_t n = model.mesh.node_count();
    PLEAT_ASSERT(dt > 0, "time runs forward");
    PLEAT_ASSERT(in.x.size() == n && in.v.size() == n, "the state fits the model");
    Work& w = *work_;
    SolveReport report;
    w.times = {};
    if (w.stale) {
        const Stopwatch watch;
        w.batch = ElasticBatch(model, w.dependencies);
        w.system.pattern = &w.batch.pattern();
        w.system.pattern_revision = ++w.revision;
        w.system.off.resize(w.batch.pattern().slot_count());
        w.stale = false;
        w.times.pattern = watch.ms();
    }
    w.resize(n);
    const std::span<const Vec3> x = in.x.span();

    // Where gravity alone would take everything, and what is prescribed.
    parallel_for(n, [&](std::size_t i) {
        w.fall[i] = in.v.values[i] + dt * loads.gravity;
        w.y[i] = x[i] + dt * w.fall[i];
    });
    w.system.fixed.clear();
    if (!loads.pins.empty() || !w.dependencies.empty()) w.system.fixed.assign(n, 0);
    for (const Pin& p : loads.pins) {
        w.system.fixed[index(p.node)] = 1;
        w.prescribed[index(p.node)] = (p.x_t1 - x[index(p.node)]) / dt;
    }
    if (!w.dependencies.empty())
        for (std::uint32_t i = 0; i < n; ++i)
            if (!w.dependencies.of(i).empty()) {
                w.system.fixed[i] = 1;
                w.prescribed[i] = w.fall[i];
            }

    const Stopwatch assembling;
    w.touches.clear();
    w.touches.reserve(contacts.proximities.size());
    for (const Proximity& p : contacts.proximities)
        w.touches.push_back(make_touch(p, x, in.v.span(), dt, options_.friction_speed));

    const bool damped = std::any_of(model.materials.begin(), model.materials.end(), is_damped);
    w.batch.freeze(model, x);
    w.off_damping.clear();
    if (options_.newton_iterations > 1 && damped) {
        w.off_damping.resize(w.system.off.size());
        w.batch.linearise(model, x, {0, dt}, w.force, w.off_damping);
    }
    w.batch.linearise(model, x, {dt * dt, dt}, w.force, w.system.off);
    w.add_own(model, loads, dt);
    w.make_firm(model, dt);
    w.make_links(dt, w.y);
    // rhs = dt f(x) - (dt^2 K + dt D) v* + loads at v*.
    multiply_internal(w.batch.pattern(), w.system.off, w.fall, w.product);
    parallel_for(n, [&](std::size_t i) { w.rhs[i] = dt * w.force[i] - w.product[i]; });
    w.add_loads(in, loads, dt, w.fall, w.y);
    w.base = w.rhs;
    w.add_touches(dt, w.fall, w.y);
    w.fold_dependencies();
    parallel_for(n, [&](std::size_t i) {
        w.delta[i] = w.system.is_fixed(i) ? w.prescribed[i] - w.fall[i] : Vec3{};
    });
    w.times.assembly += assembling.ms();

    const auto solve = [&] {
        const LinearReport l = solver_->solve(w.system, w.rhs, w.delta);
        ++report.newton_iterations;
        report.linear_iterations += l.iterations;
        report.fallbacks += l.fallbacks;
        report.residual = l.residual;
        w.times.analysis += l.ms_analysis;
        w.times.factor += l.ms_factor;
        w.times.solve += l.ms_solve;
        if (!l.ok) {
            report.ok = false;
            report.trouble = l.trouble;
        }
    };
    solve();
    if (!report.ok) return report;
    w.follow_parents(w.delta);
    parallel_for(n, [&](std::size_t i) { w.velocity[i] = w.fall[i] + w.delta[i]; });
    const auto positions = [&](std::span<const Vec3> v, std::span<Vec3> y) {
        parallel_for(n, [&](std::size_t i) { y[i] = x[i] + dt * v[i]; });
    };

    if (!w.touches.empty()) w.trial_y.resize(n);
    while (!w.touches.empty()) {
        const Stopwatch again;
        positions(w.velocity, w.trial_y);
        report.contacts_settled =
            w.settle(model, report.contact_passes < friction_passes, options_.friction_speed,
                     norm(loads.gravity), w.velocity, w.trial_y, w.y);
        if (report.contacts_settled || report.contact_passes == options_.contact_passes) break;
        ++report.contact_passes;
        // (S + L) w = base + L w_last + contacts at w_last, from w_last, w = V - v*.
        w.y.swap(w.trial_y);
        w.make_links(dt, w.y);
        w.rhs = w.base;
        w.add_touches(dt, w.velocity, w.y);
        w.fold_dependencies();
        add_product(w.system.links, w.delta, w.rhs);
        w.times.assembly += again.ms();
        solve();
        if (!report.ok) return report;
        w.follow_parents(w.delta);
        parallel_for(n, [&](std::size_t i) { w.velocity[i] = w.fall[i] + w.delta[i]; });
    }

    if (options_.newton_iterations > 1) {
        w.trial.resize(n);
        w.trial_y.resize(n);
        positions(w.velocity, w.y);
        double energy = w.potential(model, in, loads, dt, w.velocity, w.y);
        for (int k = 1; k < options_.newton_iterations; ++k) {
            const Stopwatch again;
            w.batch.linearise(model, w.y, {dt * dt, 0}, w.force, w.system.off);
            if (!w.off_damping.empty()) {
                parallel_for(w.system.off.size(),
                             [&](std::size_t s) { w.system.off[s] += w.off_damping[s]; });
                multiply_internal(w.batch.pattern(), w.off_damping, w.velocity, w.product);
            }
            w.make_links(dt, w.y);
            parallel_for(n, [&](std::size_t i) {
                w.rhs[i] =
                    dt * w.force[i] - model.mass[make_id<NodeId>(i)] * (w.velocity[i] - w.fall[i]);
                if (!w.off_damping.empty()) w.rhs[i] -= w.product[i];
                w.delta[i] = Vec3{};
            });
            w.add_loads(in, loads, dt, w.velocity, w.y);
            w.add_touches(dt, w.velocity, w.y);
            w.fold_dependencies();
            w.times.assembly += again.ms();
            solve();
            if (!report.ok) return report;
            w.follow_parents(w.delta);
            const double slope = -parallel_sum(n, [&](std::size_t i) {
                return w.system.is_fixed(i) ? 0.0 : dot(w.rhs[i], w.delta[i]);
            });
            const double change = parallel_sum(n, [&](std::size_t i) { return norm2(w.delta[i]); });
            const double size =
                parallel_sum(n, [&](std::size_t i) { return norm2(w.velocity[i] - w.fall[i]); });
            double step = 1;
            constexpr double sufficient = 1e-4; // of the slope (Armijo)
            constexpr int most_halvings = 30;
            int halvings = 0;
            for (;; step *= 0.5, ++halvings) {
                parallel_for(
                    n, [&](std::size_t i) { w.trial[i] = w.velocity[i] + step * w.delta[i]; });
                positions(w.trial, w.trial_y);
                const double trial = w.potential(model, in, loads, dt, w.trial, w.trial_y);
                // Rounding of the energies must not refuse the last, tiny steps.
                const double slack = 1e-13 * std::abs(energy);
                if (trial <= energy + sufficient * step * slope + slack) {
                    energy = trial;
                    break;
                }
                if (halvings == most_halvings) break;
            }
            if (halvings == most_halvings) break; // as good as rounding lets it be
            w.velocity.swap(w.trial);
            w.y.swap(w.trial_y);
            if (change <= options_.newton_tolerance * options_.newton_tolerance * size) break;
        }
    }

    out.x = in.x;
    out.v = in.v;
    parallel_for(n, [&](std::size_t i) {
        out.v.values[i] = w.velocity[i];
        out.x.values[i] = x[i] + dt * w.velocity[i];
    });
    place_pins(loads, out);
    if (!w.dependencies.empty()) w.follow_parents(out.x.span());
    refuse_infinite(out, report);
    return report;
}

} // namespace pleat
