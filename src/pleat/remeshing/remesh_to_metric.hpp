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
// - Independent sets are taken longest edge first, which gives better shapes for nothing.
// - Where a face to be split is obtuse, its longest edge is split first [Rivara1997]: no face is
//   driven flat against an edge that cannot be flipped.
// - Work is queued by the node that would go, not by face: whether it can go depends on all of its
//   faces.
// - An edge is not always split at its midpoint: one that is to have an odd number of pieces n in
//   the end is split after (n - 1) / 2 of them, so that all come out alike and none too short. What
//   lives on the new vert is interpolated there.
// - The quadric moves a new node by at most a quarter of the length of its edge: it is linear in
//   the move, and says nothing of moves as long as the edge itself.
// - An edit must not bring strain (RemeshOptions::strain_rise): a new node goes only as far from
//   the middle of its edge as the strain of its faces, not linearised, allows; flips and collapses
//   across a sharp fold are not done. Otherwise each remeshing does work on the cloth.
// - Nor may it leave a face beyond the strain limits of its fabric (RemeshOptions::strain_limits),
//   farther than one was in its place: what is written after a remeshing is within them too.
// - "Aspect too low" is judged in stretched space, where thin is what was not asked for.
#pragma once

#include "pleat/core/field.hpp"
#include "pleat/core/vec.hpp"
#include "pleat/materials/material.hpp"
#include "pleat/mesh/field_set.hpp"
#include "pleat/mesh/mesh.hpp"
#include "pleat/remeshing/crossing_guard.hpp"
#include "pleat/remeshing/metric.hpp"

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <vector>

namespace pleat {

/// What a pass is to edit, as it was before.
struct RemeshBefore {
    const Mesh& mesh;
    const MetricField& metric;
    const Field<NodeId, Vec3>& x;
    const Field<FaceId, MaterialId>* face_material; // may be null without limits
};

struct RemeshOptions {
    double hysteresis = 0.2;  // collapses make no edge above 1 less this
    double quality_min = 0.1; // collapses make no face of lower metric_quality, 1 = equilateral
    /// How much strain an edit may bring: it must not raise the sum over the faces that it changes
    /// of area times Green strain squared by more than this, squared, times their area.
    double strain_rise = std::numeric_limits<double>::infinity();
    /// Bounds on principal strains by MaterialId: no edit leaves a face farther beyond its own than
    /// the worst of the faces there was before. Empty: none.
    std::vector<std::optional<StrainLimits>> strain_limits;
    /// The fabric of each face, one of the fields that follow the mesh; may be null without limits.
    const Field<FaceId, MaterialId>* face_material = nullptr;
    /// The tensor of a new vert, where it is known better than as the mean of its parents.
    std::function<Mat2(const Mesh& mesh, VertId vert)> metric_at;
    std::vector<bool> frozen_panels; // by PanelId, left as they are; empty: none
    std::vector<bool> frozen_faces;  // by FaceId, likewise
    /// Normals of the surface as it is given, for those who have them (see node_normals()); null:
    /// they are computed where they are needed.
    const Field<NodeId, Vec3>* normal = nullptr;
    /// Copies that stay as they are, for those who have them: threads that have nothing to edit can
    /// then look at nodes ahead of the one that has.
    std::optional<RemeshBefore> before;
    /// By PanelId, for reorder(); empty: panels in their own order.
    std::vector<std::uint32_t> panel_group;
};

struct RemeshCounts {
    std::size_t splits = 0, flips = 0, collapses = 0;
    std::size_t refused = 0;   // edits not done because of a crossing
    std::size_t midpoints = 0; // splits put in the middle of the edge because of a crossing
    [[nodiscard]] bool changed() const { return splits + flips + collapses > 0; }
};

/// What a pass has changed.
struct TouchedFaces {
    /// Called with faces of the mesh before, a few at a time, as edits come to touch them; may be
    /// empty.
    std::function<void(std::span<const FaceId>)> on_touch;
    /// Called after the last edit with the faces that are changed or new, by the ids they have
    /// until mesh and fields are reordered; may be empty. Must leave the mesh as it is.
    std::function<void(std::span<const FaceId>)> on_edited;
    std::vector<FaceId> after; // the same faces, of the mesh after
};

/// Where a new node on an edge belongs, world space [m]: near the tangent planes of its four
/// neighbours, with little strain in its four faces [Narain2012] eq. 2.
/// \param split the edit that made the node. \pre x[split.new_node] is the middle of the edge.
[[nodiscard]] Vec3 split_position(const Mesh& mesh, const EdgeSplit& split,
                                  const Field<NodeId, Vec3>& x, const Field<NodeId, Vec3>& normal);

/// Remeshes. The mesh is compact and reordered afterwards if anything changed.
/// \param metric follows the mesh; new verts have the mean of their parents' tensors.
/// \param x world positions [m]
/// \param fields everything that lives on the mesh, x too, metric not.
/// \param held nodes with a value other than 0 are placed by someone else: a new one stays in the
///        middle of its edge. One of `fields`; may be null.
/// \param guard may be null: crossings are then not looked for.
/// \param touched may be null
/// \pre the mesh has no dead elements; the tensors are positive definite outside frozen panels.
RemeshCounts remesh_to_metric(Mesh& mesh, MetricField& metric, Field<NodeId, Vec3>& x,
                              FieldSet& fields, const RemeshOptions& options = {},
                              const Field<NodeId, std::uint64_t>* held = nullptr,
                              CrossingGuard* guard = nullptr, TouchedFaces* touched = nullptr);

} // namespace pleat
