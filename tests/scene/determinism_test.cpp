// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// The same bits for any number of threads, for two runs, and for a run that goes on from a
// checkpoint at every frame: for every shipped scene, and for one that has everything else.
#include "pleat/core/parallel.hpp"
#include "pleat/scene/dress.hpp"
#include "pleat/scene/resume.hpp"
#include "pleat/scene/start_check.hpp"

#include "temporary_folder.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace pleat {
namespace {

namespace fs = std::filesystem;
using Hashes = std::vector<std::uint64_t>; // by frame

/// One run with a number of threads.
Hashes run_through(const SceneDescription& description, int frames, int threads)
{
    Hashes hashes;
    Threads(threads).run([&] {
        Scene scene = load_scene(description);
        check_start(description, scene);
        dress(description, scene);
        Pipeline pipeline = make_pipeline(description);
        scene.settings.frames = frames;
        RunHooks hooks;
        hooks.on_frame = [&](const FrameStats& s) { hashes.push_back(s.hash); };
        EXPECT_EQ(run(scene.world, pipeline, scene.start, scene.settings, {}, hooks).end,
                  RunEnd::finished);
    });
    return hashes;
}

/// The same in as many runs as there are frames: each reads the checkpoint of the one before, and
/// has parts of its own. So all that the future depends on is in the checkpoint.
Hashes run_in_pieces(const SceneDescription& description, int frames, int threads)
{
    Hashes hashes;
    Threads(threads).run([&] {
        const Scene loaded = load_scene(description);
        const CheckpointInfo info = checkpoint_info(description, loaded);
        std::string kept;
        for (int frame = 0; frame <= frames; ++frame) {
            Scene scene = loaded;
            RunReport so_far;
            if (frame == 0) {
                check_start(description, scene);
                dress(description, scene);
            } else {
                const Checkpoint checkpoint = decode_checkpoint(kept, "test");
                EXPECT_EQ(checkpoint.sim.frame, frame - 1);
                so_far = checkpoint.info.so_far;
                start_from(description, checkpoint, scene);
                EXPECT_EQ(scene.notes, loaded.notes) << "it is the same scene";
            }
            Pipeline pipeline = make_pipeline(description);
            scene.settings.frames = frame;
            RunHooks hooks;
            hooks.on_frame = [&](const FrameStats& s) { hashes.push_back(s.hash); };
            hooks.on_checkpoint = [&](const Simulation& sim, const RunReport& report) {
                CheckpointInfo now = info;
                now.so_far = report;
                kept = encode_checkpoint(sim, now);
            };
            EXPECT_EQ(
                run(scene.world, pipeline, scene.start, scene.settings, {}, hooks, so_far).end,
                RunEnd::finished);
        }
    });
    return hashes;
}

void expect_same_bits(const SceneDescription& description, int frames)
{
    const Hashes one = run_through(description, frames, 1);
    ASSERT_EQ(one.size(), std::size_t(frames) + 1);
    EXPECT_EQ(run_through(description, frames, 2), one) << "2 threads, second run";
    EXPECT_EQ(run_in_pieces(description, frames, 8), one) << "8 threads, resumed at every frame";
}

// --- shipped scenes -----------------------------------------------------------------------------

std::vector<fs::path> shipped_scenes()
{
    std::vector<fs::path> files;
    for (const auto& folder : fs::directory_iterator(fs::path(PLEAT_SOURCE_DIR) / "scenes"))
        if (folder.is_directory())
            for (const auto& entry : fs::directory_iterator(folder))
                if (entry.path().extension() == ".json" &&
                    read_bytes(entry.path()).find("\"pleat\"") != std::string::npos)
                    files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    return files;
}

struct Shipped : testing::TestWithParam<fs::path> {};

std::string name_of(const testing::TestParamInfo<fs::path>& info)
{
    std::string name =
        info.param.parent_path().filename().string() + "_" + info.param.stem().string();
    std::replace_if(
        name.begin(), name.end(), [](unsigned char c) { return !std::isalnum(c); }, '_');
    return name;
}

TEST_P(Shipped, scene_has_the_same_bits_for_threads_runs_and_resume)
{
    // Few frames of the large ones; the long test goes where cloth touches.
    constexpr std::size_t face_frames = 6000;
    SceneDescription description = read_scene_file(GetParam());
    if (description.dress && description.cloths.size() > 5)
        GTEST_SKIP() << "a crowd is for the long test";
    if (description
            .dress) { // a taste of dressing on a coarse mesh, and of what is then half dressed
        description.dress->time = description.dress->step;
        description.substeps = 1;
        for (ClothDescription& cloth : description.cloths) cloth.remeshing.edge_length[0] *= 3;
    }
    const Scene scene = load_scene(description);
    const std::size_t faces = scene.start.model.mesh.face_count();
    const auto frames = int(std::clamp<std::size_t>(face_frames / faces, 1, 8));
    expect_same_bits(description, frames);
}

TEST_P(Shipped, LongScene_has_the_same_bits_for_threads_runs_and_resume)
{
    if (std::getenv("PLEAT_LONG_TESTS") == nullptr) GTEST_SKIP() << "set PLEAT_LONG_TESTS=1";
    const SceneDescription description = read_scene_file(GetParam());
    expect_same_bits(description, std::min(description.frames, 20));
}

INSTANTIATE_TEST_SUITE_P(Scenes, Shipped, testing::ValuesIn(shipped_scenes()), name_of);

// --- what no shipped scene has ------------------------------------------------------------------

struct Variation {
    const char* name;
    const char* keys; // of the scene
};

struct Parts : testing::TestWithParam<Variation> {};

/// A sheet of cells x cells in the plane z = height.
void write_sheet(const fs::path& path, int cells, double size, double height)
{
    std::ofstream out(path);
    for (int j = 0; j <= cells; ++j)
        for (int i = 0; i <= cells; ++i)
            out << "v " << size * i / cells << " " << size * j / cells << " " << height << "\nvt "
                << size * i / cells << " " << size * j / cells << "\n";
    for (int j = 0; j < cells; ++j)
        for (int i = 0; i < cells; ++i) {
            const int a = j * (cells + 1) + i + 1, c = a + cells + 2, d = a + cells + 1;
            out << "f " << a << "/" << a << " " << a + 1 << "/" << a + 1 << " " << c << "/" << c
                << "\nf " << a << "/" << a << " " << c << "/" << c << " " << d << "/" << d << "\n";
        }
}

TEST(RestSurface, has_the_same_bits_for_threads_runs_and_resume)
{
    const TemporaryFolder folder;
    constexpr int cells = 6;
    write_sheet(folder / "a.obj", cells, 0.4, 0);
    std::ifstream sheet(folder / "a.obj");
    std::ofstream shape(folder / "shape.obj"); // the same faces, on waves
    for (std::string line; std::getline(sheet, line);) {
        double x = 0, y = 0, z = 0;
        if (std::sscanf(line.c_str(), "v %lf %lf %lf", &x, &y, &z) == 3)
            shape << "v " << x << " " << y << " " << 0.03 * std::sin(20 * x + 5 * y) << "\n";
        else
            shape << line << "\n";
    }
    shape.close();
    const std::string text = R"({"pleat": 1, "substeps": 4, "frames": 6, "cloths": [
        {"mesh": "a.obj", "material": "gray-interlock", "rest_angles": "shape.obj",
         "remeshing": {"type": "anisotropic", "edge_length": [0.02, 0.2]}}],
        "handles": [{"nodes": [0, 6]}]})";
    const SceneDescription description = parse_scene(text, folder / "scene.json");
    expect_same_bits(description, 6);
    SceneDescription flat = description;
    flat.cloths[0].rest_angles = {"flat", {}};
    EXPECT_NE(run_through(flat, 2, 1), run_through(description, 2, 1)) << "the shape counts";
}

TEST(Root3, has_the_same_bits_for_threads_runs_and_resume)
{
    const TemporaryFolder folder;
    write_sheet(folder / "a.obj", 6, 0.4, 0);
    // Three steps a frame and a remeshing every fifth: frames begin at every place in between.
    const std::string text = R"({"pleat": 1, "substeps": 3, "frames": 12, "fps": 50, "cloths": [
        {"mesh": "a.obj", "material": "gray-interlock",
         "remeshing": {"type": "root3", "generations": 4, "curvature_base": 0.3,
                       "curvature_max": 3}}],
        "obstacles": [{"name": "ball", "sphere": {"centre": [0.2, 0.2, -0.11], "radius": 0.1}}],
        "handles": [{"nodes": [0, 6]}]})";
    const SceneDescription description = parse_scene(text, folder / "scene.json");
    EXPECT_EQ(description.cloths[0].remeshing.every, 5);
    expect_same_bits(description, 12);
    SceneDescription fixed = description;
    fixed.cloths[0].remeshing.type = "none";
    EXPECT_NE(run_through(fixed, 12, 1), run_through(description, 12, 1)) << "it is remeshed";
}

TEST(Quadrisection, has_the_same_bits_for_threads_runs_and_resume)
{
    const TemporaryFolder folder;
    write_sheet(folder / "a.obj", 5, 0.4, 0);
    // Three steps a frame and a remeshing every second: frames begin at every place in between.
    const std::string text = R"({"pleat": 1, "substeps": 3, "frames": 12, "fps": 50, "cloths": [
        {"mesh": "a.obj", "material": "gray-interlock",
         "remeshing": {"type": "quadrisection", "levels": 2, "cosine_split": 0.995,
                       "cosine_join": 0.9995, "every": 2}}],
        "obstacles": [{"name": "ball", "sphere": {"centre": [0.2, 0.2, -0.11], "radius": 0.1}}],
        "handles": [{"nodes": [0, 5]}]})";
    const SceneDescription description = parse_scene(text, folder / "scene.json");
    expect_same_bits(description, 12);
    SceneDescription fixed = description;
    fixed.cloths[0].remeshing.type = "none";
    EXPECT_NE(run_through(fixed, 12, 1), run_through(description, 12, 1)) << "it is remeshed";
}

TEST_P(Parts, have_the_same_bits_for_threads_runs_and_resume)
{
    const TemporaryFolder folder;
    write_sheet(folder / "a.obj", 4, 0.4, 0.02);
    write_sheet(folder / "b.obj", 3, 0.4, 0);
    // Three frames of an obstacle that rises and bulges.
    for (int f = 0; f < 3; ++f) {
        std::ofstream out(folder / ("body_" + std::to_string(f) + ".obj"));
        const double z = -0.02 + 0.02 * f;
        out << "v 0.1 0.1 -0.2\nv 0.3 0.1 -0.2\nv 0.2 0.3 -0.2\nv 0.2 0.2 " << z
            << "\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n";
    }
    std::ofstream(folder / "scene.json") << std::string(R"({
  "pleat": 1, "up": "z", "fps": 50, "substeps": 4, "frames": 8, "gravity": [0, 0, -9.8],
  "wind": {"velocity": [1, 0, 0.5], "density": 1.2, "drag": 0.1},
  "cloths": [
    {"name": "a", "mesh": "a.obj", "material": "gray-interlock", "strain_limits": [-0.05, 0.05],
     "remeshing": {"type": "anisotropic", "edge_length": [0.03, 0.2]}},
    {"name": "b", "mesh": "b.obj", "material": "11oz-black-denim",
     "velocity": {"linear": [0, 0, 0.5], "angular": [0, 0, 1]},
     "remeshing": {"type": "uniform", "edge_length": [0.08, 0.2]}}],
  "obstacles": [{"name": "body", "sequence": {"files": "body_%d.obj", "fps": 25}, "friction": 0.5}],
  "handles": [
    {"cloth": "a", "nodes": [0, 4], "until": 0.06, "fade": 0.06},
    {"cloth": "b", "nodes": [15], "from": 0.03, "stiffness": 50,
     "motion": [{"time": 0, "translate": [0, 0, 0]}, {"time": 0.2, "translate": [0, 0.1, 0]}]}])") +
                                                GetParam().keys + "\n}\n";
    expect_same_bits(read_scene_file(folder / "scene.json"), 8);
}

INSTANTIATE_TEST_SUITE_P(
    Everything, Parts,
    testing::Values(
        Variation{"defaults", ""},
        Variation{"cholesky",
                  R"(, "solver": {"linear_solver": "cholesky", "newton_iterations": 3})"},
        Variation{"explicit", R"(, "solver": {"integrator": "mixed_explicit_implicit"})"},
        Variation{"leapfrog", R"(, "solver": {"integrator": "mixed_explicit_implicit",
                                             "variant": "leapfrog_trapezoid"})"},
        Variation{"augmented", R"(, "strain_limiting": {"type": "augmented_lagrangian"})"},
        Variation{"jacobi", R"(, "strain_limiting": {"type": "jacobi"})"},
        Variation{"edge_velocity", R"(, "strain_limiting": {"type": "edge_velocity"})"},
        Variation{"impulses", R"(, "contact": {"type": "impulses"})"},
        Variation{"explicit_proximity", R"(, "contact": {"type": "proximity"},
                                            "solver": {"integrator": "mixed_explicit_implicit"})"},
        Variation{"explicit_impulses", R"(, "contact": {"type": "impulses"},
                                           "solver": {"integrator": "mixed_explicit_implicit"})"},
        Variation{"spatial_hash", R"(, "contact": {"broad_phase": "spatial_hash"})"}),
    [](const auto& test) { return std::string(test.param.name); });

} // namespace
} // namespace pleat
