// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/mesh/validate.hpp"

#include "pleat/mesh/measures.hpp"

#include <cmath>
#include <set>

namespace pleat {

namespace {

// Relative tolerance of sums over many faces.
constexpr double sum_tolerance = 1e-12;

class Validator {
public:
    Validator(const Mesh& mesh, const ValidateOptions& options) : mesh_(mesh), options_(options) {}

    std::vector<std::string> run()
    {
        // Each check relies only on properties that earlier checks have confirmed, so arrays with
        // any content are handled safely.
        for (const auto check :
             {&Validator::check_references, &Validator::check_edges, &Validator::check_faces,
              &Validator::check_seams, &Validator::check_nodes, &Validator::check_kinds,
              &Validator::check_sums}) {
            (this->*check)();
            if (!broken_.empty()) break;
        }
        return std::move(broken_);
    }

private:
    template <class IdT> static std::string name(const char* what, IdT id)
    {
        return std::string(what) + " " + std::to_string(index(id));
    }
    void broken(std::string text)
    {
        if (broken_.size() < 20) broken_.push_back(std::move(text));
    }
    template <class IdT> bool good(IdT id, std::size_t count, const std::string& who)
    {
        if (index(id) < count && mesh_.is_alive(id)) return true;
        broken(who + " refers to a dead or missing element " + std::to_string(index(id)));
        return false;
    }

    void check_references()
    {
        for (VertId v : mesh_.verts())
            if (mesh_.is_alive(v)) good(mesh_.node(v), mesh_.node_count(), name("vert", v));
        for (NodeId n : mesh_.nodes())
            if (mesh_.is_alive(n)) good(mesh_[n].face, mesh_.face_count(), name("node", n));
        for (EdgeId e : mesh_.edges()) {
            if (!mesh_.is_alive(e)) continue;
            for (NodeId n : mesh_[e].nodes) good(n, mesh_.node_count(), name("edge", e));
            good(mesh_[e].faces[0], mesh_.face_count(), name("edge", e));
            if (!mesh_.is_border(e)) good(mesh_[e].faces[1], mesh_.face_count(), name("edge", e));
        }
        for (FaceId f : mesh_.faces()) {
            if (!mesh_.is_alive(f)) continue;
            for (VertId v : mesh_[f].verts) good(v, mesh_.vert_count(), name("face", f));
            for (EdgeId e : mesh_[f].edges) good(e, mesh_.edge_count(), name("face", f));
            if (index(mesh_.panel(f)) >= mesh_.panel_count())
                broken(name("face", f) + ": no panel");
        }
    }

    void check_edges()
    {
        std::set<std::pair<NodeId, NodeId>> seen;
        for (EdgeId e : mesh_.edges()) {
            if (!mesh_.is_alive(e)) continue;
            const auto [a, b] = mesh_[e].nodes;
            if (a == b) broken(name("edge", e) + " joins a node to itself");
            if (!seen.insert({std::min(a, b), std::max(a, b)}).second)
                broken(name("edge", e) + " joins two nodes that another edge joins");
            for (std::size_t side = 0; side < (mesh_.is_border(e) ? 1u : 2u); ++side) {
                const Mesh::Face& f = mesh_[mesh_[e].faces[side]];
                const std::size_t i = f.edges[0] == e ? 0 : f.edges[1] == e ? 1 : 2;
                if (f.edges[i] != e) {
                    broken(name("edge", e) + " is not an edge of its face");
                    continue;
                }
                const NodeId from = mesh_.node(f.verts[i]), to = mesh_.node(f.verts[(i + 1) % 3]);
                if (from != (side == 0 ? a : b) || to != (side == 0 ? b : a))
                    broken(name("edge", e) + ": its face runs the wrong way or elsewhere");
            }
        }
    }

    /// Sides of one panel point share it, or neither does.
    void check_seams()
    {
        for (EdgeId e : mesh_.edges())
            if (mesh_.is_alive(e) && !mesh_.is_border(e) && !mesh_.is_seam(e) &&
                mesh_.panel(mesh_[e].faces[0]) != mesh_.panel(mesh_[e].faces[1]))
                broken(name("edge", e) + " joins two panels but is not a seam");
    }

    void check_faces()
    {
        std::set<std::array<NodeId, 3>> seen;
        for (FaceId f : mesh_.faces()) {
            if (!mesh_.is_alive(f)) continue;
            const auto nodes = mesh_.nodes_of(f);
            if (nodes[0] == nodes[1] || nodes[1] == nodes[2] || nodes[2] == nodes[0])
                broken(name("face", f) + " has a node twice");
            for (std::size_t i = 0; i < 3; ++i) {
                const auto& e = mesh_[mesh_[f].edges[i]];
                const std::array<NodeId, 2> ends{nodes[i], nodes[(i + 1) % 3]};
                const std::array<NodeId, 2> back{ends[1], ends[0]};
                if (e.faces[0] == f ? e.nodes != ends : e.faces[1] != f || e.nodes != back)
                    broken(name("face", f) + " is not a face of its edge");
            }
            if (!(material_area(mesh_, f) > 0))
                broken(name("face", f) + " has no positive material area");
        }
    }

    /// Every corner of a live face is reached from its node by one walk, and the verts of the walk
    /// come in one stretch each.
    void check_nodes()
    {
        std::vector<std::size_t> node_corners(mesh_.node_count(), 0);
        std::vector<std::size_t> vert_corners(mesh_.vert_count(), 0);
        for (FaceId f : mesh_.faces()) {
            if (!mesh_.is_alive(f)) continue;
            for (VertId v : mesh_[f].verts) {
                ++node_corners[index(mesh_.node(v))];
                ++vert_corners[index(v)];
            }
        }
        for (VertId v : mesh_.verts())
            if (mesh_.is_alive(v) && vert_corners[index(v)] == 0)
                broken(name("vert", v) + " is in no face");
        for (NodeId n : mesh_.nodes()) {
            if (!mesh_.is_alive(n)) continue;
            const auto around = mesh_.nodes_of(mesh_[n].face);
            if (around[0] != n && around[1] != n && around[2] != n) {
                broken(name("node", n) + " is not in its face");
                continue;
            }
            std::size_t visited = 0, starts = 0, limit = node_corners[index(n)];
            bool seam_seen = false;
            VertId first = no_vert, last = no_vert;
            std::set<VertId> verts;
            mesh_.visit_faces(n, [&](FaceId f, std::size_t corner) {
                if (++visited > limit + 1) return;
                const VertId v = mesh_[f].verts[corner];
                if (!is_some(first)) first = v;
                if (v != last) {
                    ++starts;
                    verts.insert(v);
                }
                seam_seen = seam_seen || (is_some(last) && v != last);
                last = v;
            });
            if (visited != limit) broken(name("node", n) + ": its faces do not form one fan");
            // On a closed fan the walk may start amid a stretch, which then counts twice.
            if (seam_seen && first == last && starts > 1) --starts;
            if (starts != verts.size())
                broken(name("node", n) + ": the faces of a vert do not form one fan");
        }
    }

    /// Feature edges at a node fit its kind. Corners and locked nodes may have any.
    void check_kinds()
    {
        for (NodeId n : mesh_.nodes()) {
            if (!mesh_.is_alive(n)) continue;
            std::size_t borders = 0, inner = 0;
            mesh_.visit_edges(n, [&](EdgeId e) {
                if (mesh_.is_border(e))
                    ++borders;
                else if (mesh_.is_feature(e))
                    ++inner;
            });
            const NodeKind kind = mesh_.kind(n);
            const bool fits = kind == NodeKind::interior ? borders == 0 && inner == 0
                              : kind == NodeKind::border ? borders == 2 && inner == 0
                              : kind == NodeKind::seam   ? borders == 0 && inner == 2
                                                         : true;
            if (!fits) broken(name("node", n) + ": its kind does not fit its edges");
        }
    }

    void check_sums()
    {
        const auto check = [&](double have, double want, const char* what) {
            if (!(std::abs(have - want) <= sum_tolerance * std::abs(want)))
                broken(std::string(what) + " is " + std::to_string(have) + ", not " +
                       std::to_string(want));
        };
        if (options_.expected_area) check(total_area(mesh_), *options_.expected_area, "area");
        if (options_.face_density && options_.expected_mass) {
            double mass = 0;
            for (double m : node_masses(mesh_, *options_.face_density)) mass += m;
            check(mass, *options_.expected_mass, "mass");
        }
    }

    const Mesh& mesh_;
    const ValidateOptions& options_;
    std::vector<std::string> broken_;
};

} // namespace

std::vector<std::string> validate(const Mesh& mesh, const ValidateOptions& options)
{
    return Validator(mesh, options).run();
}

} // namespace pleat
