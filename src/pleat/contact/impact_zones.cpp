// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Words: a *hit* is what detection reports; a *bond* is a hit turned into a condition on the end
// positions, n . sum w_i x_i >= target, with its impulse [kg m]. Nodes of no inverse mass (pins,
// points of obstacles) are *held*. Bonds, zones and clusters are about free and held nodes only:
// a dependent node's parents stand for it (pair_weights.hpp), and it follows before each detection.
#include "pleat/contact/impact_zones.hpp"

#include "pleat/contact/half_space.hpp"
#include "pleat/contact/impact_detection.hpp"
#include "pleat/contact/pair_weights.hpp"
#include "pleat/core/disjoint_sets.hpp"
#include "pleat/core/error.hpp"
#include "pleat/core/parallel.hpp"
#include "pleat/geometry/distance.hpp"
#include "pleat/model/motion.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <unordered_map>
#include <utility>

namespace pleat {

namespace {

constexpr double accepted_share = 0.2; // of the target that a projection may leave open
constexpr int replace_rounds = 12;     // until then a pair's newer normal replaces the older
constexpr int most_rigid_rounds = 64;
constexpr int most_sweeps = 200;
// A squeezed pair keeps at least this share of the separation; with less it counts as unsolved.
constexpr double least_target_share = 0.05;
// Share of what a squeezed pair has reached that it is asked to keep.
constexpr double relaxed_share = 0.9;
// Held nodes that one rigid motion carries this well [share of the separation] move as one.
constexpr double carried_share = 0.2;

using Hit = ImpactHit;

struct PairKey {
    std::array<std::uint32_t, 4> nodes;
    bool edges;

    bool operator==(const PairKey&) const = default;
};

struct PairKeyHash {
    std::size_t operator()(const PairKey& k) const
    {
        std::uint64_t h = k.edges ? 0x9e3779b97f4a7c15u : 0x517cc1b727220a95u;
        for (const std::uint32_t n : k.nodes) {
            h ^= n;
            h *= 0xff51afd7ed558ccdu;
            h ^= h >> 32;
        }
        return static_cast<std::size_t>(h);
    }
};

PairKey key_of(const FeaturePair& p)
{
    return {p.nodes, p.edges};
}

struct Bond {
    std::array<std::uint32_t, 4> nodes{};
    std::array<double, 4> weights{};
    Vec3 normal{};
    double target = 0;     // [m]
    double friction = 0;   // Coulomb's mu
    double impulse = 0;    // along the normal [kg m]
    Vec3 tangential{};     // of friction [kg m]
    double compliance = 0; // sum w^2 / m [1/kg]
    FeaturePair pair;
};

/// x -> centre_t1 + R (x - centre_t0).
struct RigidMotion {
    Vec3 centre_t0{}, centre_t1{};
    Rotation rotation;

    [[nodiscard]] Vec3 apply(const Vec3& x) const
    {
        return centre_t1 + rotate(rotation, x - centre_t0);
    }
};

Rotation rotation_by(const Vec3& turn)
{
    const double angle = norm(turn);
    return angle > 1e-14 ? rotation_about(turn, angle) : Rotation{};
}

/// The rigid motion that carries `from` nearest to `to` (least squares, by turning the rotation
/// step by step toward what aligns the points).
RigidMotion fit_rigid(std::span<const Vec3> from, std::span<const Vec3> to)
{
    RigidMotion m;
    const double share = 1 / double(from.size());
    for (std::size_t i = 0; i < from.size(); ++i) {
        m.centre_t0 += share * from[i];
        m.centre_t1 += share * to[i];
    }
    constexpr int most_turns = 60;
    for (int k = 0; k < most_turns; ++k) {
        Vec3 torque{};
        double size = 0;
        for (std::size_t i = 0; i < from.size(); ++i) {
            const Vec3 a = rotate(m.rotation, from[i] - m.centre_t0), b = to[i] - m.centre_t1;
            torque += cross(a, b);
            size += dot(a, b);
        }
        if (norm2(torque) == 0) break;
        const Vec3 turn = torque / (std::abs(size) + 1e-300);
        m.rotation = rotation_by(turn) * m.rotation;
        if (norm(turn) < 1e-14) break;
    }
    return m;
}

Mat3 inertia_of(std::span<const std::uint32_t> nodes, std::span<const Vec3> x,
                std::span<const double> mass, const Vec3& centre)
{
    Mat3 inertia{};
    for (const std::uint32_t n : nodes) {
        const Vec3 r = x[n] - centre;
        inertia += (identity<3>() * norm2(r) - outer(r, r)) * mass[n];
    }
    return inertia;
}

} // namespace

struct ImpactResolverImpactZones::Work {
    explicit Work(const ContactOptions& options)
        : detector(options), separation(options.separation())
    {}

    ImpactDetector detector;
    const ContactSurface& surface = detector.surface();
    const Dependencies* dependencies = nullptr; // of the model, during a call
    double separation;                          // [m]
    std::vector<double> inverse_mass;           // of all points; 0: held [1/kg]
    std::vector<Vec3> candidate;                // where the cloth would go [m]
    std::vector<Vec3> x;                        // where it goes [m]; all points
    std::vector<Bond> bonds;
    std::unordered_map<PairKey, std::size_t, PairKeyHash> bond_of;
    std::unordered_map<PairKey, double, PairKeyHash> squeezed; // pairs that have less room: target
    std::unordered_map<PairKey, char, PairKeyHash> given_up;
    std::vector<std::uint8_t> changed;  // by cloth node, since the last detection
    std::vector<std::uint32_t> body_of; // of all points: which obstacle holds them; cloth: none

    /// Nodes that move together.
    struct Cluster {
        std::vector<std::uint32_t> nodes, held;
        std::vector<std::uint32_t> carriers; // the held nodes that it goes with, in order
        RigidMotion motion;
    };

    /// Calls visit(node, weight) for the free and held nodes of a pair.
    template <class Visit> void visit_nodes(const FeaturePair& p, Visit&& visit) const
    {
        for (const std::uint32_t n : p.nodes)
            dependencies->visit(n, 1, [&](std::uint32_t node, double) { visit(node); });
    }
    [[nodiscard]] double limit(const FeaturePair& p) const;
    [[nodiscard]] std::vector<Hit> detect_changed();
    void add_bonds(const Model& model, const World& world, double friction,
                   std::span<const Hit> hits, bool replace);
    std::size_t project(std::span<const Hit> hits);
    bool project_zone(std::span<const std::uint32_t> members, std::span<const std::uint32_t> nodes);
    void relax(Bond& bond);
    [[nodiscard]] std::vector<Proximity> kept_apart() const;
    void give_up(const FeaturePair& pair, ImpactReport& report);
    [[nodiscard]] bool stays_apart(const FeaturePair& pair) const;
    std::vector<Hit> without_hopeless(std::vector<Hit> hits, ImpactReport& report);
    bool make_rigid(const Model& model, std::vector<Hit> hits, bool insist, ImpactReport& report);
    bool carry(const Model& model, Cluster& cluster, std::span<const Vec3> wish, bool insist) const;
};

// --- detection ----------------------------------------------------------------------------------

/// The separation that may be required of a pair, given the results so far in this step.
double ImpactResolverImpactZones::Work::limit(const FeaturePair& p) const
{
    if (!given_up.empty() && given_up.contains(key_of(p))) return 0;
    if (!squeezed.empty())
        if (const auto at = squeezed.find(key_of(p)); at != squeezed.end()) return at->second;
    return std::numeric_limits<double>::infinity();
}

/// Detection among the pairs of which a node has moved since.
std::vector<Hit> ImpactResolverImpactZones::Work::detect_changed()
{
    follow(*dependencies, std::span(x).first(surface.cloth_node_count()));
    mark_dependents(*dependencies, changed);
    std::vector<Hit> hits =
        detector.detect_changed(std::span<const Vec3>(x).first(surface.cloth_node_count()), changed,
                                [&](const FeaturePair& p) { return limit(p); });
    std::fill(changed.begin(), changed.end(), std::uint8_t{0});
    return hits;
}

// --- projection ---------------------------------------------------------------------------------

void ImpactResolverImpactZones::Work::add_bonds(const Model& model, const World& world,
                                                double friction, std::span<const Hit> hits,
                                                bool replace)
{
    for (const Hit& hit : hits) {
        Bond b;
        b.nodes = hit.pair.nodes;
        b.weights = hit.impact.weights;
        b.normal = hit.impact.normal;
        b.target = hit.separation;
        b.friction = pair_friction(model, world, surface, hit.pair, friction);
        b.pair = hit.pair;
        b.compliance = pair_compliance(*dependencies, b.nodes, b.weights, inverse_mass);
        const auto [at, is_new] = bond_of.try_emplace(key_of(hit.pair), bonds.size());
        if (is_new || !replace) {
            at->second = bonds.size();
            bonds.push_back(b);
        } else {
            bonds[at->second] = b;
        }
    }
}

/// Gauss-Seidel over the bonds of one zone, from the candidate and the impulses so far.
/// \return whether the targets are met
bool ImpactResolverImpactZones::Work::project_zone(std::span<const std::uint32_t> members,
                                                   std::span<const std::uint32_t> nodes)
{
    for (const std::uint32_t n : nodes) x[n] = candidate[n];
    const auto push = [&](const Bond& b, const Vec3& impulse) {
        push_pair(*dependencies, b.nodes, b.weights, inverse_mass, impulse, x);
    };
    for (const std::uint32_t m : members) {
        const Bond& b = bonds[m];
        push(b, b.impulse * b.normal + b.tangential);
    }
    const std::span<const Vec3> x0 = surface.x0();
    for (int sweep = 0; sweep < most_sweeps; ++sweep) {
        double worst = 0;
        for (const std::uint32_t m : members) {
            Bond& b = bonds[m];
            if (b.compliance == 0) continue;
            Vec3 gap{}, slip{};
            for (std::size_t i = 0; i < 4; ++i) {
                if (b.weights[i] == 0) continue; // may be another zone's, which moves it now
                dependencies->visit(b.nodes[i], b.weights[i], [&](std::uint32_t n, double w) {
                    gap += w * x[n];
                    slip += w * (x[n] - x0[n]);
                });
            }
            const double open = b.target - dot(b.normal, gap);
            worst = std::max(worst, open / b.target);
            const double impulse = std::max(0.0, b.impulse + open / b.compliance);
            Vec3 change = (impulse - b.impulse) * b.normal;
            b.impulse = impulse;
            if (b.friction > 0) {
                slip -= dot(slip, b.normal) * b.normal;
                Vec3 tangential = b.tangential - slip / b.compliance;
                const double most = b.friction * impulse, size = norm(tangential);
                if (size > most) tangential *= most / size;
                change += tangential - b.tangential;
                b.tangential = tangential;
            }
            push(b, change);
        }
        if (worst <= accepted_share) return true;
    }
    return false;
}

/// Solves the zones that the hits belong to; returns how many zones there are in all.
std::size_t ImpactResolverImpactZones::Work::project(std::span<const Hit> hits)
{
    // Zones: bonds that share free nodes.
    DisjointSets sets(bonds.size());
    std::vector<std::uint32_t> first_bond(surface.cloth_node_count(), SurfacePart::none);
    for (std::uint32_t b = 0; b < bonds.size(); ++b)
        for (std::size_t i = 0; i < 4; ++i) {
            if (bonds[b].weights[i] == 0) continue;
            dependencies->visit(bonds[b].nodes[i], 1, [&](std::uint32_t n, double) {
                if (inverse_mass[n] == 0) return;
                if (first_bond[n] == SurfacePart::none)
                    first_bond[n] = b;
                else
                    sets.join(first_bond[n], b);
            });
        }
    std::vector<std::uint8_t> dirty(bonds.size(), 0);
    for (const Hit& hit : hits) dirty[sets.root(std::uint32_t(bond_of.at(key_of(hit.pair))))] = 1;

    struct Zone {
        std::vector<std::uint32_t> bonds, nodes;
    };
    std::vector<Zone> zones;
    std::vector<std::uint32_t> zone_at(bonds.size(), SurfacePart::none);
    std::size_t count = 0;
    for (std::uint32_t b = 0; b < bonds.size(); ++b) {
        const std::uint32_t r = sets.root(b);
        count += r == b;
        if (dirty[r] == 0) continue;
        if (zone_at[r] == SurfacePart::none) {
            zone_at[r] = std::uint32_t(zones.size());
            zones.emplace_back();
        }
        zones[zone_at[r]].bonds.push_back(b);
    }
    for (std::uint32_t n = 0; n < first_bond.size(); ++n) {
        if (first_bond[n] == SurfacePart::none) continue;
        const std::uint32_t z = zone_at[sets.root(first_bond[n])];
        if (z == SurfacePart::none) continue;
        zones[z].nodes.push_back(n);
        changed[n] = 1;
    }
    std::vector<std::uint8_t> met(zones.size());
    parallel_for(
        zones.size(), [&](std::size_t z) { met[z] = project_zone(zones[z].bonds, zones[z].nodes); },
        1);
    for (std::size_t z = 0; z < zones.size(); ++z)
        if (met[z] == 0)
            for (const std::uint32_t b : zones[z].bonds) relax(bonds[b]);
    return count;
}

/// A pair that has less room than its target gets the distance that it reached as target.
void ImpactResolverImpactZones::Work::relax(Bond& b)
{
    const double reached = dot(b.normal, pair_sum(*dependencies, b.nodes, b.weights, x));
    if (b.compliance == 0 || reached >= (1 - accepted_share) * b.target) return;
    b.target =
        std::min(b.target, std::max(relaxed_share * reached, least_target_share * separation));
    squeezed[key_of(b.pair)] = b.target;
}

/// The bonds that pushed, as contacts.
std::vector<Proximity> ImpactResolverImpactZones::Work::kept_apart() const
{
    std::vector<Proximity> pairs;
    for (const Bond& b : bonds) {
        if (b.impulse == 0) continue;
        Proximity p;
        std::size_t count = 0;
        for (std::size_t i = 0; i < 4; ++i)
            if (surface.is_obstacle(b.nodes[i])) {
                p.anchor_t0 += b.weights[i] * surface.x0()[b.nodes[i]];
                p.anchor_t1 += b.weights[i] * x[b.nodes[i]];
            } else {
                p.nodes[count] = make_id<NodeId>(b.nodes[i]);
                p.weights[count++] = b.weights[i];
            }
        p.normal = b.normal;
        p.thickness = p.firm = b.target;
        pairs.push_back(p);
    }
    return pairs;
}

void ImpactResolverImpactZones::Work::give_up(const FeaturePair& pair, ImpactReport& report)
{
    given_up[key_of(pair)] = 1;
    ++report.unresolved;
    for (const std::uint32_t n : pair.nodes) report.pinched += !surface.is_obstacle(n);
}

/// Whether the pair keeps at least a tenth of the gap that it starts with, whatever was asked for.
bool ImpactResolverImpactZones::Work::stays_apart(const FeaturePair& p) const
{
    std::array<Vec3, 4> x0, x1;
    for (std::size_t i = 0; i < 4; ++i) {
        x0[i] = surface.x0()[p.nodes[i]];
        x1[i] = surface.x1()[p.nodes[i]];
    }
    if (p.plane) {
        const double gap = height_above(x0).height;
        return !plane_impact(x0, x1, 0.1 * gap, 0.1 * gap).impact.hit;
    }
    const double gap2 = p.edges ? segment_segment_distance(x0[0], x0[1], x0[2], x0[3]).distance2
                                : point_triangle_distance(x0[0], x0[1], x0[2], x0[3]).distance2;
    ImpactOptions options;
    options.min_separation = 0.1 * std::sqrt(gap2);
    return !(p.edges ? edge_edge_impact(x0, x1, options) : vertex_face_impact(x0, x1, options)).hit;
}

/// Drops hits between held nodes only: a pin that is led through an obstacle.
std::vector<Hit> ImpactResolverImpactZones::Work::without_hopeless(std::vector<Hit> hits,
                                                                   ImpactReport& report)
{
    std::erase_if(hits, [&](const Hit& hit) {
        double compliance = 0;
        for (std::size_t i = 0; i < 4; ++i)
            dependencies->visit(
                hit.pair.nodes[i], std::abs(hit.impact.weights[i]),
                [&](std::uint32_t n, double w) { compliance += w * inverse_mass[n]; });
        if (compliance > 0) return false;
        give_up(hit.pair, report);
        return true;
    });
    return hits;
}

// --- rigid zones --------------------------------------------------------------------------------

/// Finds the motion of a cluster: that of what holds it, or its own momentum as a rigid body.
/// \return false where what holds it does not move as one; with `insist` the body that holds most
/// of it decides.
bool ImpactResolverImpactZones::Work::carry(const Model& model, Cluster& c,
                                            std::span<const Vec3> wish, bool insist) const
{
    const std::span<const Vec3> x0 = surface.x0();
    if (!c.held.empty()) {
        const auto fit = [&](std::span<const std::uint32_t> held) {
            std::vector<Vec3> from, to;
            for (const std::uint32_t n : held) {
                from.push_back(x0[n]);
                to.push_back(x[n]);
            }
            c.motion = fit_rigid(from, to);
            double worst = 0;
            for (std::size_t i = 0; i < from.size(); ++i)
                worst = std::max(worst, norm(c.motion.apply(from[i]) - to[i]));
            return worst <= carried_share * separation;
        };
        c.carriers = c.held;
        if (fit(c.held)) return true;
        if (!insist) return false;
        std::map<std::uint32_t, std::vector<std::uint32_t>> by_body;
        for (const std::uint32_t n : c.held) by_body[body_of[n]].push_back(n);
        const auto most =
            std::max_element(by_body.begin(), by_body.end(), [](const auto& a, const auto& b) {
                return a.second.size() < b.second.size();
            });
        c.carriers = most->second;
        fit(c.carriers);
        return true;
    }
    // Linear and angular momentum of the displacement [Provot1997], [Bridson2002] sec. 7.4.
    double mass = 0;
    Vec3 centre{}, shift{}, spin{};
    for (const std::uint32_t n : c.nodes) {
        const double m = model.mass.values[n];
        mass += m;
        centre += m * x0[n];
        shift += m * (wish[n] - x0[n]);
    }
    centre *= 1 / mass;
    shift *= 1 / mass;
    for (const std::uint32_t n : c.nodes)
        spin += model.mass.values[n] * cross(x0[n] - centre, wish[n] - x0[n]);
    Mat3 inertia = inertia_of(c.nodes, x0, model.mass.values, centre);
    // Thin clusters cannot be turned about their own line; a little extra keeps the inverse finite.
    const double extra = 1e-6 * (inertia(0, 0) + inertia(1, 1) + inertia(2, 2)) + 1e-300;
    inertia += identity<3>() * extra;
    c.motion = {centre, centre + shift, rotation_by(inverse(inertia) * spin)};
    return true;
}

/// Moves clusters of what still hits as rigid bodies until nothing does. \return whether it worked
bool ImpactResolverImpactZones::Work::make_rigid(const Model& model, std::vector<Hit> hits,
                                                 bool insist, ImpactReport& report)
{
    const std::size_t cloth_nodes = surface.cloth_node_count();
    const std::vector<Vec3> wish = x; // what the zones made; clusters keep its momentum
    std::vector<FeaturePair> pairs;
    for (int round = 0; round < most_rigid_rounds && !hits.empty(); ++round) {
        for (const Hit& hit : hits) pairs.push_back(hit.pair);
        // Free nodes of a pair move together; a held node does not join clusters.
        DisjointSets sets(cloth_nodes);
        std::vector<std::uint8_t> in_cluster(cloth_nodes, 0);
        for (const FeaturePair& p : pairs) {
            std::uint32_t first = SurfacePart::none;
            visit_nodes(p, [&](std::uint32_t n) {
                if (inverse_mass[n] == 0) return;
                in_cluster[n] = 1;
                if (first != SurfacePart::none) sets.join(first, n);
                first = n;
            });
        }
        std::vector<Cluster> clusters;
        std::vector<std::uint32_t> cluster_at(cloth_nodes, SurfacePart::none);
        for (std::uint32_t n = 0; n < cloth_nodes; ++n) {
            if (in_cluster[n] == 0) continue;
            const std::uint32_t r = sets.root(n);
            if (cluster_at[r] == SurfacePart::none) {
                cluster_at[r] = std::uint32_t(clusters.size());
                clusters.emplace_back();
            }
            cluster_at[n] = cluster_at[r];
            clusters[cluster_at[n]].nodes.push_back(n);
        }
        const auto cluster_of = [&](const FeaturePair& p) {
            std::uint32_t found = SurfacePart::none;
            visit_nodes(p, [&](std::uint32_t n) {
                if (inverse_mass[n] != 0 && found == SurfacePart::none) found = cluster_at[n];
            });
            return found;
        };
        for (const FeaturePair& p : pairs)
            visit_nodes(p, [&](std::uint32_t n) {
                if (inverse_mass[n] == 0) clusters[cluster_of(p)].held.push_back(n);
            });
        report.rigid_zones = clusters.size();
        for (Cluster& c : clusters) {
            std::sort(c.held.begin(), c.held.end());
            c.held.erase(std::unique(c.held.begin(), c.held.end()), c.held.end());
            if (!carry(model, c, wish, insist)) return false;
            for (const std::uint32_t n : c.nodes) {
                x[n] = c.motion.apply(surface.x0()[n]);
                changed[n] = 1;
            }
        }
        hits = without_hopeless(detect_changed(), report);
        // Inside a cluster that moves exactly as its carriers nothing can cross (see the header).
        // Carriers that do not move exactly alike leave gaps smaller than required, which is
        // accepted as long as they stay positive. Pairs with nodes that do not carry the cluster
        // are given up.
        bool torn = false;
        std::erase_if(hits, [&](const Hit& hit) {
            const std::uint32_t c = cluster_of(hit.pair);
            if (c == SurfacePart::none) return false;
            bool carried = true, known = true, inside = true;
            visit_nodes(hit.pair, [&](std::uint32_t n) {
                if (inverse_mass[n] != 0) {
                    inside = inside && cluster_at[n] == c;
                    return;
                }
                const auto& held = clusters[c].held;
                const auto& carriers = clusters[c].carriers;
                known = known && std::binary_search(held.begin(), held.end(), n);
                carried = carried && std::binary_search(carriers.begin(), carriers.end(), n);
            });
            if (!inside) return false;
            if (carried && stays_apart(hit.pair)) return true;
            if (!known) return false;
            torn = torn || carried;
            give_up(hit.pair, report);
            return true;
        });
        if (torn && !insist) return false;
    }
    if (hits.empty()) return true;
    if (!insist) return false;
    for (const Hit& hit : hits) give_up(hit.pair, report);
    return true;
}

// --- the whole ----------------------------------------------------------------------------------

ImpactResolverImpactZones::ImpactResolverImpactZones(const ContactOptions& options)
    : options_(options), work_(std::make_unique<Work>(options))
{}

ImpactResolverImpactZones::~ImpactResolverImpactZones() = default;

void ImpactResolverImpactZones::mesh_changed()
{
    work_->detector.mesh_changed();
}

ImpactReport ImpactResolverImpactZones::resolve(const Model& model, const State& in,
                                                const Loads& loads, const World& world,
                                                std::span<const ObstacleSample> obstacles,
                                                double dt, bool insist, State& next)
{
    PLEAT_ASSERT(dt > 0, "time runs forward");
    Work& w = *work_;
    w.dependencies = &model.dependencies;
    ImpactReport report;
    const std::size_t n = model.mesh.node_count();
    w.detector.begin(model, world, obstacles, in.x.span(), next.x.span());
    w.bonds.clear();
    w.bond_of.clear();
    w.squeezed.clear();
    w.given_up.clear();

    const std::size_t all = w.surface.x0().size();
    w.inverse_mass.assign(all, 0);
    for (std::size_t i = 0; i < n; ++i) w.inverse_mass[i] = inverse_mass(model, make_id<NodeId>(i));
    for (const Pin& p : loads.pins) w.inverse_mass[index(p.node)] = 0;
    w.body_of.assign(n, SurfacePart::none);
    for (std::uint32_t s = 0; s < obstacles.size(); ++s)
        w.body_of.insert(w.body_of.end(), obstacles[s].x_t0.size(), s);
    w.changed.assign(n, 0);
    w.candidate.assign(next.x.begin(), next.x.end());
    w.x.assign(w.surface.x1().begin(), w.surface.x1().end());

    std::vector<Hit> hits = w.without_hopeless(
        w.detector.detect_all([&](const FeaturePair& p) { return w.limit(p); }), report);
    report.impacts = hits.size();
    for (; !hits.empty() && report.iterations < options_.zone_rounds; ++report.iterations) {
        w.add_bonds(model, world, options_.friction, hits, report.iterations < replace_rounds);
        report.zones = w.project(hits);
        hits = w.without_hopeless(w.detect_changed(), report);
    }
    if (!hits.empty() && !w.make_rigid(model, std::move(hits), insist, report)) {
        report.ok = false;
        report.trouble = "zones of impacts do not come free of one another";
        return report;
    }
    parallel_for(n, [&](std::size_t i) {
        if (w.inverse_mass[i] == 0 || w.x[i] == w.candidate[i]) return;
        next.x.values[i] = w.x[i];
        next.v.values[i] += (w.x[i] - w.candidate[i]) / dt;
    });
    follow(model, next);
    report.kept_apart = w.kept_apart();
    return report;
}

} // namespace pleat
