// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/linalg/minimizer.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace pleat {

namespace {

constexpr double sufficient_decrease = 1e-4; // [Nocedal2006] sec. 3.1
constexpr int max_trials = 20;

struct Trial {
    double step, value, slope;
};

/// Where the derivative between two trials vanishes, kept away from both ends.
double between(const Trial& lo, const Trial& hi)
{
    const double width = hi.step - lo.step;
    double t = 0.5;
    if (lo.slope < 0 && hi.slope > 0) {
        t = lo.slope / (lo.slope - hi.slope);
    } else { // the parabola through both values with the slope at lo
        const double rise = hi.value - lo.value - lo.slope * width;
        if (rise > 0 && std::isfinite(rise)) t = -lo.slope * width / (2 * rise);
    }
    return lo.step + width * std::clamp(std::isfinite(t) ? t : 0.5, 0.1, 0.9);
}

} // namespace

void OrderedDot::resize(std::size_t count)
{
    partial_.resize(chunk_count(count, default_chunk));
}

double OrderedDot::operator()(std::span<const Vec3> a, std::span<const Vec3> b)
{
    parallel_chunks(a.size(), default_chunk,
                    [&](std::size_t c, std::size_t first, std::size_t last) {
                        double sum = 0;
                        for (std::size_t i = first; i < last; ++i) sum += dot(a[i], b[i]);
                        partial_[c] = sum;
                    });
    double sum = 0;
    for (std::size_t c = 0; c < chunk_count(a.size(), default_chunk); ++c) sum += partial_[c];
    return sum;
}

LineSearchResult line_search(Objective f, const LineSearchStart& from, std::span<Vec3> x,
                             std::span<Vec3> gradient, OrderedDot& dot)
{
    LineSearchResult result;
    const auto evaluate = [&](double step) {
        parallel_for(x.size(), [&](std::size_t i) { x[i] = from.x[i] + step * from.direction[i]; });
        const double value = f(x, gradient);
        ++result.evaluations;
        return Trial{step, value, dot(gradient, from.direction)};
    };
    // Values that differ by rounding only count as equal.
    const double rounding = 1e-14 * std::abs(from.value);
    Trial lo{0, from.value, from.slope};
    Trial hi{std::numeric_limits<double>::infinity(), 0, 0};
    Trial now = lo;
    double step = from.first_step;
    while (result.evaluations < max_trials) {
        now = evaluate(step);
        const bool finite = std::isfinite(now.value) && std::isfinite(now.slope);
        if (!finite ||
            now.value > from.value + sufficient_decrease * step * from.slope + rounding ||
            (lo.step > 0 && now.value > lo.value + rounding)) {
            hi = now;
            if (!finite) hi.value = hi.slope = std::numeric_limits<double>::infinity();
        } else if (std::abs(now.slope) <= -from.curvature * from.slope) {
            lo = now;
            break;
        } else if (now.slope > 0) {
            hi = now;
        } else {
            // Beyond what was tried: where the slope would vanish, within a factor of ten.
            const double fall = now.slope - lo.slope;
            const double reach = fall > 0 ? -now.slope / fall * (now.step - lo.step) : step * 10;
            lo = now;
            if (!std::isfinite(hi.step)) {
                step += std::clamp(reach, step, 9 * step);
                continue;
            }
        }
        if (std::isfinite(hi.value)) {
            step = between(lo, hi);
        } else {
            step = lo.step + 0.1 * (hi.step - lo.step);
        }
        if (!(hi.step - lo.step > 1e-12 * hi.step)) break;
    }
    if (now.step != lo.step) {
        if (lo.step > 0) {
            lo = evaluate(lo.step);
        } else if (hi.step == now.step && now.value < from.value) {
            lo = now; // no Wolfe point, yet lower than the start
        }
    }
    result.ok = lo.step > 0;
    if (!result.ok) lo = evaluate(0); // so that what was evaluated last is where x is left
    result.step = lo.step;
    result.value = lo.value;
    result.slope = lo.slope;
    return result;
}

} // namespace pleat
