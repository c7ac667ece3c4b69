// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// docs/scene.schema.json and the tables of the documentation are what the descriptions of the keys
// make of them.
#include "pleat/io/file_bytes.hpp"
#include "pleat/scene/json_reader.hpp"
#include "pleat/scene/part_tables.hpp"
#include "pleat/scene/scene_format.hpp"
#include "problems.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

namespace pleat {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

const fs::path docs = fs::path(PLEAT_SOURCE_DIR) / "docs";

std::string text_of(const fs::path& path)
{
    return std::string(read_file_bytes(path).text());
}

TEST(Schema, in_the_documentation_is_up_to_date)
{
    EXPECT_EQ(text_of(docs / "scene.schema.json"), scene_schema_text())
        << "update it with: build/pleat schema > docs/scene.schema.json";
}

TEST(KeyTables, in_the_documentation_are_up_to_date)
{
    for (const char* name : {"scene.md", "materials.md"}) {
        const std::string page = text_of(docs / name);
        EXPECT_EQ(page, with_key_tables(page, name))
            << "update it with: build/pleat schema --tables docs/scene.md docs/materials.md";
    }
}

TEST(KeyTables, have_every_kind_of_object_of_the_schema)
{
    const Json schema = parse_json(scene_schema_text(), "schema");
    const std::string pages = text_of(docs / "scene.md") + text_of(docs / "materials.md");
    for (const auto& [kind, body] : schema["$defs"].items()) {
        if (!body.contains("properties")) continue;
        if (kind == "handle_motion_key" || kind == "bending_isotropic_sheet") continue; // as others
        EXPECT_THAT(pages, HasSubstr("<!-- keys of " + kind + " -->"));
    }
}

TEST(KeyTables, refuse_an_unknown_kind_and_a_table_without_an_end)
{
    EXPECT_THAT(complaint_of([] {
                    (void)with_key_tables("a\n<!-- keys of nobody -->\n<!-- end of keys -->\n",
                                          "p");
                }),
                HasSubstr("p: line 2: keys of \"nobody\""));
    EXPECT_THAT(complaint_of([] { (void)with_key_tables("<!-- keys of wind -->\n", "p"); }),
                HasSubstr("p: line 1: no end of the table"));
}

TEST(Schema, has_a_description_of_everything_and_takes_no_other_keys)
{
    const Json schema = parse_json(scene_schema_text(), "schema");
    EXPECT_EQ(schema.at("additionalProperties"), false);
    for (const auto& [name, body] : schema["$defs"].items()) {
        EXPECT_TRUE(body.contains("description")) << name;
        if (!body.contains("properties")) continue;
        EXPECT_EQ(body.at("additionalProperties"), false) << name;
        for (const auto& [key, property] : body["properties"].items())
            EXPECT_TRUE(property.contains("description")) << name << "." << key;
    }
}

TEST(Schema, has_bounds_defaults_and_words_of_the_fields)
{
    const Json schema = parse_json(scene_schema_text(), "schema");
    const Json& contact = schema["$defs"]["contact"]["properties"];
    EXPECT_EQ(contact["thickness"]["exclusiveMinimum"], 0);
    EXPECT_EQ(contact["thickness"]["default"], ContactDescription{}.thickness);
    EXPECT_EQ(contact["type"]["enum"], Json(contact_types().names));
    EXPECT_EQ(schema["properties"]["substeps"]["maximum"], 100000);
    EXPECT_EQ(schema["required"], (Json{"pleat", "cloths"}));
    EXPECT_EQ(schema["$defs"]["remeshing"]["properties"]["edge_length"]["default"],
              Json(RemeshingDescription{}.edge_length));
}

} // namespace
} // namespace pleat
