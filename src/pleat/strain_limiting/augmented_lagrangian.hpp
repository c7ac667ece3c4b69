// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Strain limits by the augmented Lagrangian method, minimised with first derivatives: the
// published method, kept as the reference of projected_newton.hpp.
// Based on: [Narain2012] sec. 5.
//
// Finds the positions x nearest to the given ones, weighted by mass, whose strains are inside the
// limits:
//   min 1/2 sum_i m_i |x_i - xhat_i|^2   s.t.  strains of every face in [min, max].
#pragma once

#include "pleat/linalg/augmented_lagrangian.hpp"
#include "pleat/strain_limiting/limited_mesh.hpp"
#include "pleat/strain_limiting/strain_limiter.hpp"

#include <memory>
#include <optional>

namespace pleat {

struct StrainAugmentedLagrangianOptions {
    StrainMeasure measure = StrainMeasure::principal;
    InnerSolver inner = InnerSolver::lbfgs; // half the time of nonlinear CG, here
    double tolerance = 1e-3;                // on the worst violation, as strain
    double mu = 1e3;                        // [kg/s^2 a m^2 of strain^2], as published
    int max_iterations = 2000;
    std::optional<StrainLimits> limits; // none: each material's own
    LimitObserver on_iteration;
};

class StrainLimiterAugmentedLagrangian final : public StrainLimiter {
public:
    explicit StrainLimiterAugmentedLagrangian(const StrainAugmentedLagrangianOptions& options = {});
    ~StrainLimiterAugmentedLagrangian() override;

    [[nodiscard]] LimitReport limit(const Model& model, const Loads& loads,
                                    const Contacts& contacts, double dt, State& next) override;
    void mesh_changed() override;

private:
    struct Work;
    StrainAugmentedLagrangianOptions options_;
    std::unique_ptr<Work> work_;
};

} // namespace pleat
