// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// A mesh with the data that remeshing needs, and the sizing fields of the tests.
#pragma once

#include "pleat/mesh/mesh.hpp"
#include "pleat/remeshing/remesh_to_metric.hpp"

#include <cmath>
#include <functional>
#include <string>
#include <vector>

namespace pleat::test {

using MetricFunction = std::function<Mat2(const Vec2&)>;

/// The tensor that asks for edges of length `along` in the direction `angle`, `across` across [m].
[[nodiscard]] inline Mat2 tensor(double angle, double along, double across)
{
    const Vec2 d{std::cos(angle), std::sin(angle)}, n{-d[1], d[0]};
    return outer(d, d) * (1 / (along * along)) + outer(n, n) * (1 / (across * across));
}

struct NamedMetric {
    std::string name;
    MetricFunction at;
};

/// Sizing fields on the unit square, known in closed form, for edges of `scale` and above [m].
/// Lengths change by at most 15 % an edge along the layer and the ridges, 9 % where graded.
[[nodiscard]] inline std::vector<NamedMetric> analytic_metrics(double scale)
{
    const auto distance_size = [=](double d) { return scale + 0.15 * std::abs(d); };
    return {
        {"constant", [=](const Vec2&) { return tensor(0, scale, scale); }},
        {"constant, 5 to 1", [=](const Vec2&) { return tensor(0.4, 5 * scale, scale); }},
        {"graded",
         [=](const Vec2& u) { return tensor(0, scale + 0.09 * u[0], scale + 0.09 * u[0]); }},
        {"circular shear layer",
         [=](const Vec2& u) {
             const Vec2 d = u - Vec2{0.5, 0.5};
             const double across = distance_size(norm(d) - 0.3);
             // An edge along the circle leaves the layer by a sixteenth of its width, no more.
             const double along = std::sqrt(0.5 * 0.3 * across);
             return tensor(std::atan2(d[0], -d[1]), std::max(across, along), across);
         }},
        {"crossing ridges",
         [=](const Vec2& u) {
             return tensor(0, distance_size(u[0] - 0.5 - 0.2 * (u[1] - 0.5)),
                           distance_size(u[1] - 0.4));
         }},
    };
}

/// A mesh, its world positions and a sizing field.
struct Subject {
    Mesh mesh;
    Field<NodeId, Vec3> x{FieldRule::interpolate};
    MetricField metric{FieldRule::interpolate};

    explicit Subject(const MeshInput& input) : mesh(build_mesh(input))
    {
        x.values = input.node_x;
        metric.resize(mesh.vert_count());
    }
    void set_metric(const MetricFunction& at)
    {
        for (VertId v : mesh.verts()) metric[v] = at(mesh.u(v));
    }
    /// \param strain_limits of all faces; may be null.
    EditCounts remesh(const RemeshOptions& options = {}, EditLimits limits = {},
                      const StrainLimits* strain_limits = nullptr)
    {
        FieldSet fields;
        fields.add(x);
        fields.add(metric);
        Field<FaceId, MaterialId> material(mesh.face_count(), FieldRule::copy);
        if (strain_limits != nullptr) {
            fields.add(material);
            limits.strain_limits = {*strain_limits};
            limits.face_material = &material;
        }
        return remesh_to_metric(mesh, metric, x, fields, options, limits);
    }
    [[nodiscard]] double largest_size() const
    {
        double largest = 0;
        for (EdgeId e : mesh.edges())
            largest = std::max(largest, std::sqrt(edge_size2(mesh, metric, e)));
        return largest;
    }
};

} // namespace pleat::test
