// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Idea. Three queues of ids, without duplicates: edges to split, edges to flip, nodes to collapse.
// An edit puts what it touched back into the queues, so the work is linear in the number of edits.
//
// It ends because splits shorten edges down to size 1, a collapse makes no edge above 1 -
// hysteresis, and a flip strictly lowers the sum of 1/quality of its two faces. Without any of the
// three the queues can go round in circles. Queues are first in, first
// out: no result depends on threads.
#include "pleat/remeshing/remesh_to_metric.hpp"

#include "pleat/core/error.hpp"
#include "pleat/core/parallel.hpp"
#include "pleat/remeshing/fit_check.hpp"
#include "pleat/remeshing/node_normals.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <utility>

namespace pleat {

namespace {

// Rounds of splits begin with the longest edges, which gives the best shapes; each round accepts
// squared sizes down to this share of the previous bound. The bound falls in every round, so no
// edge waits forever.
constexpr double next_round = 0.92;

// Below this number of nodes, parallel work does not pay.
constexpr std::size_t few_nodes = 64;

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
    MetricRemesher(MeshEditor& editor, MetricField& metric, const RemeshOptions& options)
        : editor_(editor), mesh_(editor.mesh()), metric_(metric), options_(options),
          rules_(editor.rules()), fit_(mesh_, metric, rules_, options)
    {}

    void run()
    {
        split_edges();
        collapse_edges();
    }

private:
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
                if (mesh_[e].faces[0] != f || rules_.is_frozen(e)) continue;
                const VertId a = face.verts[k], b = face.verts[(k + 1) % 3];
                const bool is_seam = may_be_seam(mesh_, e);
                const double size2 =
                    is_seam ? edge_size2(mesh_, metric_, e)
                            : edge_size2(mesh_.u(a), metric_[a], mesh_.u(b), metric_[b]);
                is_long[index(e)] = size2 > 1;
            }
        });
        for (EdgeId e : mesh_.edges())
            if (is_long[index(e)] != 0) splits_.push(e);
        struct Candidate {
            double rank; // square of its size, increased for each round that it has waited for
                         // neighbours
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
                if (!mesh_.is_alive(e) || rules_.is_frozen(e) || is_stuck(e)) continue;
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
                // Flips may have changed the edge since.
                if (edge_size2(mesh_, metric_, c->edge) <= 1) continue;
                const EdgeId longest = longest_beside(c->edge);
                // The edge that has to be split first cannot be: neither can this one.
                if (is_stuck(longest) || rules_.is_frozen(longest)) {
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
        // In two halves, or where it is to have n > 2 pieces in the end, after half of them.
        const double size = std::sqrt(edge_size2(mesh_, metric_, edge));
        const double pieces = std::max(2.0, std::ceil(size));
        const double t = std::floor(0.5 * pieces) / pieces;
        find_normals_at(edge);
        const auto s = editor_.split_edge(edge, t, [this](const EdgeSplit& split) {
            return split_position(mesh_, split, editor_.x(), normal_);
        });
        if (!s) {
            mark_stuck(edge);
            return;
        }
        PLEAT_ASSERT(metric_.size() == mesh_.vert_count(), "the metric is one of the fields");
        if (options_.metric_at)
            for (VertId v : s->new_verts)
                if (is_some(v)) metric_[v] = options_.metric_at(mesh_, v);
        for (const auto& faces : {s->faces, s->new_faces})
            for (FaceId f : faces)
                if (is_some(f)) queue_edges_of(f);
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
            normal_[n] = node_normal(mesh_, editor_.x(), n);
        };
        for (NodeId n : mesh_[edge].nodes) find(n);
        for (std::size_t side = 0; side < (mesh_.is_border(edge) ? 1u : 2u); ++side)
            find(mesh_.node(mesh_.opposite_vert(edge, side)));
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
            const EdgeId e = flips_.pop();
            if (index(e) < is_flipped_.size() && is_flipped_[index(e)] != 0) continue;
            if (!mesh_.is_alive(e) || rules_.is_frozen(e) || !fit_.wants_flip(e)) continue;
            if (may_flip(mesh_, e) != Refusal::none) continue;
            const auto flip = editor_.flip_edge(e, EditCheck::done);
            if (!flip) continue;
            if (is_stuck(e)) stuck_[index(e)] = false;
            for (FaceId face : flip->faces) queue_edges_of(face);
            if (index(e) >= is_flipped_.size()) is_flipped_.resize(mesh_.edge_count(), 0);
            is_flipped_[index(e)] = 1;
        }
    }

    // --- collapse -------------------------------------------------------------------------------

    void collapse_edges()
    {
        stays_.assign(mesh_.node_count(), 0);
        std::vector<NodeId> all;
        for (NodeId n : mesh_.nodes()) all.push_back(n);
        find_which_stay(all);
        for (NodeId n : all)
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

    /// Most nodes cannot be removed. This is determined in parallel and stays valid until an edit
    /// touches the node.
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
    /// \param forbidden set if topology or crossings prevented it
    bool collapse_at(NodeId removed, bool& forbidden)
    {
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
            const auto c = editor_.collapse_edge(e, removed, EditCheck::done);
            if (!c) continue;
            for (FaceId f : c->changed_faces) queue_edges_of(f);
            return true;
        }
        return false;
    }

    MeshEditor& editor_;
    const Mesh& mesh_;
    MetricField& metric_;
    const RemeshOptions& options_;
    const EditRules& rules_;
    const FitCheck fit_;
    Field<NodeId, Vec3> normal_; // where has_normal_
    std::vector<std::uint8_t> has_normal_;
    bool splitting_ = false;
    Queue<EdgeId> splits_, flips_;
    Queue<NodeId> collapses_;
    std::vector<std::uint8_t> stays_; // by NodeId: looked at since it changed, and cannot go
    std::vector<bool> stuck_;         // edges whose split would cross
    /// By EdgeId, until a face of it changes: it would not flip back.
    std::vector<std::uint8_t> is_flipped_;
    CollapseFan fan_; // of the node at hand
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
    // The linearisation is not valid for displacements as long as the edge.
    const double most = 0.25 * norm(x[split.parent_nodes[1]] - x[split.parent_nodes[0]]);
    const double length = norm(d);
    if (length > most) d *= most / length;
    return start + d;
}

void edit_to_metric(MeshEditor& editor, MetricField& metric, const RemeshOptions& options)
{
    MetricRemesher(editor, metric, options).run();
}

EditCounts remesh_to_metric(Mesh& mesh, MetricField& metric, Field<NodeId, Vec3>& x,
                            FieldSet& fields, const RemeshOptions& options,
                            const EditLimits& limits, CrossingGuard* guard)
{
    MeshEditor editor(mesh, x, fields, limits, guard);
    edit_to_metric(editor, metric, options);
    editor.finish();
    return editor.counts();
}

} // namespace pleat
