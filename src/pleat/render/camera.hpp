// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Where a picture is taken from, and the placing of a camera that frames the cloth.
#pragma once

#include "pleat/core/vec.hpp"
#include "pleat/render/render_mesh.hpp"

#include <span>

namespace pleat {

/// A pinhole camera in world space [m].
struct Camera {
    Vec3 eye{0, -3, 1};
    Vec3 target{0, 0, 0};      // seen in the middle of the picture
    Vec3 up{0, 0, 1};          // towards the top edge; need not be square to the line of sight
    double vertical_fov = 0.5; // full angle between the top and the bottom edge [rad]
};

/// The camera's unit axes in world space.
struct CameraAxes {
    Vec3 right, up, forward;
};

/// \throw InputError if eye and target coincide, something is not finite, or the field of view is
/// not between 0 and pi. Where `up` lies along the line of sight another one is made up.
[[nodiscard]] CameraAxes camera_axes(const Camera& camera);

/// An axis-aligned box.
struct Extent {
    Vec3 low, high;

    [[nodiscard]] Vec3 centre() const { return 0.5 * (low + high); }
    [[nodiscard]] double diagonal() const { return norm(high - low); }
};

/// The smallest box about all cloth, or about everything where there is no cloth; a point at the
/// origin where there is nothing. Points that belong to no triangle do not count.
[[nodiscard]] Extent cloth_box(std::span<const RenderMesh> meshes);

/// Whether an obstacle is so large beside the cloth (more than about three times its extent, or one
/// and a half times for a flat one) that it is scenery, such as a floor, rather than something to
/// be framed.
[[nodiscard]] bool is_backdrop(const RenderMesh& mesh, const Extent& cloth);

/// The positions to be framed: all cloth, and of the obstacles that are no backdrop the part
/// within three times the cloth's box.
[[nodiscard]] std::vector<Vec3> subject_points(std::span<const RenderMesh> meshes);

/// The nearest camera that looks in the given direction and has all of subject_points() in frame
/// with a small margin; the tighter of width and height is filled.
/// \param up the world's up axis
/// \param aspect width over height of the picture
/// \param azimuth of the eye about `up` [rad]: at 0 the world's x axis points to the right, and a
///     growing azimuth takes the eye counter-clockwise as seen from above
/// \param elevation of the eye above the horizon [rad], in [-pi/2, pi/2]
/// \pre aspect > 0, up is not zero, 0 < vertical_fov < pi, all positions finite
[[nodiscard]] Camera fit_camera(std::span<const RenderMesh> meshes, const Vec3& up, double aspect,
                                double azimuth, double elevation, double vertical_fov = 0.5);

} // namespace pleat
