// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// stats.csv read back, by the names of its columns.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pleat::app {

struct StatsTable {
    std::vector<std::string> columns;
    std::vector<std::vector<double>> rows; // as wide as columns; not-a-number where it is no number

    [[nodiscard]] std::optional<std::size_t> column(std::string_view name) const;
    /// The values of a column, empty where there is none of that name.
    [[nodiscard]] std::vector<double> values(std::string_view name) const;
};

/// Rows that are not whole (a run may be writing) are left out. \throw InputError where the file
/// cannot be read or has no header.
[[nodiscard]] StatsTable read_stats(const std::filesystem::path& path);
[[nodiscard]] StatsTable parse_stats(std::string_view text, const std::string& name);

} // namespace pleat::app
