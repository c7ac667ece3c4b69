// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Shapes of obstacles that a scene gives by a few numbers. A new one is a struct with its keys
// (scene_keys.cpp), a place in ShapeDescription and a make_obstacle().
#pragma once

#include "pleat/core/vec.hpp"
#include "pleat/model/world.hpp"

#include <variant>

namespace pleat {

/// A half-space: everything below a plane.
struct PlaneDescription {
    Vec3 point{};         // on it [m]
    Vec3 normal{0, 0, 1}; // out of the half-space
    double size = 4;      // of the square that frames and pictures show [m]
    bool operator==(const PlaneDescription&) const = default;
};

struct SphereDescription {
    Vec3 centre{};          // [m]
    double radius = 0;      // [m]
    double edge_length = 0; // maximum of its faces [m]; 0: an eighth of the radius
    bool operator==(const SphereDescription&) const = default;
};

struct BoxDescription {
    Vec3 centre{}; // [m]
    Vec3 size{};   // its sides [m]
    bool operator==(const BoxDescription&) const = default;
};

/// All points within a radius of a segment.
struct CapsuleDescription {
    Vec3 start{}, end{};    // of the segment [m]
    double radius = 0;      // [m]
    double edge_length = 0; // maximum of its faces [m]; 0: an eighth of the radius
    bool operator==(const CapsuleDescription&) const = default;
};

using ShapeDescription =
    std::variant<PlaneDescription, SphereDescription, BoxDescription, CapsuleDescription>;

/// Points, faces and planes of the shape; the rest is left to the caller.
/// \pre the numbers are those of a shape that the reader accepts.
[[nodiscard]] Obstacle make_obstacle(const ShapeDescription& shape);

} // namespace pleat
