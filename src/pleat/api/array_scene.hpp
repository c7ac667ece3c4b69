// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// A scene made by a program: everything that a scene file can contain, with meshes from arrays.
#pragma once

#include "pleat/materials/material.hpp"
#include "pleat/mesh/mesh_input.hpp"
#include "pleat/scene/mesh_file.hpp"
#include "pleat/scene/scene_file.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace pleat {

/// `description` has a field for each key of docs/scene.md. Its "mesh" of a cloth or obstacle is
/// the name of one of `meshes`, or a file.
struct ArrayScene {
    SceneDescription description;
    NamedMeshes meshes;
};

/// Adds a cloth. Each needs a name of its own, obstacles too.
/// \param mesh node_x and face_nodes; material_u in metres where the mesh is not flat at rest, one
///        a node or with face_points; what else it has is optional
/// \return its description, to set remeshing, velocity, strain limits and so on; valid until the
///         next cloth is added
ClothDescription& add_cloth(ArrayScene& scene, const std::string& name, MeshInput mesh,
                            Material fabric);

/// Adds an obstacle. Only node_x and face_nodes of the mesh are used.
/// \return its description (motion, friction, when it appears); valid until the next is added
ObstacleDescription& add_obstacle(ArrayScene& scene, const std::string& name, MeshInput mesh);

/// Holds nodes of a cloth where they are.
/// \return its description (motion, how long, how firmly); valid until the next is added
HandleDescription& add_handle(ArrayScene& scene, const std::string& cloth,
                              std::vector<std::uint32_t> nodes);

} // namespace pleat
