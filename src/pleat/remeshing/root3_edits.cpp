// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Notation: S is a node that was inserted in generation b, which is odd. The faces around it are of
// generation b (not flipped) or b + 1 (flipped, or at a feature edge) as long as nothing finer is
// there. A and B are the ends of a mate edge, P is what is opposite of an edge that is in three.
#include "pleat/remeshing/root3_edits.hpp"

#include "pleat/core/error.hpp"
#include "pleat/mesh/edits.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace pleat {

// --- looking ------------------------------------------------------------------------------------

EdgeId Root3Hierarchy::mate_edge(FaceId face) const
{
    const int g = face_generation_[face];
    if (g == 0) return no_edge;
    const int newest = g % 2 == 1 ? g : g - 1;
    const Mesh::Face& f = mesh_[face];
    std::size_t count = 0, sum = 0;
    for (std::size_t k = 0; k < 3; ++k)
        if (node_generation_[mesh_.node(f.verts[k])] == newest) {
            ++count;
            sum += k;
        }
    if (count == 1) return f.edges[corner_after(sum)];     // opposite of the one
    if (count == 2) return f.edges[corner_after(3 - sum)]; // opposite of the one that is not
    return no_edge;
}

bool Root3Hierarchy::is_split_at_edge(FaceId face) const
{
    const int g = face_generation_[face];
    if (g == 0 || g % 2 != 0) return false;
    int newest = 0;
    for (NodeId n : mesh_.nodes_of(face)) newest += node_generation_[n] == g - 1;
    return newest == 1;
}

bool Root3Hierarchy::is_at_most(FaceId face, EdgeId edge, int generation) const
{
    const FaceId other = across(face, edge);
    return !is_some(other) || face_generation_[other] <= generation;
}

std::optional<Root3Hierarchy::Removal> Root3Hierarchy::find_removal(NodeId node) const
{
    const int b = node_generation_[node];
    if (b <= 0) return std::nullopt;
    if (mesh_.kind(node) == NodeKind::corner || mesh_.kind(node) == NodeKind::locked)
        return std::nullopt;
    EdgeId middle = no_edge; // of an edge that is in three
    mesh_.visit_edges(node, [&](EdgeId e) {
        const auto& n = mesh_[e].nodes;
        if (node_generation_[n[0]] == b && node_generation_[n[1]] == b && is_fixed(e)) middle = e;
    });
    if (is_some(middle)) return find_edge_removal(middle);
    if (mesh_.kind(node) != NodeKind::interior) return std::nullopt;
    return find_centre_removal(node);
}

/// Takes a face back that was paired across an edge without a flip, and with it the other side.
bool Root3Hierarchy::add_unpaired(FaceId face, Removal& r) const
{
    const int g = face_generation_[face];
    const EdgeId mate = mate_edge(face);
    if (!is_fixed(mate)) return false;
    r.unmarked.push_back(mate);
    const FaceId other = across(face, mate);
    if (!is_some(other)) return true;
    if (face_generation_[other] != g || mate_edge(other) != mate) return false;
    for (EdgeId e : mesh_[other].edges)
        if (e != mate && !is_at_most(other, e, g)) return false;
    r.steps_back.push_back(other);
    return true;
}

std::optional<Root3Hierarchy::Removal> Root3Hierarchy::find_centre_removal(NodeId node) const
{
    Removal r;
    const int b = r.generation = node_generation_[node];
    r.nodes = {node};
    bool is_removable = true;
    std::vector<VertId> ring;
    mesh_.visit_faces(node, [&](FaceId f, std::size_t corner) {
        const int g = face_generation_[f];
        if (g != b && g != b + 1) return is_removable = false;
        const Mesh::Face& face = mesh_[f];
        const EdgeId rim = face.edges[corner_after(corner)];
        r.old.push_back(f);
        ring.push_back(face.verts[corner_after(corner)]);
        if (g == b) return true;
        const EdgeId mate = mate_edge(f);
        if (mate != rim) { // flipped: the other face of it is around the node too
            if (!is_some(mate)) return is_removable = false;
            if (std::find(r.flips.begin(), r.flips.end(), mate) == r.flips.end())
                r.flips.push_back(mate);
            return is_removable = is_at_most(f, rim, b + 1);
        }
        return is_removable = add_unpaired(f, r);
    });
    if (!is_removable) return std::nullopt;

    std::array<VertId, 3> coarse{};
    std::size_t corners = 0;
    const std::size_t count = ring.size();
    for (std::size_t i = 0; i < count; ++i) {
        bool is_flipped = false;
        for (EdgeId e : r.flips) {
            const auto& n = mesh_[e].nodes;
            is_flipped = is_flipped || mesh_.node(ring[i]) == (n[0] == node ? n[1] : n[0]);
        }
        if (is_flipped) {
            r.now.push_back(
                {r.old[0], {ring[(i + count - 1) % count], ring[i], ring[(i + 1) % count]}});
        } else {
            if (corners == 3) return std::nullopt;
            coarse[corners++] = ring[i];
        }
    }
    if (corners != 3) return std::nullopt;
    r.now.push_back({r.old[0], coarse});
    for (EdgeId e : r.flips)
        if (may_flip(mesh_, e) != Refusal::none) return std::nullopt;
    return r;
}

/// Goes on from the part in the middle of an edge to the part at one end of it, on one side.
/// \param face the part in the middle \param node its end
/// \param end_vert, end_edge set to the end of the whole edge, and to what joins it to
bool Root3Hierarchy::add_end(FaceId face, NodeId node, Removal& r, VertId& end_vert,
                             EdgeId& end_edge) const
{
    const int b = r.generation;
    const EdgeId middle = mate_edge(face);
    EdgeId spoke = no_edge; // (node, P)
    for (EdgeId e : mesh_[face].edges)
        if (e != middle && (mesh_[e].nodes[0] == node || mesh_[e].nodes[1] == node)) spoke = e;
    FaceId part = across(face, spoke);
    if (!is_some(part)) return false;
    const EdgeId flip = mate_edge(part);
    if (!is_some(flip)) return false;
    if (face_generation_[part] == b + 1 && is_fixed(flip)) {
        if (!add_unpaired(part, r)) return false;
    } else if (face_generation_[part] == b + 1) { // flipped
        const FaceId outer = across(part, flip);
        if (face_generation_[outer] != b + 1 || mate_edge(outer) != flip) return false;
        const std::size_t c = mesh_.corner_at(part, node), d = mesh_.corner_at(outer, node);
        if (!is_at_most(part, mesh_[part].edges[corner_after(c)], b + 1) ||
            !is_at_most(outer, mesh_[outer].edges[corner_after(d)], b + 1))
            return false;
        if (may_flip(mesh_, flip) != Refusal::none) return false;
        r.flips.push_back(flip);
        r.old.push_back(part);
        MeshEditor::NewFace left{part, mesh_[part].verts};
        // What is flipped back joins P and the end of the edge: the part has the end for the node.
        for (std::size_t k = 0; k < 3; ++k) {
            const EdgeId e = mesh_[outer].edges[k];
            const auto& n = mesh_[e].nodes;
            if (is_fixed(e) && (n[0] == node || n[1] == node))
                left.verts[c] = mesh_.node(mesh_[outer].verts[k]) == node
                                    ? mesh_[outer].verts[corner_after(k)]
                                    : mesh_[outer].verts[k];
        }
        r.now.push_back(left);
        part = outer;
    } else if (face_generation_[part] != b) {
        return false;
    }
    r.old.push_back(part);
    const Mesh::Face& f = mesh_[part];
    end_edge = no_edge;
    for (std::size_t k = 0; k < 3; ++k) {
        const EdgeId e = f.edges[k];
        const std::array<VertId, 2> ends{f.verts[k], f.verts[corner_after(k)]};
        const bool at_first = mesh_.node(ends[0]) == node, at_second = mesh_.node(ends[1]) == node;
        if (!is_fixed(e) || (!at_first && !at_second)) continue;
        end_edge = e;
        end_vert = at_first ? ends[1] : ends[0];
    }
    return is_some(end_edge);
}

std::optional<Root3Hierarchy::Removal> Root3Hierarchy::find_edge_removal(EdgeId middle) const
{
    Removal r;
    const Mesh::Edge& e = mesh_[middle];
    const int b = r.generation = node_generation_[e.nodes[0]];
    r.nodes = {e.nodes[0], e.nodes[1]};
    r.collapsed.assign(2, no_edge);
    for (std::size_t side = 0; side < (mesh_.is_border(middle) ? 1u : 2u); ++side) {
        const FaceId face = e.faces[side];
        const int g = face_generation_[face];
        if ((g != b && g != b + 1) || mate_edge(face) != middle) return std::nullopt;
        r.old.push_back(face);
        r.coarse.push_back(face);
        MeshEditor::NewFace whole{face, mesh_[face].verts};
        for (std::size_t end = 0; end < 2; ++end) {
            const NodeId node = e.nodes[end];
            VertId vert = no_vert;
            EdgeId to = no_edge;
            if (!add_end(face, node, r, vert, to)) return std::nullopt;
            if (side == 1 && to != r.collapsed[end]) return std::nullopt;
            r.collapsed[end] = to;
            whole.verts[mesh_.corner_at(face, node)] = vert;
        }
        r.now.push_back(whole);
    }
    return r;
}

std::vector<std::string> Root3Hierarchy::find_problems() const
{
    std::vector<std::string> problems;
    const auto problem = [&](FaceId f, const char* what) {
        problems.push_back("face " + std::to_string(index(f)) + " of generation " +
                           std::to_string(face_generation_[f]) + ": " + what);
    };
    for (NodeId n : mesh_.nodes())
        if (mesh_.is_alive(n) && node_generation_[n] != 0 && node_generation_[n] % 2 != 1)
            problems.push_back("node " + std::to_string(index(n)) + " of generation " +
                               std::to_string(node_generation_[n]));
    for (FaceId f : mesh_.faces()) {
        if (!mesh_.is_alive(f)) continue;
        const int g = face_generation_[f];
        if (g < 0) {
            problem(f, "there is none such");
            continue;
        }
        for (NodeId n : mesh_.nodes_of(f))
            if (node_generation_[n] > g) problem(f, "a node is newer");
        if (g > 0) {
            const EdgeId mate = mate_edge(f);
            if (!is_some(mate)) {
                problem(f, "no mate edge");
            } else {
                // A flipped edge joins the newest nodes; one that cannot be flipped does not, but
                // for the part in the middle of an edge.
                const auto& n = mesh_[mate].nodes;
                const int newest = g % 2 == 1 ? g : g - 1;
                const bool joins =
                    node_generation_[n[0]] == newest && node_generation_[n[1]] == newest;
                if (g % 2 == 0 ? !joins && !is_fixed(mate) : joins && !is_fixed(mate))
                    problem(f, "a mate edge that is none");
            }
        }
        for (EdgeId e : mesh_[f].edges)
            if (!is_at_most(f, e, g + 1)) problem(f, "a neighbour is two generations finer");
    }
    return problems;
}

// --- refinement ---------------------------------------------------------------------------------

Root3Edits::Root3Edits(MeshEditor& editor, Field<FaceId, int>& face_generation,
                       Field<NodeId, int>& node_generation, Field<EdgeId, int>& edge_unflipped,
                       std::vector<int> most)
    : editor_(editor), mesh_(editor.mesh()), face_generation_(face_generation),
      node_generation_(node_generation), edge_unflipped_(edge_unflipped),
      hierarchy_(mesh_, face_generation, node_generation, edge_unflipped), most_(std::move(most))
{}

bool Root3Edits::refine(FaceId face)
{
    if (face_generation_[face] >= most(face)) return false;
    return face_generation_[face] % 2 == 1 ? raise(face) : split(face);
}

/// [Kobbelt2000] sec. 5: an odd face goes on with the mate edge, once the other side is as far.
bool Root3Edits::raise(FaceId face)
{
    const int g = face_generation_[face];
    const EdgeId mate = hierarchy_.mate_edge(face);
    if (!is_some(mate)) return false;
    while (face_generation_[face] == g) {
        const FaceId other = hierarchy_.across(face, mate);
        if (!is_some(other) || face_generation_[other] >= g) {
            pair(face, RefusedFlip::is_marked);
            break;
        }
        if (!refine(other)) return false;
    }
    return face_generation_[face] > g;
}

bool Root3Edits::raise_neighbours(FaceId face, int generation)
{
    const std::array<EdgeId, 3> edges = mesh_[face].edges; // edits move the array of faces
    for (EdgeId e : edges)
        for (FaceId n = hierarchy_.across(face, e); is_some(n) && face_generation_[n] < generation;
             n = hierarchy_.across(face, e))
            if (!refine(n)) return false;
    return true;
}

bool Root3Edits::split(FaceId face)
{
    if (!raise_neighbours(face, face_generation_[face])) return false;
    return hierarchy_.is_split_at_edge(face) ? split_at_edge(face) : split_at_centre(face);
}

bool Root3Edits::split_at_centre(FaceId face)
{
    const int g = face_generation_[face];
    const auto s = editor_.split_face(face);
    if (!s) return false;
    node_generation_[s->new_node] = g + 1;
    const std::array<FaceId, 3> parts{s->face, s->new_faces[0], s->new_faces[1]};
    for (FaceId f : parts) face_generation_[f] = g + 1;
    for (FaceId f : parts) pair(f);
    return true;
}

bool Root3Edits::split_at_edge(FaceId face)
{
    const int g = face_generation_[face];
    const EdgeId edge = hierarchy_.mate_edge(face);
    if (const FaceId other = hierarchy_.across(face, edge); is_some(other)) {
        // Both sides of a seam came here at once.
        if (face_generation_[other] != g || hierarchy_.mate_edge(other) != edge) return false;
        if (!raise_neighbours(other, g)) return false;
    }
    const auto s = editor_.split_edge_in_three(edge);
    if (!s) return false;
    node_generation_[s->first.new_node] = node_generation_[s->second.new_node] = g + 1;
    const std::array parts{s->first.faces, s->second.faces, s->second.new_faces};
    for (const auto& sides : parts)
        for (FaceId f : sides)
            if (is_some(f)) face_generation_[f] = g + 1;
    for (const auto& sides : parts)
        for (FaceId f : sides)
            if (is_some(f)) pair(f);
    return true;
}

void Root3Edits::pair(FaceId face, RefusedFlip refused)
{
    const int g = face_generation_[face];
    if (g % 2 == 0 || g >= most(face)) return;
    const EdgeId mate = hierarchy_.mate_edge(face);
    if (!is_some(mate)) return;
    const FaceId other = hierarchy_.across(face, mate);
    if (is_some(other)) {
        if (face_generation_[other] != g || hierarchy_.mate_edge(other) != mate) return;
        if (!hierarchy_.is_fixed(mate) && !editor_.flip_edge(mate)) {
            if (refused == RefusedFlip::waits) return;
            edge_unflipped_[mate] = g;
        }
        face_generation_[other] = g + 1;
    }
    face_generation_[face] = g + 1;
}

// --- coarsening ---------------------------------------------------------------------------------

bool Root3Edits::coarsen(NodeId node)
{
    const auto r = hierarchy_.find_removal(node);
    if (!r) return false;
    return editor_.replace_faces(r->old, r->now, [&] {
        for (EdgeId e : r->flips) {
            const auto flip = editor_.flip_edge(e, EditCheck::done);
            for (FaceId f : flip->faces) face_generation_[f] = r->generation;
        }
        for (FaceId f : r->steps_back) face_generation_[f] = r->generation;
        for (EdgeId e : r->unmarked) // a mark of a coarser generation stays
            if (edge_unflipped_[e] == r->generation) edge_unflipped_[e] = 0;
        if (r->collapsed.empty()) {
            const auto join = editor_.join_faces(node);
            PLEAT_ASSERT(join.has_value(), "what was split can be joined");
            face_generation_[join->face] = r->generation - 1;
            return;
        }
        for (std::size_t end = 0; end < 2; ++end) {
            PLEAT_ASSERT(may_collapse(mesh_, r->collapsed[end], r->nodes[end]) == Refusal::none,
                         "an edge that was split can be joined");
            (void)editor_.collapse_edge(r->collapsed[end], r->nodes[end], EditCheck::done);
        }
        for (FaceId f : r->coarse) face_generation_[f] = r->generation - 1;
    });
}

} // namespace pleat
