// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Reading and writing meshes of ten thousand and of a million triangles.
#include "pleat/export/obj_writer.hpp"
#include "pleat/export/ply_writer.hpp"
#include "pleat/io/obj.hpp"
#include "pleat/io/ply.hpp"
#include "temporary_folder.hpp"

#include <benchmark/benchmark.h>

#include <cmath>
#include <filesystem>
#include <numeric>
#include <vector>

namespace pleat {
namespace {

/// A wavy grid of 2 n^2 triangles; coordinates have all their digits, as simulated ones do.
MeshInput wavy_grid(std::uint32_t n)
{
    MeshInput mesh;
    for (std::uint32_t j = 0; j <= n; ++j)
        for (std::uint32_t i = 0; i <= n; ++i) {
            const double u = double(i) / n, v = double(j) / n;
            mesh.material_u.push_back({u, v});
            mesh.node_x.push_back({u, v, 0.1 * std::sin(40.0 * u) * std::cos(30.0 * v)});
        }
    for (std::uint32_t j = 0; j < n; ++j)
        for (std::uint32_t i = 0; i < n; ++i) {
            const std::uint32_t a = j * (n + 1) + i, b = a + 1, c = a + n + 2, d = a + n + 1;
            mesh.face_nodes.push_back({a, b, c});
            mesh.face_nodes.push_back({a, c, d});
        }
    mesh.face_points = mesh.face_nodes;
    return mesh;
}

void count(benchmark::State& state, const std::filesystem::path& path, std::size_t faces)
{
    const auto bytes = static_cast<std::int64_t>(std::filesystem::file_size(path));
    state.SetBytesProcessed(bytes * state.iterations());
    state.counters["faces"] = static_cast<double>(faces);
    state.counters["MB"] = static_cast<double>(bytes) * 1e-6;
}

void write_obj_grid(benchmark::State& state)
{
    const TemporaryFolder folder;
    const MeshInput mesh = wavy_grid(static_cast<std::uint32_t>(state.range(0)));
    const std::filesystem::path path = folder.path() / "grid.obj";
    for (auto _ : state) write_obj(path, view_as_obj(mesh));
    count(state, path, mesh.face_nodes.size());
}
BENCHMARK(write_obj_grid)->Arg(71)->Arg(708)->Unit(benchmark::kMillisecond);

void read_obj_grid(benchmark::State& state)
{
    const TemporaryFolder folder;
    const MeshInput mesh = wavy_grid(static_cast<std::uint32_t>(state.range(0)));
    const std::filesystem::path path = folder.path() / "grid.obj";
    write_obj(path, view_as_obj(mesh));
    for (auto _ : state) benchmark::DoNotOptimize(read_obj(path));
    count(state, path, mesh.face_nodes.size());
}
BENCHMARK(read_obj_grid)->Arg(71)->Arg(708)->Unit(benchmark::kMillisecond);

struct PlyGrid {
    explicit PlyGrid(std::uint32_t n) : mesh(wavy_grid(n)), vert_node(mesh.node_x.size())
    {
        std::iota(vert_node.begin(), vert_node.end(), 0u);
        view.x = mesh.node_x;
        view.u = mesh.material_u;
        view.vert_node = vert_node;
        view.faces = mesh.face_points;
    }
    PlyGrid(const PlyGrid&) = delete;
    PlyGrid& operator=(const PlyGrid&) = delete;

    MeshInput mesh;
    std::vector<std::uint32_t> vert_node;
    PlyMesh view;
};

void write_ply_grid(benchmark::State& state)
{
    const TemporaryFolder folder;
    const PlyGrid grid(static_cast<std::uint32_t>(state.range(0)));
    const std::filesystem::path path = folder.path() / "grid.ply";
    for (auto _ : state) write_ply(path, grid.view);
    count(state, path, grid.view.faces.size());
}
BENCHMARK(write_ply_grid)->Arg(71)->Arg(708)->Unit(benchmark::kMillisecond);

void read_ply_grid(benchmark::State& state)
{
    const TemporaryFolder folder;
    const PlyGrid grid(static_cast<std::uint32_t>(state.range(0)));
    const std::filesystem::path path = folder.path() / "grid.ply";
    write_ply(path, grid.view);
    for (auto _ : state) benchmark::DoNotOptimize(read_ply(path));
    count(state, path, grid.view.faces.size());
}
BENCHMARK(read_ply_grid)->Arg(71)->Arg(708)->Unit(benchmark::kMillisecond);

} // namespace
} // namespace pleat
