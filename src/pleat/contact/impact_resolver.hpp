// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// The slot that makes the path from one state to the next free of crossings.
#pragma once

#include "pleat/model/loads.hpp"
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
    /// Applies repulsions between pairs that are close at `in` to `next`; called once per motion,
    /// before resolve(). Does nothing by default.
    virtual void repel(const Model& /*model*/, const State& /*in*/, const Loads& /*loads*/,
                       const World& /*world*/, std::span<const ObstacleSample> /*obstacles*/,
                       double /*dt*/, State& /*next*/)
    {}
    /// Changes `next` so that moving straight from `in` to it crosses nothing. Pinned nodes stay
    /// where the loads put them. A report that is not ok asks for a smaller dt.
    /// \param insist there will be no smaller dt: resolve what can be resolved and count the rest.
    [[nodiscard]] virtual ImpactReport resolve(const Model& model, const State& in,
                                               const Loads& loads, const World& world,
                                               std::span<const ObstacleSample> obstacles, double dt,
                                               bool insist, State& next) = 0;
    virtual void mesh_changed() {}
};

/// Resolves nothing; the audit of each frame counts what crosses.
class ImpactResolverNone final : public ImpactResolver {
public:
    ImpactReport resolve(const Model&, const State&, const Loads&, const World&,
                         std::span<const ObstacleSample>, double, bool, State&) override
    {
        return {};
    }
};

} // namespace pleat
