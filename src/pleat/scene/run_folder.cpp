// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/scene/run_folder.hpp"

#include "pleat/core/disjoint_sets.hpp"
#include "pleat/core/error.hpp"
#include "pleat/export/frame_files.hpp"
#include "pleat/scene/json_reader.hpp"
#include "pleat/scene/mesh_file.hpp"
#include "pleat/sim/checkpoint.hpp"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <fstream>
#include <sys/file.h>
#include <system_error>
#include <unistd.h>

namespace pleat {

namespace {

namespace fs = std::filesystem;

/// The frame that a file of a run belongs to; -1: none.
int frame_of_name(const NamePattern& names, const fs::path& file)
{
    const auto parts = names.match(file.stem().string());
    return parts ? parts->frame : -1;
}

/// Numbers the connected parts of a mesh in material space by where they lie, so that a panel keeps
/// its number when its faces change.
std::vector<std::uint32_t> find_panels(const ObjectMesh& mesh)
{
    DisjointSets sets(mesh.u.size());
    for (const auto& f : mesh.face_verts) {
        sets.join(f[0], f[1]);
        sets.join(f[0], f[2]);
    }
    std::map<std::size_t, Vec2> corner; // lower left, by root
    for (std::size_t i = 0; i < mesh.u.size(); ++i) {
        const auto [at, is_new] = corner.emplace(sets.root(std::uint32_t(i)), mesh.u[i]);
        for (std::size_t k = 0; k < 2; ++k) at->second[k] = std::min(at->second[k], mesh.u[i][k]);
    }
    std::vector<std::pair<Vec2, std::size_t>> order;
    for (const auto& [root, low] : corner) order.emplace_back(low, root);
    std::stable_sort(order.begin(), order.end(),
                     [](const auto& a, const auto& b) { return a.first.e < b.first.e; });
    std::map<std::size_t, std::uint32_t> number;
    for (std::size_t i = 0; i < order.size(); ++i) number[order[i].second] = std::uint32_t(i);
    std::vector<std::uint32_t> panels;
    for (const auto& f : mesh.face_verts) panels.push_back(number[sets.root(f[0])]);
    return panels;
}

void remove_file(const fs::path& path)
{
    std::error_code code;
    fs::remove(path, code);
    if (code) throw FileError(path.string(), code.message());
}

} // namespace

FolderLock::FolderLock(const fs::path& folder)
{
    const fs::path path = folder / ".lock";
    file_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (file_ < 0) throw FileError(path.string(), std::generic_category().message(errno));
    if (::flock(file_, LOCK_EX | LOCK_NB) == 0) return;
    const int error = errno;
    ::close(file_);
    if (error != EWOULDBLOCK) // a file system without locks is no reason to refuse
        file_ = -1;
    else
        throw InputError(Problem{folder.string(), "", "another pleat at work in this folder",
                                 "its end, or another folder"});
}

FolderLock::~FolderLock()
{
    if (file_ >= 0) ::close(file_);
}

NamePattern name_pattern_of(const fs::path& folder)
{
    std::ifstream in(folder / "run.json", std::ios::binary);
    const Json record = in ? Json::parse(in, nullptr, false) : Json();
    if (record.is_object() && record.contains("name_pattern") && record["name_pattern"].is_string())
        try {
            return NamePattern(record["name_pattern"].get<std::string>());
        } catch (const InputError&) { // changed by hand
        }
    return {};
}

void trim_run(const fs::path& folder, int last_frame)
{
    const auto each = [](const fs::path& place, auto act) {
        std::error_code code;
        std::vector<fs::path> files; // first, as removing while looking may skip some
        for (const auto& entry : fs::directory_iterator(place, code)) files.push_back(entry.path());
        for (const fs::path& file : files) act(file, file.filename().string());
    };
    const auto is_half = [](const std::string& name) {
        return name.starts_with(".pleat-") && name.ends_with(".tmp");
    };
    each(folder, [&](const fs::path& file, const std::string& name) {
        if (is_half(name)) remove_file(file);
    });
    each(folder / "checkpoint", [&](const fs::path& file, const std::string& name) {
        if (is_half(name)) remove_file(file);
    });
    const NamePattern names = name_pattern_of(folder);
    each(folder / "frames", [&](const fs::path& file, const std::string& name) {
        if (is_half(name) || frame_of_name(names, file) > last_frame) remove_file(file);
    });
    for (int frame : checkpoint_frames(folder))
        if (frame > last_frame) remove_file(checkpoint_path(folder, frame));
}

void copy_run(const fs::path& from, const fs::path& to, int last_frame)
{
    std::error_code code;
    const auto must = [&](const fs::path& path) {
        if (code) throw FileError(path.string(), code.message());
    };
    const auto copy = [&](const fs::path& part) {
        fs::copy_file(from / part, to / part, code);
        must(to / part);
    };
    for (const char* part : {"run.json", "stats.csv", "frames", "checkpoint"})
        if (fs::exists(to / part, code))
            throw InputError(Problem{to.string(), "", "the results of an earlier run",
                                     "a new folder for the branch (-o)"});
    for (const char* part : {"frames", "checkpoint"}) {
        fs::create_directories(to / part, code);
        must(to / part);
    }
    for (const char* part : {"stats.csv", "run.json", "scene.json"})
        if (fs::exists(from / part, code)) copy(part);
    const NamePattern names = name_pattern_of(from);
    for (const auto& entry : fs::directory_iterator(from / "frames", code)) {
        const fs::path name = entry.path().filename();
        const int frame = frame_of_name(names, name);
        if (frame >= 0 && frame <= last_frame) copy("frames" / name);
    }
    for (int frame : checkpoint_frames(from))
        if (frame <= last_frame) copy("checkpoint" / checkpoint_path(from, frame).filename());
}

RunFolder::RunFolder(fs::path folder) : folder_(std::move(folder)), names_(name_pattern_of(folder_))
{
    std::map<std::string, Object> objects; // by stem; OBJ is read where there are both formats
    std::set<int> numbers;
    std::error_code code;
    for (const auto& entry : fs::directory_iterator(folder_ / "frames", code)) {
        const std::string extension = entry.path().extension().string();
        const auto parts = names_.match(entry.path().stem().string());
        if ((extension != ".obj" && extension != ".ply") || !parts) continue;
        Object& object = objects[parts->name];
        object.name = parts->name;
        if (object.extension.empty() || extension == ".obj") object.extension = extension;
        object.frames.insert(parts->frame);
        numbers.insert(parts->frame);
    }
    if (numbers.empty())
        throw InputError(
            Problem{folder_.string(), "",
                    !fs::exists(folder_, code)         ? "no such folder"
                    : !fs::is_directory(folder_, code) ? "a file"
                                                       : "a folder without frames",
                    "a folder that `pleat run -o` made, with frames/00000_<name>.obj"});
    for (auto& [stem, object] : objects) objects_.push_back(std::move(object));
    frames_.assign(numbers.begin(), numbers.end());
    if (fs::exists(folder_ / "scene.json", code)) {
        try {
            scene_ = read_scene_file(folder_ / "scene.json");
        } catch (const InputError&) {
            scene_.reset(); // frames can be shown without it
        }
    }
    if (!scene_) return;
    for (const ObstacleDescription& o : scene_->obstacles)
        if (o.shape)
            if (Obstacle made = make_obstacle(*o.shape); !made.planes.empty())
                planes_[file_stem(o.name)] = std::move(made.planes);
}

fs::path RunFolder::file_of(const Object& object, int frame) const
{
    return folder_ / "frames" / (names_.stem(object.name, frame) + object.extension);
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
        if (const auto planes = planes_.find(object.name);
            !mesh.is_cloth && planes != planes_.end())
            mesh.planes = planes->second;
        mesh.x = std::move(m.node_x);
        mesh.v = std::move(m.node_v);
        mesh.u = std::move(m.material_u);
        mesh.face_nodes = std::move(m.face_nodes);
        mesh.face_verts = std::move(m.face_points);
        if (mesh.is_cloth) add_attributes(mesh, frame);
        (mesh.is_cloth ? cloths : obstacles).push_back(std::move(mesh));
    }
    cloths.insert(cloths.end(), std::make_move_iterator(obstacles.begin()),
                  std::make_move_iterator(obstacles.end()));
    return cloths;
}

void RunFolder::add_attributes(ObjectMesh& mesh, int frame) const
{
    const std::optional<FrameAttributes> a = read_attributes(mesh, frame);
    if (a && mesh.v.empty())
        for (const Vec3f& v : a->velocity) mesh.v.push_back({v[0], v[1], v[2]});
    if (a && !a->face_panel.empty())
        mesh.face_panel.assign(a->face_panel.begin(), a->face_panel.end());
    else
        mesh.face_panel = find_panels(mesh);
    mesh.vert_node.resize(mesh.u.size());
    for (std::size_t f = 0; f < mesh.face_verts.size(); ++f)
        for (std::size_t k = 0; k < 3; ++k)
            mesh.vert_node[mesh.face_verts[f][k]] = mesh.face_nodes[f][k];
}

std::optional<FrameAttributes> RunFolder::read_attributes(const ObjectMesh& mesh, int frame) const
{
    const fs::path file = folder_ / "frames" / (names_.stem(mesh.name, frame) + ".attributes");
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
