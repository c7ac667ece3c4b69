// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/geometry/triangle_intersection.hpp"

#include "geometry/integer_triangles.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace pleat {
namespace {

using test::IntPoint;
using test::IntTriangle;
using Triangle = std::array<Vec3, 3>;

/// Moves and scales exactly; the smallest scale is beyond the floating-point filter.
struct Frame {
    double offset;
    int exponent;

    Vec3 operator()(const IntPoint& p) const
    {
        Vec3 x{};
        for (std::size_t k = 0; k < 3; ++k)
            x[k] = std::ldexp(double(p[k]) + offset * double(k + 1), exponent);
        return x;
    }
    Triangle operator()(const IntTriangle& t) const
    {
        return {(*this)(t[0]), (*this)(t[1]), (*this)(t[2])};
    }
};

constexpr Frame frames[] = {{0, 0}, {0, -4}, {0x1p45, -30}, {0, -700}};

class IntegerTriangles {
public:
    IntegerTriangles(unsigned seed, int size) : random_(seed), any_(-size, size) {}
    IntPoint point() { return {any_(random_), any_(random_), any_(random_)}; }
    IntTriangle triangle() { return {point(), point(), point()}; }

private:
    std::mt19937 random_;
    std::uniform_int_distribution<int> any_;
};

class OnIntegers : public testing::TestWithParam<int> {};

TEST_P(OnIntegers, relation_agrees_with_rational_arithmetic)
{
    IntegerTriangles make(10, GetParam());
    std::array<int, 3> seen{};
    for (int n = 0; n < 60000; ++n) {
        const IntTriangle t = make.triangle(), u = make.triangle();
        const int expected = test::exact_relation(t, u);
        ++seen[std::size_t(expected)];
        const Frame& frame = frames[n % 4];
        const Triangle a = frame(t), b = frame(u);
        ASSERT_EQ(int(triangle_relation(a, b)), expected) << n;
        ASSERT_EQ(int(triangle_relation({b[1], b[0], b[2]}, {a[2], a[0], a[1]})), expected) << n;
    }
    if (GetParam() <= 5) { // wider than that, touching becomes rare
        for (int count : seen) EXPECT_GT(count, 100);
    }
}

TEST_P(OnIntegers, coplanar_relation_agrees_with_rational_arithmetic)
{
    IntegerTriangles make(11, GetParam());
    for (int n = 0; n < 40000; ++n) {
        IntTriangle t = make.triangle(), u = make.triangle();
        // Onto the plane z = x - y, or y = 0, or the line of both.
        for (IntTriangle* tri : {&t, &u})
            for (IntPoint& p : *tri) {
                if (n % 3 != 0) p[2] = p[0] - p[1];
                if (n % 3 != 1) p[1] = 0;
            }
        ASSERT_EQ(int(triangle_relation(frames[n % 4](t), frames[n % 4](u))),
                  test::exact_relation(t, u))
            << n;
    }
}

TEST_P(OnIntegers, relation_at_a_vertex_agrees_with_rational_arithmetic)
{
    IntegerTriangles make(12, GetParam());
    std::array<int, 3> seen{};
    for (int n = 0; n < 60000; ++n) {
        IntTriangle t = make.triangle(), u = make.triangle();
        if (n % 4 == 0)
            for (IntTriangle* tri : {&t, &u})
                for (IntPoint& p : *tri) p[2] = p[0] + p[1]; // coplanar
        u[0] = t[0];
        const int expected = test::exact_relation(t, u, true, t[0], t[0]);
        ++seen[std::size_t(expected)];
        const Triangle a = frames[n % 3](t), b = frames[n % 3](u);
        ASSERT_EQ(int(triangle_relation_at_vertex(a[0], a[1], a[2], b[1], b[2])), expected) << n;
        ASSERT_EQ(int(triangle_relation_at_vertex(a[0], b[2], b[1], a[1], a[2])), expected) << n;
    }
    if (GetParam() <= 5) {
        for (int count : seen) EXPECT_GT(count, 100);
    }
}

TEST_P(OnIntegers, relation_at_an_edge_agrees_with_rational_arithmetic)
{
    IntegerTriangles make(13, GetParam());
    std::array<int, 3> seen{};
    for (int n = 0; n < 40000; ++n) {
        IntTriangle t = make.triangle(), u = make.triangle();
        u[0] = t[0], u[1] = t[1];
        if (n % 2 == 0) { // coplanar, every other time collinear
            for (IntTriangle* tri : {&t, &u})
                for (IntPoint& p : *tri) {
                    p[2] = 2 * p[0] - p[1];
                    if (n % 4 == 0) p[1] = 3 * p[0], p[2] = -p[0];
                }
        }
        const int expected = test::exact_relation(t, u, true, t[0], t[1]);
        ++seen[std::size_t(expected)];
        const Triangle a = frames[n % 3](t), b = frames[n % 3](u);
        ASSERT_EQ(int(triangle_relation_at_edge(a[0], a[1], a[2], b[2])), expected) << n;
        ASSERT_EQ(int(triangle_relation_at_edge(a[1], a[0], b[2], a[2])), expected) << n;
    }
    EXPECT_GT(seen[0], 100);
    EXPECT_GT(seen[2], 100);
}

TEST_P(OnIntegers, intersection_segment_lies_on_both_triangles_and_is_the_whole_of_it)
{
    IntegerTriangles make(14, GetParam());
    int found = 0;
    for (int n = 0; n < 20000; ++n) {
        const IntTriangle t = make.triangle(), u = make.triangle();
        const auto segment = intersection_segment(frames[0](t), frames[0](u));
        const bool flat = test::is_zero(test::cross(test::normal(t), test::normal(u)));
        ASSERT_EQ(segment.has_value(), test::exact_relation(t, u) == 2 && !flat) << n;
        if (!segment) continue;
        ++found;
        // The ends are the farthest corners of the common part.
        double longest = 0, nearest0 = 1e9, nearest1 = 1e9;
        std::vector<Vec3> corners;
        for (const auto& x : test::common_corners(t, u))
            corners.push_back(Vec3{double(x.num[0]), double(x.num[1]), double(x.num[2])} /
                              double(x.den));
        for (const Vec3& p : corners) {
            for (const Vec3& q : corners) longest = std::max(longest, norm(p - q));
            nearest0 = std::min(nearest0, norm(p - (*segment)[0]));
            nearest1 = std::min(nearest1, norm(p - (*segment)[1]));
        }
        ASSERT_LT(nearest0, 1e-12) << n;
        ASSERT_LT(nearest1, 1e-12) << n;
        ASSERT_NEAR(norm((*segment)[0] - (*segment)[1]), longest, 1e-12) << n;
    }
    EXPECT_GT(found, 500);
}

INSTANTIATE_TEST_SUITE_P(TriangleRelation, OnIntegers, testing::Values(1, 2, 5, 30));

TEST(TriangleRelation, tells_one_ulp_of_crossing_from_touching)
{
    const Triangle floor = {Vec3{-1, -1, 0.1}, Vec3{2, -1, 0.1}, Vec3{-1, 2, 0.1}};
    const auto spike = [](double tip) {
        return Triangle{Vec3{0.1, 0.1, tip}, Vec3{0.3, 0.1, 1}, Vec3{0.1, 0.3, 1}};
    };
    EXPECT_EQ(triangle_relation(spike(std::nextafter(0.1, 1.0)), floor), TriangleRelation::apart);
    EXPECT_EQ(triangle_relation(spike(0.1), floor), TriangleRelation::touching);
    EXPECT_EQ(triangle_relation(spike(std::nextafter(0.1, 0.0)), floor),
              TriangleRelation::crossing);
}

TEST(TriangleRelation, faces_folded_flat_onto_their_neighbour_cross)
{
    const Vec3 e0{0.1, 0.2, 0.3}, e1{1.1, 0.2, 0.3};
    EXPECT_EQ(triangle_relation_at_edge(e0, e1, {0.5, 1, 0.3}, {0.6, 0.7, 0.3}),
              TriangleRelation::crossing);
    EXPECT_EQ(triangle_relation_at_edge(e0, e1, {0.5, 1, 0.3}, {0.6, 0.7, 0.30000001}),
              TriangleRelation::apart);
    EXPECT_EQ(triangle_relation_at_edge(e0, e1, {0.5, 1, 0.3}, {0.6, -0.7, 0.3}),
              TriangleRelation::apart);
}

TEST(FaceRelation, does_not_count_what_faces_share_by_their_nodes)
{
    const Vec3 o{0, 0, 0}, x{1, 0, 0}, y{0, 1, 0}, z{0, 0, 1}, inside{0.25, 0.25, 0};
    using R = TriangleRelation;
    const std::array<Vec3, 3> floor{o, x, y};
    EXPECT_EQ(face_relation({0, 1, 2}, floor, {3, 4, 5}, {o, x, -1.0 * y}), R::touching);
    EXPECT_EQ(face_relation({0, 1, 2}, floor, {0, 1, 5}, {o, x, -1.0 * y}), R::apart);
    EXPECT_EQ(face_relation({0, 1, 2}, floor, {1, 0, 5}, {x, o, y}), R::crossing) << "folded flat";
    EXPECT_EQ(face_relation({0, 1, 2}, floor, {5, 6, 0}, {z, -1.0 * x, o}), R::apart);
    EXPECT_EQ(face_relation({0, 1, 2}, floor, {5, 6, 0}, {inside + z, inside - z, o}), R::crossing);
    EXPECT_EQ(face_relation({0, 1, 2}, floor, {2, 0, 1}, {y, o, x}), R::crossing) << "twice";
}

TEST(FaceRelation, takes_faces_that_name_a_node_twice)
{
    const Vec3 o{0, 0, 0}, x{1, 0, 0}, y{0, 1, 0}, z{0, 0, 1};
    for (const std::array<std::uint32_t, 3>& nodes :
         {std::array{0u, 0u, 1u}, {0u, 1u, 1u}, {1u, 0u, 0u}, {0u, 0u, 0u}}) {
        const std::array<Vec3, 2> at{o, x};
        EXPECT_EQ(
            face_relation(nodes, {at[nodes[0]], at[nodes[1]], at[nodes[2]]}, {0, 2, 3}, {o, y, z}),
            TriangleRelation::apart);
    }
}

} // namespace
} // namespace pleat
