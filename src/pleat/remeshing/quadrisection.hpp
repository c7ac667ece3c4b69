// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Remeshing by quadrisection with T-vertices, refined and coarsened by a sizing.
// Based on: [Wang2002] sec. 3.
//
// An active edge (quadrisection_hierarchy.hpp) is split if it is too long by one of the metrics:
// longer than 1 in the tensors that they ask for together, or by the measure of its own that the
// metric `dihedral` has, which is the criterion of the paper. An edge that is split is joined if
// none of its children would have it split with the tolerances times `coarsening` (for `dihedral`:
// by its second cosine). One level in each remeshing.
//
// Departs from [Wang2002]:
// - Bending acts at all edges of the mesh, also at those inside a refined triangle whose parallel
//   edge is not split. The mesh is conforming, so there is nothing special about them.
// - Every join is tested for strain and for intersections (edit_safely.hpp).
// - A join conserves momentum too: the parents take what the midpoint had beyond their mean.
#pragma once

#include "pleat/remeshing/edit_safely.hpp"
#include "pleat/remeshing/quadrisection_hierarchy.hpp"
#include "pleat/remeshing/remesher.hpp"
#include "pleat/remeshing/sizing.hpp"

#include <optional>
#include <vector>

namespace pleat {

struct QuadrisectionSizing {
    std::vector<NamedSizingMetric> metrics; // in the order in which they ask; names differ
    int levels = 4;                         // at most, above the mesh file's
    double coarsening = 0.5;                // of the tolerances, for joins
    int level_difference = 0;               // see QuadrisectionLimits
};

struct QuadrisectionOptions {
    std::vector<std::optional<QuadrisectionSizing>> sizing; // by ClothId; none: keeps its mesh
    EditOptions edit; // frozen_panels and obstacles are set by the remesher
};

class RemesherQuadrisection final : public Remesher {
public:
    explicit RemesherQuadrisection(QuadrisectionOptions options);
    /// Sets the forest and the dependencies of the model. Nodes of the mesh file stay. The report
    /// has the sizing that was used.
    RemeshReport remesh(const World& world, double time, Model& model, State& state) override;

private:
    struct Wishes;
    class Sizes;
    [[nodiscard]] Wishes find_wishes(const World& world, double time, const Model& model,
                                     const State& state, const QuadHierarchy& hierarchy) const;

    QuadrisectionOptions options_;
    ObstacleTree obstacles_; // as they were at the last call: most stand still
};

} // namespace pleat
