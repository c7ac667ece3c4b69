// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Finds the features that are nearer than the thickness, or will be if nothing but gravity acts
// during the step, and gives each pair the spring and the friction that the implicit solve needs.
// Based on: [Bridson2002] (proximities with friction before the step), [Harmon2008].
//
// Which pairs. A vertex is paired with the nearest feature of a face (interior, edge or corner),
// and only if no neighbouring face is closer: so a vertex over a smooth surface has one partner.
// Two edges are paired if their nearest points are interior and at least one of the edges is a
// ridge toward the other; elsewhere vertices and faces suffice.
//
// Crowds. Where layers lie closer than the thickness, a vertex is near the second and third layer
// too. Such a pair says nothing that the nearer one in the same direction does not say: it loses
// its stiffness as that one comes clearly nearer, and is left out then. What remains is bounded by
// the number of directions around a feature, however many layers there are.
//
// How stiff. Every node sees at most `stiffness` times mass / dt^2 in all: a sheet rests
// g dt^2 below the thickness (0.25 mm at 5 ms) and the solve stays as easy as without contact.
// Deep pairs are stiffer, and below a quarter of the thickness a pair is to be held firmly
// (Proximity::firm): that carries whatever hangs from a point and stops what is fast. No pair is
// pushed out by more than a quarter of the thickness in a step, and one that is moving apart is
// pushed less: cloth does not bounce.
#pragma once

#include "pleat/contact/contact_finder.hpp"
#include "pleat/contact/contact_options.hpp"
#include "pleat/contact/contact_surface.hpp"
#include "pleat/contact/rest_gap.hpp"

namespace pleat {

class ContactFinderProximity final : public ContactFinder {
public:
    explicit ContactFinderProximity(const ContactOptions& options)
        : options_(options), surface_(options.broad_phase)
    {}

    [[nodiscard]] ContactReport find(const Model& model, const State& state, const World& world,
                                     std::span<const ObstacleSample> obstacles, double dt,
                                     Contacts& contacts) override;
    void mesh_changed() override { stale_ = true; }

private:
    struct Found {
        Proximity proximity;
        double factor;   // of stiffness, by depth
        double distance; // at the start of the step [m]
        double parting;  // speed, where positive [m/s]
        bool with_obstacle;
        bool edges;
        // Of cloth: the vertex; or the two edges, three times their face and their place in it.
        std::array<std::uint32_t, 2> features;
        double share = 1; // of it that nearer pairs leave
    };
    /// What one step is given.
    struct StepInput {
        const Model& model;
        const State& state;
        const World& world;
        double dt;
    };

    void place(const StepInput& s, std::span<const ObstacleSample> obstacles);
    void examine(const StepInput& s, const FeaturePair& pair, std::vector<Found>& found) const;
    [[nodiscard]] std::size_t search(const StepInput& s);
    void list_by_feature();
    [[nodiscard]] double left_by_nearer(const StepInput& s, const Found& f, std::size_t side) const;
    void merge(const StepInput& s);
    void sum_load(const StepInput& s);
    [[nodiscard]] double largest_load(const Model& model, const Proximity& c) const;
    void bound_load(const StepInput& s);
    void finish(const StepInput& s, Contacts& contacts) const;

    ContactOptions options_;
    bool stale_ = true;
    ContactSurface surface_;
    RestGap rest_;
    std::vector<Vec3> ahead_;  // where gravity alone takes the nodes [m]
    std::vector<double> load_; // stiffness that each node sees, in mass / dt^2
    std::vector<std::vector<Found>> pieces_;
    std::vector<Found> found_;
    std::vector<std::uint32_t> feature_start_; // by node, then by edge: into feature_pairs_
    std::vector<std::uint32_t> feature_pairs_; // of cloth: places in found_
    std::vector<std::size_t> candidates_;      // by piece
};

} // namespace pleat
