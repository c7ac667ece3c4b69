// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Runs the program as users do: in another process, with its exit code and output.
#pragma once

#include <array>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace pleat {

struct ProgramResult {
    int exit_code = -1; // -1: it did not end by itself
    int signal = 0;     // that ended it
    std::string output; // standard output and errors, as they came

    /// Whether a sanitizer found something; it may end the program with any exit code.
    [[nodiscard]] bool has_sanitizer_report() const
    {
        return output.find("Sanitizer") != std::string::npos ||
               output.find("runtime error:") != std::string::npos;
    }
};

/// Runs a program and waits for it; standard input is empty.
inline ProgramResult run_program(std::vector<std::string> words)
{
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);

    std::array<int, 2> ends{};
    if (::pipe(ends.data()) != 0) throw std::runtime_error("no pipe");
    const pid_t child = ::fork();
    if (child < 0) throw std::runtime_error("no process");
    if (child == 0) {
        ::dup2(::open("/dev/null", O_RDONLY), STDIN_FILENO);
        ::dup2(ends[1], STDOUT_FILENO);
        ::dup2(ends[1], STDERR_FILENO);
        ::close(ends[0]);
        ::close(ends[1]);
        ::execv(argv[0], argv.data());
        ::_exit(127);
    }
    ::close(ends[1]);
    ProgramResult result;
    std::array<char, 65536> buffer{};
    for (ssize_t count = 0; (count = ::read(ends[0], buffer.data(), buffer.size())) > 0;)
        result.output.append(buffer.data(), static_cast<std::size_t>(count));
    ::close(ends[0]);
    int status = 0;
    ::waitpid(child, &status, 0);
    if (WIFEXITED(status)) result.exit_code = WEXITSTATUS(status);
    if (WIFSIGNALED(status)) result.signal = WTERMSIG(status);
    return result;
}

/// Runs build/pleat with these arguments.
inline ProgramResult run_pleat(const std::vector<std::string>& arguments)
{
    std::vector<std::string> words{PLEAT_BINARY};
    words.insert(words.end(), arguments.begin(), arguments.end());
    return run_program(std::move(words));
}

/// Runs a shell command.
inline ProgramResult run_shell(const std::string& command)
{
    return run_program({"/bin/sh", "-c", command});
}

/// Runs build/pleat with its arguments as one would type them.
inline ProgramResult run_pleat_line(const std::string& arguments)
{
    return run_shell(std::string(PLEAT_BINARY) + " " + arguments);
}

} // namespace pleat
