// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Biphasic limits on the lengths of edges by changing velocities: stretch is allowed up to a tenth,
// compression not at all, so that cloth buckles instead of shrinking.
// Based on: [Bridson2003] sec. 3, [Bridson2002] sec. 7.2, [Provot1995].
//
// Where an edge would end the step outside its limits, an impulse along it changes the velocities
// of its two ends, momentum kept, so that it ends the step at the limit; edge after edge, several
// times over. Edges are in groups that share no node: a group is done in parallel, the groups in
// order. Limits each edge on its own, so that shear and the strains between edges are free; cheap,
// made for explicit or mixed integrators.
#pragma once

#include "pleat/strain_limiting/strain_limiter.hpp"

#include <memory>
#include <optional>

namespace pleat {

/// As published: at most a tenth longer than at rest, not shorter.
inline constexpr StrainLimits biphasic_limits{0.0, 0.1};

struct StrainEdgeVelocityOptions {
    double tolerance = 1e-3; // on the worst violation of an edge, as strain
    int max_iterations = 50;
    std::optional<StrainLimits> limits;         // none: each material's own
    std::optional<StrainLimits> default_limits; // of materials without; none: not limited
};

class StrainLimiterEdgeVelocity final : public StrainLimiter {
public:
    explicit StrainLimiterEdgeVelocity(const StrainEdgeVelocityOptions& options = {});
    ~StrainLimiterEdgeVelocity() override;

    /// worst_violation of the report is that of edges.
    [[nodiscard]] LimitReport limit(const Model& model, const Loads& loads,
                                    const Contacts& contacts, double dt, State& next) override;
    void mesh_changed() override;

private:
    struct Work;
    StrainEdgeVelocityOptions options_;
    std::unique_ptr<Work> work_;
};

} // namespace pleat
