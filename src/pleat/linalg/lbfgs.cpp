// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/linalg/lbfgs.hpp"

#include "pleat/core/error.hpp"

#include <algorithm>
#include <cmath>

namespace pleat {

MinimizeReport Lbfgs::minimize(Objective f, std::span<const double> preconditioner,
                               const MinimizeOptions& options, StopTest stop, std::span<Vec3> x)
{
    const std::size_t n = x.size();
    PLEAT_ASSERT(preconditioner.size() == n, "one factor a point");
    for (auto* v : {&x0_, &g0_, &g_, &d_}) v->resize(n);
    for (std::size_t k = 0; k < history; ++k) {
        s_[k].resize(n);
        y_[k].resize(n);
    }
    dot_.resize(n);

    MinimizeReport report;
    report.value = f(x, g_);
    report.evaluations = 1;
    std::size_t stored = 0, next = 0;
    double target = -1;
    while (report.iterations < options.max_iterations) {
        // d = -H g by the two-loop recursion, H started from the diagonal.
        parallel_for(n, [&](std::size_t i) { d_[i] = preconditioner[i] * g_[i]; });
        const double gz = dot_(g_, d_);
        if (target < 0) target = options.tolerance * options.tolerance * gz;
        if (gz <= target || gz == 0) {
            report.converged = true;
            break;
        }
        if (stored > 0) {
            std::array<double, history> alpha{};
            std::copy(g_.begin(), g_.end(), d_.begin());
            for (std::size_t j = 0; j < stored; ++j) {
                const std::size_t k = (next + history - 1 - j) % history;
                alpha[k] = rho_[k] * dot_(s_[k], d_);
                parallel_for(n, [&](std::size_t i) { d_[i] -= alpha[k] * y_[k][i]; });
            }
            // The diagonal times what the last pair says of its scale; y P y is at hand in x0_.
            const std::size_t last = (next + history - 1) % history;
            parallel_for(n, [&](std::size_t i) { x0_[i] = preconditioner[i] * y_[last][i]; });
            const double scale = 1 / (rho_[last] * dot_(y_[last], x0_));
            parallel_for(n, [&](std::size_t i) { d_[i] *= scale * preconditioner[i]; });
            for (std::size_t j = stored; j-- > 0;) {
                const std::size_t k = (next + history - 1 - j) % history;
                const double beta = rho_[k] * dot_(y_[k], d_);
                parallel_for(n, [&](std::size_t i) { d_[i] += (alpha[k] - beta) * s_[k][i]; });
            }
        }
        parallel_for(n, [&](std::size_t i) { d_[i] = preconditioner[i] == 0 ? Vec3{} : -d_[i]; });
        double slope = dot_(g_, d_);
        if (!(slope < 0)) { // the stored pairs no longer give a descent direction
            stored = 0;
            continue;
        }
        std::copy(x.begin(), x.end(), x0_.begin());
        std::copy(g_.begin(), g_.end(), g0_.begin());
        const LineSearchResult line =
            line_search(f, {x0_, d_, report.value, slope, 1.0, 0.9}, x, g_, dot_);
        report.evaluations += line.evaluations;
        if (!line.ok) {
            if (stored == 0) break; // at the end of precision
            stored = 0;
            continue;
        }
        ++report.iterations;
        report.value = line.value;
        if (stop()) {
            report.stopped = true;
            break;
        }
        parallel_for(n, [&](std::size_t i) {
            s_[next][i] = x[i] - x0_[i];
            y_[next][i] = g_[i] - g0_[i];
        });
        const double sy = dot_(s_[next], y_[next]);
        if (sy > 0) { // keeps H positive
            rho_[next] = 1 / sy;
            next = (next + 1) % history;
            stored = std::min(stored + 1, history);
        }
    }
    return report;
}

} // namespace pleat
