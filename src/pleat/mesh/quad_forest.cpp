// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/mesh/quad_forest.hpp"

#include "pleat/mesh/mesh.hpp"
#include "pleat/mesh/reorder.hpp"

#include <algorithm>

namespace pleat {

void permute(QuadForest& forest, const MeshPermutation& p)
{
    if (forest.empty()) return;
    for (std::array<VertId, 3>& triangle : forest.base)
        for (VertId& v : triangle) {
            v = p.new_vert[v];
            if (!is_some(v)) {
                forest = {};
                return;
            }
        }
    for (QuadForest::Midpoint& m : forest.midpoints) {
        m.vert = p.new_vert[m.vert];
        for (VertId& v : m.parents) v = p.new_vert[v];
    }
    std::erase_if(forest.midpoints, [](const QuadForest::Midpoint& m) {
        return !is_some(m.vert) || !is_some(m.parents[0]) || !is_some(m.parents[1]);
    });
}

std::string find_problem(const QuadForest& forest, const Mesh& mesh)
{
    const auto is_vert = [&](VertId v) { return index(v) < mesh.vert_count(); };
    for (std::size_t i = 0; i < forest.base.size(); ++i)
        for (VertId v : forest.base[i])
            if (!is_vert(v)) return "triangle " + std::to_string(i) + " has a vert that is none";
    for (std::size_t i = 0; i < forest.midpoints.size(); ++i) {
        const QuadForest::Midpoint& m = forest.midpoints[i];
        if (!is_vert(m.vert) || !is_vert(m.parents[0]) || !is_vert(m.parents[1]))
            return "midpoint " + std::to_string(i) + " has a vert that is none";
    }
    return {};
}

} // namespace pleat
