// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/io/line_problems.hpp"

#include <algorithm>

namespace pleat {

void LineProblems::add(std::uint32_t line, std::string found, std::string expected)
{
    if (full()) return;
    problems_.push_back({line, Problem{file_, "line " + std::to_string(line), std::move(found),
                                       std::move(expected)}});
}

void LineProblems::throw_if_any()
{
    if (problems_.empty()) return;
    std::stable_sort(problems_.begin(), problems_.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    std::vector<Problem> all;
    all.reserve(problems_.size());
    for (auto& entry : problems_) all.push_back(std::move(entry.second));
    throw InputError(std::move(all));
}

} // namespace pleat
