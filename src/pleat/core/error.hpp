// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Errors of three kinds. Bad input throws InputError, which says file, place, what was found and
// what was expected. Numerical trouble is never thrown: it is a [[nodiscard]] report. A broken
// invariant stops the program through PLEAT_ASSERT.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

namespace pleat {

/// One thing that is wrong with an input.
struct Problem {
    std::string file;     // as the user would recognise it; empty where there is none
    std::string place;    // "line 12", "cloths[0].material", "face 17"
    std::string found;    // what stands there
    std::string expected; // what should stand there, or what to do about it

    bool operator==(const Problem&) const = default;
};

/// "scene.json: cloths[0].materail: unknown key; expected: ... (did you mean \"material\"?)"
[[nodiscard]] std::string to_string(const Problem& problem);

/// Input that cannot be used. Holds every problem found, in the order of the input.
class InputError : public std::runtime_error {
public:
    explicit InputError(Problem problem);
    explicit InputError(std::vector<Problem> problems);
    [[nodiscard]] const std::vector<Problem>& problems() const { return problems_; }

private:
    std::vector<Problem> problems_;
};

/// The operating system refused (disk full, no permission, ...): names the path and the reason.
class FileError : public std::runtime_error {
public:
    FileError(std::string path, std::string reason);
    [[nodiscard]] const std::string& path() const { return path_; }

private:
    std::string path_;
};

[[noreturn]] void assertion_failed(const char* condition, const char* file, int line,
                                   const char* message);

} // namespace pleat

#if defined(PLEAT_ASSERTS)
#define PLEAT_ASSERT(condition, message)                                                           \
    ((condition) ? static_cast<void>(0)                                                            \
                 : ::pleat::assertion_failed(#condition, __FILE__, __LINE__, message))
#else
#define PLEAT_ASSERT(condition, message) static_cast<void>(sizeof((condition) ? 1 : 0))
#endif
