// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Options shared by contact finders and impact resolvers.
#pragma once

namespace pleat {

/// How pairs of faces with overlapping boxes are found. Both find the same pairs.
enum class BroadPhase { bvh, spatial_hash };

struct ContactOptions {
    double thickness = 0.005; // where repulsion begins [m]
    double friction = 0.3;    // Coulomb's mu where neither obstacle nor material says
    double stiffness = 1;     // of repulsion, in node mass / dt^2
    BroadPhase broad_phase = BroadPhase::bvh;
    int zone_rounds = 24; // of impact zones before they become rigid; 0: at once

    /// Separation that the impact stage restores [m].
    [[nodiscard]] double separation() const { return 0.1 * thickness; }
    /// Separation that it restores for pairs that are closer than that at rest, such as the sides
    /// of a slit [m].
    [[nodiscard]] double least_separation() const { return 0.1 * separation(); }
    /// How far slits that start closed are opened [m].
    [[nodiscard]] double slit_opening() const { return 2 * least_separation(); }
};

} // namespace pleat
