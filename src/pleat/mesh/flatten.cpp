// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Idea. Per panel: a conformal map gives a start [Levy2002]; then faces are rotated
// and points are fitted in turns until lengths hardly change any more [Liu2008]. A panel that is no
// disc is cut along edges beforehand [Gu2002].
//
// Notation: a piece is one panel with points of its own; p are its points in space, u the result.
// Each solve factors one sparse matrix. The result is checked for folded faces (is_folded): neither
// map excludes them.
#include "pleat/mesh/flatten.hpp"

#include "pleat/core/error.hpp"
#include "pleat/geometry/dihedral.hpp"
#include "pleat/mesh/measures.hpp"

#include <Eigen/SparseCholesky>
#include <Eigen/SparseCore>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>
#include <numeric>
#include <optional>
#include <unordered_map>
#include <utility>

namespace pleat {

namespace {

using Triple = std::array<std::uint32_t, 3>;
constexpr std::uint32_t none = 0xffffffffu;

// Edges of a closed panel folded by more than this become seams.
constexpr double sharp = std::numbers::pi / 3;
// Of the minimisation: enough for a dome; what lies flat needs none.
constexpr int most_iterations = 200;
constexpr double still = 1e-12; // largest move of a point that ends it, as a share of the panel
// Cotangents of obtuse corners are negative; the system must be definite.
constexpr double least_weight = 1e-3;
constexpr double gap_between_panels = 0.05; // as a share of a panel's width

class Groups {
public:
    explicit Groups(std::size_t count) : parent_(count)
    {
        std::iota(parent_.begin(), parent_.end(), 0u);
    }
    std::uint32_t of(std::uint32_t i)
    {
        while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
        return i;
    }
    /// \return whether they were apart
    bool join(std::uint32_t a, std::uint32_t b)
    {
        a = of(a), b = of(b);
        parent_[std::max(a, b)] = std::min(a, b);
        return a != b;
    }

private:
    std::vector<std::uint32_t> parent_;
};

struct SharedEdge {
    std::uint32_t node_a = none, node_b = none;     // as the first face runs
    std::array<std::uint32_t, 2> faces{none, none}; // the second is none on a border
    std::array<std::size_t, 2> position{};          // in the faces
    [[nodiscard]] bool is_border() const { return faces[1] == none; }
};

std::vector<SharedEdge> edges_of(const std::vector<Triple>& faces)
{
    std::vector<SharedEdge> edges;
    std::unordered_map<std::uint64_t, std::uint32_t> edge_of;
    edge_of.reserve(2 * faces.size());
    for (std::size_t f = 0; f < faces.size(); ++f)
        for (std::size_t k = 0; k < 3; ++k) {
            const std::uint32_t a = faces[f][k], b = faces[f][(k + 1) % 3];
            const auto key = (std::uint64_t(std::min(a, b)) << 32) | std::max(a, b);
            const auto [it, is_new] = edge_of.emplace(key, std::uint32_t(edges.size()));
            if (is_new) {
                edges.push_back({a, b, {std::uint32_t(f), none}, {k, 0}});
            } else {
                edges[it->second].faces[1] = std::uint32_t(f);
                edges[it->second].position[1] = k;
            }
        }
    return edges;
}

double fold_of(const SharedEdge& e, const std::vector<Triple>& faces, std::span<const Vec3> x)
{
    if (e.is_border()) return 0;
    const std::uint32_t c = faces[e.faces[0]][(e.position[0] + 2) % 3];
    const std::uint32_t d = faces[e.faces[1]][(e.position[1] + 2) % 3];
    return dihedral_angle(x[e.node_a], x[e.node_b], x[c], x[d]);
}

/// One panel as triangles of points of its own, with what their lengths should be.
struct Piece {
    std::vector<Triple> faces;                      // into points
    std::vector<std::array<Vec2, 3>> rest;          // each face laid flat by itself
    std::vector<std::array<double, 3>> half_weight; // of the edge opposite each corner: cotangent
    std::vector<Vec2> u;                            // the result
};

using Sparse = Eigen::SparseMatrix<double>;

/// Free boundaries, angles as they are in space in the sense of least squares [Levy2002]. Two
/// points are fixed; a piece that can be laid flat exactly is.
bool conformal_start(Piece& p, std::span<const Vec3> x)
{
    const std::size_t count = x.size();
    std::size_t first = 0, second = 0;
    const auto farthest_from = [&](std::size_t from) {
        std::size_t best = from;
        for (std::size_t i = 0; i < count; ++i)
            if (norm2(x[i] - x[from]) > norm2(x[best] - x[from])) best = i;
        return best;
    };
    first = farthest_from(0);
    second = farthest_from(first);
    if (first == second) return false;
    p.u.assign(count, Vec2{});
    p.u[second] = {norm(x[second] - x[first]), 0};

    std::vector<int> row(count, -1); // of the unknowns, u[0] and u[1] in turn
    int rows = 0;
    for (std::size_t i = 0; i < count; ++i)
        if (i != first && i != second) row[i] = 2 * rows++;
    // Each face asks for sum_k w_k z_k = 0 in complex numbers, weighted by 1 / sqrt(2 area).
    std::vector<Eigen::Triplet<double>> entries;
    Eigen::VectorXd right = Eigen::VectorXd::Zero(Eigen::Index(2 * p.faces.size()));
    for (std::size_t f = 0; f < p.faces.size(); ++f) {
        const auto& r = p.rest[f];
        const double scale = 1 / std::sqrt(2 * signed_area(r[0], r[1], r[2]));
        for (std::size_t k = 0; k < 3; ++k) {
            const Vec2 w = (r[(k + 2) % 3] - r[(k + 1) % 3]) * scale;
            const std::uint32_t i = p.faces[f][k];
            const int real = int(2 * f), imaginary = real + 1;
            if (row[i] >= 0) {
                entries.emplace_back(real, row[i], w[0]);
                entries.emplace_back(real, row[i] + 1, -w[1]);
                entries.emplace_back(imaginary, row[i], w[1]);
                entries.emplace_back(imaginary, row[i] + 1, w[0]);
            } else {
                right[real] -= w[0] * p.u[i][0] - w[1] * p.u[i][1];
                right[imaginary] -= w[1] * p.u[i][0] + w[0] * p.u[i][1];
            }
        }
    }
    if (rows == 0) return true;
    Sparse a(Eigen::Index(2 * p.faces.size()), Eigen::Index(2 * rows));
    a.setFromTriplets(entries.begin(), entries.end());
    const Sparse normal = Sparse(a.transpose()) * a;
    const Eigen::SimplicialLDLT<Sparse> solver(normal);
    if (solver.info() != Eigen::Success) return false;
    const Eigen::VectorXd z = solver.solve(Eigen::VectorXd(a.transpose() * right));
    if (!z.allFinite()) return false;
    for (std::size_t i = 0; i < count; ++i)
        if (row[i] >= 0) p.u[i] = {z[row[i]], z[row[i] + 1]};
    return true;
}

/// Turns (and no more) each face on its own to where it is, then moves the points to fit the
/// turned faces best, and so on [Liu2008].
bool make_rigid(Piece& p)
{
    const std::size_t count = p.u.size();
    std::vector<Eigen::Triplet<double>> entries;
    for (std::size_t f = 0; f < p.faces.size(); ++f)
        for (std::size_t k = 0; k < 3; ++k) {
            const auto i = int(p.faces[f][(k + 1) % 3]), j = int(p.faces[f][(k + 2) % 3]);
            const double w = p.half_weight[f][k];
            const auto add = [&](int row, int column, double value) {
                if (row > 0 && column > 0) entries.emplace_back(row - 1, column - 1, value);
            }; // point 0 stays
            add(i, i, w);
            add(j, j, w);
            add(i, j, -w);
            add(j, i, -w);
        }
    if (count < 2) return false;
    Sparse laplacian(Eigen::Index(count - 1), Eigen::Index(count - 1));
    laplacian.setFromTriplets(entries.begin(), entries.end());
    const Eigen::SimplicialLDLT<Sparse> solver(laplacian);
    if (solver.info() != Eigen::Success) return false;
    double extent = 0;
    for (const Vec2& u : p.u) extent = std::max(extent, norm(u - p.u[0]));
    for (int iteration = 0; iteration < most_iterations; ++iteration) {
        Eigen::MatrixXd right = Eigen::MatrixXd::Zero(Eigen::Index(count), 2);
        for (std::size_t f = 0; f < p.faces.size(); ++f) {
            double c = 0, s = 0; // of the best turn
            for (std::size_t k = 0; k < 3; ++k) {
                const Vec2 r = p.rest[f][(k + 2) % 3] - p.rest[f][(k + 1) % 3];
                const Vec2 e = p.u[p.faces[f][(k + 2) % 3]] - p.u[p.faces[f][(k + 1) % 3]];
                c += p.half_weight[f][k] * dot(r, e);
                s += p.half_weight[f][k] * cross(r, e);
            }
            const double length = std::hypot(c, s);
            if (!(length > 0)) continue;
            c /= length, s /= length;
            for (std::size_t k = 0; k < 3; ++k) {
                const auto i = Eigen::Index(p.faces[f][(k + 1) % 3]);
                const auto j = Eigen::Index(p.faces[f][(k + 2) % 3]);
                const Vec2 r =
                    (p.rest[f][(k + 2) % 3] - p.rest[f][(k + 1) % 3]) * p.half_weight[f][k];
                const Vec2 turned{c * r[0] - s * r[1], s * r[0] + c * r[1]};
                for (int axis = 0; axis < 2; ++axis) {
                    right(i, axis) -= turned[std::size_t(axis)];
                    right(j, axis) += turned[std::size_t(axis)];
                }
            }
        }
        const Eigen::MatrixXd u =
            solver.solve(Eigen::MatrixXd(right.bottomRows(Eigen::Index(count - 1))));
        if (!u.allFinite()) return false;
        double moved = 0;
        const Vec2 origin = p.u[0];
        for (std::size_t i = 1; i < count; ++i) {
            const auto k = Eigen::Index(i - 1);
            const Vec2 now = origin + Vec2{u(k, 0), u(k, 1)};
            moved = std::max(moved, norm(now - p.u[i]));
            p.u[i] = now;
        }
        if (moved <= still * extent) break;
    }
    return true;
}

bool is_folded(const Piece& p)
{
    return std::any_of(p.faces.begin(), p.faces.end(), [&](const Triple& f) {
        return !(signed_area(p.u[f[0]], p.u[f[1]], p.u[f[2]]) > 0);
    });
}

/// The direction in which a value of the corners grows, over all of the piece.
template <class Value> Vec2 direction_of(const Piece& p, Value value)
{
    Vec2 sum{};
    for (std::size_t f = 0; f < p.faces.size(); ++f)
        for (std::size_t k = 0; k < 3; ++k) {
            const Vec2 e = p.u[p.faces[f][(k + 2) % 3]] - p.u[p.faces[f][(k + 1) % 3]];
            sum += 0.5 * value(f, k) * Vec2{-e[1], e[0]}; // area times gradient of the corner's hat
        }
    return sum;
}

class Flattener {
public:
    Flattener(const MeshInput& input, std::span<const Vec3> shape, const Vec3& up)
        : in_(input), x_(shape), up_(up), edges_(edges_of(input.face_nodes)),
          is_cut_(edges_.size(), 0)
    {}

    FlattenReport run(MeshInput& out)
    {
        cut_at_seams();
        find_panels();
        open_panels();
        std::vector<Vec2> u;
        std::vector<Triple> points(in_.face_nodes.size());
        double offset = 0, sum = 0, total = 0;
        for (std::size_t i = 0; i < panels_.size() && report_.problems.empty(); ++i)
            lay_flat(panels_[i], u, points, offset, sum, total);
        report_.panel_count = panels_.size();
        if (!report_.problems.empty()) return std::move(report_);
        report_.mean_change = sum / total;
        out.material_u = std::move(u);
        out.face_points = std::move(points);
        return std::move(report_);
    }

private:
    void problem(std::uint32_t face, const char* found)
    {
        report_.problems.push_back(
            {MeshElement::face,
             {face},
             found,
             "seams (a UV map that is cut there) which part it into pieces that lie flat"});
    }

    void cut_at_seams()
    {
        for (std::size_t e = 0; e < edges_.size(); ++e) {
            const SharedEdge& s = edges_[e];
            if (s.is_border() || in_.face_points.empty()) continue;
            const auto point = [&](std::size_t side, std::size_t k) {
                return in_.material_u[in_.face_points[s.faces[side]][(s.position[side] + k) % 3]];
            };
            is_cut_[e] = !(point(0, 0) == point(1, 1) && point(0, 1) == point(1, 0));
        }
    }

    [[nodiscard]] bool joins(std::size_t e) const
    {
        return !edges_[e].is_border() && is_cut_[e] == 0;
    }

    void find_panels()
    {
        Groups groups(in_.face_nodes.size());
        for (std::size_t e = 0; e < edges_.size(); ++e)
            if (joins(e)) groups.join(edges_[e].faces[0], edges_[e].faces[1]);
        panels_.clear();
        panel_of_.assign(in_.face_nodes.size(), none);
        for (std::uint32_t f = 0; f < panel_of_.size(); ++f) {
            const std::uint32_t root = groups.of(f); // the lowest of the group
            if (root == f) {
                panel_of_[f] = std::uint32_t(panels_.size());
                panels_.emplace_back();
            }
            panel_of_[f] = panel_of_[root];
            panels_[panel_of_[f]].push_back(f);
        }
        find_points();
    }

    /// Corners at a node that are joined across edges share a point.
    void find_points()
    {
        Groups corners(3 * in_.face_nodes.size());
        for (std::size_t e = 0; e < edges_.size(); ++e) {
            if (!joins(e)) continue;
            const SharedEdge& s = edges_[e];
            const auto corner = [&](std::size_t side, std::size_t k) {
                return 3 * s.faces[side] + std::uint32_t((s.position[side] + k) % 3);
            };
            corners.join(corner(0, 0), corner(1, 1));
            corners.join(corner(0, 1), corner(1, 0));
        }
        point_of_.resize(3 * in_.face_nodes.size());
        for (std::uint32_t c = 0; c < point_of_.size(); ++c) point_of_[c] = corners.of(c);
    }

    /// V - E + F of each panel: 1 for a disc, 2 for a closed ball.
    [[nodiscard]] std::vector<int> euler_numbers() const
    {
        std::vector<int> euler(panels_.size(), 0);
        for (std::uint32_t c = 0; c < point_of_.size(); ++c)
            euler[panel_of_[c / 3]] += point_of_[c] == c;
        for (std::size_t e = 0; e < edges_.size(); ++e) {
            --euler[panel_of_[edges_[e].faces[0]]];
            if (!edges_[e].is_border() && !joins(e)) --euler[panel_of_[edges_[e].faces[1]]];
        }
        for (std::size_t p = 0; p < panels_.size(); ++p) euler[p] += int(panels_[p].size());
        return euler;
    }

    void open_panels()
    {
        std::vector<int> euler = euler_numbers();
        std::vector<std::uint8_t> has_border(panels_.size(), 0);
        for (std::size_t e = 0; e < edges_.size(); ++e)
            if (!joins(e))
                for (std::uint32_t f : edges_[e].faces)
                    if (f != none) has_border[panel_of_[f]] = 1;
        bool any = false;
        for (std::size_t e = 0; e < edges_.size(); ++e) {
            if (!joins(e) || has_border[panel_of_[edges_[e].faces[0]]] != 0) continue;
            if (std::abs(fold_of(edges_[e], in_.face_nodes, x_)) < sharp) continue;
            is_cut_[e] = 1;
            any = true;
        }
        if (any) {
            find_panels();
            euler = euler_numbers();
        }
        for (std::size_t p = 0; p < panels_.size(); ++p)
            if (euler[p] != 1) {
                cut_to_disc(std::uint32_t(p));
                ++report_.cut_count;
            }
        if (report_.cut_count == 0) return;
        find_points();
        euler = euler_numbers();
        for (std::size_t p = 0; p < panels_.size(); ++p)
            if (euler[p] != 1) problem(panels_[p][0], "a closed panel without a sharp edge");
    }

    /// Faces joined as a tree across the flattest edges cover a disc; of the edges that are left,
    /// those that lead nowhere are closed again [Gu2002].
    void cut_to_disc(std::uint32_t panel)
    {
        std::vector<std::pair<double, std::size_t>> inner; // fold, edge
        std::unordered_map<std::uint32_t, int> ends;       // cut or border edges at a node
        const auto count_ends = [&](const SharedEdge& s, int change) {
            ends[s.node_a] += change;
            ends[s.node_b] += change;
        };
        for (std::size_t e = 0; e < edges_.size(); ++e) {
            const SharedEdge& s = edges_[e];
            const bool here = panel_of_[s.faces[0]] == panel;
            if (here && joins(e))
                inner.emplace_back(std::abs(fold_of(s, in_.face_nodes, x_)), e);
            else if (here || (!s.is_border() && panel_of_[s.faces[1]] == panel))
                count_ends(s, 1);
        }
        std::sort(inner.begin(), inner.end());
        Groups tree(in_.face_nodes.size());
        std::vector<std::size_t> cut;
        for (const auto& [fold, e] : inner)
            if (!tree.join(edges_[e].faces[0], edges_[e].faces[1])) {
                cut.push_back(e);
                count_ends(edges_[e], 1);
            }
        for (bool any = true; any;) {
            any = false;
            for (std::size_t& e : cut) {
                if (e == edges_.size()) continue;
                const SharedEdge& s = edges_[e];
                if (ends[s.node_a] > 1 && ends[s.node_b] > 1) continue;
                count_ends(s, -1);
                e = edges_.size();
                any = true;
            }
        }
        for (std::size_t e : cut)
            if (e != edges_.size()) is_cut_[e] = 1;
    }

    void lay_flat(const std::vector<std::uint32_t>& faces, std::vector<Vec2>& u,
                  std::vector<Triple>& points, double& offset, double& sum, double& total)
    {
        Piece p;
        std::unordered_map<std::uint32_t, std::uint32_t> local;
        std::vector<Vec3> x;
        for (std::uint32_t f : faces) {
            Triple t{};
            std::array<Vec3, 3> q{};
            for (std::size_t k = 0; k < 3; ++k) {
                q[k] = x_[in_.face_nodes[f][k]];
                const auto [it, is_new] =
                    local.emplace(point_of_[3 * f + k], std::uint32_t(x.size()));
                if (is_new) x.push_back(q[k]);
                t[k] = it->second;
            }
            const Vec3 along = q[1] - q[0], far = q[2] - q[0];
            const double length = norm(along), twice_area = norm(cross(along, far));
            if (!(twice_area > 0)) {
                problem(f, "a face of no area, which has no lengths to take");
                return;
            }
            p.faces.push_back(t);
            p.rest.push_back(
                {Vec2{}, Vec2{length, 0}, Vec2{dot(far, along) / length, twice_area / length}});
            auto& w = p.half_weight.emplace_back();
            for (std::size_t k = 0; k < 3; ++k)
                w[k] = std::max(least_weight,
                                dot(q[(k + 1) % 3] - q[k], q[(k + 2) % 3] - q[k]) / twice_area);
        }
        const bool is_flat = conformal_start(p, x) && make_rigid(p);
        if (!is_flat || is_folded(p)) {
            problem(faces[0], "a panel that cannot be laid flat without folding over itself");
            return;
        }
        align(p, faces);

        Vec2 low{std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity()};
        Vec2 high = -1.0 * low;
        for (const Vec2& v : p.u)
            for (std::size_t k = 0; k < 2; ++k) {
                low[k] = std::min(low[k], v[k]);
                high[k] = std::max(high[k], v[k]);
            }
        const auto first = std::uint32_t(u.size());
        for (const Vec2& v : p.u) u.push_back(v - low + Vec2{offset, 0});
        offset += (1 + gap_between_panels) * (high[0] - low[0]);
        for (std::size_t i = 0; i < faces.size(); ++i)
            for (std::size_t k = 0; k < 3; ++k) {
                points[faces[i]][k] = first + p.faces[i][k];
                const std::size_t j = (k + 1) % 3;
                const double length = norm(p.rest[i][j] - p.rest[i][k]);
                const double now = norm(p.u[p.faces[i][j]] - p.u[p.faces[i][k]]);
                sum += std::abs(now - length);
                total += length;
                report_.worst_change =
                    std::max(report_.worst_change, std::abs(now - length) / length);
            }
    }

    /// Turns the piece so that u[1] grows with the given material coordinate, else upward, else
    /// (a piece that lies level) along an axis of the world.
    void align(Piece& p, const std::vector<std::uint32_t>& faces) const
    {
        double area = 0;
        for (const Triple& f : p.faces) area += signed_area(p.u[f[0]], p.u[f[1]], p.u[f[2]]);
        Vec2 d{};
        if (!in_.face_points.empty())
            d = direction_of(p, [&](std::size_t f, std::size_t k) {
                return in_.material_u[in_.face_points[faces[f]][k]][1];
            });
        constexpr double enough = 0.1; // of a slope of 1
        for (const Vec3& axis : {up_, Vec3{0, 1, 0}, Vec3{1, 0, 0}, Vec3{0, 0, 1}}) {
            if (!in_.face_points.empty() && norm(d) > 0) break;
            d = direction_of(p, [&](std::size_t f, std::size_t k) {
                return dot(x_[in_.face_nodes[faces[f]][k]], axis);
            });
            if (norm(d) > enough * area) break;
        }
        const double length = norm(d);
        if (!(length > 0)) return;
        const Vec2 y = d / length, x{y[1], -y[0]};
        for (Vec2& u : p.u) u = {dot(u, x), dot(u, y)};
    }

    const MeshInput& in_;
    std::span<const Vec3> x_;
    Vec3 up_;
    std::vector<SharedEdge> edges_;
    std::vector<std::uint8_t> is_cut_;               // by edge
    std::vector<std::vector<std::uint32_t>> panels_; // their faces
    std::vector<std::uint32_t> panel_of_;            // by face
    std::vector<std::uint32_t> point_of_;            // by corner, 3 face + k
    FlattenReport report_;
};

} // namespace

FlattenReport flatten_panels(MeshInput& input, std::span<const Vec3> shape, const Vec3& up)
{
    PLEAT_ASSERT(shape.size() == input.node_x.size(), "the shape has every node");
    return Flattener(input, shape, up).run(input);
}

void keep_sharp_edges(MeshInput& input, std::span<const Vec3> shape, double least_angle)
{
    PLEAT_ASSERT(shape.size() == input.node_x.size(), "the shape has every node");
    for (const SharedEdge& e : edges_of(input.face_nodes))
        if (std::abs(fold_of(e, input.face_nodes, shape)) >= least_angle)
            input.edge_marks.push_back({e.node_a, e.node_b, std::nullopt, true});
}

} // namespace pleat
