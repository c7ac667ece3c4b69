// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/remeshing/separate.hpp"

#include "pleat/geometry/distance.hpp"

#include <algorithm>
#include <cmath>

namespace pleat {

namespace {

// A pair is moved apart by this share of the way that it came, beyond touching, but by no more
// than `most_margin` and no less than `least_margin` [m]: enough for rounding, too little to see.
constexpr double margin_share = 0.1, least_margin = 1e-6, most_margin = 1e-4;

constexpr int sweeps = 60;
constexpr double solved = 1e-3; // share of a constraint's demand that may stay unmet in a solve

/// way . sum(weight x) is to grow by `demand` over its value at the beginning.
struct Constraint {
    std::vector<NodeId> nodes;
    std::vector<double> weights; // of the one face, less those of the other
    Vec3 way{};
    double goal = 0;    // of way . sum(weight x)
    double give = 0;    // sum(weight^2 inverse_mass)
    double impulse = 0; // so far, not negative
    double demand = 0;  // [m]
};

void add_free_weight(Constraint& c, NodeId node, double weight)
{
    const auto at = std::find(c.nodes.begin(), c.nodes.end(), node);
    if (at == c.nodes.end()) {
        c.nodes.push_back(node);
        c.weights.push_back(weight);
    } else {
        c.weights[std::size_t(at - c.nodes.begin())] += weight;
    }
}

/// The parents stand for a dependent node.
void add_weight(const Dependencies& dependencies, Constraint& c, NodeId node, double weight)
{
    dependencies.visit(index(node), weight, [&](std::uint32_t free_node, double w) {
        add_free_weight(c, make_id<NodeId>(free_node), w);
    });
}

double along(const Constraint& c, const Field<NodeId, Vec3>& x)
{
    double sum = 0;
    for (std::size_t k = 0; k < c.nodes.size(); ++k)
        sum += c.weights[k] * dot(c.way, x[c.nodes[k]]);
    return sum;
}

/// Middle of what two triangles share, or of their nearest points where that is no segment.
Vec3 meeting_point(const std::array<Vec3, 3>& a, const std::array<Vec3, 3>& b)
{
    if (const auto segment = intersection_segment(a, b))
        return ((*segment)[0] + (*segment)[1]) * 0.5;
    const TriangleTriangleDistance d = triangle_triangle_distance(a, b);
    return (d.point_a + d.point_b) * 0.5;
}

struct PointOfFace {
    std::array<double, 3> weights;
    Vec3 before; // where it was [m]
};

PointOfFace point_of(const Mesh& mesh, const Field<NodeId, Vec3>& x, const MaterialMap& before,
                     FaceId face, const Vec3& point)
{
    const FaceDraft f = face_draft(mesh, x, face);
    const auto weights = point_triangle_distance(point, f.x[0], f.x[1], f.x[2]).weights;
    Vec2 u{}, centre{};
    for (std::size_t k = 0; k < 3; ++k) {
        u += weights[k] * mesh.u(mesh[face].verts[k]);
        centre += mesh.u(mesh[face].verts[k]) / 3.0;
    }
    return {weights, before.position(mesh.panel(face), u, centre)};
}

/// \return false where the pair says nothing of where to go
bool add_constraint(const Mesh& mesh, const Field<NodeId, double>& inverse_mass,
                    const MaterialMap& before, const FaceCrossing& crossing,
                    const Field<NodeId, Vec3>& x, const Dependencies& dependencies,
                    std::vector<Constraint>& constraints)
{
    const std::array<Vec3, 3> a = face_draft(mesh, x, crossing.face).x;
    const bool with_cloth = is_some(crossing.other);
    const std::array<Vec3, 3> b =
        with_cloth ? face_draft(mesh, x, crossing.other).x : crossing.obstacle;
    const Vec3 point = meeting_point(a, b);
    Constraint c;
    const PointOfFace of_a = point_of(mesh, x, before, crossing.face, point);
    Vec3 other_before = point;
    const auto nodes_a = mesh.nodes_of(crossing.face);
    for (std::size_t k = 0; k < 3; ++k) add_weight(dependencies, c, nodes_a[k], of_a.weights[k]);
    if (with_cloth) {
        const PointOfFace of_b = point_of(mesh, x, before, crossing.other, point);
        other_before = of_b.before;
        const auto nodes_b = mesh.nodes_of(crossing.other);
        for (std::size_t k = 0; k < 3; ++k)
            add_weight(dependencies, c, nodes_b[k], -of_b.weights[k]);
    }
    const Vec3 back = of_a.before - other_before;
    const double length = norm(back);
    if (!(length > 0)) return false;
    c.way = back / length;
    c.demand =
        exit_distance(a, b, c.way) + std::clamp(margin_share * length, least_margin, most_margin);
    for (std::size_t k = 0; k < c.nodes.size(); ++k)
        c.give += c.weights[k] * c.weights[k] * inverse_mass[c.nodes[k]];
    if (!(c.give > 0)) return false;
    c.goal = along(c, x) + c.demand;
    constraints.push_back(std::move(c));
    return true;
}

/// The positions nearest to `start`, weighted with mass, that meet all constraints: projected
/// Gauss-Seidel on the impulses.
void solve(const Field<NodeId, double>& inverse_mass, std::vector<Constraint>& constraints,
           Field<NodeId, Vec3>& x)
{
    for (int sweep = 0; sweep < sweeps; ++sweep) {
        bool met = true;
        for (Constraint& c : constraints) {
            const double missing = c.goal - along(c, x);
            const double impulse = std::max(0.0, c.impulse + missing / c.give);
            const double change = impulse - c.impulse;
            met = met && missing <= solved * c.demand;
            if (change == 0) continue;
            c.impulse = impulse;
            for (std::size_t k = 0; k < c.nodes.size(); ++k)
                x[c.nodes[k]] += c.way * (change * c.weights[k] * inverse_mass[c.nodes[k]]);
        }
        if (met) return;
    }
}

} // namespace

double exit_distance(const std::array<Vec3, 3>& a, const std::array<Vec3, 3>& b, const Vec3& way)
{
    // The last contact of a moving triangle with a resting one is a corner on a face or an edge on
    // an edge; each gives a moment.
    constexpr double slack = 1e-9; // of barycentric coordinates
    double last = 0;
    // Solves p + t way = q + r e + s f for (t, r, s).
    const auto meet = [&](const Vec3& p, const Vec3& q, const Vec3& e, const Vec3& f) {
        const Vec3 n = cross(e, f), d = q - p;
        const double det = dot(way, n);
        if (std::abs(det) <= 1e-14 * norm(n)) return std::array<double, 3>{-1, -1, -1};
        return std::array<double, 3>{dot(d, n) / det, -dot(cross(way, d), f) / det,
                                     dot(cross(way, d), e) / det};
    };
    const auto corner_on_face = [&](const Vec3& p, const std::array<Vec3, 3>& t, double sign) {
        const auto [time, r, s] = meet(p, t[0], t[1] - t[0], t[2] - t[0]);
        if (r >= -slack && s >= -slack && r + s <= 1 + slack) last = std::max(last, sign * time);
    };
    for (std::size_t i = 0; i < 3; ++i) {
        corner_on_face(a[i], b, 1);
        corner_on_face(b[i], a, -1);
        for (std::size_t j = 0; j < 3; ++j) {
            const Vec3 ea = a[(i + 1) % 3] - a[i], eb = b[(j + 1) % 3] - b[j];
            // a_i + r ea + t way = b_j + s eb
            const auto [time, r, s] = meet(a[i], b[j], eb, ea * -1.0);
            if (r >= -slack && r <= 1 + slack && s >= -slack && s <= 1 + slack)
                last = std::max(last, time);
        }
    }
    return last;
}

SeparateReport separate(const Mesh& mesh, const Field<NodeId, double>& inverse_mass,
                        const ObstacleTree& obstacles, const MaterialMap& before,
                        std::vector<FaceCrossing> crossings, const SeparateOptions& options,
                        Field<NodeId, Vec3>& x, const Dependencies& dependencies)
{
    SeparateReport report;
    const Field<NodeId, Vec3> start = x;
    FaceTree tree = face_tree(mesh, x);
    std::vector<Constraint> constraints;
    std::vector<std::uint8_t> is_moved(mesh.face_count(), 0);
    std::size_t fewest = crossings.size();
    int in_vain = 0; // rounds since there were fewer
    for (; !crossings.empty() && report.rounds < options.max_rounds; ++report.rounds) {
        bool any = false;
        for (const FaceCrossing& c : crossings)
            any =
                add_constraint(mesh, inverse_mass, before, c, x, dependencies, constraints) || any;
        if (!any) break;
        solve(inverse_mass, constraints, x);
        follow(dependencies, x.span());
        const auto add_moved = [&](NodeId n) {
            if (x[n] == start[n]) return;
            mesh.visit_faces(n, [&](FaceId f, std::size_t) {
                if (is_moved[index(f)] == 0) report.moved_faces.push_back(f);
                is_moved[index(f)] = 1;
            });
        };
        for (const Constraint& c : constraints)
            for (NodeId n : c.nodes) add_moved(n);
        if (!dependencies.empty())
            for (NodeId n : mesh.nodes())
                if (dependencies.depends(index(n))) add_moved(n);
        for (FaceId f : report.moved_faces) tree.put(f, WorldBox::of(face_draft(mesh, x, f).x));
        // A pair that could not be moved is among neither: it is looked at again as well.
        std::vector<FaceId> suspects = report.moved_faces;
        for (const FaceCrossing& c : crossings)
            if (is_moved[index(c.face)] == 0) suspects.push_back(c.face);
        std::sort(suspects.begin(), suspects.end());
        suspects.erase(std::unique(suspects.begin(), suspects.end()), suspects.end());
        crossings = find_face_crossings(mesh, x, tree, obstacles, suspects);
        in_vain = crossings.size() < fewest ? 0 : in_vain + 1;
        fewest = std::min(fewest, crossings.size());
        if (in_vain > options.patience) break;
    }
    report.constraints = constraints.size();
    report.ok = crossings.empty();
    report.left = std::move(crossings);
    for (const Constraint& c : constraints)
        for (NodeId n : c.nodes)
            report.largest_move = std::max(report.largest_move, norm(x[n] - start[n]));
    return report;
}

} // namespace pleat
