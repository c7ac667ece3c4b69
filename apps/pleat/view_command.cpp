// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "commands.hpp"
#include "run_view.hpp"
#include "view_server.hpp"

#include "pleat/core/error.hpp"

#include <fmt/core.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace pleat::app {

namespace {

namespace fs = std::filesystem;

struct ViewArguments {
    std::string source;
    std::string output;
    std::string host = "127.0.0.1";
    int port = 0;
    bool no_open = false;
    bool force = false;
    std::string page;
    std::string frames;
    int threads = 0;
};

/// Starts a program that is not waited for.
pid_t start(std::vector<std::string> words, bool silent)
{
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    const pid_t process = ::fork();
    if (process != 0) return process;
    sigset_t none;
    sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    if (silent) {
        if (std::freopen("/dev/null", "w", stdout) == nullptr ||
            std::freopen("/dev/null", "w", stderr) == nullptr)
            ::_exit(127);
    } else {
        ::prctl(PR_SET_PDEATHSIG, SIGINT); // ends with the viewer, every written frame whole
    }
    ::execvp(argv[0], argv.data());
    ::_exit(127);
}

void open_browser(const std::string& address)
{
    // Without a desktop there is nothing to open it in; the address has been printed.
    if (std::getenv("DISPLAY") == nullptr && std::getenv("WAYLAND_DISPLAY") == nullptr) return;
    std::signal(SIGCHLD, SIG_DFL);
    (void)start({"xdg-open", address}, true);
}

/// `pleat run` in a process of its own. Returns when its folder is there.
pid_t start_run(const ViewArguments& a, const fs::path& folder)
{
    std::vector<std::string> words{"/proc/self/exe", "run", a.source, "-o", folder.string()};
    if (a.force) words.emplace_back("--force");
    if (a.threads > 0) {
        words.emplace_back("--threads");
        words.push_back(std::to_string(a.threads));
    }
    const pid_t process = start(words, false);
    if (process < 0) throw FileError("pleat run", "cannot start a process");
    return process;
}

int view(const ViewArguments& a)
{
    std::error_code code;
    const bool is_folder = fs::is_directory(a.source, code);
    if (!is_folder && !fs::exists(a.source, code))
        throw InputError(Problem{a.source, "", "no such file or folder",
                                 "the folder of a run, or a scene file"});
    if (!a.page.empty()) {
        if (!is_folder) throw InputError(Problem{"--export", "", "a scene", "the folder of a run"});
        export_page(a.source, a.frames, a.page);
        fmt::print("{}: {:.1f} MB, opens from disk\n", a.page,
                   double(fs::file_size(a.page, code)) / 1e6);
        return exit_good;
    }
    const fs::path folder = is_folder ? fs::path(a.source)
                            : a.output.empty()
                                ? fs::path("out") / fs::absolute(a.source).parent_path().filename()
                                : fs::path(a.output);

    // Signals come to one thread of their own, which ends the server in order.
    sigset_t signals;
    sigemptyset(&signals);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&signals, signal);
    ::pthread_sigmask(SIG_BLOCK, &signals, nullptr);
    std::signal(SIGPIPE, SIG_IGN);

    pid_t run = -1;
    if (!is_folder) {
        run = start_run(a, folder);
        for (;;) { // until it runs, or says what is wrong
            int status = 0;
            if (::waitpid(run, &status, WNOHANG) == run) {
                const int result = WIFEXITED(status) ? WEXITSTATUS(status) : exit_gave_up;
                run = -1;
                if (result == exit_bad_input || !fs::exists(folder / "run.json", code))
                    return result;
                break;
            }
            if (fs::exists(folder / "run.json", code)) break;
            timespec wait{0, 20'000'000};
            if (::sigtimedwait(&signals, nullptr, &wait) > 0) {
                ::kill(run, SIGINT);
                ::waitpid(run, nullptr, 0);
                return 128 + SIGINT;
            }
        }
    }
    RunView run_view(folder, !is_folder);
    ViewServer server(run_view, a.host, a.port);
    const std::string shown = a.host == "0.0.0.0" || a.host == "::"   ? "localhost"
                              : a.host.find(':') != std::string::npos ? "[" + a.host + "]"
                                                                      : a.host;
    const std::string address = fmt::format("http://{}:{}/", shown, server.port());
    fmt::print("{} at {}  (Ctrl-C ends)\n", folder.string(), address);
    if (a.host != "127.0.0.1" && a.host != "::1" && a.host != "localhost")
        fmt::print("anyone who can connect to {} can see this run\n", a.host);
    std::fflush(stdout);
    if (!a.no_open) open_browser(address);

    std::thread waiter([&] {
        int signal = 0;
        sigwait(&signals, &signal);
        server.stop();
    });
    server.serve();
    ::kill(::getpid(), SIGTERM); // in case the server ended by itself
    waiter.join();
    if (run > 0) {
        ::kill(run, SIGINT);
        ::waitpid(run, nullptr, 0);
    }
    return exit_good;
}

} // namespace

Command add_view(CLI::App& program)
{
    auto a = std::make_shared<ViewArguments>();
    CLI::App* verb =
        program.add_subcommand("view", "Show a run in the browser, also during the run");
    verb->add_option("source", a->source, "The folder of a run, or a scene to run and show")
        ->required();
    verb->add_option("--port", a->port, "Port (default: any free port)")
        ->check(CLI::Range(0, 65535));
    verb->add_option("--host", a->host,
                     "Address to listen on (0.0.0.0: other machines can see the run)")
        ->capture_default_str();
    verb->add_flag("--no-open", a->no_open, "Do not open a browser");
    verb->add_option("--export", a->page, "Write one HTML file that opens from disk, and exit");
    verb->add_option("--frames", a->frames, "Frames of the export: FIRST:LAST, FIRST:LAST:STEP");
    verb->add_option("-o,--output", a->output,
                     "For a scene: folder for the results (default: out/<folder of the scene>)");
    verb->add_flag("--force", a->force, "For a scene: replace the results of an earlier run");
    verb->add_option("--threads", a->threads, "For a scene: number of threads")
        ->check(CLI::Range(0, 4096));
    return [a] { return view(*a); };
}

} // namespace pleat::app
