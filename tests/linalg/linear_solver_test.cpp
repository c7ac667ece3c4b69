// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/linalg/cg.hpp"
#include "pleat/linalg/cholesky.hpp"
#include "pleat/linalg/linear_solver.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <memory>
#include <random>

namespace pleat {
namespace {

struct Problem {
    std::unique_ptr<PatternParts> parts = std::make_unique<PatternParts>();
    BlockSystem a;
    std::vector<Vec3> b, solution;
};

/// A grid of springs with random stiffness, random masses, some links.
Problem grid_of_springs(std::size_t side, double stiffness, bool with_fixed, bool with_links)
{
    std::mt19937 random(17);
    std::uniform_real_distribution<double> unit(0, 1);
    Problem p;
    const auto n = static_cast<std::uint32_t>(side * side);
    std::vector<std::uint32_t> springs;
    for (std::uint32_t i = 0; i < n; ++i) {
        if ((i + 1) % side != 0) springs.insert(springs.end(), {i, i + 1});
        if (i + side < n) springs.insert(springs.end(), {i, static_cast<std::uint32_t>(i + side)});
    }
    const ElementList list{springs, 2};
    *p.parts = build_pattern(n, {&list, 1});
    p.a.pattern = &p.parts->pattern;
    p.a.off.resize(p.parts->pattern.slot_count());
    for (const auto& pair : p.parts->pattern.pairs) {
        const Vec3 d = normalized(Vec3{unit(random), unit(random), unit(random)});
        const Mat3 k = (outer(d, d) + identity<3>() * 0.1) * (-stiffness * (0.1 + unit(random)));
        p.a.off[pair.slot] = k;
        p.a.off[pair.mirror] = transpose(k);
    }
    for (std::uint32_t i = 0; i < n; ++i) {
        p.a.own.push_back(identity<3>() * (0.5 + unit(random)));
        p.b.push_back({unit(random) - 0.5, unit(random) - 0.5, unit(random) - 0.5});
    }
    p.solution.assign(n, Vec3{});
    if (with_fixed) {
        p.a.fixed.assign(n, 0);
        for (std::uint32_t i = 0; i < n; i += 7) {
            p.a.fixed[i] = 1;
            p.solution[i] = {0.1, -0.2, unit(random)};
        }
    }
    if (with_links)
        for (std::uint32_t l = 0; l < 20; ++l) {
            const Vec3 d = normalized(Vec3{unit(random), unit(random), unit(random)});
            const std::array<std::uint32_t, 4> rows{l, l + 40, l + 41, l + 55};
            const std::array<double, 4> weights{1, -0.3, -0.3, -0.4};
            p.a.links.add(rows, weights, outer(d, d) * (5 * stiffness));
        }
    return p;
}

double residual(const Problem& p)
{
    std::vector<Vec3> y(p.b.size());
    multiply(p.a, p.solution, y);
    double r = 0, load = 0;
    for (std::size_t i = 0; i < y.size(); ++i) {
        if (p.a.is_fixed(i)) continue;
        r += norm2(p.b[i] - y[i]);
        load += norm2(p.b[i]);
    }
    return std::sqrt(r / load);
}

class Solvers : public testing::TestWithParam<int> {
protected:
    static std::unique_ptr<LinearSolver> make()
    {
        CgOptions o;
        o.tolerance = 1e-9;
        o.fallback = false;
        if (GetParam() == 0) return std::make_unique<LinearSolverCg>(o);
        return std::make_unique<LinearSolverCholesky>();
    }
};

TEST_P(Solvers, solve_with_fixed_rows_and_links)
{
    for (bool fixed : {false, true})
        for (bool links : {false, true})
            for (double stiffness : {1.0, 1e3}) {
                Problem p = grid_of_springs(20, stiffness, fixed, links);
                const std::vector<Vec3> given = p.solution;
                const LinearReport r = make()->solve(p.a, p.b, p.solution);
                ASSERT_TRUE(r.ok) << r.trouble;
                EXPECT_LT(residual(p), 1e-8 * (fixed ? stiffness : 1));
                for (std::size_t i = 0; i < given.size(); ++i) {
                    if (!p.a.is_fixed(i)) continue;
                    EXPECT_EQ(p.solution[i], given[i]);
                }
            }
}

TEST_P(Solvers, solve_again_after_the_numbers_and_the_links_changed)
{
    const auto solver = make();
    Problem p = grid_of_springs(12, 10, true, false);
    ASSERT_TRUE(solver->solve(p.a, p.b, p.solution).ok);
    for (Mat3& m : p.a.off) m *= 3;
    ASSERT_TRUE(solver->solve(p.a, p.b, p.solution).ok);
    EXPECT_LT(residual(p), 1e-7);
    const std::array<std::uint32_t, 2> rows{3, 99};
    const std::array<double, 2> weights{1, -1};
    p.a.links.add(rows, weights, identity<3>() * 50);
    ASSERT_TRUE(solver->solve(p.a, p.b, p.solution).ok);
    EXPECT_LT(residual(p), 1e-7);
}

TEST_P(Solvers, moving_everything_together_costs_only_the_mass)
{
    // Stiffness 1e7 times the mass: the internal part must not resist a translation.
    Problem p = grid_of_springs(10, 1e7, false, false);
    for (std::size_t i = 0; i < p.b.size(); ++i) p.b[i] = p.a.own[i] * Vec3{1, 2, -3};
    ASSERT_TRUE(make()->solve(p.a, p.b, p.solution).ok);
    for (const Vec3& x : p.solution) EXPECT_LT(norm(x - Vec3{1, 2, -3}), 1e-6);
}

TEST_P(Solvers, say_so_when_the_matrix_is_not_positive)
{
    Problem p = grid_of_springs(10, 1, false, false);
    for (Mat3& m : p.a.own) m = identity<3>() * -1.0;
    const LinearReport r = make()->solve(p.a, p.b, p.solution);
    EXPECT_FALSE(r.ok);
    EXPECT_FALSE(r.trouble.empty());
}

INSTANTIATE_TEST_SUITE_P(Linear, Solvers, testing::Values(0, 1), [](const auto& p) {
    return p.param == 0 ? std::string("cg") : std::string("cholesky");
});

TEST(LinearSolverCg, falls_back_to_cholesky)
{
    Problem p = grid_of_springs(20, 1e3, true, true);
    CgOptions o;
    o.max_iterations = 3;
    const LinearReport r = LinearSolverCg(o).solve(p.a, p.b, p.solution);
    EXPECT_TRUE(r.ok);
    EXPECT_EQ(r.fallbacks, 1);
    EXPECT_LT(residual(p), 1e-6);
}

TEST(LinearSolverCg, has_the_same_bits_for_any_thread_count)
{
    std::vector<std::vector<Vec3>> results;
    for (int threads : {1, 2, 3}) {
        Problem p = grid_of_springs(50, 100, true, true);
        Threads(threads).run([&] { ASSERT_TRUE(LinearSolverCg().solve(p.a, p.b, p.solution).ok); });
        results.push_back(p.solution);
    }
    EXPECT_EQ(results[0], results[1]);
    EXPECT_EQ(results[0], results[2]);
}

TEST(LinearSolverCg, stays_at_zero_without_a_load)
{
    Problem p = grid_of_springs(10, 100, false, true);
    std::fill(p.b.begin(), p.b.end(), Vec3{});
    ASSERT_TRUE(LinearSolverCg().solve(p.a, p.b, p.solution).ok);
    for (const Vec3& x : p.solution) EXPECT_EQ(x, Vec3{});
}

} // namespace
} // namespace pleat
