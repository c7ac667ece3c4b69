// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Impulses are in displacement times mass [kg m], as the step's dt is the same for all.
#include "pleat/contact/impulses.hpp"

#include "pleat/contact/half_space.hpp"
#include "pleat/contact/pair_weights.hpp"
#include "pleat/core/error.hpp"
#include "pleat/core/parallel.hpp"
#include "pleat/geometry/distance.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace pleat {

namespace {

constexpr int repulsion_sweeps = 4;
constexpr int dependent_repulsion_sweeps = 32; // where contacts share parents
// Share of the missing thickness by which a pair may open in a step [Bridson2002] sec. 7.2.
constexpr double opened_share = 0.1;
constexpr int most_rounds = 16; // of detection and collision impulses
// Nearer than this share of the thickness there is no direction to push in; collisions take over.
constexpr double smallest_gap_share = 1e-6;
constexpr std::size_t nodes_a_piece = 512;

ContactOptions rigid_only(ContactOptions options)
{
    options.zone_rounds = 0;
    return options;
}

/// What a pair of features does over the step, and an impulse on it.
struct PairMotion {
    const Dependencies& dependencies;
    const PairNodes& nodes;
    const PairWeights& weights;
    const Vec3& normal;
    double compliance; // sum w^2 / m [1/kg]
    std::span<const double> inverse_mass;
    std::span<Vec3> shift;

    [[nodiscard]] Vec3 relative() const { return pair_sum(dependencies, nodes, weights, shift); }
    /// Opens the pair by `opening` along the normal, with the friction that such an impulse bears.
    void push(double opening, double friction) const
    {
        const Vec3 rel = relative();
        const Vec3 slip = rel - dot(rel, normal) * normal;
        const double size = norm(slip);
        // [Bridson2002] sec. 7.3: friction takes at most mu times the normal change, and all of the
        // slip at most.
        const double stopped = size > 0 ? std::min(1.0, friction * opening / size) : 0;
        const Vec3 impulse = (opening / compliance) * normal - (stopped / compliance) * slip;
        push_pair(dependencies, nodes, weights, inverse_mass, impulse, shift);
    }
};

} // namespace

ImpactResolverImpulses::ImpactResolverImpulses(const ContactOptions& options, Repulsions repulsions,
                                               Collisions collisions)
    : options_(options), repulsions_by_(repulsions), collisions_by_(collisions), detector_(options),
      zones_(collisions == Collisions::by_zones ? options : rigid_only(options)),
      near_(options.broad_phase)
{}

void ImpactResolverImpulses::mesh_changed()
{
    stale_ = true;
    detector_.mesh_changed();
    zones_.mesh_changed();
    final_velocity_.mesh_changed();
}

void ImpactResolverImpulses::begin(const Model& model, const State& in, const Loads& loads,
                                   const World& world, std::span<const ObstacleSample> obstacles,
                                   const State& next)
{
    const std::size_t n = model.mesh.node_count();
    detector_.begin(model, world, obstacles, in.x.span(), next.x.span());
    const std::span<const Vec3> x0 = detector_.surface().x0(), x1 = detector_.surface().x1();
    inverse_mass_.assign(x0.size(), 0);
    for (std::size_t i = 0; i < n; ++i) inverse_mass_[i] = inverse_mass(model, make_id<NodeId>(i));
    for (const Pin& p : loads.pins) inverse_mass_[index(p.node)] = 0;
    shift_.resize(x0.size());
    for (std::size_t i = 0; i < x0.size(); ++i) shift_[i] = x1[i] - x0[i];
    proposed_.assign(shift_.begin(), shift_.begin() + std::ptrdiff_t(n));
}

/// \pre the detector has begun this step
void ImpactResolverImpulses::find_repulsions(const Model& model, const State& in,
                                             const World& world,
                                             std::span<const ObstacleSample> obstacles, double dt)
{
    const double h = options_.thickness;
    stretch_.clear();
    for (const Material& m : model.materials) stretch_.push_back(stretch_stiffness(m));
    const auto stretch_of = [&](std::uint32_t face) {
        return stretch_[index(model.face_material[make_id<FaceId>(face)])];
    };
    if (stale_) {
        near_.set_cloth(model);
        stale_ = false;
    }
    near_.set_obstacles(world, obstacles);
    near_.place(in.x.span(), in.x.span(), obstacles, h);
    const std::span<const Vec3> x = near_.x0();

    const auto add = [&](const FeaturePair& p, const std::array<double, 4>& weights,
                         const Vec3& normal, double missing, std::vector<Repulsion>& found) {
        Repulsion r{p.nodes, weights, normal, missing, 0, 0, 0, 0};
        r.compliance = pair_compliance(model.dependencies, p.nodes, weights, inverse_mass_);
        if (r.compliance == 0) return;
        r.friction = pair_friction(model, world, near_, p, options_.friction);
        // k d dt, as an opening [Bridson2002] sec. 7.2.
        const double stretch = p.obstacle_a ? stretch_of(p.face_b)
                               : p.with_obstacle()
                                   ? stretch_of(p.face_a)
                                   : 0.5 * (stretch_of(p.face_a) + stretch_of(p.face_b));
        r.spring = options_.stiffness * stretch * missing * dt * dt * r.compliance;
        found.push_back(r);
    };
    const auto look = [&](const FeaturePair& p, std::vector<Repulsion>& found) {
        const Vec3 &a = x[p.nodes[0]], &b = x[p.nodes[1]], &c = x[p.nodes[2]], &d = x[p.nodes[3]];
        double distance2 = 0;
        std::array<double, 4> weights{};
        if (p.edges) {
            const auto near = segment_segment_distance(a, b, c, d);
            distance2 = near.distance2;
            weights = {1 - near.s, near.s, -(1 - near.t), -near.t};
        } else {
            const auto near = point_triangle_distance(a, b, c, d);
            distance2 = near.distance2;
            weights = {1, -near.weights[0], -near.weights[1], -near.weights[2]};
        }
        if (distance2 >= h * h) return;
        const double distance = std::sqrt(distance2);
        double thickness = h;
        if (!p.with_obstacle()) thickness = std::min(h, detector_.rest().distance(p) / 2);
        if (distance >= thickness || distance < smallest_gap_share * h) return;
        const Vec3 gap = weights[0] * a + weights[1] * b + weights[2] * c + weights[3] * d;
        add(p, weights, gap / distance, thickness - distance, found);
    };

    const SurfacePart& cloth = near_.cloth();
    const std::size_t pieces = cloth.piece_count();
    const auto planes = static_cast<std::uint32_t>(near_.planes().size());
    const std::size_t nodes = near_.cloth_node_count();
    pieces_.resize(2 * pieces + (planes == 0 ? 0 : chunk_count(nodes, nodes_a_piece)));
    for (auto& piece : pieces_) piece.clear();
    cloth.visit_self_pairs([&](std::size_t piece, std::span<const BoxPair> pairs) {
        for (const BoxPair& p : pairs)
            near_.visit_self(p.a, p.b, [&](const FeaturePair& f) { look(f, pieces_[piece]); });
    });
    cloth.visit_cross_pairs(near_.obstacle(),
                            [&](std::size_t piece, std::span<const BoxPair> pairs) {
                                for (const BoxPair& p : pairs)
                                    near_.visit_obstacle(p.a, p.b, [&](const FeaturePair& f) {
                                        look(f, pieces_[pieces + piece]);
                                    });
                            });
    if (planes > 0)
        parallel_chunks(
            nodes, nodes_a_piece, [&](std::size_t piece, std::size_t first, std::size_t last) {
                for (auto n = static_cast<std::uint32_t>(first); n < last; ++n)
                    for (std::uint32_t k = 0; k < planes; ++k) {
                        const FeaturePair p = near_.plane_pair(n, k);
                        const PlaneHeight height = height_above(
                            {x[p.nodes[0]], x[p.nodes[1]], x[p.nodes[2]], x[p.nodes[3]]});
                        if (height.height < h)
                            add(p, height.weights, height.normal, h - height.height,
                                pieces_[2 * pieces + piece]);
                    }
            });
    // Obstacles first.
    repulsions_.clear();
    const auto self_end = pieces_.begin() + std::ptrdiff_t(pieces);
    for (auto piece = self_end; piece != pieces_.end(); ++piece)
        repulsions_.insert(repulsions_.end(), piece->begin(), piece->end());
    for (auto piece = pieces_.begin(); piece != self_end; ++piece)
        repulsions_.insert(repulsions_.end(), piece->begin(), piece->end());
}

void ImpactResolverImpulses::repel(const Model& model, const State& in, const Loads& loads,
                                   const World& world, std::span<const ObstacleSample> obstacles,
                                   double dt, State& next)
{
    if (repulsions_by_ == Repulsions::in_the_solve) return;
    begin(model, in, loads, world, obstacles, next);
    find_repulsions(model, in, world, obstacles, dt);
    const bool is_shared = !model.dependencies.empty();
    const int sweeps = is_shared ? dependent_repulsion_sweeps : repulsion_sweeps;
    for (int sweep = 0; sweep < sweeps; ++sweep)
        for (Repulsion& r : repulsions_) {
            const PairMotion pair{model.dependencies, r.nodes,       r.weights, r.normal,
                                  r.compliance,       inverse_mass_, shift_};
            const double opens = dot(r.normal, pair.relative());
            if (const double beyond = opens - opened_share * r.missing;
                is_shared && r.given > 0 && beyond > 0) {
                const double taken = std::min(r.given, beyond);
                pair.push(-taken, 0);
                r.given -= taken;
                continue;
            }
            const double approach = std::max(0.0, -opens);
            const double spring =
                std::clamp(opened_share * r.missing - std::max(0.0, opens), 0.0, r.spring);
            r.spring -= spring;
            r.given += approach + spring;
            if (approach + spring > 0) pair.push(approach + spring, r.friction);
        }
    const std::span<const Vec3> x0 = detector_.surface().x0();
    parallel_for(proposed_.size(), [&](std::size_t i) {
        if (inverse_mass_[i] == 0 || shift_[i] == proposed_[i]) return;
        next.x.values[i] = x0[i] + shift_[i];
        next.v.values[i] += (shift_[i] - proposed_[i]) / dt;
    });
    follow(model, next);
}

ImpactReport ImpactResolverImpulses::resolve(const Model& model, const State& in,
                                             const Loads& loads, const World& world,
                                             std::span<const ObstacleSample> obstacles, double dt,
                                             bool insist, State& next)
{
    PLEAT_ASSERT(dt > 0, "time runs forward");
    if (collisions_by_ == Collisions::none) return {};
    if (collisions_by_ == Collisions::by_zones)
        return zones_.resolve(model, in, loads, world, obstacles, dt, insist, next);
    ImpactReport report;
    const std::size_t n = model.mesh.node_count();
    begin(model, in, loads, world, obstacles, next);
    const std::span<const Vec3> x0 = detector_.surface().x0();

    x_.resize(n);
    changed_.assign(n, 1);
    // What no impulse has touched stays as proposed, to the bit.
    const auto move_cloth = [&] {
        for (std::size_t i = 0; i < n; ++i)
            x_[i] = shift_[i] == proposed_[i] ? next.x.values[i] : x0[i] + shift_[i];
        follow(model.dependencies, x_);
        mark_dependents(model.dependencies, changed_);
    };
    const auto unlimited = [](const FeaturePair&) {
        return std::numeric_limits<double>::infinity();
    };
    std::vector<ImpactHit> hits = detector_.detect_all(unlimited);
    report.impacts = hits.size();
    if (hits.empty()) return report;
    const State proposed = next;
    for (; !hits.empty() && report.iterations < most_rounds; ++report.iterations) {
        std::fill(changed_.begin(), changed_.end(), std::uint8_t{0});
        std::stable_partition(hits.begin(), hits.end(),
                              [](const ImpactHit& hit) { return hit.pair.with_obstacle(); });
        bool any = false;
        for (const ImpactHit& hit : hits) {
            const auto& w = hit.impact.weights;
            double reached = 0;
            for (std::size_t i = 0; i < 4; ++i)
                model.dependencies.visit(
                    hit.pair.nodes[i], w[i], [&](std::uint32_t k, double weight) {
                        reached += weight * dot(hit.impact.normal, x0[k] + shift_[k]);
                    });
            const double compliance =
                pair_compliance(model.dependencies, hit.pair.nodes, w, inverse_mass_);
            if (compliance == 0 || reached >= hit.separation) continue;
            const PairMotion pair{model.dependencies, hit.pair.nodes, w,     hit.impact.normal,
                                  compliance,         inverse_mass_,  shift_};
            pair.push(hit.separation - reached, pair_friction(model, world, detector_.surface(),
                                                              hit.pair, options_.friction));
            for (const std::uint32_t node : hit.pair.nodes)
                model.dependencies.visit(node, 1, [&](std::uint32_t k, double) {
                    if (k < n) changed_[k] = 1;
                });
            any = true;
        }
        if (!any) break; // only zones can help
        move_cloth();
        hits = detector_.detect_changed(x_, changed_, unlimited);
    }
    parallel_for(n, [&](std::size_t i) {
        if (inverse_mass_[i] == 0 || shift_[i] == proposed_[i]) return;
        next.x.values[i] = x_[i];
        next.v.values[i] += (shift_[i] - proposed_[i]) / dt;
    });
    follow(model, next);
    if (!hits.empty()) {
        const ImpactReport zones =
            zones_.resolve(model, in, loads, world, obstacles, dt, insist, next);
        report.ok = zones.ok;
        report.trouble = zones.trouble;
        report.zones = zones.zones;
        report.rigid_zones = zones.rigid_zones;
        report.pinched = zones.pinched;
        report.unresolved = zones.unresolved;
    }
    if (report.ok && repulsions_by_ == Repulsions::in_the_solve) {
        for (std::size_t i = 0; i < n; ++i)
            proposed_[i] = (next.x.values[i] - proposed.x.values[i]) / dt;
        next.v = proposed.v;
        final_velocity_.add(model, loads, next.x.span(), proposed_, dt, next.v.span());
    }
    return report;
}

} // namespace pleat
