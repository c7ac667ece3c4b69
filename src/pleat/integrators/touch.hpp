// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// A proximity as one step of an integrator sees it: a linear push below the thickness, and Coulomb
// friction as a drag with the normal force of the start of the step.
#pragma once

#include "pleat/core/vec.hpp"
#include "pleat/model/contacts.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
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
    double drag = 0;               // of friction [kg/s]

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
};

/// \param friction_speed below which friction is a plain drag [m/s]
[[nodiscard]] Touch make_touch(const Proximity& proximity, std::span<const Vec3> x,
                               std::span<const Vec3> v, double dt, double friction_speed);

} // namespace pleat
