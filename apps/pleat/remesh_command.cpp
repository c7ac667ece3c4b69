// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// The remesher alone: a surface and a sizing field in, a surface that fits it out.
#include "commands.hpp"

#include "pleat/core/error.hpp"
#include "pleat/export/obj_writer.hpp"
#include "pleat/geometry/decompose.hpp"
#include "pleat/mesh/mesh.hpp"
#include "pleat/remeshing/remesh_to_metric.hpp"
#include "pleat/scene/mesh_file.hpp"

#include <fmt/core.h>

#include <fstream>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

namespace pleat::app {

namespace {

struct RemeshArguments {
    std::string mesh, metric, output;
    double hysteresis = RemeshOptions{}.hysteresis;
    bool guard = false;
};

/// One line a material point: m11 m12 m22 [1/m^2]. Empty lines and what follows a # do not count.
std::vector<Mat2> read_metric_file(const std::string& path, std::size_t points)
{
    std::ifstream in(path);
    if (!in) throw FileError(path, "cannot be opened");
    std::vector<Mat2> tensors;
    std::vector<Problem> problems;
    std::string line;
    for (int number = 1; std::getline(in, line); ++number) {
        line = line.substr(0, line.find('#'));
        if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
        std::istringstream words(line);
        double a = 0, b = 0, c = 0;
        std::string more;
        const bool three = bool(words >> a >> b >> c) && !(words >> more);
        const Mat2 m{{a, b, b, c}};
        if (!three || !(a > 0) || !(determinant(m) > 0) || !std::isfinite(a + b + c))
            problems.push_back({path, "line " + std::to_string(number), "\"" + line + "\"",
                                "three numbers m11 m12 m22 of a positive definite tensor"});
        tensors.push_back(m);
    }
    if (problems.empty() && tensors.size() != points)
        problems.push_back({path, "", std::to_string(tensors.size()) + " tensors",
                            std::to_string(points) + ", one a material point of the mesh"});
    if (!problems.empty()) throw InputError(std::move(problems));
    return tensors;
}

/// Everything that a mesh file holds, on the mesh.
struct Surface {
    Mesh mesh;
    MetricField metric{FieldRule::interpolate};
    Field<NodeId, Vec3> x{FieldRule::interpolate}, v{FieldRule::interpolate};
    Field<NodeId, int> label{FieldRule::agree, 0};
    Field<FaceId, int> material{FieldRule::copy, 0};
    Field<EdgeId, std::optional<double>> rest_angle{FieldRule::interpolate};
    std::vector<bool> mirrored; // panels whose u[0] build_mesh negated
};

Surface surface_of(const MeshInput& input, const std::vector<Mat2>& tensors)
{
    Surface s;
    s.mesh = build_mesh(input);
    s.metric.resize(s.mesh.vert_count());
    s.mirrored.resize(s.mesh.panel_count());
    for (FaceId f : s.mesh.faces())
        for (std::size_t k = 0; k < 3; ++k) {
            const std::uint32_t point = input.face_points[index(f)][k];
            const VertId vert = s.mesh[f].verts[k];
            s.metric[vert] = tensors[point];
            if (s.mesh.u(vert) == input.material_u[point]) continue;
            s.mirrored[index(s.mesh.panel(f))] = true;
            s.metric[vert](0, 1) = s.metric[vert](1, 0) = -tensors[point](0, 1);
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

/// The surface as a mesh file holds it; what `like` did not have stays away.
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

int remesh(const RemeshArguments& a)
{
    const MeshFile file = read_mesh_file(a.mesh, MeshUse::cloth);
    for (const std::string& note : file.notes) fmt::print(stderr, "note: {}\n", note);
    if (!file.problems.empty()) throw InputError(file.problems);
    Surface s = surface_of(file.mesh, read_metric_file(a.metric, file.mesh.material_u.size()));
    const std::size_t faces_before = s.mesh.face_count();

    FieldSet fields;
    fields.add(s.x);
    fields.add(s.v);
    fields.add(s.label);
    fields.add(s.material);
    fields.add(s.rest_angle);
    RemeshOptions options;
    options.hysteresis = a.hysteresis;
    const ObstacleTree no_obstacles;
    std::optional<CrossingGuard> guard;
    if (a.guard) guard.emplace(s.mesh, s.x, no_obstacles);
    const RemeshCounts counts = remesh_to_metric(s.mesh, s.metric, s.x, fields, options, nullptr,
                                                 guard ? &*guard : nullptr);
    const MeshInput out = input_of(s, file.mesh);
    write_obj(a.output, view_as_obj(out));
    fmt::print("{}: {} faces from {}; {} splits, {} flips, {} collapses, {} refused; {:.2f} times "
               "the ideal count; {:.2f} % of the inner edges not Delaunay\n",
               a.output, s.mesh.face_count(), faces_before, counts.splits, counts.flips,
               counts.collapses, counts.refused,
               double(s.mesh.face_count()) / ideal_face_count(s.mesh, s.metric),
               100 * count_delaunay(s.mesh, s.metric).share());
    return exit_good;
}

} // namespace

Command add_remesh(CLI::App& program)
{
    auto a = std::make_shared<RemeshArguments>();
    CLI::App* verb = program.add_subcommand("remesh", "Remesh a surface to a given sizing field");
    verb->add_option("mesh", a->mesh, "A mesh file (.obj, .ply)")->required();
    verb->add_option("--metric", a->metric,
                     "A text file with one line a material point (vt) of the mesh: m11 m12 m22, "
                     "the tensor M for which edges e should have e^T M e <= 1 [1/m^2]")
        ->required();
    verb->add_option("-o,--output", a->output, "The OBJ file to write")->required();
    verb->add_option("--hysteresis", a->hysteresis, "Collapses make no edge above 1 less this")
        ->check(CLI::Range(0.0, 1.0))
        ->capture_default_str();
    verb->add_flag("--guard", a->guard, "Refuse edits that would make the surface cross itself");
    return [a] { return remesh(*a); };
}

} // namespace pleat::app
