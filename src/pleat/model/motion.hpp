// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Rigid placements and keyframed motions.
#pragma once

#include "pleat/core/vec.hpp"

#include <optional>
#include <vector>

namespace pleat {

/// A rotation as a unit quaternion.
struct Rotation {
    double w = 1, x = 0, y = 0, z = 0;
    bool operator==(const Rotation&) const = default;
};

/// Turn by `angle` [rad] about an axis of any length but zero.
[[nodiscard]] Rotation rotation_about(const Vec3& axis, double angle);
[[nodiscard]] Vec3 rotate(const Rotation& r, const Vec3& p);
/// a after b.
[[nodiscard]] Rotation operator*(const Rotation& a, const Rotation& b);
[[nodiscard]] Rotation inverse(const Rotation& r);

/// x -> translate + scale * R x.
struct Transform {
    Vec3 translate{};
    Rotation rotation;
    double scale = 1;
    bool operator==(const Transform&) const = default;
};

[[nodiscard]] Vec3 apply(const Transform& t, const Vec3& p);
/// a after b.
[[nodiscard]] Transform operator*(const Transform& a, const Transform& b);
/// \pre t.scale != 0
[[nodiscard]] Transform inverse(const Transform& t);

/// How a transform changes with time.
struct TransformRate {
    Vec3 linear{};    // of translate [m/s]
    Vec3 angular{};   // of the rotation, in the world [rad/s]
    double scale = 0; // [1/s]
    bool operator==(const TransformRate&) const = default;
};

/// Where a motion is at a time.
struct MotionKey {
    double time = 0; // [s]
    Transform transform;
    std::optional<TransformRate> velocity{}; // none: the central difference, zero at the two ends
    bool operator==(const MotionKey&) const = default;
};

/// Keys in order of time. Between them, cubic Hermite; constant outside. No keys: at rest at the
/// identity.
struct Motion {
    std::vector<MotionKey> keys;
    bool operator==(const Motion&) const = default;
};

[[nodiscard]] Transform transform_at(const Motion& motion, double time);

/// The weights of a cubic Hermite segment between times t0 and t1 with end values p0, p1 and end
/// velocities v0, v1: value = h00 p0 + h10 v0 + h01 p1 + h11 v1.
struct HermiteWeights {
    double h00 = 1, h10 = 0, h01 = 0, h11 = 0;
};
[[nodiscard]] HermiteWeights hermite_weights(double t0, double t1, double t);

} // namespace pleat
