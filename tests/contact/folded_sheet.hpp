// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Sheets for tests and benchmarks of contact: triangulated grids, flat or folded like a letter.
#pragma once

#include "pleat/core/vec.hpp"

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <random>
#include <vector>

namespace pleat::test {

struct Sheet {
    std::vector<Vec3> x;
    std::vector<std::array<std::uint32_t, 3>> triangles;
};

/// A grid of columns x rows quads, two triangles each; node (i, j) is put at place(i, j).
template <class Place> Sheet make_sheet(std::size_t columns, std::size_t rows, Place&& place)
{
    Sheet sheet;
    for (std::size_t j = 0; j <= rows; ++j)
        for (std::size_t i = 0; i <= columns; ++i) sheet.x.push_back(place(i, j));
    const auto node = [&](std::size_t i, std::size_t j) {
        return static_cast<std::uint32_t>(j * (columns + 1) + i);
    };
    for (std::size_t j = 0; j < rows; ++j)
        for (std::size_t i = 0; i < columns; ++i) {
            const std::uint32_t a = node(i, j), b = node(i + 1, j), c = node(i + 1, j + 1),
                                d = node(i, j + 1);
            if ((i + j) % 2 == 0) {
                sheet.triangles.push_back({a, b, c});
                sheet.triangles.push_back({a, c, d});
            } else {
                sheet.triangles.push_back({a, b, d});
                sheet.triangles.push_back({b, c, d});
            }
        }
    return sheet;
}

inline Sheet flat_sheet(std::size_t columns, std::size_t rows, double size, double height)
{
    return make_sheet(columns, rows, [&](std::size_t i, std::size_t j) {
        return Vec3{size * double(i) / double(columns), size * double(j) / double(rows), height};
    });
}

/// A sheet of size x size [m] laid in `layers` layers `gap` [m] apart, joined by half circles, on
/// a wavy ground; it is free of crossings. About `face_count` faces.
inline Sheet folded_sheet(std::size_t face_count, std::size_t layers = 8, double gap = 0.005,
                          double size = 1)
{
    const auto n = static_cast<std::size_t>(std::lround(std::sqrt(double(face_count) / 2)));
    const double turn = std::numbers::pi * gap / 2; // length of a half circle
    const double run = (size - turn * double(layers - 1)) / double(layers);
    return make_sheet(n, n, [&](std::size_t i, std::size_t j) {
        const double u = size * double(i) / double(n), y = size * double(j) / double(n);
        const auto layer = std::min(static_cast<std::size_t>(u / (run + turn)), layers - 1);
        const double along = u - double(layer) * (run + turn);
        double x = std::min(along, run), z = gap * double(layer);
        if (along > run) {
            const double angle = (along - run) / (gap / 2);
            x += gap / 2 * std::sin(angle);
            z += gap / 2 * (1 - std::cos(angle));
        }
        if (layer % 2 == 1) x = run - x;
        return Vec3{x, y, z + 0.01 * std::sin(30 * x) * std::cos(25 * y)};
    });
}

/// Moves every node by up to `amount` [m] a coordinate.
inline void shake(Sheet& sheet, double amount, unsigned seed)
{
    std::mt19937_64 random(seed);
    std::uniform_real_distribution<double> any(-amount, amount);
    for (Vec3& p : sheet.x) p += Vec3{any(random), any(random), any(random)};
}

} // namespace pleat::test
