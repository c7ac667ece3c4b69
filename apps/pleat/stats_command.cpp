// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "commands.hpp"
#include "stats_page.hpp"

#include "pleat/core/atomic_file.hpp"
#include "pleat/core/error.hpp"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

namespace pleat::app {

namespace {

namespace fs = std::filesystem;

struct StatsArguments {
    std::vector<std::string> folders;
    std::string output;
};

RunStats read_run(const fs::path& folder)
{
    std::error_code code;
    if (!fs::is_directory(folder, code))
        throw InputError(Problem{folder.string(), "", "no such folder", "the folder of a run"});
    if (!fs::exists(folder / "stats.csv", code))
        throw InputError(Problem{folder.string(), "", "a folder without stats.csv",
                                 "a folder that `pleat run -o` made"});
    RunStats run;
    run.table = read_stats(folder / "stats.csv");
    std::ifstream in(folder / "run.json");
    const auto record = in ? nlohmann::json::parse(in, nullptr, false) : nlohmann::json();
    if (record.is_object()) {
        if (record.contains("state") && record["state"].is_string())
            run.state = record["state"].get<std::string>();
        if (record.contains("peak_memory_mb") && record["peak_memory_mb"].is_number())
            run.peak_memory_mb = record["peak_memory_mb"].get<double>();
    }
    return run;
}

/// The shortest ends of the paths by which no two are alike.
std::vector<std::string> short_names(const std::vector<std::string>& folders)
{
    std::vector<fs::path> rest;
    std::vector<std::string> names;
    for (const std::string& folder : folders) {
        fs::path path = fs::absolute(folder).lexically_normal();
        if (!path.has_filename()) path = path.parent_path();
        names.push_back(path.filename().string());
        rest.push_back(path.parent_path());
    }
    for (bool again = true; again;) {
        again = false;
        std::vector<bool> is_twin(names.size(), false);
        for (std::size_t i = 0; i < names.size(); ++i)
            for (std::size_t j = 0; j < i; ++j)
                if (names[i] == names[j]) is_twin[i] = is_twin[j] = true;
        for (std::size_t i = 0; i < names.size(); ++i)
            if (is_twin[i] && rest[i].has_filename()) {
                names[i] = (rest[i].filename() / names[i]).string();
                rest[i] = rest[i].parent_path();
                again = true;
            }
    }
    return names;
}

/// Characters, where a character of several bytes counts as one.
std::size_t width_of(const std::string& text)
{
    return std::size_t(std::count_if(text.begin(), text.end(),
                                     [](unsigned char c) { return (c & 0xc0u) != 0x80u; }));
}

std::string padded(const std::string& text, std::size_t width, bool to_right)
{
    const std::string space(width > width_of(text) ? width - width_of(text) : 0, ' ');
    return to_right ? space + text : text + space;
}

void print_table(const std::vector<RunStats>& runs)
{
    const std::vector<SummaryRow> rows = summary_of(runs);
    std::size_t label_width = 0;
    for (const SummaryRow& row : rows)
        label_width = std::max(label_width, row.label.size() + row.unit.size() + 3);
    std::string line(label_width, ' ');
    std::vector<std::size_t> widths;
    for (std::size_t r = 0; r < runs.size(); ++r) {
        std::size_t width = width_of(runs[r].name);
        for (const SummaryRow& row : rows) width = std::max(width, width_of(row.values[r]));
        widths.push_back(width);
        line += "  " + padded(runs[r].name, width, true);
    }
    fmt::print("{}\n", line);
    for (const SummaryRow& row : rows) {
        line = padded(row.unit.empty() ? row.label : row.label + " [" + row.unit + "]", label_width,
                      false);
        for (std::size_t r = 0; r < runs.size(); ++r)
            line += "  " + padded(row.values[r], widths[r], true);
        fmt::print("{}\n", line);
    }
}

int show_stats(const StatsArguments& a)
{
    std::vector<RunStats> runs;
    const std::vector<std::string> names = short_names(a.folders);
    for (std::size_t i = 0; i < a.folders.size(); ++i) {
        runs.push_back(read_run(a.folders[i]));
        runs.back().name = names[i];
    }
    print_table(runs);
    if (a.output.empty()) return exit_good;
    const std::string extension = fs::path(a.output).extension().string();
    if (extension != ".html" && extension != ".htm" && extension != ".svg")
        throw InputError(Problem{"--output", "", "\"" + a.output + "\"",
                                 "a file name that ends in .html or .svg"});
    AtomicFile file(a.output);
    file.append(extension == ".svg" ? stats_picture(runs) : stats_page(runs));
    file.commit();
    fmt::print("\n{}\n", a.output);
    return exit_good;
}

} // namespace

Command add_stats(CLI::App& program)
{
    auto a = std::make_shared<StatsArguments>();
    CLI::App* verb = program.add_subcommand("stats", "Print statistics of runs, side by side");
    verb->add_option("folders", a->folders, "The folders of runs")->required();
    verb->add_option("-o,--output", a->output,
                     "Also write charts: a page (.html) or a picture (.svg)");
    return [a] { return show_stats(*a); };
}

} // namespace pleat::app
