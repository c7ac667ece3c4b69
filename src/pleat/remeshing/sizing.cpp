// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/remeshing/sizing.hpp"

#include "pleat/core/parallel.hpp"
#include "pleat/geometry/decompose.hpp"
#include "pleat/remeshing/node_normals.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace pleat {

namespace {

/// Gradients of the three corners' hat functions, material space [1/m].
std::array<Vec2, 3> hat_gradients(const Vec2& a, const Vec2& b, const Vec2& c)
{
    const double twice_area = cross(b - a, c - a);
    const auto opposite = [&](const Vec2& from, const Vec2& to) {
        const Vec2 e = to - from; // turned left, it points at the corner
        return Vec2{-e[1], e[0]} / twice_area;
    };
    return {opposite(b, c), opposite(c, a), opposite(a, b)};
}

/// Gradient of a vector given at the corners: d value / d u.
inline Mat3x2 gradient(const std::array<Vec3, 3>& value, const std::array<Vec2, 3>& hats)
{
    return outer(value[0], hats[0]) + outer(value[1], hats[1]) + outer(value[2], hats[2]);
}

double square(double s)
{
    return s * s;
}

/// [Narain2012] eq. 9 at one corner. `away` is the unit vector from the obstacle's nearest point,
/// `distance` its distance.
Mat2 obstacle_tensor(const Mat3x2& f, const Vec3& away, double distance)
{
    const Vec2 slope = transpose(f) * away;
    return outer(slope, slope) * (1 / square(distance));
}

Mat2 turned(const Mat2& m, double angle)
{
    const double c = std::cos(angle), s = std::sin(angle);
    const Mat2 r{{c, -s, s, c}};
    return r * m * transpose(r);
}

} // namespace

double ideal_face_count(const Mesh& mesh, const MetricField& metric)
{
    return parallel_sum(mesh.face_count(), [&](std::size_t i) {
        const auto f = make_id<FaceId>(i);
        if (!mesh.is_alive(f)) return 0.0;
        const auto& v = mesh[f].verts;
        const double mean =
            (std::sqrt(determinant(metric[v[0]])) + std::sqrt(determinant(metric[v[1]])) +
             std::sqrt(determinant(metric[v[2]]))) /
            3;
        return 4 / std::numbers::sqrt3 * mean * material_area(mesh, f);
    });
}

Mat2 bounded(const Mat2& tensor, const SizingOptions& o)
{
    EigenSym2 s = eigen_symmetric(tensor);
    const double low = 1 / square(o.edge_max), high = 1 / square(o.edge_min);
    for (std::size_t k = 0; k < 2; ++k) s.values[k] = std::clamp(s.values[k], low, high);
    s.values[1] = std::max(s.values[1], square(o.aspect_min) * s.values[0]);
    const Vec2 first = column(s.vectors, 0), second = column(s.vectors, 1);
    return outer(first, first) * s.values[0] + outer(second, second) * s.values[1];
}

namespace {

/// What the nodes know of the cloth and of the obstacles around it.
struct NodeLook {
    Field<NodeId, Vec3> normal;
    // Where the nearest obstacle point lies, and how near: zero is "none within reach".
    Field<NodeId, Vec3> away;
    Field<NodeId, double> distance;
};

NodeLook look_from_nodes(const Model& model, const State& state, const ObstacleTree& obstacles,
                         const std::vector<std::optional<SizingOptions>>& by_cloth)
{
    const Mesh& mesh = model.mesh;
    NodeLook look{node_normals(mesh, state.x),
                  Field<NodeId, Vec3>(mesh.node_count(), FieldRule::reset),
                  Field<NodeId, double>(mesh.node_count(), FieldRule::reset)};
    if (obstacles.empty()) return look;
    parallel_chunks(mesh.node_count(), default_chunk,
                    [&](std::size_t, std::size_t begin, std::size_t end) {
                        std::uint32_t hint = 0; // nodes in a row are near one another
                        for (std::size_t i = begin; i < end; ++i) {
                            const auto n = make_id<NodeId>(i);
                            const auto& options = by_cloth[index(model.cloth_of(mesh[n].face))];
                            if (!options) continue;
                            const auto p = obstacles.nearest(state.x[n], options->edge_max, hint);
                            if (!p) continue;
                            const Vec3 d = state.x[n] - *p;
                            const double length = norm(d);
                            if (length == 0) continue; // in contact: no side to keep to
                            look.away[n] = d / length;
                            // Nearer than this asks for edges far below edge_min, which they cannot
                            // have.
                            look.distance[n] = std::max(length, 1e-3 * options->edge_min);
                        }
                    });
    return look;
}

/// What asks for fineness in one face.
struct Drivers {
    Mat2 curvature{}, compression{}, velocity{}, obstacle{};
    [[nodiscard]] Mat2 sum() const { return curvature + compression + velocity + obstacle; }
};

Drivers drivers_of(const Mesh& mesh, const State& state, const NodeLook& look,
                   const SizingOptions& o, FaceId f)
{
    Drivers d;
    const auto& v = mesh[f].verts;
    const auto n = mesh.nodes_of(f);
    const auto hats = hat_gradients(mesh.u(v[0]), mesh.u(v[1]), mesh.u(v[2]));
    const Mat3x2 grad_x = gradient({state.x[n[0]], state.x[n[1]], state.x[n[2]]}, hats);
    if (o.angle > 0) { // [Narain2012] eq. 6
        const Mat3x2 grad_n =
            gradient({look.normal[n[0]], look.normal[n[1]], look.normal[n[2]]}, hats);
        d.curvature = transpose(grad_n) * grad_n * (1 / square(o.angle));
    }
    if (o.compression > 0) // [Narain2012] eq. 8
        d.compression =
            clamp_psd(identity<2>() - transpose(grad_x) * grad_x) * (1 / square(o.compression));
    if (o.velocity > 0) { // [Narain2012] eq. 7
        const Mat3x2 grad_v = gradient({state.v[n[0]], state.v[n[1]], state.v[n[2]]}, hats);
        d.velocity = transpose(grad_v) * grad_v * (1 / square(o.velocity));
    }
    for (NodeId k : n)
        if (look.distance[k] > 0)
            d.obstacle += obstacle_tensor(grad_x, look.away[k], look.distance[k]) * (1.0 / 3);
    return d;
}

/// \param keep called with each face and its drivers; may be called for several at once.
template <class Keep>
Field<FaceId, Mat2> metric_of(const Model& model, const State& state, const ObstacleTree& obstacles,
                              const std::vector<std::optional<SizingOptions>>& by_cloth,
                              const std::vector<SizingAdjustment>& adjustments, Keep&& keep)
{
    const Mesh& mesh = model.mesh;
    const NodeLook look = look_from_nodes(model, state, obstacles, by_cloth);
    Field<FaceId, Mat2> metric(mesh.face_count(), FieldRule::area_average);
    const auto options_of = [&](FaceId f) -> const std::optional<SizingOptions>& {
        return by_cloth[index(model.cloth_of(f))];
    };
    const bool is_final = adjustments.empty();
    parallel_for(mesh.face_count(), [&](std::size_t i) {
        const auto f = make_id<FaceId>(i);
        const auto& o = options_of(f);
        if (!o) return;
        const Drivers d = drivers_of(mesh, state, look, *o, f);
        keep(f, d);
        metric[f] = is_final ? bounded(d.sum(), *o) : d.sum();
    });
    if (is_final) return metric;
    for (const SizingAdjustment& adjust : adjustments) adjust(model, state, metric);
    parallel_for(mesh.face_count(), [&](std::size_t i) {
        const auto f = make_id<FaceId>(i);
        if (const auto& o = options_of(f)) metric[f] = bounded(metric[f], *o);
    });
    return metric;
}

} // namespace

FaceSizing face_sizing(const Model& model, const State& state, const ObstacleTree& obstacles,
                       const std::vector<std::optional<SizingOptions>>& by_cloth,
                       const std::vector<SizingAdjustment>& adjustments)
{
    const Field<FaceId, Mat2> zero(model.mesh.face_count(), FieldRule::area_average);
    FaceSizing s{zero, zero, zero, zero, zero};
    s.metric =
        metric_of(model, state, obstacles, by_cloth, adjustments, [&](FaceId f, const Drivers& d) {
            s.curvature[f] = d.curvature;
            s.compression[f] = d.compression;
            s.velocity[f] = d.velocity;
            s.obstacle[f] = d.obstacle;
        });
    return s;
}

Field<FaceId, Mat2> face_metric(const Model& model, const State& state,
                                const ObstacleTree& obstacles,
                                const std::vector<std::optional<SizingOptions>>& by_cloth,
                                const std::vector<SizingAdjustment>& adjustments)
{
    return metric_of(model, state, obstacles, by_cloth, adjustments, [](FaceId, const Drivers&) {});
}

MetricField vert_metric(const Mesh& mesh, const Field<FaceId, Mat2>& face_metric)
{
    MetricField metric(mesh.vert_count(), FieldRule::interpolate);
    parallel_for(mesh.node_count(), [&](std::size_t i) {
        const auto node = make_id<NodeId>(i);
        Mat2 sum{};
        double area = 0, angles = 0;
        VertId first = no_vert, last = no_vert;
        bool on_seam = false;
        EdgeId leave = no_edge, enter = no_edge;
        const auto corner_angles = [&](FaceId f, std::size_t corner) { // start, width
            const auto& v = mesh[f].verts;
            const Vec2 a = mesh.u(v[(corner + 1) % 3]) - mesh.u(v[corner]);
            const Vec2 b = mesh.u(v[(corner + 2) % 3]) - mesh.u(v[corner]);
            return std::array{std::atan2(a[1], a[0]), std::atan2(cross(a, b), dot(a, b))};
        };
        mesh.visit_faces(node, [&](FaceId f, std::size_t corner) {
            const VertId v = mesh[f].verts[corner];
            if (!is_some(first)) {
                first = v;
                leave = mesh[f].edges[corner];
            }
            enter = mesh[f].edges[(corner + 2) % 3];
            on_seam = on_seam || (is_some(last) && v != last);
            last = v;
            const double a = material_area(mesh, f);
            sum += face_metric[f] * a;
            area += a;
        });
        if (!on_seam) { // one vert, one plane
            metric[first] = sum * (1 / area);
            return;
        }
        // The faces side by side in one plane, from angle 0 on.
        mesh.visit_faces(
            node, [&](FaceId f, std::size_t corner) { angles += corner_angles(f, corner)[1]; });
        const bool on_outline = mesh.is_border(leave) || mesh.is_border(enter);
        const double scale = (on_outline ? 1 : 2) * std::numbers::pi / angles;
        sum = {};
        double laid = 0;
        mesh.visit_faces(node, [&](FaceId f, std::size_t corner) {
            const auto [start, width] = corner_angles(f, corner);
            const double turn = laid + 0.5 * width * scale - (start + 0.5 * width);
            sum += turned(face_metric[f], turn) * material_area(mesh, f);
            laid += width * scale;
        });
        sum *= 1 / area;
        // Back to each vert: by the turn of the middle of its own stretch of faces. On a closed
        // fan the walk may begin amid a stretch; the two parts are then one across 2 pi.
        struct Stretch {
            VertId vert;
            double laid, width, start;
        };
        std::vector<Stretch> stretches;
        laid = 0;
        mesh.visit_faces(node, [&](FaceId f, std::size_t corner) {
            const auto [start, width] = corner_angles(f, corner);
            const VertId v = mesh[f].verts[corner];
            if (stretches.empty() || stretches.back().vert != v)
                stretches.push_back({v, laid, 0, start});
            stretches.back().width += width;
            laid += width * scale;
        });
        if (!on_outline && stretches.size() > 1 &&
            stretches.front().vert == stretches.back().vert) {
            stretches.back().width += stretches.front().width;
            stretches.erase(stretches.begin());
        }
        for (const Stretch& s : stretches) {
            const double turn = s.laid + 0.5 * s.width * scale - (s.start + 0.5 * s.width);
            metric[s.vert] = turned(sum, -turn);
        }
    });
    return metric;
}

} // namespace pleat
