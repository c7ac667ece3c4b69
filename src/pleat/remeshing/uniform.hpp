// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Refines at the start (time 0) until no edge is longer than given; then keeps the mesh.
#pragma once

#include "pleat/remeshing/remesher.hpp"

#include <optional>
#include <vector>

namespace pleat {

class RemesherUniform final : public Remesher {
public:
    /// \param edge_length longest edge by ClothId [m]; a cloth without one keeps its mesh.
    explicit RemesherUniform(std::vector<std::optional<double>> edge_length);
    RemeshReport remesh(const World& world, double time, Model& model, State& state) override;

private:
    std::vector<std::optional<double>> edge_length_;
};

} // namespace pleat
