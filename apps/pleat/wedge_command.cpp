// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Runs a scene with many values of its keys: all combinations, or random draws. Each run is a
// process of its own, `pleat run --set ...` into a folder of its own, several at once. The folders
// tell what is done, so that a wedge that was stopped goes on when it is called again.
#include "commands.hpp"
#include "wedge.hpp"

#include "pleat/core/error.hpp"
#include "pleat/scene/run_folder.hpp"

#include <fmt/core.h>

#include <memory>
#include <string>
#include <vector>

namespace pleat::app {

namespace {

struct WedgeArguments {
    WedgePlan plan;
    std::vector<std::string> set, range;
    WedgeOptions options;
};

int wedge(const WedgeArguments& arguments)
{
    WedgeArguments a = arguments;
    for (const std::string& text : a.set) a.plan.axes.push_back(listed_values(text));
    for (const std::string& text : a.range) a.plan.axes.push_back(value_range(text));
    return run_wedge(a.plan, a.options);
}

} // namespace

Command add_wedge(CLI::App& program)
{
    auto a = std::make_shared<WedgeArguments>();
    CLI::App* verb = program.add_subcommand("wedge", "Run a scene with many values of its keys");
    verb->add_option("scene", a->plan.scene, "The scene file")->required();
    verb->add_option("--set", a->set,
                     "Values of a key: KEY=A,B,C (may be repeated; see `pleat run --set`)")
        ->allow_extra_args(false);
    verb->add_option("--range", a->range,
                     "Numbers of a key: KEY=FIRST:LAST:COUNT (may be repeated)")
        ->allow_extra_args(false);
    verb->add_option("--random", a->plan.draws,
                     "Number of random draws (default: all combinations)")
        ->check(CLI::Range(1, 1000000));
    verb->add_option("--seed", a->plan.seed, "Of the draws")->capture_default_str();
    verb->add_option("-o,--output", a->options.folder, "Folder for the runs and the table")
        ->required();
    verb->add_option("--frames", a->plan.frames, "Number of frames (default: that of the scene)")
        ->check(CLI::Range(0, 10000000));
    verb->add_option("--jobs", a->options.jobs, "Runs at the same time (default: one per core)")
        ->check(CLI::Range(1, 4096));
    verb->add_option("--threads", a->options.threads,
                     "Threads of each run (default: the cores divided by the runs)")
        ->check(CLI::Range(1, 4096));
    verb->add_flag("-q,--quiet", a->options.quiet, "Print errors only");
    return [a] { return wedge(*a); };
}

} // namespace pleat::app
