// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "wedge.hpp"

#include "commands.hpp"
#include "simulate.hpp"
#include "stats_page.hpp"

#include "pleat/core/error.hpp"
#include "pleat/core/hash.hpp"
#include "pleat/scene/arcsim_file.hpp"
#include "pleat/scene/run_folder.hpp"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cmath>
#include <csignal>
#include <fstream>
#include <iterator>
#include <map>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace pleat::app {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_runs = 1000000;

// What a signal handler can reach; as in simulate.cpp, it belongs to the program.
std::atomic<int> wedge_signal{0};

extern "C" void stop_wedge(int signal)
{
    wedge_signal = signal;
    std::signal(signal, SIG_DFL); // a second one ends the program at once
}

std::string shortest(double value)
{
    char text[32];
    const auto end = std::to_chars(text, text + sizeof text, value);
    return std::string(text, end.ptr);
}

std::string file_text(const fs::path& path)
{
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

/// The standard's distributions differ from library to library; these two do not.
class Draws {
public:
    explicit Draws(std::uint64_t seed) : state_(seed) {}
    /// [0, 1)
    double number() { return double(next() >> 11) * 0x1p-53; }
    std::size_t below(std::size_t count) { return std::size_t(number() * double(count)); }

private:
    std::uint64_t next() // splitmix64
    {
        state_ += 0x9e3779b97f4a7c15u;
        std::uint64_t z = state_;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
        return z ^ (z >> 31);
    }
    std::uint64_t state_;
};

/// A cell of a table.
std::string csv(const std::string& text)
{
    if (text.find_first_of(",\"\n") == std::string::npos) return text;
    std::string out = "\"";
    for (const char c : text) out += c == '"' ? "\"\"" : std::string(1, c);
    return out + "\"";
}

/// What a run's folder tells.
struct RunState {
    std::string state = "waiting"; // as in run.json
    std::string hash, trouble;
    int frames = 0, frames_with_intersections = 0;
    double seconds = 0, max_stretch = 0, frame_excess = 0;
};

RunState state_of(const fs::path& folder)
{
    RunState s;
    const auto record = nlohmann::json::parse(file_text(folder / "run.json"), nullptr, false);
    if (!record.is_object()) return s;
    try {
        s.state = record.at("state").get<std::string>();
        s.hash = record.at("hash").get<std::string>();
        s.trouble = record.at("trouble").get<std::string>();
        s.frames = record.at("frames_written").get<int>();
        s.frames_with_intersections = record.at("frames_with_intersections").get<int>();
        const StatsTable stats = read_stats(folder / "stats.csv");
        for (const double ms : stats.values("ms_total")) s.seconds += ms / 1000;
        for (const double v : stats.values("max_stretch"))
            s.max_stretch = std::max(s.max_stretch, v);
        for (const double v : stats.values("frame_excess"))
            s.frame_excess = std::max(s.frame_excess, v);
    } catch (const std::exception&) { // half a run: what was read so far
    }
    return s;
}

bool is_over(const RunState& s)
{
    return s.state == "finished" || s.state == "gave up" || s.state == "refused";
}

/// One wedge in its folder.
class Wedge {
public:
    Wedge(const WedgePlan& plan, const WedgeOptions& options)
        : plan_(plan), o_(options), runs_(runs_of(plan)), exit_codes_(runs_.size())
    {
        // A scene that cannot be read is told once and not by every run.
        ReadScene first = read_any_scene_in_part(plan.scene, runs_.front());
        if (!first.problems.empty()) throw InputError(std::move(first.problems));
    }

    int run()
    {
        claim_folder();
        const FolderLock lock(o_.folder);
        std::signal(SIGINT, stop_wedge);
        std::signal(SIGTERM, stop_wedge);
        for (std::size_t i = 0; i < runs_.size(); ++i)
            if (!is_over(state(i))) waiting_.push_back(i);
        if (!o_.quiet) fmt::print(stderr, "{} runs, {} to do\n", runs_.size(), waiting_.size());
        std::reverse(waiting_.begin(), waiting_.end());
        write_table();
        while (!waiting_.empty() || !children_.empty()) {
            if (wedge_signal != 0) return stop();
            while (!waiting_.empty() && children_.size() < jobs()) start(waiting_.back());
            wait_for_one();
        }
        write_table();
        write_page();
        return report();
    }

private:
    [[nodiscard]] fs::path folder_of(std::size_t run) const
    {
        return o_.folder / fmt::format("{:04}", run);
    }

    /// Runs that `pleat run` refused leave no run.json; the exit code of this call tells.
    [[nodiscard]] RunState state(std::size_t run) const
    {
        RunState s = state_of(folder_of(run));
        if (s.state == "waiting" && exit_codes_[run]) s.state = "refused";
        return s;
    }

    [[nodiscard]] static std::size_t cores()
    {
        return std::max(1u, std::thread::hardware_concurrency());
    }
    [[nodiscard]] std::size_t jobs() const { return o_.jobs ? std::size_t(*o_.jobs) : cores(); }
    /// The last runs get the cores that would have nothing to do.
    [[nodiscard]] std::size_t threads_of_next() const
    {
        if (o_.threads) return std::size_t(*o_.threads);
        const std::size_t at_once = std::min(jobs(), waiting_.size() + children_.size());
        return std::max<std::size_t>(1, cores() / std::max<std::size_t>(1, at_once));
    }

    /// Writes what the folder is of, or checks that it is of this plan.
    void claim_folder()
    {
        nlohmann::ordered_json axes = nlohmann::ordered_json::array();
        for (const WedgeAxis& axis : plan_.axes) {
            nlohmann::ordered_json a{{"key", axis.key}, {"values", axis.values}};
            if (axis.range) a["range"] = {axis.range->first, axis.range->second};
            axes.push_back(std::move(a));
        }
        Hash content;
        const std::string scene = file_text(plan_.scene);
        content.add_bytes(scene.data(), scene.size());
        const nlohmann::ordered_json record{{"scene", fs::absolute(plan_.scene).string()},
                                            {"scene_hash", fmt::format("{:016x}", content.value())},
                                            {"axes", axes},
                                            {"random", plan_.draws.value_or(0)},
                                            {"seed", plan_.draws ? plan_.seed : 0},
                                            {"frames", plan_.frames.value_or(-1)},
                                            {"runs", runs_.size()}};
        const std::string text =
            record.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
        std::error_code code;
        fs::create_directories(o_.folder, code);
        if (code) throw FileError(o_.folder.string(), code.message());
        const fs::path path = o_.folder / "wedge.json";
        if (fs::exists(path, code) && file_text(path) != text)
            throw InputError(Problem{o_.folder.string(), "",
                                     "another wedge, or a scene that was changed since",
                                     "the same command again, to continue it, or another folder"});
        write_text(path, text);
    }

    void start(std::size_t run)
    {
        const std::size_t threads = threads_of_next();
        waiting_.pop_back();
        const fs::path folder = folder_of(run);
        wait_until_free(folder);
        std::vector<std::string> words{"pleat"};
        if (!checkpoint_frames(folder).empty() && fs::exists(folder / "run.json")) {
            words.insert(words.end(), {"resume", folder.string()});
        } else {
            words.insert(words.end(), {"run", plan_.scene, "-o", folder.string(), "--force"});
            for (const SceneOverride& o : runs_[run])
                words.insert(words.end(), {"--set", o.key + "=" + o.value});
            if (plan_.frames)
                words.insert(words.end(), {"--frames", std::to_string(*plan_.frames)});
        }
        words.insert(words.end(), {"-q", "--threads", std::to_string(threads)});
        children_[spawn(std::move(words))] = run;
    }

    /// Runs of a wedge that was killed a moment ago may still be writing their last checkpoint.
    static void wait_until_free(const fs::path& folder)
    {
        constexpr int most_tries = 600;
        std::error_code code;
        for (int i = 0; i < most_tries && fs::exists(folder, code); ++i) try {
                const FolderLock lock(folder);
                return;
            } catch (const InputError&) {
                std::this_thread::sleep_for(std::chrono::milliseconds(50));
            }
    }

    static pid_t spawn(std::vector<std::string> words)
    {
        std::vector<char*> argv;
        for (std::string& word : words) argv.push_back(word.data());
        argv.push_back(nullptr);
        const pid_t parent = ::getpid();
        const pid_t child = ::fork();
        if (child < 0) throw FileError("fork", std::generic_category().message(errno));
        if (child > 0) return child;
        // Where this program is killed, its runs stop as well, and can be resumed.
        ::prctl(PR_SET_PDEATHSIG, SIGTERM);
        if (::getppid() != parent) ::_exit(1);
        ::execv("/proc/self/exe", argv.data());
        ::_exit(127);
    }

    void wait_for_one()
    {
        int status = 0;
        const pid_t child = ::waitpid(-1, &status, WNOHANG);
        if (child <= 0) {
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
            return;
        }
        const auto found = children_.find(child);
        if (found == children_.end()) return;
        const std::size_t run = found->second;
        children_.erase(found);
        exit_codes_[run] = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
        write_table();
        if (o_.quiet) return;
        std::string values;
        for (const SceneOverride& o : runs_[run]) values += " " + o.key + "=" + o.value;
        const RunState s = state(run);
        fmt::print(stderr, "{:04}{}: {}, {} frames, {:.1f} s\n", run, values, s.state, s.frames,
                   s.seconds);
    }

    int stop()
    {
        for (const auto& [child, run] : children_) ::kill(child, SIGTERM);
        while (!children_.empty()) wait_for_one();
        write_table();
        if (!o_.quiet) fmt::print(stderr, "stopped; the same command continues\n");
        return 128 + wedge_signal;
    }

    void write_table() const
    {
        std::string text = "run";
        for (const WedgeAxis& axis : plan_.axes) text += "," + csv(axis.key);
        text += ",state,frames,frames_with_intersections,max_stretch,frame_excess,seconds,hash,"
                "trouble\n";
        for (std::size_t i = 0; i < runs_.size(); ++i) {
            const RunState s = state(i);
            text += fmt::format("{:04}", i);
            for (const SceneOverride& o : runs_[i]) text += "," + csv(o.value);
            text += fmt::format(",{},{},{},{},{},{:.3f},{},{}\n", s.state, s.frames,
                                s.frames_with_intersections, shortest(s.max_stretch),
                                shortest(s.frame_excess), s.seconds, s.hash, csv(s.trouble));
        }
        write_text(o_.folder / "wedge.csv", text);
    }

    /// The runs side by side, as `pleat stats` shows them.
    void write_page() const
    {
        std::vector<RunStats> runs;
        for (std::size_t i = 0; i < runs_.size(); ++i) {
            if (state(i).frames == 0) continue;
            RunStats run;
            run.name = fmt::format("{:04}", i);
            for (const SceneOverride& o : runs_[i]) run.name += " " + o.value;
            run.state = state(i).state;
            run.table = read_stats(folder_of(i) / "stats.csv");
            runs.push_back(std::move(run));
        }
        if (!runs.empty()) write_text(o_.folder / "wedge.html", stats_page(runs));
    }

    [[nodiscard]] int report() const
    {
        int worst = exit_good;
        std::size_t finished = 0, bad = 0;
        for (std::size_t i = 0; i < runs_.size(); ++i) {
            const RunState s = state(i);
            if (s.state == "finished") ++finished;
            if (s.frames_with_intersections > 0) ++bad;
            const int code = s.state == "gave up"              ? exit_gave_up
                             : s.state != "finished"           ? exit_bad_input
                             : s.frames_with_intersections > 0 ? exit_audit_failed
                                                               : exit_good;
            worst = std::max(worst, code);
        }
        if (!o_.quiet)
            fmt::print(stderr, "{} of {} runs finished, {} with intersections; {}\n", finished,
                       runs_.size(), bad, (o_.folder / "wedge.csv").string());
        return worst;
    }

    const WedgePlan& plan_;
    const WedgeOptions& o_;
    std::vector<SceneOverrides> runs_;
    std::vector<std::optional<int>> exit_codes_; // of runs of this call
    std::vector<std::size_t> waiting_;           // the next is the last
    std::map<pid_t, std::size_t> children_;
};

} // namespace

WedgeAxis listed_values(const std::string& text)
{
    const SceneOverride o = parse_override(text);
    return {o.key, split_values(o.value), std::nullopt};
}

WedgeAxis value_range(const std::string& text)
{
    const SceneOverride o = parse_override(text);
    double first = 0, last = 0;
    int count = 0;
    const char *at = o.value.data(), *end = at + o.value.size();
    const auto take = [&](auto& number, bool is_last) {
        const auto result = std::from_chars(at, end, number);
        const bool ok = result.ec == std::errc() &&
                        (is_last ? result.ptr == end : result.ptr != end && *result.ptr == ':');
        at = ok && !is_last ? result.ptr + 1 : result.ptr;
        return ok;
    };
    if (!take(first, false) || !take(last, false) || !take(count, true) || count < 2 ||
        !std::isfinite(first) || !std::isfinite(last))
        throw InputError(Problem{"--range", o.key, "\"" + o.value + "\"",
                                 "FIRST:LAST:COUNT with a count of 2 or more, such as 0:1:5"});
    WedgeAxis axis{o.key, {}, std::pair{first, last}};
    for (int i = 0; i < count; ++i)
        axis.values.push_back(
            shortest(i + 1 == count ? last : first + (last - first) * i / (count - 1)));
    return axis;
}

std::vector<SceneOverrides> runs_of(const WedgePlan& plan)
{
    double count = plan.draws.value_or(1);
    for (const WedgeAxis& axis : plan.axes)
        if (!plan.draws) count *= double(axis.values.size());
    if (plan.axes.empty() || count > double(most_runs))
        throw InputError(
            Problem{"wedge", "", fmt::format("{:.0f} runs", count),
                    plan.axes.empty() ? "at least one --set or --range" : "at most 1000000"});
    Draws draws(plan.seed);
    std::vector<SceneOverrides> runs;
    for (std::size_t i = 0; i < std::size_t(count); ++i) {
        SceneOverrides overrides;
        std::size_t rest = i;
        for (auto axis = plan.axes.rbegin(); axis != plan.axes.rend(); ++axis) {
            const std::size_t size = axis->values.size();
            overrides.push_back({axis->key, plan.draws ? "" : axis->values[rest % size]});
            rest /= size;
        }
        std::reverse(overrides.begin(), overrides.end());
        for (std::size_t k = 0; plan.draws && k < overrides.size(); ++k) {
            const WedgeAxis& axis = plan.axes[k];
            overrides[k].value =
                axis.range ? shortest(axis.range->first +
                                      draws.number() * (axis.range->second - axis.range->first))
                           : axis.values[draws.below(axis.values.size())];
        }
        runs.push_back(std::move(overrides));
    }
    return runs;
}

int run_wedge(const WedgePlan& plan, const WedgeOptions& options)
{
    return Wedge(plan, options).run();
}

} // namespace pleat::app
