// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// The reports of the stages. Numerical trouble is reported here, never by an exception; the
// pipeline passes it on to the user.
#pragma once

#include "pleat/core/field.hpp"
#include "pleat/core/ids.hpp"
#include "pleat/core/vec.hpp"
#include "pleat/model/contacts.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace pleat {

struct FaceSizing; // remeshing/sizing.hpp

/// Report of an integrator.
struct SolveReport {
    bool ok = true;
    std::string trouble; // why not ok, in words
    int newton_iterations = 0;
    int linear_iterations = 0;    // of CG, summed
    int contact_passes = 0;       // solves that contacts asked for beyond the first
    bool contacts_settled = true; // false: the bounds on forces were not met
    int fallbacks = 0;            // times a direct factor stepped in for CG
    double residual = 0;          // forces that are left, as a share of those in play
    double ms_prepare = 0;        // factors and preconditioners [ms]
    double ms_solve = 0;          // linear solves [ms]
    double dt_stable = 0;         // the bound of an explicit method [s]; 0: none
    int inner_steps = 1;          // into how many steps the method cut dt
    bool modified = false;        // limits and collisions were applied inside the step
};

struct ContactReport {
    std::size_t proximities = 0;
    std::size_t candidates = 0;
    std::size_t pinched = 0; // nodes between obstacles with less than two separations of room
};

struct LimitReport {
    bool ok = true;
    std::string trouble;
    int iterations = 0;
    double worst_violation = 0; // beyond the limits, as strain
};

struct ImpactReport {
    bool ok = true;
    std::string trouble;
    std::size_t impacts = 0;
    int iterations = 0;
    std::size_t zones = 0;
    std::size_t rigid_zones = 0;
    std::size_t pinched = 0;    // nodes that no position satisfies
    std::size_t unresolved = 0; // pairs given up
    // The pairs that were pushed apart, as contacts that must keep their gap if the cloth is moved
    // again in the same step.
    std::vector<Proximity> kept_apart;
};

struct RemeshReport {
    bool changed = false;
    std::size_t splits = 0, flips = 0, collapses = 0;
    std::size_t refused = 0;   // edits not done because they would have made a crossing
    std::size_t midpoints = 0; // splits put in the middle of the edge for the same reason
    std::size_t crossings = 0; // pairs of faces that crossed after the edits, then separated
    std::size_t kept = 0;      // faces left as they were because nothing else helped
    double ms_separate = 0;    // spent on finding and resolving crossings
    // Effect of the change of the mesh on the motion: after minus before.
    Vec3 momentum_change{};         // [kg m/s]
    Vec3 angular_momentum_change{}; // about the origin [kg m^2/s]
    double kinetic_change = 0;      // [J]
    double elastic_change = 0;      // [J]
    /// By face of the new mesh: the face of the old mesh that it came from. Empty: unchanged.
    Field<FaceId, FaceId> origin;
    /// The sizing that the remesher used, on the resulting mesh, for viewers. Null: there is no
    /// sizing, or it is invalid because the mesh changed again.
    std::shared_ptr<const FaceSizing> sizing;

    /// \param b of what was done afterwards
    RemeshReport& operator+=(const RemeshReport& b)
    {
        changed = changed || b.changed;
        splits += b.splits;
        flips += b.flips;
        collapses += b.collapses;
        refused += b.refused;
        midpoints += b.midpoints;
        crossings += b.crossings;
        kept += b.kept;
        ms_separate += b.ms_separate;
        momentum_change += b.momentum_change;
        angular_momentum_change += b.angular_momentum_change;
        kinetic_change += b.kinetic_change;
        elastic_change += b.elastic_change;
        if (b.changed || b.sizing) sizing = b.sizing;
        if (b.changed) {
            Field<FaceId, FaceId> last = b.origin;
            if (origin.size() > 0)
                for (FaceId& f : last.values) f = origin[f];
            origin = std::move(last);
        }
        return *this;
    }
};

} // namespace pleat
