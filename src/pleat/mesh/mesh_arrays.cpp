// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/mesh/mesh_arrays.hpp"

#include "pleat/mesh/mesh_writer.hpp"
#include "pleat/mesh/validate.hpp"

#include <algorithm>
#include <utility>

namespace pleat {

MeshArrays arrays_of(const Mesh& mesh)
{
    MeshArrays a;
    for (VertId v : mesh.verts()) a.verts.push_back(mesh[v]);
    for (NodeId n : mesh.nodes()) a.nodes.push_back(mesh[n]);
    for (EdgeId e : mesh.edges()) a.edges.push_back(mesh[e]);
    for (FaceId f : mesh.faces()) a.faces.push_back(mesh[f]);
    a.panel_count = mesh.panel_count();
    return a;
}

std::vector<std::string> find_array_problems(const MeshArrays& a)
{
    std::vector<std::string> problems;
    const auto every = [&](const auto& elements, const char* what, auto good) {
        const auto bad = std::find_if_not(elements.begin(), elements.end(), good);
        if (bad != elements.end())
            problems.push_back(std::string(what) + " " + std::to_string(bad - elements.begin()));
    };
    every(a.verts, "dead vert", [](const Mesh::Vert& v) { return is_some(v.node); });
    every(a.verts, "a material point that is not finite: vert",
          [](const Mesh::Vert& v) { return is_finite(v.u); });
    every(a.nodes, "dead node", [](const Mesh::Node& n) { return is_some(n.face); });
    every(a.nodes, "an unknown kind of node",
          [](const Mesh::Node& n) { return n.kind <= NodeKind::locked; });
    every(a.edges, "dead edge", [](const Mesh::Edge& e) { return is_some(e.nodes[0]); });
    every(a.faces, "dead face", [](const Mesh::Face& f) { return is_some(f.verts[0]); });
    if (!problems.empty()) return problems;
    return validate(mesh_of(a));
}

Mesh mesh_of(MeshArrays a)
{
    Mesh mesh;
    const MeshWriter writer(mesh);
    writer.verts() = std::move(a.verts);
    writer.nodes() = std::move(a.nodes);
    writer.edges() = std::move(a.edges);
    writer.faces() = std::move(a.faces);
    writer.panel_count() = a.panel_count;
    return mesh;
}

} // namespace pleat
