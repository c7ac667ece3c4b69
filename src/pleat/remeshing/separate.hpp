// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Separates faces that cross after remeshing, by moving them back toward their previous positions.
// Based on: [Narain2012] sec. 4.2 ("Handling interpenetrations"), [Harmon2008] (all at once).
//
// Material space says where each point was before, and before nothing crossed. Where two faces now
// cross, take the middle x of the segment that they share; as a point of the one face it was at p
// before, as a point of the other at q (an obstacle has not moved: q = x). So relative to each
// other the faces moved along q - p, and they are moved back along p - q until they are separate: a
// constraint on the nodes of both, weighted with the barycentric coordinates of x. All constraints
// are satisfied together by the smallest motion, weighted with mass. New crossings add constraints,
// until there are none.
#pragma once

#include "pleat/core/field.hpp"
#include "pleat/core/vec.hpp"
#include "pleat/linalg/dependencies.hpp"
#include "pleat/mesh/mesh.hpp"
#include "pleat/remeshing/face_crossings.hpp"
#include "pleat/remeshing/material_map.hpp"
#include "pleat/remeshing/obstacle_tree.hpp"

#include <cstddef>
#include <vector>

namespace pleat {

struct SeparateOptions {
    int max_rounds = 20;
    int patience = 2; // rounds allowed without a new minimum of crossings
};

struct SeparateReport {
    bool ok = true; // nothing crosses any more
    int rounds = 0;
    std::size_t constraints = 0;
    double largest_move = 0;         // [m]
    std::vector<FaceCrossing> left;  // what still crosses
    std::vector<FaceId> moved_faces; // each with a node that moved
};

/// Changes positions only; velocities stay.
/// \param inverse_mass [1/kg]; 0 for nodes that must not move, ignored for dependent nodes
/// \param before where points of the cloth were when nothing crossed
/// \param crossings what crosses now, of find_face_crossings()
/// \param dependencies of the model: dependent nodes follow their parents
/// \pre the mesh has no dead elements.
[[nodiscard]] SeparateReport separate(const Mesh& mesh, const Field<NodeId, double>& inverse_mass,
                                      const ObstacleTree& obstacles, const MaterialMap& before,
                                      std::vector<FaceCrossing> crossings,
                                      const SeparateOptions& options, Field<NodeId, Vec3>& x,
                                      const Dependencies& dependencies = {});

/// How far [m] triangle `a` must go along the unit vector `way` to be clear of `b`; 0 where no
/// motion along it meets b.
[[nodiscard]] double exit_distance(const std::array<Vec3, 3>& a, const std::array<Vec3, 3>& b,
                                   const Vec3& way);

} // namespace pleat
