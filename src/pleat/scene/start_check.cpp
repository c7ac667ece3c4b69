// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/scene/start_check.hpp"

#include "pleat/contact/untangle.hpp"
#include "pleat/core/error.hpp"
#include "pleat/model/obstacle_sample.hpp"
#include "pleat/sim/audit.hpp"
#include "pleat/sim/frames.hpp"

#include <utility>

namespace pleat {

namespace {

constexpr std::size_t most_problems = 20;

InputError overlap_error(const SceneDescription& description, const std::vector<ObjectMesh>& meshes,
                         const MeshAudit& found, const std::string& expected)
{
    std::vector<Problem> problems;
    problems.push_back(
        {description.file.string(), "start",
         std::to_string(found.intersections) + " pairs of faces intersect" +
             (found.intersections > most_problems
                  ? "; the first " + std::to_string(most_problems) + " follow"
                  : ""),
         expected + "; `pleat check` shows them in " + offenders_name(description.file).string()});
    for (const CrossingPair& p : found.crossings) {
        if (problems.size() == 1 + most_problems) break;
        problems.push_back({description.file.string(), "start",
                            meshes[p.object_a].name + " face " + std::to_string(p.face_a) +
                                " intersects " + meshes[p.object_b].name + " face " +
                                std::to_string(p.face_b),
                            "faces that do not intersect"});
    }
    return InputError(std::move(problems));
}

} // namespace

std::filesystem::path offenders_name(const std::filesystem::path& scene_file)
{
    return scene_file.stem().string() + "-offenders.obj";
}

void check_start(const SceneDescription& description, Scene& scene)
{
    if (description.contact.type == "none") return;
    Simulation& sim = scene.start;
    auto meshes = object_meshes(scene.world, sim);
    MeshAudit found = audit(meshes, 0);
    if (found.intersections == 0) return;
    if (description.contact.on_overlap != "untangle")
        throw overlap_error(description, meshes, found, overlap_advice);

    std::vector<std::uint8_t> held(sim.model.mesh.node_count(), 0);
    for (NodeId n : sim.model.mesh.nodes())
        for (std::size_t h = 0; h < scene.world.handles.size(); ++h)
            if ((sim.model.handles(n) >> h & 1) != 0 &&
                scene.world.handles[h].start_time <= sim.time)
                held[index(n)] = 1;
    const auto obstacles = sample_obstacles(scene.world, sim.time, 0);
    const UntangleReport report = untangle(sim.model, scene.world, obstacles, held, {}, sim.state);
    sim.state.anchor.values = sim.state.x.values;
    if (!report.ok) {
        meshes = object_meshes(scene.world, sim);
        found = audit(meshes, 0);
        throw overlap_error(description, meshes, found,
                            "an overlap that untangling resolves; move the meshes apart");
    }
    scene.notes.push_back("the start had " + std::to_string(report.crossings_before) +
                          " intersecting pairs of faces; untangled by moving nodes by up to " +
                          std::to_string(1000 * report.largest_move) + " mm");
}

} // namespace pleat
