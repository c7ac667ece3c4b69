// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Shared by all limiters: the faces that have limits, the penalty of a face and its gradient, the
// held nodes, and the final update of the state.
//
// A dependent node (Model::dependencies) is not moved directly: a displacement asked of it is
// passed to its parents with its weights, and it follows them. So limiters work on free nodes only.
#pragma once

#include "pleat/core/vec.hpp"
#include "pleat/energies/face_element.hpp"
#include "pleat/linalg/block_pattern.hpp"
#include "pleat/model/loads.hpp"
#include "pleat/model/model.hpp"
#include "pleat/model/state.hpp"
#include "pleat/strain_limiting/face_strain.hpp"

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

namespace pleat {

/// Called with the positions after each iteration; for plots and tests.
using LimitObserver = std::function<void(int iteration, std::span<const Vec3> x)>;

/// A face whose material has limits, or one without where these were asked for too.
struct LimitedFace {
    std::array<std::uint32_t, 3> nodes{};
    FaceRest rest;
    StrainLimits limits;
    bool limited = true; // false: the material has no limits
};

struct LimitedMesh {
    std::vector<LimitedFace> faces;
    Dependencies dependencies; // of the model
    // By free node: the limited faces with a corner there, or at a node that depends on it.
    RowGather around;
    std::vector<double> around_weight; // by entry: how much of its motion the corner makes; empty:
                                       // all of it, always
    std::vector<double> own_mass;      // by node [kg]
    std::vector<double> mass;          // by node: with what springs add, see hold() [kg]
    std::vector<std::uint32_t> piece;  // by node: which connected piece of cloth it belongs to
    std::size_t piece_count = 0;
    std::vector<std::uint8_t> held;       // by node: 1 where pinned, or all parents are
    std::vector<std::uint8_t> piece_held; // by piece: 1 where any node is pinned
    std::vector<Vec3> piece_moment;       // by piece: room for finish_limiting
    std::vector<double> piece_mass;       // by piece [kg]

    /// \param limits instead of the materials' own, for every face.
    /// \param with_unlimited list faces without limits too, unless none has any.
    void build(const Model& model, const std::optional<StrainLimits>& limits = std::nullopt,
               bool with_unlimited = false);
    /// Sets which nodes are held. A spring of stiffness k weighs k dt^2: near the end of an
    /// implicit step, inertia and springs cost 1/2 (m / dt^2 + k) |dx|^2, so a limiter that weighs
    /// displacements by m + k dt^2 leaves a node where its spring wants it as far as it can.
    void hold(const Loads& loads, double dt);

    [[nodiscard]] std::size_t node_count() const { return mass.size(); }
    [[nodiscard]] double corner_weight(std::uint32_t entry) const
    {
        return around_weight.empty() ? 1.0 : around_weight[entry];
    }
    /// Whether a limiter decides where the node goes: it is neither held nor dependent.
    [[nodiscard]] bool is_free(std::uint32_t node) const
    {
        return held[node] == 0 && !dependencies.depends(node);
    }
};

/// dx/du of a face.
[[nodiscard]] inline Mat3x2 deformation(const LimitedFace& face, std::span<const Vec3> x)
{
    return deformation(face.rest, x[face.nodes[0]], x[face.nodes[1]], x[face.nodes[2]]);
}

/// How far the values lie beyond the limits: value + multiplier, less the nearest point of the
/// limits' interval. Zero inside. The penalty of a face is mu/2 area |excess|^2.
///
/// The four constraints of [Narain2012] eqs. 23, 24 folded into two intervals with signed
/// multipliers (in units of strain: lambda / (mu w), w the root of the area). The same where a
/// bound acts at a time; where both limits are one number the constraint is an equation, as it
/// should be.
[[nodiscard]] inline Vec2 excess(const Vec2& value, const Vec2& multiplier, double lo, double hi)
{
    const auto beyond = [&](double y) { return y > hi ? y - hi : y < lo ? y - lo : 0.0; };
    return {beyond(value[0] + multiplier[0]), beyond(value[1] + multiplier[1])};
}

/// How far a stretch of 1 + strain is outside, as strain; negative inside.
[[nodiscard]] inline double violation(double strain, const StrainLimits& limits)
{
    return std::max(strain - limits.max, limits.min - strain);
}

/// Principal strains of a face, larger first; cheap, good to about 1e-8.
[[nodiscard]] Vec2 quick_strains(const Mat3x2& f);

/// The worst violation of any face as strain, and how many faces are outside by more than a
/// tolerance.
struct LimitCheck {
    double worst_violation = 0; // at least zero
    std::size_t faces_outside = 0;
    std::size_t faces_limited = 0;
};

/// Of principal strains against the materials' limits, for any positions.
[[nodiscard]] LimitCheck check_limits(const Model& model, std::span<const Vec3> x,
                                      double tolerance = 1e-3);
/// Against the same limits for every face.
[[nodiscard]] LimitCheck check_limits(const Model& model, std::span<const Vec3> x,
                                      const StrainLimits& limits, double tolerance = 1e-3);

/// Ends a limiter's work: takes the mean displacement out of every piece that nothing holds (it
/// strains nothing, and momentum is kept to rounding), adds displacement / dt to v, and puts
/// dependent nodes where their parents say.
/// \param start where the nodes were before limiting.
void finish_limiting(LimitedMesh& mesh, std::span<const Vec3> start, double dt, State& next);

} // namespace pleat
