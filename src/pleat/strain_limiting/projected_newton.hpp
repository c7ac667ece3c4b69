// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Strain limits by Newton's method on the augmented Lagrangian of [Narain2012] sec. 5: the same
// problem as augmented_lagrangian.hpp, solved with second derivatives.
// Based on: [Narain2012] sec. 5, [Smith2019] (eigensystems of functions of singular values),
// [Nocedal2006] sec. 7.1 (inexact Newton).
//
// Three things make it fast. Only what must move is worked on: nodes of faces at their limits and a
// few rings around, a set that grows as needed. Each face's Hessian is made positive semi-definite
// in closed form and damped, so that conjugate gradients in float give a descent direction that
// does not push neighbours beyond their limits. And the stiffness mu of the penalty follows from
// the violation, so that multipliers are updated rarely. It aims one tolerance inside the limits
// and is content with one tolerance outside.
//
// Nothing is carried over from step to step: a run that is resumed gives the same bits.
#pragma once

#include "pleat/strain_limiting/limited_mesh.hpp"
#include "pleat/strain_limiting/strain_limiter.hpp"

#include <memory>
#include <optional>

namespace pleat {

struct StrainProjectedNewtonOptions {
    StrainMeasure measure = StrainMeasure::principal;
    double tolerance = 1e-3;            // on the worst violation, as strain
    int max_iterations = 60;            // Newton's
    int max_cg = 200;                   // of conjugate gradients, in one of Newton's
    double cg_tolerance = 0.03;         // relative residual
    std::optional<StrainLimits> limits; // none: each material's own
    LimitObserver on_iteration;
};

class StrainLimiterProjectedNewton final : public StrainLimiter {
public:
    explicit StrainLimiterProjectedNewton(const StrainProjectedNewtonOptions& options = {});
    ~StrainLimiterProjectedNewton() override;

    [[nodiscard]] LimitReport limit(const Model& model, const Loads& loads,
                                    const Contacts& contacts, double dt, State& next) override;
    void mesh_changed() override;

private:
    struct Work;
    StrainProjectedNewtonOptions options_;
    std::unique_ptr<Work> work_;
};

} // namespace pleat
