// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// The slot that changes the mesh between frames.
#pragma once

#include "pleat/model/model.hpp"
#include "pleat/model/reports.hpp"
#include "pleat/model/state.hpp"
#include "pleat/model/world.hpp"

#include <memory>
#include <utility>
#include <vector>

namespace pleat {

class Remesher {
public:
    virtual ~Remesher() = default;
    /// Changes the mesh of `model` and carries every field of model and state along; both are
    /// compact and derived quantities up to date afterwards.
    [[nodiscard]] virtual RemeshReport remesh(const World& world, double time, Model& model,
                                              State& state) = 0;
};

/// Keeps the mesh as it is.
class RemesherNone final : public Remesher {
public:
    RemeshReport remesh(const World&, double, Model&, State&) override { return {}; }
};

/// Several remeshers in sequence, each for its own cloths.
class RemesherSequence final : public Remesher {
public:
    explicit RemesherSequence(std::vector<std::unique_ptr<Remesher>> parts)
        : parts_(std::move(parts))
    {}
    /// The sizing of the report is that of all parts together.
    RemeshReport remesh(const World& world, double time, Model& model, State& state) override;

private:
    std::vector<std::unique_ptr<Remesher>> parts_;
};

} // namespace pleat
