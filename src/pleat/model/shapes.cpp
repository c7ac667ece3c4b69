// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/model/shapes.hpp"

#include "pleat/core/error.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <numbers>
#include <utility>

namespace pleat {

namespace {

constexpr double default_edges_a_radius = 8;

double edge_or_default(double radius, double edge_length)
{
    return edge_length > 0 ? edge_length : radius / default_edges_a_radius;
}

/// Two vectors that make a right-handed frame with the unit vector `n`: a x b = n. The first lies
/// along the axis that is farthest from n, so that floors and walls have sides along the axes.
std::array<Vec3, 2> frame_around(const Vec3& n)
{
    std::size_t axis = 0;
    for (std::size_t k = 1; k < 3; ++k)
        if (std::abs(n[k]) < std::abs(n[axis])) axis = k;
    Vec3 a{};
    a[axis] = 1;
    a = normalized(a - dot(a, n) * n);
    return {a, cross(n, a)};
}

/// Into how many pieces the edges of an icosahedron are cut. The longest edge of a cut icosahedron
/// blown up to a sphere is at most 1.33 times its radius over that number: an edge of the
/// icosahedron is 1.051 radii long, and the middle of a side is 0.795 radii from the centre.
double icosahedron_cuts(double radius, double edge_length)
{
    return std::max(1.0, std::ceil(1.33 * radius / edge_or_default(radius, edge_length)));
}

struct CapsuleCounts {
    double around, cap, along; // points a ring, rings a cap without its pole, pieces of the middle
};

CapsuleCounts capsule_counts(double length, double radius, double edge_length)
{
    const double edge = edge_or_default(radius, edge_length);
    const auto pieces = [&](double of) { return std::max(1.0, std::ceil(of / edge)); };
    // Edges across a quadrangle of the grid are sqrt(2) times as long as its sides.
    const double root2 = std::numbers::sqrt2, pi = std::numbers::pi;
    return {std::max(6.0, pieces(root2 * 2 * pi * radius)),
            std::max(2.0, pieces(root2 * pi / 2 * radius)), pieces(root2 * length)};
}

} // namespace

Obstacle make_half_space(std::string name, const Vec3& point, const Vec3& normal, double size)
{
    Obstacle o;
    o.name = std::move(name);
    const auto [along, across] = frame_around(normalized(normal));
    const Vec3 a = along * (size / 2), b = cross(normalized(normal), a);
    o.x = {point - a - b, point + a - b, point + a + b, point - a + b};
    o.faces = {{0, 1, 2}, {0, 2, 3}};
    o.planes = {{0, 1, 2}};
    return o;
}

double sphere_face_count(double radius, double edge_length)
{
    const double cuts = icosahedron_cuts(radius, edge_length);
    return 20 * cuts * cuts;
}

Obstacle make_sphere(std::string name, const Vec3& centre, double radius, double edge_length)
{
    PLEAT_ASSERT(radius > 0, "a sphere has a radius");
    PLEAT_ASSERT(sphere_face_count(radius, edge_length) <= double(max_shape_faces),
                 "a sphere of not too many faces");
    Obstacle o;
    o.name = std::move(name);
    const double g = std::numbers::phi;
    const std::array<Vec3, 12> corners{{{-1, g, 0},
                                        {1, g, 0},
                                        {-1, -g, 0},
                                        {1, -g, 0},
                                        {0, -1, g},
                                        {0, 1, g},
                                        {0, -1, -g},
                                        {0, 1, -g},
                                        {g, 0, -1},
                                        {g, 0, 1},
                                        {-g, 0, -1},
                                        {-g, 0, 1}}};
    constexpr std::array<std::array<std::size_t, 3>, 20> sides{
        {{0, 11, 5},  {0, 5, 1},  {0, 1, 7},  {0, 7, 10}, {0, 10, 11}, {1, 5, 9}, {5, 11, 4},
         {11, 10, 2}, {10, 7, 6}, {7, 1, 8},  {3, 9, 4},  {3, 4, 2},   {3, 2, 6}, {3, 6, 8},
         {3, 8, 9},   {4, 9, 5},  {2, 4, 11}, {6, 2, 10}, {8, 6, 7},   {9, 8, 1}}};
    const auto cuts = static_cast<std::uint32_t>(icosahedron_cuts(radius, edge_length));
    // A point is known by how much it has of which corners: sides of the icosahedron share those on
    // their common edge.
    std::map<std::array<std::uint32_t, 6>, std::uint32_t> known;
    const auto point = [&](const std::array<std::size_t, 3>& side, std::uint32_t i,
                           std::uint32_t j) {
        std::array<std::pair<std::uint32_t, std::uint32_t>, 3> parts{
            {{std::uint32_t(side[0]), cuts - i - j},
             {std::uint32_t(side[1]), i},
             {std::uint32_t(side[2]), j}}};
        for (auto& [corner, share] : parts)
            if (share == 0) corner = 12;
        std::sort(parts.begin(), parts.end());
        const std::array<std::uint32_t, 6> key{parts[0].first,  parts[0].second, parts[1].first,
                                               parts[1].second, parts[2].first,  parts[2].second};
        const auto [at, is_new] = known.try_emplace(key, std::uint32_t(o.x.size()));
        if (is_new) {
            Vec3 sum{};
            for (const auto& [corner, share] : parts)
                if (share > 0) sum += double(share) * corners[corner];
            o.x.push_back(centre + radius * normalized(sum));
        }
        return at->second;
    };
    for (const auto& side : sides)
        for (std::uint32_t i = 0; i < cuts; ++i)
            for (std::uint32_t j = 0; i + j < cuts; ++j) {
                const std::uint32_t a = point(side, i, j), b = point(side, i + 1, j),
                                    c = point(side, i, j + 1);
                o.faces.push_back({a, b, c});
                if (i + j + 1 < cuts) o.faces.push_back({b, point(side, i + 1, j + 1), c});
            }
    return o;
}

Obstacle make_box(std::string name, const Vec3& centre, const Vec3& size)
{
    Obstacle o;
    o.name = std::move(name);
    for (unsigned i = 0; i < 8; ++i) {
        Vec3 p = centre;
        for (unsigned k = 0; k < 3; ++k) p[k] += (i >> k & 1) != 0 ? size[k] / 2 : -size[k] / 2;
        o.x.push_back(p);
    }
    o.faces = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
               {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
    return o;
}

double capsule_face_count(double length, double radius, double edge_length)
{
    const CapsuleCounts n = capsule_counts(length, radius, edge_length);
    return 2 * n.around * (2 * n.cap + n.along - 1);
}

Obstacle make_capsule(std::string name, const Vec3& from, const Vec3& to, double radius,
                      double edge_length)
{
    PLEAT_ASSERT(radius > 0 && norm(to - from) > 0, "a capsule has a radius and two ends");
    PLEAT_ASSERT(capsule_face_count(norm(to - from), radius, edge_length) <=
                     double(max_shape_faces),
                 "a capsule of not too many faces");
    Obstacle o;
    o.name = std::move(name);
    const Vec3 axis = normalized(to - from);
    const auto [a, b] = frame_around(axis);
    const CapsuleCounts counts = capsule_counts(norm(to - from), radius, edge_length);
    const auto around = static_cast<std::uint32_t>(counts.around);
    const auto cap = static_cast<std::uint32_t>(counts.cap);
    const auto along = static_cast<std::uint32_t>(counts.along);
    const double pi = std::numbers::pi;
    // Clang 14 cannot capture structured bindings by reference.
    const auto add_ring = [&, a = a, b = b](const Vec3& middle, double ring_radius) {
        for (std::uint32_t i = 0; i < around; ++i) {
            const double turn = 2 * pi * i / around;
            o.x.push_back(middle + ring_radius * (std::cos(turn) * a + std::sin(turn) * b));
        }
    };
    o.x.push_back(from - radius * axis);
    for (std::uint32_t k = 1; k <= cap; ++k) {
        const double angle = pi / 2 * k / cap; // from the pole
        add_ring(from - radius * std::cos(angle) * axis, radius * std::sin(angle));
    }
    for (std::uint32_t k = 1; k < along; ++k)
        add_ring(from + (to - from) * (double(k) / along), radius);
    for (std::uint32_t k = cap; k >= 1; --k) {
        const double angle = pi / 2 * k / cap;
        add_ring(to + radius * std::cos(angle) * axis, radius * std::sin(angle));
    }
    o.x.push_back(to + radius * axis);

    const std::uint32_t rings = 2 * cap + along - 1, last = 1 + rings * around;
    const auto at = [&](std::uint32_t ring, std::uint32_t i) {
        return 1 + ring * around + i % around;
    };
    for (std::uint32_t i = 0; i < around; ++i) {
        o.faces.push_back({0, at(0, i + 1), at(0, i)});
        for (std::uint32_t r = 0; r + 1 < rings; ++r) {
            o.faces.push_back({at(r, i), at(r, i + 1), at(r + 1, i + 1)});
            o.faces.push_back({at(r, i), at(r + 1, i + 1), at(r + 1, i)});
        }
        o.faces.push_back({last, at(rings - 1, i), at(rings - 1, i + 1)});
    }
    return o;
}

} // namespace pleat
