// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/geometry/distance.hpp"

#include "pleat/geometry/triangle_intersection.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace pleat {
namespace {

using Triangle = std::array<Vec3, 3>;
using Real = long double;
using RealVec = Vec<Real, 3>;

RealVec real(const Vec3& a)
{
    return {a[0], a[1], a[2]};
}

class Points {
public:
    explicit Points(unsigned seed) : random_(seed) {}
    double number(double low, double high)
    {
        return std::uniform_real_distribution<double>(low, high)(random_);
    }
    Vec3 point(double size = 1)
    {
        return {number(-size, size), number(-size, size), number(-size, size)};
    }
    int pick(int count) { return std::uniform_int_distribution<int>(0, count - 1)(random_); }

private:
    std::mt19937_64 random_;
};

/// Least value of a convex function of one variable in [0, 1], by ternary search.
template <class F> Real least(F&& f)
{
    Real low = 0, high = 1;
    for (int i = 0; i < 90; ++i) {
        const Real a = low + (high - low) / 3, b = high - (high - low) / 3;
        (f(a) < f(b) ? high : low) = f(a) < f(b) ? b : a;
    }
    return std::min({f(Real(0)), f(Real(1)), f((low + high) / 2)});
}

Real oracle_point_segment2(const RealVec& p, const RealVec& a, const RealVec& b)
{
    return least([&](Real t) { return norm2(p - (a + (b - a) * t)); });
}

/// Nested searches: the distance to a segment is convex along the other.
Real oracle_segment_segment2(const Vec3& a0, const Vec3& a1, const Vec3& b0, const Vec3& b1)
{
    const RealVec p = real(a0), d = real(a1) - real(a0);
    return least([&](Real s) { return oracle_point_segment2(p + d * s, real(b0), real(b1)); });
}

Real oracle_point_triangle2(const Vec3& p, const Triangle& t)
{
    const RealVec a = real(t[0]), b = real(t[1]), c = real(t[2]);
    return least(
        [&](Real s) { return oracle_point_segment2(real(p), a + (b - a) * s, a + (c - a) * s); });
}

/// Of random sizes, every third one nearly or wholly degenerate.
Triangle random_triangle(Points& make)
{
    Triangle t = {make.point(), make.point(), make.point()};
    const double thin = std::pow(10.0, make.number(-18, -2));
    switch (make.pick(9)) {
    case 0:
        t[2] = t[0] + (t[1] - t[0]) * make.number(-0.5, 1.5) + make.point(thin);
        break;
    case 1:
        t[1] = t[0] + make.point(thin);
        break;
    case 2:
        t[2] = t[1] = t[0];
        break;
    default:
        break;
    }
    return t;
}

// The square root of the rounding of a unit-size problem: two distances that are this near are
// the same even where both are nearly zero.
constexpr double tolerance = 1e-9;

TEST(PointTriangleDistance, agrees_with_minimisation)
{
    Points make(20);
    for (int n = 0; n < 2000; ++n) {
        const Triangle t = random_triangle(make);
        const Vec3 p = make.pick(4) == 0 ? t[0] * 0.2 + t[1] * 0.3 + t[2] * 0.5 : make.point(2);
        const PointTriangleDistance d = point_triangle_distance(p, t[0], t[1], t[2]);
        const double expected = std::sqrt(double(oracle_point_triangle2(p, t)));
        ASSERT_NEAR(std::sqrt(d.distance2), expected, tolerance) << n;
        const Vec3 q = t[0] * d.weights[0] + t[1] * d.weights[1] + t[2] * d.weights[2];
        ASSERT_NEAR(norm(p - q), expected, tolerance) << n;
        ASSERT_NEAR(d.weights[0] + d.weights[1] + d.weights[2], 1, 1e-14);
        for (double w : d.weights) ASSERT_GE(w, 0);
    }
}

TEST(PointTriangleDistance, names_the_feature)
{
    const Vec3 a{0, 0, 0}, b{1, 0, 0}, c{0, 1, 0};
    const auto feature = [&](const Vec3& p) { return point_triangle_distance(p, a, b, c).feature; };
    EXPECT_EQ(feature({0.2, 0.2, 1}), TriangleFeature::face);
    EXPECT_EQ(feature({-1, -1, 1}), TriangleFeature::corner_a);
    EXPECT_EQ(feature({2, -0.1, 1}), TriangleFeature::corner_b);
    EXPECT_EQ(feature({0, 3, 0}), TriangleFeature::corner_c);
    EXPECT_EQ(feature({0.5, -1, 1}), TriangleFeature::edge_ab);
    EXPECT_EQ(feature({1, 1, 1}), TriangleFeature::edge_bc);
    EXPECT_EQ(feature({-1, 0.5, -1}), TriangleFeature::edge_ca);
}

TEST(SegmentSegmentDistance, agrees_with_minimisation)
{
    Points make(21);
    for (int n = 0; n < 2000; ++n) {
        const Vec3 a0 = make.point(), a1 = make.pick(20) == 0 ? a0 : make.point();
        Vec3 b0 = make.point(), b1 = make.point();
        const double tilt = std::pow(10.0, make.number(-17, -3));
        switch (make.pick(5)) {
        case 0: // nearly parallel, crossing or not
            b0 = a0 + (a1 - a0) * make.number(-1, 2) + make.point(tilt);
            b1 = a0 + (a1 - a0) * make.number(-1, 2) + make.point(tilt);
            break;
        case 1: // parallel and apart
            b1 = b0 + (a1 - a0) * make.number(-2, 2);
            break;
        case 2:
            b1 = b0;
            break;
        default:
            break;
        }
        const SegmentSegmentDistance d = segment_segment_distance(a0, a1, b0, b1);
        const double expected = std::sqrt(double(oracle_segment_segment2(a0, a1, b0, b1)));
        ASSERT_NEAR(std::sqrt(d.distance2), expected, tolerance) << n;
        ASSERT_NEAR(norm(a0 * (1 - d.s) + a1 * d.s - b0 * (1 - d.t) - b1 * d.t), expected,
                    tolerance)
            << n;
        ASSERT_TRUE(d.s >= 0 && d.s <= 1 && d.t >= 0 && d.t <= 1);
        ASSERT_EQ(d.feature_a == SegmentFeature::interior, d.s > 0 && d.s < 1);
        ASSERT_EQ(d.feature_b == SegmentFeature::end, d.t == 1);
    }
}

TEST(SegmentSegmentDistance, finds_the_crossing_of_segments_a_hundred_millionth_apart_in_angle)
{
    const double angle = 1e-8;
    const SegmentSegmentDistance d =
        segment_segment_distance({-1, 0, 0}, {1, 0, 0}, {-1, -angle, 0}, {1, angle, 0});
    EXPECT_LT(std::sqrt(d.distance2), 1e-15);
    EXPECT_NEAR(d.s, 0.5, 1e-7);
}

TEST(TriangleTriangleDistance, agrees_with_minimisation)
{
    Points make(22);
    for (int n = 0; n < 400; ++n) {
        const Triangle a = random_triangle(make);
        Triangle b = random_triangle(make);
        const Vec3 shift = make.point(2);
        for (Vec3& p : b) p += shift;
        const TriangleTriangleDistance d = triangle_triangle_distance(a, b);
        const double found = std::sqrt(d.distance2);
        ASSERT_NEAR(norm(d.point_a - d.point_b), found, 1e-12);
        if (triangle_relation(a, b) != TriangleRelation::apart) {
            ASSERT_EQ(found, 0);
            ASSERT_LT(point_triangle_distance(d.point_a, a[0], a[1], a[2]).distance2, 1e-20);
            ASSERT_LT(point_triangle_distance(d.point_a, b[0], b[1], b[2]).distance2, 1e-20);
            continue;
        }
        // Where they are apart a nearest pair has a vertex or an edge of each.
        Real expected = 1e9;
        for (std::size_t i = 0; i < 3; ++i) {
            expected = std::min(expected, oracle_point_triangle2(a[i], b));
            expected = std::min(expected, oracle_point_triangle2(b[i], a));
            for (std::size_t j = 0; j < 3; ++j)
                expected = std::min(
                    expected, oracle_segment_segment2(a[i], a[(i + 1) % 3], b[j], b[(j + 1) % 3]));
        }
        ASSERT_NEAR(found, std::sqrt(double(expected)), tolerance) << n;
    }
}

TEST(TriangleTriangleDistance, is_not_above_any_sampled_distance)
{
    Points make(23);
    for (int n = 0; n < 300; ++n) {
        const Triangle a = random_triangle(make);
        Triangle b = random_triangle(make);
        b[0][2] += 1;
        const double found = std::sqrt(triangle_triangle_distance(a, b).distance2);
        const auto sample = [&](const Triangle& t) {
            const double u = std::sqrt(make.number(0, 1)), v = make.number(0, 1);
            return t[0] * (1 - u) + t[1] * (u * (1 - v)) + t[2] * (u * v);
        };
        for (int k = 0; k < 500; ++k) ASSERT_LE(found, norm(sample(a) - sample(b)) + 1e-14);
    }
}

} // namespace
} // namespace pleat
