// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Idea. The library parses; this file finds out where in the text a problem is, which the library
// does not say for commas, duplicate keys and values. The depth of nesting is bounded while
// parsing.
#include "pleat/scene/json_reader.hpp"

#include "pleat/core/nearest_word.hpp"
#include "pleat/io/file_bytes.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstddef>
#include <filesystem>
#include <iterator>
#include <set>
#include <sstream>

namespace pleat {

namespace {

constexpr int deepest = 64;
constexpr std::size_t largest_file = 256u << 20; // a scene is text that people write
constexpr std::size_t most_shown = 60;           // bytes of a text or key in a message

/// The first `most` bytes or a few less, so that no character is cut in two.
std::string shortened(std::string text, std::size_t most)
{
    if (text.size() <= most) return text;
    std::size_t end = most;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;
    return text.substr(0, end) + "...";
}

/// "line 3, column 14" of a byte of the text; columns count characters.
std::string place_of(std::string_view text, std::size_t byte)
{
    const auto before = text.substr(0, std::min(byte, text.size()));
    const auto line = 1 + std::count(before.begin(), before.end(), '\n');
    const auto column = std::count_if(before.begin() + std::ptrdiff_t(before.rfind('\n') + 1),
                                      before.end(), [](unsigned char c) {
                                          return (c & 0xc0) != 0x80; // starts a character
                                      });
    return "line " + std::to_string(line) + ", column " + std::to_string(column + 1);
}

/// Reads the text and tells how far it has come, which the parser does not.
class TrackedChar {
public:
    using iterator_category = std::input_iterator_tag;
    using value_type = char;
    using difference_type = std::ptrdiff_t;
    using pointer = const char*;
    using reference = const char&;

    TrackedChar(const char* at, const char** furthest) : at_(at), furthest_(furthest) {}
    reference operator*() const { return *at_; }
    TrackedChar& operator++()
    {
        *furthest_ = ++at_;
        return *this;
    }
    TrackedChar operator++(int)
    {
        TrackedChar before = *this;
        ++*this;
        return before;
    }
    bool operator==(const TrackedChar& other) const { return at_ == other.at_; }

private:
    const char* at_;
    const char** furthest_;
};

std::string drop_library_prefix(std::string message)
{
    // "[json.exception.parse_error.101] parse error at line 1, column 2: syntax error ..."
    if (const auto bracket = message.find("] "); bracket != std::string::npos)
        message.erase(0, bracket + 2);
    if (const auto colon = message.find(": ");
        message.starts_with("parse error at") && colon != std::string::npos)
        message.erase(0, colon + 2);
    try {
        (void)Json(message).dump();
    } catch (const Json::exception&) { // it quotes bytes that are no UTF-8
        std::replace_if(
            message.begin(), message.end(), [](unsigned char c) { return c >= 0x80; }, '?');
    }
    return shortened(message, 300);
}

/// Where commas stand before a closing bracket, outside texts and comments: bytes of the text.
std::vector<std::size_t> trailing_commas(std::string_view text)
{
    std::vector<std::size_t> found;
    std::size_t comma = std::string_view::npos; // the last thing seen, if it was one
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (c == ' ' || c == '\t' || c == '\r' || c == '\n') continue;
        if (c == '/' && i + 1 < text.size() && (text[i + 1] == '/' || text[i + 1] == '*')) {
            const bool is_line = text[i + 1] == '/';
            const std::size_t end = text.find(is_line ? "\n" : "*/", i + 2);
            if (end == std::string_view::npos) break;
            i = is_line ? end : end + 1;
            continue;
        }
        if ((c == '}' || c == ']') && comma != std::string_view::npos) found.push_back(comma);
        comma = c == ',' ? i : std::string_view::npos;
        if (c == '"')
            for (++i; i < text.size() && text[i] != '"'; ++i) i += text[i] == '\\';
    }
    return found;
}

} // namespace

std::string in_quotes(const std::string& text)
{
    return Json(shortened(text, most_shown)).dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string shown(const Json& value)
{
    switch (value.type()) {
    case Json::value_t::null:
        return "null";
    case Json::value_t::boolean:
        return value.get<bool>() ? "true" : "false";
    case Json::value_t::string:
        return "the text " + in_quotes(value.get<std::string>());
    case Json::value_t::array:
        return "an array of " + std::to_string(value.size());
    case Json::value_t::object:
        return "an object";
    default:
        return "the number " + value.dump();
    }
}

std::string list_words(std::span<const std::string> words)
{
    std::string text;
    for (std::size_t i = 0; i < words.size(); ++i) {
        if (i > 0) text += i + 1 == words.size() ? " or " : ", ";
        text += words[i];
    }
    return text;
}

std::string range_text(Range range)
{
    const bool low = range.low > -std::numeric_limits<double>::max();
    const bool high = range.high < std::numeric_limits<double>::max();
    const auto text = [](double v) {
        std::ostringstream s;
        s << v;
        return s.str();
    };
    if (low && high) return "a number from " + text(range.low) + " to " + text(range.high);
    if (low)
        return "a number " + std::string(range.open_low ? "above " : "of at least ") +
               text(range.low);
    if (high) return "a number of at most " + text(range.high);
    return "a finite number";
}

std::filesystem::path as_pattern(const std::filesystem::path& path)
{
    std::string text;
    for (const char c : path.string()) text += c == '%' ? std::string("%%") : std::string(1, c);
    return text;
}

Json parse_json(std::string_view text, const std::string& file_name)
{
    std::vector<std::set<std::string>> keys; // of the objects that are open
    std::vector<Problem> problems;
    const char* furthest = text.data();
    const auto bytes_read = [&] { return static_cast<std::size_t>(furthest - text.data()); };
    const auto watch = [&](int depth, Json::parse_event_t event, Json& value) {
        using Event = Json::parse_event_t;
        if (depth > deepest)
            throw InputError(Problem{file_name, place_of(text, bytes_read() - 1),
                                     "values nested more than 64 deep",
                                     "a scene, which needs far fewer"});
        if (event == Event::object_start) keys.emplace_back();
        if (event == Event::object_end && !keys.empty()) keys.pop_back();
        if (event != Event::key || keys.empty()) return true;
        const auto key = value.get<std::string>();
        if (keys.back().insert(key).second) return true;
        const std::size_t end = bytes_read(), size = key.size() + 2; // with its quotes
        const bool is_plain = end >= size && text.substr(end - size + 1, key.size()) == key;
        problems.push_back({file_name, place_of(text, is_plain ? end - size : end - 1),
                            "the key " + in_quotes(key) + " a second time in one object",
                            "each key once"});
        return true;
    };
    try {
        Json json =
            Json::parse(TrackedChar(text.data(), &furthest),
                        TrackedChar(text.data() + text.size(), &furthest), watch, true, true);
        if (!problems.empty()) throw InputError(std::move(problems));
        return json;
    } catch (const Json::parse_error& error) {
        const std::size_t byte = error.byte > 0 ? error.byte - 1 : 0;
        // The parser fails at a trailing comma before this place; all of them are reported.
        if (const auto commas = trailing_commas(text); !commas.empty() && commas[0] < byte) {
            for (const std::size_t comma : commas)
                problems.push_back({file_name, place_of(text, comma),
                                    "a comma after the last item of an object or array",
                                    "no comma there: remove it"});
            throw InputError(std::move(problems));
        }
        throw InputError(Problem{file_name, place_of(text, byte), drop_library_prefix(error.what()),
                                 "JSON (comments are allowed)"});
    } catch (const Json::exception& error) { // a number beyond a double
        throw InputError(Problem{
            file_name, place_of(text, bytes_read() - std::min<std::size_t>(bytes_read(), 2)),
            drop_library_prefix(error.what()), "JSON that can be read"});
    }
}

Json read_json_file(const std::string& path)
{
    std::error_code code;
    if (const auto size = std::filesystem::file_size(path, code); !code && size > largest_file)
        throw InputError(Problem{path, "", "a file of " + std::to_string(size) + " bytes",
                                 "at most " + std::to_string(largest_file)});
    return parse_json(read_file_bytes(path).text(), path);
}

JsonReader::JsonReader(const Json& json, std::string path, JsonFile& file)
    : json_(&json), path_(std::move(path)), file_(&file)
{
    if (!json.is_object()) {
        file.problem(path_, shown(json), "an object { ... }");
        json_ = nullptr;
    }
}

std::string JsonReader::path_of(std::string_view key) const
{
    return path_.empty() ? std::string(key) : path_ + "." + std::string(key);
}

bool JsonReader::has(const std::string& key) const
{
    return json_ != nullptr && json_->contains(key);
}

const Json* JsonReader::find(const std::string& key)
{
    known_.push_back(key);
    if (json_ == nullptr) return nullptr;
    const auto it = json_->find(key);
    return it == json_->end() ? nullptr : &*it;
}

const Json* JsonReader::require(const std::string& key, const std::string& expected)
{
    const Json* value = find(key);
    if (value == nullptr && json_ != nullptr)
        file_->problem(path_of(key), "this key is missing", expected);
    return value;
}

void JsonReader::wrong(const std::string& key, const Json& value, const std::string& expected)
{
    file_->problem(path_of(key), shown(value), expected);
}

bool JsonReader::number_of(const Json& value, const std::string& path, Range range, double& result)
{
    if (value.is_number()) {
        const auto v = value.get<double>();
        if (std::isfinite(v) && v >= range.low && v <= range.high &&
            !(range.open_low && v == range.low)) {
            result = v;
            return true;
        }
    }
    file_->problem(path, shown(value), range_text(range));
    return false;
}

double JsonReader::number(const std::string& key, double fallback, Range range)
{
    return maybe_number(key, range).value_or(fallback);
}

std::optional<double> JsonReader::maybe_number(const std::string& key, Range range)
{
    double result = 0;
    const Json* value = find(key);
    if (value == nullptr || !number_of(*value, path_of(key), range, result)) return std::nullopt;
    return result;
}

double JsonReader::required_number(const std::string& key, Range range)
{
    double result = 0;
    if (const Json* value = require(key, range_text(range)))
        (void)number_of(*value, path_of(key), range, result);
    return result;
}

int JsonReader::integer(const std::string& key, int fallback, int low, int high)
{
    const Json* value = find(key);
    if (value == nullptr) return fallback;
    if (value->is_number()) { // 8.0 and 8e0 are whole numbers too
        const auto v = value->get<double>();
        if (v >= low && v <= high && v == std::floor(v)) return static_cast<int>(v);
    }
    wrong(key, *value,
          "a whole number from " + std::to_string(low) + " to " + std::to_string(high));
    return fallback;
}

bool JsonReader::boolean(const std::string& key, bool fallback)
{
    const Json* value = find(key);
    if (value == nullptr) return fallback;
    if (value->is_boolean()) return value->get<bool>();
    wrong(key, *value, "true or false");
    return fallback;
}

std::optional<std::string> JsonReader::maybe_text(const std::string& key)
{
    const Json* value = find(key);
    if (value == nullptr) return std::nullopt;
    if (value->is_string() && !value->get<std::string>().empty() &&
        value->get<std::string>().find('\0') == std::string::npos)
        return value->get<std::string>();
    wrong(key, *value, "a text that is not empty");
    return std::nullopt;
}

std::string JsonReader::text(const std::string& key, const std::string& fallback)
{
    return maybe_text(key).value_or(fallback);
}

std::string JsonReader::required_text(const std::string& key, const std::string& expected)
{
    if (require(key, expected) == nullptr) return {};
    known_.pop_back();
    return text(key, {});
}

std::string JsonReader::word(const std::string& key, const std::string& fallback,
                             std::span<const std::string> words)
{
    const std::string given = text(key, fallback);
    if (std::find(words.begin(), words.end(), given) != words.end()) return given;
    const std::string near = nearest_word(given, words);
    file_->problem(path_of(key), in_quotes(given),
                   list_words(words) + (near.empty() ? "" : " (did you mean \"" + near + "\"?)"));
    return fallback;
}

std::string JsonReader::axis(const std::string& key, const std::string& fallback,
                             std::span<const std::string> axes)
{
    const Json* value = find(key);
    if (value != nullptr && value->is_string())
        for (const std::string& axis : axes)
            if (value->get_ref<const std::string&>() ==
                std::string(1, char(std::toupper(static_cast<unsigned char>(axis[0])))))
                return axis;
    return word(key, fallback, axes);
}

std::vector<double> JsonReader::numbers(const std::string& key, std::size_t count, Range range)
{
    const Json* value = find(key);
    if (value == nullptr) return {};
    if (!value->is_array() || value->size() != count) {
        wrong(key, *value, "an array of " + std::to_string(count) + " numbers");
        return {};
    }
    std::vector<double> result(count);
    for (std::size_t i = 0; i < count; ++i)
        if (!number_of((*value)[i], path_of(key) + "[" + std::to_string(i) + "]", range, result[i]))
            return {};
    return result;
}

Vec3 JsonReader::vector(const std::string& key, const Vec3& fallback)
{
    const std::vector<double> v = numbers(key, 3);
    return v.empty() ? fallback : Vec3{v[0], v[1], v[2]};
}

void JsonReader::each(const std::string& key, const std::function<void(JsonReader&)>& read)
{
    const Json* value = find(key);
    if (value == nullptr) return;
    if (!value->is_array()) {
        wrong(key, *value, "an array of objects");
        return;
    }
    for (std::size_t i = 0; i < value->size(); ++i) {
        JsonReader item((*value)[i], path_of(key) + "[" + std::to_string(i) + "]", *file_);
        read(item);
        item.done();
    }
}

bool JsonReader::object(const std::string& key, const std::function<void(JsonReader&)>& read)
{
    const Json* value = find(key);
    if (value == nullptr) return false;
    JsonReader item(*value, path_of(key), *file_);
    read(item);
    item.done();
    return true;
}

std::vector<std::string> JsonReader::strangers() const
{
    std::vector<std::string> keys;
    if (json_ == nullptr) return keys;
    for (const auto& [key, value] : json_->items())
        if (std::find(known_.begin(), known_.end(), key) == known_.end()) keys.push_back(key);
    return keys;
}

void JsonReader::belongs_to(const std::string& key, const std::string& type)
{
    other_types_[key].push_back("\"" + type + "\"");
}

void JsonReader::done(const std::string& what)
{
    std::vector<std::string> sorted = known_;
    std::sort(sorted.begin(), sorted.end());
    sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
    for (const std::string& key : strangers()) {
        const std::string shown = shortened(key, most_shown);
        const std::string near = nearest_word(key, known_);
        if (const auto types = other_types_.find(key); types != other_types_.end())
            file_->problem(path_of(shown), "a key of the type " + list_words(types->second),
                           "a key of " + what + ": " + list_words(sorted));
        else
            file_->problem(path_of(shown), "unknown key",
                           near.empty() ? "one of " + list_words(sorted)
                                        : "\"" + near + "\"? Known keys: " + list_words(sorted));
    }
}

} // namespace pleat
