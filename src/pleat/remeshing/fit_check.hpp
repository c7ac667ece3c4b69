// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Whether the faces that an edit would make fit the sizing field: their sizes, shapes and strains.
// Only reads the mesh, so several threads can use it at once.
// Based on: [Narain2012] sec. 4.1, [Bossen1996] (flips).
#pragma once

#include "pleat/core/field.hpp"
#include "pleat/core/vec.hpp"
#include "pleat/mesh/mesh.hpp"
#include "pleat/remeshing/edit_rules.hpp"
#include "pleat/remeshing/metric.hpp"
#include "pleat/remeshing/remesh_to_metric.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

namespace pleat {

/// One edge of a fan, with what is at its far end: gathered once, because each spoke is looked
/// at by all the others.
struct CollapseSpoke {
    EdgeId edge;
    NodeId other;
    FaceId face; // to its left; none of the last of a fan that is open
    VertId tip;
    Vec2 u; // of the tip
    Mat2 m;
    double size2;
};

/// What is around a node.
struct CollapseFan {
    NodeId node = no_node;
    NodeKind kind = NodeKind::interior;
    std::vector<CollapseSpoke> spokes; // counter-clockwise, from the border where there is one
    bool is_flat = false;              // in one panel, with no seam in it
    bool is_closed = true;
    VertId centre = no_vert;          // of a flat one
    std::vector<std::uint32_t> order; // of the spokes to try, shortest first
};

/// The conditions for flips and collapses.
class FitCheck {
public:
    /// \pre all outlive this.
    FitCheck(const Mesh& mesh, const MetricField& metric, const EditRules& rules,
             const RemeshOptions& options)
        : mesh_(mesh), metric_(metric), rules_(rules), options_(options)
    {}

    /// Whether the edge is not Delaunay in stretched space and a flip makes better faces of sound
    /// sizes and strains.
    [[nodiscard]] bool wants_flip(EdgeId e) const
    {
        const Mesh::Edge& edge = mesh_[e];
        if (mesh_.is_border(e) || edge.keep) return false;
        const auto [f, g] = edge.faces;
        const auto &vf = mesh_[f].verts, &vg = mesh_[g].verts;
        const std::size_t at_f = mesh_.position_of(f, e), at_g = mesh_.position_of(g, e);
        const VertId a = vf[at_f], b = vf[corner_after(at_f)];
        if (vg[at_g] != b || vg[corner_after(at_g)] != a) return false; // a seam
        const VertId c = vf[corner_before(at_f)], d = vg[corner_before(at_g)];
        const Vec2 ua = mesh_.u(a), ub = mesh_.u(b), uc = mesh_.u(c), ud = mesh_.u(d);
        const Mat2 mean = (metric_[a] + metric_[b] + metric_[c] + metric_[d]) * 0.25;
        if (!is_not_delaunay(ua, ub, ud, uc, mean)) return false;
        const double old_size2 = edge_size2(ua, metric_[a], ub, metric_[b]);
        const double new_size2 = edge_size2(uc, metric_[c], ud, metric_[d]);
        if (new_size2 > std::max(1.0, old_size2)) return false;
        const auto badness = [&](VertId i, VertId j, VertId k) {
            return 1 / metric_quality(mesh_, metric_, {i, j, k});
        };
        const double now = badness(a, b, c) + badness(b, a, d);
        const double first = badness(c, d, b), second = badness(d, c, a);
        if (!(first > 0 && second > 0 && first + second < (1 - least_flip_gain) * now))
            return false;
        return !rules_.flip_rises(f, g, a, b, c, d);
    }

    /// \return false where the node can never go.
    [[nodiscard]] bool look_around(NodeId node, CollapseFan& fan) const
    {
        fan.node = node;
        fan.kind = mesh_.kind(node);
        if (fan.kind == NodeKind::corner || fan.kind == NodeKind::locked) return false;
        fan.spokes.clear();
        fan.is_flat = true;
        fan.centre = no_vert;
        VertId last_tip = no_vert;
        EdgeId last_edge = no_edge;
        const auto add = [&](EdgeId e, FaceId face, VertId tip) {
            const Mesh::Vert& v = mesh_[tip];
            fan.spokes.push_back({e, v.node, face, tip, v.u, metric_[tip], 0});
        };
        mesh_.visit_faces(node, [&](FaceId f, std::size_t corner) {
            const Mesh::Face& face = mesh_[f];
            const VertId here = face.verts[corner], tip = face.verts[corner_after(corner)];
            if (!is_some(fan.centre)) {
                fan.centre = here;
                last_tip = tip;
            }
            fan.is_flat = fan.is_flat && here == fan.centre && tip == last_tip;
            add(face.edges[corner], f, tip);
            last_tip = face.verts[corner_before(corner)];
            last_edge = face.edges[corner_before(corner)];
        });
        fan.is_closed = !mesh_.is_border(last_edge);
        fan.is_flat = fan.is_flat && (!fan.is_closed || last_tip == fan.spokes.front().tip);
        if (!fan.is_closed) add(last_edge, no_face, last_tip);
        if (rules_.has_frozen())
            for (const CollapseSpoke& s : fan.spokes)
                if (rules_.is_frozen(s.edge)) return false;
        return true;
    }

    /// Whether the fan that is left without a spoke fits. \pre is_along()
    [[nodiscard]] bool fits_along(std::size_t spoke, const CollapseFan& fan) const
    {
        return fan.is_flat ? fits_after_flat_collapse(spoke, fan)
                           : fits_after_collapse(fan.spokes[spoke].edge, fan);
    }

    [[nodiscard]] bool has_fitting_spoke(NodeId node, CollapseFan& fan) const
    {
        if (!mesh_.is_alive(node) || !look_around(node, fan)) return false;
        for (std::size_t i = 0; i < fan.spokes.size(); ++i)
            if (is_along(fan.spokes[i].edge, fan.kind) && fits_along(i, fan)) return true;
        return false;
    }

    /// The spokes along which the node might go, the shortest first.
    void sort_spokes(CollapseFan& fan) const
    {
        fan.order.clear();
        for (std::size_t i = 0; i < fan.spokes.size(); ++i) {
            CollapseSpoke& s = fan.spokes[i];
            if (!is_along(s.edge, fan.kind)) continue;
            fan.order.push_back(std::uint32_t(i));
            s.size2 = fan.is_flat ? edge_size2(mesh_.u(fan.centre), metric_[fan.centre], s.u, s.m)
                                  : edge_size2(mesh_, metric_, s.edge);
        }
        std::sort(fan.order.begin(), fan.order.end(), [&](std::uint32_t i, std::uint32_t j) {
            const CollapseSpoke &a = fan.spokes[i], &b = fan.spokes[j];
            return a.size2 != b.size2 ? a.size2 < b.size2 : a.edge < b.edge;
        });
    }

    /// Whether a node of that kind may be removed along the edge at all.
    [[nodiscard]] bool is_along(EdgeId e, NodeKind kind) const
    {
        if (kind == NodeKind::border) return mesh_.is_border(e);
        if (kind == NodeKind::seam) return !mesh_.is_border(e) && mesh_.is_feature(e);
        return true;
    }

    /// Sizes, orientation and shapes that a collapse would leave [Narain2012] sec. 4.1.
    [[nodiscard]] bool fits_after_collapse(EdgeId edge, const CollapseFan& fan) const
    {
        const NodeId removed = fan.node;
        const Mesh::Edge& e = mesh_[edge];
        const EditRules::MovedVerts moved(mesh_, edge, removed);
        std::array<NodeId, 2> opposite{no_node, no_node};
        for (std::size_t side = 0; side < (mesh_.is_border(edge) ? 1u : 2u); ++side)
            opposite[side] = mesh_.node(mesh_.opposite_vert(edge, side));
        const double longest2 = (1 - options_.hysteresis) * (1 - options_.hysteresis);
        for (const CollapseSpoke& s : fan.spokes) {
            if (s.edge == edge || s.other == opposite[0] || s.other == opposite[1]) continue;
            double size2 = 0;
            const std::size_t sides = mesh_.is_border(s.edge) ? 1 : 2;
            for (std::size_t side = 0; side < sides; ++side) {
                auto v = mesh_.verts_of(s.edge, side);
                for (VertId& w : v) w = moved(w);
                size2 += edge_size2(mesh_.u(v[0]), metric_[v[0]], mesh_.u(v[1]), metric_[v[1]]);
            }
            if (size2 > longest2 * double(sides)) return false;
        }
        double worst_after = 1;
        mesh_.visit_faces(removed, [&](FaceId f, std::size_t corner) {
            if (worst_after <= 0 || f == e.faces[0] || f == e.faces[1]) return;
            auto v = mesh_[f].verts;
            v[corner] = moved(v[corner]);
            worst_after = std::min(worst_after, metric_quality(mesh_, metric_, v));
        });
        if (worst_after <= 0) return false;
        if (worst_after < options_.quality_min) { // unless it was no better before
            double worst_before = 1;
            mesh_.visit_faces(removed, [&](FaceId f, std::size_t) {
                worst_before =
                    std::min(worst_before, metric_quality(mesh_, metric_, mesh_[f].verts));
            });
            if (worst_after < worst_before) return false;
        }
        return !rules_.collapse_rises(edge, removed);
    }

    /// The same for a fan in one panel, which most are.
    [[nodiscard]] bool fits_after_flat_collapse(std::size_t spoke, const CollapseFan& fan) const
    {
        const std::size_t count = fan.spokes.size();
        const CollapseSpoke& to = fan.spokes[spoke];
        const double longest2 = (1 - options_.hysteresis) * (1 - options_.hysteresis);
        // The tips beside `to` are joined to it already. The others, from the far side: there the
        // new edges are longest, and most collapses fail.
        const std::size_t left = spoke + 1 < count ? spoke + 1 : fan.is_closed ? 0 : count;
        const std::size_t right = spoke > 0 ? spoke - 1 : fan.is_closed ? count - 1 : count;
        const std::size_t across = spoke + count / 2;
        for (std::size_t i = 0, k = across < count ? across : across - count; i < count; ++i) {
            if (k != spoke && k != left && k != right &&
                edge_size2(fan.spokes[k].u, fan.spokes[k].m, to.u, to.m) > longest2)
                return false;
            if (++k == count) k = 0;
        }
        // Face k lies between the tips k and k + 1; those beside the spoke go.
        const std::size_t faces = fan.is_closed ? count : count - 1;
        const auto is_gone = [&](std::size_t k) { return k == spoke || k == right; };
        const auto next = [&](std::size_t k) -> const CollapseSpoke& {
            return fan.spokes[k + 1 < count ? k + 1 : 0];
        };
        const auto quality = [&](const Vec2& u, const Mat2& m, std::size_t k) {
            const CollapseSpoke &a = fan.spokes[k], &b = next(k);
            return metric_quality(u, a.u, b.u, (m + a.m + b.m) * (1.0 / 3));
        };
        double worst_after = 1;
        for (std::size_t k = 0; k < faces; ++k)
            if (!is_gone(k)) worst_after = std::min(worst_after, quality(to.u, to.m, k));
        if (worst_after <= 0) return false;
        if (worst_after < options_.quality_min) { // unless it was no better before
            double worst_before = 1;
            for (std::size_t k = 0; k < faces; ++k)
                worst_before =
                    std::min(worst_before, quality(mesh_.u(fan.centre), metric_[fan.centre], k));
            if (worst_after < worst_before) return false;
        }
        StrainSum before, after;
        for (std::size_t k = 0; k < faces; ++k) {
            const FaceId f = fan.spokes[k].face;
            before += rules_.strain_of(f, {fan.centre, fan.spokes[k].tip, next(k).tip});
            if (!is_gone(k)) after += rules_.strain_of(f, {to.tip, fan.spokes[k].tip, next(k).tip});
        }
        return !rules_.rises(before, after);
    }

private:
    // A flip must lower the sum of 1/quality by more than this share, so that rounding cannot make
    // it go back and forth.
    static constexpr double least_flip_gain = 1e-9;
    const Mesh& mesh_;
    const MetricField& metric_;
    const EditRules& rules_;
    const RemeshOptions& options_;
};

} // namespace pleat
