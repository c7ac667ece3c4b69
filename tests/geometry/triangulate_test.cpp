// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/geometry/triangulate.hpp"

#include "pleat/geometry/predicates.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numbers>
#include <random>

namespace pleat {
namespace {

struct Shape {
    std::vector<Vec2> points;
    std::vector<Ring> rings;

    void add(const std::vector<Vec2>& corners)
    {
        Ring ring;
        for (const Vec2& p : corners) {
            ring.push_back(std::uint32_t(points.size()));
            points.push_back(p);
        }
        rings.push_back(ring);
    }
    [[nodiscard]] double area() const
    {
        double sum = 0;
        for (std::size_t i = 0; i < rings.size(); ++i)
            sum += (i == 0 ? 0.5 : -0.5) * std::abs(twice_area(points, rings[i]));
        return sum;
    }
};

/// Triangles that turn left, fill the area, use every side of every ring once, and are Delaunay
/// across every edge inside.
void expect_good(const Shape& s)
{
    ASSERT_FALSE(find_crossing(s.points, s.rings).has_value());
    const auto triangles = triangulate(s.points, s.rings);
    std::size_t corners = 0;
    for (const Ring& r : s.rings) corners += r.size();
    EXPECT_EQ(triangles.size(), corners + 2 * (s.rings.size() - 1) - 2);
    double area = 0;
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<std::uint32_t>> edges;
    for (const auto& t : triangles) {
        EXPECT_EQ(orient2d(s.points[t[0]], s.points[t[1]], s.points[t[2]]), 1);
        area += 0.5 * cross(s.points[t[1]] - s.points[t[0]], s.points[t[2]] - s.points[t[0]]);
        for (std::size_t k = 0; k < 3; ++k)
            edges[std::minmax(t[k], t[(k + 1) % 3])].push_back(t[(k + 2) % 3]);
    }
    EXPECT_NEAR(area, s.area(), 1e-12 * (1 + s.area()));
    std::map<std::pair<std::uint32_t, std::uint32_t>, bool> fixed;
    for (const Ring& r : s.rings)
        for (std::size_t k = 0; k < r.size(); ++k) {
            const auto e = std::minmax(r[k], r[(k + 1) % r.size()]);
            fixed[e] = true;
            EXPECT_EQ(edges[e].size(), 1u);
        }
    for (const auto& [e, opposite] : edges) {
        if (fixed.contains(e)) continue;
        ASSERT_EQ(opposite.size(), 2u);
        // The two angles across an edge sum to at most pi.
        double sum = 0;
        for (std::uint32_t c : opposite) {
            const Vec2 p = s.points[e.first] - s.points[c], q = s.points[e.second] - s.points[c];
            sum += std::atan2(std::abs(cross(p, q)), dot(p, q));
        }
        EXPECT_LE(sum, std::numbers::pi + 1e-9);
    }
}

Shape star(std::mt19937& random, int corners, Vec2 centre, double inner, double outer)
{
    std::uniform_real_distribution<double> radius(inner, outer);
    std::vector<Vec2> points;
    for (int i = 0; i < corners; ++i) {
        const double a = 2 * std::numbers::pi * i / corners, r = radius(random);
        points.push_back(centre + Vec2{r * std::cos(a), r * std::sin(a)});
    }
    Shape s;
    s.add(points);
    return s;
}

TEST(Triangulate, fills_polygons_of_random_stars)
{
    std::mt19937 random(7);
    for (int corners : {3, 4, 5, 8, 13, 40, 120})
        for (int k = 0; k < 8; ++k) expect_good(star(random, corners, {1, 2}, 0.1, 1));
}

TEST(Triangulate, leaves_holes_open)
{
    std::mt19937 random(8);
    for (int k = 0; k < 30; ++k) {
        Shape s = star(random, 40, {0, 0}, 3, 4);
        for (const Vec2& c : {Vec2{1, 1}, Vec2{-1, 1}, Vec2{-1, -1}, Vec2{1, -1}, Vec2{0, 0}}) {
            const Shape hole = star(random, 3 + k % 9, c, 0.05, 0.45);
            s.add(hole.points);
        }
        expect_good(s);
    }
}

TEST(Triangulate, takes_corners_in_a_row_and_a_grid_of_square_holes)
{
    Shape s; // everything on integers: many corners on one line, bridges along sides' lines
    std::vector<Vec2> outline;
    for (int i = 0; i < 10; ++i) outline.push_back({double(i), 0});
    for (int i = 0; i < 10; ++i) outline.push_back({10, double(i)});
    for (int i = 0; i < 10; ++i) outline.push_back({double(10 - i), 10});
    for (int i = 0; i < 10; ++i) outline.push_back({0, double(10 - i)});
    s.add(outline);
    for (int i = 1; i < 9; i += 3)
        for (int j = 1; j < 9; j += 3) {
            const double x = i, y = j;
            s.add({{x, y}, {x + 1, y}, {x + 1, y + 1}, {x, y + 1}});
        }
    expect_good(s);
}

TEST(Triangulate, takes_clockwise_outlines)
{
    Shape s;
    s.add({{0, 0}, {0, 1}, {1, 1}, {1, 0}});
    expect_good(s);
}

TEST(Triangulate, takes_a_thin_spiral)
{
    std::vector<Vec2> in, out;
    for (int i = 0; i < 90; ++i) {
        const double a = 0.2 * i, r = 1 + 0.1 * a;
        in.push_back({r * std::cos(a), r * std::sin(a)});
        out.push_back({(r + 0.3) * std::cos(a), (r + 0.3) * std::sin(a)});
    }
    Shape s;
    std::vector<Vec2> ring = out;
    ring.insert(ring.end(), in.rbegin(), in.rend());
    s.add(ring);
    expect_good(s);
}

TEST(FindCrossing, sees_sides_that_cross_touch_or_fold_back)
{
    const auto crossing = [](const std::vector<Vec2>& corners) {
        Shape s;
        s.add(corners);
        return find_crossing(s.points, s.rings);
    };
    EXPECT_FALSE(crossing({{0, 0}, {1, 0}, {1, 1}, {0, 1}}).has_value());
    const auto bow = crossing({{0, 0}, {2, 2}, {2, 0}, {0, 2}});
    ASSERT_TRUE(bow.has_value());
    EXPECT_NEAR(bow->near[0], 1, 1e-12);
    EXPECT_NEAR(bow->near[1], 1, 1e-12);
    EXPECT_TRUE(crossing({{0, 0}, {4, 0}, {4, 2}, {2, 0}, {0, 2}}).has_value()) << "touch";
    EXPECT_TRUE(crossing({{0, 0}, {4, 0}, {2, 0}, {2, 3}}).has_value()) << "fold back";
    EXPECT_TRUE(crossing({{0, 0}, {1, 0}, {1, 0}, {0, 1}}).has_value()) << "no length";
}

TEST(FindCrossing, sees_holes_that_cross_the_outline)
{
    Shape s;
    s.add({{0, 0}, {4, 0}, {4, 4}, {0, 4}});
    s.add({{3, 1}, {5, 1}, {5, 2}, {3, 2}});
    EXPECT_TRUE(find_crossing(s.points, s.rings).has_value());
}

TEST(IsInside, agrees_with_the_angle_around_the_point)
{
    std::mt19937 random(9);
    const Shape s = star(random, 30, {0, 0}, 0.2, 1);
    std::uniform_real_distribution<double> coordinate(-1, 1);
    for (int i = 0; i < 500; ++i) {
        const Vec2 p{coordinate(random), coordinate(random)};
        double turn = 0;
        const Ring& r = s.rings[0];
        for (std::size_t k = 0; k < r.size(); ++k) {
            const Vec2 a = s.points[r[k]] - p, b = s.points[r[(k + 1) % r.size()]] - p;
            turn += std::atan2(cross(a, b), dot(a, b));
        }
        EXPECT_EQ(is_inside(s.points, r, p), std::abs(turn) > 3);
    }
}

} // namespace
} // namespace pleat
