// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/contact/untangle.hpp"

#include "pleat/contact/audit.hpp"
#include "pleat/core/error.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <vector>

namespace pleat {

namespace {

// Moves grow by this share in each iteration without progress, and are reset to one step by
// progress. This resolves symmetric tangles, which would otherwise not move.
constexpr double impatience = 0.02;
constexpr double most_impatience = 4;

/// Where an edge pierces a face.
struct Corner {
    std::array<std::uint32_t, 2> edge;
    TriangleIndices face;
    Vec3 point{};
    double s = 0;                    // along the edge
    std::array<double, 3> weights{}; // in the face
    Vec3 along{};                    // sum of unit vectors along the contour
};

/// All points numbered through: cloth nodes, then obstacle points.
struct Tangle {
    std::vector<Vec3> x;
    std::vector<TriangleIndices> faces; // of cloth, then of obstacles
    std::size_t cloth_nodes = 0, cloth_faces = 0;
};

/// Of a half-space.
struct Plane {
    Vec3 point, normal;

    [[nodiscard]] double height(const Vec3& x) const { return dot(normal, x - point); }
};

std::optional<Corner> pierce(const Tangle& t, std::uint32_t a, std::uint32_t b,
                             const TriangleIndices& face)
{
    const Vec3 &p = t.x[face[0]], &q = t.x[face[1]], &r = t.x[face[2]];
    const Vec3 n = cross(q - p, r - p);
    const double n2 = norm2(n), da = dot(n, t.x[a] - p), db = dot(n, t.x[b] - p);
    if (n2 == 0 || (da > 0) == (db > 0) || da == db) return {};
    const double s = da / (da - db);
    const Vec3 point = t.x[a] * (1 - s) + t.x[b] * s;
    const double wq = dot(cross(point - p, r - p), n) / n2,
                 wr = dot(cross(q - p, point - p), n) / n2;
    if (wq < 0 || wr < 0 || wq + wr > 1) return {};
    return Corner{{a, b}, face, point, s, {1 - wq - wr, wq, wr}, {}};
}

/// The corners of all contours, each with the directions of the contour there.
std::vector<Corner> contour_corners(const Tangle& t, std::span<const FacePair> crossings)
{
    std::map<std::array<std::uint32_t, 5>, Corner> corners;
    for (const FacePair& pair : crossings) {
        const TriangleIndices& a = t.faces[pair.face_a];
        const TriangleIndices& b = t.faces[(pair.object_b == 0 ? 0 : t.cloth_faces) + pair.face_b];
        std::vector<Corner> found;
        const auto look = [&](const TriangleIndices& edges, const TriangleIndices& face) {
            for (std::size_t k = 0; k < 3; ++k) {
                const std::uint32_t e0 = std::min(edges[k], edges[(k + 1) % 3]),
                                    e1 = std::max(edges[k], edges[(k + 1) % 3]);
                if (std::find(face.begin(), face.end(), e0) != face.end() ||
                    std::find(face.begin(), face.end(), e1) != face.end())
                    continue;
                if (const auto corner = pierce(t, e0, e1, face)) found.push_back(*corner);
            }
        };
        look(a, b);
        look(b, a);
        if (found.empty()) continue;
        // The other end: the corner farthest away, or a node that the faces share.
        for (const Corner& c : found) {
            Vec3 other = c.point;
            for (const Corner& d : found)
                if (norm2(d.point - c.point) > norm2(other - c.point)) other = d.point;
            if (found.size() == 1)
                for (const std::uint32_t n : a)
                    if (std::find(b.begin(), b.end(), n) != b.end()) other = t.x[n];
            const std::array<std::uint32_t, 5> key = {c.edge[0], c.edge[1], c.face[0], c.face[1],
                                                      c.face[2]};
            corners.try_emplace(key, c).first->second.along += normalized(other - c.point);
        }
    }
    std::vector<Corner> list;
    for (const auto& [key, corner] : corners) list.push_back(corner);
    return list;
}

/// The way that shortens the contour, of length at most 1.
Vec3 way_out(const Tangle& t, const Corner& c)
{
    const Vec3 e = normalized(t.x[c.edge[1]] - t.x[c.edge[0]]);
    const Vec3 n =
        normalized(cross(t.x[c.face[1]] - t.x[c.face[0]], t.x[c.face[2]] - t.x[c.face[0]]));
    const double en = dot(e, n);
    if (en == 0) return c.along;
    const Vec3 u = c.along - n * (dot(e, c.along) / en);
    return u / std::sqrt(1 + norm2(u)); // long where the edge lies nearly in the face
}

/// Lifts what lies in a half-space out of it. Heights are squeezed, not cut off: those from the
/// lowest one up to as much above the plane keep their order, and with it the layers of the cloth.
template <class MayMove>
void lift(const Plane& plane, double clearance, MayMove&& may_move, std::span<Vec3> x)
{
    double lowest = clearance;
    for (std::uint32_t n = 0; n < x.size(); ++n)
        if (may_move(n)) lowest = std::min(lowest, plane.height(x[n]));
    if (lowest >= clearance) return;
    const double top = std::max(2 * clearance, clearance - lowest);
    for (std::uint32_t n = 0; n < x.size(); ++n) {
        const double h = plane.height(x[n]);
        if (!may_move(n) || h >= top) continue;
        const double to = clearance + (h - lowest) * (top - clearance) / (top - lowest);
        x[n] += (to - h) * plane.normal;
    }
}

std::size_t count_faces_below(const Tangle& t, std::span<const Plane> planes)
{
    std::size_t count = 0;
    for (const TriangleIndices& f : std::span(t.faces).first(t.cloth_faces))
        for (const Plane& p : planes)
            count += std::any_of(f.begin(), f.end(),
                                 [&](std::uint32_t n) { return p.height(t.x[n]) < 0; });
    return count;
}

/// Nodes off the contours move with their neighbours, less and less with distance: the region
/// inside a contour moves along, and the cloth is not stretched at its border.
void spread(const Mesh& mesh, std::span<const double> weight, std::vector<Vec3>& move)
{
    constexpr int rings = 12;
    std::vector<Vec3> sum(move.size());
    std::vector<double> count(move.size());
    for (int k = 0; k < rings; ++k) {
        std::fill(sum.begin(), sum.end(), Vec3{});
        std::fill(count.begin(), count.end(), 0.0);
        for (EdgeId e : mesh.edges()) {
            const std::uint32_t a = index(mesh[e].nodes[0]), b = index(mesh[e].nodes[1]);
            sum[a] += move[b];
            sum[b] += move[a];
            count[a] += 1;
            count[b] += 1;
        }
        for (std::size_t n = 0; n < move.size(); ++n)
            if (weight[n] == 0 && count[n] > 0) move[n] = sum[n] / count[n];
    }
}

/// The state of one call of untangle().
class Untangling {
public:
    Untangling(const Model& model, const World& world, std::span<const ObstacleSample> obstacles,
               std::span<const std::uint8_t> held, const UntangleOptions& options)
        : model_(model), held_(held), options_(options)
    {
        const Mesh& mesh = model.mesh;
        t_.cloth_nodes = mesh.node_count();
        t_.cloth_faces = mesh.face_count();
        for (FaceId f : mesh.faces()) {
            const auto n = mesh.nodes_of(f);
            t_.faces.push_back({index(n[0]), index(n[1]), index(n[2])});
        }
        for (const ObstacleSample& s : obstacles) add_obstacle(world, s);
        t_.x.resize(t_.cloth_nodes);
        t_.x.insert(t_.x.end(), obstacle_x_.begin(), obstacle_x_.end());
        move_.resize(t_.cloth_nodes);
        weight_.resize(t_.cloth_nodes);
    }

    UntangleReport run(State& state)
    {
        UntangleReport report;
        std::copy(state.x.begin(), state.x.end(), t_.x.begin());
        std::vector<FacePair> crossings = crossings_now();
        report.crossings_before = crossings.size() + count_faces_below(t_, planes_);
        lift_all();
        if (!planes_.empty()) crossings = crossings_now();
        std::size_t fewest = crossings.size();
        double eagerness = 1;
        const int alone = options_.max_iterations / 4; // iterations that move the contours alone
        for (; !crossings.empty() && report.iterations < options_.max_iterations;
             ++report.iterations) {
            if (report.iterations == alone) {
                // Second attempt: the cloth around the contours moves too.
                std::copy(state.x.begin(), state.x.end(), t_.x.begin());
                lift_all();
                crossings = crossings_now();
                fewest = crossings.size();
                eagerness = 1;
            }
            find_moves(crossings);
            if (report.iterations >= alone) spread(model_.mesh, weight_, move_);
            for (std::uint32_t n = 0; n < t_.cloth_nodes; ++n)
                if (may_move(n)) t_.x[n] += (eagerness * options_.step) * move_[n];
            lift_all();
            crossings = crossings_now();
            if (crossings.size() < fewest) {
                fewest = crossings.size();
                eagerness = 1;
            } else {
                eagerness = std::min(most_impatience, eagerness + impatience);
            }
        }
        report.crossings_after = crossings.size() + count_faces_below(t_, planes_);
        report.ok = report.crossings_after == 0;
        for (std::size_t n = 0; n < t_.cloth_nodes; ++n) {
            report.largest_move = std::max(report.largest_move, norm(t_.x[n] - state.x.values[n]));
            state.x.values[n] = t_.x[n];
        }
        return report;
    }

private:
    void add_obstacle(const World& world, const ObstacleSample& s)
    {
        const Obstacle& body = world.obstacles[s.obstacle];
        for (const TriangleIndices& p : body.planes) {
            const Vec3 &a = s.x_t0[p[0]], &b = s.x_t0[p[1]], &c = s.x_t0[p[2]];
            planes_.push_back({a, normalized(cross(b - a, c - a))});
        }
        for (const TriangleIndices& f : solid_faces(body)) {
            TriangleIndices shifted = f;
            for (std::uint32_t& n : shifted) n += std::uint32_t(obstacle_x_.size());
            obstacle_faces_.push_back(shifted);
            for (std::uint32_t& n : shifted) n += std::uint32_t(t_.cloth_nodes);
            t_.faces.push_back(shifted);
        }
        obstacle_x_.insert(obstacle_x_.end(), s.x_t0.begin(), s.x_t0.end());
    }

    /// Whether the node is moved; dependent nodes follow their parents.
    [[nodiscard]] bool may_move(std::uint32_t n) const
    {
        return n < t_.cloth_nodes && (held_.empty() || held_[n] == 0) &&
               !model_.dependencies.depends(n);
    }

    [[nodiscard]] std::vector<FacePair> crossings_now() const
    {
        const AuditMesh meshes[] = {{std::span<const Vec3>(t_.x).first(t_.cloth_nodes),
                                     std::span(t_.faces).first(t_.cloth_faces), 0, false},
                                    {obstacle_x_, obstacle_faces_, 1, true}};
        return audit_intersections(meshes, {}).crossings;
    }

    /// Lifts the cloth out of half-spaces, and puts dependent nodes where their parents say.
    void lift_all()
    {
        const std::span<Vec3> x = std::span(t_.x).first(t_.cloth_nodes);
        for (const Plane& p : planes_)
            lift(
                p, options_.step, [&](std::uint32_t n) { return may_move(n); }, x);
        follow(model_.dependencies, x);
    }

    /// The mean of the moves that contour corners ask of each node, of length at most 1.
    void find_moves(std::span<const FacePair> crossings)
    {
        std::fill(move_.begin(), move_.end(), Vec3{});
        std::fill(weight_.begin(), weight_.end(), 0.0);
        for (const Corner& c : contour_corners(t_, crossings)) {
            const Vec3 u = way_out(t_, c);
            double give_edge = 0, give_face = 0; // how far a unit displacement of the nodes reaches
            const std::array<double, 2> along = {1 - c.s, c.s};
            const Dependencies& dependencies = model_.dependencies;
            dependencies.visit_sum(c.edge, along, [&](std::uint32_t n, double w) {
                if (may_move(n)) give_edge += w * w;
            });
            dependencies.visit_sum(c.face, c.weights, [&](std::uint32_t n, double w) {
                if (may_move(n)) give_face += w * w;
            });
            if (give_edge + give_face == 0) continue;
            const auto add = [&](std::uint32_t n, double w) {
                if (!may_move(n)) return;
                move_[n] += (w / (give_edge + give_face)) * u;
                weight_[n] += 1;
            };
            dependencies.visit_sum(c.edge, along, add);
            dependencies.visit_sum(c.face, c.weights,
                                   [&](std::uint32_t n, double w) { add(n, -w); });
        }
        for (std::size_t n = 0; n < t_.cloth_nodes; ++n) {
            if (weight_[n] == 0) continue;
            move_[n] *= 1 / weight_[n];
            if (norm2(move_[n]) > 1) move_[n] = normalized(move_[n]);
        }
    }

    const Model& model_;
    std::span<const std::uint8_t> held_; // by node, or empty
    const UntangleOptions& options_;
    Tangle t_;
    std::vector<Vec3> obstacle_x_;
    std::vector<TriangleIndices> obstacle_faces_;
    std::vector<Plane> planes_;
    std::vector<Vec3> move_;     // by node
    std::vector<double> weight_; // by node: how many corners ask for a move
};

} // namespace

UntangleReport untangle(const Model& model, const World& world,
                        std::span<const ObstacleSample> obstacles,
                        std::span<const std::uint8_t> held, const UntangleOptions& options,
                        State& state)
{
    PLEAT_ASSERT(held.empty() || held.size() == model.mesh.node_count(), "one mark a node");
    return Untangling(model, world, obstacles, held, options).run(state);
}

} // namespace pleat
