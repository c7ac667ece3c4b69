// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Applies overrides to the JSON of a scene. Private to this folder.
#pragma once

#include "pleat/scene/json_reader.hpp"
#include "pleat/scene/scene_override.hpp"

namespace pleat {

/// In order, so that a later one may go on from what an earlier one set. Objects that are missing
/// on the way are made.
/// \throw InputError with every override that leads nowhere or whose value cannot be read.
void apply_overrides(Json& json, const SceneOverrides& overrides);

} // namespace pleat
