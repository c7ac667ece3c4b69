// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Runs the program and keeps what it said.
#pragma once

#include <array>
#include <cstdio>
#include <string>
#include <sys/wait.h>

namespace pleat {

struct ProcessResult {
    int exit_code = -1; // -1: ended by a signal
    int signal = 0;
    std::string output; // standard output and standard error together
};

/// Runs a shell command.
[[nodiscard]] inline ProcessResult run_shell(const std::string& command)
{
    ProcessResult r;
    FILE* pipe = popen((command + " 2>&1").c_str(), "r");
    std::array<char, 4096> buffer{};
    while (const std::size_t n = std::fread(buffer.data(), 1, buffer.size(), pipe))
        r.output.append(buffer.data(), n);
    const int status = pclose(pipe);
    if (WIFEXITED(status)) r.exit_code = WEXITSTATUS(status);
    if (WIFSIGNALED(status)) r.signal = WTERMSIG(status);
    return r;
}

/// Runs build/pleat with these arguments.
[[nodiscard]] inline ProcessResult run_pleat(const std::string& arguments)
{
    return run_shell(std::string(PLEAT_BINARY) + " " + arguments);
}

} // namespace pleat
