// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Reading and writing meshes of up to a million triangles.
#include "pleat/export/obj_writer.hpp"
#include "pleat/io/obj.hpp"

#include <benchmark/benchmark.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <string>

namespace pleat {
namespace {

class TemporaryFolder {
public:
    TemporaryFolder()
    {
        std::string name = (std::filesystem::temp_directory_path() / "pleat_bench_XXXXXX").string();
        if (const char* made = ::mkdtemp(name.data())) path_ = made;
    }
    ~TemporaryFolder() { std::filesystem::remove_all(path_); }
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;
    [[nodiscard]] const std::filesystem::path& path() const { return path_; }

private:
    std::filesystem::path path_;
};

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

} // namespace
} // namespace pleat
