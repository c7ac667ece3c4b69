// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Surfaces that the tests take pictures of.
#pragma once

#include "pleat/render/render_mesh.hpp"

#include <cmath>
#include <cstdint>
#include <numbers>

namespace pleat {

/// A sphere of about 4 n^2 triangles, facing outwards.
inline RenderMesh sphere(const Vec3& centre, double radius, std::uint32_t n, bool is_cloth)
{
    RenderMesh mesh;
    mesh.name = "sphere";
    mesh.is_cloth = is_cloth;
    for (std::uint32_t j = 0; j <= n; ++j)
        for (std::uint32_t i = 0; i < 2 * n; ++i) {
            const double polar = std::numbers::pi * j / n;
            const double around = std::numbers::pi * i / n;
            mesh.positions.push_back(centre + radius * Vec3{std::sin(polar) * std::cos(around),
                                                            std::sin(polar) * std::sin(around),
                                                            std::cos(polar)});
        }
    for (std::uint32_t j = 0; j < n; ++j)
        for (std::uint32_t i = 0; i < 2 * n; ++i) {
            const std::uint32_t a = j * 2 * n + i;
            const std::uint32_t b = j * 2 * n + (i + 1) % (2 * n);
            if (j > 0) mesh.triangles.push_back({a, a + 2 * n, b});
            if (j + 1 < n) mesh.triangles.push_back({b, a + 2 * n, b + 2 * n});
        }
    return mesh;
}

/// A flat square sheet of 2 n^2 triangles, facing up, with its lowest corner at `corner`.
inline RenderMesh sheet(const Vec3& corner, double side, std::uint32_t n)
{
    RenderMesh mesh;
    mesh.name = "sheet";
    for (std::uint32_t j = 0; j <= n; ++j)
        for (std::uint32_t i = 0; i <= n; ++i)
            mesh.positions.push_back(corner + side / n * Vec3{double(i), double(j), 0});
    for (std::uint32_t j = 0; j < n; ++j)
        for (std::uint32_t i = 0; i < n; ++i) {
            const std::uint32_t a = j * (n + 1) + i;
            mesh.triangles.push_back({a, a + 1, a + n + 2});
            mesh.triangles.push_back({a, a + n + 2, a + n + 1});
        }
    return mesh;
}

/// An axis-aligned box with shared corners, facing outwards; no cloth.
inline RenderMesh box(const Vec3& low, const Vec3& high)
{
    RenderMesh mesh;
    mesh.name = "box";
    mesh.is_cloth = false;
    for (unsigned k = 0; k < 8; ++k)
        mesh.positions.push_back(
            {(k & 1 ? high : low)[0], (k & 2 ? high : low)[1], (k & 4 ? high : low)[2]});
    constexpr std::uint32_t quads[6][4] = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4},
                                           {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};
    for (const auto& q : quads) {
        mesh.triangles.push_back({q[0], q[1], q[2]});
        mesh.triangles.push_back({q[0], q[2], q[3]});
    }
    return mesh;
}

} // namespace pleat
