// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "commands.hpp"
#include "progress.hpp"

#include "pleat/core/atomic_file.hpp"
#include "pleat/core/error.hpp"
#include "pleat/core/parallel.hpp"
#include "pleat/export/obj_sink.hpp"
#include "pleat/export/ply_sink.hpp"
#include "pleat/scene/arcsim_file.hpp"
#include "pleat/scene/load_scene.hpp"
#include "pleat/scene/start_check.hpp"
#include "pleat/sim/run.hpp"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <atomic>
#include <csignal>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <sys/resource.h>
#include <vector>

namespace pleat::app {

namespace {

namespace fs = std::filesystem;

struct RunArguments {
    std::string scene;
    std::string output;
    std::optional<int> frames;
    int threads = 0;
    std::vector<std::string> formats{"obj"};
    bool json = false;
    bool quiet = false;
    bool force = false;
};

// The one piece of state that a signal handler can reach; it belongs to the program, not to the
// library.
std::atomic<bool> stop_requested{false};
std::atomic<int> stop_signal{0};

extern "C" void request_stop(int signal)
{
    stop_signal = signal;
    stop_requested = true;
    std::signal(signal, SIG_DFL); // a second one ends the program at once
}

std::unique_ptr<FrameSink> make_sink(const std::string& format, const fs::path& folder)
{
    if (format == "obj") return std::make_unique<FrameSinkObj>(folder);
    if (format == "ply") return std::make_unique<FrameSinkPly>(folder);
    throw InputError(Problem{"--format", "", "\"" + format + "\"", "obj or ply"});
}

void write_text(const fs::path& path, const std::string& text)
{
    AtomicFile file(path);
    file.append(text);
    file.commit();
}

/// Makes the folder; one that already holds a run is emptied with force and refused without.
void prepare_output(const fs::path& folder, bool force)
{
    std::error_code code;
    if (fs::exists(folder, code) && !fs::is_directory(folder, code))
        throw InputError(Problem{folder.string(), "", "a file", "a folder for the results"});
    const bool has_run = fs::exists(folder / "run.json", code) ||
                         fs::exists(folder / "stats.csv", code) ||
                         fs::exists(folder / "frames", code);
    if (has_run && !force)
        throw InputError(Problem{folder.string(), "", "the results of an earlier run",
                                 "another folder (-o), or --force to replace them"});
    if (has_run) {
        for (const char* part : {"frames", "stats.csv", "run.json", "scene.json"}) {
            fs::remove_all(folder / part, code);
            if (code) throw FileError((folder / part).string(), code.message());
        }
    }
    fs::create_directories(folder, code);
    if (code) throw FileError(folder.string(), code.message());
}

const char* end_word(RunEnd end)
{
    switch (end) {
    case RunEnd::finished:
        return "finished";
    case RunEnd::stopped:
        return "stopped";
    case RunEnd::gave_up:
        return "gave up";
    }
    return "";
}

/// The most memory the program has held so far [MB].
double peak_memory()
{
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return double(usage.ru_maxrss) / 1024;
}

void write_record(const fs::path& folder, const RunArguments& a, int frames, const char* state,
                  const RunReport& report, std::uint64_t hash)
{
    const nlohmann::ordered_json record{
        {"pleat", PLEAT_VERSION},
        {"scene", fs::absolute(a.scene).string()},
        {"frames", frames},
        {"state", state},
        {"frames_written", report.frames_written},
        {"frames_with_intersections", report.frames_with_intersections},
        {"trouble", report.trouble},
        {"peak_memory_mb", peak_memory()},
        {"hash", fmt::format("{:016x}", hash)}};
    // A path need not be UTF-8.
    write_text(folder / "run.json",
               record.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
}

int run_scene(const RunArguments& a)
{
    ReadScene read = read_any_scene(a.scene);
    SceneDescription description = std::move(read.scene);
    if (a.frames) description.frames = *a.frames;
    const fs::path folder = a.output.empty()
                                ? fs::path("out") / fs::path(a.scene).parent_path().filename()
                                : fs::path(a.output);
    const Threads threads(a.threads);
    Scene scene;
    threads.run([&] {
        scene = load_scene(description);
        check_start(description, scene);
    });
    Pipeline pipeline = make_pipeline(description);

    prepare_output(folder, a.force);
    write_text(folder / "scene.json", to_json_text(description));
    std::vector<std::unique_ptr<FrameSink>> sinks;
    std::vector<FrameSink*> sink_list;
    for (const std::string& format : a.formats) {
        sinks.push_back(make_sink(format, folder));
        sink_list.push_back(sinks.back().get());
    }
    StatsFile stats(folder / "stats.csv");

    const int frames = scene.settings.frames;
    Progress progress(frames, scene.settings.substeps, a.json, a.quiet);
    for (const auto* notes : {&read.notes, &scene.notes})
        for (const std::string& note : *notes) progress.say("note: " + note);
    write_record(folder, a, frames, "running", {}, 0);

    std::signal(SIGINT, request_stop);
    std::signal(SIGTERM, request_stop);
    RunHooks hooks;
    std::uint64_t hash = 0;
    hooks.on_frame = [&](const FrameStats& s) {
        stats.write(s);
        hash = s.hash;
        progress.frame(s);
    };
    hooks.on_step = [&](int frame, int step) { progress.step(frame, step); };
    hooks.log = [&](LogLevel level, std::string_view text) {
        progress.say((level == LogLevel::warning ? "warning: " : "note: ") + std::string(text));
    };
    hooks.stop = &stop_requested;

    RunReport report;
    threads.run([&] {
        report = run(scene.world, pipeline, scene.start, scene.settings, sink_list, hooks);
    });
    progress.finish();
    write_record(folder, a, frames, end_word(report.end), report, hash);

    const std::string where =
        fmt::format("{} frames in {}", report.frames_written, folder.string());
    if (report.end == RunEnd::gave_up) {
        fmt::print(stderr, "error: the solver gave up at {}\n{}; the last one is good\n",
                   report.trouble, where);
        return exit_gave_up;
    }
    if (report.end == RunEnd::stopped) {
        progress.say(fmt::format("stopped: {}, all whole", where));
        return 128 + stop_signal.load();
    }
    progress.say(fmt::format("done: {}, state hash {:016x}", where, hash));
    if (report.frames_with_intersections > 0) {
        fmt::print(
            stderr,
            "audit failed: {} frames with intersections, the first is frame {}; `pleat check "
            "{}` lists them\n",
            report.frames_with_intersections, report.first_bad_frame, folder.string());
        return exit_audit_failed;
    }
    return exit_good;
}

} // namespace

Command add_run(CLI::App& program)
{
    auto a = std::make_shared<RunArguments>();
    CLI::App* verb = program.add_subcommand("run", "Simulate a scene");
    verb->add_option("scene", a->scene, "The scene file")->required();
    verb->add_option("-o,--output", a->output, "Folder for the results (default: out/<scene>)");
    verb->add_option("--frames", a->frames, "How many frames, instead of the scene's number")
        ->check(CLI::Range(0, 10000000));
    verb->add_option("--threads", a->threads, "How many threads (default: one a core)")
        ->check(CLI::Range(0, 4096));
    verb->add_option("--format", a->formats, "Formats of the frames: obj, ply")
        ->delimiter(',')
        ->check(CLI::IsMember({"obj", "ply"}));
    verb->add_flag("--json", a->json, "One JSON object a frame on standard output");
    verb->add_flag("-q,--quiet", a->quiet, "Say nothing but errors");
    verb->add_flag("--force", a->force, "Replace the results of an earlier run");
    return [a] { return run_scene(*a); };
}

} // namespace pleat::app
