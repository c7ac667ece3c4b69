// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// The statistics of one run or several as charts: a page by itself, or one SVG picture.
#pragma once

#include "stats_table.hpp"

#include <string>
#include <vector>

namespace pleat::app {

/// A run as the charts and the table show it.
struct RunStats {
    std::string name;  // short, told from the others
    std::string state; // "finished", ...; empty: not known
    double peak_memory_mb = 0;
    StatsTable table;
};

/// One line of the comparison: what it is, and its text for each run.
struct SummaryRow {
    std::string label, unit;
    std::vector<std::string> values;
};
[[nodiscard]] std::vector<SummaryRow> summary_of(const std::vector<RunStats>& runs);

/// A whole HTML page with the table and the charts; loads nothing.
[[nodiscard]] std::string stats_page(const std::vector<RunStats>& runs);
/// The charts alone.
[[nodiscard]] std::string stats_picture(const std::vector<RunStats>& runs);

} // namespace pleat::app
