// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Features near enough to touch during one step; found by the contact folder, handled inside the
// implicit solve by the integrators.
#pragma once

#include "pleat/core/ids.hpp"
#include "pleat/core/vec.hpp"

#include <array>
#include <vector>

namespace pleat {

/// A vertex-face, edge-edge or point-obstacle pair: the gap along the normal is
/// normal . (sum_i weights[i] x[nodes[i]] + anchor), where the anchor is the weighted sum of what
/// does not belong to the cloth (a point of an obstacle, with its sign). Repels below `thickness`.
struct Proximity {
    std::array<NodeId, 4> nodes{no_node, no_node, no_node, no_node}; // used ones first
    std::array<double, 4> weights{};
    Vec3 normal{};
    Vec3 anchor_t0{};     // at the start of the step [m]
    Vec3 anchor_t1{};     // at its end [m]
    double thickness = 0; // [m]
    double stiffness = 0; // force per penetration of the thickness [N/m]
    // Below this gap [m] the pair is held as firmly as the cloth itself is held together: whatever
    // weight hangs from it is carried. 0: never.
    double firm = 0;
    double friction = 0; // Coulomb's mu

    /// How many of the four nodes are used.
    [[nodiscard]] std::size_t node_count() const
    {
        std::size_t count = 0;
        while (count < nodes.size() && is_some(nodes[count])) ++count;
        return count;
    }
};

struct Contacts {
    std::vector<Proximity> proximities;
};

} // namespace pleat
