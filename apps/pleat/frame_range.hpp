// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Which frames of a run, as the command line says it.
#pragma once

#include <string>
#include <vector>

namespace pleat::app {

/// "12", "10:20", "10:", ":20", "0:100:5" (both ends included, every fifth), "all"; negative
/// numbers count from the last frame, -1. Only frames that there are.
/// \throw InputError where the text says something else, or names no frame of the run.
[[nodiscard]] std::vector<int> frames_in(const std::string& text, const std::vector<int>& frames);

} // namespace pleat::app
