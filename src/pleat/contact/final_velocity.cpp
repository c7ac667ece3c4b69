// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/contact/final_velocity.hpp"

#include "pleat/core/parallel.hpp"
#include "pleat/energies/elastic_batch.hpp"
#include "pleat/energies/node_system.hpp"
#include "pleat/linalg/cg.hpp"

#include <vector>

namespace pleat {

namespace {

// Of the solve, relative; momentum is kept as well as that.
constexpr double tolerance = 1e-9;

CgOptions cg_options()
{
    CgOptions options;
    options.tolerance = tolerance;
    return options;
}

} // namespace

struct FinalVelocity::Work {
    bool stale = true;
    std::uint64_t revision = 0;
    ElasticBatch batch;
    BlockSystem system;
    LinearSolverCg solver{cg_options()};
    std::vector<Vec3> force, rhs, delta;
};

FinalVelocity::FinalVelocity() : work_(std::make_unique<Work>()) {}
FinalVelocity::~FinalVelocity() = default;

void FinalVelocity::mesh_changed()
{
    work_->stale = true;
}

void FinalVelocity::add(const Model& model, const Loads& loads, std::span<const Vec3> x,
                        std::span<const Vec3> change, double dt, std::span<Vec3> v)
{
    Work& w = *work_;
    const std::size_t n = model.mesh.node_count();
    if (w.stale) {
        w.batch = ElasticBatch(model);
        w.system.pattern = &w.batch.pattern();
        w.system.pattern_revision = ++w.revision;
        w.system.off.resize(w.batch.pattern().slot_count());
        w.stale = false;
    }
    w.force.resize(n);
    w.rhs.resize(n);
    w.delta.assign(n, Vec3{});
    w.system.own.resize(n);
    w.batch.freeze(model, x);
    w.batch.linearise(model, x, {0.5 * dt * dt, 0.5 * dt}, w.force, w.system.off);
    parallel_for(n, [&](std::size_t i) {
        const double mass = model.mass.values[i];
        w.system.own[i] = identity<3>() * mass;
        if (!loads.drag.empty()) w.system.own[i] += loads.drag[i] * (0.5 * dt);
        w.rhs[i] = mass * change[i];
    });
    for (const Spring& s : loads.springs)
        w.system.own[index(s.node)] += identity<3>() * (0.5 * dt * dt * s.stiffness);
    fold_own(model, w.system);
    w.system.fixed = fixed_rows(model, loads);

    const bool ok = w.solver.solve(w.system, w.rhs, w.delta).ok;
    parallel_for(n, [&](std::size_t i) {
        if (!w.system.is_fixed(i)) v[i] += ok ? w.delta[i] : change[i];
    });
    follow(model.dependencies, v);
}

} // namespace pleat
