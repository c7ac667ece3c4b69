// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Cameras whose motion is known in advance, as functions of time: keyframes with cuts, the volume
// that a camera sees, and its projection.
// Based on: [Koh2015] sec. 3.1.
#pragma once

#include "pleat/core/vec.hpp"
#include "pleat/model/motion.hpp"

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace pleat {

/// How a camera changes with time.
struct CameraRate {
    Vec3 eye{}, target{}; // [m/s]
    double fov = 0;       // [rad/s]
    bool operator==(const CameraRate&) const = default;
};

/// Where a camera is at a time.
struct CameraKey {
    double time = 0; // [s]
    Vec3 eye{}, target{};
    Vec3 up{0, 0, 1}; // towards the upper edge; need not be square to the line of sight
    double fov = 0.5; // full angle between the lower and the upper edge [rad]
    /// None: the central difference; zero at the first and last key of a shot.
    std::optional<CameraRate> velocity{};
    bool operator==(const CameraKey&) const = default;
};

/// A camera over time. Keys are in order of time; between them, cubic Hermite; constant outside.
/// Two successive keys of the same time are a cut: one shot ends with the first, and the next
/// begins with the second.
struct CameraTrack {
    std::string name;
    std::vector<CameraKey> keys; // at least one
    Motion motion;               // carries eye, target and up; no keys: identity
    double aspect = 16.0 / 9;    // width over height of the picture
    double near = 0.01;          // clipping distances along the line of sight [m]
    double far = 1000;
};

/// A camera at one time, world space.
struct CameraView {
    Vec3 eye{}, target{}, up{0, 0, 1};
    double fov = 0.5; // vertical [rad]
    double aspect = 16.0 / 9;
    double near = 0.01, far = 1000; // [m]
    bool operator==(const CameraView&) const = default;
};

/// At the time of a cut: as the new shot begins. \pre the track has a key
[[nodiscard]] CameraView camera_at(const CameraTrack& track, double time);

/// The times of the cuts in (after, before), in order.
[[nodiscard]] std::vector<double> cuts_between(const CameraTrack& track, double after,
                                               double before);

/// What a camera sees: a cut-off pyramid, and the axes by which points are projected.
struct Frustum {
    struct Plane {
        Vec3 normal; // outward, unit
        double offset = 0;
        [[nodiscard]] double height(const Vec3& p) const { return dot(normal, p) - offset; }
    };
    enum Side : std::size_t { left, right, bottom, top, front, back };

    Vec3 eye{}, across{}, upward{}, forward{}; // unit axes of the picture: right, up, into it
    double tan_x = 1, tan_y = 1;               // of half the angles of view
    double near = 0, far = 0;                  // [m]
    std::array<Plane, 6> planes{};
    /// The corners of each side, in order around it.
    std::array<std::array<Vec3, 4>, 6> sides{};
};
/// Where `up` lies along the line of sight another one is made up.
/// \pre eye and target differ; 0 < fov < pi; aspect > 0; 0 < near < far
[[nodiscard]] Frustum frustum_of(const CameraView& view);

/// Distance of a triangle from the volume that the camera sees [m]: 0 where they have a point in
/// common. \param reach distances of at least that may be returned as `reach`
[[nodiscard]] double distance_from(const Frustum& frustum, const std::array<Vec3, 3>& triangle,
                                   double reach);

/// Whether the camera is on the side to which the triangle's normal points.
[[nodiscard]] bool is_facing(const Frustum& frustum, const std::array<Vec3, 3>& triangle);

/// Distance from the eye along the line of sight [m].
[[nodiscard]] inline double depth_of(const Frustum& frustum, const Vec3& p)
{
    return dot(frustum.forward, p - frustum.eye);
}
/// Place in the picture, in units of its height, from its centre: right, up.
/// \pre depth_of(frustum, p) > 0
[[nodiscard]] Vec2 projected(const Frustum& frustum, const Vec3& p);

} // namespace pleat
