// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Obstacles for the tests of contact.
#pragma once

#include "pleat/model/world.hpp"

#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>

namespace pleat::test {

inline Obstacle sphere(double radius, std::uint32_t n)
{
    Obstacle o;
    o.name = "sphere";
    o.x.push_back({0, 0, radius});
    for (std::uint32_t j = 1; j < n; ++j)
        for (std::uint32_t i = 0; i < 2 * n; ++i) {
            const double t = std::numbers::pi * j / n, p = std::numbers::pi * i / n;
            o.x.push_back({radius * std::sin(t) * std::cos(p), radius * std::sin(t) * std::sin(p),
                           radius * std::cos(t)});
        }
    o.x.push_back({0, 0, -radius});
    const auto last = static_cast<std::uint32_t>(o.x.size() - 1);
    const auto ring = [&](std::uint32_t j, std::uint32_t i) {
        return 1 + (j - 1) * 2 * n + i % (2 * n);
    };
    for (std::uint32_t i = 0; i < 2 * n; ++i) {
        o.faces.push_back({0, ring(1, i), ring(1, i + 1)});
        o.faces.push_back({last, ring(n - 1, i + 1), ring(n - 1, i)});
        for (std::uint32_t j = 1; j + 1 < n; ++j) {
            o.faces.push_back({ring(j, i), ring(j + 1, i), ring(j + 1, i + 1)});
            o.faces.push_back({ring(j, i), ring(j + 1, i + 1), ring(j, i + 1)});
        }
    }
    return o;
}

inline Obstacle box(const Vec3& low, const Vec3& high)
{
    Obstacle o;
    o.name = "box";
    for (int k = 0; k < 8; ++k)
        o.x.push_back({(k & 1) != 0 ? high[0] : low[0], (k & 2) != 0 ? high[1] : low[1],
                       (k & 4) != 0 ? high[2] : low[2]});
    constexpr std::array<std::array<std::uint32_t, 4>, 6> quads = {
        {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}}};
    for (const auto& q : quads) {
        o.faces.push_back({q[0], q[1], q[2]});
        o.faces.push_back({q[0], q[2], q[3]});
    }
    return o;
}

/// About the z axis, n x m quads.
inline Obstacle torus(double radius, double tube, std::uint32_t n, std::uint32_t m)
{
    Obstacle o;
    o.name = "torus";
    for (std::uint32_t i = 0; i < n; ++i)
        for (std::uint32_t j = 0; j < m; ++j) {
            const double a = 2 * std::numbers::pi * i / n, b = 2 * std::numbers::pi * j / m;
            const double r = radius + tube * std::cos(b);
            o.x.push_back({r * std::cos(a), r * std::sin(a), tube * std::sin(b)});
        }
    const auto at = [&](std::uint32_t i, std::uint32_t j) { return (i % n) * m + j % m; };
    for (std::uint32_t i = 0; i < n; ++i)
        for (std::uint32_t j = 0; j < m; ++j) {
            o.faces.push_back({at(i, j), at(i + 1, j), at(i + 1, j + 1)});
            o.faces.push_back({at(i, j), at(i + 1, j + 1), at(i, j + 1)});
        }
    return o;
}

/// Two triangles of the plane z = height.
inline Obstacle floor_at(double height, double size = 2)
{
    Obstacle o;
    o.name = "floor";
    o.x = {
        {-size, -size, height}, {size, -size, height}, {size, size, height}, {-size, size, height}};
    o.faces = {{0, 1, 2}, {0, 2, 3}};
    return o;
}

/// Closed, along x.
inline Obstacle cylinder(double radius, double length, std::uint32_t n)
{
    Obstacle o;
    o.name = "cylinder";
    for (const double side : {-0.5, 0.5})
        for (std::uint32_t i = 0; i < n; ++i) {
            const double a = 2 * std::numbers::pi * i / n;
            o.x.push_back({side * length, radius * std::cos(a), radius * std::sin(a)});
        }
    o.x.push_back({-length / 2, 0, 0});
    o.x.push_back({length / 2, 0, 0});
    for (std::uint32_t i = 0; i < n; ++i) {
        const std::uint32_t j = (i + 1) % n;
        o.faces.push_back({i, j, n + j});
        o.faces.push_back({i, n + j, n + i});
        o.faces.push_back({2 * n, j, i});
        o.faces.push_back({2 * n + 1, n + i, n + j});
    }
    return o;
}

inline Obstacle needle(double radius, double height, std::uint32_t n)
{
    Obstacle o;
    o.name = "needle";
    for (std::uint32_t i = 0; i < n; ++i) {
        const double a = 2 * std::numbers::pi * i / n;
        o.x.push_back({radius * std::cos(a), radius * std::sin(a), 0});
    }
    o.x.push_back({0, 0, height});
    o.x.push_back({0, 0, 0});
    for (std::uint32_t i = 0; i < n; ++i) {
        o.faces.push_back({i, (i + 1) % n, n});
        o.faces.push_back({(i + 1) % n, i, n + 1});
    }
    return o;
}

/// A ring that falls by `drop` from its outer to its inner circle; open.
inline Obstacle funnel(double inner, double outer, double height, double drop, std::uint32_t n)
{
    Obstacle o;
    o.name = "funnel";
    for (const bool out : {false, true})
        for (std::uint32_t i = 0; i < n; ++i) {
            const double a = 2 * std::numbers::pi * i / n, r = out ? outer : inner;
            o.x.push_back({r * std::cos(a), r * std::sin(a), out ? height : height - drop});
        }
    for (std::uint32_t i = 0; i < n; ++i) {
        const std::uint32_t j = (i + 1) % n;
        o.faces.push_back({i, n + i, n + j});
        o.faces.push_back({i, n + j, j});
    }
    return o;
}

} // namespace pleat::test
