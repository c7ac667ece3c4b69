// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/scene/json_text.hpp"

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

namespace pleat {

namespace {

using OrderedJson = nlohmann::ordered_json;

constexpr std::size_t line_length = 100;

/// A text, number or word; whole numbers without a point.
std::string in_one_word(const OrderedJson& json)
{
    if (json.is_number_float()) {
        const double number = json.get<double>();
        if (number == std::trunc(number) && std::abs(number) < 1e15 &&
            !(number == 0 && std::signbit(number)))
            return std::to_string(std::int64_t(number));
    }
    return json.dump(-1, ' ', false, OrderedJson::error_handler_t::replace);
}

/// The text as people write it: as much in a line as fits; the outermost object with a line for
/// each key.
/// \param column where the text starts \param most columns of a line
std::string in_lines(const OrderedJson& json, std::size_t indent, std::size_t column,
                     std::size_t most, bool is_outermost = false)
{
    if (!json.is_structured() || json.empty()) return in_one_word(json);
    const std::string open = json.is_object() ? "{" : "[", close = json.is_object() ? "}" : "]";
    if (json.is_array() && json.size() == 1) // "[{" and "}]" around one object
        return open + in_lines(json[0], indent, column + 1, most) + close;
    std::vector<std::string> members;
    std::size_t width = column + 3; // with brackets and a comma
    bool is_flat = !is_outermost;
    for (auto it = json.begin(); it != json.end(); ++it) {
        const std::string key = json.is_object() ? in_one_word(it.key()) + ": " : "";
        members.push_back(key + in_lines(*it, indent + 2, indent + 2 + key.size(), most));
        width += members.back().size() + 2;
        is_flat = is_flat && members.back().find('\n') == std::string::npos;
    }
    is_flat = is_flat && width - 2 <= most;
    std::string text, line;
    for (const std::string& m : members) {
        const bool goes_on = line.find('\n') == std::string::npos &&
                             m.find('\n') == std::string::npos && !is_outermost &&
                             (is_flat || indent + line.size() + m.size() + 5 <= most);
        if (!line.empty() && !goes_on) {
            text += std::string(indent + 2, ' ') + line + ",\n";
            line.clear();
        }
        line += (line.empty() ? "" : ", ") + m;
    }
    if (is_flat) return open + line + close;
    return open + "\n" + text + std::string(indent + 2, ' ') + line + "\n" +
           std::string(indent, ' ') + close;
}

} // namespace

std::string to_lines(const OrderedJson& json)
{
    return in_lines(json, 0, 0, line_length, true) + "\n";
}

std::string to_line(const OrderedJson& json)
{
    return in_lines(json, 0, 0, std::numeric_limits<std::size_t>::max());
}

} // namespace pleat
