// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// A coarse sheet, and the same sheet with every face cut into four whose new nodes, the midpoints
// of the edges, depend on the ends of the edges: it has exactly the degrees of freedom of the
// coarse sheet.
//
// The two have the same equations of motion where a law depends on the deformation gradient of
// faces: the four parts have that of the whole. Masses agree too: a corner of a face of mass m has
// m/12 from the part at the corner and half of each of two midpoints with m/4, which is m/3.
#pragma once

#include "pleat/mesh/mesh.hpp"
#include "pleat/sim/simulation.hpp"
#include "sim/model_of.hpp"

#include <cstdint>
#include <functional>

namespace pleat::test {

/// A fabric without bending that is not linear in F.
[[nodiscard]] inline Material membrane_only()
{
    Material m;
    m.name = "membrane";
    m.density = 0.2;
    m.membrane = MembraneBaraffWitkin{100, 100, 20, 1, 1};
    m.bending = BendingBaraffWitkin{0};
    return m;
}

class TVertices {
public:
    using Place = std::function<Vec3(const Vec2&)>;

    /// \param place puts the coarse nodes, at material points in [0, width] x [0, height], into the
    /// world; the midpoints follow
    TVertices(int columns, int rows, double width, double height, const Material& material,
              const Place& place)
        : columns_(columns), rows_(rows)
    {
        coarse = sheet(columns, rows, width, height, material, place);
        fine = sheet(2 * columns, 2 * rows, width, height, material, place);
        std::vector<Dependency> list;
        for (int j = 0; j <= 2 * rows; ++j)
            for (int i = 0; i <= 2 * columns; ++i)
                if (const int oi = i % 2, oj = j % 2; oi + oj > 0) // diagonals run along (1, 1)
                    list.push_back(
                        {fine_at(i, j),
                         {{fine_at(i - oi, j - oj), 0.5}, {fine_at(i + oi, j + oj), 0.5}}});
        set_dependencies(fine.model, make_dependencies(fine.model.mesh.node_count(), list));
        copy_to_fine();
    }

    Simulation coarse, fine;

    [[nodiscard]] std::uint32_t coarse_at(int i, int j) const
    {
        return static_cast<std::uint32_t>(j * (columns_ + 1) + i);
    }
    [[nodiscard]] std::uint32_t fine_at(int i, int j) const
    {
        return static_cast<std::uint32_t>(j * (2 * columns_ + 1) + i);
    }
    /// The fine node that is the same point as a coarse one.
    [[nodiscard]] NodeId fine_of(NodeId coarse_node) const
    {
        const int k = static_cast<int>(index(coarse_node));
        return make_id<NodeId>(fine_at(2 * (k % (columns_ + 1)), 2 * (k / (columns_ + 1))));
    }
    /// Gives the fine sheet the state of the coarse one.
    void copy_to_fine()
    {
        for (NodeId n : coarse.model.mesh.nodes()) {
            fine.state.x[fine_of(n)] = coarse.state.x[n];
            fine.state.v[fine_of(n)] = coarse.state.v[n];
        }
        follow(fine.model, fine.state);
        fine.state.anchor.values = fine.state.x.values;
    }
    /// Holds the coarse nodes that `test` picks, and the same ones of the fine sheet, with handle
    /// 0.
    template <class Test> void hold(Test&& test)
    {
        for (NodeId n : coarse.model.mesh.nodes())
            if (test(coarse.state.x[n]))
                coarse.model.node_handles[n] = fine.model.node_handles[fine_of(n)] = 1;
    }
    /// How far apart the two are, at most [m].
    [[nodiscard]] double difference() const
    {
        double most = 0;
        for (NodeId n : coarse.model.mesh.nodes())
            most = std::max(most, norm(coarse.state.x[n] - fine.state.x[fine_of(n)]));
        return most;
    }
    /// Whether the midpoints are where they belong, to the bit.
    [[nodiscard]] bool is_consistent() const
    {
        return follows(fine.model.dependencies, fine.state.x.span()) &&
               follows(fine.model.dependencies, fine.state.v.span());
    }

private:
    static Simulation sheet(int columns, int rows, double width, double height,
                            const Material& material, const Place& place)
    {
        MeshInput input;
        const auto at = [&](int i, int j) {
            return static_cast<std::uint32_t>(j * (columns + 1) + i);
        };
        for (int j = 0; j <= rows; ++j)
            for (int i = 0; i <= columns; ++i) {
                input.material_u.push_back({width * i / columns, height * j / rows});
                input.node_x.push_back(place(input.material_u.back()));
            }
        for (int j = 0; j < rows; ++j)
            for (int i = 0; i < columns; ++i) {
                input.face_nodes.push_back({at(i, j), at(i + 1, j), at(i + 1, j + 1)});
                input.face_nodes.push_back({at(i, j), at(i + 1, j + 1), at(i, j + 1)});
            }
        input.face_points = input.face_nodes;
        Simulation sim = simulation_of(input);
        sim.model.materials = {material};
        update_derived(sim.model);
        return sim;
    }

    int columns_, rows_;
};

} // namespace pleat::test
