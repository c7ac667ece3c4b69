// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// The slot that makes the path from one state to the next free of crossings.
#pragma once

#include "pleat/model/model.hpp"
#include "pleat/model/obstacle_sample.hpp"
#include "pleat/model/reports.hpp"
#include "pleat/model/state.hpp"
#include "pleat/model/world.hpp"

#include <span>

namespace pleat {

class ImpactResolver {
public:
    virtual ~ImpactResolver() = default;
    /// Changes `next` so that moving straight from `in` to it crosses nothing.
    [[nodiscard]] virtual ImpactReport resolve(const Model& model, const State& in,
                                               const World& world,
                                               std::span<const ObstacleSample> obstacles, double dt,
                                               State& next) = 0;
    virtual void mesh_changed() {}
};

/// Resolves nothing; the audit of each frame counts what crosses.
class ImpactResolverNone final : public ImpactResolver {
public:
    ImpactReport resolve(const Model&, const State&, const World&, std::span<const ObstacleSample>,
                         double, State&) override
    {
        return {};
    }
};

} // namespace pleat
