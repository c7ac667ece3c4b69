// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Pictures of cloth: studio lights that move with the camera, soft shadows, ambient light,
// cloth-like shading, and optionally the mesh on top.
// Based on: [OrenNayar1994] (cloth's diffuse light), [Hanika2021] (no shadow edges along coarse
// triangles), [Narain2012] fig. 1 (colours of faces)
#pragma once

#include "pleat/core/vec.hpp"
#include "pleat/render/camera.hpp"
#include "pleat/render/face_values.hpp"
#include "pleat/render/image.hpp"
#include "pleat/render/render_mesh.hpp"

#include <cstdint>
#include <optional>
#include <span>

namespace pleat {

struct RenderOptions {
    int width = 1280;
    int height = 960;
    int samples = 16;    // a pixel
    int sky_samples = 2; // rays towards the surroundings, a sample

    bool wireframe = false;                 // edges of the cloth's triangles
    double line_width = 1.1;                // of the wireframe [pixels]
    ColourMode colour = ColourMode::fabric; // what the colours of cloth show
    /// What the ends of the colours stand for. Give it for pictures that are to be compared;
    /// otherwise it comes from the faces of this call (fitting_range()).
    std::optional<ValueRange> range;

    Vec3 up{0, 0, 1}; // world
    /// A floor of the background's colour that shows shadows near the subject. Backdrops that lie
    /// flat (see is_backdrop()) are drawn alike.
    bool ground = true;
    std::optional<double> ground_height; // along `up` [m]; just below the lowest point if not given
    Vec3 background{0.93, 0.935, 0.94};  // display (sRGB)

    double light_azimuth = -0.9;        // of the main light, to the right of the camera [rad]
    double light_elevation = 0.75;      // above the horizon [rad]
    double light_radius = 0.12;         // half the angle the main light fills [rad]
    double exposure = 1.0;              // factor on all light
    double obstacle_crease_angle = 0.7; // obstacles' edges sharper than this look sharp [rad]
    std::uint64_t seed = 0;             // of the sample points
};

/// Whether this build can render (CMake option PLEAT_EMBREE).
[[nodiscard]] bool render_available();

/// The meshes as the camera sees them, in parallel, and the same picture for any number of threads.
/// Pixels that show nothing have exactly the background's colour.
/// \throw InputError for meshes that fail require_valid(), a camera that sees nothing (see
///     camera_axes()) or options out of range.
/// \throw std::runtime_error if the build cannot render, or Embree has no memory.
[[nodiscard]] Image render(std::span<const RenderMesh> meshes, const Camera& camera,
                           const RenderOptions& options);

} // namespace pleat
