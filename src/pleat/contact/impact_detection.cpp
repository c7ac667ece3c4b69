// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/contact/impact_detection.hpp"

#include "pleat/contact/half_space.hpp"
#include "pleat/core/parallel.hpp"

#include <algorithm>
#include <cmath>

namespace pleat {

namespace {

constexpr double detection_share = 0.5;  // of the separation
constexpr double kept_share = 0.5;       // of the gap that a near pair starts with
constexpr double separation_share = 0.1; // of the thickness, here of pairs near in the fabric
constexpr std::size_t faces_a_piece = 32;
constexpr std::size_t nodes_a_piece = 512;

void gather(std::span<const std::vector<ImpactHit>> pieces, std::vector<ImpactHit>& hits)
{
    for (const auto& piece : pieces) hits.insert(hits.end(), piece.begin(), piece.end());
}

} // namespace

ImpactDetector::ImpactDetector(const ContactOptions& options)
    : thickness_(options.thickness), separation_(options.separation()),
      least_separation_(options.least_separation()), surface_(options.broad_phase)
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
}

void ImpactDetector::test(const FeaturePair& p, Limit limit, std::vector<ImpactHit>& hits) const
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
    if (!impact.hit) return;
    double most = limit(p);
    if (!p.with_obstacle())
        most = std::min(most, std::max(separation_share * (rest_.distance(p) / 2), // its thickness
                                       least_separation_));
    if (most <= 0) return;
    if (most < target) {
        target = most;
        impact = detect(target);
        if (!impact.hit) return;
    }
    hits.push_back({p, impact, target});
}

/// \param changed which nodes to look at; empty: all
void ImpactDetector::test_planes(std::span<const std::uint8_t> changed, Limit limit,
                                 std::vector<ImpactHit>& hits) const
{
    const auto planes = static_cast<std::uint32_t>(surface_.planes().size());
    if (planes == 0) return;
    const std::size_t nodes = surface_.cloth_node_count();
    std::vector<std::vector<ImpactHit>> found(chunk_count(nodes, nodes_a_piece));
    parallel_chunks(nodes, nodes_a_piece,
                    [&](std::size_t piece, std::size_t first, std::size_t last) {
                        for (auto n = static_cast<std::uint32_t>(first); n < last; ++n) {
                            if (!changed.empty() && changed[n] == 0) continue;
                            for (std::uint32_t k = 0; k < planes; ++k) {
                                const FeaturePair p = surface_.plane_pair(n, k);
                                std::array<Vec3, 4> x0, x1;
                                for (std::size_t i = 0; i < 4; ++i) {
                                    x0[i] = surface_.x0()[p.nodes[i]];
                                    x1[i] = surface_.x1()[p.nodes[i]];
                                }
                                const auto impact_at = [&](double target) {
                                    return plane_impact(x0, x1, detection_share * target, target);
                                };
                                PlaneImpact hit = impact_at(separation_);
                                if (!hit.impact.hit) continue;
                                const double most = limit(p);
                                if (most < separation_) hit = impact_at(most);
                                if (hit.impact.hit && most > 0)
                                    found[piece].push_back({p, hit.impact, hit.target});
                            }
                        }
                    });
    gather(found, hits);
}

std::vector<ImpactHit> ImpactDetector::detect_all(Limit limit) const
{
    const SurfacePart& cloth = surface_.cloth();
    const std::size_t pieces = cloth.piece_count();
    std::vector<std::vector<ImpactHit>> found(2 * pieces);
    cloth.visit_self_pairs([&](std::size_t piece, std::span<const BoxPair> pairs) {
        for (const BoxPair& p : pairs)
            surface_.visit_self(p.a, p.b,
                                [&](const FeaturePair& f) { test(f, limit, found[piece]); });
    });
    cloth.visit_cross_pairs(surface_.obstacle(),
                            [&](std::size_t piece, std::span<const BoxPair> pairs) {
                                for (const BoxPair& p : pairs)
                                    surface_.visit_obstacle(p.a, p.b, [&](const FeaturePair& f) {
                                        test(f, limit, found[pieces + piece]);
                                    });
                            });
    std::vector<ImpactHit> hits;
    gather(found, hits);
    test_planes({}, limit, hits);
    return hits;
}

std::vector<ImpactHit> ImpactDetector::detect_changed(std::span<const Vec3> cloth_x1,
                                                      std::span<const std::uint8_t> changed,
                                                      Limit limit)
{
    surface_.place_end(cloth_x1, separation_);
    const SurfacePart& cloth = surface_.cloth();
    std::vector<std::uint8_t> active(cloth.faces.size());
    std::vector<std::uint32_t> faces;
    for (std::uint32_t f = 0; f < cloth.faces.size(); ++f) {
        for (const std::uint32_t n : cloth.faces[f]) active[f] |= changed[n];
        if (active[f] != 0) faces.push_back(f);
    }
    std::vector<std::vector<ImpactHit>> found(chunk_count(faces.size(), faces_a_piece));
    parallel_chunks(
        faces.size(), faces_a_piece, [&](std::size_t piece, std::size_t first, std::size_t last) {
            const auto look = [&](const FeaturePair& p) { test(p, limit, found[piece]); };
            for (std::size_t i = first; i < last; ++i) {
                const std::uint32_t f = faces[i];
                cloth.query(cloth.boxes[f], [&](std::uint32_t g) {
                    if (g == f || (active[g] != 0 && g < f)) return;
                    surface_.visit_self(std::min(f, g), std::max(f, g), look);
                });
                surface_.obstacle().query(
                    cloth.boxes[f], [&](std::uint32_t g) { surface_.visit_obstacle(f, g, look); });
            }
        });
    std::vector<ImpactHit> hits;
    gather(found, hits);
    test_planes(changed, limit, hits);
    return hits;
}

} // namespace pleat
