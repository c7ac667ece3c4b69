// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Many runs of one scene: which values they have, and how they are run.
#pragma once

#include "pleat/scene/scene_override.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace pleat::app {

/// The values of one key.
struct WedgeAxis {
    std::string key;
    std::vector<std::string> values;                // of combinations; draws choose one of them,
    std::optional<std::pair<double, double>> range; // or a number between two
};

/// "KEY=A,B,C" \throw InputError
[[nodiscard]] WedgeAxis listed_values(const std::string& text);
/// "KEY=FIRST:LAST:COUNT" \throw InputError
[[nodiscard]] WedgeAxis value_range(const std::string& text);

struct WedgePlan {
    std::string scene;
    std::vector<WedgeAxis> axes;
    std::optional<int> draws; // none: all combinations
    std::uint64_t seed = 1;
    std::optional<int> frames;
};

/// The overrides of each run, in the order of their numbers; the last axis varies fastest. The
/// same plan gives the same runs on every machine. \throw InputError where there are too many
[[nodiscard]] std::vector<SceneOverrides> runs_of(const WedgePlan& plan);

struct WedgeOptions {
    std::filesystem::path folder;
    std::optional<int> jobs, threads;
    bool quiet = false;
};

/// Runs what is not finished yet and keeps the table, FOLDER/wedge.csv, up to date.
/// \return the exit code: 0, or the largest of any run
/// \throw InputError where the folder belongs to another plan
[[nodiscard]] int run_wedge(const WedgePlan& plan, const WedgeOptions& options);

} // namespace pleat::app
