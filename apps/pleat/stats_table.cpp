// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "stats_table.hpp"

#include "pleat/core/error.hpp"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <iterator>
#include <limits>

namespace pleat::app {

namespace {

std::vector<std::string_view> cells_of(std::string_view line)
{
    if (line.ends_with('\r')) line.remove_suffix(1);
    std::vector<std::string_view> cells;
    for (;;) {
        const std::size_t comma = line.find(',');
        cells.push_back(line.substr(0, comma));
        if (comma == std::string_view::npos) return cells;
        line.remove_prefix(comma + 1);
    }
}

double number_of(std::string_view cell)
{
    double value = 0;
    const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
    if (error != std::errc() || end != cell.data() + cell.size())
        return std::numeric_limits<double>::quiet_NaN();
    return value;
}

} // namespace

std::optional<std::size_t> StatsTable::column(std::string_view name) const
{
    const auto found = std::find(columns.begin(), columns.end(), name);
    if (found == columns.end()) return std::nullopt;
    return std::size_t(found - columns.begin());
}

std::vector<double> StatsTable::values(std::string_view name) const
{
    std::vector<double> values;
    if (const auto c = column(name))
        for (const auto& row : rows) values.push_back(row[*c]);
    return values;
}

StatsTable parse_stats(std::string_view text, const std::string& name)
{
    StatsTable table;
    while (!text.empty()) {
        const std::size_t end = text.find('\n');
        if (end == std::string_view::npos) break; // a line that is still being written
        const auto cells = cells_of(text.substr(0, end));
        text.remove_prefix(end + 1);
        if (table.columns.empty()) {
            for (const std::string_view cell : cells) table.columns.emplace_back(cell);
            continue;
        }
        if (cells.size() != table.columns.size()) continue;
        std::vector<double> row;
        for (const std::string_view cell : cells) row.push_back(number_of(cell));
        table.rows.push_back(std::move(row));
    }
    if (!table.column("frame"))
        throw InputError(Problem{name, "line 1", "no column \"frame\"",
                                 "the header of a stats.csv that `pleat run` wrote"});
    return table;
}

StatsTable read_stats(const std::filesystem::path& path)
{
    std::ifstream in(path, std::ios::binary);
    if (!in)
        throw InputError(
            Problem{path.string(), "", "a file that cannot be opened", "the stats.csv of a run"});
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    return parse_stats(text, path.string());
}

} // namespace pleat::app
