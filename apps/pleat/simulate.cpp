// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "simulate.hpp"

#include "progress.hpp"

#include "pleat/core/atomic_file.hpp"
#include "pleat/core/error.hpp"
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
    // Stays ignored under nohup.
    if (std::signal(SIGHUP, request_stop) == SIG_IGN) std::signal(SIGHUP, SIG_IGN);
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
        {"name_pattern", r.options.name_pattern},
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
    add_format_option(verb, o.formats, "obj");
    verb.add_option("--name-pattern", o.name_pattern,
                    "Names of the files of frames (default: \"{frame:05d}_{name}\")");
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

FrameFileOptions frame_file_options(const SceneDescription& description, const NamePattern& names)
{
    return {description.fps, description.up, names};
}

CLI::Option* add_format_option(CLI::App& verb, std::vector<std::string>& formats,
                               const std::string& default_text)
{
    std::string names;
    for (const std::string& name : frame_format_names())
        names += (names.empty() ? "" : ", ") + name;
    return verb
        .add_option("--format", formats,
                    "Formats of the frames: " + names + " (default: " + default_text + ")")
        ->delimiter(',')
        ->check(CLI::IsMember(frame_format_names()));
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
        record.options.name_pattern = json.value("name_pattern", std::string(default_name_pattern));
        record.options.attributes = json.at("attributes").get<bool>();
        record.options.checkpoint_every = json.at("checkpoint_every").get<int>();
        record.options.checkpoint_keep = json.at("checkpoint_keep").get<int>();
    } catch (const nlohmann::json::exception&) {
        throw InputError(Problem{path.string(), "", "no run.json of a run",
                                 "a folder that `pleat run -o` of this version made"});
    }
    return record;
}

namespace {

/// One run into a folder: its files, its progress and its end.
class FolderRun {
public:
    FolderRun(const RunRecord& record, const SceneDescription& description,
              const CheckpointInfo& info, const fs::path& folder, Scene& scene)
        : record_(record), o_(record.options), description_(description), info_(info),
          folder_(folder), scene_(scene),
          progress_(scene.settings.frames, scene.settings.substeps, o_.json, o_.quiet),
          last_kept_(info.so_far), hash_(state_hash(scene.start.model, scene.start.state))
    {
        const NamePattern names(o_.name_pattern);
        for (const std::string& format : o_.formats)
            sinks_.push_back(
                make_frame_sink(format, folder, frame_file_options(description, names)));
        if (o_.attributes) attributes_.emplace(folder, names);
        if (info.so_far.frames_written > 0)
            stats_.emplace(folder / "stats.csv", scene.start.frame);
        else
            stats_.emplace(folder / "stats.csv");
        limits_.tolerance = o_.limit_tolerance;
        scene_.settings.checkpoint_every = o_.checkpoint_every;
    }

    int run(const Threads& threads, const std::vector<std::string>& warnings)
    {
        for (const std::string& note : scene_.notes) progress_.say("note: " + note);
        for (const std::string& warning : warnings) progress_.say("warning: " + warning);
        if (info_.so_far.frames_written > 0 && limits_strain(description_)) add_written_limits();
        write("running", info_.so_far);
        listen_for_stops();
        Pipeline pipeline = make_pipeline(description_);
        std::vector<FrameSink*> sinks;
        for (const auto& sink : sinks_) sinks.push_back(sink.get());
        RunReport report;
        try {
            threads.run([&] {
                report = pleat::run(scene_.world, pipeline, scene_.start, scene_.settings, sinks,
                                    hooks(), info_.so_far);
            });
        } catch (const FileError& error) {
            return break_off(error.what(), exit_bad_input);
        } catch (const std::bad_alloc&) {
            return break_off("out of memory", exit_gave_up);
        }
        progress_.finish();
        write(end_word(report.end), report);
        return finish(report);
    }

private:
    /// Frames that were written before the run was resumed count as well.
    void add_written_limits()
    {
        const RunFolder written(folder_);
        for (const int frame : written.frames()) try {
                limits_.add(frame, written_limit_excess(written, frame, written.read(frame),
                                                        o_.limit_tolerance));
            } catch (const InputError&) { // a broken file: `pleat check` tells
            }
    }

    RunHooks hooks()
    {
        RunHooks hooks;
        hooks.on_frame = [this](const FrameStats& s) {
            if (attributes_)
                attributes_->write(description_, scene_.world, scene_.start, s.remesh.sizing.get());
            stats_->write(s); // after the files: a frame with a row is whole
            limits_.add(s.frame, current_limit_excess(description_, scene_.world, scene_.start,
                                                      o_.limit_tolerance));
            hash_ = s.hash;
            progress_.frame(s);
        };
        hooks.on_step = [this](int frame, int step) { progress_.step(frame, step); };
        hooks.on_checkpoint = [this](const Simulation& sim, const RunReport& so_far) {
            CheckpointInfo now = info_;
            now.so_far = last_kept_ = so_far;
            write_checkpoint(folder_, sim, now);
            if (o_.checkpoint_keep > 0) prune_checkpoints(folder_, o_.checkpoint_keep);
        };
        hooks.log = [this](LogLevel level, std::string_view text) {
            progress_.say((level == LogLevel::warning ? "warning: " : "note: ") +
                          std::string(text));
        };
        hooks.stop = &stop_requested;
        return hooks;
    }

    void write(const char* state, const RunReport& report) const
    {
        write_record(folder_, record_, scene_.settings.frames, state, report, hash_);
    }

    /// The system refused something in the middle of a run: reports why, and which frames are
    /// complete.
    int break_off(const std::string& reason, int code)
    {
        progress_.finish();
        fmt::print(stderr, "error: {}\n", reason);
        const std::vector<int> kept = checkpoint_frames(folder_);
        if (!kept.empty())
            fmt::print(
                stderr,
                "frames up to {} in {} are complete; `pleat resume {}` continues from frame {}\n",
                scene_.start.frame, folder_.string(), folder_.string(), kept.back());
        try { // may be refused as well
            RunReport report = last_kept_;
            report.trouble = reason;
            write("broke off", report);
            trim_run(folder_, scene_.start.frame);
        } catch (const std::exception&) {
        }
        return code;
    }

    /// Says how the run ended. \return the exit code
    int finish(const RunReport& report)
    {
        const std::string where =
            fmt::format("{} frames in {}", report.frames_written, folder_.string());
        const std::string resume = fmt::format("`pleat resume {}` continues", folder_.string());
        if (report.end == RunEnd::gave_up) {
            fmt::print(stderr, "error: the solver gave up at {}\n{}; the last one is good; {}\n",
                       report.trouble, where, resume);
            return exit_gave_up;
        }
        if (report.end == RunEnd::stopped) {
            progress_.say(fmt::format("stopped: {}, all complete; {}", where, resume));
            return 128 + stop_signal.load();
        }
        progress_.say(fmt::format("done: {}, state hash {:016x}", where, hash_));
        const bool is_beyond = limits_.frames_beyond > 0;
        if (is_beyond && o_.strict)
            fmt::print(stderr, "check failed: {}\n", to_string(limits_));
        else if (is_beyond)
            progress_.say("warning: " + to_string(limits_));
        if (report.frames_with_intersections > 0) {
            fmt::print(
                stderr,
                "check failed: {} frames with intersections, the first is frame {}; `pleat check "
                "{}` lists them\n",
                report.frames_with_intersections, report.first_bad_frame, folder_.string());
            return exit_audit_failed;
        }
        return is_beyond && o_.strict ? exit_audit_failed : exit_good;
    }

    const RunRecord& record_;
    const RunOptions& o_;
    const SceneDescription& description_;
    const CheckpointInfo& info_;
    const fs::path& folder_;
    Scene& scene_;
    std::vector<std::unique_ptr<FrameSink>> sinks_;
    std::optional<AttributeFiles> attributes_;
    std::optional<StatsFile> stats_;
    Progress progress_;
    LimitSummary limits_;
    RunReport last_kept_; // of the last checkpoint
    std::uint64_t hash_;
};

} // namespace

int simulate(const RunRecord& record, const SceneDescription& description,
             const CheckpointInfo& info, const Threads& threads, const fs::path& folder,
             Scene& scene, const std::vector<std::string>& warnings)
{
    return FolderRun(record, description, info, folder, scene).run(threads, warnings);
}

} // namespace pleat::app
