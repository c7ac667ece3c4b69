// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Broad phase and audit on a sheet folded into 8 layers 5 mm apart, on 2 threads.
#include "contact/folded_sheet.hpp"
#include "pleat/contact/bvh.hpp"
#include "pleat/core/parallel.hpp"

#include <benchmark/benchmark.h>

#include <vector>

namespace pleat {
namespace {

constexpr double thickness = 0.005; // [m]

std::vector<Box> boxes_of(const test::Sheet& sheet, double margin)
{
    std::vector<Box> boxes;
    for (const auto& t : sheet.triangles) boxes.push_back(triangle_box(sheet.x, t, margin));
    return boxes;
}

/// Runs body() on 2 threads and reports the time a face.
template <class Body> void measure(benchmark::State& state, std::size_t faces, Body&& body)
{
    const Threads threads(2);
    threads.run([&] {
        for (auto _ : state) body();
    });
    state.counters["faces"] = double(faces);
    state.counters["us_per_face"] =
        benchmark::Counter(double(faces) * 1e-6, benchmark::Counter::kIsIterationInvariantRate |
                                                     benchmark::Counter::kInvert);
}

void bvh_build(benchmark::State& state)
{
    const test::Sheet sheet = test::folded_sheet(std::size_t(state.range(0)));
    const std::vector<Box> boxes = boxes_of(sheet, thickness / 2);
    Bvh bvh;
    measure(state, boxes.size(), [&] { bvh.build(boxes); });
}

void bvh_refit(benchmark::State& state)
{
    const test::Sheet sheet = test::folded_sheet(std::size_t(state.range(0)));
    Bvh bvh;
    bvh.build(boxes_of(sheet, 0));
    measure(state, bvh.size(), [&] { bvh.refit(sheet.x, sheet.triangles, thickness / 2); });
}

void bvh_refit_swept(benchmark::State& state)
{
    const test::Sheet sheet = test::folded_sheet(std::size_t(state.range(0)));
    test::Sheet next = sheet;
    test::shake(next, 0.001, 1);
    Bvh bvh;
    bvh.build(boxes_of(sheet, 0));
    measure(state, bvh.size(),
            [&] { bvh.refit_swept(sheet.x, next.x, sheet.triangles, thickness / 2); });
}

void bvh_self_pairs(benchmark::State& state)
{
    const test::Sheet sheet = test::folded_sheet(std::size_t(state.range(0)));
    Bvh bvh;
    bvh.build(boxes_of(sheet, thickness / 2));
    std::size_t pairs = 0;
    measure(state, bvh.size(), [&] { pairs = bvh.self_pairs().size(); });
    state.counters["pairs_per_face"] = double(pairs) / double(bvh.size());
}

#define PLEAT_SIZES ->Arg(2000)->Arg(10000)->Arg(25000)->Arg(60000)->UseRealTime()
BENCHMARK(bvh_build) PLEAT_SIZES->Unit(benchmark::kMicrosecond);
BENCHMARK(bvh_refit) PLEAT_SIZES->Unit(benchmark::kMicrosecond);
BENCHMARK(bvh_refit_swept) PLEAT_SIZES->Unit(benchmark::kMicrosecond);
BENCHMARK(bvh_self_pairs) PLEAT_SIZES->Unit(benchmark::kMicrosecond);

} // namespace
} // namespace pleat
