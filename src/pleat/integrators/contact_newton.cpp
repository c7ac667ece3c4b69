// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/integrators/contact_newton.hpp"

#include "pleat/core/parallel.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

namespace pleat {

namespace {

// The loosest and the tightest that linear solves inside are; a float round reaches the latter.
constexpr double loosest_solve = 0.1;
constexpr double tightest_solve = 1e-4;
constexpr double tightest_round = 1e-6; // what a round in float may reach
// The first minimisations only serve the next one's friction.
constexpr std::array coarse_tolerances{1e-2, 1e-3};
// The drag that holds contacts reaches mu N at this multiple of the speed below which they are to
// stick; refreshes of friction bring the slip down to that.
constexpr double drag_speed = 10;
// The line search ends where the slope is below this share of that at the start.
constexpr double line_slope = 0.1;
constexpr int line_evaluations = 12;

/// y = S x, without links.
void multiply_blocks(const BlockSystem& a, std::span<const Vec3> x, std::span<Vec3> y)
{
    multiply_internal(*a.pattern, a.off, x, y);
    parallel_for(a.row_count(), [&](std::size_t i) { y[i] += a.own[i] * x[i]; });
}

} // namespace

void ContactNewton::prepare(const ContactProblem& p)
{
    const std::size_t n = p.system.row_count(), count = p.touches.size();
    for (auto* v : {&product_, &gradient_, &direction_, &direction_product_, &rhs_}) v->resize(n);
    fall_.resize(count);
    place_.resize(count);
    impulse_.resize(count);
    along_.resize(count);
    start_.assign(1, 0);
    row_.clear();
    weight_.clear();
    for (const Touch& t : p.touches) {
        p.dependencies.visit_sum(std::span(t.rows).first(t.count),
                                 std::span(t.weights).first(t.count),
                                 [&](std::uint32_t row, double weight) {
                                     row_.push_back(row);
                                     weight_.push_back(weight);
                                 });
        start_.push_back(static_cast<std::uint32_t>(row_.size()));
    }
    // Counted one row further on, so that filling moves each start to where it belongs.
    pull_start_.assign(n + 2, 0);
    for (const std::uint32_t row : row_) ++pull_start_[row + 2];
    std::partial_sum(pull_start_.begin(), pull_start_.end(), pull_start_.begin());
    pulls_.resize(row_.size());
    for (std::uint32_t t = 0; t < count; ++t)
        for (std::uint32_t k = start_[t]; k < start_[t + 1]; ++k)
            pulls_[pull_start_[row_[k] + 1]++] = {t, weight_[k]};
    p.system.couple_start = start_;
    p.system.couple_row = row_;
    ++p.system.links_revision;
    parallel_for(count, [&](std::size_t k) {
        const Touch& t = p.touches[k];
        fall_[k] = {t.gap(p.y, 1), t.slip(p.fall)};
    });
}

void ContactNewton::place_touches(const ContactProblem& p, std::span<const Vec3> w)
{
    parallel_for(place_.size(), [&](std::size_t k) {
        Vec3 sum{};
        for (std::uint32_t e = start_[k]; e < start_[k + 1]; ++e) sum += weight_[e] * w[row_[e]];
        const Touch& t = p.touches[k];
        place_[k] = {fall_[k].gap + p.dt * dot(t.normal, sum), fall_[k].slip + t.tangential(sum)};
    });
}

/// phi(w) [J]; leaves S w and the places of the touches.
double ContactNewton::potential(const ContactProblem& p, std::span<const Vec3> w)
{
    multiply_blocks(p.system, w, product_);
    place_touches(p, w);
    return parallel_sum(w.size(),
                        [&](std::size_t i) { return dot(w[i], 0.5 * product_[i] - p.base[i]); }) +
           parallel_sum(place_.size(), [&](std::size_t k) {
               const Touch& t = p.touches[k];
               return t.push_potential(place_[k].gap) + p.dt * t.friction_potential(place_[k].slip);
           });
}

/// The gradient from S w and the places of the touches, and the norms of its parts.
void ContactNewton::find_gradient(const ContactProblem& p)
{
    parallel_for(place_.size(), [&](std::size_t k) {
        const Touch& t = p.touches[k];
        impulse_[k] = p.dt * (t.push(place_[k].gap) * t.normal + t.friction_force(place_[k].slip));
    });
    struct Sums {
        double contact = 0, left = 0;
    };
    const Sums sums = parallel_reduce(
        gradient_.size(), Sums{},
        [&](std::size_t i) {
            gradient_[i] = Vec3{};
            if (p.system.is_fixed(i)) return Sums{};
            Vec3 contact{};
            for (std::uint32_t e = pull_start_[i]; e < pull_start_[i + 1]; ++e)
                contact += pulls_[e].weight * impulse_[pulls_[e].touch];
            gradient_[i] = product_[i] - p.base[i] - contact;
            return Sums{norm2(contact), norm2(gradient_[i])};
        },
        [](const Sums& a, const Sums& b) {
            return Sums{a.contact + b.contact, a.left + b.left};
        });
    contact_ = std::sqrt(sums.contact);
    left_ = std::sqrt(sums.left);
}

/// Links of the contacts that push or hold at the places of the touches.
void ContactNewton::make_links(const ContactProblem& p)
{
    BlockLinks& links = p.system.links;
    links.clear();
    for (std::size_t k = 0; k < place_.size(); ++k) {
        const Touch& t = p.touches[k];
        const double stiffness = t.push_stiffness(place_[k].gap);
        if (stiffness == 0 && t.hold == 0) continue;
        Mat3 m = outer(t.normal, t.normal) * (p.dt * p.dt * stiffness);
        if (t.hold > 0) m += t.friction_matrix(place_[k].slip) * p.dt;
        links.add(std::span(row_).subspan(start_[k], start_[k + 1] - start_[k]),
                  std::span(weight_).subspan(start_[k], start_[k + 1] - start_[k]), m);
    }
}

/// d phi / d t at w + t direction.
double ContactNewton::slope(const ContactProblem& p, double base_slope, double curvature,
                            double t) const
{
    const double touches = parallel_sum(place_.size(), [&](std::size_t k) {
        const Touch& touch = p.touches[k];
        const double gap = place_[k].gap + t * p.dt * dot(touch.normal, along_[k]);
        const Vec3 slip = place_[k].slip + t * touch.tangential(along_[k]);
        return dot(touch.push(gap) * touch.normal + touch.friction_force(slip), along_[k]);
    });
    return base_slope + t * curvature - p.dt * touches;
}

/// How far to go along the direction: where phi is least, about. phi is convex along it.
double ContactNewton::search_line(const ContactProblem& p) const
{
    const double base_slope = parallel_sum(direction_.size(), [&](std::size_t i) {
        return dot(product_[i] - p.base[i], direction_[i]);
    });
    const double curvature = parallel_sum(direction_.size(), [&](std::size_t i) {
        return dot(direction_product_[i], direction_[i]);
    });
    const double first = slope(p, base_slope, curvature, 0);
    double low = 0, slope_low = first, high = 1;
    double slope_high = slope(p, base_slope, curvature, high);
    const double enough = line_slope * std::abs(first);
    int evaluations = 1;
    for (; slope_high < -enough && evaluations < line_evaluations; ++evaluations) {
        low = high;
        slope_low = slope_high;
        high *= 2;
        slope_high = slope(p, base_slope, curvature, high);
    }
    if (std::abs(slope_high) <= enough) return high;
    // Regula falsi; an end that stays is given half its weight (the Illinois variant).
    for (; evaluations < line_evaluations; ++evaluations) {
        const double t = low - slope_low * (high - low) / (slope_high - slope_low);
        const double s = slope(p, base_slope, curvature, t);
        if (std::abs(s) <= enough) return t;
        if (s > 0) {
            high = t;
            slope_high = s;
            slope_low *= 0.5;
        } else {
            low = t;
            slope_low = s;
            slope_high *= 0.5;
        }
    }
    return low > 0 ? low : high;
}

/// One linear solve and one line search. \param target what the gradient is to come down to
bool ContactNewton::newton_pass(const ContactProblem& p, LinearSolver& solver, double target,
                                std::span<Vec3> w, SolveReport& report)
{
    const std::size_t n = w.size();
    make_links(p);
    parallel_for(n, [&](std::size_t i) { rhs_[i] = -gradient_[i]; });
    // A little better than needed, so that the next gradient is below the target at once, but no
    // better than the linear model.
    const double needed = 0.5 * target / left_;
    const double tolerance = p.touches.empty() ? std::max(needed, tightest_round)
                                               : std::max({needed, forcing_, tightest_solve});
    const LinearReport l =
        solver.correct(p.system, rhs_, std::min(tolerance, loosest_solve), direction_);
    ++report.newton_iterations;
    report.linear_iterations += l.iterations;
    report.fallbacks += l.fallbacks;
    report.ms_prepare += l.ms_analysis + l.ms_factor;
    report.ms_solve += l.ms_solve;
    if (!l.ok) {
        report.ok = false;
        report.trouble = l.trouble;
        return false;
    }
    multiply_blocks(p.system, direction_, direction_product_);
    parallel_for(along_.size(), [&](std::size_t k) {
        Vec3 sum{};
        for (std::uint32_t e = start_[k]; e < start_[k + 1]; ++e)
            sum += weight_[e] * direction_[row_[e]];
        along_[k] = sum;
    });
    const double t = p.touches.empty() ? 1 : search_line(p);
    parallel_for(n, [&](std::size_t i) {
        w[i] += t * direction_[i];
        product_[i] += t * direction_product_[i];
    });
    place_touches(p, w);
    const double before = left_;
    find_gradient(p);
    // How far the linear model was off [Eisenstat1996] choice 1.
    forcing_ =
        std::clamp(std::abs(left_ - l.residual * before) / before, tightest_solve, loosest_solve);
    return true;
}

/// New normal forces for friction. \return the change of friction as a share of mu N
double ContactNewton::refresh(const ContactProblem& p, double drag_slip)
{
    struct Sums {
        double change = 0, most = 0; // [N]
    };
    const Sums sums = parallel_reduce(
        place_.size(), Sums{},
        [&](std::size_t k) {
            Touch& t = p.touches[k];
            const double change =
                refresh_friction(t, t.push(place_[k].gap), place_[k].slip, drag_slip);
            return Sums{change, t.most_friction};
        },
        [](const Sums& a, const Sums& b) {
            return Sums{a.change + b.change, a.most + b.most};
        });
    return sums.change > 0 ? sums.change / std::max(sums.most, sums.change) : 0;
}

/// Solves for the translation of everything exactly: the internal part does not resist it, so that
/// what the tolerance leaves there would be momentum from nowhere.
void ContactNewton::shift(const ContactProblem& p, std::span<Vec3> w) const
{
    const Vec3 sum = parallel_sum(w.size(), [&](std::size_t i) { return gradient_[i]; });
    Mat3 held = parallel_sum(w.size(), [&](std::size_t i) { return p.system.own[i]; });
    held += parallel_sum(place_.size(), [&](std::size_t k) {
        const Touch& t = p.touches[k];
        double total = 0;
        for (std::uint32_t e = start_[k]; e < start_[k + 1]; ++e) total += weight_[e];
        const double stiffness = t.push_stiffness(place_[k].gap);
        return (outer(t.normal, t.normal) * (p.dt * p.dt * stiffness) +
                t.friction_matrix(place_[k].slip) * p.dt) *
               (total * total);
    });
    const double det = determinant(held);
    if (!(det > 0) || !std::isfinite(det)) return;
    const Vec3 t = inverse(held) * sum;
    parallel_for(w.size(), [&](std::size_t i) { w[i] -= t; });
}

bool ContactNewton::minimise(const ContactProblem& p, const ContactNewtonOptions& options,
                             std::span<const std::span<const Vec3>> starts, LinearSolver& solver,
                             std::span<Vec3> w, SolveReport& report)
{
    prepare(p);
    // Friction of the first minimisation is that of the pushes at the start of the step.
    const double drag_slip = drag_speed * options.friction_speed;
    parallel_for(p.touches.size(), [&](std::size_t k) {
        Touch& t = p.touches[k];
        (void)refresh_friction(t, t.push(t.gap(p.x, 0)), Vec3{}, drag_slip);
    });
    std::size_t best = starts.size();
    double least = 0;
    load_ = std::numeric_limits<double>::infinity();
    for (std::size_t s = 0; s < starts.size(); ++s) {
        const double found = potential(p, starts[s]);
        const double left2 = parallel_sum(w.size(), [&](std::size_t i) {
            return p.system.is_fixed(i) ? 0.0 : norm2(p.base[i] - product_[i]);
        });
        load_ = std::min(load_, std::sqrt(left2));
        if (best < starts.size() && !(found < least)) continue;
        best = s;
        least = found;
    }
    load_ = std::max(load_, p.least_load);
    std::copy(starts[best].begin(), starts[best].end(), w.begin());
    if (best + 1 != starts.size()) (void)potential(p, w);
    find_gradient(p);
    if (p.system.fixed.empty() && p.touches.empty()) { // a translation needs no solve
        shift(p, w);
        (void)potential(p, w);
        find_gradient(p);
    }
    const bool rubs = std::any_of(p.touches.begin(), p.touches.end(),
                                  [](const Touch& t) { return t.friction > 0; });
    forcing_ = 0; // the first solve is as good as needed: most contacts stay as they are
    report.contacts_settled = false;
    for (int refreshes = 0;; ++refreshes) {
        const bool coarse = rubs && refreshes < static_cast<int>(coarse_tolerances.size());
        const double tolerance =
            coarse ? std::max(options.tolerance, coarse_tolerances[std::size_t(refreshes)])
                   : options.tolerance;
        const auto target = [&] { return tolerance * std::max(load_, contact_); };
        while (left_ > target() && report.newton_iterations < options.max_solves)
            if (!newton_pass(p, solver, target(), w, report)) return false;
        const bool met = left_ <= target();
        report.residual = left_ / std::max({load_, contact_, 1e-300});
        if (rubs && refreshes < options.max_refreshes && met) {
            const double change = refresh(p, drag_slip);
            ++p.system.links_revision;
            find_gradient(p);
            forcing_ = loosest_solve;
            if (coarse || change > options.friction_tolerance) continue;
        }
        report.contacts_settled = met && refreshes < options.max_refreshes;
        break;
    }
    report.contact_passes = report.newton_iterations - 1;
    if (p.system.fixed.empty()) shift(p, w);
    return true;
}

} // namespace pleat
