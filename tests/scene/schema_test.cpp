// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// docs/scene.schema.json against the reader: the same keys in every kind of object, the same words,
// both ways.
#include "pleat/scene/json_reader.hpp"
#include "pleat/scene/material_file.hpp"
#include "pleat/scene/part_tables.hpp"
#include "pleat/scene/scene_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <set>
#include <string>

namespace pleat {
namespace {

namespace fs = std::filesystem;

const fs::path source = PLEAT_SOURCE_DIR;

Json schema()
{
    return read_json_file((source / "docs/scene.schema.json").string());
}

/// The definition of a kind of object; the scene is the schema itself.
const Json& definition(const Json& schema, const std::string& kind)
{
    return kind == "scene" ? schema : schema.at("$defs").at(kind);
}

/// The keys that a definition knows, or those of all the definitions it lets choose from.
std::set<std::string> keys_of(const Json& schema, const Json& definition)
{
    std::set<std::string> keys;
    if (definition.contains("properties"))
        for (const auto& [key, value] : definition["properties"].items()) keys.insert(key);
    else if (definition.contains("oneOf"))
        for (const Json& choice : definition["oneOf"]) {
            const std::string ref = choice.at("$ref").get<std::string>();
            keys.merge(
                keys_of(schema, schema["$defs"].at(ref.substr(std::string("#/$defs/").size()))));
        }
    return keys;
}

std::set<std::string> words_of(const Json& list)
{
    return list.get<std::set<std::string>>();
}

TEST(Schema, has_the_keys_that_the_reader_asks_for_and_no_others)
{
    const Json schema = pleat::schema();
    SceneKeys asked;
    (void)read_scene_file(source / "tests/scene/everything/scene.json", &asked);
    for (const auto& [kind, keys] : asked) {
        ASSERT_TRUE(kind == "scene" || schema["$defs"].contains(kind)) << kind;
        EXPECT_EQ(keys, keys_of(schema, definition(schema, kind))) << kind;
    }
    // The other way round: an object that the schema describes and the reader never asked about.
    for (const auto& [name, body] : schema["$defs"].items()) {
        const bool is_law = name.starts_with("membrane_") || name.starts_with("bending_");
        if (body.contains("properties") && !is_law) {
            EXPECT_TRUE(asked.contains(name)) << name;
        }
        if (body.contains("properties")) {
            EXPECT_EQ(body.at("additionalProperties"), false) << name;
        }
    }
    EXPECT_EQ(schema.at("additionalProperties"), false);
}

TEST(Schema, has_the_keys_of_each_law)
{
    const Json schema = pleat::schema();
    const auto asked_for = [](const std::string& kind, const std::string& type) {
        SceneKeys asked;
        try {
            (void)parse_scene(R"({"pleat": 1, "cloths": [{"mesh": "a.obj", "material":
                {"base": "denim", ")" +
                                  kind + R"(": {"type": ")" + type + R"("}}}]})",
                              "a.json", &asked);
        } catch (const InputError&) { // its numbers are missing, but were asked for
        }
        return asked[kind];
    };
    for (const std::string kind : {"membrane", "bending"}) {
        std::set<std::string> types;
        for (const auto& [name, body] : schema["$defs"].items()) {
            if (!name.starts_with(kind + "_")) continue;
            const std::string type = name.substr(kind.size() + 1);
            types.insert(type);
            EXPECT_EQ(body["properties"]["type"]["const"], type);
            EXPECT_EQ(keys_of(schema, body), asked_for(kind, type)) << name;
        }
        // The reader lists its types where one is unknown.
        try {
            (void)parse_scene(R"({"pleat": 1, "cloths": [{"mesh": "a.obj", "material":
                {"base": "denim", ")" +
                                  kind + R"(": {"type": "?"}}}]})",
                              "a.json");
            FAIL() << "took the type ?";
        } catch (const InputError& error) {
            std::vector<std::string> sorted(types.begin(), types.end());
            std::string list = error.problems().at(0).expected;
            for (const std::string& type : sorted) EXPECT_THAT(list, testing::HasSubstr(type));
            EXPECT_EQ(std::size_t(std::count(list.begin(), list.end(), ',')) + 2, types.size());
        }
    }
}

TEST(Schema, has_the_words_of_every_table)
{
    const Json schema = pleat::schema();
    const auto words = [](std::span<const std::string> list) {
        return std::set<std::string>(list.begin(), list.end());
    };
    const auto listed = [&](const char* kind, const char* key) {
        return words_of(schema["$defs"].at(kind)["properties"].at(key).at("enum"));
    };
    EXPECT_EQ(listed("solver", "integrator"), words(integrator_types()));
    EXPECT_EQ(listed("solver", "linear_solver"), words(linear_solver_types()));
    EXPECT_EQ(listed("contact", "type"), words(contact_types()));
    EXPECT_EQ(listed("strain_limiting", "type"), words(strain_limiter_types()));
    EXPECT_EQ(listed("remeshing", "type"), words(remesher_types()));
    EXPECT_EQ(words_of(schema["$defs"]["fabric_name"]["enum"]), words(fabric_names()));
}

TEST(Schema, has_the_defaults_of_the_reader)
{
    const Json schema = pleat::schema();
    const SceneDescription s;
    const auto standard = [&](const char* kind, const char* key) {
        return definition(schema, kind)["properties"].at(key).at("default");
    };
    EXPECT_EQ(standard("scene", "fps"), s.fps);
    EXPECT_EQ(standard("scene", "substeps"), s.substeps);
    EXPECT_EQ(standard("scene", "frames"), s.frames);
    EXPECT_EQ(standard("solver", "integrator"), s.solver.integrator);
    EXPECT_EQ(standard("solver", "linear_solver"), s.solver.linear_solver);
    EXPECT_EQ(standard("solver", "newton_iterations"), s.solver.newton_iterations);
    EXPECT_EQ(standard("solver", "tolerance"), s.solver.tolerance);
    EXPECT_EQ(standard("contact", "type"), s.contact.type);
    EXPECT_EQ(standard("contact", "thickness"), s.contact.thickness);
    EXPECT_EQ(standard("contact", "friction"), s.contact.friction);
    EXPECT_EQ(standard("contact", "stiffness"), s.contact.stiffness);
    EXPECT_EQ(standard("contact", "on_overlap"), s.contact.on_overlap);
    EXPECT_EQ(standard("contact", "broad_phase"), s.contact.broad_phase);
    EXPECT_EQ(standard("solver", "variant"), s.solver.variant);
    EXPECT_EQ(standard("strain_limiting", "type"), s.strain_limiting.type);
    EXPECT_EQ(standard("strain_limiting", "measure"), s.strain_limiting.measure);
    EXPECT_EQ(standard("strain_limiting", "tolerance"), s.strain_limiting.tolerance);
    EXPECT_EQ(standard("camera", "fov"), CameraDescription{}.fov);
    EXPECT_EQ(standard("settle", "tolerance"), SettleDescription{}.tolerance);
    EXPECT_EQ(standard("settle", "iterations"), SettleDescription{}.iterations);
    const RemeshingDescription remeshing;
    EXPECT_EQ(standard("remeshing", "type"), remeshing.type);
    EXPECT_EQ(standard("remeshing", "edge_length"), Json(remeshing.edge_length));
    EXPECT_EQ(standard("remeshing", "aspect_min"), remeshing.aspect_min);
    EXPECT_EQ(standard("remeshing", "angle"), remeshing.angle);
    EXPECT_EQ(standard("remeshing", "compression"), remeshing.compression);
    EXPECT_EQ(standard("remeshing", "velocity"), remeshing.velocity);
    EXPECT_EQ(standard("remeshing", "crossings"), remeshing.crossings);
    EXPECT_EQ(standard("remeshing", "every"), remeshing.every);
    EXPECT_EQ(standard("plane", "size"), PlaneDescription{}.size);
    EXPECT_EQ(standard("motion_file", "fps"), MotionDescription{}.fps);
    EXPECT_EQ(standard("membrane_measured", "stretch"), MembraneMeasured{}.stretch);
}

TEST(Schema, describes_everything)
{
    const Json schema = pleat::schema();
    for (const auto& [name, body] : schema["$defs"].items())
        EXPECT_TRUE(body.contains("description")) << name;
}

} // namespace
} // namespace pleat
