// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/contact/impact_detection.hpp"

#include "pleat/contact/half_space.hpp"
#include "pleat/core/parallel.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace pleat {

namespace {

constexpr double detection_share = 0.5;  // of the separation
constexpr double kept_share = 0.5;       // of the gap that a near pair starts with
constexpr double separation_share = 0.1; // of the thickness, here of pairs near in the fabric
constexpr double pad_share = 1;          // of the separation
// Where more than this share of the faces is to be listed, all pairs are gone through at once,
// which is quicker for each.
constexpr double all_at_once_share = 0.1;
constexpr std::size_t faces_a_piece = 32;
constexpr std::size_t pairs_a_piece = 1024;
constexpr std::size_t nodes_a_piece = 512;

} // namespace

ImpactDetector::ImpactDetector(const ContactOptions& options)
    : thickness_(options.thickness), separation_(options.separation()),
      least_separation_(options.least_separation()),
      asked_((1 + ImpactOptions{}.slack) * detection_share * separation_),
      pad_(pad_share * separation_), surface_(options.broad_phase)
{}

void ImpactDetector::begin(const Model& model, const World& world,
                           std::span<const ObstacleSample> obstacles,
                           std::span<const Vec3> cloth_x0, std::span<const Vec3> cloth_x1)
{
    if (stale_) {
        surface_.set_cloth(model);
        rest_ = RestGap(model, 2 * thickness_);
        stale_ = false;
    }
    surface_.set_obstacles(world, obstacles);
    surface_.place(cloth_x0, cloth_x1, obstacles, separation_);
    listed_.assign(cloth_x1.size(), 0);
    listed_end_.resize(cloth_x1.size());
    moved_.assign(cloth_x1.size(), 0);
    new_.assign(cloth_x1.size(), 0);
    near_.clear();
}

double ImpactDetector::test(const FeaturePair& p, Limit limit, std::vector<ImpactHit>& hits) const
{
    std::array<Vec3, 4> x0, x1;
    for (std::size_t i = 0; i < 4; ++i) {
        x0[i] = surface_.x0()[p.nodes[i]];
        x1[i] = surface_.x1()[p.nodes[i]];
    }
    const auto impact_at = [&](double gap) {
        ImpactOptions options;
        options.min_separation = gap;
        return p.edges ? edge_edge_impact(x0, x1, options) : vertex_face_impact(x0, x1, options);
    };
    const auto detect = [&](double target) {
        Impact impact = impact_at(detection_share * target);
        if (!impact.hit || !impact.touching_at_start) return impact;
        Vec3 gap{};
        for (std::size_t i = 0; i < 4; ++i) gap += impact.weights[i] * x0[i];
        const double least = kept_share * norm(gap);
        return least > 0 && least < detection_share * target ? impact_at(least) : impact;
    };
    double target = separation_;
    Impact impact = detect(target);
    if (!impact.hit) return std::max(0.0, impact.apart - asked_);
    double most = limit(p);
    if (!p.with_obstacle())
        most = std::min(most, std::max(separation_share * (rest_.distance(p) / 2), // its thickness
                                       least_separation_));
    if (most <= 0) return 0;
    if (most < target) {
        target = most;
        impact = detect(target);
        if (!impact.hit) return 0;
    }
    hits.push_back({p, impact, target});
    return -std::numeric_limits<double>::infinity();
}

/// \param changed which nodes to look at; empty: all
void ImpactDetector::test_planes(std::span<const std::uint8_t> changed, Limit limit,
                                 std::vector<ImpactHit>& hits)
{
    const auto planes = static_cast<std::uint32_t>(surface_.planes().size());
    if (planes == 0) return;
    const auto test_plane = [&](const FeaturePair& p, std::vector<ImpactHit>& found) {
        std::array<Vec3, 4> x0, x1;
        for (std::size_t i = 0; i < 4; ++i) {
            x0[i] = surface_.x0()[p.nodes[i]];
            x1[i] = surface_.x1()[p.nodes[i]];
        }
        const auto impact_at = [&](double target) {
            return plane_impact(x0, x1, detection_share * target, target);
        };
        PlaneImpact hit = impact_at(separation_);
        if (!hit.impact.hit) return;
        const double most = limit(p);
        if (most < separation_) hit = impact_at(most);
        if (hit.impact.hit && most > 0) found.push_back({p, hit.impact, hit.target});
    };
    const std::size_t nodes = surface_.cloth_node_count();
    clear_found(chunk_count(nodes, nodes_a_piece));
    parallel_chunks(nodes, nodes_a_piece,
                    [&](std::size_t piece, std::size_t first, std::size_t last) {
                        for (auto n = static_cast<std::uint32_t>(first); n < last; ++n)
                            for (std::uint32_t k = 0; k < planes; ++k)
                                if (changed.empty() || changed[n] != 0)
                                    test_plane(surface_.plane_pair(n, k), found_[piece].hits);
                    });
    gather(hits);
}

void ImpactDetector::clear_found(std::size_t pieces)
{
    if (found_.size() < pieces) found_.resize(pieces);
    for (Found& f : found_) {
        f.hits.clear();
        f.near.clear();
    }
}

/// In the order of the pieces.
void ImpactDetector::gather(std::vector<ImpactHit>& hits)
{
    for (const Found& f : found_) {
        hits.insert(hits.end(), f.hits.begin(), f.hits.end());
        near_.insert(near_.end(), f.near.begin(), f.near.end());
    }
}

/// Calls look(pair, found) for all pairs of faces of which one is `wanted`, with what the piece of
/// work has found.
template <class Wanted, class Look> void ImpactDetector::visit_pairs(Wanted&& wanted, Look&& look)
{
    const SurfacePart& cloth = surface_.cloth();
    const std::size_t pieces = cloth.piece_count();
    clear_found(2 * pieces);
    cloth.visit_self_pairs([&](std::size_t piece, std::span<const BoxPair> pairs) {
        for (const BoxPair& p : pairs)
            if (wanted(p.a) || wanted(p.b))
                surface_.visit_self(p.a, p.b,
                                    [&](const FeaturePair& f) { look(f, found_[piece]); });
    });
    cloth.visit_cross_pairs(
        surface_.obstacle(), [&](std::size_t piece, std::span<const BoxPair> pairs) {
            for (const BoxPair& p : pairs)
                if (wanted(p.a))
                    surface_.visit_obstacle(
                        p.a, p.b, [&](const FeaturePair& f) { look(f, found_[pieces + piece]); });
        });
}

std::vector<ImpactHit> ImpactDetector::detect_all(Limit limit)
{
    visit_pairs([](std::uint32_t) { return true; },
                [&](const FeaturePair& p, Found& found) { test(p, limit, found.hits); });
    std::vector<ImpactHit> hits;
    gather(hits);
    test_planes({}, limit, hits);
    return hits;
}

double ImpactDetector::moved(const FeaturePair& p) const
{
    double sum = 0;
    for (const std::uint32_t n : p.nodes)
        if (n < moved_.size()) sum += moved_[n];
    return sum;
}

bool ImpactDetector::is_new(const FeaturePair& p) const
{
    return std::any_of(p.nodes.begin(), p.nodes.end(),
                       [&](std::uint32_t n) { return n < new_.size() && new_[n] != 0; });
}

/// Tests the pairs of the list that have used up their room.
void ImpactDetector::test_near(Limit limit, std::vector<ImpactHit>& hits)
{
    clear_found(chunk_count(near_.size(), pairs_a_piece));
    parallel_chunks(near_.size(), pairs_a_piece,
                    [&](std::size_t piece, std::size_t first, std::size_t last) {
                        for (std::size_t i = first; i < last; ++i) {
                            NearPair& p = near_[i];
                            const double way = moved(p.pair);
                            if (way <= p.until) continue;
                            p.until = way + test(p.pair, limit, found_[piece].hits);
                        }
                    });
    gather(hits);
}

/// Searches for the pairs of the new nodes, tests and lists them.
void ImpactDetector::list_new(Limit limit, std::vector<ImpactHit>& hits)
{
    const SurfacePart& cloth = surface_.cloth();
    new_face_.assign(cloth.faces.size(), 0);
    faces_.clear();
    for (std::uint32_t f = 0; f < cloth.faces.size(); ++f) {
        for (const std::uint32_t n : cloth.faces[f]) new_face_[f] |= new_[n];
        if (new_face_[f] != 0) faces_.push_back(f);
    }
    // One and a half pads: the other node may have been moved by half of one since it was listed,
    // and be moved back and half of one beyond, and this one by half of one.
    const double reach = 1.5 * pad_;
    surface_.place_boxes(separation_ + reach);
    const auto look = [&](const FeaturePair& p, Found& found) {
        if (!is_new(p)) return;
        const double room = test(p, limit, found.hits);
        if (room <= reach) found.near.push_back({p, moved(p) + room});
    };
    if (double(faces_.size()) > all_at_once_share * double(cloth.faces.size())) {
        visit_pairs([&](std::uint32_t a) { return new_face_[a] != 0; }, look);
    } else {
        clear_found(chunk_count(faces_.size(), faces_a_piece));
        parallel_chunks(faces_.size(), faces_a_piece,
                        [&](std::size_t piece, std::size_t first, std::size_t last) {
                            const auto found = [&](const FeaturePair& p) {
                                look(p, found_[piece]);
                            };
                            for (std::size_t i = first; i < last; ++i) {
                                const std::uint32_t f = faces_[i];
                                cloth.query(cloth.boxes[f], [&](std::uint32_t g) {
                                    if (g == f || (new_face_[g] != 0 && g < f)) return;
                                    surface_.visit_self(std::min(f, g), std::max(f, g), found);
                                });
                                surface_.obstacle().query(cloth.boxes[f], [&](std::uint32_t g) {
                                    surface_.visit_obstacle(f, g, found);
                                });
                            }
                        });
    }
    gather(hits);
}

std::vector<ImpactHit> ImpactDetector::detect_changed(std::span<const Vec3> cloth_x1,
                                                      std::span<const std::uint8_t> changed,
                                                      Limit limit)
{
    const std::span<const Vec3> last_x1 = surface_.x1();
    bool any_new = false;
    for (std::size_t i = 0; i < moved_.size(); ++i) {
        if (changed[i] == 0) continue;
        moved_[i] += norm(cloth_x1[i] - last_x1[i]);
        if (listed_[i] != 0 && norm(cloth_x1[i] - listed_end_[i]) <= pad_ / 2) continue;
        new_[i] = listed_[i] = 1;
        listed_end_[i] = cloth_x1[i];
        any_new = true;
    }
    surface_.move_end(cloth_x1);
    std::vector<ImpactHit> hits;
    if (any_new) std::erase_if(near_, [&](const NearPair& p) { return is_new(p.pair); });
    test_near(limit, hits);
    if (any_new) list_new(limit, hits);
    std::fill(new_.begin(), new_.end(), std::uint8_t{0});
    test_planes(changed, limit, hits);
    return hits;
}

} // namespace pleat
