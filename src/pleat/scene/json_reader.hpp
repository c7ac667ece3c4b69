// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Reads JSON with comments, with helpful messages: every problem has its path
// ("cloths[0].material"), what was found and what was expected; unknown keys have the nearest known
// one; all problems are reported at once. Private to this folder.
//
// A reader asks for the keys of one object by name. Keys that were never asked for are unknown;
// done() reports them.
#pragma once

#include "pleat/core/error.hpp"
#include "pleat/core/vec.hpp"

#include <nlohmann/json.hpp>

#include <filesystem>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace pleat {

using Json = nlohmann::json;

/// One file being read.
struct JsonFile {
    std::string name;             // for messages
    std::filesystem::path folder; // paths in it are relative to this one
    int depth = 0;                // how many files lead here, each naming the next
    std::vector<Problem> problems{};

    void problem(std::string place, std::string found, std::string expected)
    {
        problems.push_back({name, std::move(place), std::move(found), std::move(expected)});
    }
    /// \throw InputError with everything found, if anything was.
    void throw_if_bad()
    {
        if (!problems.empty()) throw InputError(std::move(problems));
    }
};

/// Parses text that may hold // and /* */ comments. Duplicate keys, nesting beyond 64 levels, text
/// that is no UTF-8 and trailing text are problems, with line and column; so is each comma after
/// the last item of an object or array.
/// \throw InputError
[[nodiscard]] Json parse_json(std::string_view text, const std::string& file_name);
/// \throw InputError where the file cannot be read or parsed.
[[nodiscard]] Json read_json_file(const std::string& path);

/// A number's allowed range, ends included unless said otherwise.
struct Range {
    double low = -std::numeric_limits<double>::max();
    double high = std::numeric_limits<double>::max();
    bool open_low = false; // low itself is not allowed
};
inline constexpr Range positive{0, std::numeric_limits<double>::max(), true};
inline constexpr Range not_negative{0};

/// "a number above 0"
[[nodiscard]] std::string range_text(Range range);

class JsonReader {
public:
    JsonReader(const Json& json, std::string path, JsonFile& file);

    [[nodiscard]] const std::string& path() const { return path_; }
    [[nodiscard]] std::string path_of(std::string_view key) const;
    [[nodiscard]] JsonFile& file() const { return *file_; }

    /// Whether it is an object at all; the constructor reports where it is not.
    [[nodiscard]] bool is_object() const { return json_ != nullptr; }
    /// Whether a key is there. Does not count as asked.
    [[nodiscard]] bool has(const std::string& key) const;
    /// The value of a key, or null where it is absent. Counts as asked.
    [[nodiscard]] const Json* find(const std::string& key);
    /// The same, and a problem where it is absent.
    [[nodiscard]] const Json* require(const std::string& key, const std::string& expected);

    [[nodiscard]] double number(const std::string& key, double fallback, Range range = {});
    [[nodiscard]] std::optional<double> maybe_number(const std::string& key, Range range = {});
    [[nodiscard]] double required_number(const std::string& key, Range range = {});
    [[nodiscard]] int integer(const std::string& key, int fallback, int low, int high);
    [[nodiscard]] bool boolean(const std::string& key, bool fallback);
    [[nodiscard]] std::string text(const std::string& key, const std::string& fallback);
    [[nodiscard]] std::optional<std::string> maybe_text(const std::string& key);
    [[nodiscard]] std::string required_text(const std::string& key, const std::string& expected);
    /// One of the words.
    [[nodiscard]] std::string word(const std::string& key, const std::string& fallback,
                                   std::span<const std::string> words);
    /// One of the axes ("x", "y", "z"), in lower case; capital letters mean the same.
    [[nodiscard]] std::string axis(const std::string& key, const std::string& fallback,
                                   std::span<const std::string> axes);
    /// `count` numbers; empty where absent or wrong.
    [[nodiscard]] std::vector<double> numbers(const std::string& key, std::size_t count,
                                              Range range = {});
    [[nodiscard]] Vec3 vector(const std::string& key, const Vec3& fallback);
    /// Calls read for each object of an array.
    void each(const std::string& key, const std::function<void(JsonReader&)>& read);
    /// Calls read for the object of a key, if it is there.
    bool object(const std::string& key, const std::function<void(JsonReader&)>& read);

    /// Tells done() that objects of another type have this key.
    void belongs_to(const std::string& key, const std::string& type);

    /// Keys of the object that were not asked for.
    [[nodiscard]] std::vector<std::string> strangers() const;
    /// To be called last: unknown keys are problems.
    /// \param what the object is, for messages about keys of other types
    void done(const std::string& what = "");

private:
    void wrong(const std::string& key, const Json& value, const std::string& expected);
    [[nodiscard]] bool number_of(const Json& value, const std::string& path, Range range,
                                 double& result);

    const Json* json_;
    std::string path_;
    JsonFile* file_;
    std::vector<std::string> known_;
    std::map<std::string, std::vector<std::string>> other_types_; // by key
};

/// A short description of a value: "text \"abc\"", "the number 3", "an array of 2".
[[nodiscard]] std::string shown(const Json& value);
/// In quotes as JSON writes it, shortened where it is long.
[[nodiscard]] std::string in_quotes(const std::string& text);
/// A path as part of a pattern, in which a percent sign starts a number.
[[nodiscard]] std::filesystem::path as_pattern(const std::filesystem::path& path);
/// "a, b or c"
[[nodiscard]] std::string list_words(std::span<const std::string> words);

} // namespace pleat
