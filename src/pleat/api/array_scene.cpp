// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/api/array_scene.hpp"

#include <utility>

namespace pleat {

namespace {

std::filesystem::path keep_mesh(ArrayScene& scene, const std::string& name, MeshInput mesh)
{
    if (!mesh.material_u.empty() && mesh.face_points.empty() &&
        mesh.material_u.size() == mesh.node_x.size())
        mesh.face_points = mesh.face_nodes;
    if (!scene.meshes.emplace(name, std::move(mesh)).second)
        throw InputError(Problem{"", name, "a cloth or obstacle with this name is there already",
                                 "a name of its own for each"});
    return name;
}

} // namespace

ClothDescription& add_cloth(ArrayScene& scene, const std::string& name, MeshInput mesh,
                            Material fabric)
{
    ClothDescription cloth;
    cloth.name = name;
    cloth.mesh = keep_mesh(scene, name, std::move(mesh));
    cloth.materials.push_back(std::move(fabric));
    return scene.description.cloths.emplace_back(std::move(cloth));
}

ObstacleDescription& add_obstacle(ArrayScene& scene, const std::string& name, MeshInput mesh)
{
    ObstacleDescription obstacle;
    obstacle.name = name;
    obstacle.mesh = keep_mesh(scene, name, std::move(mesh));
    return scene.description.obstacles.emplace_back(std::move(obstacle));
}

HandleDescription& add_handle(ArrayScene& scene, const std::string& cloth,
                              std::vector<std::uint32_t> nodes)
{
    HandleDescription handle;
    handle.name = "handle" + std::to_string(scene.description.handles.size());
    handle.cloth = cloth;
    handle.nodes = std::move(nodes);
    return scene.description.handles.emplace_back(std::move(handle));
}

} // namespace pleat
