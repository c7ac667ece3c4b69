// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/remeshing/remesh_to_metric.hpp"

#include "pleat/core/error.hpp"
#include "pleat/core/parallel.hpp"
#include "pleat/remeshing/fit_check.hpp"
#include "pleat/remeshing/node_normals.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <optional>
#include <span>
#include <utility>

namespace pleat {

namespace {

// Rounds of splits begin with the longest edges, which gives the best shapes; from round to round
// squared sizes down to this share of the last bound are taken in. The bound falls whatever comes
// up, so that no edge waits for ever.
constexpr double next_round = 0.92;

// Nodes that one thread looks at as soon as two.
constexpr std::size_t few_nodes = 64;

// Nodes that a thread looks at ahead in one go.
constexpr std::size_t ahead_at_once = 256;

// Faces that TouchedFaces::on_touch is told of in one call.
constexpr std::size_t touched_at_once = 128;

// Edits between two clearings of what undo would need: bounds the memory, costs nothing.
constexpr std::size_t undo_span = 1024;

/// Least squares in three unknowns: rows a . d + r, weighted 1.
struct Normal3 {
    Mat3 a{};
    Vec3 b{};
    void add(const Vec3& row, double residual)
    {
        a += outer(row, row);
        b += row * residual;
    }
};

/// A first-in-first-out list of ids that holds none twice.
template <class IdT> class Queue {
public:
    void push(IdT id)
    {
        if (index(id) >= is_in_.size()) [[unlikely]]
            is_in_.resize(std::max<std::size_t>(64, 2 * index(id) + 1));
        if (std::exchange(is_in_[index(id)], 1) == 0) ids_.push_back(id);
    }
    [[nodiscard]] bool empty() const { return head_ == ids_.size(); }
    /// What is in it, the first in front.
    [[nodiscard]] std::span<const IdT> waiting() const
    {
        return std::span<const IdT>(ids_).subspan(head_);
    }
    IdT pop()
    {
        const IdT id = ids_[head_++];
        is_in_[index(id)] = 0;
        if (head_ == ids_.size()) {
            ids_.clear();
            head_ = 0;
        }
        return id;
    }

private:
    std::vector<IdT> ids_;
    std::vector<std::uint8_t> is_in_;
    std::size_t head_ = 0;
};

class MetricRemesher {
public:
    MetricRemesher(Mesh& mesh, MetricField& metric, Field<NodeId, Vec3>& x, FieldSet& fields,
                   const RemeshOptions& options, const Field<NodeId, std::uint64_t>* held,
                   CrossingGuard* guard, TouchedFaces* touched)
        : mesh_(mesh), metric_(metric), x_(x), fields_(fields), options_(options), held_(held),
          guard_(guard), touched_(touched), face_count_(mesh.face_count()),
          is_touched_(mesh.face_count(), 0), is_turned_(mesh.node_count(), 0),
          fit_(mesh, metric, x, options.face_material, options),
          own_(guard != nullptr ? FieldUndo::kept : FieldUndo::none)
    {
        own_.add(metric_);
    }

    RemeshCounts run()
    {
        split_edges();
        collapse_edges();
        tell_touched();
        if (!counts_.changed()) return counts_;
        std::vector<FaceId> changed;
        for (std::size_t f = 0; f < is_touched_.size(); ++f)
            if (is_touched_[f] != 0 && mesh_.is_alive(make_id<FaceId>(f)))
                changed.push_back(make_id<FaceId>(f));
        MeshPermutation p;
        parallel_do({[&] { p = order_of(mesh_, options_.panel_group); },
                     [&] {
                         if (touched_ != nullptr && touched_->on_edited)
                             touched_->on_edited(changed);
                     }});
        parallel_do({[&] { permute(mesh_, p); }, [&] { fields_.permute(p); },
                     [&] { own_.permute(p); },
                     [&] {
                         if (touched_ == nullptr) return;
                         touched_->after = permuted(changed, p.new_face);
                         std::sort(touched_->after.begin(), touched_->after.end());
                     }});
        return counts_;
    }

private:
    // --- shared ---------------------------------------------------------------------------------

    /// To be called for each face that an edit made, changed or removed.
    void touch(FaceId f)
    {
        if (index(f) >= is_touched_.size())
            is_touched_.resize(std::max<std::size_t>(index(f) + 1, mesh_.face_count()), 0);
        if (std::exchange(is_touched_[index(f)], 1) == 0 && index(f) < face_count_) {
            fresh_.push_back(f);
            if (fresh_.size() >= touched_at_once) tell_touched();
        }
        if (splitting_)
            for (NodeId n : mesh_.nodes_of(f)) turn(n);
        if (guard_ != nullptr) guard_->changed(mesh_, x_, f);
    }

    /// Marks a node that has a face which is not what it was. Threads that look ahead may ask.
    void turn(NodeId n)
    {
        if (index(n) < is_turned_.size())
            std::atomic_ref(is_turned_[index(n)]).store(1, std::memory_order_relaxed);
    }
    [[nodiscard]] bool is_turned(NodeId n) // new ones are
    {
        return index(n) >= is_turned_.size() ||
               std::atomic_ref(is_turned_[index(n)]).load(std::memory_order_relaxed) != 0;
    }

    void tell_touched()
    {
        if (touched_ != nullptr && touched_->on_touch && !fresh_.empty())
            touched_->on_touch(fresh_);
        fresh_.clear();
    }

    template <class Record> void follow(const Record& record)
    {
        fields_.follow(mesh_, record);
        own_.follow(mesh_, record);
        ++edits_;
    }

    /// Between edits that are there to stay.
    void forget_undo_at_times()
    {
        if (edits_ < undo_span) return;
        edits_ = 0;
        fields_.forget_undo();
        own_.forget_undo();
        undo_.clear();
    }

    /// The edges of a face that changed may be flipped, and may need a split.
    void queue_edges_of(FaceId face)
    {
        for (EdgeId e : mesh_[face].edges) {
            flips_.push(e);
            if (index(e) < is_flipped_.size()) is_flipped_[index(e)] = 0;
            if (splitting_) splits_.push(e);
        }
        if (!splitting_)
            for (NodeId n : mesh_.nodes_of(face)) {
                collapses_.push(n);
                stays_[index(n)] = 0;
            }
    }

    // --- split ----------------------------------------------------------------------------------

    void split_edges()
    {
        splitting_ = true;
        std::vector<std::uint8_t> is_long(mesh_.edge_count(), 0);
        parallel_for(mesh_.face_count(), [&](std::size_t i) { // each edge from its first side
            const auto f = make_id<FaceId>(i);
            const Mesh::Face& face = mesh_[f];
            for (std::size_t k = 0; k < 3; ++k) {
                const EdgeId e = face.edges[k];
                if (mesh_[e].faces[0] != f || fit_.is_frozen(e)) continue;
                const VertId a = face.verts[k], b = face.verts[(k + 1) % 3];
                const bool is_seam = may_be_seam(mesh_, e);
                const double size2 =
                    is_seam ? edge_size2(mesh_, metric_, e)
                            : edge_size2(mesh_.u(a), metric_[a], mesh_.u(b), metric_[b]);
                is_long[index(e)] = size2 > 1;
            }
        });
        look_ahead();
        for (EdgeId e : mesh_.edges())
            if (is_long[index(e)] != 0) splits_.push(e);
        struct Candidate {
            double rank; // square of its size, the more the longer it has waited for neighbours
            EdgeId edge;
        };
        std::vector<std::uint8_t> waited; // rounds, by edge
        std::vector<Candidate> candidates;
        std::vector<std::uint32_t> taken(mesh_.node_count(), 0); // round in which a node was
        double least2 = std::numeric_limits<double>::infinity(); // a round's smallest, squared
        for (std::uint32_t round = 1;; ++round) {
            candidates.clear();
            waited.resize(mesh_.edge_count(), 0);
            double most = 0; // rank
            while (!splits_.empty()) {
                const EdgeId e = splits_.pop();
                if (!mesh_.is_alive(e) || fit_.is_frozen(e) || is_stuck(e)) continue;
                const double s2 = edge_size2(mesh_, metric_, e);
                if (s2 <= 1) continue;
                candidates.push_back({s2 * (1 + waited[index(e)]), e});
                most = std::max(most, candidates.back().rank);
            }
            if (candidates.empty()) break;
            least2 = next_round * std::min(least2, most);
            const auto long_end =
                std::partition(candidates.begin(), candidates.end(),
                               [&](const Candidate& c) { return c.rank >= least2; });
            std::sort(candidates.begin(), long_end, [](const Candidate& a, const Candidate& b) {
                return a.rank != b.rank ? a.rank > b.rank : a.edge < b.edge;
            });
            taken.resize(mesh_.node_count(), 0);
            const auto independent_end =
                std::stable_partition(candidates.begin(), long_end, [&](const Candidate& c) {
                    const auto [a, b] = mesh_[c.edge].nodes;
                    if (taken[index(a)] == round || taken[index(b)] == round) return false;
                    taken[index(a)] = taken[index(b)] = round;
                    return true;
                });
            for (auto c = candidates.begin(); c != independent_end; ++c) {
                waited[index(c->edge)] = 0;
                // Flips may have turned it since.
                if (edge_size2(mesh_, metric_, c->edge) <= 1) continue;
                const EdgeId longest = longest_beside(c->edge);
                // Then so is what lies beside it.
                if (is_stuck(longest) || fit_.is_frozen(longest)) {
                    mark_stuck(c->edge);
                    continue;
                }
                if (longest != c->edge) splits_.push(c->edge);
                split(longest);
                flip_queued();
            }
            for (auto c = independent_end; c != candidates.end(); ++c) {
                if (waited[index(c->edge)] < 255) ++waited[index(c->edge)];
                splits_.push(c->edge);
            }
        }
        splitting_ = false;
    }

    /// The edge to split in place of `edge`, mostly itself. Where an edge sees a right or larger
    /// angle across a face and cannot be flipped out of the way (a border, a seam, or a flip that
    /// would cross), splits of the face's other edges would drive the face flat against it. So the
    /// longer one goes first, be its own size above 1 or (between ends that are asked to be coarse)
    /// not; and so on from face to face, as in longest-edge bisection [Rivara1997].
    [[nodiscard]] EdgeId longest_beside(EdgeId edge) const
    {
        constexpr int most_faces = 64; // each is longer than the last; ends long before
        for (int i = 0; i < most_faces; ++i) {
            const EdgeId longer = longer_beside(edge);
            if (!is_some(longer)) break;
            edge = longer;
        }
        return edge;
    }

    [[nodiscard]] EdgeId longer_beside(EdgeId edge) const
    {
        for (FaceId f : mesh_[edge].faces) {
            if (!is_some(f)) continue;
            const auto& v = mesh_[f].verts;
            const Mat2 mean = metric_[v[0]] + metric_[v[1]] + metric_[v[2]];
            std::array<double, 3> size2{};
            for (std::size_t i = 0; i < 3; ++i) {
                const Vec2 e = mesh_.u(v[(i + 1) % 3]) - mesh_.u(v[i]);
                size2[i] = metric_dot(e, mean, e);
            }
            for (std::size_t i = 0; i < 3; ++i) {
                const EdgeId g = mesh_[f].edges[i];
                if (g != edge && size2[i] >= size2[(i + 1) % 3] + size2[(i + 2) % 3]) return g;
            }
        }
        return no_edge;
    }

    void split(EdgeId edge)
    {
        forget_undo_at_times();
        // In two halves, or where it is to have n > 2 pieces in the end, after half of them.
        const double size = std::sqrt(edge_size2(mesh_, metric_, edge));
        const double pieces = std::max(2.0, std::ceil(size));
        const double t = std::floor(0.5 * pieces) / pieces;
        find_normals_at(edge);
        const EdgeSplit s = split_edge(mesh_, edge, t, guard_ != nullptr ? &undo_ : nullptr);
        follow(s);
        if (options_.metric_at)
            for (VertId v : s.new_verts)
                if (is_some(v)) metric_[v] = options_.metric_at(mesh_, v);
        const Vec3 middle = x_[s.new_node];
        if (held_ == nullptr || (*held_)[s.new_node] == 0) place(s);
        if (guard_ != nullptr &&
            !is_free(s, x_[s.new_node] == middle ? DraftContact::touching : DraftContact::none)) {
            const bool was_moved = !(x_[s.new_node] == middle);
            x_[s.new_node] = middle;
            if (was_moved && is_free(s, DraftContact::touching)) {
                ++counts_.midpoints;
            } else { // by rounding alone: the middle lies on the old surface
                undo_edit(mesh_, undo_);
                fields_.undo();
                own_.undo();
                mark_stuck(edge);
                ++counts_.refused;
                return;
            }
        }
        ++counts_.splits;
        for (const auto& faces : {s.faces, s.new_faces})
            for (FaceId f : faces)
                if (is_some(f)) {
                    touch(f);
                    queue_edges_of(f);
                }
    }

    /// Normals at the ends of an edge and across it, of the surface as it is when one is first
    /// needed: few nodes are.
    void find_normals_at(EdgeId edge)
    {
        normal_.resize(mesh_.node_count());
        has_normal_.resize(mesh_.node_count(), 0);
        const auto find = [&](NodeId n) {
            if (has_normal_[index(n)] != 0) return;
            has_normal_[index(n)] = 1;
            const bool is_given = options_.normal != nullptr && !is_turned(n);
            normal_[n] = is_given ? (*options_.normal)[n] : node_normal(mesh_, x_, n);
        };
        for (NodeId n : mesh_[edge].nodes) find(n);
        for (std::size_t side = 0; side < (mesh_.is_border(edge) ? 1u : 2u); ++side)
            find(mesh_.node(mesh_.opposite_vert(edge, side)));
    }

    /// Moves the new node from the middle of its edge to where the quadric wants it, or a part of
    /// the way: the quadric's strain is linear in the move and does not see what a move out of the
    /// plane of a thin face does.
    void place(const EdgeSplit& s)
    {
        const Vec3 middle = x_[s.new_node];
        const Vec3 move = split_position(mesh_, s, x_, normal_) - middle;
        const auto strain = [&] {
            FaceStrain sum;
            for (const auto& faces : {s.faces, s.new_faces})
                for (FaceId f : faces)
                    if (is_some(f)) sum += fit_.strain_of(f, mesh_[f].verts);
            return sum;
        };
        const FaceStrain before = strain();
        for (const double share : {1.0, 0.5, 0.25}) {
            x_[s.new_node] = middle + move * share;
            if (!fit_.rises(before, strain())) return;
        }
        x_[s.new_node] = middle;
    }

    [[nodiscard]] bool is_free(const EdgeSplit& s, DraftContact contact)
    {
        drafts_.clear();
        for (const auto& faces : {s.faces, s.new_faces})
            for (FaceId f : faces)
                if (is_some(f)) drafts_.push_back(draft(mesh_.nodes_of(f)));
        // The new halves are not in the guard yet, the old faces still are.
        return guard_->allows(mesh_, x_, drafts_, s.faces, contact);
    }

    [[nodiscard]] FaceDraft draft(const std::array<NodeId, 3>& n) const
    {
        return {n, {x_[n[0]], x_[n[1]], x_[n[2]]}};
    }

    [[nodiscard]] bool is_stuck(EdgeId e) const
    {
        return index(e) < stuck_.size() && stuck_[index(e)];
    }
    void mark_stuck(EdgeId e)
    {
        if (index(e) >= stuck_.size()) stuck_.resize(index(e) + 1);
        stuck_[index(e)] = true;
    }

    // --- flip -----------------------------------------------------------------------------------

    void flip_queued()
    {
        while (!flips_.empty()) {
            forget_undo_at_times();
            const EdgeId e = flips_.pop();
            if (index(e) < is_flipped_.size() && is_flipped_[index(e)] != 0) continue;
            if (!mesh_.is_alive(e) || fit_.is_frozen(e) || !fit_.wants_flip(e)) continue;
            if (may_flip(mesh_, e) != Refusal::none) continue;
            if (guard_ != nullptr) {
                const auto [a, b] = mesh_[e].nodes;
                const NodeId c = mesh_.node(mesh_.opposite_vert(e, 0));
                const NodeId d = mesh_.node(mesh_.opposite_vert(e, 1));
                drafts_ = {draft({c, d, b}), draft({d, c, a})};
                if (!guard_->allows(mesh_, x_, drafts_, mesh_[e].faces, DraftContact::none)) {
                    ++counts_.refused;
                    continue;
                }
            }
            const EdgeFlip f = flip_edge(mesh_, e, nullptr, EditCheck::done);
            follow(f);
            ++counts_.flips;
            if (is_stuck(e)) stuck_[index(e)] = false;
            for (FaceId face : f.faces) {
                touch(face);
                queue_edges_of(face);
            }
            if (index(e) >= is_flipped_.size()) is_flipped_.resize(mesh_.edge_count(), 0);
            is_flipped_[index(e)] = 1;
        }
    }

    // --- collapse -------------------------------------------------------------------------------

    void collapse_edges()
    {
        stays_.assign(mesh_.node_count(), 0);
        looking_ahead_.wait();
        std::vector<NodeId> others; // that nobody has looked at
        for (NodeId n : mesh_.nodes()) {
            if (!fit_before_ || is_turned(n))
                others.push_back(n);
            else
                stays_[index(n)] = stayed_[index(n)];
        }
        find_which_stay(others);
        for (NodeId n : mesh_.nodes())
            if (stays_[index(n)] == 0) collapses_.push(n);
        // What the neighbourhood's topology forbade may be allowed after edits next door.
        std::vector<NodeId> try_again;
        std::size_t looked_at = collapses_.waiting().size(); // so many at the front of the queue
        for (bool any = true; any;) {
            any = false;
            while (!collapses_.empty()) {
                if (looked_at == 0) {
                    if (collapses_.waiting().size() > few_nodes)
                        find_which_stay(collapses_.waiting());
                    looked_at = collapses_.waiting().size();
                }
                --looked_at;
                const NodeId n = collapses_.pop();
                if (!mesh_.is_alive(n) || stays_[index(n)] != 0) continue;
                bool forbidden = false;
                if (collapse_at(n, forbidden)) {
                    any = true;
                    flip_queued();
                } else if (forbidden) {
                    try_again.push_back(n);
                }
            }
            if (any)
                for (NodeId n : try_again) collapses_.push(n);
            try_again.clear();
        }
    }

    /// While one thread splits edges, the others find which nodes cannot go: as long as splits and
    /// their flips leave the faces of a node alone, what they find of the mesh before is good.
    void look_ahead()
    {
        if (!options_.before || !Background::has_threads()) return;
        const RemeshBefore& b = *options_.before;
        fit_before_.emplace(b.mesh, b.metric, b.x, b.face_material, options_);
        stayed_.assign(b.mesh.node_count(), 0);
        for (std::size_t begin = 0; begin < stayed_.size(); begin += ahead_at_once)
            looking_ahead_.start([this, begin] {
                CollapseFan fan;
                for (std::size_t i = begin; i < std::min(stayed_.size(), begin + ahead_at_once);
                     ++i) {
                    const auto n = make_id<NodeId>(i);
                    if (!is_turned(n)) stayed_[i] = !fit_before_->has_fitting_spoke(n, fan);
                }
            });
    }

    /// Most nodes cannot go: found in parallel, and good until an edit touches the node.
    void find_which_stay(std::span<const NodeId> nodes)
    {
        parallel_chunks(nodes.size(), few_nodes,
                        [&](std::size_t, std::size_t begin, std::size_t end) {
                            CollapseFan fan;
                            for (const NodeId n : nodes.subspan(begin, end - begin))
                                stays_[index(n)] = !fit_.has_fitting_spoke(n, fan);
                        });
    }

    /// Removes the node along one of its edges, if that leaves everything valid.
    /// \param forbidden set where topology or crossings were what forbade it
    bool collapse_at(NodeId removed, bool& forbidden)
    {
        forget_undo_at_times();
        if (!fit_.look_around(removed, fan_)) return false;
        fit_.sort_spokes(fan_);
        for (const std::uint32_t i : fan_.order) {
            if (!fit_.fits_along(i, fan_)) continue;
            const CollapseSpoke& s = fan_.spokes[i];
            const EdgeId e = s.edge;
            if (may_collapse(mesh_, e, removed) != Refusal::none) {
                forbidden = true;
                continue;
            }
            if (guard_ != nullptr && !is_free(e, removed, s.other)) {
                ++counts_.refused;
                continue;
            }
            const EdgeCollapse c = collapse_edge(mesh_, e, removed, nullptr, EditCheck::done);
            follow(c);
            ++counts_.collapses;
            for (FaceId f : c.changed_faces) {
                touch(f);
                queue_edges_of(f);
            }
            for (FaceId f : c.removed_faces)
                if (is_some(f)) touch(f);
            return true;
        }
        return false;
    }

    [[nodiscard]] bool is_free(EdgeId edge, NodeId removed, NodeId kept)
    {
        const Mesh::Edge& e = mesh_[edge];
        drafts_.clear();
        replaced_.clear();
        mesh_.visit_faces(removed, [&](FaceId f, std::size_t corner) {
            replaced_.push_back(f);
            if (f == e.faces[0] || f == e.faces[1]) return;
            auto n = mesh_.nodes_of(f);
            n[corner] = kept;
            drafts_.push_back(draft(n));
        });
        return guard_->allows(mesh_, x_, drafts_, replaced_, DraftContact::none);
    }

    Mesh& mesh_;
    MetricField& metric_;
    Field<NodeId, Vec3>& x_;
    FieldSet& fields_;
    const RemeshOptions& options_;
    const Field<NodeId, std::uint64_t>* held_;
    CrossingGuard* guard_;
    TouchedFaces* touched_;
    const std::size_t face_count_;         // of the mesh before
    std::vector<std::uint8_t> is_touched_; // by FaceId
    std::vector<FaceId> fresh_;            // of the mesh before, touched and not told yet

    std::vector<std::uint8_t> is_turned_; // by NodeId of the mesh before, see turn()
    const FitCheck fit_;
    std::optional<FitCheck> fit_before_;
    Field<NodeId, Vec3> normal_; // where has_normal_
    std::vector<std::uint8_t> has_normal_;
    FieldSet own_;
    UndoLog undo_;
    std::size_t edits_ = 0;
    RemeshCounts counts_;
    bool splitting_ = false;
    Queue<EdgeId> splits_, flips_;
    Queue<NodeId> collapses_;
    std::vector<std::uint8_t> stays_;  // by NodeId: looked at since it changed, and cannot go
    std::vector<std::uint8_t> stayed_; // likewise in the mesh before
    std::vector<bool> stuck_;          // edges whose split would cross
    /// By EdgeId, until a face of it changes: it would not flip back.
    std::vector<std::uint8_t> is_flipped_;

    // Of the node at hand.
    CollapseFan fan_;
    std::vector<FaceDraft> drafts_;
    std::vector<FaceId> replaced_;

    Background looking_ahead_; // last, so that its work ends first
};

} // namespace

Vec3 split_position(const Mesh& mesh, const EdgeSplit& split, const Field<NodeId, Vec3>& x,
                    const Field<NodeId, Vec3>& normal)
{
    const NodeId node = split.new_node;
    const Vec3 start = x[node];
    Normal3 sum;
    // Distances from the tangent planes of the neighbours. A neighbour on the edge itself is one
    // on a seam too, where its distance is the mean over the two sides.
    const auto add_plane = [&](NodeId n, double distance) {
        sum.add(normal[n] / distance, dot(start - x[n], normal[n]) / distance);
    };
    for (std::size_t end = 0; end < 2; ++end) {
        double distance = 0, sides = 0;
        for (std::size_t side = 0; side < 2; ++side)
            if (is_some(split.faces[side])) {
                distance +=
                    norm(mesh.u(split.new_verts[side]) - mesh.u(split.parent_verts[side][end]));
                ++sides;
            }
        add_plane(split.parent_nodes[end], distance / sides);
    }
    for (std::size_t side = 0; side < 2; ++side) {
        if (!is_some(split.faces[side])) continue;
        const VertId far = mesh.opposite_vert(split.edge, side);
        add_plane(mesh.node(far), norm(mesh.u(split.new_verts[side]) - mesh.u(far)));
    }
    // Green strain of the four faces, linear in the displacement d of the new node:
    // e + sym(g (F^T d)^T), g the gradient of the node's hat function.
    for (const auto& faces : {split.faces, split.new_faces})
        for (FaceId f : faces) {
            if (!is_some(f)) continue;
            const std::size_t c = mesh.corner_at(f, node);
            const auto& v = mesh[f].verts;
            const VertId va = v[(c + 1) % 3], vb = v[(c + 2) % 3];
            const Mat2 du = from_columns(mesh.u(va) - mesh.u(v[c]), mesh.u(vb) - mesh.u(v[c]));
            const Mat2 inverse_du = inverse(du);
            const Mat3x2 grad =
                from_columns(x[mesh.node(va)] - start, x[mesh.node(vb)] - start) * inverse_du;
            const Vec2 g{-inverse_du(0, 0) - inverse_du(1, 0),
                         -inverse_du(0, 1) - inverse_du(1, 1)};
            const Vec3 f0 = column(grad, 0), f1 = column(grad, 1);
            constexpr double root_half = 0.70710678118654752;
            sum.add(g[0] * f0, 0.5 * (dot(f0, f0) - 1));
            sum.add(g[1] * f1, 0.5 * (dot(f1, f1) - 1));
            // The two off-diagonal entries are equal: sqrt(2) times one of them.
            sum.add(root_half * (g[0] * f1 + g[1] * f0), root_half * dot(f0, f1));
        }
    // A part in 1e9 of the largest stiffness holds directions that nothing determines.
    const double hold = 1e-9 * (sum.a(0, 0) + sum.a(1, 1) + sum.a(2, 2));
    for (std::size_t k = 0; k < 3; ++k) sum.a(k, k) += hold;
    const double det = determinant(sum.a);
    if (!(det > 0)) return start;
    Vec3 d = inverse(sum.a) * sum.b * -1.0;
    if (!is_finite(d)) return start;
    // The linearisation says nothing of displacements like the edge itself.
    const double most = 0.25 * norm(x[split.parent_nodes[1]] - x[split.parent_nodes[0]]);
    const double length = norm(d);
    if (length > most) d *= most / length;
    return start + d;
}

RemeshCounts remesh_to_metric(Mesh& mesh, MetricField& metric, Field<NodeId, Vec3>& x,
                              FieldSet& fields, const RemeshOptions& options,
                              const Field<NodeId, std::uint64_t>* held, CrossingGuard* guard,
                              TouchedFaces* touched)
{
    return MetricRemesher(mesh, metric, x, fields, options, held, guard, touched).run();
}

} // namespace pleat
