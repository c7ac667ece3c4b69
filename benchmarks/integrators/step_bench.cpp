// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// One step of backward Euler with a measured fabric: milliseconds by part, on a 1 m sheet that
// hangs from two corners and swings, dt 5 ms. Counters: assembly, analysis, factor, solve [ms], CG
// iterations, microseconds a face. Without contacts.
#include "energies/cloths.hpp"
#include "pleat/core/parallel.hpp"
#include "pleat/integrators/backward_euler.hpp"
#include "pleat/linalg/cg.hpp"
#include "pleat/linalg/cholesky.hpp"
#include "pleat/mesh/reorder.hpp"

#include <benchmark/benchmark.h>

#include <cmath>
#include <memory>

namespace pleat {
namespace {

constexpr double dt = 0.005;

struct Scene {
    cloths::Cloth cloth;
    Loads loads;
};

Scene swinging_sheet(std::size_t faces)
{
    const int cells = static_cast<int>(std::lround(std::sqrt(double(faces) / 2)));
    Scene s{cloths::make_cloth(cloths::rectangle(cloths::MeshKind::structured, 1, 1, 1.0 / cells),
                               cloths::fabric("gray-interlock")),
            {}};
    const MeshPermutation moved = reorder(s.cloth.model.mesh);
    FieldSet fields;
    add_fields(fields, s.cloth.model);
    add_fields(fields, s.cloth.state);
    fields.permute(moved);
    update_derived(s.cloth.model);
    s.loads.gravity = {0, 0, -9.8};
    for (NodeId n : s.cloth.model.mesh.nodes()) {
        const Vec3& x = s.cloth.state.x[n];
        if (x[1] > 1 - 1e-9 && (x[0] < 1e-9 || x[0] > 1 - 1e-9)) s.loads.pins.push_back({n, x, {}});
    }
    return s;
}

template <class Solver> void step(benchmark::State& bench, int threads)
{
    Scene s = swinging_sheet(static_cast<std::size_t>(bench.range(0)));
    IntegratorBackwardEuler integrator({}, std::make_unique<Solver>());
    const Threads pool(threads);
    State next;
    BackwardEulerTimes sum;
    double pattern = 0, iterations = 0, steps = 0;
    const auto advance = [&] {
        pool.run([&] {
            const SolveReport r =
                integrator.advance(s.cloth.model, s.cloth.state, s.loads, {}, dt, next);
            if (!r.ok) bench.SkipWithError(r.trouble.c_str());
            iterations += r.linear_iterations;
        });
        std::swap(s.cloth.state, next);
    };
    const int warm_up = bench.range(0) > 30000 ? 10 : 30; // let it fall and wrinkle
    for (int i = 0; i < warm_up; ++i) {
        advance();
        pattern += integrator.last_times().pattern;
        sum.analysis += integrator.last_times().analysis;
    }
    iterations = 0;
    for (auto _ : bench) {
        advance();
        const BackwardEulerTimes& t = integrator.last_times();
        sum.assembly += t.assembly;
        sum.factor += t.factor;
        sum.solve += t.solve;
        ++steps;
    }
    bench.counters["faces"] = static_cast<double>(s.cloth.model.mesh.face_count());
    bench.counters["pattern"] = pattern;
    bench.counters["assembly"] = sum.assembly / steps;
    bench.counters["analysis"] = sum.analysis;
    bench.counters["factor"] = sum.factor / steps;
    bench.counters["solve"] = sum.solve / steps;
    bench.counters["iterations"] = iterations / steps;
}

void step_cg_1(benchmark::State& b)
{
    step<LinearSolverCg>(b, 1);
}
void step_cg_2(benchmark::State& b)
{
    step<LinearSolverCg>(b, 2);
}
void step_cholesky(benchmark::State& b)
{
    step<LinearSolverCholesky>(b, 2);
}

BENCHMARK(step_cg_1)
    ->Arg(2000)
    ->Arg(10000)
    ->Arg(25000)
    ->Arg(60000)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
BENCHMARK(step_cg_2)
    ->Arg(2000)
    ->Arg(10000)
    ->Arg(25000)
    ->Arg(60000)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
BENCHMARK(step_cholesky)
    ->Arg(2000)
    ->Arg(10000)
    ->Arg(25000)
    ->Iterations(2)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

} // namespace
} // namespace pleat
