// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// The slot of sizing metrics: each tells how fine the mesh should be for one reason.
//
// A metric asks for a symmetric tensor A a face, material space [1/m^2]: edges e should have
// e^T A e <= 1. What the metrics of a cloth ask for is summed in the order of their list and then
// bounded (sizing.hpp). Metrics may then adjust the bounded sum, again in the order of their list:
// scale it, or cap it. So a metric that knows where detail matters works with any metrics that know
// where detail is.
#pragma once

#include "pleat/core/field.hpp"
#include "pleat/core/vec.hpp"
#include "pleat/model/model.hpp"
#include "pleat/model/state.hpp"
#include "pleat/model/world.hpp"

#include <memory>
#include <span>
#include <string>

namespace pleat {

class ObstacleTree; // remeshing/obstacle_tree.hpp

/// Bounds on what a cloth may be asked for, after all metrics [Narain2012] eqs. 11 to 13.
struct SizingBounds {
    double edge_min = 0.015; // [m]
    double edge_max = 0.2;   // [m]
    double aspect_min = 0.1; // shortest over longest side of a face; 1: isotropic
    bool operator==(const SizingBounds&) const = default;
};

/// What a metric may look at. The mesh has no dead elements.
struct SizingInput {
    const Model& model;
    const State& state;
    const World& world;
    double time; // [s]
    const ObstacleTree& obstacles;
    const Field<NodeId, Vec3>& normal;    // of the nodes, see node_normals()
    const SizingBounds& bounds;           // of the cloth
    std::span<const FaceId> faces;        // of the cloth
    const Field<FaceId, Mat2>& asked_yet; // sum of the metrics before this one in the list
    /// Factor on the tolerances of the metrics. A remesher that must not go back and forth asks
    /// with less than 1 for what may become coarser.
    double strictness = 1;
    /// The longest edge of each face [m], where it is not bounds.edge_max for all; may be null. The
    /// bounds of a face are then those of the cloth times longest / edge_max.
    const Field<FaceId, double>* longest = nullptr;

    [[nodiscard]] double longest_of(FaceId f) const
    {
        return longest != nullptr ? (*longest)[f] : bounds.edge_max;
    }
};

class SizingMetric {
public:
    virtual ~SizingMetric() = default;
    /// Sets asked[f] for the faces f of the input, all at once. The tensor may be negative: a
    /// metric that makes the mesh coarser takes away a share of what was asked for before it.
    virtual void ask(const SizingInput& input, Field<FaceId, Mat2>& asked) const = 0;
    /// Changes the bounded sum of all metrics for the faces of the input, all at once; the result
    /// is positive definite, and may be outside the bounds. By default nothing is changed.
    virtual void adjust(const SizingInput& /*input*/, Field<FaceId, Mat2>& /*metric*/) const {}
    /// Of a metric that judges each edge by itself: sets size[e], the size that counts instead of
    /// that in the tensors, for the edges of the faces of the input; above 1 is too long. For
    /// remeshers whose operator is the split of an edge.
    /// \return false: the metric has tensors only
    virtual bool measure_edges(const SizingInput&, Field<EdgeId, double>&) const { return false; }
};

/// A metric by the name that scenes, frame files and viewers give it.
struct NamedSizingMetric {
    std::string name;
    std::shared_ptr<const SizingMetric> metric;
};

} // namespace pleat
