// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/scene/scene_file.hpp"

#include "pleat/scene/instances.hpp"
#include "pleat/scene/json_text.hpp"
#include "pleat/scene/scene_keys.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace pleat {

namespace {

namespace fs = std::filesystem;

/// \param known the names of all cloths and obstacles
void check_friction_pairs(const SceneDescription& scene, const std::set<std::string>& known,
                          JsonFile& file)
{
    for (std::size_t i = 0; i < scene.contact.friction_pairs.size(); ++i) {
        const auto& between = scene.contact.friction_pairs[i].between;
        const std::string place = "contact.friction_pairs[" + std::to_string(i) + "].between";
        if (between[0].empty() && between[1].empty()) continue; // said already
        bool has_cloth = false, good = true;
        for (const std::string& name : between) {
            has_cloth = has_cloth || std::any_of(scene.cloths.begin(), scene.cloths.end(),
                                                 [&](const auto& c) { return c.name == name; });
            if (known.contains(name)) continue;
            good = false;
            file.problem(place, "the unknown name " + in_quotes(name),
                         list_words(std::vector<std::string>(known.begin(), known.end())));
        }
        if (good && !has_cloth) file.problem(place, "two obstacles", "at least one cloth");
    }
}

/// Names that must differ, and names of other objects.
void check_names(const SceneDescription& scene, JsonFile& file)
{
    std::set<std::string> names;
    const auto once = [&](const std::string& name, const std::string& place) {
        if (!names.insert(name).second)
            file.problem(place + ".name", "the name " + in_quotes(name) + " a second time",
                         "a name of its own for each cloth and obstacle");
    };
    for (std::size_t i = 0; i < scene.cloths.size(); ++i)
        once(scene.cloths[i].name, "cloths[" + std::to_string(i) + "]");
    for (std::size_t i = 0; i < scene.obstacles.size(); ++i)
        once(scene.obstacles[i].name, "obstacles[" + std::to_string(i) + "]");
    check_friction_pairs(scene, names, file);
    for (std::size_t i = 0; i < scene.handles.size(); ++i) {
        const HandleDescription& h = scene.handles[i];
        std::vector<std::string> cloths;
        for (const ClothDescription& c : scene.cloths) cloths.push_back(c.name);
        if (!cloths.empty() && std::find(cloths.begin(), cloths.end(), h.cloth) == cloths.end())
            file.problem("handles[" + std::to_string(i) + "].cloth",
                         "the unknown cloth " + in_quotes(h.cloth), list_words(cloths));
    }
}

} // namespace

SceneDescription read_scene(const Json& json, const fs::path& path, std::vector<Problem>* problems)
{
    JsonFile file{path.string(), path.parent_path()};
    SceneDescription scene;
    scene.file = path;
    JsonReader reader(json, "", file);
    read_object(reader, [&](Keys& keys) { describe(keys, scene); });
    add_instances(scene, file);
    check_names(scene, file);
    if (problems == nullptr)
        file.throw_if_bad();
    else
        *problems = std::move(file.problems);
    return scene;
}

SceneDescription read_scene_file(const fs::path& path)
{
    return read_scene(read_json_file(path.string()), path);
}

SceneDescription read_scene_file(const fs::path& path, std::vector<Problem>& problems)
{
    return read_scene(read_json_file(path.string()), path, &problems);
}

SceneDescription parse_scene(std::string_view text, const fs::path& path)
{
    return read_scene(parse_json(text, path.string()), path);
}

std::string to_json_text(const SceneDescription& s, const fs::path& relative_to, SceneText form)
{
    const Writing writing{form == SceneText::brief ? Detail::brief : Detail::everything,
                          relative_to.empty() ? fs::path() : fs::absolute(relative_to)};
    SceneDescription scene = s, plain;
    const OrderedJson json = write_object(
        writing, [&](Keys& keys) { describe(keys, scene); },
        [&](Keys& keys) { describe(keys, plain); });
    if (form == SceneText::brief) return to_lines(json);
    // A path need not be UTF-8; that must not end a run.
    return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

} // namespace pleat
