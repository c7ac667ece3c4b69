// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// The commands of the program. Each adds its options to the command line; the one that was called
// runs and returns the exit code.
#pragma once

#include <CLI/CLI.hpp>

#include <functional>

namespace pleat::app {

/// The exit codes, the same for every verb. A run that is interrupted ends with 128 + the signal.
enum ExitCode : int {
    exit_good = 0,
    exit_bad_input = 1,
    exit_audit_failed = 2,
    exit_gave_up = 3,
};

using Command = std::function<int()>;

/// Each returns what to do when `program` was called with that verb.
/// --display and --display-levels: what is shown or written of a cloth.
void add_display_options(CLI::App& verb, std::string& display, int& levels);

[[nodiscard]] Command add_run(CLI::App& program);
[[nodiscard]] Command add_resume(CLI::App& program);
[[nodiscard]] Command add_check(CLI::App& program);
[[nodiscard]] Command add_render(CLI::App& program);
[[nodiscard]] Command add_convert(CLI::App& program);
[[nodiscard]] Command add_new(CLI::App& program);
[[nodiscard]] Command add_materials(CLI::App& program);
[[nodiscard]] Command add_schema(CLI::App& program);
[[nodiscard]] Command add_remesh(CLI::App& program);
[[nodiscard]] Command add_garment(CLI::App& program);
[[nodiscard]] Command add_stats(CLI::App& program);
[[nodiscard]] Command add_export(CLI::App& program);
[[nodiscard]] Command add_bake(CLI::App& program);
[[nodiscard]] Command add_wedge(CLI::App& program);
[[nodiscard]] Command add_view(CLI::App& program); // where the build has the viewer

} // namespace pleat::app
