// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/strain_limiting/settle.hpp"

#include "pleat/strain_limiting/projected_newton.hpp"

#include <algorithm>

namespace pleat {

SettleReport settle(const Model& model, const Loads& loads, const SettleOptions& options,
                    State& state)
{
    constexpr StrainLimits zero{0, 0};
    const auto worst = [&](const State& s) {
        return check_limits(model, s.x.values, zero).worst_violation;
    };
    SettleReport report;
    report.strain_before = worst(state);
    StrainProjectedNewtonOptions o;
    o.tolerance = options.tolerance;
    o.max_iterations = options.max_iterations;
    o.limits = zero;
    StrainLimiterProjectedNewton limiter(o);
    State settled = state;
    const LimitReport r = limiter.limit(model, loads, {}, 1.0, settled);
    report.iterations = r.iterations;
    for (std::size_t i = 0; i < state.x.size(); ++i)
        report.farthest = std::max(report.farthest, norm(settled.x.values[i] - state.x.values[i]));
    state.x = std::move(settled.x);
    report.strain_after = worst(state);
    return report;
}

} // namespace pleat
