// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Resumes a run with the same bits as if it had never stopped, or from any checkpoint with another
// scene file.
#include "commands.hpp"
#include "simulate.hpp"

#include "pleat/core/error.hpp"
#include "pleat/scene/resume.hpp"
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

struct ResumeArguments {
    std::string folder;
    std::optional<int> from;
    std::string scene; // empty: the one that was run
    std::string output;
    std::optional<int> checkpoint_every, checkpoint_keep;
    std::vector<std::string> formats; // empty: as in the run
    RunOptions options;
};

int resume(const ResumeArguments& a)
{
    fs::path folder = a.folder;
    RunRecord record = read_run_record(folder);
    const FoundCheckpoint found = read_checkpoint(folder, a.from);
    for (const std::string& why : found.refused)
        fmt::print(stderr, "warning: {}; using the checkpoint before\n", why);
    const int frame = found.checkpoint.sim.frame;

    SceneDescription description =
        read_scene_file(a.scene.empty() ? folder / "scene.json" : fs::path(a.scene));
    if (a.options.frames) description.frames = *a.options.frames;
    if (!a.scene.empty()) record.scene = a.scene;
    record.options.threads = a.options.threads;
    record.options.json = a.options.json;
    record.options.quiet = a.options.quiet;
    record.options.limit_tolerance = a.options.limit_tolerance;
    record.options.strict = a.options.strict;
    if (!a.formats.empty()) record.options.formats = a.formats;
    if (a.checkpoint_every) record.options.checkpoint_every = *a.checkpoint_every;
    if (a.checkpoint_keep) record.options.checkpoint_keep = *a.checkpoint_keep;

    const Threads threads(a.options.threads);
    Scene scene;
    CheckpointInfo info;
    threads.run([&] {
        scene = load_scene(description);
        info = checkpoint_info(description, scene);
        start_from(description, found.checkpoint, scene);
    });
    info.so_far = found.checkpoint.info.so_far;

    const std::vector<int> kept = checkpoint_frames(folder);
    const bool loses = frame < kept.back() && found.refused.empty();
    if (a.output.empty() && (a.from || !a.scene.empty()) && loses && !a.options.force)
        throw InputError(
            Problem{folder.string(), "",
                    fmt::format("frames {} to {} and later ones", frame + 1, kept.back()),
                    "a new folder for the branch (-o), or --force to replace them"});
    if (!a.output.empty()) {
        copy_run(folder, a.output, frame);
        folder = a.output;
    }
    const FolderLock lock(folder);
    trim_run(folder, frame);
    write_text(folder / "scene.json", to_json_text(description));
    if (!a.options.quiet && !a.options.json)
        fmt::print(stderr, "continuing from frame {}, state hash {:016x}\n", frame,
                   state_hash(scene.start.model, scene.start.state));
    return simulate(record, description, info, threads, folder, scene);
}

} // namespace

Command add_resume(CLI::App& program)
{
    auto a = std::make_shared<ResumeArguments>();
    CLI::App* verb = program.add_subcommand(
        "resume", "Continue a run that was stopped, or branch from one of its frames");
    verb->add_option("folder", a->folder, "The folder of the run")->required();
    verb->add_option("--from", a->from,
                     "The frame to continue from (default: the newest checkpoint)")
        ->check(CLI::Range(0, 10000000));
    verb->add_option("--scene", a->scene,
                     "Another scene file: other fabrics, motions, obstacles, wind, solver");
    verb->add_option("-o,--output", a->output,
                     "Copy the run up to that frame into a new folder and continue there");
    verb->add_option("--frames", a->options.frames, "Total number of frames")
        ->check(CLI::Range(0, 10000000));
    verb->add_option("--threads", a->options.threads, "Number of threads (default: one per core)")
        ->check(CLI::Range(0, 4096));
    add_format_option(*verb, a->formats, "as before");
    verb->add_option("--checkpoint-every", a->checkpoint_every,
                     "Frames between checkpoints (default: as before)")
        ->check(CLI::Range(0, 10000000));
    verb->add_option("--checkpoint-keep", a->checkpoint_keep,
                     "Number of checkpoints to keep, at least 2 (default: as before)")
        ->check(CLI::Range(2, 10000000));
    add_limit_options(*verb, a->options);
    verb->add_flag("--json", a->options.json, "Print one JSON object per frame on standard output");
    verb->add_flag("-q,--quiet", a->options.quiet, "Print errors only");
    verb->add_flag("--force", a->options.force,
                   "Replace the frames after the one to continue from");
    return [a] { return resume(*a); };
}

} // namespace pleat::app
