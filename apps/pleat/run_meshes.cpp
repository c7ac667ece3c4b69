// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "run_meshes.hpp"

#include "pleat/core/error.hpp"
#include "pleat/export/frame_files.hpp"
#include "pleat/scene/camera_tracks.hpp"

#include <algorithm>
#include <limits>
#include <map>

namespace pleat::app {

namespace {

/// Velocities by difference from the frame before, where the faces are the same.
std::vector<Vec3f> velocities_from_frames(const RunFolder& folder, const ObjectMesh& mesh,
                                          int frame)
{
    const auto& frames = folder.frames();
    const auto here = std::lower_bound(frames.begin(), frames.end(), frame);
    if (here == frames.begin() || here == frames.end()) return {};
    const int before = *(here - 1);
    for (const ObjectMesh& old : folder.read(before)) {
        if (old.name != mesh.name || old.face_nodes != mesh.face_nodes ||
            old.x.size() != mesh.x.size() || old.u != mesh.u)
            continue;
        const double rate = fps_of(folder) / (frame - before);
        std::vector<Vec3f> velocities;
        for (std::size_t i = 0; i < mesh.x.size(); ++i) {
            const Vec3 v = rate * (mesh.x[i] - old.x[i]);
            velocities.push_back({float(v[0]), float(v[1]), float(v[2])});
        }
        return velocities;
    }
    return {};
}

} // namespace

double fps_of(const RunFolder& folder)
{
    return folder.scene() ? folder.scene()->fps : 25.0;
}

namespace {

/// Those that the first frame has: a run has the same ones throughout.
std::vector<std::string> drivers_of(const RunFolder& folder)
{
    std::vector<std::string> names;
    try {
        for (const FrameObject& object : read_objects(folder, folder.frames().front()))
            if (object.attributes)
                for (const std::string& name : object.attributes->drivers)
                    if (std::find(names.begin(), names.end(), name) == names.end())
                        names.push_back(name);
    } catch (const InputError&) { // showing that frame reports the error
    }
    return names;
}

} // namespace

RunLooks looks_of(const RunFolder& folder)
{
    RunLooks all;
    all.drivers = drivers_of(folder);
    if (!folder.scene()) return all;
    const auto& cloths = folder.scene()->cloths;
    std::map<std::string, std::size_t> users; // cloths a fabric
    for (const ClothDescription& c : cloths) {
        std::set<std::string> names;
        for (const Material& m : c.materials) names.insert(m.name);
        for (const std::string& name : names) ++users[name];
    }
    for (const ClothDescription& c : cloths) {
        RunLooks::ClothLooks cloth;
        cloth.object = file_stem(c.name);
        cloth.longest_edge = float(c.remeshing.edge_length[1]);
        for (const Material& m : c.materials) {
            auto found = std::find(all.fabrics.begin(), all.fabrics.end(), m.name);
            if (found == all.fabrics.end()) found = all.fabrics.insert(found, m.name);
            cloth.fabric.push_back(std::size_t(found - all.fabrics.begin()));
        }
        all.cloths.push_back(std::move(cloth));
    }
    for (std::size_t c = 0; c < all.cloths.size(); ++c)
        for (std::size_t f = 0; f < all.fabrics.size(); ++f)
            all.cloths[c].looks.push_back(cloths[c].colour ? plain_look(*cloths[c].colour)
                                          : users[all.fabrics[f]] > 1
                                              ? plain_look(cloth_colour(c))
                                              : fabric_look(all.fabrics[f], f));
    return all;
}

std::vector<float> face_drivers(const FrameObject& object, const RunLooks& looks)
{
    std::vector<float> lengths;
    if (!object.attributes || object.attributes->face_ellipse.empty()) return lengths;
    const FrameAttributes& a = *object.attributes;
    const std::size_t faces = a.face_ellipse.size(), count = looks.drivers.size();
    lengths.assign(count * faces, std::numeric_limits<float>::infinity());
    for (std::size_t d = 0; d < a.drivers.size(); ++d) {
        const auto at = std::find(looks.drivers.begin(), looks.drivers.end(), a.drivers[d]);
        if (at == looks.drivers.end()) continue;
        for (std::size_t f = 0; f < faces; ++f)
            lengths[f * count + std::size_t(at - looks.drivers.begin())] =
                a.face_drivers[f * a.drivers.size() + d];
    }
    return lengths;
}

std::vector<FrameObject> read_objects(const RunFolder& folder, int frame)
{
    std::vector<FrameObject> objects;
    for (ObjectMesh& mesh : folder.read(frame)) {
        FrameObject object;
        object.attributes = folder.read_attributes(mesh, frame);
        object.mesh = std::move(mesh);
        objects.push_back(std::move(object));
    }
    return objects;
}

std::vector<RenderMesh> render_meshes(const RunFolder& folder, const RunLooks& looks, int frame)
{
    std::vector<RenderMesh> meshes;
    for (const FrameObject& object : read_objects(folder, frame)) {
        const ObjectMesh& m = object.mesh;
        RenderMesh r;
        r.name = m.name;
        r.positions = m.x;
        r.triangles = m.face_nodes;
        r.is_cloth = m.is_cloth;
        r.base_colour = m.is_cloth ? cloth_colour(meshes.size()) : obstacle_colour();
        for (const auto& f : m.face_verts)
            r.material_coords.push_back({m.u[f[0]], m.u[f[1]], m.u[f[2]]});
        for (const auto& cloth : looks.cloths) {
            if (!m.is_cloth || cloth.object != m.name) continue;
            r.looks = cloth.looks;
            r.longest_edge = cloth.longest_edge;
            r.face_material.assign(m.face_nodes.size(), std::uint16_t(cloth.fabric.at(0)));
            if (object.attributes)
                for (std::size_t t = 0; t < m.face_nodes.size(); ++t)
                    if (object.attributes->face_material[t] < cloth.fabric.size())
                        r.face_material[t] =
                            std::uint16_t(cloth.fabric[object.attributes->face_material[t]]);
        }
        if (object.attributes) {
            r.velocities = object.attributes->velocity;
            r.driver_count = looks.drivers.size();
            r.face_drivers = face_drivers(object, looks);
            r.face_generation = object.attributes->face_generation;
        } else if (m.is_cloth) {
            r.velocities = velocities_from_frames(folder, m, frame);
        }
        meshes.push_back(std::move(r));
    }
    return meshes;
}

std::optional<CameraTrack> scene_camera(const RunFolder& folder, const std::string& name)
{
    if (!folder.scene()) return std::nullopt;
    std::vector<const CameraDescription*> all;
    if (folder.scene()->camera) all.push_back(&*folder.scene()->camera);
    for (const CameraDescription& c : folder.scene()->cameras) all.push_back(&c);
    MotionFiles files;
    std::vector<std::string> names;
    for (const CameraDescription* c : all) {
        if (name.empty() || c->name == name) return read_camera(*c, folder.scene()->up, files);
        names.push_back(c->name);
    }
    if (name.empty()) return std::nullopt;
    std::string known;
    for (const std::string& n : names) known += (known.empty() ? "" : ", ") + n;
    throw InputError(
        Problem{"--camera", "", "no camera \"" + name + "\" in the scene",
                known.empty() ? "a scene with cameras that have names" : "one of " + known});
}

Camera camera_of(const CameraTrack& track, double time)
{
    const CameraView view = camera_at(track, time);
    return {view.eye, view.target, view.up, view.fov};
}

} // namespace pleat::app
