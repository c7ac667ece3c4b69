// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/scene/json_reader.hpp"
#include "problems.hpp"
#include "temporary_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <filesystem>

namespace pleat {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

std::vector<Problem> parse_problems(const std::string& text)
{
    return problems_of([&] { (void)parse_json(text, "a.json"); });
}

/// The one problem of the text. An empty one where there is none or more.
Problem parse_problem(const std::string& text)
{
    const auto problems = parse_problems(text);
    EXPECT_EQ(problems.size(), 1u) << text;
    return problems.size() == 1 ? problems[0] : Problem{};
}

TEST(ParseJson, takes_comments_of_both_kinds)
{
    const Json json =
        parse_json("// first\n{\"a\": /* one */ 1, // two\n \"b\": [2, 3]}\n// last", "a.json");
    EXPECT_EQ(json["a"], 1);
    EXPECT_EQ(json["b"], Json({2, 3}));
}

TEST(ParseJson, keeps_every_bit_of_a_number)
{
    for (const double value : {0.1, 1.0 / 3, 5e-324, 1.7976931348623157e308, -0.0}) {
        const Json json = parse_json("[" + Json(value).dump() + "]", "a.json");
        EXPECT_EQ(json[0].get<double>(), value);
    }
}

TEST(ParseJson, skips_a_byte_order_mark)
{
    EXPECT_EQ(parse_json("\xef\xbb\xbf{\"a\": 1}", "a.json")["a"], 1);
}

TEST(ParseJson, names_line_and_column_of_a_mistake)
{
    const Problem p = parse_problem("{\n  \"a\": 1,\n  \"b\" 2\n}");
    EXPECT_EQ(p.file, "a.json");
    EXPECT_EQ(p.place, "line 3, column 7");
    EXPECT_THAT(p.found, HasSubstr("unexpected number"));
    EXPECT_THAT(p.found, Not(HasSubstr("json.exception")));
}

TEST(ParseJson, counts_columns_in_characters)
{
    EXPECT_EQ(parse_problem("{\"\xc3\xa9\xc3\xa9\": x}").place, "line 1, column 8");
}

TEST(ParseJson, refuses_an_empty_text_and_text_behind_the_end)
{
    EXPECT_EQ(parse_problem("").place, "line 1, column 1");
    const Problem p = parse_problem("{}\n{}");
    EXPECT_EQ(p.place, "line 2, column 1");
    EXPECT_THAT(p.found, HasSubstr("expected end of input"));
}

TEST(ParseJson, refuses_a_comment_without_end)
{
    EXPECT_THAT(parse_problem("{}\n/* never").place, HasSubstr("line 2"));
}

TEST(ParseJson, names_every_key_that_stands_twice)
{
    const auto problems =
        parse_problems("{\"a\": 1,\n \"b\": {\"a\": 1},\n \"a\": 2, \"\\u0062\": 3}");
    ASSERT_EQ(problems.size(), 2u);
    EXPECT_EQ(problems[0].place, "line 3, column 2");
    EXPECT_THAT(problems[0].found, HasSubstr("\"a\""));
    EXPECT_THAT(problems[1].place, HasSubstr("line 3")); // however it is spelled
    EXPECT_THAT(problems[1].found, HasSubstr("\"b\""));
}

TEST(ParseJson, lets_the_same_key_stand_in_two_objects)
{
    EXPECT_TRUE(parse_problems("[{\"a\": 1}, {\"a\": {\"a\": 2}}]").empty());
}

TEST(ParseJson, nests_64_deep_and_no_deeper)
{
    const auto nested = [](std::size_t depth) {
        return std::string(depth, '[') + std::string(depth, ']');
    };
    EXPECT_TRUE(parse_problems(nested(64)).empty());
    const Problem p = parse_problem("\n" + nested(66));
    EXPECT_THAT(p.found, HasSubstr("64 deep"));
    EXPECT_THAT(p.place, HasSubstr("line 2, column 6"));
    EXPECT_THAT(parse_problem(nested(1000000)).found, HasSubstr("64 deep"));
    std::string objects;
    for (int i = 0; i < 100000; ++i) objects += "{\"a\":";
    EXPECT_THAT(parse_problem(objects).found, HasSubstr("64 deep"));
}

TEST(ParseJson, refuses_text_that_is_no_utf_8_and_does_not_repeat_it)
{
    const Problem p = parse_problem("{\"a\": \"\xff\xfe\"}");
    EXPECT_EQ(p.place, "line 1, column 8");
    EXPECT_THAT(p.found, HasSubstr("UTF-8"));
    EXPECT_THAT(p.found, Not(HasSubstr("\xff")));
}

TEST(ParseJson, refuses_numbers_beyond_a_double_with_their_place)
{
    const Problem p = parse_problem("{\n\"a\": 1e999}");
    EXPECT_THAT(p.place, HasSubstr("line 2"));
    EXPECT_THAT(p.found, HasSubstr("1e999"));
    EXPECT_THAT(parse_problem("[NaN]").place, HasSubstr("line 1"));
    EXPECT_THAT(parse_problem("[-Infinity]").place, HasSubstr("line 1"));
}

TEST(ParseJson, quotes_little_of_a_text_without_end)
{
    const Problem p = parse_problem("{\"" + std::string(1 << 20, 'x'));
    EXPECT_LT(p.found.size(), 400u);
}

TEST(ReadJsonFile, refuses_what_is_no_file_and_names_it)
{
    const TemporaryFolder folder;
    const std::string missing = (folder / "missing.json").string();
    EXPECT_THAT(complaint_of([&] { (void)read_json_file(missing); }),
                testing::AllOf(HasSubstr(missing), HasSubstr("No such file")));
    EXPECT_THAT(complaint_of([&] { (void)read_json_file(folder.path().string()); }),
                testing::AllOf(HasSubstr(folder.path().string()), HasSubstr("directory")));
    EXPECT_THAT(complaint_of([&] { (void)read_json_file("/dev/zero"); }), HasSubstr("device"));
    const std::filesystem::path large = folder / "large.json";
    write_bytes(large, "{}");
    std::error_code code;
    std::filesystem::resize_file(large, std::uintmax_t{1} << 30, code);
    if (!code) {
        EXPECT_THAT(complaint_of([&] { (void)read_json_file(large.string()); }),
                    HasSubstr("1073741824 bytes"));
    }
}

// ---- one object --------------------------------------------------------------------------------

/// Reads `text` as an object and lists the problems.
template <class Read> std::vector<Problem> read_thing(const std::string& text, Read read)
{
    const Json json = parse_json(text, "a.json");
    JsonFile file{"a.json"};
    JsonReader r(json, "things[2]", file);
    read(r);
    r.done();
    return file.problems;
}

TEST(JsonReader, gives_what_is_there_and_defaults_for_the_rest)
{
    const auto problems = read_thing(
        R"({"n": 2.5, "i": 8, "whole": 8.0, "b": true, "t": "x", "v": [1, 2, 3], "w": "two"})",
        [](JsonReader& r) {
            const std::array<std::string, 2> words{"one", "two"};
            EXPECT_EQ(r.number("n", 0), 2.5);
            EXPECT_EQ(r.number("no_n", 7.5), 7.5);
            EXPECT_EQ(r.integer("i", 0, 0, 10), 8);
            EXPECT_EQ(r.integer("whole", 0, 0, 10), 8);
            EXPECT_EQ(r.integer("no_i", 3, 0, 10), 3);
            EXPECT_TRUE(r.boolean("b", false));
            EXPECT_TRUE(r.boolean("no_b", true));
            EXPECT_EQ(r.text("t", ""), "x");
            EXPECT_EQ(r.text("no_t", "y"), "y");
            EXPECT_EQ(r.vector("v", {}), (Vec3{1, 2, 3}));
            EXPECT_EQ(r.vector("no_v", {4, 5, 6}), (Vec3{4, 5, 6}));
            EXPECT_EQ(r.word("w", "one", words), "two");
            EXPECT_EQ(r.word("no_w", "one", words), "one");
            EXPECT_FALSE(r.maybe_number("no_n").has_value());
            EXPECT_FALSE(r.object("no_o", [](JsonReader&) { ADD_FAILURE(); }));
        });
    EXPECT_TRUE(problems.empty());
}

TEST(JsonReader, names_path_and_value_and_what_it_wants)
{
    const auto problems = read_thing(
        R"({"n": "abc", "range": -1, "i": 2.5, "big": 99999999999999999999, "b": 1, "t": 5,
            "v": [1, 2], "v2": [1, null, 3], "w": "tow", "o": 3, "list": {}})",
        [](JsonReader& r) {
            const std::array<std::string, 2> words{"one", "two"};
            (void)r.number("n", 0);
            (void)r.number("range", 0, positive);
            (void)r.integer("i", 0, 0, 10);
            (void)r.integer("big", 0, 0, 10);
            (void)r.boolean("b", false);
            (void)r.text("t", "");
            (void)r.vector("v", {});
            (void)r.vector("v2", {});
            (void)r.word("w", "one", words);
            (void)r.object("o", [](JsonReader&) {});
            r.each("list", [](JsonReader&) { ADD_FAILURE(); });
            (void)r.required_number("missing", not_negative);
        });
    std::vector<std::string> lines;
    for (const Problem& p : problems) lines.push_back(to_string(p));
    EXPECT_THAT(
        lines,
        ElementsAre(
            "a.json: things[2].n: the text \"abc\"; expected a finite number",
            "a.json: things[2].range: the number -1; expected a number above 0",
            "a.json: things[2].i: the number 2.5; expected a whole number from 0 to 10",
            HasSubstr("things[2].big: the number"),
            "a.json: things[2].b: the number 1; expected true or false",
            "a.json: things[2].t: the number 5; expected a text that is not empty",
            "a.json: things[2].v: an array of 2; expected an array of 3 numbers",
            "a.json: things[2].v2[1]: null; expected a finite number",
            "a.json: things[2].w: \"tow\"; expected one or two (did you mean \"two\"?)",
            "a.json: things[2].o: the number 3; expected an object { ... }",
            "a.json: things[2].list: an object; expected an array of objects",
            "a.json: things[2].missing: this key is missing; expected a number of at least 0"));
}

TEST(JsonReader, names_strange_keys_with_the_nearest_known_one)
{
    const auto problems =
        read_thing(R"({"frcition": 1, "zzzzzzzz": 2, "mass": 3})", [](JsonReader& r) {
            (void)r.number("mass", 0);
            (void)r.number("friction", 0);
        });
    ASSERT_EQ(problems.size(), 2u);
    EXPECT_EQ(problems[0].place, "things[2].frcition");
    EXPECT_EQ(problems[0].found, "unknown key");
    EXPECT_EQ(problems[0].expected, "\"friction\"? Known keys: friction or mass");
    EXPECT_EQ(problems[1].place, "things[2].zzzzzzzz");
    EXPECT_EQ(problems[1].expected, "one of friction or mass");
}

TEST(JsonReader, shows_long_and_strange_texts_short_and_escaped)
{
    const auto problems = read_thing(R"({"n": "line\nend\u0000)" + std::string(500, 'x') + "\"}",
                                     [](JsonReader& r) { (void)r.number("n", 0); });
    ASSERT_EQ(problems.size(), 1u);
    EXPECT_THAT(problems[0].found, HasSubstr("\"line\\nend\\u0000xxx"));
    EXPECT_LT(problems[0].found.size(), 100u);
    // Never half a character.
    std::string accents = "x";
    for (int i = 0; i < 100; ++i) accents += "\xc3\xa9";
    EXPECT_NO_THROW((void)Json(shown(Json(accents))).dump());
}

} // namespace
} // namespace pleat
