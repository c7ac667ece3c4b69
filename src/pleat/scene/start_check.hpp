// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Checks that the start is free of intersections: contact prevents new ones, but cannot remove
// existing ones.
#pragma once

#include "pleat/scene/load_scene.hpp"

#include <filesystem>

namespace pleat {

/// Looks for faces that cross at the start. Where the scene says "on_overlap": "untangle", moves
/// the cloth until there are none and adds a note; held nodes stay. Does nothing without contact.
/// \throw InputError naming the faces that cross.
void check_start(const SceneDescription& description, Scene& scene);

/// What to do about faces that cross at the start.
inline constexpr const char* overlap_advice =
    "cloth and obstacles apart at the start (\"transform\" moves them), or \"contact\": "
    "{\"on_overlap\": \"untangle\"} in the scene";

/// The file in the current folder to which `pleat check` writes the faces that cross unless told
/// otherwise: cloth-offenders.obj for cloth.json.
[[nodiscard]] std::filesystem::path offenders_name(const std::filesystem::path& scene_file);

} // namespace pleat
