// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Remeshing by itself, in faces a second: from two triangles to many, and the work of one frame of
// an adaptive run (a wave that runs through a sheet), by stage.
#include "pleat/core/parallel.hpp"
#include "pleat/remeshing/anisotropic.hpp"
#include "pleat/remeshing/remesh_to_metric.hpp"
#include "pleat/remeshing/sizing_screen.hpp"
#include "pleat/remeshing/sizing_view.hpp"

#include "mesh/zoo.hpp"
#include "remeshing/subject.hpp"
#include "sim/model_of.hpp"

#include <benchmark/benchmark.h>

#include <cmath>
#include <memory>

namespace pleat {
namespace {

void report_faces(benchmark::State& state, std::size_t faces)
{
    state.counters["faces"] = double(faces);
    state.counters["faces_per_second"] =
        benchmark::Counter(double(faces), benchmark::Counter::kIsIterationInvariantRate);
}

/// Two triangles split to about range(0) faces of 3 to 1.
void refine_from_two_faces(benchmark::State& state)
{
    const double size = std::sqrt(4 / std::sqrt(3.0) * 2 / 3 / double(state.range(0)));
    std::size_t faces = 0;
    for (auto _ : state) {
        test::Subject s(zoo::grid(1, 1));
        s.set_metric([=](const Vec2&) { return test::tensor(0.3, 3 * size, size); });
        (void)s.remesh();
        faces = s.mesh.face_count();
    }
    report_faces(state, faces);
}

/// About range(0) faces coarsened to a tenth of them.
void coarsen(benchmark::State& state)
{
    const int cells = int(std::sqrt(double(state.range(0)) / 2));
    const test::Subject start(zoo::grid(cells, cells));
    for (auto _ : state) {
        state.PauseTiming();
        test::Subject s = start;
        s.set_metric([=](const Vec2&) { return test::tensor(0.3, 6.0 / cells, 6.0 / cells); });
        state.ResumeTiming();
        (void)s.remesh();
    }
    report_faces(state, start.mesh.face_count());
}

/// A sheet of `size` x `size` m with a wave of 1 m length through it.
struct WavingSheet {
    Simulation sim;
    SizingOptions sizing;

    explicit WavingSheet(double size) : sim(simulation_of(zoo::grid(4, 4, size, size)))
    {
        sizing.edge_min = 0.01;
        AnisotropicOptions options;
        options.sizing = {cloth_sizing(sizing)};
        options.edit.crossings = CrossingStrategy::none;
        RemesherAnisotropic remesher(options);
        for (int i = 0; i < 6; ++i) {
            set_wave(0);
            (void)remesher.remesh({}, 0, sim.model, sim.state);
        }
    }
    void set_wave(double phase)
    {
        const Mesh& mesh = sim.model.mesh;
        const double k = 2 * 3.14159265358979;
        for (VertId v : mesh.verts()) {
            const Vec2 u = mesh.u(v);
            const double a = k * (u[0] + 0.1 * std::sin(k * u[1])) - phase;
            sim.state.x[mesh.node(v)] = {0.9 * u[0], u[1], 0.06 * std::sin(a)};
            sim.state.v[mesh.node(v)] = {0, 0, -0.3 * std::cos(a)};
        }
    }
};

/// One frame's remeshing while the wave moves on by range(1) hundredths of its length.
void remesh_frame(benchmark::State& state, CrossingStrategy crossings)
{
    WavingSheet sheet(std::sqrt(double(state.range(0)) / 1000));
    AnisotropicOptions options;
    options.sizing = {cloth_sizing(sheet.sizing)};
    options.edit.crossings = crossings;
    RemesherAnisotropic remesher(options);
    double phase = 0;
    std::size_t edits = 0, refused = 0;
    const Threads threads(2);
    threads.run([&] {
        for (auto _ : state) {
            state.PauseTiming();
            sheet.set_wave(phase += 0.06);
            state.ResumeTiming();
            const RemeshReport r = remesher.remesh({}, 0, sheet.sim.model, sheet.sim.state);
            edits += r.splits + r.flips + r.collapses;
            refused += r.refused;
        }
    });
    report_faces(state, sheet.sim.model.mesh.face_count());
    state.counters["edits"] = double(edits) / double(state.iterations());
    state.counters["refused"] = double(refused) / double(state.iterations());
}

void remesh_frame_bare(benchmark::State& state)
{
    remesh_frame(state, CrossingStrategy::none);
}

void remesh_frame_guard(benchmark::State& state)
{
    remesh_frame(state, CrossingStrategy::guard);
}

void sizing_field(benchmark::State& state)
{
    WavingSheet sheet(std::sqrt(double(state.range(0)) / 1000));
    const Threads threads(2);
    threads.run([&] {
        for (auto _ : state) {
            const FaceSizing s = face_sizing(sheet.sim.model, sheet.sim.state, {}, 0, {},
                                             {cloth_sizing(sheet.sizing)});
            benchmark::DoNotOptimize(vert_metric(sheet.sim.model.mesh, s.metric));
        }
    });
    report_faces(state, sheet.sim.model.mesh.face_count());
}

/// The same with the metrics `view` and `screen`; half of the sheet is in the frame of a camera
/// that pans and has a cut ahead.
void sizing_field_view(benchmark::State& state)
{
    const double size = std::sqrt(double(state.range(0)) / 1000);
    WavingSheet sheet(size);
    ClothSizing sizing = cloth_sizing(sheet.sizing);
    sizing.metrics.push_back({"view", std::make_shared<SizingView>(SizingViewOptions{})});
    sizing.metrics.push_back({"screen", std::make_shared<SizingScreen>(SizingScreenOptions{})});
    World world;
    world.cameras.resize(1);
    const auto key = [&](double time, double x) {
        return CameraKey{time, {x, 0.5 * size, 2 * size}, {x, 0.5 * size, 0}, {0, 1, 0}, 0.5, {}};
    };
    world.cameras[0].keys = {key(0, -0.2 * size), key(1, 0), key(1, 0.9 * size)};
    const Threads threads(2);
    threads.run([&] {
        for (auto _ : state) {
            const FaceSizing s =
                face_sizing(sheet.sim.model, sheet.sim.state, world, 0.9, {}, {sizing});
            benchmark::DoNotOptimize(vert_metric(sheet.sim.model.mesh, s.metric));
        }
    });
    report_faces(state, sheet.sim.model.mesh.face_count());
}

BENCHMARK(refine_from_two_faces)
    ->Arg(10000)
    ->Arg(30000)
    ->Arg(100000)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
BENCHMARK(coarsen)->Arg(10000)->Arg(100000)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(remesh_frame_bare)
    ->Arg(2500)
    ->Arg(25000)
    ->Arg(100000)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
BENCHMARK(remesh_frame_guard)
    ->Arg(2500)
    ->Arg(25000)
    ->Arg(100000)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
BENCHMARK(sizing_field)->Arg(25000)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(sizing_field_view)->Arg(25000)->Unit(benchmark::kMillisecond)->UseRealTime();

} // namespace
} // namespace pleat
