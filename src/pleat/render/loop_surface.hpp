// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// The Loop surface of a triangle mesh: what hides T-junctions in pictures and in written meshes.
// Based on: [Wang2002] sec. 3.2, [Loop1987].
//
// The nodes of the mesh are the control points. The surface is subdivided a number of times, and
// its nodes are then put on the limit surface. Outlines are creases, and corners of outlines stay
// where they are; across seams the surface is smooth. Material points are interpolated linearly on
// each panel, and each new triangle knows the triangle that it came from.
#pragma once

#include "pleat/core/vec.hpp"
#include "pleat/render/render_mesh.hpp"

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace pleat {

/// A mesh as plain arrays.
struct ControlMesh {
    std::span<const Vec3> positions; // [m]
    std::span<const std::array<std::uint32_t, 3>> faces;
    std::span<const Vec2> material;                              // points; may be empty
    std::span<const std::array<std::uint32_t, 3>> face_material; // corners by material points
    std::span<const Vec3> velocities;                            // by position; may be empty
};

struct LoopSurface {
    std::vector<Vec3> positions;
    std::vector<std::array<std::uint32_t, 3>> faces;
    std::vector<Vec2> material;
    std::vector<std::array<std::uint32_t, 3>> face_material;
    std::vector<Vec3> velocities;
    std::vector<std::uint32_t> parent; // by face: the face of the control mesh
};

/// Whether this build has it (CMake option PLEAT_OPENSUBDIV).
[[nodiscard]] bool loop_surface_available();

inline constexpr int most_loop_levels = 6; // 4096 faces for one

/// \pre 1 <= levels <= most_loop_levels; faces are a manifold
/// \throw std::runtime_error where it is not available, or the mesh cannot be subdivided
[[nodiscard]] LoopSurface loop_surface(const ControlMesh& mesh, int levels);

/// The same of a mesh to be rendered, with what its colours show.
[[nodiscard]] RenderMesh loop_surface(const RenderMesh& mesh, int levels);

} // namespace pleat
