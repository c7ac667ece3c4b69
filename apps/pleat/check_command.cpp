// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// pleat check: checks scenes and meshes, and audits results.
#include "commands.hpp"

#include "pleat/core/error.hpp"
#include "pleat/core/parallel.hpp"
#include "pleat/scene/arcsim_file.hpp"
#include "pleat/scene/limit_audit.hpp"
#include "pleat/scene/load_scene.hpp"
#include "pleat/scene/mesh_file.hpp"
#include "pleat/scene/run_folder.hpp"
#include "pleat/scene/size_check.hpp"
#include "pleat/scene/start_check.hpp"
#include "pleat/sim/audit.hpp"
#include "pleat/sim/offenders.hpp"

#include <fmt/core.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

namespace pleat::app {

namespace {

namespace fs = std::filesystem;

struct CheckArguments {
    std::string path;
    std::string offenders; // empty: the usual name
    int threads = 0;
    double limit_tolerance = default_limit_tolerance;
    bool strict = false;
};

std::string percent(double strain)
{
    return fmt::format("{:.1f} %", 100 * strain);
}

std::string gap_text(double gap)
{
    return std::isfinite(gap) ? fmt::format("{:.3g} mm", 1000 * gap)
                              : fmt::format("over {:.0f} mm", 1000 * default_gap_reach);
}

void print_crossings(const MeshAudit& a, const std::vector<ObjectMesh>& meshes, std::size_t most)
{
    for (std::size_t i = 0; i < a.crossings.size() && i < most; ++i) {
        const CrossingPair& p = a.crossings[i];
        fmt::print("    {} face {} intersects {} face {}\n", meshes[p.object_a].name, p.face_a,
                   meshes[p.object_b].name, p.face_b);
    }
    if (a.crossings.size() > most) fmt::print("    ... and {} more\n", a.crossings.size() - most);
}

/// Writes the faces that cross where the user said, or else to `usual`; says where.
void write_offenders(const OffenderFile& file, const CheckArguments& a, const fs::path& usual)
{
    if (file.pair_count() == 0) return;
    const fs::path path = a.offenders.empty() ? usual : fs::path(a.offenders);
    try {
        file.write(path);
    } catch (const FileError& error) {
        if (!a.offenders.empty()) throw;
        fmt::print(
            "note: the intersecting faces could not be written: {}; choose another file with "
            "--offenders\n",
            error.what());
        return;
    }
    fmt::print("the {} intersecting faces are in {}\n", file.face_count(), path.string());
}

/// Prints every problem at once.
int report(const InputError& error, const std::string& path)
{
    for (const Problem& p : error.problems()) fmt::print("problem: {}\n", to_string(p));
    fmt::print("{} problem(s) with {}\n", error.problems().size(), path);
    return exit_bad_input;
}

std::string point(const Vec3& x)
{
    return fmt::format("({:.3g}, {:.3g}, {:.3g})", x[0], x[1], x[2]);
}

void print_sizes(const SizeReport& report)
{
    for (const ObjectSize& o : report.objects) {
        const Vec3 size = o.high - o.low;
        fmt::print("{} {}: {:.3g} x {:.3g} x {:.3g} m, from {} to {}{}\n",
                   o.is_cloth ? "cloth" : "obstacle", o.name, size[0], size[1], size[2],
                   point(o.low), point(o.high),
                   o.is_cloth       ? fmt::format(", {:.4g} kg", o.mass)
                   : o.is_unbounded ? ", part of an infinite plane"
                                    : "");
    }
    // For each cloth the obstacle that is nearest; bodies may have many parts.
    for (const ObjectSize& o : report.objects) {
        const ObstacleDistance* still = nullptr;
        const ObstacleDistance* falling = nullptr;
        double at_start = std::numeric_limits<double>::infinity();
        for (const ObstacleDistance& d : report.distances) {
            if (!o.is_cloth || d.cloth != o.name) continue;
            at_start = std::min(at_start, d.at_start);
            if (still == nullptr || d.in_start_pose < still->in_start_pose) still = &d;
            if (d.in_fall && (falling == nullptr || *d.in_fall < *falling->in_fall)) falling = &d;
        }
        if (still == nullptr) continue;
        fmt::print("{} to obstacles in the first {:.3g} s: {} at the start; {} to {} at {:.1f} s "
                   "with the cloth in its start pose",
                   o.name, report.time,
                   std::isfinite(at_start) ? fmt::format("{:.3g} m", at_start) : "no obstacle",
                   fmt::format("{:.3g} m", still->in_start_pose), still->obstacle,
                   still->in_start_pose_time);
        if (falling != nullptr)
            fmt::print("; {:.3g} m to {} at {:.1f} s in free fall", *falling->in_fall,
                       falling->obstacle, falling->in_fall_time);
        fmt::print("\n");
    }
}

int check_scene(const CheckArguments& a)
{
    SceneDescription description;
    Scene scene;
    try {
        ReadScene read = read_any_scene_in_part(a.path);
        for (const std::string& note : read.notes) fmt::print("note: {}\n", note);
        description = std::move(read.scene);
        scene = load_scene(description, std::move(read.problems));
    } catch (const InputError& error) {
        return report(error, a.path);
    }
    const auto write_crossings = [&](const std::vector<ObjectMesh>& meshes,
                                     const MeshAudit& found) {
        OffenderFile file;
        file.add("", meshes, found);
        write_offenders(file, a, offenders_name(a.path));
    };
    if (description.contact.on_overlap == "untangle") {
        try {
            check_start(description, scene);
        } catch (const InputError& error) {
            const int code = report(error, a.path);
            const auto meshes = object_meshes(scene.world, scene.start);
            write_crossings(meshes, audit(meshes, 0));
            return code;
        }
    }
    for (const std::string& note : scene.notes) fmt::print("note: {}\n", note);
    const Mesh& mesh = scene.start.model.mesh;
    std::size_t seams = 0, held = 0;
    for (EdgeId e : mesh.edges()) seams += mesh.is_seam(e);
    for (NodeId n : mesh.nodes()) held += scene.start.model.handles(n) != 0;
    fmt::print(
        "{} cloth(s): {} panels, {} seam edges, {} nodes, {} faces, {:.4g} kg, {} nodes held\n",
        scene.start.model.cloths.size(), mesh.panel_count(), seams, mesh.node_count(),
        mesh.face_count(), total_mass(scene.start.model), held);
    fmt::print("{} obstacle(s), {} frames of {} steps, dt {:.4g} ms\n",
               scene.world.obstacles.size(), scene.settings.frames, scene.settings.substeps,
               1000 / (scene.settings.fps * scene.settings.substeps));

    const SizeReport sizes = check_sizes(description, scene);
    print_sizes(sizes);
    const auto meshes = object_meshes(scene.world, scene.start);
    const MeshAudit found = audit(meshes);
    fmt::print("start: maximum stretch {}, maximum compression {}, smallest gap {}\n",
               percent(found.max_stretch), percent(found.max_compression), gap_text(found.min_gap));
    if (found.intersections > 0) {
        fmt::print("problem: {}: {} pairs of faces intersect at the start; expected: {}\n", a.path,
                   found.intersections, overlap_advice);
        print_crossings(found, meshes, 20);
        write_crossings(meshes, found);
    }
    for (const std::string& warning : sizes.warnings) fmt::print("warning: {}\n", warning);
    if (found.intersections > 0) return exit_bad_input;
    fmt::print("{}\n", sizes.warnings.empty() ? "no problems" : "no problems, but warnings");
    return exit_good;
}

int check_run(const CheckArguments& a)
{
    const RunFolder folder(a.path);
    OffenderFile offenders;
    int bad = 0;
    LimitSummary limits;
    limits.tolerance = a.limit_tolerance;
    MeshAudit worst;
    worst.min_gap = std::numeric_limits<double>::infinity();
    for (int frame : folder.frames()) {
        std::vector<ObjectMesh> meshes;
        MeshAudit found;
        try {
            meshes = folder.read(frame);
            found = audit(meshes);
        } catch (const InputError& error) {
            fmt::print("frame {}: {}\n", frame, error.what());
            ++bad;
            continue;
        }
        worst.intersections += found.intersections;
        worst.min_gap = std::min(worst.min_gap, found.min_gap);
        worst.max_stretch = std::max(worst.max_stretch, found.max_stretch);
        worst.max_compression = std::max(worst.max_compression, found.max_compression);
        limits.add(frame, written_limit_excess(folder, frame, meshes, a.limit_tolerance));
        if (found.intersections == 0) continue;
        ++bad;
        fmt::print("frame {}: {} pairs of faces intersect\n", frame, found.intersections);
        print_crossings(found, meshes, 5);
        offenders.add(fmt::format("{:05d}", frame), meshes, found);
    }
    fmt::print(
        "{} frames: {} bad, {} intersecting pairs, maximum stretch {}, maximum compression {}, "
        "smallest gap {}\n",
        folder.frames().size(), bad, worst.intersections, percent(worst.max_stretch),
        percent(worst.max_compression), gap_text(worst.min_gap));
    if (!folder.scene())
        fmt::print("note: strain limits are unknown without a readable scene.json\n");
    else if (limits_strain(*folder.scene()))
        fmt::print("strain beyond the limits: maximum {:.3g}, in frame {}\n", limits.worst.strain,
                   limits.worst_frame);
    write_offenders(offenders, a, fs::path(a.path) / "offenders.obj");
    if (limits.frames_beyond > 0) fmt::print("warning: {}\n", to_string(limits));
    if (bad > 0 || (a.strict && limits.frames_beyond > 0)) return exit_audit_failed;
    fmt::print("{}\n", limits.frames_beyond == 0 ? "no problems" : "no problems, but warnings");
    return exit_good;
}

int check_mesh(const CheckArguments& a)
{
    MeshFile file;
    try {
        file = read_mesh_file(a.path, MeshUse::cloth);
        if (!file.problems.empty()) throw InputError(file.problems);
    } catch (const InputError& error) {
        return report(error, a.path);
    }
    for (const std::string& note : file.notes) fmt::print("note: {}\n", note);
    const Mesh mesh = build_mesh(file.mesh);
    std::size_t seams = 0;
    for (EdgeId e : mesh.edges()) seams += mesh.is_seam(e);
    fmt::print("{} panels, {} seam edges, {} nodes, {} verts, {} faces\nno problems\n",
               mesh.panel_count(), seams, mesh.node_count(), mesh.vert_count(), mesh.face_count());
    return exit_good;
}

int check(const CheckArguments& a)
{
    std::error_code code;
    const fs::path path = a.path;
    if (fs::is_directory(path, code)) return check_run(a);
    const std::string extension = CLI::detail::to_lower(path.extension().string());
    if (extension == ".obj" || extension == ".ply") return check_mesh(a);
    return check_scene(a);
}

} // namespace

Command add_check(CLI::App& program)
{
    auto a = std::make_shared<CheckArguments>();
    CLI::App* verb = program.add_subcommand(
        "check", "Find all mistakes in a scene or mesh, or check the frames of a run");
    verb->add_option("path", a->path, "A scene file, a mesh file, or the folder of a run")
        ->required();
    verb->add_option("--offenders", a->offenders,
                     "OBJ file for intersecting faces, if there are any (default: "
                     "<scene>-offenders.obj for a scene, offenders.obj in the folder of a run)");
    verb->add_option("--limit-tolerance", a->limit_tolerance,
                     "For a run: strain beyond the limits that is still accepted")
        ->check(CLI::Range(0.0, 10.0))
        ->capture_default_str();
    verb->add_flag("--strict", a->strict,
                   "For a run: strain beyond the limits is an error (exit code 2), not a warning");
    verb->add_option("--threads", a->threads, "Number of threads (default: one per core)")
        ->check(CLI::Range(0, 4096));
    return [a] {
        int code = exit_good;
        Threads(a->threads).run([&] { code = check(*a); });
        return code;
    };
}

} // namespace pleat::app
