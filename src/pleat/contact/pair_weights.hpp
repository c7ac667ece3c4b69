// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Pairs of features in terms of the nodes that can move. A pair is four points with weights, and
// what it does follows from the weighted sum of their displacements. Where a point is a dependent
// node (Model::dependencies) its parents stand for it, each with its share of the weight.
#pragma once

#include "pleat/core/vec.hpp"
#include "pleat/linalg/dependencies.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace pleat {

using PairNodes = std::array<std::uint32_t, 4>;
using PairWeights = std::array<double, 4>;

/// sum_i weights[i] values[nodes[i]]; the values of dependent nodes are not read.
[[nodiscard]] inline Vec3 pair_sum(const Dependencies& dependencies, const PairNodes& nodes,
                                   const PairWeights& weights, std::span<const Vec3> values)
{
    Vec3 sum{};
    for (std::size_t i = 0; i < 4; ++i)
        dependencies.visit(nodes[i], weights[i],
                           [&](std::uint32_t node, double w) { sum += w * values[node]; });
    return sum;
}

/// How far the sum above moves for a unit of impulse [1/kg]: sum w^2 / m over the free nodes. Zero
/// where the weights of the parents cancel but for a small rest: no impulse opens such a pair.
[[nodiscard]] inline double pair_compliance(const Dependencies& dependencies,
                                            const PairNodes& nodes, const PairWeights& weights,
                                            std::span<const double> inverse_mass)
{
    constexpr double cancelled = 1e-6; // share of the compliance that the nodes have one by one
    double sum = 0;
    dependencies.visit_sum(
        nodes, weights, [&](std::uint32_t node, double w) { sum += w * w * inverse_mass[node]; });
    if (dependencies.empty()) return sum;
    double apart = 0;
    for (std::size_t i = 0; i < 4; ++i)
        dependencies.visit(nodes[i], weights[i], [&](std::uint32_t node, double w) {
            apart += w * w * inverse_mass[node];
        });
    return sum > cancelled * apart ? sum : 0;
}

/// values[node] += weight inverse_mass impulse for the nodes of a pair. Dependent nodes follow when
/// the caller says so.
inline void push_pair(const Dependencies& dependencies, const PairNodes& nodes,
                      const PairWeights& weights, std::span<const double> inverse_mass,
                      const Vec3& impulse, std::span<Vec3> values)
{
    for (std::size_t i = 0; i < 4; ++i)
        dependencies.visit(nodes[i], weights[i], [&](std::uint32_t node, double w) {
            if (const double s = w * inverse_mass[node]; s != 0) values[node] += s * impulse;
        });
}

} // namespace pleat
