// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Makes the motion from one state to the next intersection-free: continuous detection with a
// positive separation, and zones of impacts that are solved together until detection finds no more
// hits.
// Based on: [Harmon2008] (non-rigid impact zones), [Provot1997] (rigid ones, as the fail-safe),
// [Bridson2002] sec. 7.
//
// A zone is a set of impacts that share nodes. It takes the nearest end positions, weighted with
// mass, at which every gap is restored: projected Gauss-Seidel on the impulses, with Coulomb's
// friction on each. Points of obstacles and pinned nodes do not give way. Velocities change by
// displacement / dt, so that cloth hitting cloth keeps its momentum.
//
// Zones that cannot be resolved this way move as rigid bodies, carried by the obstacle or pins that
// they touch: under such a motion nothing inside can cross, because straight paths to a rotated
// copy are an affine map at each moment. If that fails too (two obstacles that move differently
// hold one cluster), the step is refused, and with `insist` the cluster goes with the one that
// holds more of it; the pairs with the other are given up and counted.
#pragma once

#include "pleat/contact/contact_options.hpp"
#include "pleat/contact/impact_resolver.hpp"

#include <memory>

namespace pleat {

class ImpactResolverImpactZones final : public ImpactResolver {
public:
    explicit ImpactResolverImpactZones(const ContactOptions& options);
    ~ImpactResolverImpactZones() override;

    [[nodiscard]] ImpactReport resolve(const Model& model, const State& in, const Loads& loads,
                                       const World& world,
                                       std::span<const ObstacleSample> obstacles, double dt,
                                       bool insist, State& next) override;
    void mesh_changed() override;

private:
    struct Work;
    ContactOptions options_;
    std::unique_ptr<Work> work_;
};

} // namespace pleat
