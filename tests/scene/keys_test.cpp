// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Lists of objects of several types, as a new part of the format would have them: a struct, its
// describe() and one row of a table for each type.
#include "pleat/scene/keys.hpp"

#include "pleat/scene/json_text.hpp"
#include "problems.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <variant>
#include <vector>

namespace pleat {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

struct Ball {
    double radius = 1;
    bool operator==(const Ball&) const = default;
};
struct Brick {
    Vec3 size{1, 2, 3};
    int holes = 0;
    bool operator==(const Brick&) const = default;
};
using Shape = std::variant<Ball, Brick>;

void describe(Keys& keys, Ball& ball)
{
    keys.about("shape_ball", "A ball.");
    keys.key({"radius", "radius", "m"}, number(ball.radius, positive));
}

void describe(Keys& keys, Brick& brick)
{
    keys.about("shape_brick", "A brick.");
    keys.key({"size", "lengths of the sides", "m"}, vector(brick.size));
    keys.key({"holes", "number of holes"}, integer(brick.holes, 0, 10));
}

constexpr TypeRow<Shape> shape_rows[] = {
    type_row<Shape, Ball>("ball"),
    type_row<Shape, Brick>("brick"),
};

struct Box {
    std::vector<Shape> shapes;
};

void describe(Keys& keys, Box& box)
{
    keys.about("box", "A box of shapes.");
    keys.key({"shapes", "what is inside"},
             typed_list<Shape>(box.shapes,
                               {.kind = "shape", .meaning = "A shape.", .name_alone = true},
                               shape_rows));
}

std::vector<std::string> read(const std::string& text, Box& box)
{
    const Json json = parse_json(text, "a.json");
    JsonFile file{"a.json"};
    JsonReader r(json, "", file);
    read_object(r, [&](Keys& keys) { describe(keys, box); });
    std::vector<std::string> lines;
    for (const Problem& p : file.problems) lines.push_back(to_string(p));
    return lines;
}

std::string written(Box box, Detail detail)
{
    Box plain;
    return to_line(write_object(
        {detail, {}}, [&](Keys& keys) { describe(keys, box); },
        [&](Keys& keys) { describe(keys, plain); }));
}

TEST(TypedList, reads_names_and_objects)
{
    Box box;
    EXPECT_THAT(read(R"({"shapes": ["brick", {"type": "ball", "radius": 2}]})", box),
                ElementsAre());
    EXPECT_EQ(box.shapes, (std::vector<Shape>{Brick{}, Ball{2}}));
}

TEST(TypedList, is_written_and_read_again)
{
    const Box box{{Brick{}, Ball{2}, Brick{{1, 1, 1}, 3}}};
    EXPECT_EQ(written(box, Detail::brief), R"({"shapes": ["brick", {"type": "ball", "radius": 2}, )"
                                           R"({"type": "brick", "size": [1, 1, 1], "holes": 3}]})");
    for (const Detail detail : {Detail::everything, Detail::brief}) {
        Box again;
        EXPECT_THAT(read(written(box, detail), again), ElementsAre());
        EXPECT_EQ(again.shapes, box.shapes);
    }
}

TEST(TypedList, says_to_which_type_a_key_belongs)
{
    Box box;
    EXPECT_THAT(
        read(R"({"shapes": [{"type": "ball", "holes": 2}, "bal", {"type": "ball", "radus": 1},
                            {"radius": 1}, 7]})",
             box),
        ElementsAre("a.json: shapes[0].holes: a key of the type \"brick\"; expected a key of the "
                    "type \"ball\": radius or type",
                    "a.json: shapes[1].type: \"bal\"; expected ball or brick (did you mean "
                    "\"ball\"?)",
                    "a.json: shapes[2].radus: unknown key; expected \"radius\"? Known keys: radius "
                    "or type",
                    "a.json: shapes[3].type: this key is missing; expected ball or brick",
                    "a.json: shapes[4]: the number 7; expected an object { ... }"));
}

TEST(TypedList, is_in_the_schema_with_the_keys_of_each_type)
{
    Schema schema;
    Box box;
    (void)schema.object([&](Keys& keys) { describe(keys, box); });
    EXPECT_EQ(to_line(schema.definitions["shape_brick"]["required"]), R"(["type"])");
    EXPECT_EQ(to_line(schema.definitions["shape_brick"]["properties"]["holes"]),
              R"({"type": "integer", "minimum": 0, "maximum": 10, "default": 0, )"
              R"("description": "Number of holes."})");
    EXPECT_THAT(schema.tables["shape_ball"], HasSubstr("| `radius` | radius (above 0) | m | 1 |"));
    EXPECT_EQ(plain_text("[a `b`](#c) and `d`"), "a b and d");
}

/// Types that share one struct.
struct Oven {
    std::string type = "gas";
    double flame = 1;
    int plates = 4;
};

void describe(Keys& keys, Oven& oven, Keys::OtherTypes others)
{
    static const Words types{{"gas", "electric"}, {}};
    keys.about("oven", "An oven.");
    keys.key({"type", "type"}, word(oven.type, types));
    keys.options(oven.type, others,
                 {{"gas",
                   [&](Keys& k) {
                       k.key({"flame", "size of the flame"}, number(oven.flame));
                   }},
                  {"electric", [&](Keys& k) {
                       k.key({"plates", "number of plates"}, integer(oven.plates, 1, 8));
                   }}});
}

TEST(Options, of_another_type_are_refused_or_kept)
{
    const auto problem = [](const std::string& text, Keys::OtherTypes others, int plates) {
        const Json json = parse_json(text, "a.json");
        JsonFile file{"a.json"};
        JsonReader r(json, "", file);
        Oven oven;
        read_object(r, [&](Keys& keys) { describe(keys, oven, others); });
        EXPECT_EQ(oven.plates, plates);
        return file.problems.empty() ? "" : to_string(file.problems[0]);
    };
    using enum Keys::OtherTypes;
    EXPECT_EQ(problem(R"({"plates": 5})", allowed, 5), "");
    EXPECT_EQ(problem(R"({"plates": 5, "type": "electric"})", refused, 5), "");
    EXPECT_EQ(problem(R"({"plates": 4})", refused, 4), "") << "the default changes nothing";
    EXPECT_EQ(problem(R"({"plates": 5})", refused, 5),
              "a.json: plates: the number 5 with the type \"gas\"; expected this key with the type "
              "\"electric\" only");
    EXPECT_THAT(problem(R"({"plate": 5})", refused, 4), HasSubstr("expected \"plates\"?"));
}

} // namespace
} // namespace pleat
