// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Cameras of a scene as functions of time.
#pragma once

#include "pleat/model/camera.hpp"
#include "pleat/scene/motions.hpp"
#include "pleat/scene/scene_file.hpp"

namespace pleat {

/// \param scene_up where the camera has no `up` of its own
/// \throw InputError where a glTF or motion file is bad, or has no such camera or body
[[nodiscard]] CameraTrack read_camera(const CameraDescription& description, const Vec3& scene_up,
                                      MotionFiles& files);

} // namespace pleat
