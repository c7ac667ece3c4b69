// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// The messages about bad input, for tests.
#pragma once

#include "pleat/core/error.hpp"

#include <string>
#include <vector>

namespace pleat {

/// The problems that `work` throws; none where it throws nothing.
template <class Work> std::vector<Problem> problems_of(Work work)
{
    try {
        work();
        return {};
    } catch (const InputError& error) {
        return error.problems();
    }
}

/// All of them, one a line.
template <class Work> std::string complaint_of(Work work)
{
    std::string text;
    for (const Problem& p : problems_of(work)) text += to_string(p) + "\n";
    return text;
}

} // namespace pleat
