// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/linalg/nonlinear_cg.hpp"

#include "pleat/core/error.hpp"

#include <algorithm>
#include <cmath>

namespace pleat {

MinimizeReport NonlinearCg::minimize(Objective f, std::span<const double> preconditioner,
                                     const MinimizeOptions& options, StopTest stop,
                                     std::span<Vec3> x)
{
    const std::size_t n = x.size();
    PLEAT_ASSERT(preconditioner.size() == n, "one factor a point");
    for (auto* v : {&x0_, &g0_, &g_, &z_, &d_}) v->resize(n);
    dot_.resize(n);

    MinimizeReport report;
    report.value = f(x, g_);
    report.evaluations = 1;
    const auto precondition = [&] {
        parallel_for(n, [&](std::size_t i) { z_[i] = preconditioner[i] * g_[i]; });
    };
    precondition();
    parallel_for(n, [&](std::size_t i) { d_[i] = -z_[i]; });
    double gz = dot_(g_, z_);
    const double target = options.tolerance * options.tolerance * gz;
    double slope = -gz, last_reach = 0; // step * slope of the line before
    bool steepest = true;
    while (report.iterations < options.max_iterations) {
        if (gz <= target || gz == 0) {
            report.converged = true;
            break;
        }
        std::copy(x.begin(), x.end(), x0_.begin());
        std::copy(g_.begin(), g_.end(), g0_.begin());
        // The first step along a line falls as much as the last one did [Nocedal2006] sec. 3.5.
        const double first = last_reach < 0 ? last_reach / slope : 1.0;
        const LineSearchResult line =
            line_search(f, {x0_, d_, report.value, slope, first, 0.1}, x, g_, dot_);
        report.evaluations += line.evaluations;
        if (!line.ok) {
            if (steepest) break; // at the end of precision
            parallel_for(n, [&](std::size_t i) { d_[i] = -z_[i]; });
            slope = -gz;
            last_reach = 0;
            steepest = true;
            continue;
        }
        ++report.iterations;
        report.value = line.value;
        last_reach = line.step * slope;
        if (stop()) {
            report.stopped = true;
            break;
        }
        const double old_gz = gz;
        precondition();
        const double mixed = dot_(g0_, z_);
        gz = dot_(g_, z_);
        const double beta = std::max(0.0, (gz - mixed) / old_gz);
        parallel_for(n, [&](std::size_t i) { d_[i] = beta * d_[i] - z_[i]; });
        slope = dot_(g_, d_);
        steepest = beta == 0;
        if (!(slope < 0)) {
            parallel_for(n, [&](std::size_t i) { d_[i] = -z_[i]; });
            slope = -gz;
            steepest = true;
        }
    }
    return report;
}

} // namespace pleat
