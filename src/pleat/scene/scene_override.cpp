// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/scene/scene_override.hpp"

#include "pleat/scene/override_json.hpp"

#include <algorithm>
#include <optional>

namespace pleat {

namespace {

constexpr const char* source = "--set"; // stands for the file in messages

std::vector<std::string> segments_of(const std::string& key)
{
    std::vector<std::string> segments(1);
    for (const char c : key) {
        if (c == '.' || c == '[')
            segments.emplace_back();
        else if (c != ']')
            segments.back() += c;
    }
    return segments;
}

/// The number that a segment is; nothing where it is a word.
std::optional<std::size_t> number_of(const std::string& segment)
{
    constexpr std::size_t most_digits = 9;
    if (segment.empty() || segment.size() > most_digits ||
        !std::all_of(segment.begin(), segment.end(), [](char c) { return c >= '0' && c <= '9'; }))
        return std::nullopt;
    return std::stoul(segment);
}

Json value_of(const SceneOverride& o)
{
    const Json value = Json::parse(o.value, nullptr, false);
    if (!value.is_discarded()) return value;
    if (o.value.empty() || std::string_view("{[\"").find(o.value.front()) == std::string::npos)
        return o.value;
    return parse_json(o.value, std::string(source) + " " + o.key); // tells what is wrong
}

/// The item of an array by number or name; null, and a problem, where there is none.
Json* item_of(Json& array, const std::string& segment, const std::string& place, JsonFile& file)
{
    if (const auto number = number_of(segment)) {
        if (*number < array.size()) return &array[*number];
        file.problem(place, "an array of " + std::to_string(array.size()),
                     array.empty() ? "an array with items"
                                   : "a number from 0 to " + std::to_string(array.size() - 1));
        return nullptr;
    }
    std::vector<std::string> names;
    for (Json& item : array) {
        if (!item.is_object() || !item.contains("name") || !item["name"].is_string()) continue;
        if (item["name"] == segment) return &item;
        names.push_back(in_quotes(item["name"].get<std::string>()));
    }
    file.problem(place, "no item with the name " + in_quotes(segment),
                 names.empty() ? "the number of an item, from 0" : list_words(names));
    return nullptr;
}

void apply_override(Json& json, const SceneOverride& o, JsonFile& file)
{
    Json* at = &json;
    std::string place;
    const std::vector<std::string> segments = segments_of(o.key);
    for (const std::string& segment : segments) {
        if (segment.empty()) {
            file.problem(o.key, "a key with an empty part", "keys and numbers with dots between");
            return;
        }
        if (at->is_null()) *at = Json::object(); // just made
        if (at->is_array()) {
            at = item_of(*at, segment, place, file);
            if (at == nullptr) return;
        } else if (at->is_object()) {
            at = &(*at)[segment];
        } else {
            const std::string hint = at->is_string() ? "; " + place + "={\"base\": " + at->dump() +
                                                           "} before it makes one of a fabric"
                                                     : "";
            file.problem(place, shown(*at), "an object or an array, to set " + o.key + hint);
            return;
        }
        place += (place.empty() ? "" : ".") + segment;
    }
    try {
        *at = value_of(o);
    } catch (const InputError& error) {
        file.problems.insert(file.problems.end(), error.problems().begin(), error.problems().end());
    }
}

} // namespace

SceneOverride parse_override(const std::string& text)
{
    const std::size_t mark = text.find('=');
    if (mark == std::string::npos || mark == 0)
        throw InputError(
            Problem{source, "", "\"" + text + "\"", "KEY=VALUE, such as cloths.0.material=denim"});
    return {text.substr(0, mark), text.substr(mark + 1)};
}

std::vector<std::string> split_values(const std::string& text)
{
    std::vector<std::string> values(1);
    int depth = 0;
    bool is_quoted = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (is_quoted && c == '\\' && i + 1 < text.size()) {
            values.back() += c;
            values.back() += text[++i];
            continue;
        }
        if (c == '"') is_quoted = !is_quoted;
        if (!is_quoted && (c == '[' || c == '{')) ++depth;
        if (!is_quoted && (c == ']' || c == '}')) --depth;
        if (c == ',' && !is_quoted && depth == 0)
            values.emplace_back();
        else
            values.back() += c;
    }
    return values;
}

void apply_overrides(Json& json, const SceneOverrides& overrides)
{
    JsonFile file{source, {}};
    for (const SceneOverride& o : overrides) apply_override(json, o, file);
    file.throw_if_bad();
}

} // namespace pleat
