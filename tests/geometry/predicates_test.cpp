// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/geometry/predicates.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <random>

namespace pleat {
namespace {

__extension__ using Int128 = __int128;
using Point2 = std::array<std::int64_t, 2>;
using Point3 = std::array<std::int64_t, 3>;

int sign(Int128 x)
{
    return (x > 0) - (x < 0);
}

int exact(const Point2& a, const Point2& b, const Point2& c)
{
    return sign(Int128(b[0] - a[0]) * (c[1] - a[1]) - Int128(b[1] - a[1]) * (c[0] - a[0]));
}

/// \pre coordinates below 2^39
int exact(const Point3& a, const Point3& b, const Point3& c, const Point3& d)
{
    Int128 sum = 0;
    for (int i = 0; i < 3; ++i) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        sum += (Int128(b[j] - a[j]) * (c[k] - a[k]) - Int128(b[k] - a[k]) * (c[j] - a[j])) *
               (d[i] - a[i]);
    }
    return sign(sum);
}

Vec2 scaled(const Point2& p, int exponent)
{
    return {std::ldexp(double(p[0]), exponent), std::ldexp(double(p[1]), exponent)};
}

/// A scale of its own a coordinate leaves the sign of the determinant alone.
Vec3 scaled(const Point3& p, const std::array<int, 3>& exponents)
{
    return {std::ldexp(double(p[0]), exponents[0]), std::ldexp(double(p[1]), exponents[1]),
            std::ldexp(double(p[2]), exponents[2])};
}

// 2^-1000 of a 38-bit integer is still a normal number, 2^980 of it still a finite one; both are
// outside what an expansion can multiply.
constexpr int scales[] = {0, -38, -300, 280, -1000, 980};

TEST(Orient2d, agrees_with_integers_on_random_points)
{
    std::mt19937_64 random(1);
    for (const std::int64_t size :
         {std::int64_t(3), std::int64_t(1) << 20, std::int64_t(1) << 38}) {
        std::uniform_int_distribution<std::int64_t> any(-size, size);
        for (int n = 0; n < 20000; ++n) {
            const Point2 a{any(random), any(random)}, b{any(random), any(random)},
                c{any(random), any(random)};
            for (const int s : scales)
                ASSERT_EQ(orient2d(scaled(a, s), scaled(b, s), scaled(c, s)), exact(a, b, c))
                    << "size " << size << " scale " << s;
        }
    }
}

TEST(Orient2d, tells_points_one_ulp_off_a_line)
{
    // The grid of [Shewchuk1997] fig. 1: points next to (0.5, 0.5) against the line x = y.
    const std::int64_t unit = std::int64_t(1) << 53; // 1.0
    const Point2 b{12 * unit, 12 * unit}, c{24 * unit, 24 * unit};
    for (int i = 0; i < 256; ++i)
        for (int j = 0; j < 256; ++j) {
            const Point2 a{unit / 2 + i, unit / 2 + j};
            ASSERT_EQ(orient2d(scaled(a, -53), scaled(b, -53), scaled(c, -53)), exact(a, b, c))
                << i << ' ' << j;
        }
}

TEST(Orient3d, agrees_with_integers_on_random_points)
{
    std::mt19937_64 random(2);
    for (const std::int64_t size :
         {std::int64_t(2), std::int64_t(1) << 20, std::int64_t(1) << 38}) {
        std::uniform_int_distribution<std::int64_t> any(-size, size);
        const auto point = [&] { return Point3{any(random), any(random), any(random)}; };
        for (int n = 0; n < 20000; ++n) {
            const Point3 a = point(), b = point(), c = point(), d = point();
            for (const int s : scales) {
                const std::array<int, 3> e{s, s, s};
                ASSERT_EQ(orient3d(scaled(a, e), scaled(b, e), scaled(c, e), scaled(d, e)),
                          exact(a, b, c, d))
                    << "size " << size << " scale " << s;
            }
        }
    }
}

TEST(Orient3d, agrees_with_integers_on_and_one_ulp_off_a_plane)
{
    std::mt19937_64 random(3);
    std::uniform_int_distribution<std::int64_t> far(-(std::int64_t(1) << 35), std::int64_t(1)
                                                                                  << 35);
    std::uniform_int_distribution<std::int64_t> weight(-2, 2), nudge(-1, 1);
    std::uniform_int_distribution<int> exponent(-900, 900);
    int coplanar = 0;
    for (int n = 0; n < 100000; ++n) {
        Point3 a, b, c, d;
        const std::int64_t i = weight(random), j = weight(random);
        for (std::size_t k = 0; k < 3; ++k) {
            a[k] = far(random), b[k] = far(random), c[k] = far(random);
            d[k] = a[k] + i * (b[k] - a[k]) + j * (c[k] - a[k]);
        }
        d[std::size_t(n % 3)] += nudge(random);
        const int expected = exact(a, b, c, d);
        coplanar += expected == 0;
        for (const std::array<int, 3>& e :
             {std::array{0, 0, 0}, std::array{-40, -35, -38},
              std::array{exponent(random), exponent(random), exponent(random)}}) {
            const Vec3 p = scaled(a, e), q = scaled(b, e), r = scaled(c, e), s = scaled(d, e);
            ASSERT_EQ(orient3d(p, q, r, s), expected);
            ASSERT_EQ(orient3d(q, p, r, s), -expected);
            ASSERT_EQ(orient3d(s, q, r, p), -expected);
        }
    }
    EXPECT_GT(coplanar, 20000); // the hard half of the inputs is there
}

TEST(Orient3d, expansions_and_the_wide_integer_agree)
{
    // Doubles with all their bits and exponents 2^-60 to 2^60 apart; times 2^600 they are beyond
    // expansions, so that the second call takes the other way.
    std::mt19937_64 random(4);
    std::uniform_real_distribution<double> mantissa(-1, 1);
    std::uniform_int_distribution<int> exponent(-60, 60), pick(0, 3);
    for (int n = 0; n < 20000; ++n) {
        std::array<Vec3, 4> p;
        for (Vec3& x : p)
            for (std::size_t k = 0; k < 3; ++k)
                x[k] = std::ldexp(mantissa(random), exponent(random));
        // Every other time nearly coplanar: the fourth is a rounded mean.
        if (n % 2 == 0) p[3] = (p[0] + p[1] + p[2]) / 3.0;
        std::array<Vec3, 4> q = p;
        for (Vec3& x : q) x *= 0x1p600;
        ASSERT_EQ(orient3d_exact(p[0], p[1], p[2], p[3]), orient3d_exact(q[0], q[1], q[2], q[3]));
        ASSERT_EQ(orient3d(p[0], p[1], p[2], p[3]), orient3d_exact(p[0], p[1], p[2], p[3]));
        const auto flat = [](const Vec3& x) { return Vec2{x[0], x[1]}; };
        ASSERT_EQ(orient2d_exact(flat(p[0]), flat(p[1]), flat(p[3])),
                  orient2d_exact(flat(q[0]), flat(q[1]), flat(q[3])));
    }
}

TEST(Orient3d, sees_the_smallest_double_beside_the_largest)
{
    const double huge = 1e308, tiny = 4.9406564584124654e-324;
    const Vec3 a{0, 0, 0}, b{huge, 0, 0}, c{0, huge, 0};
    EXPECT_EQ(orient3d(a, b, c, {huge, huge, tiny}), 1);
    EXPECT_EQ(orient3d(a, b, c, {huge, huge, -tiny}), -1);
    EXPECT_EQ(orient3d(a, b, c, {huge, huge, 0}), 0);
    EXPECT_EQ(orient3d({-huge, -huge, 0}, {huge, -huge, 0}, {-huge, huge, 0}, {1, 1, tiny}), 1);
    EXPECT_EQ(orient3d({tiny, 0, 0}, {0, tiny, 0}, {0, 0, tiny}, {0, 0, 0}), -1);
    EXPECT_EQ(orient3d({tiny, 0, 0}, {0, tiny, 0}, {0, 0, tiny}, {tiny, tiny, -tiny}), 0);
    EXPECT_EQ(orient2d({-huge, 0}, {huge, 0}, {0, tiny}), 1);
    EXPECT_EQ(orient2d({-huge, tiny}, {huge, tiny}, {0, tiny}), 0);
}

} // namespace
} // namespace pleat
