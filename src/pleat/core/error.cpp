// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/core/error.hpp"

#include <cstdio>
#include <cstdlib>
#include <utility>

namespace pleat {

namespace {

std::string join(const std::vector<Problem>& problems)
{
    std::string text;
    for (const Problem& p : problems) {
        if (!text.empty()) text += '\n';
        text += to_string(p);
    }
    return text;
}

} // namespace

std::string to_string(const Problem& problem)
{
    std::string text;
    for (const std::string& part : {problem.file, problem.place, problem.found}) {
        if (part.empty()) continue;
        if (!text.empty()) text += ": ";
        text += part;
    }
    if (!problem.expected.empty()) text += "; expected " + problem.expected;
    return text;
}

InputError::InputError(Problem problem) : InputError(std::vector<Problem>{std::move(problem)}) {}

InputError::InputError(std::vector<Problem> problems)
    : std::runtime_error(join(problems)), problems_(std::move(problems))
{}

FileError::FileError(std::string path, std::string reason)
    : std::runtime_error(path + ": " + reason), path_(std::move(path))
{}

void assertion_failed(const char* condition, const char* file, int line, const char* message)
{
    std::fprintf(stderr, "%s:%d: broken invariant: %s (%s)\n", file, line, message, condition);
    std::abort();
}

} // namespace pleat
