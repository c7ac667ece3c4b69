// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// A sheet with a slit, for tests.
#pragma once

#include "mesh/zoo.hpp"

#include <cstddef>
#include <cstdint>
#include <unordered_map>

namespace pleat::zoo {

struct SlitSheet {
    MeshInput input;
    std::uint32_t left = 0, right = 0; // the two corners at the hem, where the slit ends
};

/// A square metre in the xy plane, cut from the middle of its hem (y = 0) to its middle. The two
/// sides lie on each other in material space, and are `opening` apart in the world [m].
/// \param cells a side, an even number
inline SlitSheet slit_sheet(int cells, double opening)
{
    SlitSheet sheet{grid(cells, cells)};
    MeshInput& m = sheet.input;
    std::unordered_map<std::uint32_t, std::uint32_t> twin; // of the nodes along the slit
    const std::size_t count = m.node_x.size();
    for (std::uint32_t n = 0; n < count; ++n) {
        const Vec2 u = m.material_u[n];
        if (u[0] != 0.5 || u[1] >= 0.5) continue;
        twin[n] = std::uint32_t(m.node_x.size());
        if (u[1] == 0) sheet.left = n, sheet.right = twin[n];
        m.node_x.push_back(m.node_x[n] + Vec3{opening / 2, 0, 0});
        m.node_x[n][0] -= opening / 2;
        m.material_u.push_back(u);
    }
    for (auto& f : m.face_nodes) {
        double centre = 0;
        for (const std::uint32_t n : f) centre += m.material_u[n][0] / 3;
        for (std::uint32_t& n : f)
            if (const auto at = twin.find(n); centre > 0.5 && at != twin.end()) n = at->second;
    }
    m.face_points = m.face_nodes;
    return sheet;
}

} // namespace pleat::zoo
