// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// The step with contacts as a minimisation: laws of single touches, and the minimum.
#include "pleat/integrators/contact_newton.hpp"
#include "pleat/integrators/touch.hpp"
#include "pleat/linalg/cg.hpp"
#include "pleat/linalg/cholesky.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <random>

namespace pleat {
namespace {

Touch random_touch(std::mt19937& random)
{
    std::uniform_real_distribution<double> unit(-1, 1);
    Touch t;
    t.normal = normalized(Vec3{unit(random), unit(random), unit(random)});
    t.thickness = 0.005;
    t.stiffness = 20;
    t.firm = 0.001;
    t.firm_stiffness = 500;
    t.friction = 0.5;
    t.most_hold = 3;
    return t;
}

TEST(Touch, forces_are_the_gradients_of_their_potentials)
{
    std::mt19937 random(5);
    std::uniform_real_distribution<double> unit(-1, 1);
    for (int i = 0; i < 200; ++i) {
        Touch t = random_touch(random);
        const double gap = 0.003 + 0.004 * unit(random), e = 1e-8;
        EXPECT_NEAR(t.push(gap), -(t.push_potential(gap + e) - t.push_potential(gap - e)) / (2 * e),
                    1e-6);
        // Sticking and sliding, with and without a grip.
        const auto any_slip = [&] {
            return t.tangential(Vec3{unit(random), unit(random), unit(random)}) * 0.1;
        };
        (void)refresh_friction(t, 0.05, any_slip(), 1e-4);
        (void)refresh_friction(t, 0.05, any_slip() * 0.1, 1e-4);
        const Vec3 slip = any_slip() * (i % 2 == 0 ? 1.0 : 0.01);
        EXPECT_LE(norm(t.friction_force(slip)), t.most_friction * (1 + 1e-12));
        const Mat3 m = t.friction_matrix(slip);
        for (int k = 0; k < 3; ++k) {
            const Vec3 d = any_slip();
            const double h = 1e-6;
            const double slope =
                (t.friction_potential(slip + h * d) - t.friction_potential(slip - h * d)) / (2 * h);
            EXPECT_NEAR(slope, -dot(t.friction_force(slip), d), 1e-6);
            EXPECT_GE(dot(d, m * d), -1e-12);
        }
    }
}

TEST(Touch, friction_opposes_the_slip_with_mu_n_at_most)
{
    std::mt19937 random(6);
    Touch t = random_touch(random);
    t.most_hold = std::numeric_limits<double>::infinity();
    const Vec3 along = normalized(t.tangential(Vec3{1, 2, 3}));
    (void)refresh_friction(t, 2.0, along, 1e-4);
    EXPECT_NEAR(dot(t.friction_force(0.3 * along), along), -0.5 * 2.0, 1e-12);    // slides
    EXPECT_NEAR(dot(t.friction_force(0.5e-4 * along), along), -0.5 * 1.0, 1e-12); // sticks
    // A second refresh with the same normal force changes nothing.
    EXPECT_LT(refresh_friction(t, 2.0, 0.3 * along, 1e-4), 1e-14);
}

TEST(Touch, refreshes_bring_the_slip_of_a_held_touch_to_zero)
{
    // A mass that is pulled along with half of mu N: m slip = dt (pull + friction).
    std::mt19937 random(7);
    Touch t = random_touch(random);
    const double dt = 0.005, mass = 1e-3, pushed = 0.02;
    const Vec3 pull = normalized(t.tangential(Vec3{1, 2, 3})) * (0.5 * t.friction * pushed);
    Vec3 slip{};
    double last = 0;
    for (int i = 0; i < 8; ++i) {
        (void)refresh_friction(t, pushed, slip, 1e-3);
        slip = (pull - t.grip) * (dt / (mass + dt * t.hold));
        EXPECT_LT(norm(slip), i > 0 ? 0.5 * last : 1.0);
        last = norm(slip);
        EXPECT_LE(norm(t.friction_force(slip)), t.most_friction * (1 + 1e-12));
    }
    EXPECT_LT(last, 1e-7);
    EXPECT_LT(norm(t.friction_force(slip) + pull), 1e-6 * norm(pull));
}

/// A chain of springs over a floor, each node of which may touch it.
struct Chain {
    std::unique_ptr<PatternParts> parts = std::make_unique<PatternParts>();
    BlockSystem system;
    std::vector<Touch> touches;
    std::vector<Vec3> base, fall, y, zero;
    Dependencies dependencies;
    static constexpr double dt = 0.005;

    explicit Chain(double friction)
    {
        constexpr std::uint32_t n = 60;
        std::vector<std::uint32_t> springs;
        for (std::uint32_t i = 0; i + 1 < n; ++i) springs.insert(springs.end(), {i, i + 1});
        const ElementList list{springs, 2};
        *parts = build_pattern(n, {&list, 1});
        system.pattern = &parts->pattern;
        system.off.assign(parts->pattern.slot_count(), identity<3>() * -0.05);
        system.own.assign(n, identity<3>() * 1e-3);
        std::mt19937 random(8);
        std::uniform_real_distribution<double> unit(-1, 1);
        for (std::uint32_t i = 0; i < n; ++i) {
            base.push_back(Vec3{unit(random), unit(random), unit(random)} * 2e-3);
            fall.push_back({0.3 * unit(random), 0.3 * unit(random), -0.5});
            y.push_back({0.01 * i, 0, 0.003 * unit(random)});
            Touch t;
            t.rows[0] = i;
            t.weights[0] = 1;
            t.count = 1;
            t.normal = {0, 0, 1};
            t.thickness = 0.004;
            t.stiffness = 40;
            t.firm = 0.001;
            t.firm_stiffness = 4000;
            t.friction = friction;
            touches.push_back(t);
        }
        zero.assign(n, Vec3{});
    }
    [[nodiscard]] double potential(const std::vector<Vec3>& w) const
    {
        std::vector<Vec3> product(w.size());
        multiply_internal(*system.pattern, system.off, w, product);
        double sum = 0;
        for (std::size_t i = 0; i < w.size(); ++i) {
            sum += dot(w[i], 0.5 * (product[i] + system.own[i] * w[i]) - base[i]);
            const Touch& t = touches[i];
            sum += t.push_potential(y[i][2] + dt * w[i][2]) +
                   dt * t.friction_potential(t.tangential(fall[i] + w[i]));
        }
        return sum;
    }
    SolveReport solve(LinearSolver& solver, double tolerance, std::vector<Vec3>& w)
    {
        w.assign(zero.size(), Vec3{});
        const std::array<std::span<const Vec3>, 1> starts{zero};
        ContactNewton newton;
        ContactNewtonOptions options;
        options.tolerance = tolerance;
        options.friction_tolerance = 1e-6;
        SolveReport report;
        const ContactProblem problem{system, touches, base, y, fall, y, dependencies, dt};
        EXPECT_TRUE(newton.minimise(problem, options, starts, solver, w, report));
        return report;
    }
};

TEST(ContactNewton, ends_at_the_minimum)
{
    std::mt19937 random(9);
    std::uniform_real_distribution<double> unit(-1, 1);
    for (const double friction : {0.0, 0.6}) {
        Chain c(friction);
        LinearSolverCholesky solver;
        std::vector<Vec3> w;
        const SolveReport r = c.solve(solver, 1e-10, w);
        EXPECT_TRUE(r.contacts_settled);
        EXPECT_LT(r.residual, 1e-10);
        const double least = c.potential(w);
        for (int i = 0; i < 100; ++i) {
            std::vector<Vec3> other = w;
            for (Vec3& v : other) v += Vec3{unit(random), unit(random), unit(random)} * 1e-5;
            EXPECT_GT(c.potential(other), least);
        }
    }
}

TEST(ContactNewton, meets_the_law_of_coulomb_at_every_touch)
{
    Chain c(0.6);
    LinearSolverCholesky solver;
    std::vector<Vec3> w;
    EXPECT_TRUE(c.solve(solver, 1e-10, w).contacts_settled);
    int sticking = 0, sliding = 0;
    for (std::size_t i = 0; i < w.size(); ++i) {
        const Touch& t = c.touches[i];
        const double push = t.push(c.y[i][2] + Chain::dt * w[i][2]);
        const Vec3 slip = t.tangential(c.fall[i] + w[i]), f = t.friction_force(slip);
        EXPECT_NEAR(t.most_friction, 0.6 * push, 1e-4 * push + 1e-9);
        if (push < 1e-6) continue;
        const bool slides = norm(slip) > 1.001e-4;
        (slides ? sliding : sticking) += 1;
        if (slides) {
            EXPECT_NEAR(norm(f), 0.6 * push, 1e-3 * push);
            EXPECT_NEAR(dot(f, slip), -norm(f) * norm(slip), 1e-6 * norm(f) * norm(slip));
        }
    }
    EXPECT_GT(sticking, 0);
    EXPECT_GT(sliding, 0);
}

TEST(ContactNewton, gives_the_same_with_conjugate_gradients)
{
    Chain a(0.6), b(0.6);
    LinearSolverCholesky direct;
    LinearSolverCg cg;
    std::vector<Vec3> x, z;
    (void)a.solve(direct, 1e-9, x);
    const SolveReport r = b.solve(cg, 1e-9, z);
    EXPECT_TRUE(r.contacts_settled);
    for (std::size_t i = 0; i < x.size(); ++i) EXPECT_LT(norm(x[i] - z[i]), 1e-5);
}

} // namespace
} // namespace pleat
