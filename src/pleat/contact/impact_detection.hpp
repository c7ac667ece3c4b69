// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Continuous detection over the whole cloth: which pairs of features come nearer than they may
// while everything moves along straight lines from the start of a step to its end.
// Based on: [Bridson2002] sec. 6, [Harmon2008].
//
// Distances: detection requires half of the separation that the response restores, so that a small
// error of the response is not reported as a new hit. A pair that starts closer than required must
// keep half of its distance: otherwise it would be a hit however it moves. Pairs that are near in
// the fabric may be nearer, in proportion, down to a tenth of the separation: the two sides of a
// slit, which lie on each other at rest, are still two surfaces.
//
// A response moves nodes by little, and detection is repeated after it many times. So the pairs
// near a moved node are listed, each with its room: the sum of displacements of its nodes that is
// possible before the pair can hit. Later detections only test the pairs of the list that have used
// up their room. The list contains all pairs with less room than 1.5 `pad_`, so it is complete as
// long as the node has moved by less than half of `pad_`. After that its pairs are listed again.
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
    [[nodiscard]] std::vector<ImpactHit> detect_all(Limit limit);
    /// The cloth ends elsewhere: hits among the pairs with a node that is marked in `changed` (by
    /// NodeId). \pre detect_all() was called since begin()
    [[nodiscard]] std::vector<ImpactHit> detect_changed(std::span<const Vec3> cloth_x1,
                                                        std::span<const std::uint8_t> changed,
                                                        Limit limit);

private:
    /// A pair that comes near.
    struct NearPair {
        FeaturePair pair;
        double until; // as long as its nodes have been moved by less, all added up, it is safe [m]
    };
    /// What one thread finds.
    struct Found {
        std::vector<ImpactHit> hits;
        std::vector<NearPair> near;
    };

    template <class Wanted, class Look> void visit_pairs(Wanted&& wanted, Look&& look);
    /// \return its room: by how much less it may come apart and still not hit, at least; minus
    /// infinity where it hits, so that it is tested until it does not [m]
    double test(const FeaturePair& pair, Limit limit, std::vector<ImpactHit>& hits) const;
    void test_near(Limit limit, std::vector<ImpactHit>& hits);
    void list_new(Limit limit, std::vector<ImpactHit>& hits);
    void test_planes(std::span<const std::uint8_t> changed, Limit limit,
                     std::vector<ImpactHit>& hits);
    void clear_found(std::size_t pieces);
    void gather(std::vector<ImpactHit>& hits);

    /// How far the nodes of a pair have been moved, all added up [m].
    [[nodiscard]] double moved(const FeaturePair& pair) const;
    [[nodiscard]] bool is_new(const FeaturePair& pair) const;

    double thickness_, separation_, least_separation_;
    double asked_; // the gap below which a pair may be a hit, at most [m]
    double pad_;   // [m]
    bool stale_ = true;
    ContactSurface surface_;
    RestGap rest_;
    // By node of the cloth:
    std::vector<std::uint8_t> listed_;   // 1: its pairs are listed
    std::vector<Vec3> listed_end_;       // where it ended then [m]
    std::vector<double> moved_;          // the length of the way that its end was moved [m]
    std::vector<std::uint8_t> new_;      // 1: is to be listed now
    std::vector<std::uint8_t> new_face_; // by face of the cloth: 1: has such a node
    std::vector<std::uint32_t> faces_;   // those faces
    std::vector<NearPair> near_;
    std::vector<Found> found_; // by piece of work
};

} // namespace pleat
