// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "simulate.hpp"

#include "progress.hpp"

#include "pleat/core/atomic_file.hpp"
#include "pleat/core/error.hpp"
#include "pleat/export/obj_sink.hpp"
#include "pleat/export/ply_sink.hpp"
#include "pleat/scene/cloth_attributes.hpp"
#include "pleat/scene/run_folder.hpp"
#include "pleat/sim/run.hpp"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <atomic>
#include <csignal>
#include <fstream>
#include <iterator>
#include <memory>
#include <new>
#include <sys/resource.h>

namespace pleat::app {

namespace {

namespace fs = std::filesystem;

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

void listen_for_stops()
{
    std::signal(SIGINT, request_stop);
    std::signal(SIGTERM, request_stop);
    // nohup ignores this one, and means it.
    if (std::signal(SIGHUP, request_stop) == SIG_IGN) std::signal(SIGHUP, SIG_IGN);
}

std::unique_ptr<FrameSink> make_sink(const std::string& format, const fs::path& folder)
{
    if (format == "obj") return std::make_unique<FrameSinkObj>(folder);
    if (format == "ply") return std::make_unique<FrameSinkPly>(folder);
    throw InputError(Problem{"--format", "", "\"" + format + "\"", "obj or ply"});
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

void write_record(const fs::path& folder, const RunRecord& r, int frames, const char* state,
                  const RunReport& report, std::uint64_t hash)
{
    const nlohmann::ordered_json record{
        {"pleat", PLEAT_VERSION},
        {"scene", fs::absolute(r.scene).string()},
        {"frames", frames},
        {"formats", r.options.formats},
        {"attributes", r.options.attributes},
        {"checkpoint_every", r.options.checkpoint_every},
        {"checkpoint_keep", r.options.checkpoint_keep},
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

} // namespace

void write_text(const fs::path& path, const std::string& text)
{
    AtomicFile file(path);
    file.append(text);
    file.commit();
}

void add_limit_options(CLI::App& verb, RunOptions& o)
{
    verb.add_option("--limit-tolerance", o.limit_tolerance,
                    "Strain beyond the limits that is still accepted")
        ->check(CLI::Range(0.0, 10.0))
        ->capture_default_str();
    verb.add_flag("--strict", o.strict,
                  "Strain beyond the limits is an error (exit code 2), not a warning");
}

void add_run_options(CLI::App& verb, RunOptions& o)
{
    verb.add_option("--frames", o.frames, "Number of frames (default: that of the scene)")
        ->check(CLI::Range(0, 10000000));
    verb.add_option("--threads", o.threads, "Number of threads (default: one per core)")
        ->check(CLI::Range(0, 4096));
    verb.add_option("--format", o.formats, "Formats of the frames: obj, ply")
        ->delimiter(',')
        ->check(CLI::IsMember({"obj", "ply"}));
    verb.add_option("--checkpoint-every", o.checkpoint_every,
                    "Frames between checkpoints (default: 10; 0: only at the start and the end)")
        ->check(CLI::Range(0, 10000000));
    verb.add_option("--checkpoint-keep", o.checkpoint_keep,
                    "Number of checkpoints to keep, at least 2 (default: all)")
        ->check(CLI::Range(2, 10000000));
    add_limit_options(verb, o);
    verb.add_flag("--json", o.json, "Print one JSON object per frame on standard output");
    verb.add_flag("-q,--quiet", o.quiet, "Print errors only");
    verb.add_flag("!--no-attributes", o.attributes,
                  "Do not write frames/*.attributes (velocity, sizing; for `view` and `render`)");
}

RunRecord read_run_record(const fs::path& folder)
{
    const fs::path path = folder / "run.json";
    std::ifstream in(path, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    const nlohmann::json json = nlohmann::json::parse(text, nullptr, false);
    RunRecord record;
    try {
        record.scene = json.at("scene").get<std::string>();
        record.options.formats = json.at("formats").get<std::vector<std::string>>();
        record.options.attributes = json.at("attributes").get<bool>();
        record.options.checkpoint_every = json.at("checkpoint_every").get<int>();
        record.options.checkpoint_keep = json.at("checkpoint_keep").get<int>();
    } catch (const nlohmann::json::exception&) {
        throw InputError(Problem{path.string(), "", "no run.json of a run",
                                 "a folder that `pleat run -o` of this version made"});
    }
    return record;
}

int simulate(const RunRecord& record, const SceneDescription& description,
             const CheckpointInfo& info, const Threads& threads, const fs::path& folder,
             Scene& scene, const std::vector<std::string>& warnings)
{
    const RunOptions& o = record.options;
    const bool goes_on = info.so_far.frames_written > 0;
    Pipeline pipeline = make_pipeline(description);
    std::vector<std::unique_ptr<FrameSink>> sinks;
    std::vector<FrameSink*> sink_list;
    for (const std::string& format : o.formats) {
        sinks.push_back(make_sink(format, folder));
        sink_list.push_back(sinks.back().get());
    }
    std::optional<AttributeFiles> attributes;
    if (o.attributes) attributes.emplace(folder);
    std::optional<StatsFile> stats;
    if (goes_on)
        stats.emplace(folder / "stats.csv", scene.start.frame);
    else
        stats.emplace(folder / "stats.csv");

    const int frames = scene.settings.frames;
    scene.settings.checkpoint_every = o.checkpoint_every;
    Progress progress(frames, scene.settings.substeps, o.json, o.quiet);
    for (const std::string& note : scene.notes) progress.say("note: " + note);
    for (const std::string& warning : warnings) progress.say("warning: " + warning);
    LimitSummary limits;
    limits.tolerance = o.limit_tolerance;
    if (goes_on && limits_strain(description)) { // what was written before counts as well
        const RunFolder written(folder);
        for (const int frame : written.frames()) try {
                limits.add(frame, written_limit_excess(written, frame, written.read(frame),
                                                       o.limit_tolerance));
            } catch (const InputError&) { // a broken file: `pleat check` tells
            }
    }
    std::uint64_t hash = state_hash(scene.start.model, scene.start.state);
    write_record(folder, record, frames, "running", info.so_far, hash);

    listen_for_stops();
    RunHooks hooks;
    hooks.on_frame = [&](const FrameStats& s) {
        if (attributes)
            attributes->write(description, scene.world, scene.start, s.remesh.sizing.get());
        stats->write(s); // after the files: a frame with a row is whole
        limits.add(s.frame,
                   current_limit_excess(description, scene.world, scene.start, o.limit_tolerance));
        hash = s.hash;
        progress.frame(s);
    };
    hooks.on_step = [&](int frame, int step) { progress.step(frame, step); };
    RunReport last_kept = info.so_far;
    hooks.on_checkpoint = [&](const Simulation& sim, const RunReport& so_far) {
        CheckpointInfo now = info;
        now.so_far = last_kept = so_far;
        write_checkpoint(folder, sim, now);
        if (o.checkpoint_keep > 0) prune_checkpoints(folder, o.checkpoint_keep);
    };
    hooks.log = [&](LogLevel level, std::string_view text) {
        progress.say((level == LogLevel::warning ? "warning: " : "note: ") + std::string(text));
    };
    hooks.stop = &stop_requested;

    RunReport report;
    // What the system refuses in the middle of a run: the user hears why, and what is left.
    const auto broke_off = [&](const std::string& reason, int code) {
        progress.finish();
        fmt::print(stderr, "error: {}\n", reason);
        const std::vector<int> kept = checkpoint_frames(folder);
        if (!kept.empty())
            fmt::print(
                stderr,
                "frames up to {} in {} are complete; `pleat resume {}` continues from frame {}\n",
                scene.start.frame, folder.string(), folder.string(), kept.back());
        try { // may be refused as well
            report = last_kept;
            report.trouble = reason;
            write_record(folder, record, frames, "broke off", report, hash);
            trim_run(folder, scene.start.frame);
        } catch (const std::exception&) {
        }
        return code;
    };
    try {
        threads.run([&] {
            report = run(scene.world, pipeline, scene.start, scene.settings, sink_list, hooks,
                         info.so_far);
        });
    } catch (const FileError& error) {
        return broke_off(error.what(), exit_bad_input);
    } catch (const std::bad_alloc&) {
        return broke_off("out of memory", exit_gave_up);
    }
    progress.finish();
    write_record(folder, record, frames, end_word(report.end), report, hash);

    const std::string where =
        fmt::format("{} frames in {}", report.frames_written, folder.string());
    const std::string resume = fmt::format("`pleat resume {}` continues", folder.string());
    if (report.end == RunEnd::gave_up) {
        fmt::print(stderr, "error: the solver gave up at {}\n{}; the last one is good; {}\n",
                   report.trouble, where, resume);
        return exit_gave_up;
    }
    if (report.end == RunEnd::stopped) {
        progress.say(fmt::format("stopped: {}, all complete; {}", where, resume));
        return 128 + stop_signal.load();
    }
    progress.say(fmt::format("done: {}, state hash {:016x}", where, hash));
    const bool is_beyond = limits.frames_beyond > 0;
    if (is_beyond && o.strict)
        fmt::print(stderr, "check failed: {}\n", to_string(limits));
    else if (is_beyond)
        progress.say("warning: " + to_string(limits));
    if (report.frames_with_intersections > 0) {
        fmt::print(
            stderr,
            "check failed: {} frames with intersections, the first is frame {}; `pleat check "
            "{}` lists them\n",
            report.frames_with_intersections, report.first_bad_frame, folder.string());
        return exit_audit_failed;
    }
    return is_beyond && o.strict ? exit_audit_failed : exit_good;
}

} // namespace pleat::app
