// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Idea. See keys.hpp: describe() functions are walked by a reader, a writer and the schema. This
// file has these three, and the values (number, vector, word, path, list, typed object) with their
// functions for reading, writing and describing. A value must read back what it writes: the tests
// check the round trip of resolved scenes for every key.
#include "pleat/scene/keys.hpp"

#include "pleat/scene/json_text.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>

namespace pleat {

namespace {

namespace fs = std::filesystem;

/// "a", "b" or "c"
std::string quoted_list(std::vector<std::string> words)
{
    for (std::string& w : words) w = "\"" + w + "\"";
    return list_words(words);
}

/// Lists the names of keys.
class KeyNames final : public Keys {
public:
    std::vector<std::string> names;

private:
    void visit(const Key& key, const Value&) override { names.emplace_back(key.name); }
};

std::vector<std::string> names_of(const std::function<void(Keys&)>& describe)
{
    KeyNames keys;
    describe(keys);
    return keys.names;
}

} // namespace

// --- Keys ---------------------------------------------------------------------------------------

void Keys::key(const Key& key, const Value& value)
{
    if (seen_.insert(key.name).second) visit(key, value);
}

void Keys::options(const std::string& type, OtherTypes others,
                   const std::vector<OptionsOf>& options)
{
    std::map<std::string, std::vector<std::string>> owners;
    for (const OptionsOf& o : options)
        for (const std::string& name : names_of(o.describe)) owners[name].push_back(o.type);
    for (auto& [name, types] : owners) owners_[name] = std::move(types);
    const std::string outer = std::exchange(type_, type);
    for (const bool is_other : {false, true})
        for (const OptionsOf& o : options) {
            if ((o.type != type) != is_other) continue;
            const bool before = std::exchange(refuses_, is_other && others == OtherTypes::refused);
            o.describe(*this);
            refuses_ = before;
        }
    type_ = outer;
}

std::vector<std::string> Keys::owners_of(const std::string& key) const
{
    const auto found = owners_.find(key);
    return found == owners_.end() ? std::vector<std::string>() : found->second;
}

// --- KeyReader ----------------------------------------------------------------------------------

void KeyReader::exactly_one_of(const std::vector<std::string>& keys, const std::string& purpose)
{
    std::size_t given = 0;
    std::string list;
    for (const std::string& key : keys) {
        given += reader_->has(key);
        list += (list.empty() ? "\"" : ", \"") + key + "\"";
    }
    if (given != 1 && reader_->is_object())
        reader_->file().problem(reader_->path(), std::to_string(given) + " of " + list,
                                "exactly one of them, " + purpose);
}

void KeyReader::not_both(const std::string& a, const std::string& b, const std::string& expected)
{
    const auto given = [&](const std::string& key) {
        return reader_->has(key) && *reader_->find(key) != Json::array(); // of no motion keys
    };
    if (given(a) && given(b))
        reader_->file().problem(reader_->path_of(b), "\"" + b + "\" beside \"" + a + "\"",
                                expected);
}

void KeyReader::required_without(const std::string& key, const std::vector<std::string>& keys)
{
    if (!reader_->has(key)) required_.insert(keys.begin(), keys.end());
}

void KeyReader::visit(const Key& key, const Value& value)
{
    const std::string name = key.name;
    if (reader_->find(name) == nullptr) {
        if ((key.standard == std::string(required) || required_.contains(name)) &&
            reader_->is_object())
            reader_->file().problem(reader_->path_of(name), value.missing, value.expected);
        if (value.absent) value.absent();
        return;
    }
    if (!refuses_) {
        value.read(*reader_, name);
        return;
    }
    const auto standard = value.write({});
    value.read(*reader_, name);
    if (value.write({}) != standard)
        reader_->file().problem(reader_->path_of(name),
                                shown(*reader_->find(name)) + " with the type \"" + type_ + "\"",
                                "this key with the type " + quoted_list(owners_of(name)) + " only");
}

// --- KeyWriter ----------------------------------------------------------------------------------

void KeyWriter::visit(const Key& key, const Value& value)
{
    if (writing_->detail == Detail::defaults && key.standard == std::string(required)) return;
    if (auto written = value.write(*writing_)) {
        json[key.name] = std::move(*written);
    }
}

std::string Writing::file(const fs::path& path) const
{
    const fs::path whole = fs::absolute(path); // not tidied up: "a/.." is not "." for a link
    if (folder.empty()) return whole.string();
    const fs::path relative = fs::proximate(whole, folder);
    return relative.empty() ? whole.string() : relative.string();
}

std::string Writing::pattern(const fs::path& pattern) const
{
    const fs::path whole = as_pattern(fs::current_path()) / pattern;
    if (folder.empty()) return whole.string();
    return (as_pattern(fs::proximate(pattern.parent_path(), folder)) / pattern.filename()).string();
}

// --- Schema -------------------------------------------------------------------------------------

std::string plain_text(std::string text)
{
    std::string plain;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (const std::size_t link = text.find("](", i);
            text[i] == '[' && link < text.find(']', i) + 1) {
            const std::size_t end = text.find(')', link);
            plain += plain_text(text.substr(i + 1, link - i - 1));
            i = end;
        } else if (text[i] != '`') {
            plain += text[i];
        }
    }
    return plain;
}

namespace {

class SchemaKeys final : public Keys {
public:
    explicit SchemaKeys(Schema& schema) : schema_(&schema) {}

    void about(const std::string& name, const std::string& meaning) override
    {
        kind = name;
        body["description"] = meaning;
        body["type"] = "object";
        body["additionalProperties"] = false;
    }
    void exactly_one_of(const std::vector<std::string>& keys, const std::string&) override
    {
        for (const std::string& key : keys) {
            body["oneOf"].push_back({{"required", {key}}});
            one_of_[key] = keys.size();
        }
    }
    void not_both(const std::string& a, const std::string& b, const std::string&) override
    {
        body["not"]["anyOf"].push_back({{"required", {a, b}}});
    }
    void required_without(const std::string& key, const std::vector<std::string>& keys) override
    {
        body["anyOf"] = {{{"required", {key}}}, {{"required", keys}}};
    }

    std::string kind;
    OrderedJson body = OrderedJson::object();
    std::string table; // empty where there are no keys

private:
    void visit(const Key& key, const Value& value) override
    {
        if (table.empty()) table = "| key | meaning | unit | default |\n|---|---|---|---|\n";
        OrderedJson property = value.schema(*schema_);
        std::string standard = key.standard;
        const auto usual = value.write({});
        if (standard == required) {
            body["required"].push_back(key.name);
        } else if (one_of_.contains(key.name)) {
            standard = "one of these " + std::to_string(one_of_.at(key.name)) + " is required";
        } else if (standard.empty() && usual && !usual->is_object()) {
            standard = default_text(*usual);
            if (!(usual->is_array() && usual->empty())) property["default"] = *usual;
        }
        std::string meaning = key.meaning;
        if (const auto owners = owners_of(key.name); !owners.empty()) {
            meaning += " (only with ";
            for (std::size_t i = 0; i < owners.size(); ++i)
                meaning += (i == 0                  ? "`"
                            : i + 1 < owners.size() ? ", `"
                                                    : " or `") +
                           owners[i] + "`";
            meaning += ")";
        }
        property["description"] = description(key, meaning);
        meaning += words_text(property) + range_text(property);
        property.erase("meanings");
        const auto cell = [](const std::string& text) {
            return (text.empty() ? "" : " ") + text + " |";
        };
        table += "| `" + std::string(key.name) + "` |" + cell(meaning) + cell(key.unit) +
                 cell(standard) + "\n";
        body["properties"][key.name] = std::move(property);
    }

    static std::string default_text(const OrderedJson& json)
    {
        if (json.is_string()) return "`" + json.get<std::string>() + "`";
        if (json.is_array() && json.empty()) return "none";
        return json.is_array() ? "`" + to_line(json) + "`" : to_line(json);
    }
    static std::string description(const Key& key, const std::string& meaning)
    {
        std::string text = plain_text(meaning);
        text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
        if (*key.unit != '\0') text += " [" + std::string(key.unit) + "]";
        text += '.';
        const std::string standard = key.standard;
        if (!standard.empty() && standard != required)
            text += " Default: " + plain_text(standard) + ".";
        return text;
    }
    static std::string words_text(const OrderedJson& property)
    {
        if (!property.contains("meanings")) return {};
        std::string text;
        for (std::size_t i = 0; i < property["meanings"].size(); ++i) {
            const auto meaning = property["meanings"][i].get<std::string>();
            text += (i == 0 ? ": `" : "; `") + property["enum"][i].get<std::string>() + "`" +
                    (meaning.empty() ? "" : ": " + meaning);
        }
        return text;
    }
    static std::string range_text(const OrderedJson& property)
    {
        const bool is_open = property.contains("exclusiveMinimum");
        const OrderedJson low =
            property.value(is_open ? "exclusiveMinimum" : "minimum", OrderedJson());
        if (property.contains("maximum"))
            return " (" + std::string(is_open ? "above " : "") + to_line(low) +
                   (is_open ? ", at most " : " to ") + to_line(property["maximum"]) + ")";
        return is_open ? " (above " + to_line(low) + ")" : "";
    }

    Schema* schema_;
    std::map<std::string, std::size_t> one_of_;
};

} // namespace

OrderedJson Schema::body(const Describe& describe, std::string* kind)
{
    SchemaKeys keys(*this);
    describe(keys);
    const auto [known, is_new] = tables.try_emplace(keys.kind, keys.table);
    PLEAT_ASSERT(is_new || known->second == keys.table, "a kind of object has one list of keys");
    if (kind != nullptr) *kind = keys.kind;
    return keys.body;
}

OrderedJson Schema::object(const Describe& describe)
{
    std::string kind;
    const OrderedJson made = body(describe, &kind);
    return define(kind, [&] { return made; });
}

OrderedJson Schema::typed_object(const std::string& type, bool is_default, const Describe& describe)
{
    std::string kind;
    OrderedJson made = body(describe, &kind);
    auto required_keys = made.value("required", std::vector<std::string>());
    OrderedJson properties{{"type", {{"const", type}, {"description", "Which type."}}}};
    if (is_default)
        properties["type"]["default"] = type;
    else
        required_keys.insert(required_keys.begin(), "type");
    if (!required_keys.empty()) made["required"] = required_keys;
    properties.update(made.value("properties", OrderedJson::object()));
    made["properties"] = std::move(properties);
    return define(kind, [&] { return made; });
}

OrderedJson Schema::define(const std::string& name, const std::function<OrderedJson()>& body)
{
    if (!definitions.contains(name)) {
        definitions[name] = nullptr; // one that refers to itself ends here
        OrderedJson made = body();
        definitions[name] = std::move(made);
    }
    return {{"$ref", "#/$defs/" + name}};
}

// --- objects ------------------------------------------------------------------------------------

void read_object(JsonReader& reader, const std::function<void(Keys&)>& describe)
{
    KeyReader keys(reader);
    describe(keys);
    reader.done();
}

bool is_alike(const OrderedJson& a, const OrderedJson& b)
{
    constexpr auto replace = OrderedJson::error_handler_t::replace;
    return a.dump(-1, ' ', false, replace) == b.dump(-1, ' ', false, replace);
}

namespace {

/// Takes out of `json` what `plain` has alike.
void remove_alike(OrderedJson& json, const OrderedJson& plain)
{
    for (auto it = plain.begin(); it != plain.end(); ++it) {
        const auto found = json.find(it.key());
        if (found == json.end()) continue;
        if (found->is_object() && it->is_object()) remove_alike(*found, *it);
        if (is_alike(*found, *it) || (found->is_object() && found->empty())) json.erase(found);
    }
}

} // namespace

OrderedJson write_object(const Writing& writing, const std::function<void(Keys&)>& describe,
                         const std::function<void(Keys&)>& describe_default)
{
    KeyWriter keys(writing);
    describe(keys);
    if (writing.detail != Detail::brief) return keys.json;
    const Writing defaults{Detail::defaults, writing.folder};
    KeyWriter plain(defaults);
    describe_default(plain);
    remove_alike(keys.json, plain.json);
    return keys.json;
}

Value object_of(std::function<void(Keys&)> describe, const std::string& text_key)
{
    return {[describe, text_key](JsonReader& r, const std::string& key) {
                if (const Json& json = *r.find(key); json.is_string() && !text_key.empty()) {
                    r.file().problem(r.path_of(key), shown(json),
                                     "\"" + key + "\": {\"" + text_key + "\": " + to_line(json) +
                                         "}");
                    return;
                }
                (void)r.object(key, [&](JsonReader& o) {
                    KeyReader keys(o);
                    describe(keys);
                });
            },
            [describe](const Writing& w) -> std::optional<OrderedJson> {
                KeyWriter keys(w);
                describe(keys);
                return keys.json;
            },
            [describe](Schema& s) { return s.object(describe); }, "an object { ... }"};
}

Value list_of(ListLength length, std::function<void(JsonReader&)> add,
              std::function<OrderedJson(const Writing&)> write,
              std::function<OrderedJson(Schema&)> item_schema)
{
    const std::string expected =
        length.least == 0
            ? "an array of objects"
            : "at least " + std::string(length.least == 1 ? "one" : std::to_string(length.least));
    return {[length, add, expected](JsonReader& r, const std::string& key) {
                r.each(key, add);
                const Json& json = *r.find(key);
                if (json.is_array() && json.size() < length.least)
                    r.file().problem(r.path_of(key), "no " + length.item, expected);
                if (json.is_array() && length.most > 0 && json.size() > length.most)
                    r.file().problem(r.path_of(key),
                                     std::to_string(json.size()) + " " + length.item + "s",
                                     "at most " + std::to_string(length.most));
            },
            write,
            [length, item_schema](Schema& s) {
                OrderedJson json{{"type", "array"}, {"items", item_schema(s)}};
                if (length.least > 0) json["minItems"] = length.least;
                if (length.most > 0) json["maxItems"] = length.most;
                return json;
            },
            expected, length.least > 0 ? "no " + length.item : "this key is missing"};
}

// --- values -------------------------------------------------------------------------------------

namespace {

OrderedJson number_schema(Range range)
{
    OrderedJson json{{"type", "number"}};
    if (range.low > Range{}.low) json[range.open_low ? "exclusiveMinimum" : "minimum"] = range.low;
    if (range.high < Range{}.high) json["maximum"] = range.high;
    return json;
}

OrderedJson text_schema()
{
    return {{"type", "string"}, {"minLength", 1}};
}

} // namespace

OrderedJson array_schema(OrderedJson items, std::size_t count)
{
    return {
        {"type", "array"}, {"items", std::move(items)}, {"minItems", count}, {"maxItems", count}};
}

Value number(double& field, Range range)
{
    return {[&field, range](JsonReader& r, const std::string& key) {
                field = r.number(key, field, range);
            },
            [&field](const Writing&) { return OrderedJson(field); },
            [range](Schema&) { return number_schema(range); }, range_text(range)};
}

Value time(double& field)
{
    Value value = number(field);
    value.write = [&field](const Writing&) {
        return std::isfinite(field) ? std::optional<OrderedJson>(field) : std::nullopt;
    };
    return value;
}

Value integer(int& field, int low, int high)
{
    return {[&field, low, high](JsonReader& r, const std::string& key) {
                field = r.integer(key, field, low, high);
            },
            [&field](const Writing&) { return OrderedJson(field); },
            [low, high](Schema&) -> OrderedJson {
                return {{"type", "integer"}, {"minimum", low}, {"maximum", high}};
            },
            "a whole number"};
}

Value text(std::string& field)
{
    return {[&field](JsonReader& r, const std::string& key) { field = r.text(key, field); },
            [&field](const Writing&) { return OrderedJson(field); },
            [](Schema&) { return text_schema(); }, "a text"};
}

Value word(std::string& field, const Words& words)
{
    return {[&field, words](JsonReader& r, const std::string& key) {
                field = r.word(key, field, words);
            },
            [&field](const Writing&) { return OrderedJson(field); },
            [words](Schema&) -> OrderedJson {
                OrderedJson json{{"type", "string"}, {"enum", words.names}};
                json["meanings"] = words.meanings.empty() ? std::vector<std::string>(words.size())
                                                          : words.meanings;
                return json;
            },
            list_words(words)};
}

Value axis(std::string& field)
{
    static const std::vector<std::string> axes{"x", "y", "z"};
    return {[&field](JsonReader& r, const std::string& key) { field = r.axis(key, field, axes); },
            [&field](const Writing&) { return OrderedJson(field); },
            [](Schema&) -> OrderedJson {
                return {{"type", "string"}, {"enum", {"x", "y", "z", "X", "Y", "Z"}}};
            },
            "x, y or z"};
}

namespace {

bool is_texts(const Json& json)
{
    return json.is_array() &&
           std::all_of(json.begin(), json.end(), [](const Json& item) { return item.is_string(); });
}

} // namespace

Value texts(std::vector<std::string>& field)
{
    const std::string expected = "an array of texts";
    return {[&field, expected](JsonReader& r, const std::string& key) {
                if (const Json& json = *r.find(key); is_texts(json))
                    field = json.get<std::vector<std::string>>();
                else
                    r.file().problem(r.path_of(key), shown(json), expected);
            },
            [&field](const Writing&) { return OrderedJson(field); },
            [](Schema&) -> OrderedJson {
                return {{"type", "array"}, {"items", {{"type", "string"}}}};
            },
            expected};
}

Value two_texts(std::array<std::string, 2>& field, const std::string& expected)
{
    return {[&field, expected](JsonReader& r, const std::string& key) {
                if (const Json& json = *r.find(key); is_texts(json) && json.size() == 2)
                    field = json.get<std::array<std::string, 2>>();
                else
                    r.file().problem(r.path_of(key), shown(json), expected);
            },
            [&field](const Writing&) { return OrderedJson(field); },
            [](Schema&) {
                return array_schema({{"type", "string"}}, 2);
            },
            expected};
}

Value numbers(std::span<double> field, Range range)
{
    return {
        [field, range](JsonReader& r, const std::string& key) {
            const std::vector<double> read = r.numbers(key, field.size(), range);
            std::copy(read.begin(), read.end(), field.begin());
        },
        [field](const Writing&) { return OrderedJson(std::vector(field.begin(), field.end())); },
        [range, count = field.size()](Schema&) {
            return array_schema(number_schema(range), count);
        },
        "an array of " + std::to_string(field.size()) + " numbers"};
}

Value vector(Vec3& field)
{
    Value value = numbers({&field[0], 3});
    value.schema = [](Schema& s) {
        return s.define("vector", [] {
            OrderedJson json{{"description", "Three numbers: x, y, z."}};
            json.update(array_schema({{"type", "number"}}, 3));
            return json;
        });
    };
    return value;
}

Value table(std::vector<std::span<double>> rows, Range range)
{
    const std::size_t columns = rows.front().size();
    const std::string expected =
        std::to_string(rows.size()) + " rows of " + std::to_string(columns) + " numbers";
    return {[rows, range, expected, columns](JsonReader& r, const std::string& key) {
                const Json& json = *r.find(key);
                if (!json.is_array() || json.size() != rows.size()) {
                    r.file().problem(r.path_of(key), shown(json), expected);
                    return;
                }
                for (std::size_t i = 0; i < rows.size(); ++i) {
                    const std::string place = r.path_of(key) + "[" + std::to_string(i) + "]";
                    const auto wrong = [&](const Json& found) {
                        r.file().problem(place, shown(found), expected);
                    };
                    if (!json[i].is_array() || json[i].size() != columns) return wrong(json[i]);
                    for (std::size_t k = 0; k < columns; ++k) {
                        const Json& item = json[i][k];
                        if (!item.is_number() || !(item.get<double>() >= range.low) ||
                            !(item.get<double>() <= range.high))
                            return wrong(item);
                        rows[i][k] = item.get<double>();
                    }
                }
            },
            [rows](const Writing&) {
                OrderedJson json = OrderedJson::array();
                for (const auto& row : rows) json.push_back(std::vector(row.begin(), row.end()));
                return json;
            },
            [range, columns, count = rows.size()](Schema&) {
                return array_schema(array_schema(number_schema(range), columns), count);
            },
            expected};
}

Value path(fs::path& field, const std::string& expected)
{
    return {[&field](JsonReader& r, const std::string& key) {
                if (const std::string text = r.text(key, {}); !text.empty())
                    field = r.file().folder / text;
            },
            [&field](const Writing& w) {
                return field.empty() ? std::nullopt : std::optional<OrderedJson>(w.file(field));
            },
            [](Schema&) { return text_schema(); }, expected};
}

Value remark()
{
    return {[](JsonReader& r, const std::string& key) {
                if (const Json& json = *r.find(key); !json.is_string())
                    r.file().problem(r.path_of(key), shown(json), "a text");
            },
            [](const Writing&) { return std::nullopt; },
            [](Schema&) -> OrderedJson {
                return {{"type", "string"}};
            }};
}

Value version()
{
    const std::string expected = "1, the version of the format";
    return {[expected](JsonReader& r, const std::string& key) {
                if (const Json& json = *r.find(key); !json.is_number() || json.get<double>() != 1)
                    r.file().problem(r.path_of(key), shown(json), expected);
            },
            [](const Writing&) { return OrderedJson(1); },
            [](Schema&) -> OrderedJson {
                return {{"const", 1}};
            },
            expected};
}

Value read_only(Value value)
{
    return written_if(false, std::move(value));
}

Value written_if(bool condition, Value value)
{
    if (!condition) value.write = [](const Writing&) { return std::nullopt; };
    return value;
}

Value checked(Value value, std::function<void(JsonReader&, const std::string&)> check)
{
    value.read = [read = std::move(value.read), check](JsonReader& r, const std::string& key) {
        read(r, key);
        check(r, key);
    };
    return value;
}

// --- types --------------------------------------------------------------------------------------

void read_typed(const Json& json, const std::string& path, JsonFile& file, const TypeTable& table)
{
    const bool is_name = json.is_string() && table.name_alone;
    const Json whole = is_name ? Json{{"type", json}} : json;
    JsonReader r(whole, path, file);
    std::vector<std::string> names;
    for (const TypeTable::Row& row : table.rows) names.push_back(row.name);
    if (!r.is_object()) return;
    if (!r.has("type") && table.default_type.empty()) {
        file.problem(r.path_of("type"), "this key is missing", list_words(names));
        return;
    }
    const std::string type = r.word("type", table.default_type, names);
    if (r.has("type") && whole["type"] != type) return; // the rest depends on it
    for (const TypeTable::Row& row : table.rows) {
        if (row.name == type)
            row.read(r);
        else
            for (const std::string& key : names_of(row.describe_default))
                r.belongs_to(key, row.name);
    }
    r.done("the type \"" + type + "\"");
}

OrderedJson write_typed(const Writing& writing, const TypeTable& table)
{
    for (const TypeTable::Row& row : table.rows)
        if (std::optional<OrderedJson> json = row.write(writing)) {
            if (writing.detail == Detail::brief && table.name_alone && json->empty())
                return row.name;
            OrderedJson whole{{"type", row.name}};
            whole.update(*json);
            return whole;
        }
    PLEAT_ASSERT(false, "the type is in the table");
    return {};
}

OrderedJson schema_of(Schema& schema, const TypeTable& table)
{
    return schema.define(table.kind, [&] {
        OrderedJson json{{"description", table.meaning}};
        if (table.name_alone) {
            OrderedJson names = OrderedJson::array();
            for (const TypeTable::Row& row : table.rows) names.push_back(row.name);
            json["oneOf"].push_back({{"enum", names}});
        }
        for (const TypeTable::Row& row : table.rows)
            json["oneOf"].push_back(schema.typed_object(row.name, row.name == table.default_type,
                                                        row.describe_default));
        return json;
    });
}

} // namespace pleat
