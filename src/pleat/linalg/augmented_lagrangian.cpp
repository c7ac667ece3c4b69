// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/linalg/augmented_lagrangian.hpp"

namespace pleat {

AugmentedLagrangianReport AugmentedLagrangian::minimize(const ConstrainedProblem& problem,
                                                        const AugmentedLagrangianOptions& options,
                                                        std::span<Vec3> x)
{
    AugmentedLagrangianReport report;
    const auto stop = [&] { return problem.violation() <= options.tolerance; };
    while (report.iterations < options.max_iterations && report.updates < options.max_updates) {
        const MinimizeOptions inner{options.max_iterations - report.iterations,
                                    options.inner_tolerance};
        const MinimizeReport r =
            options.inner == InnerSolver::nonlinear_cg
                ? nonlinear_cg_.minimize(problem.lagrangian, problem.preconditioner, inner, stop, x)
                : lbfgs_.minimize(problem.lagrangian, problem.preconditioner, inner, stop, x);
        report.iterations += r.iterations;
        report.evaluations += r.evaluations;
        if (r.stopped) break;
        if (!r.converged && r.iterations == 0) break; // the inner solver cannot move any more
        problem.update();
        ++report.updates;
    }
    report.violation = problem.violation();
    report.feasible = report.violation <= options.tolerance;
    return report;
}

} // namespace pleat
