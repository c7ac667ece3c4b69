// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// A slit is a cut in a panel: two stretches of its outline that lie on each other in material
// space. Contact keeps the two sides apart as it does any cloth. For that they must start
// separated: if features touch exactly, their side is undefined.
#pragma once

#include "pleat/core/field.hpp"
#include "pleat/core/vec.hpp"
#include "pleat/mesh/mesh.hpp"

#include <cstddef>

namespace pleat {

/// Opens slits that are closed. A node of the outline that is nearer than `gap` to an edge of the
/// same panel's outline, in the world and in material space, moves by half of it into its own side
/// (by less where its own edges are about as short as that). The ends of a slit, whose nodes both
/// sides share, stay.
/// \param gap [m], far below what can be seen
/// \return how many nodes moved
std::size_t open_slits(const Mesh& mesh, double gap, Field<NodeId, Vec3>& x);

} // namespace pleat
