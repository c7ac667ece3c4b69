// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// From the elements of a mesh back to the places of its file; shared by the mesh formats.
#pragma once

#include "pleat/core/error.hpp"
#include "pleat/core/function_ref.hpp"
#include "pleat/mesh/mesh_input.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace pleat {

/// Gives each problem the places of its elements, a few where it has many. Edges are two ids each.
[[nodiscard]] std::vector<Problem>
locate_with(const std::vector<MeshProblem>& problems, const std::string& file,
            FunctionRef<std::string(MeshElement element, std::uint32_t id)> place_of,
            FunctionRef<std::string(std::uint32_t node_a, std::uint32_t node_b)> place_of_edge);

/// The first face that has both nodes.
[[nodiscard]] std::optional<std::size_t>
first_face_with(std::span<const std::array<std::uint32_t, 3>> face_nodes, std::uint32_t node_a,
                std::uint32_t node_b);

} // namespace pleat
