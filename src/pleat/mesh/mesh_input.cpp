// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Idea. Checks build on one another: indices before shapes, shapes before connectivity,
// connectivity before panels. A check only runs where those before it found nothing, so that one
// defect gives one message and no check reads out of bounds.
//
// Notation: a corner is a vertex of a face, a place is a set of corners at the same point of the
// world and of material space, a fan is what is joined around a node by shared edges.
#include "pleat/mesh/mesh_input.hpp"

#include "pleat/core/error.hpp"
#include "pleat/mesh/measures.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <map>
#include <numeric>
#include <unordered_map>
#include <utility>

namespace pleat {

namespace {

using Triple = std::array<std::uint32_t, 3>;
constexpr std::uint32_t none = 0xffffffffu;

// Farther than this from the origin, doubles no longer resolve microns in products of lengths.
constexpr double largest_coordinate = 1e6; // [m]
// A triangle whose height is below this share of its longest edge has no usable area.
constexpr double smallest_relative_height = 1e-9;
// Beyond this ratio of rest lengths a seam is no gather, but two edges that do not belong together.
constexpr double largest_seam_ratio = 4.0;
// How near (as a share of its length) a node must lie to an open edge to be called its missing
// partner.
constexpr double on_edge_tolerance = 1e-6;

std::string number(double value)
{
    char text[32];
    std::snprintf(text, sizeof text, "%.6g", value);
    return text;
}

std::uint64_t edge_key(std::uint32_t a, std::uint32_t b)
{
    return (std::uint64_t(std::min(a, b)) << 32) | std::max(a, b);
}

/// One pass over an input; each check runs only if those before it found nothing.
class Checker {
public:
    Checker(const MeshInput& input, std::size_t most) : in_(input), most_(most) {}

    std::vector<MeshProblem> run()
    {
        check_sizes();
        check_numbers();
        check_indices();
        if (!problems_.empty()) return std::move(problems_);
        check_unused();
        check_degenerate();
        check_duplicate_faces();
        collect_edges();
        check_duplicate_nodes();
        if (!problems_.empty()) return std::move(problems_);
        check_edges();
        check_open_seams();
        if (!problems_.empty()) return std::move(problems_);
        check_node_fans();
        if (has_material()) {
            check_point_fans();
            check_material_triangles();
            check_seam_lengths();
        }
        return std::move(problems_);
    }

    /// \pre run() finds nothing
    std::size_t count_slit_nodes()
    {
        collect_edges();
        check_duplicate_nodes();
        return slit_nodes_;
    }

private:
    struct EdgeSides {
        std::uint32_t node_a = none, node_b = none; // as faces[0] runs
        std::array<std::uint32_t, 2> faces{none, none};
        std::array<std::size_t, 2> position{};
        std::vector<std::uint32_t> all; // filled when there are more than two
        bool same_direction = false;
    };

    [[nodiscard]] bool has_material() const { return !in_.material_u.empty(); }
    [[nodiscard]] bool full() const { return problems_.size() >= most_; }

    void report(MeshElement element, std::vector<std::uint32_t> ids, std::string found,
                std::string expected)
    {
        if (!full())
            problems_.push_back({element, std::move(ids), std::move(found), std::move(expected)});
    }

    void check_sizes()
    {
        const auto check = [&](std::size_t have, std::size_t want, MeshElement element,
                               const char* what) {
            if (have != 0 && have != want)
                report(element, {}, std::to_string(have) + " " + what,
                       "none or " + std::to_string(want));
        };
        check(in_.node_v.size(), in_.node_x.size(), MeshElement::node, "velocities");
        check(in_.node_label.size(), in_.node_x.size(), MeshElement::node, "labels");
        check(in_.face_material.size(), in_.face_nodes.size(), MeshElement::face,
              "material indices");
        if (has_material() || !in_.face_points.empty())
            check(in_.face_points.size(), in_.face_nodes.size(), MeshElement::face,
                  "faces with material points");
        if (in_.face_nodes.empty())
            report(MeshElement::face, {}, "no faces", "at least one triangle");
        if (in_.node_x.size() >= none || in_.face_nodes.size() >= none)
            report(MeshElement::node, {}, "too many elements", "fewer than 2^32");
    }

    void check_numbers()
    {
        const auto check = [&](double value, MeshElement element, std::size_t id,
                               const char* what) {
            if (std::isfinite(value) && std::abs(value) <= largest_coordinate) return true;
            report(element, {std::uint32_t(id)}, std::string(what) + " " + number(value),
                   "a finite number of at most 1e6");
            return false;
        };
        for (std::size_t i = 0; i < in_.node_x.size(); ++i) {
            for (double c : in_.node_x[i].e)
                if (!check(c, MeshElement::node, i, "coordinate")) break;
            if (!in_.node_v.empty())
                for (double c : in_.node_v[i].e)
                    if (!check(c, MeshElement::node, i, "velocity")) break;
        }
        for (std::size_t i = 0; i < in_.material_u.size(); ++i)
            for (double c : in_.material_u[i].e)
                if (!check(c, MeshElement::material_point, i, "material coordinate")) break;
        for (const auto& mark : in_.edge_marks)
            if (mark.rest_angle && !std::isfinite(*mark.rest_angle))
                report(MeshElement::edge, {mark.node_a, mark.node_b},
                       "rest angle " + number(*mark.rest_angle), "a finite angle in radians");
    }

    void check_indices()
    {
        const auto check = [&](const std::vector<Triple>& faces, std::size_t count,
                               const char* what) {
            for (std::size_t f = 0; f < faces.size() && !full(); ++f)
                for (std::uint32_t i : faces[f])
                    if (i >= count)
                        report(MeshElement::face, {std::uint32_t(f)},
                               std::string(what) + " " + std::to_string(i),
                               "less than " + std::to_string(count));
        };
        check(in_.face_nodes, in_.node_x.size(), "node index");
        check(in_.face_points, in_.material_u.size(), "material point index");
        for (const auto& mark : in_.edge_marks)
            if (mark.node_a >= in_.node_x.size() || mark.node_b >= in_.node_x.size())
                report(MeshElement::edge, {mark.node_a, mark.node_b}, "a marked edge",
                       "two nodes of the mesh");
    }

    void check_unused()
    {
        const auto check = [&](const std::vector<Triple>& faces, std::size_t count,
                               MeshElement element, const char* what) {
            std::vector<char> used(count, 0);
            for (const Triple& f : faces)
                for (std::uint32_t i : f) used[i] = 1;
            for (std::size_t i = 0; i < count && !full(); ++i)
                if (!used[i])
                    report(element, {std::uint32_t(i)}, std::string(what) + " used by no face",
                           "every one to belong to a face (remove it)");
        };
        check(in_.face_nodes, in_.node_x.size(), MeshElement::node, "vertex");
        check(in_.face_points, in_.material_u.size(), MeshElement::material_point,
              "material point");
    }

    void check_degenerate()
    {
        const auto twice = [](const Triple& f) {
            return f[0] == f[1] || f[1] == f[2] || f[2] == f[0];
        };
        for (std::size_t f = 0; f < in_.face_nodes.size() && !full(); ++f) {
            if (twice(in_.face_nodes[f]))
                report(MeshElement::face, {std::uint32_t(f)}, "a face with the same vertex twice",
                       "three different vertices");
            else if (has_material() && twice(in_.face_points[f]))
                report(MeshElement::face, {std::uint32_t(f)},
                       "a face with the same material point twice", "three different points");
        }
    }

    void check_duplicate_faces()
    {
        std::map<Triple, std::uint32_t> seen;
        for (std::size_t f = 0; f < in_.face_nodes.size() && !full(); ++f) {
            Triple key = in_.face_nodes[f];
            std::sort(key.begin(), key.end());
            const auto [it, is_new] = seen.emplace(key, std::uint32_t(f));
            if (!is_new)
                report(MeshElement::face, {std::uint32_t(f), it->second},
                       "a face on the same three vertices as another", "each face once");
        }
    }

    /// Which place each corner of each face is at: corners are at one place where they coincide in
    /// the world and in material space.
    [[nodiscard]] std::vector<Triple> places_of_corners() const
    {
        struct Place {
            Vec3 x;
            Vec2 u;
        };
        std::vector<Place> places;
        places.reserve(3 * in_.face_nodes.size());
        for (std::size_t f = 0; f < in_.face_nodes.size(); ++f)
            for (std::size_t k = 0; k < 3; ++k)
                places.push_back(
                    {in_.node_x[in_.face_nodes[f][k]], in_.material_u[in_.face_points[f][k]]});
        const auto key = [&](std::uint32_t i) { return std::tie(places[i].x.e, places[i].u.e); };
        std::vector<std::uint32_t> order(places.size());
        std::iota(order.begin(), order.end(), 0u);
        std::sort(order.begin(), order.end(),
                  [&](std::uint32_t a, std::uint32_t b) { return key(a) < key(b); });
        std::vector<Triple> place(in_.face_nodes.size());
        std::uint32_t id = 0;
        for (std::size_t i = 0; i < order.size(); ++i) {
            id += i > 0 && key(order[i - 1]) != key(order[i]);
            place[order[i] / 3][order[i] % 3] = id;
        }
        return place;
    }

    /// Two nodes at one place in the world whose material points coincide too: the mesh falls
    /// apart there, although the file surely meant one vertex; unless they lie on the two sides of
    /// a slit.
    void check_duplicate_nodes()
    {
        if (!has_material()) return;
        const std::vector<Triple> place = places_of_corners();
        std::vector<std::array<std::uint32_t, 2>> at; // place and node
        for (std::size_t f = 0; f < place.size(); ++f)
            for (std::size_t k = 0; k < 3; ++k) at.push_back({place[f][k], in_.face_nodes[f][k]});
        std::sort(at.begin(), at.end());
        at.erase(std::unique(at.begin(), at.end()), at.end());
        std::vector<char> is_slit; // found when first needed
        for (std::size_t i = 0, end = 0; i < at.size() && !full(); i = end) {
            while (end < at.size() && at[end][0] == at[i][0]) ++end;
            if (end - i < 2) continue;
            if (is_slit.empty()) is_slit = find_slit_nodes(place);
            std::size_t strangers = 0;
            for (std::size_t k = i; k < end; ++k) strangers += is_slit[at[k][1]] == 0;
            slit_nodes_ += end - i - strangers;
            if (strangers == 0) continue;
            for (std::size_t k = i + 1; k < end; ++k)
                report(MeshElement::node, {at[k][1], at[k - 1][1]},
                       "a duplicate of another vertex (same place in the world and in material "
                       "space)",
                       "one vertex shared by the faces");
        }
    }

    /// By node: whether it lies on the one side of a closed slit. There an outline edge of a panel
    /// runs back along another one of the same panel. A corner of a single face that has come
    /// loose from its neighbours on both sides is none.
    [[nodiscard]] std::vector<char> find_slit_nodes(const std::vector<Triple>& place) const
    {
        const std::vector<std::uint32_t> panel = panel_of_faces();
        const auto ends = [&](const EdgeSides& e) {
            const Triple& p = place[e.faces[0]];
            return std::array{p[e.position[0]], p[(e.position[0] + 1) % 3]};
        };
        constexpr std::uint32_t several = none - 1;
        std::unordered_map<std::uint64_t, std::uint32_t> outline; // from place to place
        for (std::uint32_t i = 0; i < edges_.size(); ++i) {
            if (edges_[i].faces[1] != none) continue;
            const auto [a, b] = ends(edges_[i]);
            const auto [it, is_new] = outline.emplace(std::uint64_t(a) << 32 | b, i);
            if (!is_new) it->second = several;
        }
        std::vector<std::uint32_t> slit_edges(in_.node_x.size(), 0);
        for (std::uint32_t i = 0; i < edges_.size(); ++i) {
            const EdgeSides& e = edges_[i];
            if (e.faces[1] != none) continue;
            const auto [a, b] = ends(e);
            const auto there = outline.find(std::uint64_t(a) << 32 | b);
            const auto back = outline.find(std::uint64_t(b) << 32 | a);
            if (there->second == several || back == outline.end() || back->second == several ||
                panel[edges_[back->second].faces[0]] != panel[e.faces[0]])
                continue;
            ++slit_edges[e.node_a];
            ++slit_edges[e.node_b];
        }
        std::vector<std::uint32_t> faces(in_.node_x.size(), 0);
        for (const Triple& f : in_.face_nodes)
            for (std::uint32_t n : f) ++faces[n];
        std::vector<char> is_slit(in_.node_x.size());
        for (std::size_t n = 0; n < is_slit.size(); ++n)
            is_slit[n] = slit_edges[n] > 0 && !(slit_edges[n] == 2 && faces[n] == 1);
        return is_slit;
    }

    /// By face, the lowest face of its panel: the faces joined by edges that are no seams.
    [[nodiscard]] std::vector<std::uint32_t> panel_of_faces() const
    {
        std::vector<std::uint32_t> parent(in_.face_nodes.size());
        std::iota(parent.begin(), parent.end(), 0u);
        const auto root = [&](std::uint32_t i) {
            while (parent[i] != i) i = parent[i] = parent[parent[i]];
            return i;
        };
        for (const EdgeSides& e : edges_)
            if (e.faces[1] != none && points_of(e, 0) == points_of(e, 1)) {
                const std::uint32_t a = root(e.faces[0]), b = root(e.faces[1]);
                parent[std::max(a, b)] = std::min(a, b);
            }
        for (std::uint32_t f = 0; f < parent.size(); ++f) parent[f] = root(f);
        return parent;
    }

    void collect_edges()
    {
        edges_.reserve(in_.face_nodes.size() * 2);
        for (std::size_t f = 0; f < in_.face_nodes.size(); ++f)
            for (std::size_t k = 0; k < 3; ++k) {
                const std::uint32_t a = in_.face_nodes[f][k], b = in_.face_nodes[f][(k + 1) % 3];
                const auto [it, is_new] =
                    edge_index_.emplace(edge_key(a, b), std::uint32_t(edges_.size()));
                if (is_new) edges_.emplace_back();
                EdgeSides& e = edges_[it->second];
                if (e.faces[0] == none) {
                    e.node_a = a, e.node_b = b;
                    e.faces[0] = std::uint32_t(f), e.position[0] = k;
                } else if (e.faces[1] == none) {
                    e.faces[1] = std::uint32_t(f), e.position[1] = k;
                    e.same_direction = a == e.node_a;
                } else {
                    if (e.all.empty()) e.all = {e.faces[0], e.faces[1]};
                    e.all.push_back(std::uint32_t(f));
                }
            }
    }

    void check_edges()
    {
        for (const EdgeSides& e : edges_) {
            if (full()) return;
            if (!e.all.empty()) {
                std::vector<std::uint32_t> ids = e.all;
                report(MeshElement::face, std::move(ids),
                       "non-manifold: an edge has " + std::to_string(e.all.size()) + " faces",
                       "at most two faces an edge");
            } else if (e.same_direction) {
                report(MeshElement::face, {e.faces[1], e.faces[0]},
                       "inconsistent orientation: two faces run through their common edge in the "
                       "same direction",
                       "neighbouring faces to be oriented alike");
            }
        }
    }

    /// Groups the corners at each key (node or material point) into fans joined by edges that
    /// `joins` accepts, and reports keys with more than one.
    template <class Joins>
    void check_fans(const std::vector<Triple>& corners, std::size_t count, Joins joins,
                    MeshElement element, const char* found, const char* expected)
    {
        // Union-find over face corners.
        std::vector<std::uint32_t> parent(corners.size() * 3);
        std::iota(parent.begin(), parent.end(), 0u);
        const auto root = [&](std::uint32_t i) {
            while (parent[i] != i) i = parent[i] = parent[parent[i]];
            return i;
        };
        for (const EdgeSides& e : edges_) {
            if (e.faces[1] == none || !joins(e)) continue;
            const std::size_t i = e.position[0], j = e.position[1];
            // Corner at node_a: i of faces[0], j + 1 of faces[1]; at node_b the other way round.
            const auto c = [](std::uint32_t face, std::size_t k) {
                return std::uint32_t(face * 3 + k % 3);
            };
            parent[root(c(e.faces[0], i))] = root(c(e.faces[1], j + 1));
            parent[root(c(e.faces[0], i + 1))] = root(c(e.faces[1], j));
        }
        std::vector<std::uint32_t> first(count, none);
        std::vector<char> reported(count, 0);
        for (std::size_t f = 0; f < corners.size() && !full(); ++f)
            for (std::size_t k = 0; k < 3; ++k) {
                const std::uint32_t key = corners[f][k], r = root(std::uint32_t(f * 3 + k));
                if (first[key] == none)
                    first[key] = r;
                else if (first[key] != r && !reported[key]) {
                    reported[key] = 1;
                    report(element, {key}, found, expected);
                }
            }
    }

    void check_node_fans()
    {
        check_fans(
            in_.face_nodes, in_.node_x.size(), [](const EdgeSides&) { return true; },
            MeshElement::node,
            "non-manifold: its faces form several fans that meet in this vertex "
            "only",
            "one fan of faces a vertex (split the vertex, or sew the edges between)");
    }

    [[nodiscard]] std::array<std::uint32_t, 2> points_of(const EdgeSides& e, std::size_t side) const
    {
        const Triple& p = in_.face_points[e.faces[side]];
        const std::uint32_t first = p[e.position[side]], second = p[(e.position[side] + 1) % 3];
        return side == 0 ? std::array{first, second} : std::array{second, first};
    }

    void check_point_fans()
    {
        // A material point may serve several nodes (panels drawn on top of one another): a vert is
        // the pair. Number the pairs, then ask for one fan each.
        std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> pair_index;
        std::vector<Triple> corners(in_.face_nodes.size());
        std::vector<std::uint32_t> point_of_pair;
        for (std::size_t f = 0; f < corners.size(); ++f)
            for (std::size_t k = 0; k < 3; ++k) {
                const auto [it, is_new] =
                    pair_index.emplace(std::pair{in_.face_nodes[f][k], in_.face_points[f][k]},
                                       std::uint32_t(pair_index.size()));
                if (is_new) point_of_pair.push_back(in_.face_points[f][k]);
                corners[f][k] = it->second;
            }
        const std::size_t before = problems_.size();
        check_fans(
            corners, pair_index.size(),
            [&](const EdgeSides& e) { return points_of(e, 0) == points_of(e, 1); },
            MeshElement::material_point,
            "non-manifold in material space: its faces form several fans that meet in this point "
            "only",
            "one fan of faces a material point (give each side of a cut its own point)");
        for (std::size_t i = before; i < problems_.size(); ++i)
            problems_[i].ids[0] = point_of_pair[problems_[i].ids[0]];
    }

    void check_material_triangles()
    {
        const std::vector<std::uint32_t> panel = panel_of_faces();
        std::vector<std::int64_t> balance(in_.face_nodes.size(), 0); // ccw minus cw, by panel
        std::vector<double> area(in_.face_nodes.size());
        for (std::size_t f = 0; f < in_.face_nodes.size(); ++f) {
            const Triple& p = in_.face_points[f];
            const Vec2 &a = in_.material_u[p[0]], &b = in_.material_u[p[1]],
                       &c = in_.material_u[p[2]];
            area[f] = signed_area(a, b, c);
            const double longest2 = std::max({norm2(b - a), norm2(c - b), norm2(a - c)});
            if (!(std::abs(area[f]) > 0.5 * smallest_relative_height * longest2)) {
                report(MeshElement::face, {std::uint32_t(f)},
                       "a material triangle of no area (" + number(area[f]) + " m^2)",
                       "three material points that are not on one line");
                area[f] = 0;
            }
            balance[panel[f]] += area[f] > 0 ? 1 : area[f] < 0 ? -1 : 0;
        }
        for (std::size_t f = 0; f < in_.face_nodes.size() && !full(); ++f) {
            const std::int64_t b = balance[panel[f]];
            if ((b >= 0 && area[f] < 0) || (b < 0 && area[f] > 0))
                report(MeshElement::face, {std::uint32_t(f)},
                       "a material triangle folded over its neighbours",
                       "all triangles of a panel turning the same way in material space");
        }
    }

    void check_seam_lengths()
    {
        for (const EdgeSides& e : edges_) {
            if (full()) return;
            if (e.faces[1] == none) continue;
            const auto p = points_of(e, 0), q = points_of(e, 1);
            if (p == q) continue;
            const double a = norm(in_.material_u[p[1]] - in_.material_u[p[0]]);
            const double b = norm(in_.material_u[q[1]] - in_.material_u[q[0]]);
            if (std::max(a, b) > largest_seam_ratio * std::min(a, b))
                report(MeshElement::face, {e.faces[0], e.faces[1]},
                       "seam sides do not match: the edge between two faces is " + number(a) +
                           " m long on one side and " + number(b) + " m on the other",
                       "lengths that differ by at most a factor of " + number(largest_seam_ratio));
        }
    }

    /// An open edge on which the neighbour of one of its ends along the border lies: one side of a
    /// seam has a vertex that the other lacks.
    void check_open_seams()
    {
        std::unordered_multimap<std::uint32_t, std::uint32_t> neighbours; // along the border
        for (const EdgeSides& e : edges_)
            if (e.faces[1] == none) {
                neighbours.emplace(e.node_a, e.node_b);
                neighbours.emplace(e.node_b, e.node_a);
            }
        const auto lies_on = [&](const EdgeSides& e, std::uint32_t node) {
            const Vec3 ab = in_.node_x[e.node_b] - in_.node_x[e.node_a];
            const Vec3 d = in_.node_x[node] - in_.node_x[e.node_a];
            const double length2 = norm2(ab), t = dot(d, ab) / length2;
            return t > on_edge_tolerance && t < 1 - on_edge_tolerance &&
                   norm2(d - t * ab) < on_edge_tolerance * on_edge_tolerance * length2;
        };
        for (const EdgeSides& e : edges_) {
            if (full()) return;
            if (e.faces[1] != none) continue;
            std::uint32_t between = none;
            for (std::uint32_t end : {e.node_a, e.node_b}) {
                const auto [first, last] = neighbours.equal_range(end);
                for (auto it = first; it != last; ++it)
                    if (lies_on(e, it->second)) between = std::min(between, it->second);
            }
            if (between != none)
                report(MeshElement::node, {e.node_a, e.node_b, between},
                       "seam sides do not match: the edge of the first two vertices is open, and "
                       "the third, of the other side, lies on it",
                       "the same vertices on both sides of a seam");
        }
    }

    const MeshInput& in_;
    std::size_t most_;
    std::vector<MeshProblem> problems_;
    std::vector<EdgeSides> edges_;
    std::unordered_map<std::uint64_t, std::uint32_t> edge_index_;
    std::size_t slit_nodes_ = 0;
};

} // namespace

std::vector<MeshProblem> find_mesh_problems(const MeshInput& input, std::size_t most)
{
    return Checker(input, most).run();
}

std::size_t count_closed_slit_nodes(const MeshInput& input)
{
    return Checker(input, 1).count_slit_nodes();
}

bool flatten_planar(MeshInput& input)
{
    Vec3 normal{};
    for (const Triple& f : input.face_nodes) {
        const Vec3 &a = input.node_x[f[0]], &b = input.node_x[f[1]], &c = input.node_x[f[2]];
        normal += cross(b - a, c - a);
    }
    if (norm(normal) == 0 || input.node_x.empty()) return false;
    normal = normalized(normal);
    // Snap to an axis, so that a sheet in a coordinate plane keeps its coordinates to the bit.
    for (std::size_t k = 0; k < 3; ++k)
        if (std::abs(normal[k]) > 1 - 1e-12) {
            const double sign = normal[k] > 0 ? 1.0 : -1.0;
            normal = {};
            normal[k] = sign;
        }
    const Vec3 reference = std::abs(normal[0]) < 0.9 ? Vec3{1, 0, 0} : Vec3{0, 1, 0};
    const Vec3 axis_u = normalized(reference - dot(reference, normal) * normal);
    const Vec3 axis_v = cross(normal, axis_u);

    const Vec3 origin = input.node_x[0];
    double extent = 0;
    for (const Vec3& x : input.node_x) extent = std::max(extent, norm(x - origin));
    constexpr double flatness = 1e-6; // of the extent: what a file with six digits can hold
    for (const Vec3& x : input.node_x)
        if (std::abs(dot(x - origin, normal)) > flatness * extent) return false;

    input.material_u.clear();
    for (const Vec3& x : input.node_x) input.material_u.push_back({dot(x, axis_u), dot(x, axis_v)});
    input.face_points = input.face_nodes;
    return true;
}

void append(MeshInput& base, const MeshInput& more)
{
    PLEAT_ASSERT(base.face_nodes.empty() || base.material_u.empty() == more.material_u.empty(),
                 "both parts have material points or neither");
    const auto node_offset = std::uint32_t(base.node_x.size());
    const auto point_offset = std::uint32_t(base.material_u.size());
    const std::size_t face_offset = base.face_nodes.size();
    // Optional arrays are filled up where only one of the two has them.
    const auto join = [](auto& a, const auto& b, std::size_t a_count, std::size_t b_count) {
        if (a.empty() && b.empty()) return;
        a.resize(a_count);
        a.insert(a.end(), b.begin(), b.end());
        a.resize(a_count + b_count);
    };
    join(base.node_v, more.node_v, node_offset, more.node_x.size());
    join(base.node_label, more.node_label, node_offset, more.node_x.size());
    join(base.face_material, more.face_material, face_offset, more.face_nodes.size());
    base.node_x.insert(base.node_x.end(), more.node_x.begin(), more.node_x.end());
    base.material_u.insert(base.material_u.end(), more.material_u.begin(), more.material_u.end());
    for (Triple f : more.face_nodes) {
        for (std::uint32_t& i : f) i += node_offset;
        base.face_nodes.push_back(f);
    }
    for (Triple f : more.face_points) {
        for (std::uint32_t& i : f) i += point_offset;
        base.face_points.push_back(f);
    }
    for (MeshInput::EdgeMark mark : more.edge_marks) {
        mark.node_a += node_offset;
        mark.node_b += node_offset;
        base.edge_marks.push_back(mark);
    }
}

} // namespace pleat
