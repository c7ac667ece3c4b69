// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Properties of a scene before it is simulated: sizes, masses of cloths, distances to obstacles;
// with warnings where these suggest wrong units or axes. These are never errors, because they may
// be intended.
#pragma once

#include "pleat/scene/load_scene.hpp"

#include <optional>
#include <string>
#include <vector>

namespace pleat {

/// One cloth or obstacle when it begins: at the start, or when the obstacle comes.
struct ObjectSize {
    std::string name;
    bool is_cloth = false;
    bool is_unbounded = false; // has planes; the box is that of its points
    Vec3 low{}, high{};        // of its box, world [m]
    double mass = 0;           // of cloths [kg]
};

/// The smallest distance of a cloth to the obstacles over the first second of the run (less where
/// the run is shorter), sampled every tenth of a second or more often. Without simulating: the
/// cloth is kept in its start pose, or falls freely from there.
struct ObstacleDistance {
    std::string cloth, obstacle;
    double at_start = 0;      // [m]; infinite where the obstacle comes later
    double in_start_pose = 0; // the smallest [m]
    double in_start_pose_time = 0;
    std::optional<double> in_fall; // the smallest [m]; none where handles hold the cloth
    double in_fall_time = 0;
};

struct SizeReport {
    std::vector<ObjectSize> objects;
    std::vector<ObstacleDistance> distances; // of each cloth to each obstacle that is there
    double time = 1;                         // over which the distances were sampled [s]
    std::vector<std::string> warnings;
};

/// \pre the scene was loaded from the description, and nothing was simulated
[[nodiscard]] SizeReport check_sizes(const SceneDescription& description, const Scene& scene);
/// Only the warnings, which cost less.
[[nodiscard]] std::vector<std::string> size_warnings(const SceneDescription& description,
                                                     const Scene& scene);

} // namespace pleat
