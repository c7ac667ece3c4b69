// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Keys of a file format, each declared once. Private to this folder.
//
// A function describe(Keys&, T&) lists the keys of one kind of object: name, meaning, unit, default
// and the field of T that holds the value. Three visitors walk through it:
//
//   KeyReader   fills the fields from JSON; every problem is reported with its place
//   KeyWriter   makes JSON of the fields
//   Schema      makes the JSON schema and the tables of the documentation
//
//     void describe(Keys& keys, SettleDescription& s)
//     {
//         keys.about("settle", "Takes the stretch out of the cloth before frame 0.");
//         keys.key({"tolerance", "on the worst strain"}, number(s.tolerance, {1e-6, 1}));
//         keys.key({"iterations", "maximum number of iterations"},
//                  integer(s.iterations, 1, 1000000));
//     }
//
// So a new key is one line here and one field. The default of a key is the value that its field has
// in an object that was just made.
//
// Objects of several types ({"type": "plate", ...}), each with keys of its own: typed() and
// typed_list() with a table of TypeRow. Objects whose types share one struct: Keys::options().
#pragma once

#include "pleat/scene/json_reader.hpp"

#include <array>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace pleat {

using OrderedJson = nlohmann::ordered_json;

class Keys;
class Schema;

/// The default of a key that has none.
inline constexpr const char* required = "required";

struct Key {
    const char* name;
    const char* meaning;       // a phrase in Markdown, without a full stop
    const char* unit = "";     // as the documentation shows it
    const char* standard = ""; // the default in words; empty: the value that the field has at first
};

/// The words that a key may have, each with its meaning.
struct Words {
    std::vector<std::string> names;
    std::vector<std::string> meanings; // one for each name, or none at all

    operator std::span<const std::string>() const { return names; }
    [[nodiscard]] auto begin() const { return names.begin(); }
    [[nodiscard]] auto end() const { return names.end(); }
    [[nodiscard]] std::size_t size() const { return names.size(); }
};

/// How much is written.
enum class Detail {
    everything,
    brief,    // keys that a reader fills in itself are left out
    defaults, // what a reader fills in; keys without a fixed default are left out
};

struct Writing {
    Detail detail = Detail::everything;
    std::filesystem::path folder; // paths are written relative to it; empty: absolute

    [[nodiscard]] std::string file(const std::filesystem::path& path) const;
    /// A path in which %d stands for a number.
    [[nodiscard]] std::string pattern(const std::filesystem::path& pattern) const;
};

/// How the value of a key is read, written and described. Made for one call of Keys::key(): it
/// refers to the field.
struct Value {
    /// Called where the key is there.
    std::function<void(JsonReader&, const std::string& key)> read;
    std::function<std::optional<OrderedJson>(const Writing&)> write; // nothing: the key is left out
    std::function<OrderedJson(Schema&)> schema;
    std::string expected{};                      // what a message says where the key is missing
    std::string missing = "this key is missing"; // and what it says was found
    /// Called where the key is not there; none: the field stays as it is.
    std::function<void()> absent{};
};

/// What walks through the keys of an object.
class Keys {
public:
    virtual ~Keys() = default;

    /// What the object is: its name in the schema and in markers of the documentation.
    virtual void about(const std::string& /*kind*/, const std::string& /*meaning*/) {}
    /// A name that was there before in the same object is ignored: types may share an option.
    void key(const Key& key, const Value& value);

    // Rules come before the keys that they are about.
    /// \param purpose completes "exactly one of them, "
    virtual void exactly_one_of(const std::vector<std::string>& /*keys*/,
                                const std::string& /*purpose*/)
    {}
    /// \param expected for the message where both are given
    virtual void not_both(const std::string& /*a*/, const std::string& /*b*/,
                          const std::string& /*expected*/)
    {}
    /// `keys` must be given where `key` is not.
    virtual void required_without(const std::string& /*key*/,
                                  const std::vector<std::string>& /*keys*/)
    {}
    /// Called by a reader only, at this point: to check what was read so far, or to set defaults
    /// that depend on it.
    virtual void when_reading(const std::function<void(JsonReader&)>& /*call*/) {}

    /// Keys that belong to some types of the object only.
    struct OptionsOf {
        std::string type;
        std::function<void(Keys&)> describe;
    };
    enum class OtherTypes {
        allowed, // options of other types are read and kept: a type can be changed back
        refused, // a value other than the default is a problem
    };
    /// \param type of the object, one of those in `options`
    void options(const std::string& type, OtherTypes others, const std::vector<OptionsOf>& options);

protected:
    virtual void visit(const Key& key, const Value& value) = 0;
    /// The types to which a key belongs; empty: to all.
    [[nodiscard]] std::vector<std::string> owners_of(const std::string& key) const;

    std::string type_;     // of the object whose options are visited
    bool refuses_ = false; // the keys that are visited belong to other types, which is a problem

private:
    std::set<std::string> seen_;
    std::map<std::string, std::vector<std::string>> owners_;
};

// --- visitors -----------------------------------------------------------------------------------

class KeyReader final : public Keys {
public:
    explicit KeyReader(JsonReader& reader) : reader_(&reader) {}

    void exactly_one_of(const std::vector<std::string>& keys, const std::string& purpose) override;
    void not_both(const std::string& a, const std::string& b, const std::string& expected) override;
    void required_without(const std::string& key, const std::vector<std::string>& keys) override;
    void when_reading(const std::function<void(JsonReader&)>& call) override { call(*reader_); }

private:
    void visit(const Key& key, const Value& value) override;

    JsonReader* reader_;
    std::set<std::string> required_;
};

class KeyWriter final : public Keys {
public:
    explicit KeyWriter(const Writing& writing) : writing_(&writing) {}

    OrderedJson json = OrderedJson::object();

private:
    void visit(const Key& key, const Value& value) override;

    const Writing* writing_;
};

/// All kinds of objects of a format.
class Schema {
public:
    using Describe = std::function<void(Keys&)>;

    /// The object itself; its table is added. \param kind where to put the name of its kind
    OrderedJson body(const Describe& describe, std::string* kind = nullptr);
    /// Adds a definition of the object and its table; a reference to it.
    OrderedJson object(const Describe& describe);
    /// The same for one type of an object: with the key "type".
    OrderedJson typed_object(const std::string& type, bool is_default, const Describe& describe);
    /// Adds a definition where there is none of that name; a reference to it.
    OrderedJson define(const std::string& name, const std::function<OrderedJson()>& body);

    OrderedJson definitions = OrderedJson::object();
    std::map<std::string, std::string> tables; // Markdown, by kind
};

/// Text in Markdown without its marks.
[[nodiscard]] std::string plain_text(std::string markdown);

// --- objects ------------------------------------------------------------------------------------

/// Reads all keys of an object; others are problems.
void read_object(JsonReader& reader, const std::function<void(Keys&)>& describe);
/// \param describe_default of an object that was just made: where the writing is brief, what it
/// has alike is left out
[[nodiscard]] OrderedJson write_object(const Writing& writing,
                                       const std::function<void(Keys&)>& describe,
                                       const std::function<void(Keys&)>& describe_default);
/// Whether both are the same to the bit: 0 and -0 are two numbers.
[[nodiscard]] bool is_alike(const OrderedJson& a, const OrderedJson& b);

// --- values -------------------------------------------------------------------------------------

[[nodiscard]] OrderedJson array_schema(OrderedJson items, std::size_t count);

[[nodiscard]] Value number(double& field, Range range = {});
/// A time [s]; not written where it is infinite.
[[nodiscard]] Value time(double& field);
[[nodiscard]] Value integer(int& field, int low, int high);
[[nodiscard]] Value text(std::string& field);
[[nodiscard]] Value word(std::string& field, const Words& words);
/// "x", "y" or "z"; capital letters mean the same.
[[nodiscard]] Value axis(std::string& field);
[[nodiscard]] Value texts(std::vector<std::string>& field);
[[nodiscard]] Value two_texts(std::array<std::string, 2>& field, const std::string& expected);
/// An array of as many numbers as the field has.
[[nodiscard]] Value numbers(std::span<double> field, Range range = {});
[[nodiscard]] Value vector(Vec3& field);
/// Rows of numbers.
[[nodiscard]] Value table(std::vector<std::span<double>> rows, Range range = {});
/// A path relative to the file that is read. \param expected such as "the path of a .mot file"
[[nodiscard]] Value path(std::filesystem::path& field, const std::string& expected);
/// A text for people, which is not kept.
[[nodiscard]] Value remark();
/// The version of the format: 1.
[[nodiscard]] Value version();

/// The same, but never written: what it changes is written by other keys.
[[nodiscard]] Value read_only(Value value);
/// The same, written only if.
[[nodiscard]] Value written_if(bool condition, Value value);
/// The same with a check of what was read.
[[nodiscard]] Value checked(Value value,
                            std::function<void(JsonReader&, const std::string& key)> check);
/// The same with a default that depends on others; give it in words in Key::standard.
template <class T> Value with_default(T& field, const T& standard, Value value)
{
    value.absent = [&field, standard] { field = standard; };
    value.write = [&field, standard,
                   write = value.write](const Writing& w) -> std::optional<OrderedJson> {
        if (w.detail == Detail::defaults) return std::nullopt;
        auto json = write(w);
        if (w.detail != Detail::brief || !json) return json;
        T kept = std::exchange(field, standard);
        const auto usual = write(w);
        field = std::move(kept);
        if (usual && is_alike(*json, *usual)) return std::nullopt;
        return json;
    };
    return value;
}

/// A value that need not be there. \param value_of makes the Value of a T&
template <class T, class ValueOf>
Value maybe(std::optional<T>& field, ValueOf value_of, const T& fresh = {})
{
    T example = fresh;
    return {[&field, value_of, fresh](JsonReader& r, const std::string& key) {
                T value = fresh;
                value_of(value).read(r, key);
                field = std::move(value);
            },
            [&field, value_of](const Writing& w) {
                return field ? value_of(*field).write(w) : std::nullopt;
            },
            [value_of, fresh](Schema& s) {
                T value = fresh;
                return value_of(value).schema(s);
            },
            value_of(example).expected};
}

[[nodiscard]] Value object_of(std::function<void(Keys&)> describe,
                              const std::string& text_key = "");

/// An object that is always there: where it is not given it has its defaults.
template <class T> Value object(T& field)
{
    return object_of([&field](Keys& keys) { describe(keys, field); });
}
/// An object that need not be there.
/// \param text_key in which key of the object a text belongs that is given in place of the object
template <class T>
Value maybe_object(std::optional<T>& field, const T& fresh = {}, const std::string& text_key = "")
{
    return {[&field, fresh, text_key](JsonReader& r, const std::string& key) {
                T value = fresh;
                object_of([&](Keys& keys) { describe(keys, value); }, text_key).read(r, key);
                field = std::move(value);
            },
            [&field, fresh](const Writing& w) -> std::optional<OrderedJson> {
                if (!field) return std::nullopt;
                T plain = fresh;
                return write_object(
                    w, [&](Keys& keys) { describe(keys, *field); },
                    [&](Keys& keys) { describe(keys, plain); });
            },
            [fresh](Schema& s) {
                T value = fresh;
                return s.object([&](Keys& keys) { describe(keys, value); });
            },
            "an object { ... }"};
}

/// How long a list may be, and what its items are called in messages about that.
struct ListLength {
    std::size_t least = 0, most = 0; // most = 0: any number
    std::string item = "item";
};

[[nodiscard]] Value list_of(ListLength length, std::function<void(JsonReader&)> add,
                            std::function<OrderedJson(const Writing&)> write,
                            std::function<OrderedJson(Schema&)> item_schema);

/// A list of objects. \param describe_item of (Keys&, T&)
template <class T, class Describe>
Value list(std::vector<T>& field, Describe describe_item, ListLength length = {})
{
    return list_of(
        std::move(length),
        [&field, describe_item](JsonReader& r) {
            T item{};
            KeyReader keys(r);
            describe_item(keys, item);
            field.push_back(std::move(item));
        },
        [&field, describe_item](const Writing& w) {
            OrderedJson items = OrderedJson::array();
            for (T& item : field) {
                T plain{};
                items.push_back(write_object(
                    w, [&](Keys& keys) { describe_item(keys, item); },
                    [&](Keys& keys) { describe_item(keys, plain); }));
            }
            return items;
        },
        [describe_item](Schema& s) {
            T item{};
            return s.object([&](Keys& keys) { describe_item(keys, item); });
        });
}
template <class T> Value list(std::vector<T>& field, ListLength length = {})
{
    return list(
        field, [](Keys& keys, T& item) { describe(keys, item); }, std::move(length));
}

// --- types --------------------------------------------------------------------------------------

/// One type of an object that can have several: its name in the file, and the keys that it has.
template <class T> struct TypeRow {
    const char* name;
    T (*make)();
    bool (*is)(const T&);
    void (*describe)(Keys&, T&);
};

/// The row of an alternative of a variant, which has a describe() of its own.
template <class Variant, class Alternative> constexpr TypeRow<Variant> type_row(const char* name)
{
    return {name, [] { return Variant(Alternative{}); },
            [](const Variant& v) { return std::holds_alternative<Alternative>(v); },
            [](Keys& keys, Variant& v) { describe(keys, std::get<Alternative>(v)); }};
}

/// The rows of a table, without their type.
struct TypeTable {
    struct Row {
        std::string name;
        std::function<void(JsonReader&)> read; // makes one and reads its keys
        std::function<std::optional<OrderedJson>(const Writing&)>
            write; // nothing: it is another type
        Schema::Describe describe_default;
    };
    std::string kind;         // in the schema: "membrane" has definitions such as "membrane_plate"
    std::string meaning;      // a sentence
    std::string default_type; // empty: "type" must be given
    bool name_alone = false;  // whether "plate" may stand for {"type": "plate"}
    std::vector<Row> rows{};
};

void read_typed(const Json& json, const std::string& path, JsonFile& file, const TypeTable& table);
[[nodiscard]] OrderedJson write_typed(const Writing& writing, const TypeTable& table);
[[nodiscard]] OrderedJson schema_of(Schema& schema, const TypeTable& table);

template <class T> TypeTable bound(TypeTable table, std::span<const TypeRow<T>> rows, T& field)
{
    for (const TypeRow<T>& row : rows)
        table.rows.push_back({row.name,
                              [&row, &field](JsonReader& r) {
                                  T value = row.make();
                                  KeyReader keys(r);
                                  row.describe(keys, value);
                                  field = std::move(value);
                              },
                              [&row, &field](const Writing& w) -> std::optional<OrderedJson> {
                                  if (!row.is(field)) return std::nullopt;
                                  T plain = row.make();
                                  return write_object(
                                      w, [&](Keys& keys) { row.describe(keys, field); },
                                      [&](Keys& keys) { row.describe(keys, plain); });
                              },
                              [&row](Keys& keys) {
                                  T value = row.make();
                                  row.describe(keys, value);
                              }});
    return table;
}

/// One object of several types.
template <class T> Value typed(T& field, TypeTable table, std::span<const TypeRow<T>> rows)
{
    const TypeTable whole = bound(std::move(table), rows, field);
    return {[whole](JsonReader& r, const std::string& key) {
                read_typed(*r.find(key), r.path_of(key), r.file(), whole);
            },
            [whole](const Writing& w) { return write_typed(w, whole); },
            [whole](Schema& s) { return schema_of(s, whole); },
            "an object { ... } with a \"type\""};
}

/// A list of objects of several types.
template <class T>
Value typed_list(std::vector<T>& field, TypeTable table, std::span<const TypeRow<T>> rows)
{
    return {[&field, table, rows](JsonReader& r, const std::string& key) {
                const Json& list = *r.find(key);
                if (!list.is_array()) {
                    r.file().problem(r.path_of(key), shown(list), "an array");
                    return;
                }
                for (std::size_t i = 0; i < list.size(); ++i) {
                    T item = rows.front().make();
                    read_typed(list[i], r.path_of(key) + "[" + std::to_string(i) + "]", r.file(),
                               bound(table, rows, item));
                    field.push_back(std::move(item));
                }
            },
            [&field, table, rows](const Writing& w) -> std::optional<OrderedJson> {
                OrderedJson list = OrderedJson::array();
                for (T& item : field) list.push_back(write_typed(w, bound(table, rows, item)));
                return list;
            },
            [table, rows](Schema& s) -> OrderedJson {
                T item = rows.front().make();
                return {{"type", "array"}, {"items", schema_of(s, bound(table, rows, item))}};
            },
            "an array"};
}

} // namespace pleat
