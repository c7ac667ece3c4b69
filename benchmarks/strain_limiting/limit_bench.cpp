// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Strain limiting in a run: a square metre of grey interlock that hangs from two corners and
// swings, dt 5 ms, limits of +-10 % ([Narain2012]'s) and +-5 %, gravity once and ten times.
// Milliseconds a step in which there was something to limit; counters: iterations, worst violation
// left, time of integration beside it, time of the process.
#include "pleat/core/parallel.hpp"
#include "pleat/core/stage_times.hpp"
#include "pleat/integrators/backward_euler.hpp"
#include "pleat/mesh/reorder.hpp"
#include "pleat/strain_limiting/augmented_lagrangian.hpp"
#include "pleat/strain_limiting/jacobi.hpp"
#include "pleat/strain_limiting/projected_newton.hpp"
#include "strain_limiting/sheets.hpp"

#include <benchmark/benchmark.h>

#include <cmath>
#include <ctime>
#include <memory>

namespace pleat {
namespace {

constexpr double dt = 0.005;

double cpu_ms()
{
    return 1000.0 * double(std::clock()) / CLOCKS_PER_SEC;
}

/// Arguments: faces, gravity times, limit in per cent.
template <class Limiter> void hanging(benchmark::State& bench)
{
    const int cells = static_cast<int>(std::lround(std::sqrt(double(bench.range(0)) / 2)));
    const double limit = 0.01 * double(bench.range(2));
    cloths::Cloth c =
        cloths::make_cloth(cloths::rectangle(cloths::MeshKind::structured, 1, 1, 1.0 / cells),
                           sheets::limited_fabric(-limit, limit));
    const MeshPermutation moved = reorder(c.model.mesh);
    FieldSet fields;
    add_fields(fields, c.model);
    add_fields(fields, c.state);
    fields.permute(moved);
    update_derived(c.model);
    Loads loads;
    loads.gravity = {0, 0, -9.8 * double(bench.range(1))};
    for (NodeId n : cloths::nodes_where(
             c, [](const Vec3& x) { return x[1] > 1 - 1e-9 && (x[0] < 1e-9 || x[0] > 1 - 1e-9); }))
        loads.pins.push_back({n, c.state.x[n], {}});

    IntegratorBackwardEuler integrator;
    Limiter limiter;
    const Threads threads(2);
    double steps = 0, iterations = 0, worst = 0, ms_integrate = 0, cpu = 0;
    State next;
    for (auto _ : bench) {
        double ms = 0;
        threads.run([&] {
            for (int tries = 0; tries < 200; ++tries) { // to the next step that has work
                const Stopwatch integrating;
                (void)integrator.advance(c.model, c.state, loads, {}, dt, next);
                const double beside = integrating.ms();
                const double cpu_before = cpu_ms();
                const Stopwatch limiting;
                const LimitReport r = limiter.limit(c.model, loads, {}, dt, next);
                ms = limiting.ms();
                std::swap(c.state, next);
                if (r.iterations == 0) continue;
                cpu += cpu_ms() - cpu_before;
                ms_integrate += beside;
                iterations += r.iterations;
                worst = std::max(worst, r.worst_violation);
                ++steps;
                return;
            }
        });
        bench.SetIterationTime(1e-3 * ms);
    }
    bench.counters["iterations"] = iterations / steps;
    bench.counters["worst"] = worst;
    bench.counters["cpu_ms"] = cpu / steps;
    bench.counters["ms_integrate"] = ms_integrate / steps;
}

#define PLEAT_HANGING(limiter)                                                                     \
    BENCHMARK_TEMPLATE(hanging, limiter)                                                           \
        ->ArgNames({"faces", "g", "limit"})                                                        \
        ->Args({10000, 1, 10})                                                                     \
        ->Args({25000, 1, 10})                                                                     \
        ->Args({25000, 1, 5})                                                                      \
        ->Args({10000, 10, 10})                                                                    \
        ->Iterations(30)                                                                           \
        ->UseManualTime()                                                                          \
        ->Unit(benchmark::kMillisecond)

PLEAT_HANGING(StrainLimiterProjectedNewton);
PLEAT_HANGING(StrainLimiterAugmentedLagrangian);
PLEAT_HANGING(StrainLimiterJacobi);

} // namespace
} // namespace pleat
