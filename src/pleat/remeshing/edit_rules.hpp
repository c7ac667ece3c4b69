// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// The rules for edits of a simulated mesh, for any remesher: frozen faces, a bound on the strain
// that an edit may add, strain limits of fabrics. Only reads the mesh, so several threads can use
// it at once.
#pragma once

#include "pleat/core/error.hpp"
#include "pleat/core/field.hpp"
#include "pleat/core/vec.hpp"
#include "pleat/materials/material.hpp"
#include "pleat/mesh/mesh.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

namespace pleat {

/// Every member has a default that forbids nothing.
struct EditLimits {
    /// How much strain an edit may add: it must not raise the sum over the faces that it changes
    /// of area times Green strain squared by more than this, squared, times their area.
    double strain_rise = std::numeric_limits<double>::infinity();
    /// Bounds on principal strains by MaterialId: no edit leaves a face farther beyond its own than
    /// the worst of the faces there was before. Empty: none.
    std::vector<std::optional<StrainLimits>> strain_limits;
    /// The fabric of each face, one of the fields that follow the mesh; may be null without limits.
    const Field<FaceId, MaterialId>* face_material = nullptr;
    /// Nodes with a value other than 0 are placed by someone else: a new one stays where it is in
    /// its edge or face. One of the fields that follow the mesh; may be null.
    const Field<NodeId, std::uint64_t>* held = nullptr;
    std::vector<bool> frozen_panels; // by PanelId, left as they are; empty: none
    std::vector<bool> frozen_faces;  // by FaceId of the mesh before the edits, likewise
};

/// Strain of some faces together.
struct StrainSum {
    double area = 0;     // material [m^2]
    double integral = 0; // of the square of the Green strain [m^2]
    double beyond = 0;   // the largest distance of a principal strain from its limits
    StrainSum& operator+=(const StrainSum& b)
    {
        area += b.area;
        integral += b.integral;
        beyond = std::max(beyond, b.beyond);
        return *this;
    }
};

class EditRules {
public:
    /// \param x world positions [m]
    /// \pre all outlive this.
    EditRules(const Mesh& mesh, const Field<NodeId, Vec3>& x, const EditLimits& limits)
        : mesh_(mesh), x_(x), limits_(limits)
    {
        const auto any = [](const std::vector<bool>& flags) {
            return std::find(flags.begin(), flags.end(), true) != flags.end();
        };
        has_frozen_ = any(limits.frozen_panels) || any(limits.frozen_faces);
        for (const auto& l : limits.strain_limits) has_limits_ |= l.has_value();
        PLEAT_ASSERT(!has_limits_ || limits.face_material != nullptr, "limits are by fabric");
    }

    [[nodiscard]] bool has_frozen() const { return has_frozen_; }
    [[nodiscard]] bool is_frozen(FaceId f) const // a frozen face keeps its id, and no other gets it
    {
        if (!has_frozen_) return false;
        return (!limits_.frozen_panels.empty() && limits_.frozen_panels[index(mesh_.panel(f))]) ||
               (index(f) < limits_.frozen_faces.size() && limits_.frozen_faces[index(f)]);
    }
    /// Whether a face of the edge is.
    [[nodiscard]] bool is_frozen(EdgeId e) const
    {
        if (!has_frozen_) return false;
        const auto& faces = mesh_[e].faces;
        return is_frozen(faces[0]) || (is_some(faces[1]) && is_frozen(faces[1]));
    }

    /// \param face that has these corners, or is to have them
    [[nodiscard]] StrainSum strain_of(FaceId face, const std::array<VertId, 3>& v) const
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
    [[nodiscard]] StrainSum strain_of(FaceId face) const
    {
        return strain_of(face, mesh_[face].verts);
    }

    /// Whether an edit adds more strain than it may.
    [[nodiscard]] bool rises(const StrainSum& before, const StrainSum& after) const
    {
        return after.integral >
                   before.integral + limits_.strain_rise * limits_.strain_rise * before.area ||
               after.beyond > before.beyond + strain_rounding;
    }

    /// The same of the flip of the edge (a, b) between the faces f = (a, b, c) and g = (b, a, d).
    [[nodiscard]] bool flip_rises(FaceId f, FaceId g, VertId a, VertId b, VertId c, VertId d) const
    {
        // Each face keeps its id, see flip_edge().
        StrainSum before = strain_of(f, {a, b, c}), after = strain_of(f, {c, d, b});
        before += strain_of(g, {b, a, d});
        after += strain_of(g, {d, c, a});
        return rises(before, after);
    }
    /// Of the collapse of an edge by removing one of its nodes.
    [[nodiscard]] bool collapse_rises(EdgeId edge, NodeId removed) const
    {
        const Mesh::Edge& e = mesh_[edge];
        const MovedVerts moved(mesh_, edge, removed);
        StrainSum before, after;
        mesh_.visit_faces(removed, [&](FaceId f, std::size_t corner) {
            auto v = mesh_[f].verts;
            before += strain_of(f, v);
            if (f == e.faces[0] || f == e.faces[1]) return;
            v[corner] = moved(v[corner]);
            after += strain_of(f, v);
        });
        return rises(before, after);
    }

    /// Where the verts of a node go when an edge of it is collapsed; others stay.
    class MovedVerts {
    public:
        MovedVerts(const Mesh& mesh, EdgeId edge, NodeId removed)
        {
            const std::size_t at_removed = mesh[edge].nodes[0] == removed ? 0 : 1;
            for (std::size_t side = 0; side < (mesh.is_border(edge) ? 1u : 2u); ++side) {
                const auto v = mesh.verts_of(edge, side);
                from_[side] = v[at_removed];
                to_[side] = v[1 - at_removed];
            }
        }
        [[nodiscard]] VertId operator()(VertId v) const
        {
            return v == from_[0] ? to_[0] : v == from_[1] ? to_[1] : v;
        }

    private:
        std::array<VertId, 2> from_{no_vert, no_vert}, to_{no_vert, no_vert};
    };

private:
    // Strain by which an edit may put a face farther beyond its limits: where nothing is deformed
    // anew, rounding must not decide.
    static constexpr double strain_rounding = 1e-9;

    /// How far the principal strains of a Green strain are beyond the limits of the face, 0 within.
    [[nodiscard]] double beyond_limits(FaceId face, double e00, double e11, double e01) const
    {
        const auto& limits = limits_.strain_limits[index((*limits_.face_material)[face])];
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

    const Mesh& mesh_;
    const Field<NodeId, Vec3>& x_;
    const EditLimits& limits_;
    bool has_frozen_ = false;
    bool has_limits_ = false;
};

} // namespace pleat
