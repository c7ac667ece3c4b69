// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Copies of garments and bodies, for crowds. Private to this folder.
#pragma once

#include "pleat/scene/json_reader.hpp"
#include "pleat/scene/scene_file.hpp"

namespace pleat {

/// Adds the cloths, obstacles, handles and friction pairs of each instance to the scene, after
/// those that are there, and clears the list of instances. Each cloth and obstacle of the instance
/// `i` gets the name "<name>_<i>". Problems go to the file.
void add_instances(SceneDescription& scene, JsonFile& file);

} // namespace pleat
