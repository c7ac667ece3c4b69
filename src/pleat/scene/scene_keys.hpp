// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// The keys of scene files. Private to this folder.
#pragma once

#include "pleat/scene/keys.hpp"
#include "pleat/scene/scene_file.hpp"

namespace pleat {

// The keys of solver, contact, strain limiting and remeshing are in part_tables.hpp, those of
// fabrics in material_json.hpp.
void describe(Keys& keys, Transform& transform);
void describe(Keys& keys, TransformRate& rate);
void describe(Keys& keys, ClothDescription& cloth, const SceneDescription& scene);
void describe(Keys& keys, GltfDescription& gltf);
void describe(Keys& keys, ObstacleDescription& obstacle, const SceneDescription& scene);
void describe(Keys& keys, HandleDescription& handle, const SceneDescription& scene);
void describe(Keys& keys, Wind& wind);
void describe(Keys& keys, SettleDescription& settle);
void describe(Keys& keys, DressDescription& dress);
void describe(Keys& keys, CameraRateDescription& rate);
void describe(Keys& keys, GltfCameraDescription& gltf);
void describe(Keys& keys, CameraDescription& camera);
void describe(Keys& keys, BucklingDescription& buckling);
void describe(Keys& keys, InstanceDescription& instance);
/// All keys of a scene.
void describe(Keys& keys, SceneDescription& scene);

/// \param problems where to put what is wrong; none: thrown
[[nodiscard]] SceneDescription read_scene(const Json& json, const std::filesystem::path& path,
                                          std::vector<Problem>* problems = nullptr);

} // namespace pleat
