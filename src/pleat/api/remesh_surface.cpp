// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/api/remesh_surface.hpp"

#include "pleat/core/error.hpp"
#include "pleat/mesh/mesh.hpp"
#include "pleat/remeshing/crossing_guard.hpp"
#include "pleat/remeshing/quadrisection_edits.hpp"
#include "pleat/remeshing/remesh_to_metric.hpp"
#include "pleat/remeshing/root3_edits.hpp"
#include "pleat/scene/mesh_file.hpp"

#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace pleat {

namespace {

/// Everything that a mesh file holds, on the mesh.
struct Surface {
    Mesh mesh;
    MetricField metric{FieldRule::interpolate};
    Field<NodeId, Vec3> x{FieldRule::interpolate}, v{FieldRule::interpolate};
    Field<NodeId, int> label{FieldRule::agree, 0};
    Field<FaceId, int> material{FieldRule::copy, 0};
    Field<EdgeId, std::optional<double>> rest_angle{FieldRule::interpolate};
    Field<FaceId, int> face_generation{FieldRule::copy, 0};
    Field<NodeId, int> node_generation{FieldRule::reset, 0};
    Field<EdgeId, int> edge_unflipped{FieldRule::interpolate, 0};
    std::vector<bool> mirrored; // panels whose u[0] build_mesh negated
};

/// A tensor in the axes of a mirrored panel, and back.
Mat2 mirrored(Mat2 m)
{
    m(0, 1) = m(1, 0) = -m(0, 1);
    return m;
}

Surface surface_of(const MeshInput& input, std::span<const Mat2> tensors)
{
    Surface s;
    s.mesh = build_mesh(input);
    s.metric.resize(s.mesh.vert_count());
    s.face_generation.resize(s.mesh.face_count());
    s.node_generation.resize(s.mesh.node_count());
    s.edge_unflipped.resize(s.mesh.edge_count());
    s.mirrored.resize(s.mesh.panel_count());
    for (FaceId f : s.mesh.faces())
        for (std::size_t k = 0; k < 3; ++k) {
            const std::uint32_t point = input.face_points[index(f)][k];
            const VertId vert = s.mesh[f].verts[k];
            const bool is_mirrored = s.mesh.u(vert) != input.material_u[point];
            if (is_mirrored) s.mirrored[index(s.mesh.panel(f))] = true;
            if (tensors.empty()) continue;
            s.metric[vert] = is_mirrored ? mirrored(tensors[point]) : tensors[point];
        }
    s.x.values = input.node_x;
    s.v.values = input.node_v;
    s.v.resize(s.mesh.node_count());
    s.label.values = input.node_label;
    s.label.resize(s.mesh.node_count());
    s.material.values = input.face_material;
    s.material.resize(s.mesh.face_count());
    s.rest_angle.resize(s.mesh.edge_count());
    for (const MeshInput::EdgeMark& mark : input.edge_marks) {
        const EdgeId e =
            s.mesh.find_edge(make_id<NodeId>(mark.node_a), make_id<NodeId>(mark.node_b));
        if (is_some(e)) s.rest_angle[e] = mark.rest_angle;
    }
    return s;
}

void add_fields(FieldSet& fields, Surface& s)
{
    fields.add(s.x);
    fields.add(s.v);
    fields.add(s.label);
    fields.add(s.material);
    fields.add(s.rest_angle);
}

/// The surface as a mesh file holds it, with the kinds of data that `like` has.
MeshInput input_of(const Surface& s, const MeshInput& like)
{
    MeshInput out;
    out.node_x = s.x.values;
    if (!like.node_v.empty()) out.node_v = s.v.values;
    if (!like.node_label.empty()) out.node_label = s.label.values;
    if (!like.face_material.empty()) out.face_material = s.material.values;
    out.material_u.resize(s.mesh.vert_count());
    for (FaceId f : s.mesh.faces()) {
        const auto& v = s.mesh[f].verts;
        const auto n = s.mesh.nodes_of(f);
        out.face_nodes.push_back({index(n[0]), index(n[1]), index(n[2])});
        out.face_points.push_back({index(v[0]), index(v[1]), index(v[2])});
        for (VertId w : v) {
            Vec2 u = s.mesh.u(w);
            if (s.mirrored[index(s.mesh.panel(f))]) u[0] = -u[0];
            out.material_u[index(w)] = u;
        }
    }
    for (EdgeId e : s.mesh.edges()) {
        const Mesh::Edge& edge = s.mesh[e];
        if (edge.keep || s.rest_angle[e])
            out.edge_marks.push_back(
                {index(edge.nodes[0]), index(edge.nodes[1]), s.rest_angle[e], edge.keep});
    }
    return out;
}

/// The mesh as cloth needs it: checked, with material points. \throw InputError
MeshInput as_cloth(MeshInput mesh)
{
    if (mesh.face_points.empty() && mesh.material_u.size() == mesh.node_x.size())
        mesh.face_points = mesh.face_nodes;
    MeshFile file = read_mesh_file("mesh", MeshUse::cloth, {{"mesh", std::move(mesh)}});
    if (!file.problems.empty()) throw InputError(std::move(file.problems));
    return std::move(file.mesh);
}

void require_positive(std::span<const Mat2> tensors, std::size_t points)
{
    std::vector<Problem> problems;
    if (tensors.size() != points)
        problems.push_back({"metric", "", std::to_string(tensors.size()) + " tensors",
                            std::to_string(points) + ", one a material point of the mesh"});
    for (std::size_t i = 0; i < tensors.size(); ++i) {
        const Mat2& m = tensors[i];
        if (m(0, 1) != m(1, 0) || !(m(0, 0) > 0) || !(determinant(m) > 0) ||
            !std::isfinite(m(0, 0) + m(0, 1) + m(1, 1)))
            problems.push_back({"metric", "material point " + std::to_string(i),
                                "a tensor that is not positive definite",
                                "a symmetric tensor with positive eigenvalues"});
    }
    if (!problems.empty()) throw InputError(std::move(problems));
}

RemeshedSurface remesh(const MeshInput& input, std::span<const Mat2> tensors,
                       const SurfaceMetric& metric, const SurfaceRemeshOptions& o)
{
    require_positive(tensors, input.material_u.size());
    Surface s = surface_of(input, tensors);
    FieldSet fields;
    fields.add(s.metric);
    add_fields(fields, s);
    RemeshOptions options;
    options.hysteresis = o.hysteresis;
    if (metric)
        options.metric_at = [&](const Mesh& mesh, VertId vert) {
            bool is_mirrored = false;
            mesh.visit_faces(mesh.node(vert), [&](FaceId f, std::size_t corner) {
                if (mesh[f].verts[corner] == vert) is_mirrored = s.mirrored[index(mesh.panel(f))];
            });
            const Vec2 u = mesh.u(vert);
            const Mat2 tensor = metric({is_mirrored ? -u[0] : u[0], u[1]});
            require_positive({&tensor, 1}, 1);
            return is_mirrored ? mirrored(tensor) : tensor;
        };
    const ObstacleTree no_obstacles;
    std::optional<CrossingGuard> guard;
    if (o.guard) guard.emplace(s.mesh, s.x, no_obstacles);
    RemeshedSurface result;
    const EditCounts counts =
        remesh_to_metric(s.mesh, s.metric, s.x, fields, options, {}, guard ? &*guard : nullptr);
    result.splits = counts.splits;
    result.flips = counts.flips;
    result.collapses = counts.collapses;
    result.refused = counts.refused;
    result.mesh = input_of(s, input);
    result.ideal_faces = ideal_face_count(s.mesh, s.metric);
    result.delaunay = count_delaunay(s.mesh, s.metric);
    return result;
}

} // namespace

RemeshedSurface remesh_surface(const MeshInput& mesh, std::span<const Mat2> tensors,
                               const SurfaceRemeshOptions& options)
{
    return remesh(as_cloth(mesh), tensors, nullptr, options);
}

RemeshedSurface remesh_surface(const MeshInput& mesh, const SurfaceMetric& metric,
                               const SurfaceRemeshOptions& options)
{
    const MeshInput input = as_cloth(mesh);
    std::vector<Mat2> tensors;
    for (const Vec2& u : input.material_u) tensors.push_back(metric(u));
    return remesh(input, tensors, metric, options);
}

RemeshedSurface subdivide_surface(const MeshInput& mesh, int levels)
{
    const MeshInput input = as_cloth(mesh);
    Surface s = surface_of(input, {});
    FieldSet fields(FieldUndo::none);
    add_fields(fields, s);
    fields.add(s.face_generation);
    fields.add(s.node_generation);
    fields.add(s.edge_unflipped);
    MeshEditor editor(s.mesh, s.x, fields, {});
    Root3Edits edits(editor, s.face_generation, s.node_generation, s.edge_unflipped,
                     std::vector<int>(s.mesh.panel_count(), 2 * levels));
    for (int level = 1; level <= levels; ++level)
        for (bool is_done = false; !is_done;) { // flips that are refused take a second round
            is_done = true;
            for (std::size_t i = 0; i < s.mesh.face_count(); ++i)
                if (s.face_generation.values[i] < 2 * level && edits.refine(make_id<FaceId>(i)))
                    is_done = false;
        }
    RemeshedSurface result;
    result.splits = editor.counts().splits;
    result.flips = editor.counts().flips;
    editor.finish();
    result.mesh = input_of(s, input);
    result.face_generation = s.face_generation.values;
    return result;
}

RemeshedSurface quadrisect_surface(const MeshInput& mesh, int levels)
{
    const MeshInput input = as_cloth(mesh);
    Surface s = surface_of(input, {});
    FieldSet fields(FieldUndo::none);
    add_fields(fields, s);
    fields.add(s.face_generation);
    MeshEditor editor(s.mesh, s.x, fields, {});
    QuadrisectionEdits edits(editor, QuadHierarchy(s.mesh, forest_of(s.mesh)), s.face_generation,
                             s.v, [](FaceId) { return 1.0; },
                             {std::vector<int>(s.mesh.panel_count(), levels),
                              std::vector<int>(s.mesh.panel_count(), 0)});
    for (int level = 0; level < levels; ++level)
        for (QuadEdgeId e : edits.hierarchy().edges()) // those that there are now
            if (edits.hierarchy()[e].level == level) edits.split(e);
    RemeshedSurface result;
    result.splits = editor.counts().splits;
    result.flips = editor.counts().flips;
    editor.finish();
    result.mesh = input_of(s, input);
    result.face_generation = s.face_generation.values;
    return result;
}

} // namespace pleat
