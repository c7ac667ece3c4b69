// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Rest angles of an edited mesh, from the surface that it bends back to.
// Based on: [Bridson2003] sec. 4.
#pragma once

#include "pleat/core/ids.hpp"
#include "pleat/model/model.hpp"

#include <span>

namespace pleat {

/// Gives the edges of faces the angles of the rest surface, in cloths that have one.
/// \param faces all that were changed or made since the angles were right; the mesh may hold dead
///        elements, none of them among these.
/// \pre model.rest_surface
void update_rest_angles(Model& model, std::span<const FaceId> faces);

} // namespace pleat
