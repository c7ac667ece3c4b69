// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Brings garments onto the body before frame 0: panels that were placed around it close in, layer
// by layer, until they are as near to unstrained as the body lets them be.
// Based on: [Narain2012] sec. 6 (strain limits both at zero). Departs from it: the limits shrink to
// zero over time and contact is resolved on the way, so that what starts free of crossings stays
// so; and outer layers wait where they are until the inner ones sit.
#pragma once

#include "pleat/scene/load_scene.hpp"

namespace pleat {

/// Dresses the garments as "dress" of the scene says, if it has that key. Obstacles have their
/// positions at time 0. Adds a note about the result.
/// \pre check_start() passed
/// \throw InputError where the solver gives up: names the layer and the reason.
void dress(const SceneDescription& description, Scene& scene);

} // namespace pleat
