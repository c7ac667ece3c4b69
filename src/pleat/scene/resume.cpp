// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/scene/resume.hpp"

#include "pleat/core/error.hpp"
#include "pleat/core/hash.hpp"
#include "pleat/remeshing/rest_angles.hpp"

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

namespace pleat {

std::uint64_t scene_hash(const SceneDescription& description, const Scene& scene)
{
    SceneDescription same = description;
    same.frames = 0; // a run may be made longer
    const std::string text = to_json_text(same);
    Hash h;
    h.add_bytes(text.data(), text.size());
    h.add(state_hash(scene.start.model, scene.start.state));
    if (const auto& rest = scene.start.model.rest_surface)
        h.add_array(std::span<const Vec3>(rest->x.values));
    const auto add_motion = [&](const Motion& motion) { // may come from a file of its own
        for (const MotionKey& k : motion.keys) {
            const Transform& t = k.transform;
            for (double number : {k.time, t.translate[0], t.translate[1], t.translate[2],
                                  t.rotation.w, t.rotation.x, t.rotation.y, t.rotation.z, t.scale})
                h.add(number);
        }
    };
    for (const Handle& handle : scene.world.handles) add_motion(handle.motion);
    for (const Obstacle& o : scene.world.obstacles) {
        h.add_array(std::span<const std::array<std::uint32_t, 3>>(o.faces));
        h.add_array(std::span<const Vec3>(o.x));
        for (const std::vector<Vec3>& frame : o.frames) h.add_array(std::span<const Vec3>(frame));
        add_motion(o.motion);
    }
    return h.value();
}

CheckpointInfo checkpoint_info(const SceneDescription& description, const Scene& scene)
{
    CheckpointInfo info;
    info.fps = description.fps;
    info.handle_count = static_cast<std::uint32_t>(description.handles.size());
    for (const ClothDescription& c : description.cloths)
        info.material_counts.push_back(static_cast<std::uint32_t>(c.materials.size()));
    info.scene_hash = scene_hash(description, scene);
    return info;
}

void start_from(const SceneDescription& description, Checkpoint checkpoint, Scene& scene)
{
    const CheckpointInfo now = checkpoint_info(description, scene);
    const CheckpointInfo& then = checkpoint.info;
    Simulation& sim = checkpoint.sim;
    std::vector<Problem> problems;
    const auto differ = [&](const char* place, std::string found, std::string expected) {
        problems.push_back({description.file.string(), place, std::move(found),
                            std::move(expected) + ", as in the run to go on with"});
    };
    const auto names = [](const std::vector<Cloth>& cloths) {
        std::string list;
        for (const Cloth& c : cloths) list += (list.empty() ? "" : ", ") + c.name;
        return list;
    };
    if (scene.start.model.cloths != sim.model.cloths)
        differ("cloths", names(scene.start.model.cloths), names(sim.model.cloths));
    else if (now.material_counts != then.material_counts)
        differ("cloths", "another number of materials", "as many for each cloth");
    if (now.handle_count != then.handle_count)
        differ("handles", std::to_string(now.handle_count) + " of them",
               std::to_string(then.handle_count) + " (their nodes are those of the start)");
    if (now.fps != then.fps) differ("fps", std::to_string(now.fps), std::to_string(then.fps));
    if (!problems.empty()) throw InputError(std::move(problems));
    if (now.scene_hash != then.scene_hash)
        scene.notes.push_back("the scene or a file that it names differs from the one that was "
                              "run; frames from " +
                              std::to_string(sim.frame + 1) + " on are of the new one");
    sim.model.materials = std::move(scene.start.model.materials);
    sim.model.rest_surface = std::move(scene.start.model.rest_surface);
    if (sim.model.rest_surface && now.scene_hash != then.scene_hash) { // perhaps another shape
        const auto faces = sim.model.mesh.faces();
        update_rest_angles(sim.model, std::vector<FaceId>(faces.begin(), faces.end()));
    }
    update_derived(sim.model);
    scene.start = std::move(sim);
}

} // namespace pleat
