// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/strain_limiting/edge_velocity.hpp"

#include "pleat/core/parallel.hpp"
#include "pleat/mesh/measures.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <vector>

namespace pleat {

namespace {

struct LimitedEdge {
    std::uint32_t a = 0, b = 0; // nodes
    double shortest = 0;        // [m]
    double longest = 0;         // [m]
    double rest = 0;            // [m]
};

/// Along a gathered seam the two sides have rest lengths of their own: the shorter one bounds from
/// below, the longer one from above. So with the limits of two fabrics.
std::optional<LimitedEdge> limited(const Model& model, EdgeId edge,
                                   const StrainEdgeVelocityOptions& options)
{
    const Mesh& mesh = model.mesh;
    LimitedEdge e{index(mesh[edge].nodes[0]), index(mesh[edge].nodes[1]),
                  std::numeric_limits<double>::infinity(), 0, 0};
    double sides = 0;
    for (std::size_t side = 0; side < 2; ++side) {
        const FaceId f = mesh[edge].faces[side];
        if (!is_some(f)) continue;
        auto limits = options.limits;
        if (!limits) limits = model.materials[index(model.face_material[f])].strain_limits;
        if (!limits) limits = options.default_limits;
        if (!limits) continue;
        const double rest = material_length(mesh, edge, side);
        e.shortest = std::min(e.shortest, rest * (1 + limits->min));
        e.longest = std::max(e.longest, rest * (1 + limits->max));
        e.rest += rest;
        ++sides;
    }
    if (sides == 0) return std::nullopt;
    e.rest /= sides;
    return e;
}

} // namespace

struct StrainLimiterEdgeVelocity::Work {
    bool fresh = false;
    std::vector<LimitedEdge> edges;       // by group
    std::vector<std::size_t> group_start; // group count + 1 entries
    std::vector<double> inverse_mass;     // by node; 0 where held
    std::vector<double> parts;
    Dependencies dependencies;

    /// Calls visit(node, weight) for the nodes on which the vector from a to b depends.
    template <class Visit> void visit_free_nodes(const LimitedEdge& e, Visit&& visit) const
    {
        const std::array<std::uint32_t, 2> ends{e.a, e.b};
        constexpr std::array<double, 2> weights{-1, 1};
        dependencies.visit_sum(ends, weights, visit);
    }
    void build(const Model& model, const StrainEdgeVelocityOptions& options);
    [[nodiscard]] double worst(std::span<const Vec3> x);
    /// From a to b by where the free nodes are: dependent ones follow at the end of an iteration.
    [[nodiscard]] Vec3 along(const LimitedEdge& e, std::span<const Vec3> x) const
    {
        Vec3 sum{};
        visit_free_nodes(e, [&](std::uint32_t node, double weight) { sum += weight * x[node]; });
        return sum;
    }
};

/// Groups greedily: each edge goes into the first group that holds none of its nodes, nor of the
/// parents of its nodes.
void StrainLimiterEdgeVelocity::Work::build(const Model& model,
                                            const StrainEdgeVelocityOptions& options)
{
    const Mesh& mesh = model.mesh;
    dependencies = model.dependencies;
    std::vector<std::vector<LimitedEdge>> groups;
    std::vector<std::vector<std::uint32_t>> used(mesh.node_count()); // groups at a node
    for (EdgeId id : mesh.edges()) {
        const auto e = limited(model, id, options);
        if (!e) continue;
        const auto taken = [&](std::uint32_t g) {
            bool found = false;
            visit_free_nodes(*e, [&](std::uint32_t node, double) {
                found =
                    found || std::find(used[node].begin(), used[node].end(), g) != used[node].end();
            });
            return found;
        };
        std::uint32_t g = 0;
        while (taken(g)) ++g;
        if (g == groups.size()) groups.emplace_back();
        groups[g].push_back(*e);
        visit_free_nodes(*e, [&](std::uint32_t node, double) { used[node].push_back(g); });
    }
    edges.clear();
    group_start.assign(1, 0);
    for (const auto& group : groups) {
        edges.insert(edges.end(), group.begin(), group.end());
        group_start.push_back(edges.size());
    }
    inverse_mass.resize(mesh.node_count());
    parts.resize(chunk_count(edges.size(), default_chunk));
}

double StrainLimiterEdgeVelocity::Work::worst(std::span<const Vec3> x)
{
    parallel_chunks(
        edges.size(), default_chunk, [&](std::size_t c, std::size_t first, std::size_t last) {
            double most = 0;
            for (std::size_t k = first; k < last; ++k) {
                const LimitedEdge& e = edges[k];
                const double length = norm(x[e.b] - x[e.a]);
                most =
                    std::max({most, (length - e.longest) / e.rest, (e.shortest - length) / e.rest});
            }
            parts[c] = most;
        });
    return edges.empty() ? 0.0 : *std::max_element(parts.begin(), parts.end());
}

StrainLimiterEdgeVelocity::StrainLimiterEdgeVelocity(const StrainEdgeVelocityOptions& options)
    : options_(options), work_(std::make_unique<Work>())
{}

StrainLimiterEdgeVelocity::~StrainLimiterEdgeVelocity() = default;

void StrainLimiterEdgeVelocity::mesh_changed()
{
    work_->fresh = false;
}

LimitReport StrainLimiterEdgeVelocity::limit(const Model& model, const Loads& loads,
                                             const Contacts&, double dt, State& next)
{
    Work& w = *work_;
    if (!w.fresh) {
        w.build(model, options_);
        w.fresh = true;
    }
    for (std::size_t i = 0; i < w.inverse_mass.size(); ++i)
        w.inverse_mass[i] = inverse_mass(model, make_id<NodeId>(i));
    for (const Spring& s : loads.springs) // as LimitedMesh::hold() has it
        w.dependencies.visit(index(s.node), s.stiffness * dt * dt,
                             [&](std::uint32_t node, double added) {
                                 w.inverse_mass[node] = 1 / (model.mass.values[node] + added);
                             });
    for (const Pin& pin : loads.pins) w.inverse_mass[index(pin.node)] = 0;

    LimitReport report;
    const std::span<Vec3> x = next.x.values, v = next.v.values;
    for (;;) {
        report.worst_violation = w.worst(x);
        if (report.worst_violation <= options_.tolerance ||
            report.iterations == options_.max_iterations)
            return report;
        ++report.iterations;
        for (std::size_t g = 0; g + 1 < w.group_start.size(); ++g) {
            const std::size_t first = w.group_start[g];
            parallel_for(w.group_start[g + 1] - first, [&](std::size_t k) {
                const LimitedEdge& e = w.edges[first + k];
                const Vec3 along = w.dependencies.empty() ? x[e.b] - x[e.a] : w.along(e, x);
                const double length = norm(along);
                const double wanted = std::clamp(length, e.shortest, e.longest);
                double mobility = 0;
                w.visit_free_nodes(e, [&](std::uint32_t node, double weight) {
                    mobility += weight * weight * w.inverse_mass[node];
                });
                if (wanted == length || length == 0 || mobility == 0) return;
                // The impulse [kg m/s] that makes the edge as long as it may be after dt.
                const Vec3 impulse = ((wanted - length) / (length * mobility * dt)) * along;
                w.visit_free_nodes(e, [&](std::uint32_t node, double weight) {
                    const Vec3 dv = (weight * w.inverse_mass[node]) * impulse;
                    v[node] += dv;
                    x[node] += dt * dv;
                });
            });
        }
        follow(w.dependencies, x);
        follow(w.dependencies, v);
    }
}

} // namespace pleat
