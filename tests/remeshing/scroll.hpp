// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Cloth in tight layers, for tests of crossings.
#pragma once

#include "mesh/zoo.hpp"

#include <cmath>
#include <numbers>
#include <vector>

namespace pleat::test {

/// A sheet wound up so tightly that its layers are `gap` apart: nearly every edit that moves the
/// surface would cross.
inline MeshInput scroll(int cells, double gap)
{
    MeshInput m = zoo::grid(cells, 4, 1, 0.2);
    const double pitch = gap / (2 * std::numbers::pi);
    // Arc length of the spiral r = r0 + pitch a, walked in small steps.
    const double r0 = 0.02;
    const int steps = 20000;
    std::vector<double> angle(std::size_t(cells) + 1);
    double a = 0, length = 0;
    std::size_t next = 0;
    for (int i = 0; i <= steps * 2 && next < angle.size(); ++i) {
        while (next < angle.size() && length >= double(next) / cells) angle[next++] = a;
        const double r = r0 + pitch * a;
        a += 0.5 / steps / r;
        length += 0.5 / steps * std::sqrt(1 + pitch * pitch / (r * r));
    }
    for (; next < angle.size(); ++next) angle[next] = a;
    for (Vec3& x : m.node_x) {
        const double b = angle[std::size_t(std::lround(x[0] * cells))];
        const double r = r0 + pitch * b;
        x = {r * std::cos(b), r * std::sin(b), x[1]};
    }
    return m;
}

} // namespace pleat::test
