// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "commands.hpp"
#include "simulate.hpp"

#include "pleat/core/error.hpp"
#include "pleat/scene/arcsim_file.hpp"
#include "pleat/scene/dress.hpp"
#include "pleat/scene/resume.hpp"
#include "pleat/scene/run_folder.hpp"
#include "pleat/scene/size_check.hpp"
#include "pleat/scene/start_check.hpp"

#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace pleat::app {

namespace {

namespace fs = std::filesystem;

struct RunArguments {
    RunRecord record;
    std::string output;
    std::vector<std::string> set; // KEY=VALUE
};

/// Makes the folder; one that already holds a run is emptied with force and refused without.
void prepare_output(const fs::path& folder, bool force)
{
    std::error_code code;
    if (fs::exists(folder, code) && !fs::is_directory(folder, code))
        throw InputError(Problem{folder.string(), "", "a file", "a folder for the results"});
    bool has_run = false;
    for (const char* part : {"run.json", "stats.csv", "frames", "checkpoint"})
        has_run = has_run || fs::exists(folder / part, code);
    if (has_run && !force)
        throw InputError(Problem{folder.string(), "", "the results of an earlier run",
                                 "another folder (-o), or --force to replace them, or `pleat "
                                 "resume` to continue it"});
    fs::create_directories(folder, code);
    if (code) throw FileError(folder.string(), code.message());
}

/// \pre the folder is locked
void remove_old_run(const fs::path& folder)
{
    std::error_code code;
    for (const char* part : {"checkpoint", "frames", "stats.csv", "run.json", "scene.json",
                             "offenders.obj", "run.usda", "run.pvd"}) {
        fs::remove_all(folder / part, code);
        if (code) throw FileError((folder / part).string(), code.message());
    }
}

int run_scene(const RunArguments& a)
{
    const RunOptions& o = a.record.options;
    (void)NamePattern(o.name_pattern); // is told before anything is done
    SceneOverrides overrides;
    for (const std::string& text : a.set) overrides.push_back(parse_override(text));
    ReadScene read = read_any_scene_in_part(a.record.scene, overrides);
    SceneDescription description = std::move(read.scene);
    if (o.frames) description.frames = *o.frames;
    const fs::path folder =
        a.output.empty() ? fs::path("out") / fs::path(a.record.scene).parent_path().filename()
                         : fs::path(a.output);
    const Threads threads(o.threads);
    Scene scene;
    CheckpointInfo info;
    std::vector<std::string> warnings;
    threads.run([&] {
        scene = load_scene(description, std::move(read.problems));
        info = checkpoint_info(description, scene);
        warnings = size_warnings(description, scene);
        check_start(description, scene);
        dress(description, scene);
    });

    prepare_output(folder, o.force);
    const FolderLock lock(folder);
    remove_old_run(folder);
    write_text(folder / "scene.json", to_json_text(description));
    scene.notes.insert(scene.notes.begin(), read.notes.begin(), read.notes.end());
    return simulate(a.record, description, info, threads, folder, scene, warnings);
}

} // namespace

Command add_run(CLI::App& program)
{
    auto a = std::make_shared<RunArguments>();
    CLI::App* verb = program.add_subcommand("run", "Simulate a scene");
    verb->add_option("scene", a->record.scene, "The scene file")->required();
    verb->add_option("-o,--output", a->output,
                     "Folder for the results (default: out/<folder of the scene>)");
    verb->add_option("--set", a->set,
                     "Replace a value of the scene: KEY=VALUE, such as cloths.0.material=denim "
                     "(may be repeated)")
        ->allow_extra_args(false);
    add_run_options(*verb, a->record.options);
    verb->add_flag("--force", a->record.options.force, "Replace the results of an earlier run");
    return [a] { return run_scene(*a); };
}

} // namespace pleat::app
