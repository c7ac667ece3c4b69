// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// min f(x) subject to g(x) <= 0 by the augmented Lagrangian method with slack eliminated.
// Based on: [Narain2012] sec. 5.1, eqs. 19 to 21; [Nocedal2006] sec. 17.4.
#pragma once

#include "pleat/linalg/lbfgs.hpp"
#include "pleat/linalg/minimizer.hpp"
#include "pleat/linalg/nonlinear_cg.hpp"

#include <span>

namespace pleat {

enum class InnerSolver { nonlinear_cg, lbfgs };

struct AugmentedLagrangianOptions {
    InnerSolver inner = InnerSolver::nonlinear_cg;
    double tolerance = 1e-3;   // on the worst violation, in its unit
    int max_iterations = 2000; // of the inner solver, in all
    int max_updates = 50;      // of the multipliers
    /// Each inner minimisation ends when its gradient fell to this share, then the multipliers
    /// are updated.
    double inner_tolerance = 1e-2;
};

/// The functions hold the multipliers; all but the first refer to the point evaluated last.
struct ConstrainedProblem {
    Objective lagrangian;                   // f + mu/2 |max(g + lambda/mu, 0)|^2 and its gradient
    FunctionRef<double()> violation;        // the worst
    FunctionRef<void()> update;             // lambda <- mu max(g + lambda/mu, 0)
    std::span<const double> preconditioner; // as for NonlinearCg
};

struct AugmentedLagrangianReport {
    bool feasible = false; // to the tolerance
    int iterations = 0;    // of the inner solver
    int evaluations = 0;
    int updates = 0;
    double violation = 0; // worst, where x was left
};

/// Keeps its memory between calls: none is allocated when the size stays.
class AugmentedLagrangian {
public:
    /// Moves x to a point that is feasible to the tolerance and near the minimum of f among those.
    /// Ends as soon as x is feasible: iterates come from outside the feasible set, so the first
    /// feasible one is near the best one.
    [[nodiscard]] AugmentedLagrangianReport minimize(const ConstrainedProblem& problem,
                                                     const AugmentedLagrangianOptions& options,
                                                     std::span<Vec3> x);

private:
    NonlinearCg nonlinear_cg_;
    Lbfgs lbfgs_;
};

} // namespace pleat
