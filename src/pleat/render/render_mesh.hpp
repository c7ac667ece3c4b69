// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// The input of a picture: surfaces as plain arrays, without mesh topology.
// Based on: [Max1999] (vertex normals)
#pragma once

#include "pleat/core/vec.hpp"
#include "pleat/render/colour.hpp"
#include "pleat/render/fabric_look.hpp"

#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

namespace pleat {

/// A surface to be seen, in world space [m].
struct RenderMesh {
    std::string name;            // as the user knows it, for messages
    std::vector<Vec3> positions; // [m]
    std::vector<std::array<std::uint32_t, 3>> triangles;
    std::vector<std::array<Vec2, 3>> material_coords; // a triangle's corners [m], or empty
    Vec3 base_colour = cloth_colour(0);               // display (sRGB)
    bool is_cloth = true; // two-sided, smooth, takes face colours and wireframe; else matte

    // What colours can show beside shape; each may be empty.
    std::vector<FabricLook> looks;             // by fabric; empty: base_colour
    std::vector<std::uint16_t> face_material;  // fabric of each triangle; empty: the first
    std::vector<Vec3f> velocities;             // one a position [m/s]
    std::size_t driver_count = 0;              // of the sizing metrics
    std::vector<float> face_drivers;           // edge each asked for [m], so many a triangle
    std::vector<std::uint8_t> face_generation; // of root-3 subdivision
    float longest_edge = std::numeric_limits<float>::infinity(); // that remeshing allows [m]
};

/// Throws InputError that names mesh and place if a position is not finite, a corner is not among
/// the positions, a fabric not among the looks, or an array is there for some elements only.
void require_valid(std::span<const RenderMesh> meshes);

/// Unit normals at the corners of each triangle, with the weights of [Max1999], which are exact on
/// spheres. A corner averages those triangles about its position whose planes lie within
/// `crease_angle` [rad] of its own triangle's, so that sharp edges stay sharp; pi makes everything
/// smooth. Zero where there is nothing but degenerate triangles. \pre require_valid
[[nodiscard]] std::vector<std::array<Vec3, 3>> corner_normals(const RenderMesh& mesh,
                                                              double crease_angle);

/// Size and shape of a face.
struct FaceShape {
    double area;   // [m^2]
    double aspect; // shortest over longest axis of the ellipse that an equilateral face's circle
                   // becomes: 1 equilateral, 0 degenerate
};

/// The face with these corners (in the plane or in space).
[[nodiscard]] FaceShape face_shape(const Vec3& a, const Vec3& b, const Vec3& c);

/// Shapes of all triangles: in material space where the mesh has it, else in world space.
/// \pre require_valid
[[nodiscard]] std::vector<FaceShape> face_shapes(const RenderMesh& mesh);

} // namespace pleat
