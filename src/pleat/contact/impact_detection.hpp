// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Continuous detection over the whole cloth: which pairs of features come nearer than they may
// while everything moves along straight lines from the start of a step to its end.
// Based on: [Bridson2002] sec. 6, [Harmon2008].
//
// Lengths: detection asks for half of the separation that a response restores, so that what the
// response leaves over does not come back as a hit. A pair that starts nearer than asked for keeps
// half of what it has: otherwise it would be a hit whichever way it turns. Pairs that are near in
// the fabric may be nearer, in proportion, down to a tenth of the separation: the two sides of
// a slit, which lie on each other at rest, are still two surfaces.
#pragma once

#include "pleat/contact/contact_options.hpp"
#include "pleat/contact/contact_surface.hpp"
#include "pleat/contact/rest_gap.hpp"
#include "pleat/core/function_ref.hpp"
#include "pleat/geometry/time_of_impact.hpp"
#include "pleat/model/model.hpp"
#include "pleat/model/obstacle_sample.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace pleat {

/// A pair that comes too near.
struct ImpactHit {
    FeaturePair pair;
    Impact impact;
    double separation; // to be restored: n . sum w_i x_i at the end of the step [m]
};

class ImpactDetector {
public:
    /// The most separation [m] that a pair may be asked for, infinity where nothing is known of it;
    /// 0: the pair is left alone. Asked for pairs that hit, in parallel.
    using Limit = FunctionRef<double(const FeaturePair&)>;

    explicit ImpactDetector(const ContactOptions& options);

    void mesh_changed() { stale_ = true; }
    /// Takes what moves. \pre mesh_changed() was called since the model's mesh changed
    void begin(const Model& model, const World& world, std::span<const ObstacleSample> obstacles,
               std::span<const Vec3> cloth_x0, std::span<const Vec3> cloth_x1);
    [[nodiscard]] const ContactSurface& surface() const { return surface_; }
    [[nodiscard]] const RestGap& rest() const { return rest_; }

    /// Every hit, in an order that does not depend on the number of threads.
    [[nodiscard]] std::vector<ImpactHit> detect_all(Limit limit) const;
    /// The cloth ends elsewhere: hits among the pairs with a node that is marked in `changed` (by
    /// NodeId).
    [[nodiscard]] std::vector<ImpactHit> detect_changed(std::span<const Vec3> cloth_x1,
                                                        std::span<const std::uint8_t> changed,
                                                        Limit limit);

private:
    void test(const FeaturePair& pair, Limit limit, std::vector<ImpactHit>& hits) const;
    void test_planes(std::span<const std::uint8_t> changed, Limit limit,
                     std::vector<ImpactHit>& hits) const;

    double thickness_, separation_, least_separation_;
    bool stale_ = true;
    ContactSurface surface_;
    RestGap rest_;
};

} // namespace pleat
