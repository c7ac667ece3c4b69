// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Shared by `run` and `resume`: simulates a loaded scene into its folder, frame by frame.
#pragma once

#include "commands.hpp"

#include "pleat/core/parallel.hpp"
#include "pleat/export/frame_formats.hpp"
#include "pleat/export/name_pattern.hpp"
#include "pleat/scene/limit_audit.hpp"
#include "pleat/scene/load_scene.hpp"
#include "pleat/sim/checkpoint.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace pleat::app {

/// The options that both verbs have.
struct RunOptions {
    std::optional<int> frames;
    int threads = 0;
    std::vector<std::string> formats{"obj"};
    std::string name_pattern{default_name_pattern}; // of the files of frames
    int checkpoint_every = 10;                      // frames
    int checkpoint_keep = 0;                        // of the newest; 0: all
    bool json = false;
    bool quiet = false;
    bool force = false;
    bool attributes = true; // frames/*.attributes
    double limit_tolerance = default_limit_tolerance;
    bool strict = false; // strains beyond limits fail the run
};

/// Those about strains beyond the limits of fabrics.
void add_limit_options(CLI::App& verb, RunOptions& options);
void add_run_options(CLI::App& verb, RunOptions& options);

/// What run.json says of how a run was called.
struct RunRecord {
    std::string scene; // the file that was run
    RunOptions options;
};

/// \throw InputError where the folder has none that can be read.
[[nodiscard]] RunRecord read_run_record(const std::filesystem::path& folder);

/// What frames of a scene need to know to be written.
[[nodiscard]] FrameFileOptions frame_file_options(const SceneDescription& description,
                                                  const NamePattern& names);
/// --format of runs and of what is made from them. \return the option
CLI::Option* add_format_option(CLI::App& verb, std::vector<std::string>& formats,
                               const std::string& default_text);

void write_text(const std::filesystem::path& path, const std::string& text);

/// Simulates into the folder, which is prepared: scene.json is there, and frames behind the
/// simulation's are not. `warnings` are said at the start. Interrupts (SIGINT, SIGTERM, SIGHUP) end
/// it at the next step. \return the exit code
[[nodiscard]] int simulate(const RunRecord& record, const SceneDescription& description,
                           const CheckpointInfo& info, const Threads& threads,
                           const std::filesystem::path& folder, Scene& scene,
                           const std::vector<std::string>& warnings = {});

} // namespace pleat::app
