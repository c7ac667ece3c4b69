// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// A proximity as one step of an integrator sees it: forces and the potentials that they come from.
//
//   push      never pulls; linear below the thickness, and much steeper below `firm`. Its potential
//             has a continuous gradient.
//   friction  Coulomb's law with the normal force N of an earlier state ("lagged"): a force of
//             at most mu N against the slip, the projection of grip + hold * slip onto the disc of
//             radius mu N. For given N and grip this has a convex potential too, so that a step
//             with contacts is a minimisation.
//
// `hold` is a drag that keeps the slip of a sticking contact small. A drag that holds it well by
// itself would be by far the stiffest part of the system, and every contact that starts or ends to
// slip would be a surprise to a linear model. So the drag is moderate, and what it holds is taken
// over into `grip` from one refresh to the next, as in an augmented Lagrangian method: the slip
// goes to zero all the same.
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
    double most_friction = 0;      // mu N [N]
    double hold = 0;               // [kg/s]
    double most_hold = std::numeric_limits<double>::infinity(); // [kg/s]
    Vec3 grip{};                                                // [N]

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
        return tangential(sum(v) + anchor_velocity);
    }
    [[nodiscard]] Vec3 tangential(const Vec3& u) const { return u - dot(normal, u) * normal; }

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
    /// [J]
    [[nodiscard]] double push_potential(double gap) const
    {
        const double depth = std::max(0.0, thickness - gap), deep = std::max(0.0, firm - gap);
        return 0.5 * (stiffness * depth * depth + firm_stiffness * deep * deep);
    }

    /// Friction on the first feature [N].
    [[nodiscard]] Vec3 friction_force(const Vec3& slip) const
    {
        const Vec3 f = grip + hold * slip;
        const double size = norm(f);
        return size > most_friction ? f * (-most_friction / size) : -f;
    }
    /// - d force / d slip [kg/s], symmetric and not negative.
    [[nodiscard]] Mat3 friction_matrix(const Vec3& slip) const
    {
        const Mat3 across = identity<3>() - outer(normal, normal);
        const Vec3 f = grip + hold * slip;
        const double size = norm(f);
        if (size <= most_friction) return across * hold;
        return (across - outer(f, f) * (1 / (size * size))) * (hold * most_friction / size);
    }
    /// Its gradient with respect to the slip is the force, less the sign [W].
    [[nodiscard]] double friction_potential(const Vec3& slip) const
    {
        if (hold == 0) return 0;
        const double size = norm(grip + hold * slip);
        return size <= most_friction ? 0.5 * size * size / hold
                                     : most_friction * (size - 0.5 * most_friction) / hold;
    }
};

[[nodiscard]] Touch make_touch(const Proximity& proximity, double dt);

/// Gives friction the normal force `pushed` [N], where the slip is as given [m/s].
/// \param drag_slip at which the drag reaches mu N, where most_hold allows it [m/s]
/// \return by how much the force on this slip changes [N]
double refresh_friction(Touch& touch, double pushed, const Vec3& slip, double drag_slip);

} // namespace pleat
