// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// The minimisers on functions whose minima are known.
#include "pleat/linalg/augmented_lagrangian.hpp"
#include "pleat/linalg/lbfgs.hpp"
#include "pleat/linalg/nonlinear_cg.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace pleat {
namespace {

constexpr std::size_t count = 3000; // several chunks

constexpr auto never = [] { return false; };

/// sum_i k_i |x_i - c_i|^2 / 2 + springs between neighbours; stiffness over three decades.
struct Chain {
    [[nodiscard]] static double stiffness(std::size_t i) { return std::pow(10.0, double(i % 4)); }
    [[nodiscard]] static Vec3 centre(std::size_t i)
    {
        return {double(i % 7), 1, std::sin(double(i))};
    }

    double operator()(std::span<const Vec3> x, std::span<Vec3> g) const
    {
        double value = 0;
        for (std::size_t i = 0; i < x.size(); ++i) {
            const Vec3 d = x[i] - centre(i);
            value += 0.5 * stiffness(i) * norm2(d);
            g[i] = stiffness(i) * d;
        }
        for (std::size_t i = 0; i + 1 < x.size(); ++i) {
            const Vec3 d = x[i + 1] - x[i];
            value += 5 * norm2(d);
            g[i] -= 10.0 * d;
            g[i + 1] += 10.0 * d;
        }
        return value;
    }
};

std::vector<double> chain_preconditioner()
{
    std::vector<double> p(count);
    for (std::size_t i = 0; i < count; ++i) p[i] = 1 / (Chain::stiffness(i) + 20);
    return p;
}

/// The curved valley of Rosenbrock in each point's first two coordinates.
constexpr auto rosenbrock = [](std::span<const Vec3> x, std::span<Vec3> g) {
    double value = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        const double a = 1 - x[i][0], b = x[i][1] - x[i][0] * x[i][0];
        value += a * a + 100 * b * b + x[i][2] * x[i][2];
        g[i] = {-2 * a - 400 * b * x[i][0], 200 * b, 2 * x[i][2]};
    }
    return value;
};

template <class Minimizer> class Minimizers : public testing::Test {};
using Both = testing::Types<NonlinearCg, Lbfgs>;
TYPED_TEST_SUITE(Minimizers, Both);

TYPED_TEST(Minimizers, gradient_vanishes_at_the_minimum_of_a_quadratic)
{
    TypeParam minimizer;
    std::vector<Vec3> x(count), g(count);
    const MinimizeReport r =
        minimizer.minimize(Chain{}, chain_preconditioner(), {500, 1e-8}, never, x);
    EXPECT_TRUE(r.converged);
    EXPECT_LT(r.iterations, 100);
    const double value = Chain{}(x, g);
    EXPECT_DOUBLE_EQ(value, r.value);
    for (const Vec3& gi : g) EXPECT_LT(norm(gi), 1e-3);
}

TYPED_TEST(Minimizers, finds_the_end_of_a_curved_valley)
{
    TypeParam minimizer;
    std::vector<Vec3> x(5, Vec3{-1.2, 1, 0.5});
    const std::vector<double> one(5, 1.0);
    const MinimizeReport r = minimizer.minimize(rosenbrock, one, {2000, 1e-9}, never, x);
    EXPECT_TRUE(r.converged);
    for (const Vec3& p : x) EXPECT_LT(norm(p - Vec3{1, 1, 0}), 1e-5);
}

TYPED_TEST(Minimizers, zero_in_the_preconditioner_holds_a_point)
{
    TypeParam minimizer;
    std::vector<Vec3> x(count, Vec3{9, 9, 9});
    std::vector<double> p = chain_preconditioner();
    p[17] = 0;
    (void)minimizer.minimize(Chain{}, p, {100, 1e-6}, never, x);
    EXPECT_EQ(x[17], (Vec3{9, 9, 9}));
    EXPECT_LT(norm(x[100] - Vec3{9, 9, 9}), 20);
    EXPECT_NE(x[100], (Vec3{9, 9, 9}));
}

TYPED_TEST(Minimizers, stop_test_ends_it)
{
    TypeParam minimizer;
    std::vector<Vec3> x(count);
    int asked = 0;
    const auto third = [&] { return ++asked == 3; };
    const MinimizeReport r =
        minimizer.minimize(Chain{}, chain_preconditioner(), {500, 1e-8}, third, x);
    EXPECT_TRUE(r.stopped);
    EXPECT_EQ(r.iterations, 3);
}

/// The point of a ball that is nearest to one outside it, for many points at once:
/// min sum |x_i - p_i|^2 / 2 s.t. |x_i| <= 1.
TEST(AugmentedLagrangian, finds_the_nearest_points_of_a_ball)
{
    const std::size_t n = 700;
    const double mu = 10;
    std::vector<Vec3> p(n), x;
    for (std::size_t i = 0; i < n; ++i)
        p[i] = {2 * std::cos(double(i)), 2 * std::sin(double(i)), i % 3 == 0 ? -0.5 : 0.3};
    p[5] = {0.1, 0.2, 0.3}; // inside already
    x = p;
    std::vector<double> lambda(n), active(n);
    double worst = 0;
    const auto lagrangian = [&](std::span<const Vec3> at, std::span<Vec3> g) {
        double value = 0;
        worst = 0;
        for (std::size_t i = 0; i < n; ++i) {
            const double length = norm(at[i]), outside = length - 1;
            worst = std::max(worst, outside);
            active[i] = std::max(outside + lambda[i] / mu, 0.0);
            value += 0.5 * norm2(at[i] - p[i]) + 0.5 * mu * active[i] * active[i];
            g[i] = at[i] - p[i] + (mu * active[i] / length) * at[i];
        }
        return value;
    };
    const auto violation = [&] { return worst; };
    const auto update = [&] {
        for (std::size_t i = 0; i < n; ++i) lambda[i] = mu * active[i];
    };
    const std::vector<double> preconditioner(n, 1 / (1 + mu));
    for (InnerSolver inner : {InnerSolver::nonlinear_cg, InnerSolver::lbfgs}) {
        x = p;
        std::fill(lambda.begin(), lambda.end(), 0.0);
        AugmentedLagrangian solver;
        const AugmentedLagrangianReport r = solver.minimize(
            {lagrangian, violation, update, preconditioner}, {inner, 1e-6, 1000, 100, 1e-4}, x);
        EXPECT_TRUE(r.feasible);
        EXPECT_GT(r.updates, 0); // the penalty alone is not enough
        for (std::size_t i = 0; i < n; ++i)
            EXPECT_LT(norm(x[i] - p[i] / std::max(1.0, norm(p[i]))), 1e-4) << i;
    }
}

} // namespace
} // namespace pleat
