// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// A proximity as one step of an integrator sees it: a push that never pulls, linear below the
// thickness and much steeper below `firm`, and Coulomb friction, linear in the slip as far as the
// next solve is concerned. Integrators that solve several times settle_friction() in between.
#pragma once

#include "pleat/core/vec.hpp"
#include "pleat/model/contacts.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

namespace pleat {

struct Touch {
    std::array<std::uint32_t, 4> rows{};
    std::array<double, 4> weights{};
    std::size_t count = 0;
    Vec3 normal{};
    Vec3 anchor_t0{}, anchor_t1{}; // [m]
    Vec3 anchor_velocity{};        // [m/s]
    double thickness = 0;          // [m]
    double stiffness = 0;          // [N/m]
    double firm = 0;               // [m]
    double firm_stiffness = 0;     // below `firm`, besides the other [N/m]
    double friction = 0;           // Coulomb's mu
    // Friction is -(grip + drag slip), where the drag leaves out the direction `along`.
    Vec3 grip{};                                                // [N]
    double most_drag = std::numeric_limits<double>::infinity(); // [kg/s]
    Vec3 along{};                                               // unit, tangential; zero: none
    double drag = 0;                                            // [kg/s]

    [[nodiscard]] Vec3 sum(std::span<const Vec3> values) const
    {
        Vec3 s{};
        for (std::size_t i = 0; i < count; ++i) s += weights[i] * values[rows[i]];
        return s;
    }
    /// [m], with the anchor at the fraction t of the step.
    [[nodiscard]] double gap(std::span<const Vec3> x, double t) const
    {
        return dot(normal, sum(x) + (1 - t) * anchor_t0 + t * anchor_t1);
    }
    /// Tangential part of the relative velocity [m/s].
    [[nodiscard]] Vec3 slip(std::span<const Vec3> v) const
    {
        const Vec3 u = sum(v) + anchor_velocity;
        return u - dot(normal, u) * normal;
    }
    /// Force along the normal [N], never negative.
    [[nodiscard]] double push(double gap) const
    {
        return stiffness * std::max(0.0, thickness - gap) +
               firm_stiffness * std::max(0.0, firm - gap);
    }
    /// d push / d gap, less the sign [N/m].
    [[nodiscard]] double push_stiffness(double gap) const
    {
        return (gap < thickness ? stiffness : 0.0) + (gap < firm ? firm_stiffness : 0.0);
    }
    /// Friction on the first feature, as the last settling made it [N].
    [[nodiscard]] Vec3 friction_force(const Vec3& slip) const
    {
        return -(grip + drag * (slip - dot(slip, along) * along));
    }
};

/// \param friction_speed below which friction is a plain drag [m/s]
[[nodiscard]] Touch make_touch(const Proximity& proximity, std::span<const Vec3> x,
                               std::span<const Vec3> v, double dt, double friction_speed);

/// Makes friction what Coulomb's law says of a normal force `pushed` [N] and the slip [m/s] that
/// the last solve ended with. Where friction was too strong the touch slides: friction keeps its
/// size and follows the direction. Where it was too weak it becomes a drag that cannot turn the
/// slip around; where that drag would be more than most_drag, what it holds is taken over into the
/// grip, so that the slip goes to zero from one settling to the next. \return by how much the force
/// on this slip changes [N]
double settle_friction(Touch& touch, double pushed, const Vec3& slip, double friction_speed);

} // namespace pleat
