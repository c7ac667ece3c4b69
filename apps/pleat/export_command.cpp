// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Writes the frames of a finished run in other formats.
#include "commands.hpp"
#include "run_meshes.hpp"
#include "simulate.hpp"

#include "pleat/core/error.hpp"
#include "pleat/scene/run_folder.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace pleat::app {

namespace {

namespace fs = std::filesystem;

struct ExportArguments {
    std::string folder, output;
    std::vector<std::string> formats;
    std::string name_pattern{default_name_pattern};
};

/// Velocities of moving obstacles, which OBJ files do not have: by central differences.
void add_obstacle_velocities(const RunFolder& run, std::vector<ObjectMesh>& meshes,
                             const std::vector<ObjectMesh>& before,
                             const std::vector<ObjectMesh>& after, int frames_between)
{
    const double rate = fps_of(run) / frames_between;
    for (ObjectMesh& mesh : meshes) {
        if (mesh.is_cloth || mesh.is_static || !mesh.v.empty()) continue;
        const auto points = [&](const std::vector<ObjectMesh>& others) -> const std::vector<Vec3>& {
            for (const ObjectMesh& other : others)
                if (other.name == mesh.name && other.x.size() == mesh.x.size()) return other.x;
            return mesh.x;
        };
        const std::vector<Vec3>&x0 = points(before), &x1 = points(after);
        for (std::size_t i = 0; i < mesh.x.size(); ++i) mesh.v.push_back(rate * (x1[i] - x0[i]));
    }
}

int export_run(const ExportArguments& a)
{
    const NamePattern names(a.name_pattern);
    const RunFolder run(a.folder);
    std::error_code code;
    if (fs::equivalent(a.folder, a.output, code) && names != name_pattern_of(a.folder))
        throw InputError(Problem{a.output, "", "the folder of the run",
                                 "another folder, or the names that the run has"});
    FrameFileOptions options;
    options.fps = fps_of(run);
    if (run.scene()) options.up = run.scene()->up;
    options.names = names;
    std::vector<std::unique_ptr<FrameSink>> sinks;
    for (const std::string& format : a.formats)
        sinks.push_back(make_frame_sink(format, a.output, options));
    const std::vector<int>& frames = run.frames();
    std::vector<ObjectMesh> before, now = run.read(frames.front());
    for (std::size_t i = 0; i < frames.size(); ++i) {
        const bool is_last = i + 1 == frames.size();
        std::vector<ObjectMesh> after = is_last ? now : run.read(frames[i + 1]);
        std::vector<ObjectMesh> meshes = now;
        const int first = frames[i == 0 ? 0 : i - 1], last = frames[is_last ? i : i + 1];
        add_obstacle_velocities(run, meshes, i == 0 ? now : before, after,
                                std::max(1, last - first));
        const Frame frame = frame_of(meshes, frames[i], frames[i] / options.fps);
        for (const auto& sink : sinks) sink->write(frame);
        before = std::move(now);
        now = std::move(after);
    }
    for (const auto& sink : sinks) sink->finish();
    fmt::print("{} frames in {}\n", frames.size(), a.output);
    return exit_good;
}

} // namespace

Command add_export(CLI::App& program)
{
    auto a = std::make_shared<ExportArguments>();
    CLI::App* verb = program.add_subcommand("export", "Write the frames of a run in other formats");
    verb->add_option("folder", a->folder, "The folder of the run")->required();
    verb->add_option("-o,--output", a->output, "Folder for the files")->required();
    add_format_option(*verb, a->formats, "none")->required();
    verb->add_option("--name-pattern", a->name_pattern,
                     "Names of the files of frames (default: \"{frame:05d}_{name}\")");
    return [a] { return export_run(*a); };
}

} // namespace pleat::app
