// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Compaction and reordering: dead elements go, live ones are laid along a Hilbert curve in material
// space, so that what is near on the cloth is near in memory.
#pragma once

#include "pleat/core/field.hpp"
#include "pleat/mesh/mesh.hpp"

#include <vector>

namespace pleat {

/// Where each element went: new_x[old] is the new id, no_id for dead elements.
struct MeshPermutation {
    Field<VertId, VertId> new_vert;
    Field<NodeId, NodeId> new_node;
    Field<EdgeId, EdgeId> new_edge;
    Field<FaceId, FaceId> new_face;
    std::size_t vert_count = 0, node_count = 0, edge_count = 0, face_count = 0; // after
};

/// Removes dead elements, keeps the order of the others.
MeshPermutation compact(Mesh& mesh);

/// Removes dead elements and orders faces by (group of their panel, panel, Hilbert index of the
/// centroid), nodes, verts and edges by their first face. Ties keep the old order.
/// \param panel_group e.g. the cloth of each panel, so that each cloth is one range; empty: panels
///        in their own order.
MeshPermutation reorder(Mesh& mesh, const std::vector<std::uint32_t>& panel_group = {});

/// The two halves of it: where elements are to go, and their going there.
[[nodiscard]] MeshPermutation order_of(const Mesh& mesh,
                                       const std::vector<std::uint32_t>& panel_group = {});
void permute(Mesh& mesh, const MeshPermutation& permutation);

/// A list of ids carried to the new mesh; ids of dead elements drop out.
template <class IdT>
[[nodiscard]] std::vector<IdT> permuted(const std::vector<IdT>& ids, const Field<IdT, IdT>& new_id)
{
    std::vector<IdT> result;
    result.reserve(ids.size());
    for (IdT id : ids)
        if (is_some(new_id[id])) result.push_back(new_id[id]);
    return result;
}

/// Position along a Hilbert curve of order 16 through the unit square.
[[nodiscard]] std::uint64_t hilbert_index(double x, double y);

} // namespace pleat
