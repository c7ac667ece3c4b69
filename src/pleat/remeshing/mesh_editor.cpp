// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/remeshing/mesh_editor.hpp"

#include "pleat/mesh/measures.hpp"
#include "pleat/mesh/reorder.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace pleat {

MeshEditor::MeshEditor(Mesh& mesh, Field<NodeId, Vec3>& x, FieldSet& fields, EditLimits limits,
                       CrossingGuard* guard)
    : mesh_(mesh), x_(x), fields_(fields), limits_(std::move(limits)), rules_(mesh, x, limits_),
      guard_(guard), faces_before_(mesh.face_count()), is_touched_(mesh.face_count(), 0)
{}

UndoLog* MeshEditor::begin_undo()
{
    if (guard_ == nullptr) return nullptr; // nothing is ever taken back
    undo_.clear();
    fields_.forget_undo();
    return &undo_;
}

void MeshEditor::touch(FaceId f)
{
    if (index(f) >= is_touched_.size())
        is_touched_.resize(std::max<std::size_t>(index(f) + 1, mesh_.face_count()), 0);
    is_touched_[index(f)] = 1;
    if (is_attempt_)
        attempted_.push_back(f); // the guard keeps the old face until the end
    else if (guard_ != nullptr)
        guard_->changed(mesh_, x_, f);
}

bool MeshEditor::allows(std::span<const FaceId> replaced, DraftContact contact)
{
    return guard_->allows(mesh_, x_, drafts_, replaced, contact);
}

std::optional<EdgeSplit> MeshEditor::split_edge(EdgeId edge, double t,
                                                const Place<EdgeSplit>& place)
{
    if (rules_.is_frozen(edge)) return std::nullopt;
    const EdgeSplit s = pleat::split_edge(mesh_, edge, t, begin_undo());
    std::array<FaceId, 4> faces{};
    std::size_t count = 0;
    for (const auto& halves : {s.faces, s.new_faces})
        for (FaceId f : halves)
            if (is_some(f)) faces[count++] = f;
    if (!place_and_keep(s, place, s.faces, std::span(faces).first(count))) return std::nullopt;
    return s;
}

std::optional<FaceSplit> MeshEditor::split_face(FaceId face, const Place<FaceSplit>& place)
{
    if (rules_.is_frozen(face)) return std::nullopt;
    const FaceSplit s = pleat::split_face(mesh_, face, begin_undo());
    const std::array<FaceId, 3> faces{s.face, s.new_faces[0], s.new_faces[1]};
    if (!place_and_keep(s, place, std::span(&s.face, 1), faces)) return std::nullopt;
    return s;
}

template <class Record>
bool MeshEditor::place_and_keep(const Record& split, const Place<Record>& place,
                                std::span<const FaceId> old_faces, std::span<const FaceId> faces)
{
    follow(split);
    Vec3& x = x_[split.new_node];
    const Vec3 start = x;
    if (place && (limits_.held == nullptr || (*limits_.held)[split.new_node] == 0)) {
        // All the way or part of it: the requested place may come from linearised strains, which
        // miss what a move out of the plane of a thin face does.
        const Vec3 move = place(split) - start;
        const auto strain = [&] {
            StrainSum sum;
            for (FaceId f : faces) sum += rules_.strain_of(f);
            return sum;
        };
        const StrainSum before = strain();
        bool is_placed = false;
        for (const double share : {1.0, 0.5, 0.25}) {
            x = start + move * share;
            is_placed = !rules_.rises(before, strain());
            if (is_placed) break;
        }
        if (!is_placed) x = start;
    }
    if (guard_ != nullptr && !is_agreed_) {
        // The new faces are not in the guard yet, the old ones still are.
        const auto is_free = [&](DraftContact contact) {
            drafts_.clear();
            for (FaceId f : faces) drafts_.push_back(face_draft(mesh_, x_, f));
            return allows(old_faces, contact);
        };
        const bool was_moved = !(x == start);
        if (!is_free(was_moved ? DraftContact::none : DraftContact::touching)) {
            x = start;
            if (!was_moved || !is_free(DraftContact::touching)) {
                // By rounding alone: the node lies on the old surface.
                undo_edit(mesh_, undo_);
                fields_.undo();
                ++counts_.refused;
                return false;
            }
            ++counts_.midpoints;
        }
    }
    ++counts_.splits;
    for (FaceId f : faces) touch(f);
    return true;
}

bool MeshEditor::may_flip(EdgeId edge) const
{
    if (rules_.is_frozen(edge) || pleat::may_flip(mesh_, edge) != Refusal::none) return false;
    const auto [f, g] = mesh_[edge].faces;
    const std::size_t at = mesh_.position_of(f, edge);
    const VertId a = mesh_[f].verts[at], b = mesh_[f].verts[corner_after(at)];
    return !rules_.flip_rises(f, g, a, b, mesh_.opposite_vert(edge, 0),
                              mesh_.opposite_vert(edge, 1));
}

std::optional<EdgeFlip> MeshEditor::flip_edge(EdgeId edge, EditCheck check)
{
    if (check == EditCheck::again && !may_flip(edge)) return std::nullopt;
    if (guard_ != nullptr && !is_agreed_) {
        const auto [a, b] = mesh_[edge].nodes;
        const NodeId c = mesh_.node(mesh_.opposite_vert(edge, 0));
        const NodeId d = mesh_.node(mesh_.opposite_vert(edge, 1));
        drafts_ = {face_draft(x_, {c, d, b}), face_draft(x_, {d, c, a})};
        if (!allows(mesh_[edge].faces, DraftContact::none)) {
            ++counts_.refused;
            return std::nullopt;
        }
    }
    const EdgeFlip flip = pleat::flip_edge(mesh_, edge, nullptr, EditCheck::done);
    follow(flip);
    ++counts_.flips;
    for (FaceId f : flip.faces) touch(f);
    return flip;
}

bool MeshEditor::is_free_around(NodeId node) const
{
    bool is_free = true;
    if (rules_.has_frozen())
        mesh_.visit_faces(
            node, [&](FaceId f, std::size_t) { is_free = is_free && !rules_.is_frozen(f); });
    return is_free;
}

bool MeshEditor::may_collapse(EdgeId edge, NodeId removed) const
{
    return is_free_around(removed) && pleat::may_collapse(mesh_, edge, removed) == Refusal::none &&
           !rules_.collapse_rises(edge, removed);
}

std::optional<EdgeCollapse> MeshEditor::collapse_edge(EdgeId edge, NodeId removed, EditCheck check)
{
    if (check == EditCheck::again && !may_collapse(edge, removed)) return std::nullopt;
    if (guard_ != nullptr && !is_agreed_) {
        const Mesh::Edge& e = mesh_[edge];
        const NodeId kept = e.nodes[0] == removed ? e.nodes[1] : e.nodes[0];
        drafts_.clear();
        replaced_.clear();
        mesh_.visit_faces(removed, [&](FaceId f, std::size_t corner) {
            replaced_.push_back(f);
            if (f == e.faces[0] || f == e.faces[1]) return;
            auto n = mesh_.nodes_of(f);
            n[corner] = kept;
            drafts_.push_back(face_draft(x_, n));
        });
        if (!allows(replaced_, DraftContact::none)) {
            ++counts_.refused;
            return std::nullopt;
        }
    }
    std::optional<EdgeCollapse> c =
        pleat::collapse_edge(mesh_, edge, removed, nullptr, EditCheck::done);
    follow(*c);
    ++counts_.collapses;
    for (FaceId f : c->changed_faces) touch(f);
    for (FaceId f : c->removed_faces)
        if (is_some(f)) touch(f);
    return c;
}

std::optional<FaceJoin> MeshEditor::join_faces(NodeId node)
{
    if (!is_free_around(node) || may_join(mesh_, node) != Refusal::none) return std::nullopt;
    std::array<VertId, 3> rim{};
    std::array<NodeId, 3> rim_nodes{};
    std::size_t count = 0;
    StrainSum before;
    replaced_.clear();
    mesh_.visit_faces(node, [&](FaceId f, std::size_t corner) {
        rim[count] = mesh_[f].verts[corner_after(corner)];
        rim_nodes[count] = mesh_.node(rim[count]);
        ++count;
        replaced_.push_back(f);
        before += rules_.strain_of(f);
    });
    const FaceId kept = *std::min_element(replaced_.begin(), replaced_.end()); // see join_faces()
    if (!is_agreed_ && rules_.rises(before, rules_.strain_of(kept, rim))) return std::nullopt;
    if (guard_ != nullptr && !is_agreed_) {
        drafts_ = {face_draft(x_, rim_nodes)};
        if (!allows(replaced_, DraftContact::none)) {
            ++counts_.refused;
            return std::nullopt;
        }
    }
    const FaceJoin join = pleat::join_faces(mesh_, node);
    follow(join);
    ++counts_.collapses;
    for (FaceId f : {join.face, join.removed_faces[0], join.removed_faces[1]}) touch(f);
    return join;
}

std::optional<MeshEditor::EdgeThirds> MeshEditor::split_edge_in_three(EdgeId edge)
{
    if (rules_.is_frozen(edge)) return std::nullopt;
    UndoLog* undo = begin_undo();
    EdgeThirds s;
    s.first = pleat::split_edge(mesh_, edge, 1.0 / 3, undo);
    follow(s.first);
    s.second = pleat::split_edge(mesh_, s.first.new_edge, 0.5, undo);
    follow(s.second);
    std::array<FaceId, 6> faces{};
    std::size_t count = 0;
    for (const auto& side : {s.first.faces, s.second.faces, s.second.new_faces})
        for (FaceId f : side)
            if (is_some(f)) faces[count++] = f;
    if (guard_ != nullptr) {
        drafts_.clear();
        for (FaceId f : std::span(faces).first(count)) drafts_.push_back(face_draft(mesh_, x_, f));
        if (!allows(s.first.faces, DraftContact::touching)) { // by rounding alone
            for (int i = 0; i < 2; ++i) {
                undo_edit(mesh_, undo_);
                fields_.undo();
            }
            ++counts_.refused;
            return std::nullopt;
        }
    }
    counts_.splits += 2;
    for (FaceId f : std::span(faces).first(count)) touch(f);
    return s;
}

bool MeshEditor::replace_faces(std::span<const FaceId> old, std::span<const NewFace> now,
                               FunctionRef<void()> edits)
{
    // Well above what the edits themselves ask of a material triangle.
    constexpr double least_relative_area = 1e-9;
    StrainSum before, after;
    for (FaceId f : old) {
        if (rules_.is_frozen(f)) return false;
        before += rules_.strain_of(f);
    }
    for (const NewFace& n : now) {
        const Vec2 a = mesh_.u(n.verts[0]), b = mesh_.u(n.verts[1]), c = mesh_.u(n.verts[2]);
        const double longest2 = std::max({norm2(b - a), norm2(c - b), norm2(a - c)});
        if (!(signed_area(a, b, c) > least_relative_area * longest2)) return false;
        after += rules_.strain_of(n.like, n.verts);
    }
    if (rules_.rises(before, after)) return false;
    if (guard_ != nullptr) {
        drafts_.clear();
        for (const NewFace& n : now)
            drafts_.push_back(face_draft(
                x_, {mesh_.node(n.verts[0]), mesh_.node(n.verts[1]), mesh_.node(n.verts[2])}));
        if (!allows(old, DraftContact::none)) {
            ++counts_.refused;
            return false;
        }
    }
    is_agreed_ = true;
    edits();
    is_agreed_ = false;
    return true;
}

void MeshEditor::retriangulate(std::span<const FaceId> faces,
                               std::span<const std::array<VertId, 3>> triangles)
{
    const Retriangulation r = pleat::retriangulate(mesh_, faces, triangles);
    if (!r.changed()) return;
    follow(r);
    counts_.flips += r.edges.size();
    for (FaceId f : r.faces) touch(f);
}

void MeshEditor::move_node(NodeId node, const Vec3& to)
{
    x_[node] = to;
    mesh_.visit_faces(node, [&](FaceId f, std::size_t) { touch(f); });
}

void MeshEditor::place_nodes(std::span<const NodeId> nodes, std::span<const Vec3> at)
{
    for (std::size_t i = 0; i < nodes.size(); ++i) x_[nodes[i]] = at[i];
}

bool MeshEditor::attempt(DraftContact contact, FunctionRef<void()> edits,
                         FunctionRef<void()> inverse)
{
    if (guard_ == nullptr) {
        is_agreed_ = true;
        edits();
        is_agreed_ = false;
        return true;
    }
    const EditCounts before = counts_;
    is_agreed_ = is_attempt_ = true;
    attempted_.clear();
    edits();
    std::sort(attempted_.begin(), attempted_.end());
    attempted_.erase(std::unique(attempted_.begin(), attempted_.end()), attempted_.end());
    drafts_.clear();
    for (FaceId f : attempted_)
        if (mesh_.is_alive(f)) drafts_.push_back(face_draft(mesh_, x_, f));
    const bool is_free = allows(attempted_, contact);
    if (!is_free) {
        inverse();
        counts_ = before;
        ++counts_.refused;
        ++counts_.bonds; // dead elements are left: finish() has something to do
    }
    is_agreed_ = is_attempt_ = false;
    for (FaceId f : attempted_) guard_->changed(mesh_, x_, f);
    return is_free;
}

std::vector<FaceId> MeshEditor::changed_before() const
{
    std::vector<FaceId> changed;
    for (std::size_t f = 0; f < faces_before_; ++f)
        if (is_touched_[f] != 0) changed.push_back(make_id<FaceId>(f));
    return changed;
}

std::vector<FaceId> MeshEditor::finish(const std::vector<std::uint32_t>& panel_group)
{
    if (!counts_.changed()) return {};
    const MeshPermutation p = reorder(mesh_, panel_group);
    fields_.permute(p);
    std::vector<FaceId> changed;
    for (std::size_t f = 0; f < is_touched_.size(); ++f)
        if (is_touched_[f] != 0) changed.push_back(make_id<FaceId>(f));
    changed = permuted(changed, p.new_face); // without the dead
    std::sort(changed.begin(), changed.end());
    return changed;
}

} // namespace pleat
