// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/render/loop_surface.hpp"

#include <map>
#include <utility>

namespace pleat {

RenderMesh loop_surface(const RenderMesh& mesh, int levels)
{
    // Corners of triangles that have the same material point at the same position are one.
    std::vector<Vec2> material;
    std::vector<std::array<std::uint32_t, 3>> face_material;
    std::map<std::pair<std::uint32_t, std::array<double, 2>>, std::uint32_t> known;
    for (std::size_t t = 0; t < mesh.material_coords.size(); ++t) {
        auto& corners = face_material.emplace_back();
        for (std::size_t k = 0; k < 3; ++k) {
            const Vec2 u = mesh.material_coords[t][k];
            const auto [at, is_new] =
                known.emplace(std::pair{mesh.triangles[t][k], std::array{u[0], u[1]}},
                              std::uint32_t(material.size()));
            if (is_new) material.push_back(u);
            corners[k] = at->second;
        }
    }
    std::vector<Vec3> velocities;
    for (const Vec3f& v : mesh.velocities) velocities.push_back({v[0], v[1], v[2]});
    LoopSurface s =
        loop_surface({mesh.positions, mesh.triangles, material, face_material, velocities}, levels);

    RenderMesh result;
    result.name = mesh.name;
    result.base_colour = mesh.base_colour;
    result.is_cloth = mesh.is_cloth;
    result.looks = mesh.looks;
    result.driver_count = mesh.driver_count;
    result.longest_edge = mesh.longest_edge;
    result.positions = std::move(s.positions);
    result.triangles = std::move(s.faces);
    for (const auto& f : s.face_material)
        result.material_coords.push_back({s.material[f[0]], s.material[f[1]], s.material[f[2]]});
    for (const Vec3& v : s.velocities)
        result.velocities.push_back({float(v[0]), float(v[1]), float(v[2])});
    for (std::uint32_t p : s.parent) {
        if (!mesh.face_material.empty()) result.face_material.push_back(mesh.face_material[p]);
        if (!mesh.face_generation.empty())
            result.face_generation.push_back(mesh.face_generation[p]);
        for (std::size_t d = 0; d < mesh.driver_count && !mesh.face_drivers.empty(); ++d)
            result.face_drivers.push_back(mesh.face_drivers[p * mesh.driver_count + d]);
    }
    return result;
}

} // namespace pleat
