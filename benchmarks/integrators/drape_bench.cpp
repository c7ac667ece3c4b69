// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Tables of the shipped fabrics as counters: drape coefficient [%] and number of folds on three
// meshes, flexural rigidity [uN m] along weft, bias and warp. Time a line: how long it took.
#include "integrators/drape.hpp"

#include "energies/cloths.hpp"

#include <benchmark/benchmark.h>

#include <numbers>

namespace pleat {
namespace {

std::string name_of(const benchmark::State& bench)
{
    return cloths::fabric_names()[static_cast<std::size_t>(bench.range(0))];
}

void drape(benchmark::State& bench)
{
    const std::string name = name_of(bench);
    bench.SetLabel(name);
    for (auto _ : bench) {
        const DrapeResult r =
            drape_coefficient(cloths::fabric(name), static_cast<int>(bench.range(1)), 5);
        bench.counters["coefficient"] = r.coefficient;
        bench.counters["folds"] = r.folds;
        bench.counters["faces"] = static_cast<double>(r.faces);
        bench.counters["mm_per_s_left"] = 1000 * r.speed;
    }
}

void rigidity(benchmark::State& bench)
{
    const std::string name = name_of(bench);
    bench.SetLabel(name);
    const Material m = cloths::fabric(name);
    for (auto _ : bench) {
        bench.counters["weft"] = 1e6 * cantilever_rigidity(m, 0);
        bench.counters["bias"] = 1e6 * cantilever_rigidity(m, std::numbers::pi / 4);
        bench.counters["warp"] = 1e6 * cantilever_rigidity(m, std::numbers::pi / 2);
    }
}

BENCHMARK(drape)
    ->ArgsProduct({benchmark::CreateDenseRange(0, 9, 1), {15, 25, 50}})
    ->Iterations(1)
    ->Unit(benchmark::kSecond);
BENCHMARK(rigidity)->DenseRange(0, 9)->Iterations(1)->Unit(benchmark::kSecond);

} // namespace
} // namespace pleat
