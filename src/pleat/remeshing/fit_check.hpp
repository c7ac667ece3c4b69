// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Whether an edit leaves what a sizing field asks for: sizes, shapes and strains of the faces that
// it would make. Reads the mesh and changes nothing, so that several threads can ask at once.
// Based on: [Narain2012] sec. 4.1, [Bossen1996] (flips).
#pragma once

#include "pleat/core/error.hpp"
#include "pleat/core/field.hpp"
#include "pleat/core/vec.hpp"
#include "pleat/mesh/mesh.hpp"
#include "pleat/remeshing/metric.hpp"
#include "pleat/remeshing/remesh_to_metric.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

namespace pleat {

/// Strain of one face or of several.
struct FaceStrain {
    double area = 0;     // material [m^2]
    double integral = 0; // of the square of the Green strain [m^2]
    double beyond = 0;   // the worst principal strain's distance from its limits
    FaceStrain& operator+=(const FaceStrain& b)
    {
        area += b.area;
        integral += b.integral;
        beyond = std::max(beyond, b.beyond);
        return *this;
    }
};

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

/// What flips and collapses are asked for before they are done.
class FitCheck {
public:
    /// \param x world positions [m]
    /// \param face_material may be null without strain limits
    /// \pre all outlive this.
    FitCheck(const Mesh& mesh, const MetricField& metric, const Field<NodeId, Vec3>& x,
             const Field<FaceId, MaterialId>* face_material, const RemeshOptions& options)
        : mesh_(mesh), metric_(metric), x_(x), face_material_(face_material), options_(options)
    {
        const auto any = [](const std::vector<bool>& flags) {
            return std::find(flags.begin(), flags.end(), true) != flags.end();
        };
        has_frozen_ = any(options.frozen_panels) || any(options.frozen_faces);
        for (const auto& limits : options.strain_limits) has_limits_ |= limits.has_value();
        PLEAT_ASSERT(!has_limits_ || face_material != nullptr, "limits are by fabric");
    }

    [[nodiscard]] bool is_frozen(EdgeId e) const
    {
        if (!has_frozen_) return false;
        if (!options_.frozen_panels.empty() &&
            options_.frozen_panels[index(mesh_.panel(mesh_[e].faces[0]))])
            return true;
        for (FaceId f : mesh_[e].faces) // a frozen face keeps its id, and no other gets it
            if (is_some(f) && index(f) < options_.frozen_faces.size() &&
                options_.frozen_faces[index(f)])
                return true;
        return false;
    }

    /// \param face that has these corners, or is to have them
    [[nodiscard]] FaceStrain strain_of(FaceId face, const std::array<VertId, 3>& v) const
    {
        const Vec2 a = mesh_.u(v[1]) - mesh_.u(v[0]), b = mesh_.u(v[2]) - mesh_.u(v[0]);
        const Vec3 o = x_[mesh_.node(v[0])];
        const Vec3 p = x_[mesh_.node(v[1])] - o, q = x_[mesh_.node(v[2])] - o;
        const double twice_area = cross(a, b);
        // Rows of the inverse of (a b), times twice the area.
        const Vec3 f0 = (p * b[1] - q * a[1]) / twice_area;
        const Vec3 f1 = (q * a[0] - p * b[0]) / twice_area;
        const double e00 = 0.5 * (norm2(f0) - 1), e11 = 0.5 * (norm2(f1) - 1),
                     e01 = 0.5 * dot(f0, f1);
        const double area = 0.5 * twice_area;
        const double integral = area * (e00 * e00 + e11 * e11 + 2 * e01 * e01);
        if (!has_limits_) return {area, integral, 0};
        return {area, integral, beyond_limits(face, e00, e11, e01)};
    }

    /// How far the principal strains of a Green strain are beyond the limits of the face, 0 within.
    [[nodiscard]] double beyond_limits(FaceId face, double e00, double e11, double e01) const
    {
        const auto& limits = options_.strain_limits[index((*face_material_)[face])];
        if (!limits) return 0;
        // Of the squared stretches: mean, and difference from it squared. Most faces are well
        // within, which takes no roots to tell.
        const double mean = 1 + e00 + e11;
        const double radius2 = (e00 - e11) * (e00 - e11) + 4 * e01 * e01;
        const double above = (1 + limits->max) * (1 + limits->max) - mean;
        const double below = mean - (1 + limits->min) * (1 + limits->min);
        constexpr double well = 0.999;
        if (above > 0 && below > 0 && radius2 < well * std::min(above * above, below * below))
            return 0;
        const double radius = std::sqrt(radius2);
        return std::max({0.0, std::sqrt(mean + radius) - 1 - limits->max,
                         limits->min + 1 - std::sqrt(std::max(0.0, mean - radius))});
    }

    [[nodiscard]] bool rises(const FaceStrain& before, const FaceStrain& after) const
    {
        return after.integral >
                   before.integral + options_.strain_rise * options_.strain_rise * before.area ||
               after.beyond > before.beyond + strain_rounding;
    }

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
        // Each face keeps its name, see flip_edge().
        FaceStrain before = strain_of(f, {a, b, c}), after = strain_of(f, {c, d, b});
        before += strain_of(g, {b, a, d});
        after += strain_of(g, {d, c, a});
        return !rises(before, after);
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
        if (has_frozen_)
            for (const CollapseSpoke& s : fan.spokes)
                if (is_frozen(s.edge)) return false;
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
        const std::size_t at_removed = e.nodes[0] == removed ? 0 : 1;
        std::array<VertId, 2> from{no_vert, no_vert}, to{no_vert, no_vert};
        std::array<NodeId, 2> opposite{no_node, no_node};
        for (std::size_t side = 0; side < (mesh_.is_border(edge) ? 1u : 2u); ++side) {
            const auto v = mesh_.verts_of(edge, side);
            from[side] = v[at_removed];
            to[side] = v[1 - at_removed];
            opposite[side] = mesh_.node(mesh_.opposite_vert(edge, side));
        }
        const auto moved = [&](VertId v) {
            return v == from[0] ? to[0] : v == from[1] ? to[1] : v;
        };
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
        FaceStrain before, after;
        mesh_.visit_faces(removed, [&](FaceId f, std::size_t corner) {
            auto v = mesh_[f].verts;
            before += strain_of(f, v);
            if (f == e.faces[0] || f == e.faces[1]) return;
            v[corner] = moved(v[corner]);
            after += strain_of(f, v);
        });
        return !rises(before, after);
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
        FaceStrain before, after;
        for (std::size_t k = 0; k < faces; ++k) {
            const FaceId f = fan.spokes[k].face;
            before += strain_of(f, {fan.centre, fan.spokes[k].tip, next(k).tip});
            if (!is_gone(k)) after += strain_of(f, {to.tip, fan.spokes[k].tip, next(k).tip});
        }
        return !rises(before, after);
    }

private:
    // A flip must lower the sum of 1/quality by more than this share, so that rounding cannot make
    // it go back and forth.
    static constexpr double least_flip_gain = 1e-9;
    // Strain by which an edit may put a face farther beyond its limits: where nothing is deformed
    // anew, rounding must not decide.
    static constexpr double strain_rounding = 1e-9;

    const Mesh& mesh_;
    const MetricField& metric_;
    const Field<NodeId, Vec3>& x_;
    const Field<FaceId, MaterialId>* face_material_;
    const RemeshOptions& options_;
    bool has_frozen_ = false;
    bool has_limits_ = false;
};

} // namespace pleat
