// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// The problems of one text file, collected so that all are reported at once.
#pragma once

#include "pleat/core/error.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace pleat {

/// Problems with the lines they were met on. Holds at most `most`; the rest would be more of the
/// same and hide the first ones.
class LineProblems {
public:
    static constexpr std::size_t most = 50;

    explicit LineProblems(std::string file) : file_(std::move(file)) {}

    /// \param line 1-based
    void add(std::uint32_t line, std::string found, std::string expected);
    [[nodiscard]] bool empty() const { return problems_.empty(); }
    /// Whether the list is full.
    [[nodiscard]] bool full() const { return problems_.size() >= most; }
    /// \throw InputError with the problems in the order of their lines, if there are any.
    void throw_if_any();

private:
    std::string file_;
    std::vector<std::pair<std::uint32_t, Problem>> problems_;
};

} // namespace pleat
