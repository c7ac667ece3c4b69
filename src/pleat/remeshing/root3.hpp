// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Remeshing by root-3 subdivision, refined and coarsened by a sizing.
// Based on: [Bender2013] sec. 5.
//
// A sizing metric asks for edges of a length; the hierarchy has generations, each shorter than the
// last by the fourth root of 3. So a face of generation g that is asked for edges h, and had the
// length h0 in generation 0, is refined where 4 log_3 (h0 / h) > g: one step of subdivision in each
// remeshing. With the metric mean_curvature this is the criterion of the paper, H > l_g.
//
// A node goes where no face around it asks for the generation that it made, with all tolerances
// times `coarsening`: the paper's second set of limits, and the one-ring of the node.
//
// Departs from [Bender2013]:
// - The coarsening limit is a fraction of the limit by which the face was refined that would come
//   back, not of the limit of the faces that would go: l_g rises with g, and a face between the two
//   would go back and forth.
// - A node is judged by its own one-ring, and finer ones first. In the paper coarsening of a face
//   takes others along that are not asked.
// - Every edit is tested for strain and for intersections (edit_safely.hpp), which the paper leaves
//   for future work. A flip that is refused is tried again in each remeshing, until something finer
//   is asked for there: then the edge is treated as an outline (root3_edits.hpp).
#pragma once

#include "pleat/remeshing/edit_safely.hpp"
#include "pleat/remeshing/remesher.hpp"
#include "pleat/remeshing/sizing.hpp"

#include <memory>
#include <optional>
#include <vector>

namespace pleat {

struct Root3Sizing {
    std::vector<NamedSizingMetric> metrics; // in the order in which they ask; names differ
    int generations = 6;                    // at most, above the mesh file's
    double coarsening = 0.5;                // of the tolerances, for nodes to go
};

struct Root3Options {
    std::vector<std::optional<Root3Sizing>> sizing; // by ClothId; none: keeps its mesh
    EditOptions edit; // frozen_panels and obstacles are set by the remesher
};

class RemesherRoot3 final : public Remesher {
public:
    explicit RemesherRoot3(Root3Options options);
    /// Nodes of the mesh file stay, and never move. The report has the sizing that was used.
    RemeshReport remesh(const World& world, double time, Model& model, State& state) override;

private:
    struct Wishes;
    [[nodiscard]] Wishes find_wishes(const World& world, double time, const Model& model,
                                     const State& state) const;

    Root3Options options_;
    ObstacleTree obstacles_;  // as they were at the last call: most stand still
    bool is_checked_ = false; // the hierarchy that the model came with
};

/// Edge length that a face would have in generation 0 [m]: that of the equilateral triangle whose
/// area is the face's times 3 for each step.
[[nodiscard]] Field<FaceId, double> base_lengths(const Model& model);

/// The generation that a face asks for, from the length that it would have in generation 0 and the
/// length that it is asked for.
[[nodiscard]] double asked_generation(double base_length, double asked_length);

} // namespace pleat
