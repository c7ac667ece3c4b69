// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Idea. The broad phase gives pairs of faces, each pair of features is tested by the face that owns
// it (contact_surface.hpp), cheap bounds reject most, and what remains is measured in double
// precision.
//
// Chunks of pairs write lists of their own that are joined in the order of the chunks, so results
// do not depend on threads. A bound that rejects must never be larger than the true distance: a
// pair that is lost here is only found by the impact stage, as a sudden push.
#include "pleat/contact/proximity.hpp"

#include "pleat/contact/half_space.hpp"
#include "pleat/core/error.hpp"
#include "pleat/core/parallel.hpp"
#include "pleat/geometry/distance.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

namespace pleat {

namespace {

// Sine of the angle by which both faces of an edge must fall away for it to be a ridge (3 degrees):
// below that, vertices and faces keep the surfaces apart by themselves.
constexpr double ridge_sine = 0.05;
// A neighbour has to rise by more than this to be the nearer one: where a vertex is straight above
// an edge of a flat surface, rounding must not leave it without a partner.
constexpr double level_sine = 1e-6;
// An edge in a valley steeper than this (30 degrees) is no partner: its faces are nearer.
constexpr double valley_sine = 0.5;
// Nearer than this share of the thickness there is no direction to push in; impacts take over.
constexpr double smallest_gap_share = 1e-6;
// Share of the thickness by which a pair is pushed apart in a step: 0.2 m/s at 5 mm and 5 ms.
constexpr double push_share = 0.25;
// Share of the thickness below which a pair is held firmly: whatever weight hangs there.
constexpr double firm_share = 0.25;
// Share of the penetration below that distance by which a pair is pushed out in a step.
constexpr double firm_push_share = 0.25;
// A pair with no gap left is stiffer by this much. Shallow contacts stay soft and let go easily;
// with this, ten layers are carried without impacts. It depends on the gap at the start of the step
// only: a stiffness that depended on the direction of motion would make cloth at rest tremble from
// step to step.
constexpr double deep_stiffness = 8;
// A pair is left out where another one of the same feature has less than the first share of its gap
// and a direction nearer than the first cosine, and counts in full beyond the second ones. In
// between it fades, so that nothing at rest is shaken.
constexpr double nearer_gone = 0.7, nearer_full = 0.9;
constexpr double direction_gone = 0.6, direction_full = 0.5;
// Along an edge, as shares of the thickness between the two points of contact.
constexpr double along_gone = 1, along_full = 1.5;
constexpr std::size_t nodes_a_piece = 512; // tested against half-spaces by one thread

/// Sine of the steepest rise of the faces at an edge toward `way` (unit), seen from the point q of
/// the edge (a, b). \param thirds the corners opposite the edge; SurfacePart::none where there is
/// no face
double steepest(std::span<const Vec3> x, std::uint32_t a, std::uint32_t b,
                std::array<std::uint32_t, 2> thirds, const Vec3& q, const Vec3& way)
{
    double most = -1;
    const Vec3 along = normalized(x[b] - x[a]);
    for (const std::uint32_t third : thirds) {
        if (third == SurfacePart::none) continue;
        Vec3 into = x[third] - q;
        into -= dot(into, along) * along;
        most = std::max(most, dot(way, normalized(into)));
    }
    return most;
}

std::array<std::uint32_t, 2> thirds_of(const SurfacePart& part, std::uint32_t face,
                                       std::size_t edge)
{
    return {part.faces[face][(edge + 2) % 3], part.across[face][edge]};
}

/// Whether the point nearest to p on the surface belongs to this feature of the face.
bool is_nearest(std::span<const Vec3> x, const SurfacePart& part, std::uint32_t face,
                std::uint32_t vertex, TriangleFeature feature, const Vec3& p, const Vec3& q)
{
    const Vec3 way = normalized(p - q);
    const auto corner = [&](std::size_t k) {
        // Two vertices find each other twice; the lower one reports.
        if ((part.owned[face] >> k & 1) == 0 || vertex > part.faces[face][k]) return false;
        for (const std::uint32_t n : part.ring_of(part.faces[face][k]))
            if (dot(way, normalized(x[n] - q)) > level_sine) return false;
        return true;
    };
    const auto edge = [&](std::size_t k) {
        if ((part.owned[face] >> (3 + k) & 1) == 0) return false;
        const TriangleIndices& f = part.faces[face];
        return steepest(x, f[k], f[(k + 1) % 3], {SurfacePart::none, part.across[face][k]}, q,
                        way) <= level_sine;
    };
    switch (feature) {
    case TriangleFeature::corner_a:
        return corner(0);
    case TriangleFeature::corner_b:
        return corner(1);
    case TriangleFeature::corner_c:
        return corner(2);
    case TriangleFeature::edge_ab:
        return edge(0);
    case TriangleFeature::edge_bc:
        return edge(1);
    case TriangleFeature::edge_ca:
        return edge(2);
    case TriangleFeature::face:
        return true;
    }
    return false;
}

/// Nearest points of a pair: the gap vector is sum weights[i] x[i].
struct Nearest {
    double distance; // [m]; negative inside a half-space
    Vec3 normal;     // unit: the gap vector is distance times it
    std::array<double, 4> weights;
    double share = 1; // of its stiffness; fades out where the pair stops to count
};

Nearest nearest_at(const std::array<Vec3, 4>& at, double distance2,
                   const std::array<double, 4>& weights)
{
    Vec3 gap{};
    for (std::size_t i = 0; i < 4; ++i) gap += weights[i] * at[i];
    const double distance = std::sqrt(distance2);
    return {distance, distance > 0 ? gap / distance : Vec3{}, weights};
}

std::optional<Nearest> nearest_of_plane(const ContactSurface& surface, const FeaturePair& p,
                                        double reach)
{
    const std::span<const Vec3> x = surface.x0();
    const PlaneHeight h =
        height_above({x[p.nodes[0]], x[p.nodes[1]], x[p.nodes[2]], x[p.nodes[3]]});
    if (h.height > reach) return {};
    return Nearest{h.height, h.normal, h.weights};
}

/// A cheap test of a pair, which rejects most: false only where nearest() finds nothing for any
/// reach up to `most`.
inline bool may_be_near(std::span<const Vec3> x, const FeaturePair& p, double most)
{
    const Vec3 &a = x[p.nodes[0]], &b = x[p.nodes[1]], &c = x[p.nodes[2]], &d = x[p.nodes[3]];
    if (p.edges) {
        const Vec3 da = b - a, db = d - c, r = c - a, n = cross(da, db);
        const double n2 = norm2(n), height = dot(n, r); // height times |n|
        if (height * height > most * most * n2) return false;
        const double s = dot(cross(r, db), n), t = dot(cross(r, da), n);
        return s > 0 && s < n2 && t > 0 && t < n2; // insides only
    }
    const Vec3 ab = b - a, ac = c - a, ad = d - a, n = cross(ac - ab, ad - ab);
    const double height = dot(n, ab);
    if (height * height > most * most * norm2(n)) return false;
    // Neighbours in one layer are apart along the line from the vertex to the face's centre.
    const Vec3 line = ab + ac + ad;
    const double gap = std::min({dot(line, ab), dot(line, ac), dot(line, ad)});
    return !(gap > 0 && gap * gap > most * most * norm2(line));
}

/// Nearest points of a pair that counts (see the header), if closer than `reach`.
std::optional<Nearest> nearest(const ContactSurface& surface, const FeaturePair& p, double reach)
{
    const std::span<const Vec3> x = surface.x0();
    const std::array<Vec3, 4> at = {x[p.nodes[0]], x[p.nodes[1]], x[p.nodes[2]], x[p.nodes[3]]};
    const SurfacePart& part_b = p.obstacle_b ? surface.obstacle() : surface.cloth();
    if (!p.edges) {
        const auto d = point_triangle_distance(at[0], at[1], at[2], at[3]);
        if (d.distance2 > reach * reach) return {};
        const auto& w = d.weights;
        const Vec3 q = at[1] * w[0] + at[2] * w[1] + at[3] * w[2];
        if (!is_nearest(x, part_b, p.face_b, p.nodes[0], d.feature, at[0], q)) return {};
        return nearest_at(at, d.distance2, {1, -w[0], -w[1], -w[2]});
    }
    const auto d = segment_segment_distance(at[0], at[1], at[2], at[3]);
    if (d.distance2 > reach * reach || d.feature_a != SegmentFeature::interior ||
        d.feature_b != SegmentFeature::interior)
        return {};
    const SurfacePart& part_a = p.obstacle_a ? surface.obstacle() : surface.cloth();
    const Vec3 qa = at[0] * (1 - d.s) + at[1] * d.s, qb = at[2] * (1 - d.t) + at[3] * d.t;
    const Vec3 way = normalized(qa - qb); // from b to a
    const double rise_a =
        steepest(x, p.nodes[0], p.nodes[1], thirds_of(part_a, p.face_a, p.place_a), qa, -way);
    const double rise_b =
        steepest(x, p.nodes[2], p.nodes[3], thirds_of(part_b, p.face_b, p.place_b), qb, way);
    const double sharper = std::min(rise_a, rise_b), blunter = std::max(rise_a, rise_b);
    if (sharper > -ridge_sine || blunter > valley_sine) return {};
    // Fades in over as much again, so that an edge about to count does not shake what is at rest.
    const double share =
        std::min({1.0, (-sharper - ridge_sine) / ridge_sine, (valley_sine - blunter) / ridge_sine});
    Nearest found = nearest_at(at, d.distance2, {1 - d.s, d.s, -(1 - d.t), -d.t});
    found.share = share;
    return found;
}

/// How much nearer any two points can come while they move from x0 to x1 [m]: the diagonal of the
/// box around all displacements, and a little for rounding.
double largest_relative_motion(std::span<const Vec3> x0, std::span<const Vec3> x1)
{
    constexpr double huge = std::numeric_limits<double>::max();
    struct Range {
        Vec3 low{huge, huge, huge}, high{-huge, -huge, -huge};
    };
    const Range all = parallel_reduce(
        x0.size(), Range{},
        [&](std::size_t i) {
            const Vec3 d = x1[i] - x0[i];
            return Range{d, d};
        },
        [](Range a, const Range& b) {
            for (std::size_t k = 0; k < 3; ++k) {
                a.low[k] = std::min(a.low[k], b.low[k]);
                a.high[k] = std::max(a.high[k], b.high[k]);
            }
            return a;
        });
    return x0.empty() ? 0 : (1 + 1e-9) * norm(all.high - all.low);
}

/// Calls visit(node, weight) for the free nodes that a contact moves.
template <class Visit> void visit_free_nodes(const Model& model, const Proximity& c, Visit&& visit)
{
    const std::size_t count = c.node_count();
    std::array<std::uint32_t, 4> nodes{};
    for (std::size_t i = 0; i < count; ++i) nodes[i] = index(c.nodes[i]);
    model.dependencies.visit_sum(std::span(nodes).first(count), std::span(c.weights).first(count),
                                 visit);
}

/// Nodes with obstacles on both sides that leave less than `room` between them.
template <class Found> std::size_t count_pinched(std::span<const Found> found, double room)
{
    struct Side {
        std::uint32_t node;
        Vec3 direction; // from the obstacle to the node
        double gap;
    };
    std::vector<Side> sides;
    for (const Found& f : found) {
        if (!f.with_obstacle || f.distance >= room) continue;
        const Proximity& c = f.proximity;
        std::size_t main = 0;
        for (std::size_t i = 1; i < c.node_count(); ++i)
            if (std::abs(c.weights[i]) > std::abs(c.weights[main])) main = i;
        sides.push_back(
            {index(c.nodes[main]), c.weights[main] > 0 ? c.normal : -c.normal, f.distance});
    }
    std::stable_sort(sides.begin(), sides.end(),
                     [](const Side& a, const Side& b) { return a.node < b.node; });
    constexpr double opposite = -0.5; // cosine between two sides
    std::size_t count = 0;
    for (std::size_t i = 0; i < sides.size();) {
        std::size_t end = i;
        while (end < sides.size() && sides[end].node == sides[i].node) ++end;
        bool pinched = false;
        for (std::size_t a = i; a < end; ++a)
            for (std::size_t b = a + 1; b < end; ++b)
                pinched = pinched || (dot(sides[a].direction, sides[b].direction) < opposite &&
                                      sides[a].gap + sides[b].gap < room);
        count += pinched;
        i = end;
    }
    return count;
}

} // namespace

/// Where everything is, and where gravity alone takes the cloth.
void ContactFinderProximity::place(const StepInput& s, std::span<const ObstacleSample> obstacles)
{
    const double h = options_.thickness;
    if (stale_) {
        surface_.set_cloth(s.model);
        rest_ = RestGap(s.model, 2 * h);
        stale_ = false;
    }
    surface_.set_obstacles(s.world, obstacles);
    ahead_.resize(s.model.mesh.node_count());
    parallel_for(ahead_.size(), [&](std::size_t i) {
        ahead_[i] = s.state.x.values[i] + s.dt * (s.state.v.values[i] + s.dt * s.world.gravity);
    });
    surface_.place(s.state.x.span(), ahead_, obstacles, h);
}

/// Adds the pair to `found` where it is nearer than its thickness, or will be.
void ContactFinderProximity::examine(const StepInput& s, const FeaturePair& p,
                                     std::vector<Found>& found) const
{
    const double h = options_.thickness;
    const std::span<const Vec3> x0 = surface_.x0(), x1 = surface_.x1();
    // By how much the pair can come nearer during the step bounds how far to search.
    std::array<Vec3, 4> moved;
    for (std::size_t i = 0; i < 4; ++i) moved[i] = x1[p.nodes[i]] - x0[p.nodes[i]];
    double motion2 = 0;
    const std::size_t split = p.edges ? 2 : 1;
    for (std::size_t i = 0; i < split; ++i)
        for (std::size_t j = split; j < 4; ++j)
            motion2 = std::max(motion2, norm2(moved[i] - moved[j]));
    const double reach = h + std::sqrt(motion2);
    const auto near = p.plane ? nearest_of_plane(surface_, p, reach) : nearest(surface_, p, reach);
    if (!near) return;
    const double distance = near->distance;
    if (!p.plane && distance < smallest_gap_share * h) return;

    double thickness = h;
    if (!p.with_obstacle()) thickness = std::min(h, rest_.distance(p, near->weights) / 2);
    Vec3 motion{};
    for (std::size_t i = 0; i < 4; ++i) motion += near->weights[i] * moved[i];
    const double approach = dot(near->normal, motion);
    if (distance >= thickness && distance + approach >= thickness) return;

    Proximity c;
    c.normal = near->normal;
    std::size_t count = 0;
    Vec3 velocity{};
    for (std::size_t i = 0; i < 4; ++i) {
        const std::uint32_t node = p.nodes[i];
        const double w = near->weights[i];
        if (surface_.is_obstacle(node)) {
            c.anchor_t0 += w * x0[node];
            c.anchor_t1 += w * x1[node];
            velocity += (w / s.dt) * moved[i];
        } else if (w != 0) {
            c.nodes[count] = make_id<NodeId>(node);
            c.weights[count] = w;
            ++count;
            velocity += w * s.state.v.values[node];
        }
    }
    double inverse_mass = 0;
    visit_free_nodes(s.model, c, [&](std::uint32_t node, double w) {
        inverse_mass += w * w / s.model.mass.values[node];
    });
    if (inverse_mass == 0)
        return; // nodes that depend on the same parents: nothing moves them apart
    c.thickness = thickness;
    const double depth = std::max(0.0, 1 - distance / thickness);
    c.stiffness = near->share * options_.stiffness / (inverse_mass * s.dt * s.dt);
    c.friction = pair_friction(s.model, s.world, surface_, p, options_.friction);
    found.push_back({c,
                     1 + deep_stiffness * depth * depth,
                     distance,
                     std::max(0.0, dot(c.normal, velocity)),
                     p.with_obstacle(),
                     p.edges,
                     {p.edges ? 3 * p.face_a + p.place_a : p.nodes[0], 3 * p.face_b + p.place_b}});
}

/// Lists the pairs of cloth by their vertex or by their two edges.
void ContactFinderProximity::list_by_feature()
{
    const std::size_t nodes = surface_.cloth_node_count(),
                      edges = 3 * surface_.cloth().faces.size();
    feature_start_.assign(nodes + edges + 2, 0);
    const auto visit = [&](std::uint32_t k, auto&& add) {
        const Found& f = found_[k];
        if (f.with_obstacle) return;
        if (f.edges)
            for (const std::uint32_t e : f.features) add(nodes + e);
        else
            add(f.features[0]);
    };
    // Counted one place too far, so that filling moves the starts to where they belong.
    for (std::uint32_t k = 0; k < found_.size(); ++k)
        visit(k, [&](std::size_t i) { ++feature_start_[i + 2]; });
    for (std::size_t i = 2; i < feature_start_.size(); ++i)
        feature_start_[i] += feature_start_[i - 1];
    feature_pairs_.resize(feature_start_.back());
    for (std::uint32_t k = 0; k < found_.size(); ++k)
        visit(k, [&](std::size_t i) { feature_pairs_[feature_start_[i + 1]++] = k; });
}

/// What nearer pairs in the same direction leave of a pair, as the vertex or edge on one of its
/// sides sees it. An edge sees the pairs of its ends too.
double ContactFinderProximity::left_by_nearer(const StepInput& s, const Found& f,
                                              std::size_t side) const
{
    const std::span<const Vec3> x = s.state.x.span();
    const std::size_t nodes = surface_.cloth_node_count();
    const auto normal_at = [](const Found& g, std::size_t at) { // from the partner to the feature
        return at == 0 ? g.proximity.normal : -g.proximity.normal;
    };
    const auto point_at = [&](const Found& g, std::size_t at) { // of an edge
        const Proximity& c = g.proximity;
        const std::size_t i = 2 * at;
        return std::abs(c.weights[i]) * x[index(c.nodes[i])] +
               std::abs(c.weights[i + 1]) * x[index(c.nodes[i + 1])];
    };
    const auto fade = [](double value, double gone, double full) {
        return std::clamp((value - full) / (gone - full), 0.0, 1.0);
    };
    const Vec3 normal = normal_at(f, side), point = f.edges ? point_at(f, side) : Vec3{};
    double most = 0; // that another one says of what this one says
    const auto look = [&](std::size_t feature) {
        for (std::uint32_t e = feature_start_[feature]; e < feature_start_[feature + 1]; ++e) {
            const Found& g = found_[feature_pairs_[e]];
            double same = fade(g.distance / f.distance, nearer_gone, nearer_full);
            if (same <= most) continue;
            const std::size_t at = g.edges && nodes + g.features[1] == feature ? 1 : 0;
            same *= fade(dot(normal_at(g, at), normal), direction_gone, direction_full);
            if (same <= most) continue;
            if (f.edges) {
                const Vec3 other = g.edges ? point_at(g, at) : x[g.features[0]];
                same *= fade(norm(other - point) / options_.thickness, along_gone, along_full);
            }
            most = std::max(most, same);
        }
    };
    if (!f.edges) {
        look(f.features[0]);
        return 1 - most;
    }
    look(nodes + f.features[side]);
    for (std::size_t i = 2 * side; i < 2 * side + 2; ++i) look(index(f.proximity.nodes[i]));
    return 1 - most;
}

/// Fades and leaves out the pairs of which nearer ones say the same; of two edges, where both do.
void ContactFinderProximity::merge(const StepInput& s)
{
    list_by_feature();
    parallel_for(found_.size(), [&](std::size_t k) {
        Found& f = found_[k];
        if (f.with_obstacle) return;
        f.share = left_by_nearer(s, f, 0);
        if (f.edges && f.share < 1) f.share = std::max(f.share, left_by_nearer(s, f, 1));
    });
    std::erase_if(found_, [](const Found& f) { return f.share <= 0; });
    for (Found& f : found_) f.proximity.stiffness *= f.share;
}

/// Fills found_, in an order that does not depend on the threads. \return pairs examined or
/// rejected at once
std::size_t ContactFinderProximity::search(const StepInput& s)
{
    const std::size_t n = s.model.mesh.node_count();
    const std::span<const Vec3> x0 = surface_.x0();
    const double most_reach =
        (1 + 1e-9) * (options_.thickness + largest_relative_motion(x0, surface_.x1()));
    const std::size_t pieces = surface_.cloth().piece_count();
    const auto planes = static_cast<std::uint32_t>(surface_.planes().size());
    const std::size_t plane_pieces = planes == 0 ? 0 : chunk_count(n, nodes_a_piece);
    pieces_.resize(2 * pieces + plane_pieces);
    for (std::vector<Found>& found : pieces_) found.clear();
    candidates_.assign(pieces_.size(), 0);
    const auto work = [&](std::size_t piece, std::span<const BoxPair> pairs, bool obstacle) {
        std::vector<Found>& found = pieces_[piece];
        std::size_t candidates = 0;
        const auto visit = [&](const FeaturePair& p) {
            ++candidates;
            if (may_be_near(x0, p, most_reach)) examine(s, p, found);
        };
        for (const BoxPair& p : pairs) {
            if (obstacle)
                surface_.visit_obstacle(p.a, p.b, visit);
            else
                surface_.visit_self(p.a, p.b, visit);
        }
        candidates_[piece] = candidates;
    };
    surface_.cloth().visit_self_pairs(
        [&](std::size_t piece, std::span<const BoxPair> pairs) { work(piece, pairs, false); });
    surface_.cloth().visit_cross_pairs(surface_.obstacle(),
                                       [&](std::size_t piece, std::span<const BoxPair> pairs) {
                                           work(pieces + piece, pairs, true);
                                       });
    if (planes > 0)
        parallel_chunks(
            n, nodes_a_piece, [&](std::size_t piece, std::size_t first, std::size_t last) {
                for (auto i = static_cast<std::uint32_t>(first); i < last; ++i)
                    for (std::uint32_t k = 0; k < planes; ++k)
                        examine(s, surface_.plane_pair(i, k), pieces_[2 * pieces + piece]);
            });

    std::size_t candidates = 0;
    found_.clear();
    for (std::size_t i = 0; i < pieces_.size(); ++i) {
        found_.insert(found_.end(), pieces_[i].begin(), pieces_[i].end());
        candidates += candidates_[i];
    }
    return candidates;
}

/// The stiffness that each node sees.
void ContactFinderProximity::sum_load(const StepInput& s)
{
    load_.assign(s.model.mesh.node_count(), 0);
    for (const Found& f : found_)
        visit_free_nodes(s.model, f.proximity, [&](std::uint32_t node, double w) {
            load_[node] += f.proximity.stiffness * w * w * s.dt * s.dt / s.model.mass.values[node];
        });
}

double ContactFinderProximity::largest_load(const Model& model, const Proximity& c) const
{
    double most = 0;
    visit_free_nodes(model, c,
                     [&](std::uint32_t node, double) { most = std::max(most, load_[node]); });
    return most;
}

/// The total stiffness at a node is bounded, however many partners it has.
void ContactFinderProximity::bound_load(const StepInput& s)
{
    sum_load(s);
    parallel_for(found_.size(), [&](std::size_t k) {
        Proximity& c = found_[k].proximity;
        c.stiffness *= found_[k].factor * options_.stiffness /
                       std::max(options_.stiffness, largest_load(s.model, c));
    });
    sum_load(s);
}

void ContactFinderProximity::finish(const StepInput& s, Contacts& contacts) const
{
    contacts.proximities.resize(found_.size());
    parallel_for(found_.size(), [&](std::size_t k) {
        const Found& f = found_[k];
        Proximity& c = contacts.proximities[k] = f.proximity;
        // The thickness is reduced in proportion to the speed of separation: this is a damper of
        // mass / dt per node, with which a spring of any stiffness reaches its rest length without
        // overshooting. The push per step is bounded too ([Bridson2002] sec. 7.2), so that
        // compressed layers do not jump apart.
        const double damped = s.dt * f.parting / std::max(1.0, largest_load(s.model, c));
        c.firm = f.share * firm_share * c.thickness;
        if (f.distance < c.firm) c.firm = f.distance + firm_push_share * (c.firm - f.distance);
        c.thickness = std::min(c.thickness - damped, f.distance + push_share * c.thickness);
    });
}

ContactReport ContactFinderProximity::find(const Model& model, const State& state,
                                           const World& world,
                                           std::span<const ObstacleSample> obstacles, double dt,
                                           Contacts& contacts)
{
    PLEAT_ASSERT(dt > 0, "time runs forward");
    const StepInput s{model, state, world, dt};
    ContactReport report;
    place(s, obstacles);
    report.candidates = search(s);
    merge(s);
    bound_load(s);
    finish(s, contacts);
    report.proximities = contacts.proximities.size();
    report.pinched = count_pinched(std::span<const Found>(found_), 2 * options_.separation());
    return report;
}

} // namespace pleat
