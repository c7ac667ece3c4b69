// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Edits a mesh until it fits a given sizing field: edges above size 1 are split, then edges are
// collapsed as long as none above 1 - hysteresis comes of it, with flips in between.
// Based on: [Narain2012] sec. 4.1 and algorithm 1, [Bossen1996] (flips), [Garland1997] (quadric),
// [Rivara1997] (longest edges first).
//
// Afterwards no edge is above size 1, no edge can be collapsed, and a second pass with the same
// field changes nothing. The time is linear in the faces and the edits: what an edit touches is
// queued again, and nothing else.
//
// Departs from [Narain2012]:
// - A flip must also lower the sum of 1/quality of its two faces. In a constant field that follows
//   from the Delaunay test; in a varying one it keeps flips from going round in circles. And it
//   must not make an edge above size 1 that was not there.
// - Independent sets are chosen longest edge first, which gives better shapes at no cost.
// - Where a face to be split is obtuse, its longest edge is split first [Rivara1997]: no face is
//   driven flat against an edge that cannot be flipped.
// - Work is queued by the node that would go, not by face: whether it can go depends on all of its
//   faces.
// - An edge is not always split at its midpoint: one that is to have an odd number of pieces n in
//   the end is split after (n - 1) / 2 of them, so that all come out alike and none too short. What
//   lives on the new vert is interpolated there.
// - The quadric moves a new node by at most a quarter of the length of its edge: it is linear in
//   the move, and says nothing of moves as long as the edge itself.
// - An edit must not bring strain (EditLimits::strain_rise): a new node goes only as far from
//   the middle of its edge as the strain of its faces, not linearised, allows; flips and collapses
//   across a sharp fold are not done. Otherwise each remeshing does work on the cloth.
// - Nor may it leave a face beyond the strain limits of its fabric (EditLimits::strain_limits),
//   farther than one was in its place: what is written after a remeshing is within them too.
// - "Aspect too low" is judged in stretched space, where thin is what was not asked for.
#pragma once

#include "pleat/core/field.hpp"
#include "pleat/core/vec.hpp"
#include "pleat/mesh/field_set.hpp"
#include "pleat/mesh/mesh.hpp"
#include "pleat/remeshing/mesh_editor.hpp"
#include "pleat/remeshing/metric.hpp"

#include <functional>

namespace pleat {

struct RemeshOptions {
    double hysteresis = 0.2;  // collapses make no edge above 1 less this
    double quality_min = 0.1; // collapses make no face of lower metric_quality, 1 = equilateral
    /// The tensor of a new vert, where it is known better than as the mean of its parents.
    std::function<Mat2(const Mesh& mesh, VertId vert)> metric_at;
};

/// Where a new node on an edge belongs, world space [m]: near the tangent planes of its four
/// neighbours, with little strain in its four faces [Narain2012] eq. 2.
/// \param split the edit that made the node. \pre x[split.new_node] is the middle of the edge.
[[nodiscard]] Vec3 split_position(const Mesh& mesh, const EdgeSplit& split,
                                  const Field<NodeId, Vec3>& x, const Field<NodeId, Vec3>& normal);

/// The edits of one pass through an editor (see edit_safely.hpp).
/// \param metric follows the mesh as one of the editor's fields; new verts have the mean of their
///        parents' tensors. \pre positive definite outside frozen panels.
void edit_to_metric(MeshEditor& editor, MetricField& metric, const RemeshOptions& options = {});

/// Remeshes a surface that is no part of a simulation. The mesh is compact and reordered afterwards
/// if anything changed.
/// \param x world positions [m]
/// \param fields everything that lives on the mesh, x and metric too.
/// \param guard may be null: crossings are then not looked for.
/// \pre the mesh has no dead elements.
EditCounts remesh_to_metric(Mesh& mesh, MetricField& metric, Field<NodeId, Vec3>& x,
                            FieldSet& fields, const RemeshOptions& options = {},
                            const EditLimits& limits = {}, CrossingGuard* guard = nullptr);

} // namespace pleat
