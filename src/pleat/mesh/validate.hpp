// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Checks every invariant of a mesh; for tests after each edit, and for debugging.
#pragma once

#include "pleat/core/field.hpp"
#include "pleat/mesh/mesh.hpp"

#include <optional>
#include <string>
#include <vector>

namespace pleat {

struct ValidateOptions {
    std::optional<double> expected_area; // total material area [m^2], within 1e-12 relative
    const Field<FaceId, double>* face_density = nullptr; // [kg/m^2], with expected_mass
    std::optional<double> expected_mass;                 // [kg], within 1e-12 relative
};

/// Every broken invariant in words, empty when the mesh is sound: adjacency in both directions,
/// orientation, manifold edges and nodes, one fan a vert, seams that agree, positive material
/// areas, node kinds that fit their edges, total area and mass. Dead elements are referred to by
/// none.
[[nodiscard]] std::vector<std::string> validate(const Mesh& mesh,
                                                const ValidateOptions& options = {});

} // namespace pleat
