// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/scene/run_folder.hpp"

#include "pleat/core/error.hpp"
#include "pleat/export/frame_files.hpp"
#include "pleat/scene/mesh_file.hpp"

#include <algorithm>
#include <cctype>
#include <cstdio>

namespace pleat {

namespace {

namespace fs = std::filesystem;

std::string digits(int frame)
{
    char text[16];
    std::snprintf(text, sizeof text, "%05d", frame);
    return text;
}

} // namespace

RunFolder::RunFolder(fs::path folder) : folder_(std::move(folder))
{
    std::map<std::string, Object> objects; // by stem; OBJ is read where there are both formats
    std::set<int> numbers;
    std::error_code code;
    for (const auto& entry : fs::directory_iterator(folder_ / "frames", code)) {
        const std::string file = entry.path().filename().string();
        const std::string extension = entry.path().extension().string();
        const std::size_t mark = file.find('_');
        if ((extension != ".obj" && extension != ".ply") || mark == std::string::npos || mark < 5 ||
            mark > 9 ||
            !std::all_of(file.begin(), file.begin() + std::ptrdiff_t(mark),
                         [](unsigned char c) { return std::isdigit(c); }))
            continue;
        const int number = std::stoi(file.substr(0, mark));
        if (digits(number) != file.substr(0, mark)) continue;
        const std::string stem = entry.path().stem().string().substr(mark + 1);
        Object& object = objects[stem];
        object.name = stem;
        if (object.extension.empty() || extension == ".obj") object.extension = extension;
        object.frames.insert(number);
        numbers.insert(number);
    }
    if (numbers.empty())
        throw InputError(
            Problem{folder_.string(), "", "a folder without frames",
                    "a folder that `pleat run -o` made, with frames/00000_<name>.obj"});
    for (auto& [stem, object] : objects) objects_.push_back(std::move(object));
    frames_.assign(numbers.begin(), numbers.end());
    if (fs::exists(folder_ / "scene.json", code)) {
        try {
            scene_ = read_scene_file(folder_ / "scene.json");
        } catch (const InputError&) {
            scene_.reset(); // frames can be looked at without it
        }
    }
}

fs::path RunFolder::file_of(const Object& object, int frame) const
{
    return folder_ / "frames" / (digits(frame) + "_" + object.name + object.extension);
}

std::vector<ObjectMesh> RunFolder::read(int frame) const
{
    if (!std::binary_search(frames_.begin(), frames_.end(), frame))
        throw InputError(Problem{
            folder_.string(), "frame " + std::to_string(frame), "no such frame",
            "frames " + std::to_string(frames_.front()) + " to " + std::to_string(frames_.back())});
    const auto present = [&](const Object& object) {
        if (!scene_) return true;
        for (const ObstacleDescription& o : scene_->obstacles)
            if (file_stem(o.name) == object.name) {
                const double time = frame / scene_->fps;
                return time >= o.from && time < o.until;
            }
        return true;
    };
    std::vector<ObjectMesh> cloths, obstacles;
    for (const Object& object : objects_) {
        const bool once = object.frames.size() == 1 && *object.frames.begin() == 0;
        // Static ones are written as frame 0, whenever they come.
        if (once ? !present(object) : !object.frames.contains(frame)) continue;
        const int number = once ? 0 : frame;
        MeshInput m = read_mesh_file(file_of(object, number), MeshUse::obstacle).mesh;
        ObjectMesh mesh;
        mesh.name = object.name;
        mesh.is_cloth = !m.material_u.empty();
        if (mesh.is_cloth && number != frame) continue; // a cloth that was not written again
        mesh.is_static = once && !mesh.is_cloth;
        mesh.x = std::move(m.node_x);
        mesh.u = std::move(m.material_u);
        mesh.face_nodes = std::move(m.face_nodes);
        mesh.face_verts = std::move(m.face_points);
        (mesh.is_cloth ? cloths : obstacles).push_back(std::move(mesh));
    }
    cloths.insert(cloths.end(), std::make_move_iterator(obstacles.begin()),
                  std::make_move_iterator(obstacles.end()));
    return cloths;
}

std::optional<FrameAttributes> RunFolder::read_attributes(const ObjectMesh& mesh, int frame) const
{
    const fs::path file = folder_ / "frames" / (digits(frame) + "_" + mesh.name + ".attributes");
    std::error_code code;
    if (!mesh.is_cloth || !fs::exists(file, code)) return std::nullopt;
    try {
        FrameAttributes a = pleat::read_attributes(file);
        if (a.velocity.size() == mesh.x.size() && a.face_material.size() == mesh.face_nodes.size())
            return a;
    } catch (const InputError&) {
        return std::nullopt; // the meshes can be looked at without
    }
    return std::nullopt;
}

} // namespace pleat
