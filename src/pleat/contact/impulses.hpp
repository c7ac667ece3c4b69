// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Contact by impulses on what an integrator proposes, as suits an explicit one: repulsions between
// what is near at the start of the step, then impulses at what would still collide, then rigid
// impact zones for what does not come free.
// Based on: [Bridson2002] sec. 4 (order of the stages), 5 (repulsions), 6 and 7 (collisions),
// [Provot1997] (rigid zones).
//
// Everything acts on the average velocity of the step, the displacement over dt. A repulsion has an
// inelastic part, which takes the approach away, and a spring, which opens the pair by at most a
// tenth of what it lacks of the thickness in a step; so nothing bounces. Friction is Coulomb's on
// each impulse. Impulses act on both sides of a pair, so that cloth hitting cloth keeps its
// momentum.
//
// Repulsions need steps as short as an explicit integrator takes. An implicit one lets cloth that
// hangs over an edge fall as if nothing held it, by what a long step allows, and an impulse
// afterwards pulls only the touching nodes back: the cloth is stretched further at every step.
// There the repulsions have to be part of the solve (ContactFinderProximity), and only collisions
// are left to impulses.
//
// Departs from [Bridson2002]: masses are those of the nodes instead of one for all; pairs are gone
// through several times, which is harmless, because a pair that no longer approaches gets nothing;
// a colliding pair may close up to the separation within the step instead of stopping where it was,
// or a sheet thrown at 20 m/s would hang in the air for a step.
#pragma once

#include "pleat/contact/contact_options.hpp"
#include "pleat/contact/impact_detection.hpp"
#include "pleat/contact/impact_resolver.hpp"
#include "pleat/contact/impact_zones.hpp"

#include <array>
#include <cstdint>
#include <vector>

namespace pleat {

class ImpactResolverImpulses final : public ImpactResolver {
public:
    enum class Repulsions { by_impulses, in_the_solve };
    explicit ImpactResolverImpulses(const ContactOptions& options,
                                    Repulsions repulsions = Repulsions::by_impulses);

    [[nodiscard]] ImpactReport resolve(const Model& model, const State& in, const Loads& loads,
                                       const World& world,
                                       std::span<const ObstacleSample> obstacles, double dt,
                                       bool insist, State& next) override;
    void mesh_changed() override;

private:
    /// A pair that is nearer than its thickness at the start of the step.
    struct Repulsion {
        std::array<std::uint32_t, 4> nodes{};
        std::array<double, 4> weights{};
        Vec3 normal{};
        double missing = 0;    // of the thickness [m]
        double friction = 0;   // Coulomb's mu
        double compliance = 0; // sum w^2 / m [1/kg]
    };

    void find_repulsions(const Model& model, const State& in, const World& world,
                         std::span<const ObstacleSample> obstacles);
    void repel();

    ContactOptions options_;
    Repulsions repulsions_by_;
    ImpactDetector detector_;
    ImpactResolverImpactZones rigid_; // rigid zones only
    ContactSurface near_;             // everything at the start of the step
    bool stale_ = true;
    std::vector<std::vector<Repulsion>> pieces_;
    std::vector<Repulsion> repulsions_;
    std::vector<double> inverse_mass_; // of all points; 0: held [1/kg]
    std::vector<Vec3> shift_;          // of all points over the step [m]
    std::vector<Vec3> x_;              // of the cloth at the end of the step [m]
    std::vector<std::uint8_t> changed_;
};

} // namespace pleat
