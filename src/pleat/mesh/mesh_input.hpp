// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// A triangle mesh as a file gives it, before it is checked and turned into a Mesh.
#pragma once

#include "pleat/core/vec.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace pleat {

/// Raw arrays. Seams are defined by indices: one node with several material points.
struct MeshInput {
    struct EdgeMark {
        std::uint32_t node_a = 0, node_b = 0;
        std::optional<double> rest_angle; // [rad]; other than 0: kept too
        bool keep = false;                // never flipped, never collapsed away
        bool operator==(const EdgeMark&) const = default;
    };

    std::vector<Vec3> node_x;     // world [m]
    std::vector<Vec3> node_v;     // [m/s], empty or one a node
    std::vector<int> node_label;  // 0 = none; empty or one a node
    std::vector<Vec2> material_u; // material points [m]; empty where the file gives none
    std::vector<std::array<std::uint32_t, 3>> face_nodes;
    std::vector<std::array<std::uint32_t, 3>> face_points; // into material_u; empty with it
    std::vector<int> face_material;                        // empty or one a face
    std::vector<EdgeMark> edge_marks;
};

enum class MeshElement { node, material_point, face, edge };

/// A reason why a MeshInput cannot be used as a cloth. Ids are indices into the input's arrays (an
/// edge is its two nodes); the words name none, as files count in their own ways.
struct MeshProblem {
    MeshElement element = MeshElement::face;
    std::vector<std::uint32_t> ids;
    std::string found;
    std::string expected;
};

/// Lists everything that is wrong, in order of severity: sizes and indices, numbers that are not
/// finite, unused or duplicate points (closed slits are none), degenerate or duplicate faces, edges
/// with three faces, neighbours of opposite orientation, nodes whose faces do not form one fan,
/// material triangles of no area or folded over, seams whose sides do not match. Stops after `most`
/// problems.
[[nodiscard]] std::vector<MeshProblem> find_mesh_problems(const MeshInput& input,
                                                          std::size_t most = 100);

/// How many nodes lie on the sides of slits that start closed. A slit is a cut in one panel: each
/// of its sides is outline, and has nodes of its own. Those of a closed one lie on the other
/// side's, in the world and in material space. \pre find_mesh_problems(input) is empty.
[[nodiscard]] std::size_t count_closed_slit_nodes(const MeshInput& input);

/// Gives a mesh without material points those of its own plane, so that rest lengths are world
/// lengths. \return false (and nothing is changed) where the mesh is not flat.
[[nodiscard]] bool flatten_planar(MeshInput& input);

/// Adds the elements of `more` behind those of `base`. \pre both have material points or neither.
void append(MeshInput& base, const MeshInput& more);

} // namespace pleat
