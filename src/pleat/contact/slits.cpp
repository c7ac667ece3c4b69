// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/contact/slits.hpp"

#include "pleat/geometry/distance.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

namespace pleat {

namespace {

// A node moves by no more than this share of the shortest edge of the outline that it has.
constexpr double most_share = 0.01;

/// An edge of the outline.
struct Side {
    EdgeId edge;
    PanelId panel;
    std::array<NodeId, 2> nodes;
    std::array<Vec3, 2> x, u; // u with third coordinate 0
};

std::array<double, 2> range(const Side& s)
{
    const auto [low, high] = std::minmax(s.u[0][0], s.u[1][0]);
    return {low, high};
}

bool is_near(const Vec3& p, const std::array<Vec3, 2>& segment, double reach)
{
    return point_segment_distance(p, segment[0], segment[1]).distance2 <= reach * reach;
}

/// The move of a node that puts it `distance` inside of each of its edges of the outline.
Vec3 inward(const Mesh& mesh, const Field<NodeId, Vec3>& x, NodeId node, double distance)
{
    Vec3 sum{}, first{};
    double shortest = std::numeric_limits<double>::infinity(), cosine = 1;
    mesh.visit_edges(node, [&](EdgeId e) {
        if (!mesh.is_border(e)) return;
        const Vec3 a = x[mesh[e].nodes[0]], b = x[mesh[e].nodes[1]];
        const Vec3 c = x[mesh.node(mesh.opposite_vert(e, 0))], along = normalized(b - a);
        const Vec3 into = normalized((c - a) - dot(c - a, along) * along);
        shortest = std::min(shortest, norm(b - a));
        if (norm2(sum) == 0)
            first = into;
        else
            cosine = dot(first, into);
        sum += into;
    });
    constexpr double least = 0.5; // where the two edges meet in a sharp corner
    return sum * (std::min(distance, most_share * shortest) / std::max(least, 1 + cosine));
}

} // namespace

std::size_t open_slits(const Mesh& mesh, double gap, Field<NodeId, Vec3>& x)
{
    std::vector<Side> sides; // by panel, then from low to high u[0]
    for (EdgeId e : mesh.edges()) {
        if (!mesh.is_border(e)) continue;
        Side s{e, mesh.panel(mesh[e].faces[0]), mesh[e].nodes, {}, {}};
        const auto verts = mesh.verts_of(e, 0);
        for (std::size_t k = 0; k < 2; ++k) {
            s.x[k] = x[s.nodes[k]];
            s.u[k] = {mesh.u(verts[k])[0], mesh.u(verts[k])[1], 0};
        }
        sides.push_back(s);
    }
    std::sort(sides.begin(), sides.end(), [](const Side& a, const Side& b) {
        return std::tuple(a.panel, range(a), a.edge) < std::tuple(b.panel, range(b), b.edge);
    });

    std::vector<std::uint8_t> is_slit(mesh.node_count(), 0);
    const auto look = [&](const Side& a, const Side& b) { // at the ends of a against b
        for (std::size_t k = 0; k < 2; ++k) {
            const NodeId n = a.nodes[k];
            if (n != b.nodes[0] && n != b.nodes[1] && is_near(a.u[k], b.u, gap) &&
                is_near(a.x[k], b.x, gap))
                is_slit[index(n)] = 1;
        }
    };
    for (std::size_t i = 0; i < sides.size(); ++i)
        for (std::size_t j = i + 1; j < sides.size() && sides[j].panel == sides[i].panel &&
                                    range(sides[j])[0] <= range(sides[i])[1] + gap;
             ++j) {
            look(sides[i], sides[j]);
            look(sides[j], sides[i]);
        }

    std::size_t moved = 0;
    std::vector<Vec3> moves(mesh.node_count());
    for (NodeId n : mesh.nodes())
        if (is_slit[index(n)] != 0) {
            moves[index(n)] = inward(mesh, x, n, gap / 2);
            ++moved;
        }
    for (NodeId n : mesh.nodes()) x[n] += moves[index(n)];
    return moved;
}

} // namespace pleat
