// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/geometry/dihedral.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace pleat {
namespace {

TEST(Dihedral, is_zero_when_flat_and_positive_on_a_ridge)
{
    const Vec3 a{0, 0, 0}, b{0, 1, 0}, c{-1, 0.3, 0}, d{1, 0.6, 0};
    EXPECT_EQ(dihedral_angle(a, b, c, d), 0);
    const auto folded = [&](double down) {
        return dihedral_angle(a, b, {-std::cos(down), 0.3, -std::sin(down)},
                              {std::cos(down), 0.6, -std::sin(down)});
    };
    EXPECT_NEAR(folded(0.3), 0.6, 1e-14);
    EXPECT_NEAR(folded(-0.3), -0.6, 1e-14);
    EXPECT_NEAR(folded(1.5), 3.0, 1e-14);
}

TEST(Dihedral, does_not_depend_on_the_direction_of_the_edge)
{
    std::mt19937 random(4);
    std::normal_distribution<double> normal;
    const auto point = [&] { return Vec3{normal(random), normal(random), normal(random)}; };
    for (int k = 0; k < 100; ++k) {
        const Vec3 a = point(), b = point(), c = point(), d = point();
        EXPECT_NEAR(dihedral_angle(a, b, c, d), dihedral_angle(b, a, d, c), 1e-13);
    }
}

TEST(Dihedral, derivatives_match_differences)
{
    std::mt19937 random(5);
    std::normal_distribution<double> normal;
    for (int k = 0; k < 50; ++k) {
        std::array<Vec3, 4> x{};
        for (Vec3& p : x) p = {normal(random), normal(random), normal(random)};
        const DihedralGradient g = dihedral_gradient(x[0], x[1], x[2], x[3]);
        const auto h = dihedral_hessian(x[0], x[1], x[2], x[3]);
        double size = 0, size2 = 0;
        for (const Vec3& v : g.g) size = std::max(size, norm(v));
        for (double e : h.e) size2 = std::max(size2, std::abs(e));
        for (std::size_t i = 0; i < 12; ++i) {
            const double step = 1e-6;
            auto p = x, m = x;
            p[i / 3][i % 3] += step;
            m[i / 3][i % 3] -= step;
            const double up = dihedral_angle(p[0], p[1], p[2], p[3]);
            const double down = dihedral_angle(m[0], m[1], m[2], m[3]);
            if (std::abs(up - down) > 3) continue; // across the cut at pi
            EXPECT_NEAR(g.g[i / 3][i % 3], (up - down) / (2 * step), 1e-4 * size);
            const auto gp = dihedral_gradient(p[0], p[1], p[2], p[3]).g;
            const auto gm = dihedral_gradient(m[0], m[1], m[2], m[3]).g;
            for (std::size_t j = 0; j < 12; ++j)
                EXPECT_NEAR(h(j, i), (gp[j / 3][j % 3] - gm[j / 3][j % 3]) / (2 * step),
                            1e-3 * size2);
        }
    }
}

TEST(Dihedral, is_finite_on_degenerate_triangles)
{
    const Vec3 a{0, 0, 0}, b{0, 1, 0};
    for (const Vec3& c : {Vec3{0, 0.5, 0}, Vec3{0, 0, 0}, Vec3{1e-30, 0.2, 0}}) {
        const DihedralGradient g = dihedral_gradient(a, b, c, {1, 0, 0}, 1e-4);
        EXPECT_TRUE(std::isfinite(g.angle));
        for (const Vec3& v : g.g) EXPECT_TRUE(is_finite(v));
    }
    EXPECT_EQ(dihedral_angle(a, a, {1, 0, 0}, {0, 0, 1}), 0);
}

} // namespace
} // namespace pleat
