// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/remeshing/metric.hpp"

#include "mesh/zoo.hpp"
#include "remeshing/subject.hpp"

#include <gtest/gtest.h>

#include <numbers>
#include <random>

namespace pleat {
namespace {

/// The square root of a positive definite tensor by its eigenvectors: the map to stretched space.
Mat2 root(const Mat2& m)
{
    const double s = std::sqrt(determinant(m)), t = std::sqrt(m(0, 0) + m(1, 1) + 2 * s);
    return (m + identity<2>() * s) * (1 / t);
}

/// The classic in-circle determinant, in long double: > 0 where d is inside the circle through the
/// counter-clockwise a, b, c.
long double in_circle(const Vec2& a, const Vec2& b, const Vec2& c, const Vec2& d)
{
    const auto row = [&](const Vec2& p) {
        const long double x = (long double)p[0] - d[0], y = (long double)p[1] - d[1];
        return std::array<long double, 3>{x, y, x * x + y * y};
    };
    const auto p = row(a), q = row(b), r = row(c);
    return p[0] * (q[1] * r[2] - q[2] * r[1]) - p[1] * (q[0] * r[2] - q[2] * r[0]) +
           p[2] * (q[0] * r[1] - q[1] * r[0]);
}

TEST(FlipTest, agrees_with_the_in_circle_test_in_stretched_space)
{
    std::mt19937_64 random(7);
    std::uniform_real_distribution<double> any(-1, 1), size(0.01, 0.3);
    int flips = 0, tested = 0;
    for (int i = 0; i < 200000; ++i) {
        // i -> j with l on its left and k on its right, in stretched space, so that quads are not
        // all slivers there; then back to material space.
        const Mat2 m = test::tensor(3 * any(random), size(random), size(random));
        const Mat2 to_material = inverse(root(m));
        const Vec2 i_s{any(random), any(random)}, j_s{any(random), any(random)};
        const Vec2 l_s{any(random), any(random)}, k_s{any(random), any(random)};
        if (cross(j_s - i_s, l_s - i_s) < 1e-3 || cross(j_s - i_s, k_s - i_s) > -1e-3) continue;
        const long double inside = in_circle(i_s, j_s, l_s, k_s);
        if (std::abs(inside) < 1e-9L) continue; // cocircular within rounding
        const bool flips_here = is_not_delaunay(to_material * i_s, to_material * j_s,
                                                to_material * k_s, to_material * l_s, m);
        ASSERT_EQ(flips_here, inside > 0) << "quad " << i;
        flips += flips_here;
        ++tested;
    }
    EXPECT_GT(tested, 20000);
    EXPECT_GT(flips, tested / 10);
    EXPECT_LT(flips, tested * 9 / 10);
}

TEST(FlipTest, leaves_cocircular_quads_alone)
{
    EXPECT_FALSE(is_not_delaunay({0, 0}, {1, 1}, {1, 0}, {0, 1}, identity<2>()));
    EXPECT_FALSE(is_not_delaunay({1, 0}, {0, 1}, {0, 0}, {1, 1}, identity<2>()));
}

TEST(EdgeSize, uses_the_mean_of_the_two_tensors)
{
    // u = (0.3, 0): half of 0.09 * (1/0.01 + 1/0.04).
    EXPECT_NEAR(edge_size2({0, 0}, test::tensor(0, 0.1, 1), {0.3, 0}, test::tensor(0, 0.2, 1)),
                0.5 * 0.09 * 125, 1e-12);
}

TEST(EdgeSize, is_the_mean_of_both_sides_on_a_seam)
{
    test::Subject s(zoo::two_panels(2, 1.5)); // the second panel's side is 1.5 times as long
    s.set_metric([](const Vec2&) { return identity<2>(); });
    int seams = 0;
    for (EdgeId e : s.mesh.edges())
        if (s.mesh.is_seam(e)) {
            EXPECT_NEAR(edge_size2(s.mesh, s.metric, e), 0.5 * (0.25 + 0.75 * 0.75), 1e-12);
            ++seams;
        }
    EXPECT_EQ(seams, 2);
}

TEST(MetricQuality, is_one_for_what_the_tensor_asks_for)
{
    const Mat2 m = test::tensor(0.7, 0.5, 0.02);
    const Mat2 back = inverse(root(m));
    const double h = std::numbers::sqrt3 / 2;
    EXPECT_NEAR(metric_quality({0, 0}, back * Vec2{1, 0}, back * Vec2{0.5, h}, m), 1, 1e-9);
    EXPECT_LT(metric_quality({0, 0}, {1, 0}, {0.5, h}, m), 0.2);
    EXPECT_LT(metric_quality({0, 0}, {0.5, h}, {1, 0}, m), 0);
}

TEST(IdealFaceCount, counts_unit_equilateral_triangles)
{
    test::Subject s(zoo::grid(3, 3));
    s.set_metric([](const Vec2&) { return test::tensor(0.3, 0.1, 0.02); });
    EXPECT_NEAR(ideal_face_count(s.mesh, s.metric), 1 / (std::numbers::sqrt3 / 4 * 0.1 * 0.02),
                1e-6);
}

} // namespace
} // namespace pleat
