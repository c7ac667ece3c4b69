// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Notation: a triangle has the corners v0, v1, v2, the edges e0 = (v0, v1) and so on, and the
// midpoints m0, m1, m2 of these. The child at corner k is (v_k, m_k, m_{k-1}), the middle one (m0,
// m1, m2). The inner edge j joins m_{j+1} and m_{j+2}; it is parallel to e_j, and it is what
// separates the child at corner j - 1 from the middle one.
#include "pleat/remeshing/quadrisection_hierarchy.hpp"

#include "pleat/core/error.hpp"

#include <algorithm>
#include <unordered_map>
#include <utility>

namespace pleat {

namespace {

template <Id T> std::uint64_t key_of(T a, T b)
{
    return std::uint64_t{std::min(index(a), index(b))} << 32 | std::max(index(a), index(b));
}

QuadHierarchy::Triangle turned(QuadHierarchy::Triangle v)
{
    std::rotate(v.begin(), std::min_element(v.begin(), v.end()), v.end());
    return v;
}

} // namespace

QuadHierarchy::QuadHierarchy(const Mesh& mesh, const QuadForest& forest)
{
    build(mesh, forest);
    if (problem_.empty()) find_parts(mesh);
}

void QuadHierarchy::build(const Mesh& mesh, const QuadForest& forest)
{
    std::unordered_map<std::uint64_t, std::size_t> midpoint_of; // by the ends' verts
    for (std::size_t i = 0; i < forest.midpoints.size(); ++i)
        midpoint_of.emplace(key_of(forest.midpoints[i].parents[0], forest.midpoints[i].parents[1]),
                            i);
    std::unordered_map<std::uint64_t, QuadEdgeId> edge_of; // of level 0, by nodes
    base_count_ = forest.base.size();
    for (const Triangle& t : forest.base) {
        const auto f = make_id<QuadFaceId>(faces_.size());
        Face face;
        face.verts = t;
        for (std::size_t k = 0; k < 3; ++k) {
            const std::array<VertId, 2> ends{t[k], t[corner_after(k)]};
            const NodeId a = mesh.node(ends[0]), b = mesh.node(ends[1]);
            const auto [at, is_new] =
                edge_of.emplace(key_of(a, b), make_id<QuadEdgeId>(edges_.size()));
            if (is_new) edges_.push_back({.nodes = {a, b}});
            Edge& e = edges_[index(at->second)];
            const std::size_t side = e.nodes[0] == a ? 0 : 1;
            if (is_some(e.faces[side])) {
                problem_ = "an edge with two triangles on one side";
                return;
            }
            e.faces[side] = f;
            e.verts[side] = side == 0 ? ends : std::array{ends[1], ends[0]};
            face.edges[k] = at->second;
        }
        faces_.push_back(std::move(face));
    }
    std::size_t found = 0;
    // Each level follows from the one above; the arrays grow as they are walked.
    for (std::size_t first_edge = 0, first_face = 0; first_edge < edges_.size();) {
        const std::size_t last_edge = edges_.size(), last_face = faces_.size();
        for (std::size_t i = first_edge; i < last_edge; ++i) {
            Edge& e = edges_[i];
            for (std::size_t side = 0; side < 2; ++side) {
                if (!e.has_side(side)) continue;
                const auto at = midpoint_of.find(key_of(e.verts[side][0], e.verts[side][1]));
                if (at == midpoint_of.end()) continue;
                const QuadForest::Midpoint& m = forest.midpoints[at->second];
                ++found;
                e.middle = mesh.node(m.vert);
                e.middle_verts[side] = m.vert;
                e.is_split = m.is_split != 0;
                if (side == 1 && e.verts[0] == e.verts[1]) --found; // the same one again
            }
            if (!e.has_middle()) continue;
            for (std::size_t side = 0; side < 2; ++side)
                if (e.has_side(side) && !is_some(e.middle_verts[side])) {
                    problem_ = "a midpoint on one side of a seam only";
                    return;
                }
            add_halves(make_id<QuadEdgeId>(i));
        }
        for (std::size_t i = first_face; i < last_face; ++i) {
            const auto f = make_id<QuadFaceId>(i);
            if (!is_needed(f)) continue;
            for (QuadEdgeId e : (*this)[f].edges)
                if (!(*this)[e].has_middle()) {
                    problem_ = "a triangle that is refined without all its midpoints";
                    return;
                }
            add_children(f);
        }
        first_edge = last_edge;
        first_face = last_face;
    }
    if (found != midpoint_of.size()) problem_ = "midpoints of edges that there are not";
    for (QuadEdgeId e : edges())
        if ((*this)[e].has_middle() != needs_middle(e)) problem_ = "midpoints that nothing needs";
}

void QuadHierarchy::find_parts(const Mesh& mesh)
{
    struct Known {
        Triangle verts;
        FaceId face;
    };
    const auto before = [](const Known& a, const Known& b) { return a.verts < b.verts; };
    std::vector<bool> is_in(mesh.panel_count(), false);
    std::vector<bool> is_vert_in(mesh.vert_count(), false);
    for (std::size_t i = 0; i < base_count_; ++i)
        for (VertId v : faces_[i].verts) is_vert_in[index(v)] = true;
    for (FaceId f : mesh.faces())
        if (mesh.is_alive(f))
            for (VertId v : mesh[f].verts)
                if (is_vert_in[index(v)]) is_in[index(mesh.panel(f))] = true;
    std::vector<Known> known;
    for (FaceId f : mesh.faces())
        if (mesh.is_alive(f) && is_in[index(mesh.panel(f))])
            known.push_back({turned(mesh[f].verts), f});
    std::sort(known.begin(), known.end(), before);
    std::size_t found = 0;
    for (QuadFaceId f : faces()) {
        if ((*this)[f].is_refined()) continue;
        for (const Triangle& t : triangulation(mesh, f)) {
            const auto at =
                std::lower_bound(known.begin(), known.end(), Known{turned(t), no_face}, before);
            if (at == known.end() || at->verts != turned(t)) {
                problem_ = "a triangle that the mesh does not have";
                return;
            }
            (*this)[f].parts.push_back(at->face);
            ++found;
        }
    }
    if (found != known.size()) problem_ = "faces of the mesh in no triangle";
}

std::vector<QuadEdgeId> QuadHierarchy::children(QuadEdgeId id) const
{
    std::vector<QuadEdgeId> all;
    const Edge& e = (*this)[id];
    for (QuadEdgeId h : e.halves)
        if (is_some(h)) all.push_back(h);
    for (QuadFaceId f : e.faces)
        if (is_some(f) && (*this)[f].is_refined())
            all.push_back((*this)[f].inner[position_of(f, id)]);
    return all;
}

bool QuadHierarchy::is_needed(QuadFaceId id) const
{
    const auto& e = (*this)[id].edges;
    return (*this)[e[0]].is_split || (*this)[e[1]].is_split || (*this)[e[2]].is_split;
}

bool QuadHierarchy::needs_middle(QuadEdgeId id) const
{
    for (QuadFaceId f : (*this)[id].faces)
        if (is_some(f) && (*this)[f].is_refined()) return true;
    return false;
}

std::size_t QuadHierarchy::position_of(QuadFaceId face, QuadEdgeId edge) const
{
    const auto& e = (*this)[face].edges;
    const std::size_t i = e[0] == edge ? 0 : e[1] == edge ? 1 : 2;
    PLEAT_ASSERT(e[i] == edge, "the edge belongs to the triangle");
    return i;
}

QuadHierarchy::Leaf QuadHierarchy::leaf_at(QuadEdgeId edge, std::size_t side) const
{
    if (!(*this)[edge].has_side(side)) return {};
    while (!is_some((*this)[edge].faces[side])) {
        PLEAT_ASSERT((*this)[edge].is_half, "inside a triangle there are its children");
        edge = (*this)[edge].parent;
    }
    return {(*this)[edge].faces[side], edge};
}

int QuadHierarchy::depth(QuadEdgeId edge) const
{
    const Edge& e = (*this)[edge];
    return e.has_middle() ? 1 + std::max(depth(e.halves[0]), depth(e.halves[1])) : 0;
}

void QuadHierarchy::append_parts(QuadEdgeId edge, std::vector<std::array<NodeId, 2>>& parts) const
{
    const Edge& e = (*this)[edge];
    if (!e.has_middle()) {
        parts.push_back(e.nodes);
        return;
    }
    for (QuadEdgeId h : e.halves) append_parts(h, parts);
}

std::vector<QuadHierarchy::Triangle> QuadHierarchy::triangulation(const Mesh& mesh,
                                                                  QuadFaceId id) const
{
    const Face& f = (*this)[id];
    std::array<Side, 3> sides;
    for (std::size_t k = 0; k < 3; ++k)
        sides[k] = {f.edges[k], (*this)[f.edges[k]].faces[0] == id ? 0u : 1u};
    std::vector<Triangle> out;
    cut(mesh, f.verts, sides, out);
    return out;
}

void QuadHierarchy::cut(const Mesh& mesh, const Triangle& v, const std::array<Side, 3>& s,
                        std::vector<Triangle>& out) const
{
    const Side none;
    std::size_t count = 0, missing = 0, present = 0;
    for (std::size_t k = 0; k < 3; ++k) {
        count += has_middle(s[k]);
        (has_middle(s[k]) ? present : missing) = k;
    }
    if (count == 0) {
        out.push_back(v);
        return;
    }
    if (count == 3) {
        const Triangle m{middle(s[0]), middle(s[1]), middle(s[2])};
        for (std::size_t k = 0; k < 3; ++k) {
            const std::size_t b = corner_before(k);
            cut(mesh, {v[k], m[k], m[b]}, {half(s[k], v[k]), none, half(s[b], v[k])}, out);
        }
        out.push_back(m);
        return;
    }
    if (count == 1) { // from the midpoint to the corner opposite
        const std::size_t i = present, j = corner_after(i), k = corner_before(i);
        const VertId m = middle(s[i]);
        cut(mesh, {v[i], m, v[k]}, {half(s[i], v[i]), none, s[k]}, out);
        cut(mesh, {m, v[j], v[k]}, {half(s[i], v[j]), s[j], none}, out);
        return;
    }
    // Two: the corner between them, and a quad that is cut along its shorter diagonal.
    const std::size_t b = missing, c = corner_after(b), a = corner_before(b);
    // Edges: b = (v_b, v_c) whole, c = (v_c, v_a), a = (v_a, v_b).
    const VertId mc = middle(s[c]), ma = middle(s[a]);
    cut(mesh, {v[a], ma, mc}, {half(s[a], v[a]), none, half(s[c], v[a])}, out);
    const double to_b = norm2(mesh.u(mc) - mesh.u(v[b])), to_c = norm2(mesh.u(ma) - mesh.u(v[c]));
    if (to_b < to_c) {
        cut(mesh, {ma, v[b], mc}, {half(s[a], v[b]), none, none}, out);
        cut(mesh, {v[b], v[c], mc}, {s[b], half(s[c], v[c]), none}, out);
    } else {
        cut(mesh, {ma, v[b], v[c]}, {half(s[a], v[b]), s[b], none}, out);
        cut(mesh, {ma, v[c], mc}, {none, half(s[c], v[c]), none}, out);
    }
}

// --- what depends on a midpoint -----------------------------------------------------------------

void QuadHierarchy::append_dependents(QuadEdgeId edge, std::vector<Dependent>& all) const
{
    const Edge& e = (*this)[edge];
    // The edges that end at the midpoint, from the coarsest on: finer ones are halves of these.
    std::vector<QuadEdgeId> spokes(e.halves.begin(), e.halves.end());
    for (QuadFaceId f : e.faces)
        if (is_some(f) && (*this)[f].is_refined())
            for (std::size_t j = 0; j < 3; ++j)
                if ((*this)[f].edges[j] != edge) spokes.push_back((*this)[f].inner[j]);
    for (QuadEdgeId g : spokes)
        while (is_some(g) && (*this)[g].has_middle()) {
            const Edge& spoke = (*this)[g];
            if (!spoke.is_split && std::none_of(all.begin(), all.end(),
                                                [&](const Dependent& d) { return d.edge == g; })) {
                all.push_back({spoke.middle, g});
                append_dependents(g, all);
            }
            g = spoke.halves[spoke.nodes[0] == e.middle ? 0 : 1];
        }
}

std::vector<QuadHierarchy::Dependent> QuadHierarchy::dependents(QuadEdgeId edge) const
{
    std::vector<Dependent> all;
    append_dependents(edge, all);
    std::stable_sort(all.begin(), all.end(), [&](const Dependent& a, const Dependent& b) {
        return (*this)[a.edge].level < (*this)[b.edge].level;
    });
    return all;
}

// --- growing and shrinking ----------------------------------------------------------------------

void QuadHierarchy::add_halves(QuadEdgeId id)
{
    for (std::size_t end = 0; end < 2; ++end) {
        const Edge& e = (*this)[id];
        Edge h;
        h.nodes = end == 0 ? std::array{e.nodes[0], e.middle} : std::array{e.middle, e.nodes[1]};
        for (std::size_t side = 0; side < 2; ++side)
            if (e.has_side(side))
                h.verts[side] = end == 0 ? std::array{e.verts[side][0], e.middle_verts[side]}
                                         : std::array{e.middle_verts[side], e.verts[side][1]};
        h.parent = id;
        h.level = e.level + 1;
        h.is_half = true;
        (*this)[id].halves[end] = make_id<QuadEdgeId>(edges_.size());
        edges_.push_back(h);
    }
}

void QuadHierarchy::remove_halves(QuadEdgeId id)
{
    Edge& e = (*this)[id];
    for (QuadEdgeId& h : e.halves) {
        (*this)[h] = {};
        h = no_quad_edge;
    }
    e.middle = no_node;
    e.middle_verts = {no_vert, no_vert};
}

void QuadHierarchy::add_children(QuadFaceId id)
{
    const Face face = (*this)[id];
    Triangle m{};
    std::array<std::size_t, 3> side{};
    for (std::size_t k = 0; k < 3; ++k) {
        const Edge& e = (*this)[face.edges[k]];
        side[k] = e.faces[0] == id ? 0 : 1;
        m[k] = e.middle_verts[side[k]];
    }
    const auto node_of = [&](std::size_t k) { return (*this)[face.edges[k]].middle; };
    std::array<QuadEdgeId, 3> inner{};
    std::array<QuadFaceId, 4> children{};
    for (std::size_t k = 0; k < 4; ++k) children[k] = make_id<QuadFaceId>(faces_.size() + k);
    for (std::size_t j = 0; j < 3; ++j) {
        const std::size_t from = corner_after(j), to = corner_before(j);
        Edge e;
        e.nodes = {node_of(from), node_of(to)};
        e.verts[0] = e.verts[1] = {m[from], m[to]};
        e.faces = {children[3], children[corner_before(j)]};
        e.parent = face.edges[j];
        e.level = face.level + 1;
        inner[j] = make_id<QuadEdgeId>(edges_.size());
        edges_.push_back(e);
    }
    for (std::size_t k = 0; k < 3; ++k) {
        const std::size_t b = corner_before(k);
        const auto half_at = [&](std::size_t edge) {
            const Edge& e = (*this)[face.edges[edge]];
            return e.halves[e.verts[side[edge]][0] == face.verts[k] ? 0 : 1];
        };
        Face child;
        child.verts = {face.verts[k], m[k], m[b]};
        child.edges = {half_at(k), inner[corner_after(k)], half_at(b)};
        child.level = face.level + 1;
        (*this)[child.edges[0]].faces[side[k]] = children[k];
        (*this)[child.edges[2]].faces[side[b]] = children[k];
        faces_.push_back(std::move(child));
    }
    Face middle;
    middle.verts = m;
    middle.edges = {inner[2], inner[0], inner[1]};
    middle.level = face.level + 1;
    faces_.push_back(std::move(middle));
    (*this)[id].children = children;
    (*this)[id].inner = inner;
}

void QuadHierarchy::remove_children(QuadFaceId id)
{
    Face& face = (*this)[id];
    for (std::size_t k = 0; k < 3; ++k) {
        const Edge& e = (*this)[face.edges[k]];
        const std::size_t side = e.faces[0] == id ? 0 : 1;
        for (QuadEdgeId h : e.halves) (*this)[h].faces[side] = no_quad_face;
    }
    for (QuadEdgeId& e : face.inner) {
        (*this)[e] = {};
        e = {};
    }
    for (QuadFaceId& f : face.children) {
        face.parts.insert(face.parts.end(), (*this)[f].parts.begin(), (*this)[f].parts.end());
        (*this)[f] = {};
        f = no_quad_face;
    }
}

// --- storing ------------------------------------------------------------------------------------

void QuadHierarchy::append_midpoints(QuadEdgeId id, QuadForest& forest) const
{
    const Edge& e = (*this)[id];
    if (!e.has_middle()) return;
    for (std::size_t side = 0; side < 2; ++side)
        if (e.has_side(side) && !(side == 1 && e.verts[1] == e.verts[0]))
            forest.midpoints.push_back(
                {e.middle_verts[side], e.verts[side], std::uint8_t(e.is_split)});
    for (QuadEdgeId h : e.halves) append_midpoints(h, forest);
}

QuadForest QuadHierarchy::forest() const
{
    QuadForest result;
    for (std::size_t i = 0; i < base_count_; ++i) {
        result.base.push_back(faces_[i].verts);
        for (QuadEdgeId e : faces_[i].edges) {
            const bool is_first =
                is_some((*this)[e].faces[0]) ? (*this)[e].faces[0] == make_id<QuadFaceId>(i) : true;
            if (is_first) append_midpoints(e, result);
        }
        std::vector<QuadFaceId> open{make_id<QuadFaceId>(i)};
        while (!open.empty()) {
            const Face& f = (*this)[open.back()];
            open.pop_back();
            if (!f.is_refined()) continue;
            for (QuadEdgeId e : f.inner) append_midpoints(e, result);
            open.insert(open.end(), f.children.begin(), f.children.end());
        }
    }
    return result;
}

QuadForest forest_of(const Mesh& mesh, const std::vector<bool>& is_left_out)
{
    QuadForest forest;
    for (FaceId f : mesh.faces())
        if (is_left_out.empty() || !is_left_out[index(mesh.panel(f))])
            forest.base.push_back(mesh[f].verts);
    return forest;
}

} // namespace pleat
