// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/scene/scene_format.hpp"

#include "pleat/core/error.hpp"
#include "pleat/scene/json_text.hpp"
#include "pleat/scene/scene_keys.hpp"

#include <sstream>

namespace pleat {

namespace {

/// The schema of the outermost object; definitions and tables are in `schema`.
OrderedJson scene_body(Schema& schema)
{
    SceneDescription scene;
    return schema.body([&](Keys& keys) { describe(keys, scene); });
}

} // namespace

std::string scene_schema_text()
{
    Schema schema;
    const OrderedJson body = scene_body(schema);
    OrderedJson json{{"$schema", "https://json-schema.org/draft/2020-12/schema"},
                     {"title", "Pleat scene"}};
    json.update(body);
    json["$defs"] = schema.definitions;
    return to_lines(json);
}

std::string with_key_tables(const std::string& page, const std::string& file_name)
{
    Schema schema;
    (void)scene_body(schema);
    const std::string start = "<!-- keys of ", end = "<!-- end of keys -->";
    std::istringstream lines(page);
    std::string made, line;
    for (int number = 1; std::getline(lines, line); ++number) {
        made += line + "\n";
        if (!line.starts_with(start)) continue;
        const std::string kind = line.substr(start.size(), line.rfind(" -->") - start.size());
        const auto table = schema.tables.find(kind);
        const std::string place = "line " + std::to_string(number);
        if (table == schema.tables.end())
            throw InputError(Problem{file_name, place, "keys of \"" + kind + "\"",
                                     "a kind of object of scene files"});
        while (std::getline(lines, line) && line != end) ++number;
        if (line != end) throw InputError(Problem{file_name, place, "no end of the table", end});
        ++number;
        made += table->second + end + "\n";
    }
    return made;
}

} // namespace pleat
