// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "stats_page.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <string_view>

namespace pleat::app {

namespace {

// Told apart also by people who do not see all hues alike, on white and on black.
constexpr std::array<const char*, 8> line_colours{"#2f7fd1", "#d9622b", "#2a9d74", "#b05cc6",
                                                  "#b8860b", "#d14a6a", "#5b6fd6", "#6b8e23"};

struct Stage {
    const char* column;
    const char* label;
};
constexpr std::array<Stage, 7> stages{{{"ms_contact_find", "contact finding"},
                                       {"ms_integrate", "integration"},
                                       {"ms_strain", "strain limiting"},
                                       {"ms_impact", "impacts"},
                                       {"ms_remesh", "remeshing"},
                                       {"ms_separate", "separation"},
                                       {"ms_write", "writing"}}};

std::string escaped(std::string_view text)
{
    std::string out;
    for (const char c : text)
        out += c == '&'   ? std::string("&amp;")
               : c == '<' ? std::string("&lt;")
               : c == '>' ? std::string("&gt;")
               : c == '"' ? std::string("&quot;")
                          : std::string(1, c);
    return out;
}

/// 12,345 or 0.0123: as many digits as one reads.
std::string readable(double value)
{
    if (!std::isfinite(value)) return "–";
    const double magnitude = std::abs(value);
    if (magnitude >= 1000) {
        std::string digits = fmt::format("{:.0f}", value);
        for (std::ptrdiff_t at = std::ptrdiff_t(digits.size()) - 3; at > (value < 0 ? 1 : 0);
             at -= 3)
            digits.insert(std::size_t(at), ",");
        return digits;
    }
    if (magnitude < 1e-9) return "0"; // rounding is nothing to show
    return fmt::format("{:.3g}", value);
}

std::vector<double> finite(const std::vector<double>& values)
{
    std::vector<double> out;
    std::copy_if(values.begin(), values.end(), std::back_inserter(out),
                 [](double v) { return std::isfinite(v); });
    return out;
}

double median(std::vector<double> values)
{
    if (values.empty()) return std::numeric_limits<double>::quiet_NaN();
    const auto middle = values.begin() + std::ptrdiff_t(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

double largest(const std::vector<double>& values)
{
    return values.empty() ? std::numeric_limits<double>::quiet_NaN()
                          : *std::max_element(values.begin(), values.end());
}

double smallest(const std::vector<double>& values)
{
    return values.empty() ? std::numeric_limits<double>::quiet_NaN()
                          : *std::min_element(values.begin(), values.end());
}

double sum(const std::vector<double>& values)
{
    return std::accumulate(values.begin(), values.end(), 0.0);
}

// --- charts
// ---------------------------------------------------------------------------------------

struct Line {
    std::string label;
    std::string colour;
    bool dashed = false;
    std::vector<double> x, y;
};

struct Chart {
    std::string title, unit;
    std::vector<Line> lines;
    bool stacked = false;
};

constexpr double chart_width = 640, plot_height = 170;
constexpr double left = 64, right = 16, bottom = 30;
constexpr double title_height = 28, legend_height = 18; // of the title, of a row of the legend

/// Steps of 1, 2 or 5 times a power of ten that cut the span into about `parts`.
double tick_step(double span, int parts)
{
    const double raw = span / parts;
    const double power = std::pow(10, std::floor(std::log10(raw)));
    for (const double factor : {1.0, 2.0, 5.0})
        if (raw <= factor * power) return factor * power;
    return 10 * power;
}

std::string tick_text(double value, double step)
{
    if (std::abs(value) >= 10000) return readable(value);
    const int digits = std::max(0, int(std::ceil(-std::log10(step) - 1e-9)));
    return digits > 4 ? fmt::format("{:.0e}", value) : fmt::format("{:.{}f}", value, digits);
}

/// The legend, row by row under the title, and how many rows there are.
struct Legend {
    std::string svg;
    int rows = 0;
};

Legend draw_legend(const Chart& chart)
{
    Legend legend;
    double x = left;
    legend.rows = chart.lines.size() > 1 ? 1 : 0; // one line needs none but the title
    if (legend.rows == 0) return legend;
    for (const Line& line : chart.lines) {
        const double width = 32 + 6.6 * double(line.label.size());
        if (x + width > chart_width - right && x > left) {
            x = left;
            ++legend.rows;
        }
        const double y = title_height + legend_height * (legend.rows - 1) + 8;
        legend.svg += fmt::format(
            "<line x1=\"{0:.1f}\" x2=\"{1:.1f}\" y1=\"{2:.1f}\" y2=\"{2:.1f}\" stroke=\"{3}\" "
            "stroke-width=\"{4}\"{5}/><text class=\"soft\" x=\"{6:.1f}\" "
            "y=\"{7:.1f}\">{8}</text>\n",
            x, x + 12, y, line.colour, chart.stacked ? 9 : 2,
            line.dashed ? " stroke-dasharray=\"3 3\"" : "", x + 17, y + 4, escaped(line.label));
        x += width;
    }
    return legend;
}

/// \param height of the drawing, filled in
std::string draw(const Chart& chart, double y0, double& height)
{
    const Legend legend = draw_legend(chart);
    const double top = title_height + legend_height * legend.rows + 8;
    height = top + plot_height + bottom;
    double x_low = 1e300, x_high = -1e300, y_low = 0, y_high = 0;
    for (const Line& line : chart.lines)
        for (std::size_t i = 0; i < line.x.size(); ++i) {
            x_low = std::min(x_low, line.x[i]);
            x_high = std::max(x_high, line.x[i]);
            if (!std::isfinite(line.y[i])) continue;
            y_low = std::min(y_low, line.y[i]);
            y_high = std::max(y_high, line.y[i]);
        }
    if (chart.stacked && !chart.lines.empty())
        for (std::size_t i = 0; i < chart.lines[0].y.size(); ++i) {
            double total = 0;
            for (const Line& line : chart.lines)
                if (i < line.y.size() && std::isfinite(line.y[i])) total += line.y[i];
            y_high = std::max(y_high, total);
        }
    if (x_high < x_low) x_low = 0, x_high = 1;
    if (x_high == x_low) x_high = x_low + 1;
    if (y_high == y_low) y_high = y_low + 1;
    const double y_step = tick_step(y_high - y_low, 4);
    y_high = std::ceil(y_high / y_step - 1e-9) * y_step;
    y_low = std::floor(y_low / y_step + 1e-9) * y_step;
    const double w = chart_width - left - right, h = plot_height;
    const auto px = [&](double x) { return left + w * (x - x_low) / (x_high - x_low); };
    const auto py = [&](double y) { return top + h * (1 - (y - y_low) / (y_high - y_low)); };

    std::string svg =
        fmt::format("<g transform=\"translate(0 {:.0f})\" role=\"img\" "
                    "aria-label=\"{}{}\">\n",
                    y0, escaped(chart.title), chart.unit.empty() ? "" : ", " + escaped(chart.unit));
    svg += fmt::format("<text class=\"title\" x=\"{:.0f}\" y=\"18\">{} <tspan class=\"soft\">{}"
                       "</tspan></text>\n",
                       left, escaped(chart.title), escaped(chart.unit));
    for (double y = y_low; y <= y_high + 0.5 * y_step; y += y_step)
        svg += fmt::format("<line class=\"grid\" x1=\"{0:.1f}\" x2=\"{1:.1f}\" y1=\"{2:.1f}\" "
                           "y2=\"{2:.1f}\"/><text class=\"soft\" x=\"{3:.1f}\" y=\"{4:.1f}\" "
                           "text-anchor=\"end\">{5}</text>\n",
                           left, left + w, py(y), left - 8, py(y) + 4, tick_text(y, y_step));
    const double x_step = tick_step(x_high - x_low, 6);
    for (double x = std::ceil(x_low / x_step) * x_step; x <= x_high + 1e-9; x += x_step)
        svg += fmt::format("<text class=\"soft\" x=\"{:.1f}\" y=\"{:.1f}\" "
                           "text-anchor=\"middle\">{}</text>\n",
                           px(x), top + h + 18, tick_text(x, x_step));

    std::vector<double> below;
    for (const Line& line : chart.lines) {
        if (chart.stacked) {
            below.resize(std::max(below.size(), line.y.size()), 0.0);
            std::string upper, lower;
            for (std::size_t i = 0; i < line.y.size(); ++i) {
                const double value = std::isfinite(line.y[i]) ? line.y[i] : 0.0;
                lower = fmt::format("{:.1f},{:.1f} ", px(line.x[i]), py(below[i])) + lower;
                below[i] += value;
                upper += fmt::format("{:.1f},{:.1f} ", px(line.x[i]), py(below[i]));
            }
            svg += fmt::format("<polygon points=\"{}{}\" fill=\"{}\" fill-opacity=\"0.85\"/>\n",
                               upper, lower, line.colour);
            continue;
        }
        std::string points;
        const auto flush = [&] {
            if (!points.empty())
                svg += fmt::format("<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" "
                                   "stroke-width=\"1.6\" stroke-linejoin=\"round\"{}/>\n",
                                   points, line.colour,
                                   line.dashed ? " stroke-dasharray=\"4 3\"" : "");
            points.clear();
        };
        for (std::size_t i = 0; i < line.y.size(); ++i) {
            if (std::isfinite(line.y[i]))
                points += fmt::format("{:.1f},{:.1f} ", px(line.x[i]), py(line.y[i]));
            else
                flush(); // nothing to show here
        }
        flush();
    }
    return svg + legend.svg + "</g>\n";
}

std::vector<double> scaled_values(const StatsTable& table, const char* column, double factor)
{
    std::vector<double> values = table.values(column);
    for (double& v : values) v *= factor;
    return values;
}

std::vector<Chart> charts_of(const std::vector<RunStats>& runs)
{
    const bool several = runs.size() > 1;
    std::vector<Chart> charts;
    const auto add = [&](const char* title, const char* unit,
                         std::initializer_list<std::pair<const char*, const char*>> columns,
                         double factor) {
        Chart chart{title, unit, {}, false};
        for (std::size_t r = 0; r < runs.size(); ++r) {
            std::size_t c = 0;
            for (const auto& [column, label] : columns) {
                Line line;
                line.y = scaled_values(runs[r].table, column, factor);
                line.x = runs[r].table.values("frame");
                line.label = !several             ? label
                             : columns.size() > 1 ? runs[r].name + " " + label
                                                  : runs[r].name;
                line.colour = line_colours[(several ? r : c) % line_colours.size()];
                line.dashed = several && c > 0;
                ++c;
                if (!line.y.empty()) chart.lines.push_back(std::move(line));
            }
        }
        charts.push_back(std::move(chart));
    };
    add("Faces", "", {{"faces", "faces"}}, 1);
    if (several) {
        add("Time per frame", "ms", {{"ms_total", "total"}}, 1);
    } else {
        Chart chart{"Time by stage", "ms per frame", {}, true};
        for (std::size_t s = 0; s < stages.size(); ++s) {
            Line line{stages[s].label, line_colours[s], false, runs[0].table.values("frame"),
                      runs[0].table.values(stages[s].column)};
            if (sum(finite(line.y)) > 0) chart.lines.push_back(std::move(line));
        }
        charts.push_back(std::move(chart));
    }
    add("Principal strain", "%", {{"max_stretch", "stretch"}, {"max_compression", "compression"}},
        100);
    add("Smallest gap", "mm", {{"min_gap", "gap"}}, 1000);
    add("Energy", "J", {{"kinetic", "kinetic"}, {"elastic", "elastic"}}, 1);
    return charts;
}

constexpr const char* chart_style =
    R"(text{font:12px system-ui,-apple-system,"Segoe UI",Roboto,sans-serif;fill:var(--ink,#1d2126)}
.title{font-size:14px;font-weight:600}.soft{fill:var(--soft,#5c6570);font-size:12px;font-weight:400}
.grid{stroke:var(--line,#dfe3e7)})";

std::string picture(const std::vector<RunStats>& runs, bool alone)
{
    const std::vector<Chart> charts = charts_of(runs);
    std::string body;
    double height = 0;
    for (std::size_t i = 0; i < charts.size(); ++i) {
        double own = 0;
        body += draw(charts[i], height, own);
        height += own + 14;
    }
    std::string head =
        fmt::format("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:.0f} {1:.0f}\" "
                    "width=\"{0:.0f}\" height=\"{1:.0f}\"><style>{2}</style>\n",
                    chart_width, height, chart_style);
    if (alone)
        head += fmt::format("<rect width=\"{:.0f}\" height=\"{:.0f}\" fill=\"white\"/>\n",
                            chart_width, height);
    return head + body + "</svg>\n";
}

} // namespace

std::vector<SummaryRow> summary_of(const std::vector<RunStats>& runs)
{
    std::vector<SummaryRow> rows;
    const auto add = [&](const char* label, const char* unit, auto&& value) {
        SummaryRow row{label, unit, {}};
        for (const RunStats& run : runs) row.values.push_back(value(run));
        rows.push_back(std::move(row));
    };
    const auto column = [](const RunStats& run, const char* name) {
        return finite(run.table.values(name));
    };
    add("state", "", [](const RunStats& r) { return r.state.empty() ? "–" : r.state; });
    add("frames", "", [](const RunStats& r) { return readable(double(r.table.rows.size())); });
    add("faces, maximum", "",
        [&](const RunStats& r) { return readable(largest(column(r, "faces"))); });
    add("faces, last", "", [&](const RunStats& r) {
        const auto faces = column(r, "faces");
        return faces.empty() ? std::string("–") : readable(faces.back());
    });
    add("time per frame, median", "ms",
        [&](const RunStats& r) { return readable(median(column(r, "ms_total"))); });
    add("total time", "s",
        [&](const RunStats& r) { return readable(sum(column(r, "ms_total")) / 1000); });
    for (const Stage& stage : stages) {
        bool used = false;
        for (const RunStats& r : runs) used = used || sum(column(r, stage.column)) > 0;
        if (!used) continue;
        add(stage.label, "%", [&](const RunStats& r) {
            const double all = sum(column(r, "ms_total"));
            return all > 0 ? fmt::format("{:.1f}", 100 * sum(column(r, stage.column)) / all)
                           : std::string("–");
        });
    }
    add("frames with intersections", "", [&](const RunStats& r) {
        const auto all = column(r, "intersections");
        return all.empty() ? std::string("–")
                           : readable(double(std::count_if(all.begin(), all.end(),
                                                           [](double n) { return n > 0; })));
    });
    add("smallest gap", "mm",
        [&](const RunStats& r) { return readable(1000 * smallest(column(r, "min_gap"))); });
    add("maximum stretch", "%",
        [&](const RunStats& r) { return readable(100 * largest(column(r, "max_stretch"))); });
    add("maximum compression", "%",
        [&](const RunStats& r) { return readable(100 * largest(column(r, "max_compression"))); });
    add("retried steps", "",
        [&](const RunStats& r) { return readable(sum(column(r, "rejected"))); });
    add("peak memory", "MB", [](const RunStats& r) {
        return r.peak_memory_mb > 0 ? readable(r.peak_memory_mb) : std::string("–");
    });
    return rows;
}

std::string stats_picture(const std::vector<RunStats>& runs)
{
    return picture(runs, true);
}

std::string stats_page(const std::vector<RunStats>& runs)
{
    std::string title = "Pleat:";
    for (const RunStats& run : runs) title += " " + run.name;
    std::string page = fmt::format(
        R"(<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{}</title>
<style>
:root{{color-scheme:light dark;--paper:#fbfbfa;--ink:#1d2126;--soft:#5c6570;--line:#dfe3e7;--head:#f1f3f4}}
@media (prefers-color-scheme:dark){{:root{{--paper:#14171a;--ink:#e8eaed;--soft:#a3adb8;--line:#2b3138;--head:#1c2126}}}}
body{{margin:0;background:var(--paper);color:var(--ink);font:15px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif}}
main{{max-width:1080px;margin:0 auto;padding:40px 24px 64px}}
h1{{font-size:26px;font-weight:650;letter-spacing:-.01em;margin:0 0 4px}}
p{{margin:0 0 28px;color:var(--soft)}}
.scroll{{overflow-x:auto;margin-bottom:40px}}
table{{border-collapse:collapse;font-variant-numeric:tabular-nums;min-width:360px}}
th,td{{padding:6px 20px 6px 0;border-bottom:1px solid var(--line);text-align:right;white-space:nowrap}}
th:first-child,td:first-child{{text-align:left;font-weight:400}}
thead th{{font-weight:600;border-bottom-width:2px}}
td:nth-child(2){{color:var(--soft);text-align:left}}
svg{{width:100%;height:auto;max-width:760px;display:block}}
</style></head><body><main>
<h1>{}</h1><p>{} · frames along the axes</p>
)",
        escaped(title), runs.size() == 1 ? escaped(runs[0].name) : "Comparison of runs",
        runs.size() == 1 ? "Statistics of a Pleat run" : "Statistics of Pleat runs");
    page +=
        "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Summary\"><table><thead>"
        "<tr><th scope=\"col\">quantity</th><th scope=\"col\"><span "
        "aria-label=\"unit\"></span></th>";
    for (const RunStats& run : runs) page += "<th scope=\"col\">" + escaped(run.name) + "</th>";
    page += "</tr></thead><tbody>\n";
    for (const SummaryRow& row : summary_of(runs)) {
        page += "<tr><th scope=\"row\">" + escaped(row.label) + "</th><td>" + escaped(row.unit) +
                "</td>";
        for (const std::string& value : row.values) page += "<td>" + escaped(value) + "</td>";
        page += "</tr>\n";
    }
    page += "</tbody></table></div>\n" + picture(runs, false) + "</main></body></html>\n";
    return page;
}

} // namespace pleat::app
