// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Puts the cloths of a run onto meshes that stay the same, for programs that need this.
#include "commands.hpp"
#include "run_meshes.hpp"
#include "simulate.hpp"

#include "pleat/api/bake.hpp"
#include "pleat/core/error.hpp"
#include "pleat/export/frame_files.hpp"
#include "pleat/export/glb_writer.hpp"
#include "pleat/export/obj_writer.hpp"
#include "pleat/export/point_cache.hpp"
#include "pleat/export/usda_sink.hpp"
#include "pleat/scene/mesh_file.hpp"
#include "pleat/scene/run_folder.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace pleat::app {

namespace {

namespace fs = std::filesystem;

constexpr int most_rounds = 40; // of refinement

struct BakeArguments {
    std::string folder, mesh, cloth, output;
    std::vector<std::string> formats{"pc2", "mdd"};
    std::optional<double> tolerance;
    std::size_t max_faces = 500000;
    int threads = 0;
};

/// The cloth of this name in a frame.
ObjectMesh cloth_of(const RunFolder& run, int frame, const std::string& name)
{
    for (ObjectMesh& mesh : run.read(frame))
        if (mesh.is_cloth && mesh.name == name) return std::move(mesh);
    throw InputError(Problem{"", "frame " + std::to_string(frame), "no cloth \"" + name + "\"",
                             "a cloth that is in every frame"});
}

std::vector<std::string> cloth_names(const RunFolder& run, const std::string& only)
{
    std::vector<std::string> names;
    for (const ObjectMesh& mesh : run.read(run.frames().front()))
        if (mesh.is_cloth && (only.empty() || mesh.name == only)) names.push_back(mesh.name);
    if (names.empty())
        throw InputError(Problem{"--cloth", "", "\"" + only + "\"", "the name of a cloth"});
    return names;
}

/// The mesh with which the scene starts, in the coordinates of the run.
BakeMesh mesh_of_scene(const RunFolder& run, const std::string& name)
{
    if (run.scene()) {
        const Scene scene = load_scene(*run.scene());
        for (const ObjectMesh& mesh : object_meshes(scene.world, scene.start))
            if (mesh.is_cloth && file_stem(mesh.name) == name) return BakeMesh(mesh);
    }
    throw InputError(Problem{"--mesh", "", "none, and no scene.json that has the cloth",
                             "a mesh with material coordinates (vt) in metres"});
}

BakeMesh mesh_of_file(const BakeArguments& a, const ObjectMesh& frame)
{
    MeshFile file = read_mesh_file(a.mesh, MeshUse::cloth);
    if (!file.problems.empty()) throw InputError(std::move(file.problems));
    return {file.mesh, frame, a.mesh};
}

/// One cloth on its fixed mesh.
struct BakedCloth {
    std::string name;
    ObjectMesh first;
    PointCache cache;
    std::vector<std::vector<Vec3>> velocities; // one a frame; empty where the run has none
    BakeError error;
};

/// Evaluates all frames. \param worst by face, grown to the faces of the mesh
BakeError measure(const RunFolder& run, const std::string& name, const BakeMesh& fixed,
                  Field<FaceId, double>& worst, BakedCloth* out)
{
    BakeError error;
    worst.values.assign(fixed.mesh().face_count(), 0);
    for (const int frame : run.frames()) {
        const ObjectMesh now = cloth_of(run, frame, name);
        BakeMesh::Baked baked = fixed.evaluate(now);
        error.add(fixed.compare(now, baked.x, worst));
        if (out == nullptr) continue;
        if (out->cache.positions.empty()) out->first = fixed.object(name, baked.x, baked.v);
        out->cache.positions.push_back(std::move(baked.x));
        out->velocities.push_back(std::move(baked.v));
    }
    return error;
}

BakedCloth bake_cloth(const BakeArguments& a, const RunFolder& run, const std::string& name)
{
    BakeMesh fixed = a.mesh.empty() ? mesh_of_scene(run, name)
                                    : mesh_of_file(a, cloth_of(run, run.frames().front(), name));
    Field<FaceId, double> worst;
    for (int round = 0; a.tolerance && round < most_rounds; ++round) {
        const BakeError error = measure(run, name, fixed, worst, nullptr);
        fmt::print(stderr, "{}: {} faces, largest distance {:.3f} mm\n", name,
                   fixed.mesh().face_count(), 1000 * error.largest);
        if (error.largest <= *a.tolerance) break;
        fixed.refine(worst, *a.tolerance);
        if (fixed.mesh().face_count() > a.max_faces)
            throw InputError(
                Problem{"--tolerance", "", fmt::format("{} m", *a.tolerance),
                        fmt::format("one that {} faces can meet (--max-faces)", a.max_faces)});
    }
    BakedCloth baked;
    baked.name = name;
    baked.cache.fps = fps_of(run);
    baked.cache.first_frame = run.frames().front();
    baked.error = measure(run, name, fixed, worst, &baked);
    return baked;
}

void write_cloth(const BakeArguments& a, const RunFolder& run, const BakedCloth& baked)
{
    const fs::path stem = fs::path(a.output) / baked.name;
    const auto file = [&](const char* extension) { return stem.string() + extension; };
    ObjMesh obj;
    obj.x = baked.first.x;
    obj.u = baked.first.u;
    obj.face_nodes = baked.first.face_nodes;
    obj.face_verts = baked.first.face_verts;
    obj.comment = "Pleat: " + baked.name + ", the mesh of the point caches";
    write_obj(file(".obj"), obj);
    for (const std::string& format : a.formats) {
        if (format == "pc2") write_pc2(file(".pc2"), baked.cache);
        if (format == "mdd") write_mdd(file(".mdd"), baked.cache);
        if (format != "glb") continue;
        GlbMesh mesh;
        mesh.name = baked.name;
        mesh.x = baked.first.x;
        mesh.face_nodes = baked.first.face_nodes;
        mesh.u = baked.first.u;
        mesh.vert_node = baked.first.vert_node;
        mesh.face_verts = baked.first.face_verts;
        if (run.scene()) mesh.up = run.scene()->up;
        GlbAnimation animation;
        for (const int frame : run.frames())
            animation.times.push_back(float(frame / baked.cache.fps));
        animation.positions = baked.cache.positions;
        write_glb(file(".glb"), mesh, animation);
    }
}

void write_stage(const BakeArguments& a, const RunFolder& run, std::vector<BakedCloth>& cloths)
{
    FrameSinkUsda::Options options;
    options.stage.fps = fps_of(run);
    if (run.scene()) options.stage.up = run.scene()->up;
    options.has_fixed_faces = true;
    FrameSinkUsda sink(a.output, options);
    for (std::size_t i = 0; i < run.frames().size(); ++i) {
        std::vector<ObjectMesh> meshes;
        for (const BakedCloth& cloth : cloths) {
            meshes.push_back(cloth.first);
            meshes.back().x = cloth.cache.positions[i];
            meshes.back().v = cloth.velocities[i];
        }
        const int frame = run.frames()[i];
        sink.write(frame_of(meshes, frame, frame / options.stage.fps));
    }
    sink.finish();
}

int bake(const BakeArguments& a)
{
    const RunFolder run(a.folder);
    const std::vector<std::string> names = cloth_names(run, a.cloth);
    if (names.size() > 1 && !a.mesh.empty())
        throw InputError(
            Problem{"--mesh", "", "a run of several cloths", "--cloth NAME beside it"});
    std::error_code code;
    fs::create_directories(a.output, code);
    if (code) throw FileError(a.output, code.message());
    std::vector<BakedCloth> cloths;
    const Threads threads(a.threads);
    for (const std::string& name : names) {
        threads.run([&] { cloths.push_back(bake_cloth(a, run, name)); });
        const BakedCloth& baked = cloths.back();
        write_cloth(a, run, baked);
        fmt::print("{}: {} vertices, {} faces, {} frames; distance to the adaptive surface: "
                   "largest {:.3f} mm, root mean square {:.3f} mm\n",
                   name, baked.first.x.size(), baked.first.face_nodes.size(),
                   baked.cache.positions.size(), 1000 * baked.error.largest,
                   1000 * baked.error.rms());
    }
    if (std::find(a.formats.begin(), a.formats.end(), "usda") != a.formats.end())
        write_stage(a, run, cloths);
    return exit_good;
}

} // namespace

Command add_bake(CLI::App& program)
{
    auto a = std::make_shared<BakeArguments>();
    CLI::App* verb = program.add_subcommand(
        "bake", "Put the cloths of a run onto meshes that stay the same, for point caches");
    verb->add_option("folder", a->folder, "The folder of the run")->required();
    verb->add_option("-o,--output", a->output, "Folder for the files")->required();
    verb->add_option("--mesh", a->mesh,
                     "The fixed mesh, with material coordinates (vt) in metres (default: that of "
                     "the scene)");
    verb->add_option("--cloth", a->cloth, "The cloth (default: all)");
    verb->add_option("--format", a->formats, "Formats: pc2, mdd, glb, usda (default: pc2,mdd)")
        ->delimiter(',')
        ->check(CLI::IsMember({"pc2", "mdd", "glb", "usda"}));
    verb->add_option("--tolerance", a->tolerance,
                     "Refine the mesh until it is nowhere farther from the cloth [m]")
        ->check(CLI::PositiveNumber);
    verb->add_option("--max-faces", a->max_faces, "Largest mesh that --tolerance may make")
        ->capture_default_str();
    verb->add_option("--threads", a->threads, "Number of threads (default: one per core)")
        ->check(CLI::Range(0, 4096));
    return [a] { return bake(*a); };
}

} // namespace pleat::app
