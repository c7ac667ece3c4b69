// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// JSON as people write it. Private to this folder.
#pragma once

#include <nlohmann/json.hpp>

#include <string>

namespace pleat {

/// As much in a line as fits into 100 columns; whole numbers without a point; the outermost object
/// with a line for each key. With a line end at the end.
[[nodiscard]] std::string to_lines(const nlohmann::ordered_json& json);

/// In one line.
[[nodiscard]] std::string to_line(const nlohmann::ordered_json& json);

} // namespace pleat
