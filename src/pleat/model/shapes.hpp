// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Obstacles of simple shapes.
//
// Every shape is turned into points with triangles or planes when it is made, so no part of the
// simulator asks which shape an obstacle has: a new shape is a function here and a row in the table
// of the scene reader. Round shapes are inscribed polyhedra: their points lie on the true surface,
// their faces up to about edge_length^2 / (6 radius) inside it.
#pragma once

#include "pleat/core/vec.hpp"
#include "pleat/model/world.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace pleat {

/// Everything below the plane through `point` with the normal `normal`, shown as a square with
/// sides of `size` [m] around the point. \pre the normal is not zero
[[nodiscard]] Obstacle make_half_space(std::string name, const Vec3& point, const Vec3& normal,
                                       double size);

/// \param edge_length maximum length of an edge [m]; 0: an eighth of the radius
/// \pre radius > 0 [m]
[[nodiscard]] Obstacle make_sphere(std::string name, const Vec3& centre, double radius,
                                   double edge_length = 0);

/// With sides along the axes. \param size its three sides [m], each positive
[[nodiscard]] Obstacle make_box(std::string name, const Vec3& centre, const Vec3& size);

/// All points nearer than `radius` [m] to the segment between two points.
/// \param edge_length maximum length of an edge [m]; 0: an eighth of the radius
/// \pre radius > 0, the points differ
[[nodiscard]] Obstacle make_capsule(std::string name, const Vec3& from, const Vec3& to,
                                    double radius, double edge_length = 0);

/// The largest number of faces a shape may have; a smaller edge_length is an input error.
inline constexpr std::size_t max_shape_faces = 2'000'000;
/// The number of faces that make_sphere() and make_capsule() would make.
[[nodiscard]] double sphere_face_count(double radius, double edge_length);
[[nodiscard]] double capsule_face_count(double length, double radius, double edge_length);

} // namespace pleat
