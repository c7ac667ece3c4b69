// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Contact by impulses on the motion that an integrator proposes, suited to explicit integrators:
// repulsions between pairs that are close at the start of the step, then impulses on pairs that
// would still collide, then rigid impact zones for the rest.
// Based on: [Bridson2002] sec. 4 (order of the stages), 7.2 (repulsions), 7.3 (friction), 7.4
// (collisions), 7.6 (final velocity), [Provot1997] (rigid zones), [Bender2013] sec. 6.
//
// Everything acts on the average velocity of the step, the displacement over dt. A repulsion has an
// inelastic part, which takes the approach away, and a spring of stiffness k, that of the fabric
// against stretching: with d what the pair lacks of the thickness its impulse is
//
//   min(k d dt, m (0.1 d / dt - v_N)),
//
// m the mass of the pair and v_N the speed at which it opens: so that a pair opens by at most a
// tenth of what it lacks in a step, and nothing bounces. Friction is Coulomb's on each impulse.
// Impulses act on both sides of a pair, so that cloth hitting cloth keeps its momentum. Pairs with
// obstacles come first in each round, cloth against cloth last ([Bridson2003] sec. 5).
//
// Repulsions by impulses need an integrator that lets them change velocities before positions, in
// steps as short as an explicit one takes (Integrator::advance_modified()); it also makes the
// velocity at the end. An implicit integrator lets cloth that hangs over an edge fall as if nothing
// held it, by what a long step allows, and an impulse afterwards pulls only the touching nodes
// back: the cloth is stretched further at every step. There the repulsions have to be part of the
// solve (ContactFinderProximity), only collisions are left to impulses, and the velocity at the end
// follows from them by a linear solve (final_velocity.hpp).
//
// Departs from [Bridson2002]: masses are those of the nodes instead of one for all; pairs are gone
// through several times, which is harmless, because a pair that no longer approaches gets nothing
// and its spring gives no more than k d dt in all; a colliding pair may close up to the separation
// within the step instead of stopping where it was, or a sheet thrown at 20 m/s would hang in the
// air for a step.
//
// Contacts of dependent nodes (Model::dependencies) that share a parent push it one after the
// other, and each would leave it faster than all together need: cloth would bounce. There the
// sweeps may also reduce earlier impulses of a pair (projected Gauss-Seidel), and more sweeps are
// done.
#pragma once

#include "pleat/contact/contact_options.hpp"
#include "pleat/contact/final_velocity.hpp"
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
    /// How hits are resolved: impulses and then rigid zones, impact zones (impact_zones.hpp), or
    /// not at all.
    enum class Collisions { by_impulses, by_zones, none };
    explicit ImpactResolverImpulses(const ContactOptions& options,
                                    Repulsions repulsions = Repulsions::by_impulses,
                                    Collisions collisions = Collisions::by_impulses);

    void repel(const Model& model, const State& in, const Loads& loads, const World& world,
               std::span<const ObstacleSample> obstacles, double dt, State& next) override;
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
        double spring = 0;     // opening that the spring has left to give in this step [m]
        double given = 0;      // opening that it was given so far [m]
    };

    void begin(const Model& model, const State& in, const Loads& loads, const World& world,
               std::span<const ObstacleSample> obstacles, const State& next);
    void find_repulsions(const Model& model, const State& in, const World& world,
                         std::span<const ObstacleSample> obstacles, double dt);

    ContactOptions options_;
    Repulsions repulsions_by_;
    Collisions collisions_by_;
    ImpactDetector detector_;
    ImpactResolverImpactZones zones_; // rigid ones only, where impulses come first
    FinalVelocity final_velocity_;
    ContactSurface near_; // everything at the start of the step
    bool stale_ = true;
    std::vector<std::vector<Repulsion>> pieces_;
    std::vector<Repulsion> repulsions_;
    std::vector<double> inverse_mass_; // of all points; 0: held [1/kg]
    std::vector<Vec3> shift_;          // of all points over the step [m]
    std::vector<Vec3> x_;              // of the cloth at the end of the step [m]
    std::vector<Vec3> proposed_;       // shifts of the cloth's nodes, as given [m]
    std::vector<double> stretch_;      // stiffness by material [N/m]
    std::vector<std::uint8_t> changed_;
};

} // namespace pleat
