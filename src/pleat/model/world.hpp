// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// The surroundings of the cloth as functions of time: obstacles, handles, wind, gravity, cameras.
#pragma once

#include "pleat/core/ids.hpp"
#include "pleat/core/vec.hpp"
#include "pleat/model/camera.hpp"
#include "pleat/model/motion.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace pleat {

inline constexpr double forever = std::numeric_limits<double>::infinity();

/// A body with a prescribed motion. Its surface is given by points, see shapes.hpp; what cloth can
/// touch are triangles of these points, or planes through three of them.
struct Obstacle {
    std::string name;
    std::vector<Vec3> x; // own transform applied [m]; the first frame of a deforming one
    /// What pictures show; and what cloth touches, unless there are planes.
    std::vector<std::array<std::uint32_t, 3>> faces;
    /// Each three points, counter-clockwise seen from outside: all that lies below their plane is
    /// inside the body, however far away.
    std::vector<std::array<std::uint32_t, 3>> planes;
    Motion motion; // applied after; ignored by a deforming one
    /// Deforming: the points at times first_time + i / fps; between them as Motion does.
    std::vector<std::vector<Vec3>> frames;
    double fps = 25;
    double first_time = 0;
    double start_time = -forever;   // absent before [s]
    double end_time = forever;      // absent from then on [s]
    std::optional<double> friction; // Coulomb's mu against cloth, where not the scene's

    [[nodiscard]] bool is_moving() const { return !motion.keys.empty() || !frames.empty(); }
    [[nodiscard]] bool is_present(double time) const
    {
        return time >= start_time && time < end_time;
    }
};

/// The obstacle's points at a time [m].
[[nodiscard]] std::vector<Vec3> points_at(const Obstacle& obstacle, double time);

/// The triangles that cloth touches.
[[nodiscard]] inline std::span<const std::array<std::uint32_t, 3>>
solid_faces(const Obstacle& obstacle)
{
    if (!obstacle.planes.empty()) return {};
    return obstacle.faces;
}

/// Holds nodes from start to end, then lets go over fade. Which nodes: see Model::handles().
struct Handle {
    std::string name;
    Motion motion; // carries the targets from where they were at the start; no keys: at rest
    double start_time = 0;
    double end_time = forever;
    double fade_time = 0;            // [s]; a spring while it fades
    std::optional<double> stiffness; // [N/m] a node; none: hard
    double fade_stiffness = 1000;    // [N/m] at the start of a hard handle's fade
};

/// Moving air [Wejchert1991].
struct Wind {
    Vec3 velocity{};    // [m/s]
    double density = 0; // of the air [kg/m^3]; 0: no air at all
    double drag = 0;    // tangential [kg/(m^2 s)]
    bool operator==(const Wind&) const = default;
};

/// Coulomb's mu of one pair of objects; overrides the values of obstacle, fabric and scene.
struct FrictionPair {
    std::size_t cloth = 0;      // into Model::cloths
    std::size_t other = 0;      // into World::obstacles or Model::cloths; may be the same cloth
    bool with_obstacle = false; // which of the two
    double friction = 0;
};

struct World {
    Vec3 up{0, 0, 1};
    Vec3 gravity{}; // [m/s^2]
    Wind wind;
    std::vector<Obstacle> obstacles;
    std::vector<Handle> handles; // at most max_handles
    std::vector<FrictionPair> friction_pairs;
    std::vector<CameraTrack> cameras; // all are served at once
};

/// Handles are bits of Model::node_handles and Model::region_handles.
inline constexpr std::size_t max_handles = 64;

} // namespace pleat
