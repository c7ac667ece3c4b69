// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Resumes a run from a checkpoint, with the same scene or an edited one.
#pragma once

#include "pleat/scene/load_scene.hpp"
#include "pleat/sim/checkpoint.hpp"

#include <cstdint>

namespace pleat {

/// Tells whether a scene and the meshes it names are what they were: the resolved text without the
/// number of frames, the start, the obstacles.
[[nodiscard]] std::uint64_t scene_hash(const SceneDescription& description, const Scene& scene);

/// What a checkpoint of this scene's runs must know beside the simulation.
[[nodiscard]] CheckpointInfo checkpoint_info(const SceneDescription& description,
                                             const Scene& scene);

/// Starts the scene where the checkpoint is. The scene may differ from the one that was run in
/// fabrics, motions, obstacles, wind, contact, solver and remeshing; a note says so. The cloths,
/// the number of handles and the frame rate must be the same, as the checkpoint's numbers stand for
/// them.
/// \throw InputError where they are not.
void start_from(const SceneDescription& description, Checkpoint checkpoint, Scene& scene);

} // namespace pleat
