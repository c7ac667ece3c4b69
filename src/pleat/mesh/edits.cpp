// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Idea. Every edit first checks that it is allowed, without changing anything, and then cannot
// fail. EditWorker writes each record through one function that remembers the old record in the
// undo log, so that undo restores the same bits in reverse order.
//
// Notation: an edge has nodes[0], nodes[1] and one or two faces; on side s its verts are
// verts_of(e, s). On a seam the two sides have different verts and the same nodes, so splits and
// collapses do the work once a side. Faces around a node are visited by walking across edges: a
// write that leaves an edge and its faces inconsistent in between breaks every walk after it.
#include "pleat/mesh/edits.hpp"

#include "pleat/mesh/measures.hpp"
#include "pleat/mesh/mesh_writer.hpp"

#include <algorithm>
#include <utility>

namespace pleat {

namespace {

// A new material triangle must have more than this share of its longest edge squared as area: far
// below the areas of any usable mesh, far above rounding.
constexpr double smallest_relative_area = 1e-10;

bool is_sound(const Vec2& a, const Vec2& b, const Vec2& c)
{
    const double longest2 = std::max({norm2(b - a), norm2(c - b), norm2(a - c)});
    return signed_area(a, b, c) > smallest_relative_area * longest2;
}

NodeId other_end(const Mesh::Edge& edge, NodeId node)
{
    return edge.nodes[0] == node ? edge.nodes[1] : edge.nodes[0];
}

/// Number of faces around a node, and whether they go all the way round.
struct Fan {
    std::size_t faces = 0;
    bool closed = true;
};

Fan fan_of(const Mesh& mesh, NodeId node)
{
    Fan fan;
    EdgeId last = no_edge;
    mesh.visit_faces(node, [&](FaceId face, std::size_t corner) {
        ++fan.faces;
        last = mesh[face].edges[corner_before(corner)];
    });
    fan.closed = !mesh.is_border(last);
    return fan;
}

/// Whether a node would have too few faces left if it lost one.
bool has_least_fan(const Mesh& mesh, NodeId node)
{
    constexpr std::size_t least_closed = 3, least_open = 1;
    if (mesh.kind(node) != NodeKind::interior) {
        const Fan fan = fan_of(mesh, node);
        return fan.faces <= (fan.closed ? least_closed : least_open);
    }
    std::size_t faces = 0;
    mesh.visit_faces(node, [&](FaceId, std::size_t) { return ++faces <= least_closed; });
    return faces <= least_closed;
}

} // namespace

/// Changes records of a mesh, remembering the old ones where an undo log is given.
class EditWorker {
public:
    EditWorker(Mesh& mesh, UndoLog* undo) : mesh_(mesh), out_(mesh), undo_(undo)
    {
        mark_ = {
            mesh.vert_count(), mesh.node_count(), mesh.edge_count(), mesh.face_count(), 0, 0, 0, 0};
        if (undo_ == nullptr) return;
        mark_.saved_verts = undo_->verts_.size();
        mark_.saved_nodes = undo_->nodes_.size();
        mark_.saved_edges = undo_->edges_.size();
        mark_.saved_faces = undo_->faces_.size();
        undo_->marks_.push_back(mark_);
    }

    Mesh::Vert& change(VertId id)
    {
        if (undo_ && index(id) < mark_.verts) undo_->verts_.push_back({id, mesh_[id]});
        return out_.verts()[index(id)];
    }
    Mesh::Node& change(NodeId id)
    {
        if (undo_ && index(id) < mark_.nodes) undo_->nodes_.push_back({id, mesh_[id]});
        return out_.nodes()[index(id)];
    }
    Mesh::Edge& change(EdgeId id)
    {
        if (undo_ && index(id) < mark_.edges) undo_->edges_.push_back({id, mesh_[id]});
        return out_.edges()[index(id)];
    }
    Mesh::Face& change(FaceId id)
    {
        if (undo_ && index(id) < mark_.faces) undo_->faces_.push_back({id, mesh_[id]});
        return out_.faces()[index(id)];
    }

    VertId add(const Mesh::Vert& v) { return add_to<VertId>(out_.verts(), v); }
    NodeId add(const Mesh::Node& n) { return add_to<NodeId>(out_.nodes(), n); }
    EdgeId add(const Mesh::Edge& e) { return add_to<EdgeId>(out_.edges(), e); }
    FaceId add(const Mesh::Face& f) { return add_to<FaceId>(out_.faces(), f); }

    /// Makes an edge meet `now` where it met `before`; a border edge keeps its face in front.
    void replace_face(EdgeId id, FaceId before, FaceId now)
    {
        Mesh::Edge& e = change(id);
        const std::size_t side = e.faces[0] == before ? 0 : 1;
        e.faces[side] = now;
        if (!is_some(e.faces[0])) {
            std::swap(e.faces[0], e.faces[1]);
            std::swap(e.nodes[0], e.nodes[1]);
        }
    }

    void kill(VertId id) { change(id).node = no_node; }
    void kill(NodeId id) { change(id).face = no_face; }
    void kill(EdgeId id)
    {
        Mesh::Edge& e = change(id);
        e.nodes = {no_node, no_node};
        e.faces = {no_face, no_face};
    }
    void kill(FaceId id)
    {
        Mesh::Face& f = change(id);
        f.verts = {no_vert, no_vert, no_vert};
        f.edges = {no_edge, no_edge, no_edge};
    }

    static void undo(Mesh& mesh, UndoLog& log)
    {
        PLEAT_ASSERT(!log.marks_.empty(), "there is an edit to undo");
        const MeshWriter out(mesh);
        const UndoLog::Mark mark = log.marks_.back();
        log.marks_.pop_back();
        const auto restore = [](auto& records, auto& saved, std::size_t down_to,
                                std::size_t count) {
            while (saved.size() > down_to) {
                records[index(saved.back().id)] = saved.back().record;
                saved.pop_back();
            }
            records.resize(count);
        };
        restore(out.verts(), log.verts_, mark.saved_verts, mark.verts);
        restore(out.nodes(), log.nodes_, mark.saved_nodes, mark.nodes);
        restore(out.edges(), log.edges_, mark.saved_edges, mark.edges);
        restore(out.faces(), log.faces_, mark.saved_faces, mark.faces);
    }

private:
    template <class IdT, class Record>
    IdT add_to(std::vector<Record>& records, const Record& record)
    {
        records.push_back(record);
        return make_id<IdT>(records.size() - 1);
    }

    Mesh& mesh_;
    MeshWriter out_;
    UndoLog* undo_;
    UndoLog::Mark mark_;
};

void UndoLog::clear()
{
    *this = UndoLog();
}

void undo_edit(Mesh& mesh, UndoLog& undo)
{
    EditWorker::undo(mesh, undo);
}

// --- split --------------------------------------------------------------------------------------

EdgeSplit split_edge(Mesh& mesh, EdgeId edge, double t, UndoLog* undo)
{
    PLEAT_ASSERT(mesh.is_alive(edge), "the edge is alive");
    PLEAT_ASSERT(t > 0 && t < 1, "the new node lies inside the edge");
    EditWorker work(mesh, undo);
    const Mesh::Edge old = mesh[edge];
    const bool border = mesh.is_border(edge);

    EdgeSplit r;
    r.edge = edge;
    r.t = t;
    r.parent_nodes = old.nodes;
    const NodeKind kind = border                  ? NodeKind::border
                          : mesh.is_feature(edge) ? NodeKind::seam
                                                  : NodeKind::interior;
    r.new_node = work.add(Mesh::Node{old.faces[0], kind});
    for (std::size_t side = 0; side < (border ? 1u : 2u); ++side) {
        r.parent_verts[side] = mesh.verts_of(edge, side);
        if (side == 1 && r.parent_verts[1] == r.parent_verts[0]) {
            r.new_verts[1] = r.new_verts[0];
            continue;
        }
        const Vec2 ua = mesh.u(r.parent_verts[side][0]), ub = mesh.u(r.parent_verts[side][1]);
        r.new_verts[side] = work.add(Mesh::Vert{r.new_node, (1 - t) * ua + t * ub});
    }
    r.new_edge = work.add(Mesh::Edge{{r.new_node, old.nodes[1]}, {no_face, no_face}, old.keep});

    for (std::size_t side = 0; side < (border ? 1u : 2u); ++side) {
        const FaceId face = old.faces[side];
        const Mesh::Face before = mesh[face];
        const std::size_t i = mesh.position_of(face, edge);
        const std::size_t j = corner_after(i), k = corner_before(i);
        const NodeId opposite = mesh.node(before.verts[k]);
        // The corner of the edge at b is j of the first side and i of the second.
        const std::size_t at_b = side == 0 ? j : i;
        const std::size_t at_a = side == 0 ? i : j;
        const std::size_t edge_at_b = side == 0 ? j : k; // (b, opposite)
        const std::size_t edge_at_a = side == 0 ? k : j; // (opposite, a)

        const FaceId half = work.add(before); // the half at b
        const EdgeId cross_edge =
            work.add(Mesh::Edge{{r.new_node, opposite},
                                side == 0 ? std::array{face, half} : std::array{half, face},
                                false});
        Mesh::Face& fa = work.change(face);
        fa.verts[at_b] = r.new_verts[side];
        fa.edges[edge_at_b] = cross_edge;
        Mesh::Face& fb = work.change(half);
        fb.verts[at_a] = r.new_verts[side];
        fb.edges[edge_at_a] = cross_edge;
        fb.edges[i] = r.new_edge;
        work.replace_face(before.edges[edge_at_b], face, half);
        work.change(r.new_edge).faces[side] = half;
        r.faces[side] = face;
        r.new_faces[side] = half;
        r.new_cross[side] = cross_edge;
    }
    work.change(edge).nodes[1] = r.new_node;
    const FaceId face_of_b = mesh[old.nodes[1]].face;
    if (face_of_b == old.faces[0] || face_of_b == old.faces[1])
        work.change(old.nodes[1]).face = r.new_faces[0];
    return r;
}

// --- flip ---------------------------------------------------------------------------------------

Refusal may_flip(const Mesh& mesh, EdgeId edge)
{
    if (mesh.is_feature(edge)) return Refusal::feature;
    const auto [a, b] = mesh.verts_of(edge, 0);
    const VertId c = mesh.opposite_vert(edge, 0), d = mesh.opposite_vert(edge, 1);
    if (mesh.node(c) == mesh.node(d)) return Refusal::topology;
    if (is_some(mesh.find_edge(mesh.node(c), mesh.node(d)))) return Refusal::topology;
    if (!is_sound(mesh.u(c), mesh.u(d), mesh.u(b)) || !is_sound(mesh.u(d), mesh.u(c), mesh.u(a)))
        return Refusal::inverted;
    return Refusal::none;
}

EdgeFlip flip_edge(Mesh& mesh, EdgeId edge, UndoLog* undo, EditCheck check)
{
    PLEAT_ASSERT(check == EditCheck::done || may_flip(mesh, edge) == Refusal::none,
                 "the edge may be flipped");
    EditWorker work(mesh, undo);
    // Around the quad: a -> d -> b -> c -> a; faces (a, b, c) and (b, a, d) become
    // (c, d, b) and (d, c, a).
    const Mesh::Edge old = mesh[edge];
    const FaceId f = old.faces[0], g = old.faces[1];
    const auto [a, b] = mesh.verts_of(edge, 0);
    const VertId c = mesh.opposite_vert(edge, 0), d = mesh.opposite_vert(edge, 1);
    const std::size_t i = mesh.position_of(f, edge), j = mesh.position_of(g, edge);
    const EdgeId bc = mesh[f].edges[corner_after(i)], ca = mesh[f].edges[corner_before(i)];
    const EdgeId ad = mesh[g].edges[(j + 1) % 3], db = mesh[g].edges[(j + 2) % 3];

    EdgeFlip r;
    r.edge = edge;
    r.faces = {f, g};
    r.old_area = {material_area(mesh, f), material_area(mesh, g)};

    Mesh::Face& ff = work.change(f);
    ff.verts = {c, d, b};
    ff.edges = {edge, db, bc};
    Mesh::Face& gg = work.change(g);
    gg.verts = {d, c, a};
    gg.edges = {edge, ca, ad};
    work.change(edge).nodes = {mesh.node(c), mesh.node(d)};
    work.replace_face(db, g, f);
    work.replace_face(ca, f, g);
    if (mesh[mesh.node(a)].face == f) work.change(mesh.node(a)).face = g;
    if (mesh[mesh.node(b)].face == g) work.change(mesh.node(b)).face = f;
    return r;
}

// --- collapse -----------------------------------------------------------------------------------

Refusal may_collapse(const Mesh& mesh, EdgeId edge, NodeId removed)
{
    const Mesh::Edge& e = mesh[edge];
    const NodeId kept = other_end(e, removed);
    const bool border = mesh.is_border(edge);
    switch (mesh.kind(removed)) {
    case NodeKind::interior:
        break;
    case NodeKind::border:
        if (!border) return Refusal::feature;
        break;
    case NodeKind::seam:
        if (border || !mesh.is_feature(edge)) return Refusal::feature;
        break;
    case NodeKind::corner:
    case NodeKind::locked:
        return Refusal::feature;
    }

    // Link condition: the two ends share the opposite corners of the edge's faces as neighbours,
    // and no others.
    std::array<NodeId, 2> opposite{no_node, no_node};
    for (std::size_t side = 0; side < (border ? 1u : 2u); ++side) {
        const VertId o = mesh.opposite_vert(edge, side);
        opposite[side] = mesh.node(o);
        const FaceId face = e.faces[side];
        const std::size_t i = mesh.position_of(face, edge);
        // The edge of this face at the removed node dies; it must not be a feature.
        const EdgeId at_first = mesh[face].edges[corner_before(i)]; // at verts[i]
        const EdgeId at_second = mesh[face].edges[corner_after(i)];
        const bool removed_first = mesh.node(mesh[face].verts[i]) == removed;
        if (mesh.is_feature(removed_first ? at_first : at_second)) return Refusal::topology;
        if (has_least_fan(mesh, opposite[side])) return Refusal::topology;
    }
    if (opposite[0] == opposite[1]) return Refusal::topology;
    constexpr std::size_t usual_most = 32; // neighbours; beyond, they are walked for each other one
    std::array<NodeId, usual_most> around_kept{};
    std::size_t count = 0;
    mesh.visit_edges(kept, [&](EdgeId spoke) {
        if (count < usual_most) around_kept[count] = other_end(mesh[spoke], kept);
        ++count;
    });
    bool shares_another = false;
    const auto meet = [&](NodeId n) {
        if (n == kept || n == opposite[0] || n == opposite[1]) return;
        const auto end = around_kept.begin() + std::ptrdiff_t(std::min(count, usual_most));
        shares_another =
            shares_another || (count > usual_most ? is_some(mesh.find_edge(kept, n))
                                                  : std::find(around_kept.begin(), end, n) != end);
    };

    // Material triangles that survive with the kept vert in place of the removed one.
    Refusal verdict = Refusal::none;
    std::array<std::array<VertId, 2>, 2> ends{}; // of each side: removed, kept
    for (std::size_t side = 0; side < (border ? 1u : 2u); ++side) {
        ends[side] = mesh.verts_of(edge, side);
        if (e.nodes[0] != removed) std::swap(ends[side][0], ends[side][1]);
    }
    if (border) ends[1] = ends[0];
    NodeId last = no_node; // where the fan is open, no other face meets it
    mesh.visit_faces(removed, [&](FaceId face, std::size_t corner) {
        std::array<VertId, 3> v = mesh[face].verts;
        meet(mesh.node(v[corner_after(corner)]));
        last = mesh.node(v[corner_before(corner)]);
        if (face == e.faces[0] || face == e.faces[1]) return;
        if (v[corner] == ends[0][0])
            v[corner] = ends[0][1];
        else if (v[corner] == ends[1][0])
            v[corner] = ends[1][1];
        else
            verdict = Refusal::topology; // a third panel meets the node
        if (verdict == Refusal::none && !is_sound(mesh.u(v[0]), mesh.u(v[1]), mesh.u(v[2])))
            verdict = Refusal::inverted;
    });
    meet(last);
    if (shares_another) return Refusal::topology;
    return verdict;
}

EdgeCollapse collapse_edge(Mesh& mesh, EdgeId edge, NodeId removed, UndoLog* undo, EditCheck check)
{
    PLEAT_ASSERT(check == EditCheck::done || may_collapse(mesh, edge, removed) == Refusal::none,
                 "the edge may collapse");
    EditWorker work(mesh, undo);
    const Mesh::Edge old = mesh[edge];
    const bool border = mesh.is_border(edge);
    const std::size_t sides = border ? 1 : 2;

    EdgeCollapse r;
    r.edge = edge;
    r.removed = removed;
    r.kept = other_end(old, removed);
    std::array<std::array<VertId, 2>, 2> ends{}; // of each side: removed, kept
    for (std::size_t side = 0; side < sides; ++side) {
        ends[side] = mesh.verts_of(edge, side);
        if (old.nodes[0] != removed) std::swap(ends[side][0], ends[side][1]);
    }
    if (border) ends[1] = ends[0];

    constexpr std::size_t usual_most = 12; // spokes
    std::vector<EdgeId> spokes;
    spokes.reserve(usual_most);
    r.changed_faces.reserve(usual_most);
    r.old_area.reserve(usual_most);
    EdgeId last = no_edge;
    mesh.visit_faces(removed, [&](FaceId face, std::size_t corner) {
        spokes.push_back(mesh[face].edges[corner]);
        last = mesh[face].edges[corner_before(corner)];
        if (face == old.faces[0] || face == old.faces[1]) return;
        r.changed_faces.push_back(face);
        r.old_area.push_back(material_area(mesh, face));
    });
    if (mesh.is_border(last)) spokes.push_back(last);

    std::array<FaceId, 2> neighbour{no_face, no_face}; // across the dying edge of each side
    std::array<NodeId, 2> opposite{no_node, no_node};
    for (std::size_t side = 0; side < sides; ++side) {
        const FaceId face = old.faces[side];
        const std::size_t i = mesh.position_of(face, edge);
        const bool removed_first = mesh.node(mesh[face].verts[i]) == removed;
        const EdgeId at_first = mesh[face].edges[corner_before(i)];
        const EdgeId at_second = mesh[face].edges[corner_after(i)];
        r.removed_edges[side] = removed_first ? at_first : at_second;
        r.kept_edges[side] = removed_first ? at_second : at_first;
        r.removed_faces[side] = face;
        r.removed_area[side] = material_area(mesh, face);
        const Mesh::Edge& dying = mesh[r.removed_edges[side]];
        neighbour[side] = dying.faces[0] == face ? dying.faces[1] : dying.faces[0];
        opposite[side] = mesh.node(mesh.opposite_vert(edge, side));
    }

    for (FaceId face : r.changed_faces) {
        const std::size_t corner = mesh.corner_at(face, removed);
        Mesh::Face& f = work.change(face);
        f.verts[corner] = f.verts[corner] == ends[0][0] ? ends[0][1] : ends[1][1];
    }
    for (EdgeId spoke : spokes) {
        if (spoke == edge || spoke == r.removed_edges[0] || spoke == r.removed_edges[1]) continue;
        Mesh::Edge& e = work.change(spoke);
        e.nodes[e.nodes[0] == removed ? 0 : 1] = r.kept;
    }
    for (std::size_t side = 0; side < sides; ++side) {
        const FaceId face = old.faces[side];
        work.replace_face(r.kept_edges[side], face, neighbour[side]);
        Mesh::Face& n = work.change(neighbour[side]);
        for (EdgeId& e : n.edges)
            if (e == r.removed_edges[side]) e = r.kept_edges[side];
        if (mesh[opposite[side]].face == face) work.change(opposite[side]).face = neighbour[side];
        work.kill(r.removed_edges[side]);
        work.kill(face);
    }
    const FaceId face_of_kept = mesh[r.kept].face;
    if (face_of_kept == old.faces[0] || face_of_kept == old.faces[1])
        work.change(r.kept).face = neighbour[0];
    work.kill(edge);
    work.kill(ends[0][0]);
    if (ends[1][0] != ends[0][0]) work.kill(ends[1][0]);
    work.kill(removed);
    return r;
}

// --- 1-to-3 split and 3-to-1 join
// -----------------------------------------------------------------

FaceSplit split_face(Mesh& mesh, FaceId face, UndoLog* undo)
{
    PLEAT_ASSERT(mesh.is_alive(face), "the face is alive");
    EditWorker work(mesh, undo);
    const Mesh::Face old = mesh[face];
    FaceSplit r;
    r.face = face;
    r.parent_verts = old.verts;
    r.new_node = work.add(Mesh::Node{face, NodeKind::interior});
    const Vec2 centre = (mesh.u(old.verts[0]) + mesh.u(old.verts[1]) + mesh.u(old.verts[2])) / 3.0;
    r.new_vert = work.add(Mesh::Vert{r.new_node, centre});
    r.new_faces = {work.add(old), work.add(old)};
    const std::array<FaceId, 3> part{face, r.new_faces[0], r.new_faces[1]}; // on old.edges[i]
    for (std::size_t i = 0; i < 3; ++i) {
        // The edge (corner i, centre): part i enters the corner, part i - 1 leaves it.
        r.new_edges[i] = work.add(Mesh::Edge{
            {mesh.node(old.verts[i]), r.new_node}, {part[corner_before(i)], part[i]}, false});
    }
    for (std::size_t i = 0; i < 3; ++i) {
        const std::size_t j = corner_after(i);
        Mesh::Face& f = work.change(part[i]);
        f.verts = {old.verts[i], old.verts[j], r.new_vert};
        f.edges = {old.edges[i], r.new_edges[j], r.new_edges[i]};
        if (i > 0) work.replace_face(old.edges[i], face, part[i]);
    }
    // Corner 2 is in parts 1 and 2 only; the others are in part 0.
    const NodeId last = mesh.node(old.verts[2]);
    if (mesh[last].face == face) work.change(last).face = part[2];
    return r;
}

Refusal may_join(const Mesh& mesh, NodeId node)
{
    if (mesh.kind(node) != NodeKind::interior) return Refusal::feature;
    const Fan fan = fan_of(mesh, node);
    if (fan.faces != 3 || !fan.closed) return Refusal::topology;
    std::array<FaceId, 3> across{no_face, no_face, no_face};
    std::array<Vec2, 3> u{};
    std::size_t i = 0;
    mesh.visit_faces(node, [&](FaceId face, std::size_t corner) {
        const Mesh::Edge& rim = mesh[mesh[face].edges[(corner + 1) % 3]];
        across[i] = rim.faces[0] == face ? rim.faces[1] : rim.faces[0];
        u[i++] = mesh.u(mesh[face].verts[(corner + 1) % 3]);
    });
    for (std::size_t a = 0; a < 3; ++a)
        if (is_some(across[a]) && across[a] == across[(a + 1) % 3]) return Refusal::topology;
    return is_sound(u[0], u[1], u[2]) ? Refusal::none : Refusal::inverted;
}

FaceJoin join_faces(Mesh& mesh, NodeId node, UndoLog* undo)
{
    PLEAT_ASSERT(may_join(mesh, node) == Refusal::none, "the faces may be joined");
    EditWorker work(mesh, undo);
    struct Part {
        FaceId face = no_face;
        VertId vert = no_vert; // where its rim edge starts
        EdgeId rim = no_edge;
        EdgeId spoke = no_edge; // (node, vert)
        double area = 0;
    };
    std::array<Part, 3> parts;
    std::size_t count = 0;
    VertId centre = no_vert;
    mesh.visit_faces(node, [&](FaceId face, std::size_t corner) {
        const Mesh::Face& f = mesh[face];
        centre = f.verts[corner];
        parts[count++] = {face, f.verts[(corner + 1) % 3], f.edges[(corner + 1) % 3],
                          f.edges[corner], material_area(mesh, face)};
    });
    // The oldest face survives, with its rim edge first, as split_face left it.
    std::rotate(parts.begin(),
                std::min_element(parts.begin(), parts.end(),
                                 [](const Part& a, const Part& b) { return a.face < b.face; }),
                parts.end());

    FaceJoin r;
    r.face = parts[0].face;
    r.removed_faces = {parts[1].face, parts[2].face};
    r.removed_edges = {parts[0].spoke, parts[1].spoke, parts[2].spoke};
    r.removed_node = node;
    r.removed_vert = centre;
    r.old_area = {parts[0].area, parts[1].area, parts[2].area};

    Mesh::Face& f = work.change(r.face);
    f.verts = {parts[0].vert, parts[1].vert, parts[2].vert};
    f.edges = {parts[0].rim, parts[1].rim, parts[2].rim};
    for (std::size_t i = 1; i < 3; ++i) work.replace_face(parts[i].rim, parts[i].face, r.face);
    for (const Part& p : parts) {
        const NodeId n = mesh.node(p.vert);
        if (mesh[n].face == parts[1].face || mesh[n].face == parts[2].face)
            work.change(n).face = r.face;
    }
    for (EdgeId e : r.removed_edges) work.kill(e);
    for (FaceId g : r.removed_faces) work.kill(g);
    work.kill(centre);
    work.kill(node);
    return r;
}

// --- another triangulation of a patch -----------------------------------------------------------

namespace {

/// A triangle from its smallest vert on, so that the same ones compare equal.
std::array<VertId, 3> turned(std::array<VertId, 3> v)
{
    std::rotate(v.begin(), std::min_element(v.begin(), v.end()), v.end());
    return v;
}

/// The edge of a face from one vert to the next.
struct DirectedEdge {
    std::array<VertId, 2> verts;
    EdgeId edge;
};

EdgeId find_directed(std::span<const DirectedEdge> list, VertId from, VertId to)
{
    for (const DirectedEdge& d : list)
        if (d.verts[0] == from && d.verts[1] == to) return d.edge;
    return no_edge;
}

} // namespace

Retriangulation retriangulate(Mesh& mesh, std::span<const FaceId> faces,
                              std::span<const std::array<VertId, 3>> triangles, UndoLog* undo)
{
    PLEAT_ASSERT(faces.size() == triangles.size(), "the same verts, so as many triangles");
    EditWorker work(mesh, undo);
    Retriangulation r;
    // What is there already stays.
    std::vector<std::array<VertId, 3>> now(triangles.begin(), triangles.end());
    for (FaceId f : faces) {
        const auto same = std::find_if(now.begin(), now.end(), [&](const auto& t) {
            return turned(t) == turned(mesh[f].verts);
        });
        if (same != now.end())
            now.erase(same);
        else
            r.faces.push_back(f);
    }
    if (r.faces.empty()) return r;
    const auto is_changed = [&](FaceId f) {
        return is_some(f) && std::find(r.faces.begin(), r.faces.end(), f) != r.faces.end();
    };
    std::vector<DirectedEdge> rim, inner; // inner: those that the new triangles have
    std::vector<EdgeId> spare;            // those that only the old ones have
    const auto has = [&](VertId from, VertId to) {
        return std::any_of(now.begin(), now.end(), [&](const auto& t) {
            return (t[0] == from && t[1] == to) || (t[1] == from && t[2] == to) ||
                   (t[2] == from && t[0] == to);
        });
    };
    std::vector<NodeId> nodes;
    for (FaceId f : r.faces) {
        const Mesh::Face& face = mesh[f];
        r.old_area.push_back(material_area(mesh, f));
        for (std::size_t k = 0; k < 3; ++k) {
            const EdgeId e = face.edges[k];
            const VertId from = face.verts[k], to = face.verts[corner_after(k)];
            nodes.push_back(mesh.node(from));
            const bool is_inner = is_changed(mesh[e].faces[0]) && is_changed(mesh[e].faces[1]);
            if (!is_inner)
                rim.push_back({{from, to}, e});
            else if (has(from, to))
                inner.push_back({{from, to}, e});
            else if (mesh[e].faces[0] == f)
                spare.push_back(e);
        }
    }
    std::size_t next_spare = 0;
    for (std::size_t i = 0; i < now.size(); ++i) {
        const FaceId f = r.faces[i];
        Mesh::Face face = mesh[f];
        face.verts = now[i];
        for (std::size_t k = 0; k < 3; ++k) {
            const VertId from = now[i][k], to = now[i][corner_after(k)];
            EdgeId e = find_directed(rim, from, to);
            if (is_some(e)) {
                Mesh::Edge& edge = work.change(e);
                const std::size_t side = edge.nodes[0] == mesh.node(from) ? 0 : 1;
                edge.faces[side] = f;
            } else {
                e = find_directed(inner, from, to);
                if (!is_some(e)) { // new, or made by the triangle on its other side
                    PLEAT_ASSERT(next_spare < spare.size(), "the triangles cover the same polygon");
                    e = spare[next_spare++];
                    r.edges.push_back(e);
                    work.change(e).nodes = {mesh.node(from), mesh.node(to)};
                    inner.push_back({{from, to}, e});
                    inner.push_back({{to, from}, e});
                }
                Mesh::Edge& edge = work.change(e);
                edge.faces[edge.nodes[0] == mesh.node(from) ? 0 : 1] = f;
            }
            face.edges[k] = e;
        }
        work.change(f) = face;
    }
    PLEAT_ASSERT(next_spare == spare.size(), "the triangles cover the same polygon");
    for (NodeId n : nodes)
        if (is_changed(mesh[n].face))
            for (FaceId f : r.faces) {
                const auto of = mesh.nodes_of(f);
                if (of[0] == n || of[1] == n || of[2] == n) work.change(n).face = f;
            }
    return r;
}

} // namespace pleat
