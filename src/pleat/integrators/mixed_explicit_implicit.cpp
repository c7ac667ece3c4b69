// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// As in backward_euler.cpp the implicit solves are for what goes beyond gravity, so that free fall
// is exact: v~ = v^n + dt/2 g + w with (M + dt/2 D) w = dt/2 (f - D (v^n + dt/2 g)).
#include "pleat/integrators/mixed_explicit_implicit.hpp"

#include "pleat/core/error.hpp"
#include "pleat/core/parallel.hpp"
#include "pleat/energies/elastic_batch.hpp"
#include "pleat/energies/node_system.hpp"
#include "pleat/geometry/decompose.hpp"
#include "pleat/integrators/finish_step.hpp"
#include "pleat/integrators/touch.hpp"
#include "pleat/linalg/cg.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <string>

namespace pleat {

namespace {

/// Its friction is a drag that gives mu N at the slip at the start.
Touch make_dragged_touch(const Proximity& p, std::span<const Vec3> x, std::span<const Vec3> v,
                         double dt, double friction_speed)
{
    Touch t = make_touch(p, dt);
    const double pressed = p.stiffness * std::max(0.0, p.thickness - t.gap(x, 0));
    t.hold = p.friction * pressed / std::max(norm(t.slip(v)), friction_speed);
    return t;
}

bool has_damping(const Model& model, const Loads& loads, const std::vector<Touch>& touches)
{
    return std::any_of(model.materials.begin(), model.materials.end(), is_damped) ||
           !loads.drag.empty() ||
           std::any_of(touches.begin(), touches.end(), [](const Touch& t) { return t.hold > 0; });
}

double frobenius(const Mat3& m)
{
    double s = 0;
    for (double e : m.e) s += e * e;
    return std::sqrt(s);
}

} // namespace

struct IntegratorMixedExplicitImplicit::Work {
    bool stale = true;
    std::uint64_t revision = 0;
    ElasticBatch batch;
    BlockSystem system;
    std::unique_ptr<LinearSolverCg> solver;
    std::vector<Touch> touches;
    std::vector<Vec3> force;      // everything that depends on position, and loads.force
    std::vector<Vec3> x, v, half; // half: v~
    std::vector<Vec3> start, rhs, delta, product;
    std::vector<Vec3> pin_velocity;
    bool damped = false;

    void resize(std::size_t n);
    double stable_step(const Model& model, const Loads& loads);
    [[nodiscard]] bool move(const Model& model, const ModifyMotion* modify, const State& in,
                            const Loads& loads, std::span<const Vec3> velocity, double h,
                            SolveReport& report);
    void modify_end(const Model& model, const ModifyMotion& modify, const State& in,
                    const Loads& loads, double h);
    void lead(const Model& model, const Loads& loads, std::span<Vec3> velocity) const;
    void evaluate(const Model& model, const State& in, const Loads& loads, double t, double h);
    [[nodiscard]] bool half_step(const Model& model, const Loads& loads, double h, double tolerance,
                                 std::span<const Vec3> from, std::span<Vec3> to,
                                 SolveReport& report);
};

void IntegratorMixedExplicitImplicit::Work::resize(std::size_t n)
{
    for (auto* a : {&force, &x, &v, &half, &start, &rhs, &delta, &product, &pin_velocity})
        a->resize(n);
    system.own.resize(n);
}

/// 2 / omega, from row sums of M^-1 K at the current positions.
double IntegratorMixedExplicitImplicit::Work::stable_step(const Model& model, const Loads& loads)
{
    batch.freeze(model, x);
    batch.linearise(model, x, {1, 0}, force, system.off);
    const BlockPattern& pattern = batch.pattern();
    std::vector<double> extra(x.size(), 0.0);
    for (const Spring& s : loads.springs) extra[index(s.node)] += s.stiffness;
    for (const Touch& t : touches) {
        double weights = 0;
        for (std::size_t i = 0; i < t.count; ++i) weights += std::abs(t.weights[i]);
        for (std::size_t i = 0; i < t.count; ++i)
            extra[t.rows[i]] += t.stiffness * std::abs(t.weights[i]) * weights;
    }
    fold(model.dependencies, std::span<double>(extra));
    const double omega2 = parallel_reduce(
        x.size(), 0.0,
        [&](std::size_t i) {
            if (system.is_fixed(i)) return 0.0;
            Mat3 diagonal{};
            double sum = extra[i];
            for (std::uint32_t s = pattern.row_start[i]; s < pattern.row_start[i + 1]; ++s) {
                diagonal -= system.off[s];
                sum += frobenius(system.off[s]);
            }
            sum += eigen_symmetric((diagonal + transpose(diagonal)) * 0.5).values[0];
            return sum / model.mass[make_id<NodeId>(i)];
        },
        [](double a, double b) { return std::max(a, b); });
    return omega2 > 0 ? 2 / std::sqrt(omega2) : 0;
}

/// Forces and, where there is damping, dt/2 D at the current x; t is the fraction of the step.
void IntegratorMixedExplicitImplicit::Work::evaluate(const Model& model, const State& in,
                                                     const Loads& loads, double t, double h)
{
    batch.freeze(model, x);
    if (damped) {
        batch.linearise(model, x, {0, 0.5 * h}, force, system.off);
        parallel_for(x.size(), [&](std::size_t i) {
            system.own[i] = identity<3>() * model.mass[make_id<NodeId>(i)];
            if (!loads.drag.empty()) system.own[i] += loads.drag[i] * (0.5 * h);
        });
        fold_own(model, system);
        system.links.clear();
    } else {
        batch.forces(model, x, force);
    }
    if (!loads.force.empty() || !loads.drag.empty())
        parallel_for(x.size(), [&](std::size_t i) {
            if (!loads.force.empty()) force[i] += loads.force[i];
            if (!loads.drag.empty()) force[i] += loads.drag[i] * in.v.values[i];
        });
    for (const Spring& s : loads.springs)
        force[index(s.node)] += s.stiffness * (s.target - x[index(s.node)]);
    for (const Touch& touch : touches) {
        const double depth = touch.thickness - touch.gap(x, t);
        Vec3 f = touch.hold *
                 (dot(touch.normal, touch.anchor_velocity) * touch.normal - touch.anchor_velocity);
        if (depth > 0) f += (touch.stiffness * depth) * touch.normal;
        for (std::size_t i = 0; i < touch.count; ++i) force[touch.rows[i]] += touch.weights[i] * f;
        if (touch.hold > 0)
            system.links.add(model.dependencies, std::span(touch.rows).first(touch.count),
                             std::span(touch.weights).first(touch.count),
                             (identity<3>() - outer(touch.normal, touch.normal)) *
                                 (0.5 * h * touch.hold));
    }
    fold(model.dependencies, std::span<Vec3>(force));
}

/// Pinned nodes go with their pins, and dependent nodes with their parents.
void IntegratorMixedExplicitImplicit::Work::lead(const Model& model, const Loads& loads,
                                                 std::span<Vec3> velocity) const
{
    for (const Pin& p : loads.pins) velocity[index(p.node)] = pin_velocity[index(p.node)];
    follow(model.dependencies, velocity);
}

/// x += h velocity, after limits and collisions have changed the velocity.
bool IntegratorMixedExplicitImplicit::Work::move(const Model& model, const ModifyMotion* modify,
                                                 const State& in, const Loads& loads,
                                                 std::span<const Vec3> velocity, double h,
                                                 SolveReport& report)
{
    parallel_for(x.size(), [&](std::size_t i) { x[i] += h * velocity[i]; });
    follow(model.dependencies, x);
    if (modify == nullptr) return true;
    State moved = in;
    std::copy(x.begin(), x.end(), moved.x.begin());
    std::copy(velocity.begin(), velocity.end(), moved.v.begin());
    for (const Pin& p : loads.pins) moved.x[p.node] = p.x_t1;
    follow(model, moved);
    report.modified = true;
    if (!(*modify)(ModifyAt::before_positions, in, moved)) {
        report.ok = false;
        report.trouble = "limits or collisions refuse the motion";
        return false;
    }
    std::copy(moved.x.begin(), moved.x.end(), x.begin());
    return true;
}

/// If modifying the final velocity fails, it is kept: the next step modifies its own velocity.
void IntegratorMixedExplicitImplicit::Work::modify_end(const Model& model,
                                                       const ModifyMotion& modify, const State& in,
                                                       const Loads& loads, double h)
{
    State reached = in;
    std::copy(x.begin(), x.end(), reached.x.begin());
    std::copy(v.begin(), v.end(), reached.v.begin());
    place_pins(loads, reached);
    follow(model, reached);
    State moved = reached;
    parallel_for(x.size(), [&](std::size_t i) { moved.x.values[i] += h * moved.v.values[i]; });
    follow(model.dependencies, moved.x.span());
    if (modify(ModifyAt::end, reached, moved)) std::copy(moved.v.begin(), moved.v.end(), v.begin());
}

/// to = from + dt/2 a(x, to): implicit in the velocity.
bool IntegratorMixedExplicitImplicit::Work::half_step(const Model& model, const Loads& loads,
                                                      double h, double tolerance,
                                                      std::span<const Vec3> from,
                                                      std::span<Vec3> to, SolveReport& report)
{
    const std::size_t n = x.size();
    parallel_for(n, [&](std::size_t i) { start[i] = from[i] + 0.5 * h * loads.gravity; });
    if (!damped) {
        parallel_for(n, [&](std::size_t i) {
            if (system.is_fixed(i)) return;
            to[i] = start[i] + (0.5 * h / model.mass[make_id<NodeId>(i)]) * force[i];
        });
        lead(model, loads, to);
        return true;
    }
    multiply(system, start, product); // M included
    parallel_for(n, [&](std::size_t i) {
        rhs[i] = 0.5 * h * force[i] - (product[i] - model.mass[make_id<NodeId>(i)] * start[i]);
        delta[i] = Vec3{};
    });
    for (const Pin& p : loads.pins)
        delta[index(p.node)] = pin_velocity[index(p.node)] - start[index(p.node)];
    if (!solver) {
        CgOptions options;
        options.tolerance = tolerance;
        solver = std::make_unique<LinearSolverCg>(options);
    }
    const LinearReport l = solver->solve(system, rhs, delta);
    report.linear_iterations += l.iterations;
    report.fallbacks += l.fallbacks;
    report.residual = l.residual;
    if (!l.ok) {
        report.ok = false;
        report.trouble = l.trouble;
        return false;
    }
    parallel_for(n, [&](std::size_t i) { to[i] = start[i] + delta[i]; });
    follow(model.dependencies, to);
    return true;
}

IntegratorMixedExplicitImplicit::IntegratorMixedExplicitImplicit(const MixedOptions& options)
    : options_(options), work_(std::make_unique<Work>())
{
    PLEAT_ASSERT(options_.safety > 0 && options_.safety <= 1, "a fraction of the bound");
}

IntegratorMixedExplicitImplicit::~IntegratorMixedExplicitImplicit() = default;

void IntegratorMixedExplicitImplicit::mesh_changed()
{
    work_->stale = true;
}

SolveReport IntegratorMixedExplicitImplicit::advance(const Model& model, const State& in,
                                                     const Loads& loads, const Contacts& contacts,
                                                     double dt, State& out)
{
    return run(model, in, loads, contacts, nullptr, dt, out);
}

SolveReport IntegratorMixedExplicitImplicit::advance_modified(const Model& model, const State& in,
                                                              const Loads& loads,
                                                              const Contacts& contacts,
                                                              ModifyMotion modify, double dt,
                                                              State& out)
{
    return run(model, in, loads, contacts, &modify, dt, out);
}

SolveReport IntegratorMixedExplicitImplicit::run(const Model& model, const State& in,
                                                 const Loads& loads, const Contacts& contacts,
                                                 const ModifyMotion* modify, double dt, State& out)
{
    const std::size_t n = model.mesh.node_count();
    PLEAT_ASSERT(dt > 0, "time runs forward");
    PLEAT_ASSERT(in.x.size() == n && in.v.size() == n, "the state fits the model");
    Work& w = *work_;
    SolveReport report;
    if (w.stale) {
        w.batch = ElasticBatch(model);
        w.system.pattern = &w.batch.pattern();
        w.system.pattern_revision = ++w.revision;
        w.system.off.resize(w.batch.pattern().slot_count());
        w.stale = false;
    }
    w.resize(n);
    std::copy(in.x.begin(), in.x.end(), w.x.begin());
    std::copy(in.v.begin(), in.v.end(), w.v.begin());
    w.system.fixed = fixed_rows(model, loads);
    for (const Pin& p : loads.pins) {
        w.pin_velocity[index(p.node)] = (p.x_t1 - in.x[p.node]) / dt;
        w.v[index(p.node)] = w.pin_velocity[index(p.node)];
    }
    follow(model.dependencies, w.v);
    w.touches.clear();
    for (const Proximity& p : contacts.proximities)
        w.touches.push_back(make_dragged_touch(p, w.x, w.v, dt, options_.friction_speed));
    w.damped = has_damping(model, loads, w.touches);

    report.dt_stable = options_.safety * w.stable_step(model, loads);
    if (!std::isfinite(report.dt_stable)) report.dt_stable = 0;
    const double steps = report.dt_stable > 0 ? std::ceil(dt / report.dt_stable) : 1;
    if (!(steps <= (modify != nullptr ? 1 : options_.max_inner_steps))) {
        report.ok = false;
        report.trouble = "stability asks for " + std::to_string(steps) + " inner steps";
        return report;
    }
    report.inner_steps = static_cast<int>(steps);
    const double h = dt / steps;

    w.evaluate(model, in, loads, 0, h);
    for (int step = 0; step < report.inner_steps; ++step) {
        const bool monotone = options_.variant == MixedOptions::Variant::monotone;
        std::vector<Vec3>& explicit_half = w.half; // v* = v^n + dt/2 a(x^n, v^n)
        if (monotone) {
            if (!w.half_step(model, loads, h, options_.tolerance, w.v, w.half, report))
                return report;
            if (!w.move(model, modify, in, loads, w.half, h, report)) return report;
        }
        if (w.damped) multiply(w.system, w.v, w.product); // M included
        parallel_for(n, [&](std::size_t i) {
            if (w.system.is_fixed(i)) return;
            const double mass = model.mass[make_id<NodeId>(i)];
            Vec3 f = 0.5 * h * w.force[i];
            if (w.damped) f -= w.product[i] - mass * w.v[i];
            explicit_half[i] = w.v[i] + 0.5 * h * loads.gravity + f / mass;
        });
        w.lead(model, loads, explicit_half);
        if (!monotone && !w.move(model, modify, in, loads, explicit_half, h, report)) return report;

        w.evaluate(model, in, loads, (step + 1) / steps, h);
        if (!w.half_step(model, loads, h, options_.tolerance, explicit_half, w.v, report))
            return report;
        if (modify != nullptr) w.modify_end(model, *modify, in, loads, h);
    }

    out.x = in.x;
    out.v = in.v;
    std::copy(w.x.begin(), w.x.end(), out.x.begin());
    std::copy(w.v.begin(), w.v.end(), out.v.begin());
    place_pins(loads, out);
    follow(model, out);
    report.newton_iterations = report.inner_steps;
    refuse_infinite(out, report);
    return report;
}

} // namespace pleat
