// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/sim/appearing.hpp"

#include "pleat/contact/audit.hpp"
#include "pleat/sim/frames.hpp"

namespace pleat {

std::vector<CaughtCloth> caught_by_appearing(const World& world, const Simulation& sim, double dt)
{
    std::vector<CaughtCloth> caught;
    std::vector<std::array<std::uint32_t, 3>> faces; // of all cloths
    for (const Obstacle& o : world.obstacles) {
        if (o.is_present(sim.time) || !o.is_present(sim.time + dt)) continue;
        if (faces.empty())
            for (FaceId f : sim.model.mesh.faces()) {
                const auto n = sim.model.mesh.nodes_of(f);
                faces.push_back({index(n[0]), index(n[1]), index(n[2])});
            }
        const std::vector<Vec3> x = points_at(o, sim.time); // as the step will have it
        const AuditMesh meshes[] = {
            {.x = sim.state.x.span(), .triangles = faces},
            {.x = x, .triangles = o.faces, .object = 1, .is_obstacle = true, .planes = o.planes}};
        const std::size_t count = audit_intersections(meshes, {}).obstacle_crossing_count;
        if (count > 0) caught.push_back({o.name, count});
    }
    return caught;
}

} // namespace pleat
