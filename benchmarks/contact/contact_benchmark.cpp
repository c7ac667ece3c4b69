// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Broad phase, proximities, impacts and audit on a sheet folded into 8 layers 5 mm apart, on 2
// threads; time of impact a query, on 1.
#include "folded_stage.hpp"

#include "pleat/contact/audit.hpp"
#include "pleat/core/parallel.hpp"
#include "pleat/geometry/box_tree.hpp"
#include "pleat/geometry/time_of_impact.hpp"

#include <benchmark/benchmark.h>

#include <array>
#include <cmath>
#include <random>
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
    BoxTree bvh;
    measure(state, boxes.size(), [&] { bvh.build(boxes); });
}

void bvh_refit(benchmark::State& state)
{
    const test::Sheet sheet = test::folded_sheet(std::size_t(state.range(0)));
    BoxTree bvh;
    bvh.build(boxes_of(sheet, 0));
    measure(state, bvh.size(), [&] { bvh.refit(sheet.x, sheet.triangles, thickness / 2); });
}

void bvh_refit_swept(benchmark::State& state)
{
    const test::Sheet sheet = test::folded_sheet(std::size_t(state.range(0)));
    test::Sheet next = sheet;
    test::shake(next, 0.001, 1);
    BoxTree bvh;
    bvh.build(boxes_of(sheet, 0));
    measure(state, bvh.size(),
            [&] { bvh.refit_swept(sheet.x, next.x, sheet.triangles, thickness / 2); });
}

void bvh_self_pairs(benchmark::State& state)
{
    const test::Sheet sheet = test::folded_sheet(std::size_t(state.range(0)));
    BoxTree bvh;
    bvh.build(boxes_of(sheet, thickness / 2));
    std::size_t pairs = 0;
    measure(state, bvh.size(), [&] { pairs = bvh.self_pairs().size(); });
    state.counters["pairs_per_face"] = double(pairs) / double(bvh.size());
}

void audit_sheet(benchmark::State& state, const test::Sheet& sheet, double gap_cap)
{
    const AuditMesh mesh{sheet.x, sheet.triangles, 0, false};
    AuditReport report;
    measure(state, sheet.triangles.size(), [&] {
        report = audit_intersections({&mesh, 1}, {.gap_cap = gap_cap});
    });
    if (report.crossing_count() > 0) state.SkipWithError("the sheet crosses itself");
}

void audit_crossings(benchmark::State& state)
{
    audit_sheet(state, test::folded_sheet(std::size_t(state.range(0))), 0);
}

void audit_crossings_and_gap(benchmark::State& state)
{
    audit_sheet(state, test::folded_sheet(std::size_t(state.range(0))), thickness);
}

/// Every predicate at its most difficult: all faces are coplanar.
void audit_flat(benchmark::State& state)
{
    const auto n = std::size_t(std::sqrt(double(state.range(0)) / 2));
    test::Sheet sheet = test::flat_sheet(n, n, 1, 0);
    for (Vec3& p : sheet.x) p = {p[0], p[1], 0.3 * p[0] + 0.7 * p[1]};
    audit_sheet(state, sheet, 0);
}

/// Pairs of features of 1 cm that start within 5 mm and move by up to 5 mm, every corner its own
/// way: what a broad phase hands over in a lively step.
template <auto find_impact> void time_of_impact(benchmark::State& state)
{
    std::mt19937_64 random(1);
    std::uniform_real_distribution<double> any(-1, 1);
    const auto point = [&](double size) {
        return Vec3{size * any(random), size * any(random), size * any(random)};
    };
    std::vector<std::array<Vec3, 4>> x0(4096), x1(4096);
    for (std::size_t q = 0; q < x0.size(); ++q) {
        const Vec3 apart = normalized(point(1)) * 0.005;
        for (std::size_t i = 0; i < 4; ++i) {
            x0[q][i] = point(0.005) + (i == 0 ? apart : Vec3{});
            x1[q][i] = x0[q][i] + point(0.003);
        }
    }
    const ImpactOptions options{.min_separation = 5e-5};
    std::size_t q = 0, hits = 0;
    for (auto _ : state) {
        hits += find_impact(x0[q % 4096], x1[q % 4096], options).hit;
        ++q;
    }
    state.counters["hit_rate"] = double(hits) / double(q);
}

constexpr double dt = 0.005; // [s]

void proximity_find(benchmark::State& state)
{
    test::Stage stage = folded_stage(std::size_t(state.range(0)), 0.05, thickness);
    Contacts contacts;
    ContactReport report;
    const auto find = [&] {
        report = stage.pipeline.contact_finder->find(stage.sim.model, stage.sim.state, stage.world,
                                                     {}, dt, contacts);
    };
    find(); // trees and rest shapes are made once a mesh
    measure(state, stage.sim.model.mesh.face_count(), find);
    state.counters["pairs_per_face"] =
        double(report.proximities) / double(stage.sim.model.mesh.face_count());
    state.counters["tests_per_face"] =
        double(report.candidates) / double(stage.sim.model.mesh.face_count());
}

void resolve_impacts(benchmark::State& state, double speed)
{
    test::Stage stage = folded_stage(std::size_t(state.range(0)), speed, thickness);
    State wished = stage.sim.state;
    for (NodeId n : wished.x.ids()) wished.x[n] += dt * wished.v[n];
    State next = wished;
    ImpactReport report;
    const auto resolve = [&] {
        next = wished;
        report = stage.pipeline.impact_resolver->resolve(stage.sim.model, stage.sim.state, {},
                                                         stage.world, {}, dt, false, next);
    };
    resolve();
    measure(state, stage.sim.model.mesh.face_count(), resolve);
    if (!report.ok) state.SkipWithError("the impacts were not resolved");
    state.counters["impacts"] = double(report.impacts);
    state.counters["rounds"] = report.iterations;
}

/// Detection alone: nothing hits.
void impact_detect(benchmark::State& state)
{
    resolve_impacts(state, 0.05);
}

/// Layers hit one another at random places.
void impact_resolve(benchmark::State& state)
{
    resolve_impacts(state, 0.6);
}

#define PLEAT_SIZES ->Arg(2000)->Arg(10000)->Arg(25000)->Arg(60000)->UseRealTime()
BENCHMARK(bvh_build) PLEAT_SIZES->Unit(benchmark::kMicrosecond);
BENCHMARK(bvh_refit) PLEAT_SIZES->Unit(benchmark::kMicrosecond);
BENCHMARK(bvh_refit_swept) PLEAT_SIZES->Unit(benchmark::kMicrosecond);
BENCHMARK(bvh_self_pairs) PLEAT_SIZES->Unit(benchmark::kMicrosecond);

BENCHMARK(time_of_impact<vertex_face_impact>)->Unit(benchmark::kNanosecond);
BENCHMARK(time_of_impact<edge_edge_impact>)->Unit(benchmark::kNanosecond);
BENCHMARK(proximity_find) PLEAT_SIZES->Unit(benchmark::kMicrosecond);
BENCHMARK(impact_detect) PLEAT_SIZES->Unit(benchmark::kMicrosecond);
BENCHMARK(impact_resolve) PLEAT_SIZES->Unit(benchmark::kMicrosecond);

BENCHMARK(audit_crossings) PLEAT_SIZES->Unit(benchmark::kMicrosecond);
BENCHMARK(audit_crossings_and_gap) PLEAT_SIZES->Unit(benchmark::kMicrosecond);
BENCHMARK(audit_flat) PLEAT_SIZES->Unit(benchmark::kMicrosecond);

} // namespace
} // namespace pleat
