// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Idea. The hierarchy says which faces a triangle should have (triangulation()). An operator adds
// or removes midpoints with the edits of the mesh, and then gives each triangle that it touched the
// faces that it should have. A midpoint is removed by a collapse along its edge; for that the
// triangles on both sides first get the faces that they will have, cut at the midpoint.
#include "pleat/remeshing/quadrisection_edits.hpp"

#include "pleat/core/error.hpp"
#include "pleat/mesh/edits.hpp"
#include "pleat/mesh/measures.hpp"

#include <algorithm>
#include <utility>

namespace pleat {

QuadrisectionEdits::QuadrisectionEdits(MeshEditor& editor, QuadHierarchy hierarchy,
                                       Field<FaceId, int>& face_level, Field<NodeId, Vec3>& v,
                                       std::function<double(FaceId)> density,
                                       QuadrisectionLimits limits)
    : editor_(editor), mesh_(editor.mesh()), hierarchy_(std::move(hierarchy)),
      face_level_(face_level), v_(v), density_(std::move(density)), limits_(std::move(limits))
{
    PLEAT_ASSERT(hierarchy_.problem().empty(), hierarchy_.problem().c_str());
}

// --- what may be done ---------------------------------------------------------------------------

bool QuadrisectionEdits::is_frozen(QuadFaceId leaf) const
{
    const auto& parts = hierarchy_[leaf].parts;
    return std::any_of(parts.begin(), parts.end(),
                       [&](FaceId f) { return editor_.rules().is_frozen(f); });
}

PanelId QuadrisectionEdits::panel_of(QuadFaceId face) const
{
    while (hierarchy_[face].is_refined()) face = hierarchy_[face].children[0];
    return mesh_.panel(hierarchy_[face].parts.front());
}

bool QuadrisectionEdits::may_split(QuadEdgeId id) const
{
    if (!hierarchy_.is_alive(id) || !hierarchy_.is_active(id)) return false;
    const QuadHierarchy::Edge& e = hierarchy_[id];
    for (QuadFaceId f : e.faces) {
        if (!is_some(f)) continue;
        if (hierarchy_[f].is_refined()) continue;
        if (e.level >= limits_.levels[index(panel_of(f))]) return false;
        if (is_frozen(f)) return false;
        for (QuadEdgeId g : hierarchy_[f].edges)
            if (!hierarchy_[g].has_middle())
                for (std::size_t side = 0; side < 2; ++side)
                    if (const auto leaf = hierarchy_.leaf_at(g, side);
                        is_some(leaf.face) && is_frozen(leaf.face))
                        return false;
    }
    return true;
}

bool QuadrisectionEdits::may_join(QuadEdgeId id) const
{
    if (!hierarchy_.is_alive(id) || !hierarchy_[id].is_split) return false;
    for (QuadEdgeId c : hierarchy_.children(id))
        if (hierarchy_[c].is_split) return false;
    const auto stays = [&](QuadFaceId face) { // refined without the edge
        const auto& edges = hierarchy_[face].edges;
        return std::any_of(edges.begin(), edges.end(),
                           [&](QuadEdgeId e) { return e != id && hierarchy_[e].is_split; });
    };
    for (QuadFaceId f : hierarchy_[id].faces) {
        if (!is_some(f)) continue;
        for (QuadFaceId c : hierarchy_[f].children)
            if (!hierarchy_[c].is_refined() && is_frozen(c)) return false;
        if (stays(f)) continue;
        for (QuadEdgeId e : hierarchy_[f].edges) {
            const auto& sides = hierarchy_[e].faces;
            const QuadFaceId other = sides[0] == f ? sides[1] : sides[0];
            if (is_some(other) && stays(other)) {
                // Its T-vertices stay on the edge of a triangle that has no children any more.
                const int most = limits_.level_difference[index(panel_of(f))];
                if (most > 0 && hierarchy_.depth(e) > most) return false;
            } else if (const auto leaf = hierarchy_.leaf_at(e, sides[0] == f ? 1 : 0);
                       is_some(leaf.face) && is_frozen(leaf.face)) {
                return false;
            }
        }
    }
    return true;
}

/// Splits coarser edges where the midpoints that a split makes would be too fine for a neighbour.
bool QuadrisectionEdits::split_coarser(QuadEdgeId id)
{
    for (std::size_t face_side = 0; face_side < 2; ++face_side) {
        const QuadFaceId f = hierarchy_[id].faces[face_side];
        if (!is_some(f) || hierarchy_[f].is_refined()) continue;
        for (std::size_t k = 0; k < 3; ++k) {
            const QuadEdgeId g = hierarchy_[f].edges[k];
            if (g == id || hierarchy_[g].has_middle()) continue;
            const std::size_t side = hierarchy_[g].faces[0] == f ? 1 : 0;
            for (auto leaf = hierarchy_.leaf_at(g, side); is_some(leaf.face);
                 leaf = hierarchy_.leaf_at(g, side)) {
                const int most = limits_.level_difference[index(panel_of(leaf.face))];
                if (most == 0 || hierarchy_[g].level + 1 - hierarchy_[leaf.edge].level <= most)
                    break;
                if (!force_split(leaf.edge)) return false;
            }
        }
    }
    return true;
}

bool QuadrisectionEdits::force_split(QuadEdgeId id)
{
    const QuadEdgeId parent = hierarchy_[id].parent;
    if (is_some(parent) && !hierarchy_[parent].is_split && !force_split(parent)) return false;
    return hierarchy_[id].is_split || split(id);
}

// --- split --------------------------------------------------------------------------------------

bool QuadrisectionEdits::split(QuadEdgeId id)
{
    if (!may_split(id) || !split_coarser(id) || !may_split(id)) return false;
    return editor_.attempt(
        DraftContact::touching, [&] { do_split(id); }, [&] { do_join(id); });
}

void QuadrisectionEdits::do_split(QuadEdgeId id)
{
    for (std::size_t side = 0; side < 2; ++side)
        if (const QuadFaceId f = hierarchy_[id].faces[side];
            is_some(f) && !hierarchy_[f].is_refined())
            refine(f);
    hierarchy_[id].is_split = true;
    editor_.count_bond();
    for (QuadFaceId f : std::exchange(loose_, {}))
        if (hierarchy_.is_alive(f) && !hierarchy_[f].is_refined()) arrange(f);
}

void QuadrisectionEdits::refine(QuadFaceId id)
{
    const auto edges = hierarchy_[id].edges;
    for (QuadEdgeId e : edges)
        if (!hierarchy_[e].has_middle()) make_middle(e);
    hierarchy_.add_children(id);
    const auto children = hierarchy_[id].children;
    std::vector<QuadHierarchy::Triangle> all;
    std::array<std::size_t, 4> counts{};
    for (std::size_t k = 0; k < 4; ++k) {
        const auto triangles = hierarchy_.triangulation(mesh_, children[k]);
        counts[k] = triangles.size();
        all.insert(all.end(), triangles.begin(), triangles.end());
    }
    std::vector<FaceId> parts = std::exchange(hierarchy_[id].parts, {});
    editor_.retriangulate(parts, all);
    // Which face became which triangle: the editor keeps those that were there already.
    for (std::size_t k = 0, first = 0; k < 4; first += counts[k++]) {
        std::vector<FaceId> own;
        for (std::size_t i = first; i < first + counts[k]; ++i) {
            const auto at = std::find_if(parts.begin(), parts.end(), [&](FaceId f) {
                auto v = mesh_[f].verts;
                std::rotate(v.begin(), std::find(v.begin(), v.end(), all[i][0]), v.end());
                return v == all[i];
            });
            PLEAT_ASSERT(at != parts.end(), "the patch has these triangles now");
            own.push_back(*at);
        }
        set_parts(children[k], std::move(own));
    }
}

void QuadrisectionEdits::make_middle(QuadEdgeId id)
{
    const EdgeId edge = mesh_.find_edge(hierarchy_[id].nodes[0], hierarchy_[id].nodes[1]);
    PLEAT_ASSERT(is_some(edge), "an edge without a midpoint is one of the mesh");
    const auto s = editor_.split_edge(edge);
    PLEAT_ASSERT(s.has_value(), "nothing at the edge is frozen");
    QuadHierarchy::Edge& e = hierarchy_[id];
    e.middle = s->new_node;
    for (std::size_t side = 0; side < 2; ++side) {
        if (!e.has_side(side)) continue;
        for (std::size_t other = 0; other < 2; ++other) {
            if (!is_some(s->new_verts[other])) continue;
            const auto& p = s->parent_verts[other];
            if (p == e.verts[side] || (p[1] == e.verts[side][0] && p[0] == e.verts[side][1]))
                e.middle_verts[side] = s->new_verts[other];
        }
        PLEAT_ASSERT(is_some(e.middle_verts[side]), "both sides of a seam are split");
    }
    for (std::size_t side = 0; side < 2; ++side) {
        const QuadFaceId leaf = hierarchy_.leaf_at(id, side).face;
        if (!is_some(leaf)) continue;
        auto& parts = hierarchy_[leaf].parts;
        for (std::size_t half = 0; half < 2; ++half)
            if (is_some(s->faces[half]) &&
                std::find(parts.begin(), parts.end(), s->faces[half]) != parts.end()) {
                parts.push_back(s->new_faces[half]);
                break;
            }
        loose_.push_back(leaf);
    }
    hierarchy_.add_halves(id);
}

void QuadrisectionEdits::arrange(QuadFaceId leaf)
{
    editor_.retriangulate(hierarchy_[leaf].parts, hierarchy_.triangulation(mesh_, leaf));
    set_parts(leaf, std::move(hierarchy_[leaf].parts));
}

void QuadrisectionEdits::set_parts(QuadFaceId leaf, std::vector<FaceId> parts)
{
    for (FaceId f : parts) face_level_[f] = hierarchy_[leaf].level;
    hierarchy_[leaf].parts = std::move(parts);
}

// --- join ---------------------------------------------------------------------------------------

QuadrisectionEdits::Moves QuadrisectionEdits::find_moves(QuadEdgeId id) const
{
    Moves m;
    const QuadHierarchy::Edge& e = hierarchy_[id];
    m.parents = e.nodes;
    std::vector<double> weight; // of the midpoint in what depends on it
    const auto place = [&](NodeId n) {
        const auto at = std::find(m.nodes.begin(), m.nodes.end(), n);
        return at == m.nodes.end() ? no_id<NodeId> : make_id<NodeId>(at - m.nodes.begin());
    };
    const auto add = [&](NodeId node, const std::array<NodeId, 2>& ends) {
        Vec3 x{}, v{};
        double w = 0;
        for (NodeId end : ends) {
            const NodeId at = place(end);
            x += 0.5 * (is_some(at) ? m.new_x[index(at)] : editor_.x()[end]);
            v += 0.5 * (is_some(at) ? m.new_v[index(at)] : v_[end]);
            w += is_some(at) ? 0.5 * weight[index(at)] : 0;
        }
        m.nodes.push_back(node);
        m.old_x.push_back(editor_.x()[node]);
        m.old_v.push_back(v_[node]);
        m.new_x.push_back(x);
        m.new_v.push_back(v);
        weight.push_back(w);
    };
    add(e.middle, e.nodes);
    weight[0] = 1;
    for (const QuadHierarchy::Dependent& d : hierarchy_.dependents(id))
        add(d.node, hierarchy_[d.edge].nodes);
    // The mass that moves with the midpoint: its own, and its share of what depends on it.
    double mass = 0;
    for (std::size_t i = 0; i < m.nodes.size(); ++i)
        mesh_.visit_faces(m.nodes[i], [&](FaceId f, std::size_t) {
            mass += weight[i] * density_(f) * material_area(mesh_, f) / 3;
        });
    m.impulse = 0.5 * mass * (m.old_v[0] - m.new_v[0]);
    return m;
}

/// Whether the faces around what moves are frozen, or would be strained more than they may be.
bool QuadrisectionEdits::forbids(const Moves& moves)
{
    std::vector<FaceId> faces;
    for (NodeId n : moves.nodes)
        mesh_.visit_faces(n, [&](FaceId f, std::size_t) { faces.push_back(f); });
    std::sort(faces.begin(), faces.end());
    faces.erase(std::unique(faces.begin(), faces.end()), faces.end());
    for (FaceId f : faces)
        if (editor_.rules().is_frozen(f)) return true;
    const auto strain = [&] {
        StrainSum sum;
        for (FaceId f : faces) sum += editor_.rules().strain_of(f);
        return sum;
    };
    const StrainSum before = strain();
    editor_.place_nodes(moves.nodes, moves.new_x);
    const StrainSum after = strain();
    editor_.place_nodes(moves.nodes, moves.old_x);
    return editor_.rules().rises(before, after);
}

Vec3& QuadrisectionEdits::impulse(NodeId node)
{
    if (index(node) >= impulses_.size()) impulses_.resize(mesh_.node_count());
    return impulses_[index(node)];
}

bool QuadrisectionEdits::join(QuadEdgeId id)
{
    if (!may_join(id)) return false;
    const Moves m = find_moves(id);
    if (forbids(m)) return false;
    const auto put = [&](NodeId first, const std::vector<Vec3>& x, const std::vector<Vec3>& v) {
        for (std::size_t i = 0; i < m.nodes.size(); ++i) {
            const NodeId n = i == 0 ? first : m.nodes[i];
            if (!(m.new_x[i] == m.old_x[i])) editor_.move_node(n, x[i]);
            v_[n] = v[i];
        }
    };
    const NodeId middle = m.nodes[0];
    if (!editor_.attempt(
            DraftContact::none, [&] { put(middle, m.new_x, m.new_v); },
            [&] { put(middle, m.old_x, m.old_v); }))
        return false;
    const std::vector<Vec3> impulses = editor_.is_guarded() ? impulses_ : std::vector<Vec3>();
    const Vec3 left = std::exchange(impulse(middle), Vec3{});
    for (NodeId p : m.parents) impulse(p) += m.impulse + 0.5 * left;
    // Nothing moves any more: what is refused now is refused by rounding.
    if (editor_.attempt(
            DraftContact::touching, [&] { do_join(id); }, [&] { do_split(id); }))
        return true;
    const NodeId now = hierarchy_[id].middle; // may have got another id
    editor_.attempt(
        DraftContact::touching, [&] { put(now, m.old_x, m.old_v); }, [] {});
    impulses_ = impulses;
    if (now != middle) impulse(now) = std::exchange(impulse(middle), Vec3{});
    return false;
}

void QuadrisectionEdits::do_join(QuadEdgeId id)
{
    hierarchy_[id].is_split = false;
    editor_.count_bond();
    for (std::size_t side = 0; side < 2; ++side)
        if (const QuadFaceId f = hierarchy_[id].faces[side];
            is_some(f) && hierarchy_[f].is_refined() && !hierarchy_.is_needed(f))
            coarsen(f);
}

void QuadrisectionEdits::coarsen(QuadFaceId id)
{
    hierarchy_.remove_children(id); // it has their faces now
    const auto edges = hierarchy_[id].edges;
    for (QuadEdgeId e : edges)
        if (!hierarchy_.needs_middle(e)) remove_middle(e);
    arrange(id);
}

void QuadrisectionEdits::remove_middle(QuadEdgeId id)
{
    const QuadHierarchy::Edge old = hierarchy_[id];
    hierarchy_.remove_halves(id);
    const Vec3 left = std::exchange(impulse(old.middle), Vec3{});
    for (NodeId n : old.nodes) impulse(n) += 0.5 * left;
    std::array<QuadFaceId, 2> leaves{no_quad_face, no_quad_face};
    for (std::size_t side = 0; side < 2; ++side) {
        leaves[side] = hierarchy_.leaf_at(id, side).face;
        if (!is_some(leaves[side])) continue;
        // The faces that will be there, the one at the edge cut at its midpoint.
        auto triangles = hierarchy_.triangulation(mesh_, leaves[side]);
        const VertId from = old.verts[side][side], to = old.verts[side][1 - side];
        for (std::size_t i = 0; i < triangles.size(); ++i) {
            QuadHierarchy::Triangle& t = triangles[i];
            const std::size_t k = std::size_t(std::find(t.begin(), t.end(), from) - t.begin());
            if (k == 3 || t[corner_after(k)] != to) continue;
            QuadHierarchy::Triangle other = t;
            t[corner_after(k)] = old.middle_verts[side];
            other[k] = old.middle_verts[side];
            triangles.push_back(other);
            break;
        }
        editor_.retriangulate(hierarchy_[leaves[side]].parts, triangles);
    }
    const EdgeId edge = mesh_.find_edge(old.nodes[0], old.middle);
    PLEAT_ASSERT(is_some(edge), "the halves are edges of the mesh");
    const auto c = editor_.collapse_edge(edge, old.middle, EditCheck::done);
    for (QuadFaceId leaf : leaves)
        if (is_some(leaf)) {
            auto& parts = hierarchy_[leaf].parts;
            std::erase_if(parts, [&](FaceId f) {
                return f == c->removed_faces[0] || f == c->removed_faces[1];
            });
            set_parts(leaf, std::move(parts));
        }
}

// --- at the end ---------------------------------------------------------------------------------

Dependencies QuadrisectionEdits::dependencies(const Dependencies& others) const
{
    std::vector<Dependency> list;
    std::vector<bool> is_here(mesh_.node_count(), false);
    for (QuadEdgeId id : hierarchy_.edges()) {
        if (!hierarchy_.is_alive(id) || !hierarchy_[id].has_middle()) continue;
        const QuadHierarchy::Edge& e = hierarchy_[id];
        is_here[index(e.middle)] = true;
        if (!e.is_split)
            list.push_back({index(e.middle), {{index(e.nodes[0]), 0.5}, {index(e.nodes[1]), 0.5}}});
    }
    for (NodeId n : mesh_.nodes())
        if (mesh_.is_alive(n) && !is_here[index(n)])
            if (const auto parents = others.of(index(n)); !parents.empty())
                list.push_back({index(n), {parents.begin(), parents.end()}});
    // The order decides on the last bits, and must not depend on what led here.
    std::sort(list.begin(), list.end(),
              [](const Dependency& a, const Dependency& b) { return a.row < b.row; });
    return make_dependencies(mesh_.node_count(), list);
}

void QuadrisectionEdits::apply_impulses(const Dependencies& dependencies)
{
    if (impulses_.empty()) return;
    impulses_.resize(mesh_.node_count());
    std::vector<double> mass(mesh_.node_count(), 0);
    for (FaceId f : mesh_.faces())
        if (mesh_.is_alive(f))
            for (NodeId n : mesh_.nodes_of(f))
                mass[index(n)] += density_(f) * material_area(mesh_, f) / 3;
    fold(dependencies, std::span<double>(mass));
    fold(dependencies, std::span<Vec3>(impulses_));
    for (NodeId n : mesh_.nodes())
        if (mesh_.is_alive(n) && mass[index(n)] > 0) v_[n] += impulses_[index(n)] / mass[index(n)];
    impulses_.clear();
}

} // namespace pleat
