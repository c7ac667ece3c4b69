// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// A safe edit of the mesh of a running simulation, for any remesher: all fields follow the mesh,
// mass is conserved, no intersections are created, strain stays bounded, and the report tells how
// momentum and energy changed. Based on: [Narain2012] sec. 4.2 ("Handling interpenetrations"),
// [Brochu2009] (guard).
//
// A remesher is a function that edits through a MeshEditor:
//
//     edit_safely(model, state, world, time, options, [&](MeshEditor& editor) {
//         for (FaceId f : faces_to_refine) editor.split_face(f);
//     });
//
// The function may be called several times: where edits made faces cross, the mesh is put back and
// edited again with a guard or with more faces frozen. So it must depend on the model and state
// that it is called with, not on what an earlier call did.
#pragma once

#include "pleat/model/model.hpp"
#include "pleat/model/reports.hpp"
#include "pleat/model/state.hpp"
#include "pleat/model/world.hpp"
#include "pleat/remeshing/mesh_editor.hpp"
#include "pleat/remeshing/obstacle_tree.hpp"

#include <functional>
#include <vector>

namespace pleat {

/// What keeps edits from making intersections.
enum class CrossingStrategy {
    /// Faces that changed are tested; where any crosses, the edits are done again, each one tested
    /// before it is done (crossing_guard.hpp).
    guard,
    /// Faces that changed are tested; those that cross are moved apart (separate.hpp). Where that
    /// does not help, contours are shortened, and at last the old mesh is kept there.
    separate,
    /// The same, with the contours shortened at once [Koh2015] sec. 3.4.
    contour,
    none, // nothing: for scenes without contact
};

/// Removes intersections by changing positions only.
/// \return whether nothing crosses any more
using Untangler =
    std::function<bool(const World& world, double time, const Model& model, State& state)>;

struct EditOptions {
    CrossingStrategy crossings = CrossingStrategy::guard;
    double strain_rise = 0.01; // see EditLimits
    /// For CrossingStrategy::contour, and for separate where moving apart alone does not do; may be
    /// empty.
    Untangler untangle;
    std::vector<bool> frozen_panels; // keep their mesh, by PanelId; empty: none
    /// The obstacles at the time of the edit, if the caller has them; null: found from the world.
    const ObstacleTree* obstacles = nullptr;
};

/// Changes the mesh of the model. The fields of model and state follow automatically; a remesher
/// may write further properties of the new mesh into the model.
using MeshEdit = std::function<void(MeshEditor& editor)>;

/// Afterwards model and state are compact, ordered and up to date; total mass is as it was to
/// rounding. Where nothing could be edited, both are as they were, bit for bit.
/// \pre nothing crosses, the mesh has no dead elements.
RemeshReport edit_safely(Model& model, State& state, const World& world, double time,
                         const EditOptions& options, const MeshEdit& edit);

} // namespace pleat
