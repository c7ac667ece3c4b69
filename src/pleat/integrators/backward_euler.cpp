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
// that sticks or slides. It is a minimisation all the same, which contact_newton.hpp solves.
#include "pleat/integrators/backward_euler.hpp"

#include "pleat/core/error.hpp"
#include "pleat/core/parallel.hpp"
#include "pleat/core/stage_times.hpp"
#include "pleat/energies/elastic_batch.hpp"
#include "pleat/energies/node_system.hpp"
#include "pleat/integrators/contact_newton.hpp"
#include "pleat/integrators/finish_step.hpp"
#include "pleat/integrators/touch.hpp"
#include "pleat/linalg/cg.hpp"

#include <array>
#include <cmath>

namespace pleat {

namespace {

// Firm contacts are about as stiff as the cloth is in its plane: this share of the trace of a
// node's diagonal block.
constexpr double firm_stiffness_share = 0.25;
// Lower bound against an obstacle, in units of mass / dt^2: soft fabric can hang from a point too.
// This carries the weight of a hundred nodes at a depth of 0.1 mm (steps of 5 ms). A larger bound
// makes each contact that becomes firm or loose cut a Newton pass short: with 2000 a dress on a
// moving body needs a third more passes and twice the iterations.
constexpr double least_firm = 200;
// Friction that holds a heavily loaded contact would be by far the stiffest part of the system. It
// need not be stiffer than a firm contact, nor than this many times mass / dt, which is what holds
// a few dozen times the weight of a node at friction_speed.
constexpr double most_hold = 1000;
// Friction may change by this many times the tolerance of the forces between refreshes. (The normal
// forces are part of the balance, so their error in friction is of second order.)
constexpr double friction_share = 300;
// The tolerance of a step refers to at least this share of the weight: cloth in free fall needs no
// solve, and cloth at rest has no other scale.
constexpr double weight_share = 0.1;

} // namespace

/// What one step is given.
struct StepInput {
    const Model& model;
    const State& in;
    const Loads& loads;
    double dt;
};

struct IntegratorBackwardEuler::Work {
    bool stale = true;
    std::uint64_t revision = 0;
    ElasticBatch batch;
    BackwardEulerTimes times;
    SolveReport report;

    BlockSystem system;
    std::vector<Mat3> off_damping;       // dt D, where more than one iteration needs it
    std::vector<Vec3> fall;              // v*
    std::vector<Vec3> velocity, y;       // V and x + dt V
    std::vector<Vec3> trial, trial_y;    // of the line search
    std::vector<Vec3> force, rhs, delta; // delta: the solution
    std::vector<Vec3> product;
    std::vector<Touch> touches;
    std::vector<Vec3> prescribed;           // velocity of fixed rows
    std::vector<Vec3> base;                 // right-hand side without contacts
    std::vector<Vec3> from_fall, from_last; // where the minimisation may start
    ContactNewton newton;

    // The stages of a step, in order.
    void prepare(const StepInput& s);
    void prescribe(const StepInput& s);
    void linearise_first(const StepInput& s, const Contacts& contacts,
                         const BackwardEulerOptions& options);
    [[nodiscard]] bool minimise(const StepInput& s, const BackwardEulerOptions& options,
                                LinearSolver& solver);
    [[nodiscard]] bool iterate(const StepInput& s, const BackwardEulerOptions& options,
                               LinearSolver& solver);
    void finish(const StepInput& s, State& out);

    void resize(std::size_t n);
    void place(const StepInput& s, std::span<const Vec3> v, std::span<Vec3> at) const;
    [[nodiscard]] bool solve(const StepInput& s, LinearSolver& solver);
    void make_firm(const StepInput& s);
    void make_links(const StepInput& s, std::span<const Vec3> at);
    void add_touches(double dt, std::span<const Vec3> v, std::span<const Vec3> at);
    void add_own(const StepInput& s);
    void add_loads(const StepInput& s, std::span<const Vec3> v, std::span<const Vec3> at);
    void linearise_again(const StepInput& s);
    [[nodiscard]] bool search_line(const StepInput& s, double& energy);
    double potential(const StepInput& s, std::span<const Vec3> v, std::span<const Vec3> at);
};

void IntegratorBackwardEuler::Work::resize(std::size_t n)
{
    for (auto* v : {&fall, &velocity, &y, &force, &rhs, &delta, &product, &prescribed})
        v->resize(n);
    system.own.resize(n);
}

/// Below `firm` a contact is as stiff as the matrix rows of its nodes together. It is then stiffer
/// than the cloth in its plane, so that a hanging weight stretches the cloth before it crushes the
/// contact, and it is no harder for the solver than the cloth itself. \pre own and off are those of
/// the step
void IntegratorBackwardEuler::Work::make_firm(const StepInput& in)
{
    const double dt = in.dt;
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
            in.model.dependencies.visit(t.rows[i], std::abs(t.weights[i]),
                                        [&](std::uint32_t row, double w) {
                                            if (system.is_fixed(row)) return;
                                            sum += w * row_stiffness(row);
                                            weight += w;
                                            mass += w * in.model.mass.values[row];
                                        });
        }
        if (weight == 0) return;
        if (std::abs(balance) > 0.5) // weights of cloth against cloth add up to zero
            sum = std::max(sum, least_firm / firm_stiffness_share * mass / (dt * dt));
        t.firm_stiffness = firm_stiffness_share * sum / weight;
        t.most_hold = std::max(dt * t.firm_stiffness, most_hold * mass / (weight * dt));
    });
}

/// Links of the contacts that are active at the given positions.
void IntegratorBackwardEuler::Work::make_links(const StepInput& s, std::span<const Vec3> at)
{
    system.links.clear();
    for (const Touch& t : touches) {
        const double stiffness = t.push_stiffness(t.gap(at, 1));
        if (stiffness == 0 && t.hold == 0) continue;
        const Mat3 m = t.friction_matrix(t.slip(velocity)) * s.dt +
                       outer(t.normal, t.normal) * (s.dt * s.dt * stiffness);
        system.links.add(s.model.dependencies, std::span(t.rows).first(t.count),
                         std::span(t.weights).first(t.count), m);
    }
}

void IntegratorBackwardEuler::Work::add_own(const StepInput& s)
{
    parallel_for(system.own.size(), [&](std::size_t i) {
        Mat3 m = identity<3>() * s.model.mass[make_id<NodeId>(i)];
        if (!s.loads.drag.empty()) m += s.loads.drag[i] * s.dt;
        system.own[i] = m;
    });
    for (const Spring& spring : s.loads.springs)
        system.own[index(spring.node)] += identity<3>() * (s.dt * s.dt * spring.stiffness);
    fold_own(s.model, system);
}

/// rhs += dt (loads that are linear in V) at V = v, y = at.
void IntegratorBackwardEuler::Work::add_loads(const StepInput& s, std::span<const Vec3> v,
                                              std::span<const Vec3> at)
{
    const Loads& loads = s.loads;
    if (!loads.force.empty() || !loads.drag.empty())
        parallel_for(rhs.size(), [&](std::size_t i) {
            Vec3 f = loads.force.empty() ? Vec3{} : loads.force[i];
            if (!loads.drag.empty()) f -= loads.drag[i] * (v[i] - s.in.v.values[i]);
            rhs[i] += s.dt * f;
        });
    for (const Spring& spring : loads.springs)
        rhs[index(spring.node)] +=
            (s.dt * spring.stiffness) * (spring.target - at[index(spring.node)]);
}

/// rhs += dt (contact forces) at V = v, y = at.
void IntegratorBackwardEuler::Work::add_touches(double dt, std::span<const Vec3> v,
                                                std::span<const Vec3> at)
{
    for (const Touch& t : touches) {
        const double push = t.push(t.gap(at, 1));
        if (push == 0 && t.hold == 0) continue;
        const Vec3 f = push * t.normal + t.friction_force(t.slip(v));
        for (std::size_t i = 0; i < t.count; ++i) rhs[t.rows[i]] += (dt * t.weights[i]) * f;
    }
}

/// What a step of several iterations minimises [J].
double IntegratorBackwardEuler::Work::potential(const StepInput& s, std::span<const Vec3> v,
                                                std::span<const Vec3> at)
{
    const Loads& loads = s.loads;
    const double dt = s.dt;
    double e = batch.energy(s.model, at);
    if (!off_damping.empty()) {
        multiply_internal(batch.pattern(), off_damping, v, product);
        e += parallel_sum(v.size(), [&](std::size_t i) { return 0.5 * dot(v[i], product[i]); });
    }
    e += parallel_sum(v.size(), [&](std::size_t i) {
        double m = 0.5 * s.model.mass[make_id<NodeId>(i)] * norm2(v[i] - fall[i]);
        if (!loads.force.empty()) m -= dt * dot(loads.force[i], v[i]);
        if (!loads.drag.empty()) {
            const Vec3 d = v[i] - s.in.v.values[i];
            m += 0.5 * dt * dot(d, loads.drag[i] * d);
        }
        return m;
    });
    for (const Spring& spring : loads.springs)
        e += 0.5 * spring.stiffness * norm2(spring.target - at[index(spring.node)]);
    for (const Touch& t : touches) {
        e += t.push_potential(t.gap(at, 1)) + dt * t.friction_potential(t.slip(v));
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
}

const BackwardEulerTimes& IntegratorBackwardEuler::last_times() const
{
    return work_->times;
}

/// The pattern of the matrix, once a mesh, and room for everything.
void IntegratorBackwardEuler::Work::prepare(const StepInput& s)
{
    times = {};
    report = {};
    if (stale) {
        const Stopwatch watch;
        batch = ElasticBatch(s.model);
        system.pattern = &batch.pattern();
        system.pattern_revision = ++revision;
        system.off.resize(batch.pattern().slot_count());
        stale = false;
        times.pattern = watch.ms();
    }
    resize(s.model.mesh.node_count());
}

/// at = x + dt v.
void IntegratorBackwardEuler::Work::place(const StepInput& s, std::span<const Vec3> v,
                                          std::span<Vec3> at) const
{
    const std::span<const Vec3> x = s.in.x.span();
    parallel_for(x.size(), [&](std::size_t i) { at[i] = x[i] + s.dt * v[i]; });
}

/// Where gravity alone would move the nodes, and the prescribed velocities. Dependent rows are not
/// unknowns: they follow their parents after each solve.
void IntegratorBackwardEuler::Work::prescribe(const StepInput& s)
{
    const std::size_t n = fall.size();
    parallel_for(n, [&](std::size_t i) {
        fall[i] = s.in.v.values[i] + s.dt * s.loads.gravity;
        y[i] = s.in.x.values[i] + s.dt * fall[i];
    });
    system.fixed = fixed_rows(s.model, s.loads);
    for (std::uint32_t i = 0; i < n && !s.model.dependencies.empty(); ++i)
        if (s.model.dependencies.depends(i)) prescribed[i] = fall[i];
    for (const Pin& p : s.loads.pins) prescribed[index(p.node)] = (p.x_t1 - s.in.x[p.node]) / s.dt;
}

/// The system and the right-hand side of the first solve, without contacts.
void IntegratorBackwardEuler::Work::linearise_first(const StepInput& s, const Contacts& contacts,
                                                    const BackwardEulerOptions& options)
{
    const Stopwatch watch;
    const std::span<const Vec3> x = s.in.x.span();
    const double dt = s.dt;
    touches.clear();
    touches.reserve(contacts.proximities.size());
    for (const Proximity& p : contacts.proximities) touches.push_back(make_touch(p, dt));

    const bool damped = std::any_of(s.model.materials.begin(), s.model.materials.end(), is_damped);
    batch.freeze(s.model, x);
    off_damping.clear();
    if (options.newton_iterations > 1 && damped) {
        off_damping.resize(system.off.size());
        batch.linearise(s.model, x, {0, dt}, force, off_damping);
    }
    batch.linearise(s.model, x, {dt * dt, dt}, force, system.off);
    add_own(s);
    system.positions.assign(x.begin(), x.end());
    system.blocks_revision = ++revision;
    make_firm(s);
    // rhs = dt f(x) - (dt^2 K + dt D) v* + loads at v*.
    multiply_internal(batch.pattern(), system.off, fall, product);
    parallel_for(rhs.size(), [&](std::size_t i) { rhs[i] = dt * force[i] - product[i]; });
    add_loads(s, fall, y);
    fold(s.model.dependencies, std::span<Vec3>(rhs));
    base = rhs;
    times.assembly += watch.ms();
}

bool IntegratorBackwardEuler::Work::solve(const StepInput& s, LinearSolver& solver)
{
    const LinearReport l = solver.solve(system, rhs, delta);
    ++report.newton_iterations;
    report.linear_iterations += l.iterations;
    report.fallbacks += l.fallbacks;
    report.residual = l.residual;
    times.analysis += l.ms_analysis;
    times.factor += l.ms_factor;
    times.solve += l.ms_solve;
    if (!l.ok) {
        report.ok = false;
        report.trouble = l.trouble;
        return false;
    }
    follow(s.model.dependencies, delta);
    return true;
}

/// The linearised step, from free fall or from the last velocity, whichever is nearer. (The last
/// velocity with the last change added has never been the nearest of the three.)
bool IntegratorBackwardEuler::Work::minimise(const StepInput& s,
                                             const BackwardEulerOptions& options,
                                             LinearSolver& solver)
{
    const std::size_t n = delta.size();
    from_fall.resize(n);
    from_last.resize(n);
    parallel_for(n, [&](std::size_t i) {
        from_fall[i] = system.is_fixed(i) ? prescribed[i] - fall[i] : Vec3{};
        from_last[i] = system.is_fixed(i) ? from_fall[i] : s.in.v.values[i] - fall[i];
    });
    const std::array<std::span<const Vec3>, 2> starts{from_fall, from_last};
    const double weight2 = parallel_sum(
        n, [&](std::size_t i) { return s.model.mass.values[i] * s.model.mass.values[i]; });
    const double least_load = weight_share * s.dt * norm(s.loads.gravity) * std::sqrt(weight2);
    const ContactProblem problem{
        system, touches, base, s.in.x.span(), fall, y, s.model.dependencies, s.dt, least_load};
    ContactNewtonOptions newton_options;
    newton_options.tolerance = solver.tolerance();
    newton_options.friction_tolerance =
        std::min(newton_options.friction_tolerance, friction_share * solver.tolerance());
    newton_options.friction_speed = options.friction_speed;
    if (!newton.minimise(problem, newton_options, starts, solver, delta, report)) return false;
    follow(s.model.dependencies, delta);
    parallel_for(n, [&](std::size_t i) { velocity[i] = fall[i] + delta[i]; });
    times.factor += report.ms_prepare;
    times.solve += report.ms_solve;
    return true;
}

/// System and right-hand side at `velocity` and `y`, for a change of the velocity.
void IntegratorBackwardEuler::Work::linearise_again(const StepInput& s)
{
    const Stopwatch watch;
    batch.linearise(s.model, y, {s.dt * s.dt, 0}, force, system.off);
    if (!off_damping.empty()) {
        parallel_for(system.off.size(), [&](std::size_t k) { system.off[k] += off_damping[k]; });
        multiply_internal(batch.pattern(), off_damping, velocity, product);
    }
    system.blocks_revision = ++revision;
    make_links(s, y);
    parallel_for(rhs.size(), [&](std::size_t i) {
        rhs[i] = s.dt * force[i] - s.model.mass[make_id<NodeId>(i)] * (velocity[i] - fall[i]);
        if (!off_damping.empty()) rhs[i] -= product[i];
        delta[i] = Vec3{};
    });
    add_loads(s, velocity, y);
    add_touches(s.dt, velocity, y);
    fold(s.model.dependencies, std::span<Vec3>(rhs));
    times.assembly += watch.ms();
}

/// Backtracking line search along delta; changes `velocity` and `y`.
/// \return false where the potential does not decrease: the velocity is as good as rounding allows
bool IntegratorBackwardEuler::Work::search_line(const StepInput& s, double& energy)
{
    constexpr double sufficient = 1e-4; // share of the slope (Armijo)
    constexpr int most_halvings = 30;
    const double slope = -parallel_sum(delta.size(), [&](std::size_t i) {
        return system.is_fixed(i) ? 0.0 : dot(rhs[i], delta[i]);
    });
    double step = 1;
    for (int halvings = 0; halvings <= most_halvings; ++halvings, step *= 0.5) {
        parallel_for(delta.size(),
                     [&](std::size_t i) { trial[i] = velocity[i] + step * delta[i]; });
        place(s, trial, trial_y);
        const double found = potential(s, trial, trial_y);
        // Rounding of the energies must not refuse the last, tiny steps.
        const double slack = 1e-13 * std::abs(energy);
        if (!(found <= energy + sufficient * step * slope + slack)) continue;
        energy = found;
        if (halvings == most_halvings) return false;
        velocity.swap(trial);
        y.swap(trial_y);
        return true;
    }
    return false;
}

/// Newton's method, starting from the result of the first solves.
bool IntegratorBackwardEuler::Work::iterate(const StepInput& s, const BackwardEulerOptions& options,
                                            LinearSolver& solver)
{
    const std::size_t n = velocity.size();
    trial.resize(n);
    trial_y.resize(n);
    place(s, velocity, y);
    double energy = potential(s, velocity, y);
    for (int k = 1; k < options.newton_iterations; ++k) {
        linearise_again(s);
        if (!solve(s, solver)) return false;
        const double change = parallel_sum(n, [&](std::size_t i) { return norm2(delta[i]); });
        const double size =
            parallel_sum(n, [&](std::size_t i) { return norm2(velocity[i] - fall[i]); });
        if (!search_line(s, energy)) break;
        if (change <= options.newton_tolerance * options.newton_tolerance * size) break;
    }
    return true;
}

void IntegratorBackwardEuler::Work::finish(const StepInput& s, State& out)
{
    out.x = s.in.x;
    out.v = s.in.v;
    parallel_for(velocity.size(), [&](std::size_t i) { out.v.values[i] = velocity[i]; });
    place(s, velocity, out.x.span());
    place_pins(s.loads, out);
    follow(s.model, out);
    refuse_infinite(out, report);
}

SolveReport IntegratorBackwardEuler::advance(const Model& model, const State& in,
                                             const Loads& loads, const Contacts& contacts,
                                             double dt, State& out)
{
    const std::size_t n = model.mesh.node_count();
    PLEAT_ASSERT(dt > 0, "time runs forward");
    PLEAT_ASSERT(in.x.size() == n && in.v.size() == n, "the state fits the model");
    const StepInput s{model, in, loads, dt};
    Work& w = *work_;
    w.prepare(s);
    w.prescribe(s);
    w.linearise_first(s, contacts, options_);
    if (!w.minimise(s, options_, *solver_)) return w.report;
    if (options_.newton_iterations > 1 && !w.iterate(s, options_, *solver_)) return w.report;
    w.finish(s, out);
    return w.report;
}

} // namespace pleat
