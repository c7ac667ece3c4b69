// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/remeshing/sizing.hpp"

#include "pleat/core/parallel.hpp"
#include "pleat/remeshing/node_normals.hpp"
#include "pleat/remeshing/world_box.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

namespace pleat {

namespace {

constexpr std::size_t lanes = FourBoxes::width;

/// A number of four faces, which are looked at together: the same few hundred products for each.
struct Four {
    Lanes of{};

    Four() = default;
    Four(const Lanes& each) : of(each) {}
    explicit Four(double all) : of{all, all, all, all} {}

    double operator[](std::size_t lane) const { return of[lane]; }
    void set(std::size_t lane, double value) { of[lane] = value; }
    Four& operator+=(const Four& b) { return *this = of + b.of; }
    Four& operator-=(const Four& b) { return *this = of - b.of; }
    Four& operator*=(const Four& b) { return *this = of * b.of; }
    Four& operator/=(const Four& b) { return *this = of / b.of; }
    friend Four operator+(Four a, const Four& b) { return a += b; }
    friend Four operator-(Four a, const Four& b) { return a -= b; }
    friend Four operator*(Four a, const Four& b) { return a *= b; }
    friend Four operator/(Four a, const Four& b) { return a /= b; }
    friend Four operator-(const Four& a) { return -a.of; }

    using Mask = decltype(Lanes{} < Lanes{});
    friend Mask operator<(const Four& a, const Four& b) { return a.of < b.of; }
    friend Mask operator>=(const Four& a, const Four& b) { return a.of >= b.of; }
    bool operator==(const Four& b) const // of all; Vec and Mat ask for it
    {
        for (std::size_t lane = 0; lane < lanes; ++lane)
            if (of[lane] != b.of[lane]) return false;
        return true;
    }
};

Four select(const Four::Mask& which, const Four& yes, const Four& no)
{
    return which ? yes.of : no.of;
}

Four sqrt(const Four& a)
{
    Lanes root;
    for (std::size_t lane = 0; lane < lanes; ++lane) root[lane] = std::sqrt(a[lane]);
    return root;
}

double square(double s)
{
    return s * s;
}

using Vec2Four = Vec<Four, 2>;
using Vec3Four = Vec<Four, 3>;
using Mat2Four = Mat<Four, 2, 2>;
using Mat3x2Four = Mat<Four, 3, 2>;

/// Gradients of the three corners' hat functions, material space [1/m].
std::array<Vec2Four, 3> hat_gradients(const std::array<Vec2Four, 3>& u)
{
    const Four twice_area = cross(u[1] - u[0], u[2] - u[0]);
    const auto opposite = [&](const Vec2Four& from, const Vec2Four& to) {
        const Vec2Four e = to - from; // turned left, it points at the corner
        return Vec2Four{-e[1], e[0]} / twice_area;
    };
    return {opposite(u[1], u[2]), opposite(u[2], u[0]), opposite(u[0], u[1])};
}

/// Gradient of a vector given at the corners: d value / d u.
Mat3x2Four gradient(const std::array<Vec3Four, 3>& value, const std::array<Vec2Four, 3>& hats)
{
    return outer(value[0], hats[0]) + outer(value[1], hats[1]) + outer(value[2], hats[2]);
}

/// Eigenvalues of symmetric tensors, the larger first, and the unit vector of the larger; see
/// eigen_symmetric().
struct EigenFour {
    Four large, small;
    Vec2Four first;
};

EigenFour eigen_symmetric(const Mat2Four& a)
{
    const Four one(1), zero, half_of(0.5);
    const Four mean = half_of * (a(0, 0) + a(1, 1)), half = half_of * (a(0, 0) - a(1, 1));
    const Four radius = sqrt(half * half + a(0, 1) * a(0, 1));
    const auto is_first = half >= zero, is_round = zero >= radius;
    const Vec2Four first{select(is_first, half + radius, a(0, 1)),
                         select(is_first, a(0, 1), radius - half)};
    const Four length = select(is_round, one, sqrt(dot(first, first)));
    return {mean + radius,
            mean - radius,
            {select(is_round, one, first[0] / length), select(is_round, zero, first[1] / length)}};
}

/// Negative eigenvalues become zero.
Mat2Four clamp_psd(const Mat2Four& a)
{
    const Four zero;
    const auto is_psd = (a(0, 0) >= zero) & (a(1, 1) >= zero) & (determinant(a) >= zero);
    const EigenFour s = eigen_symmetric(a);
    const auto is_negative = zero >= s.large;
    Mat2Four result = s.large * outer(s.first, s.first);
    for (std::size_t i = 0; i < 4; ++i)
        result.e[i] = select(is_psd, a.e[i], select(is_negative, zero, result.e[i]));
    return result;
}

/// The numbers of SizingOptions, of four faces.
struct OptionsFour {
    Four least, most;                  // eigenvalues [1/m^2]
    Four aspect2;                      // least ratio of them
    Four angle, compression, velocity; // what to multiply by; 0: not looked at

    void set(std::size_t lane, const SizingOptions& o)
    {
        least.set(lane, 1 / square(o.edge_max));
        most.set(lane, 1 / square(o.edge_min));
        aspect2.set(lane, square(o.aspect_min));
        angle.set(lane, o.angle > 0 ? 1 / square(o.angle) : 0);
        compression.set(lane, o.compression > 0 ? 1 / square(o.compression) : 0);
        velocity.set(lane, o.velocity > 0 ? 1 / square(o.velocity) : 0);
    }
};

Mat2Four bounded(const Mat2Four& tensor, const OptionsFour& o)
{
    const EigenFour s = eigen_symmetric(tensor);
    const auto clamp = [&](const Four& value) {
        return select(value < o.least, o.least, select(o.most < value, o.most, value));
    };
    const Four large = clamp(s.large), least_small = o.aspect2 * large;
    Four small = clamp(s.small);
    small = select(small < least_small, least_small, small);
    const Vec2Four second{-s.first[1], s.first[0]};
    return outer(s.first, s.first) * large + outer(second, second) * small;
}

template <std::size_t R, std::size_t C>
Mat<double, R, C> lane_of(const Mat<Four, R, C>& m, std::size_t lane)
{
    Mat<double, R, C> result;
    for (std::size_t i = 0; i < R * C; ++i) result.e[i] = m.e[i][lane];
    return result;
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

DelaunayCount count_delaunay(const Mesh& mesh, const MetricField& metric)
{
    DelaunayCount count;
    for (EdgeId e : mesh.edges()) {
        if (!mesh.is_alive(e) || mesh.is_feature(e)) continue;
        const auto [a, b] = mesh.verts_of(e, 0);
        const VertId c = mesh.opposite_vert(e, 0), d = mesh.opposite_vert(e, 1);
        const Mat2 mean = (metric[a] + metric[b] + metric[c] + metric[d]) * 0.25;
        const double root = std::sqrt(determinant(mean));
        const auto angle_at = [&](VertId v) {
            const Vec2 p = mesh.u(a) - mesh.u(v), q = mesh.u(b) - mesh.u(v);
            return std::atan2(root * std::abs(cross(p, q)), metric_dot(p, mean, q));
        };
        ++count.edges;
        count.not_delaunay += angle_at(c) + angle_at(d) > std::numbers::pi + 1e-9;
    }
    return count;
}

Mat2 bounded(const Mat2& tensor, const SizingOptions& o)
{
    OptionsFour options;
    Mat2Four tensors;
    for (std::size_t lane = 0; lane < lanes; ++lane) options.set(lane, o);
    for (std::size_t i = 0; i < 4; ++i) tensors.e[i] = Four(tensor.e[i]);
    return lane_of(bounded(tensors, options), 0);
}

namespace {

/// What the nodes know of the cloth and of the obstacles around it.
struct NodeLook {
    const Field<NodeId, Vec3>& normal;
    // Where the nearest obstacle point lies, and how near: zero is "none within reach".
    Field<NodeId, Vec3> away;
    Field<NodeId, double> distance;
};

NodeLook look_from_nodes(const Model& model, const State& state, const Field<NodeId, Vec3>& normal,
                         const ObstacleTree& obstacles,
                         const std::vector<std::optional<SizingOptions>>& by_cloth)
{
    const Mesh& mesh = model.mesh;
    NodeLook look{normal, Field<NodeId, Vec3>(mesh.node_count(), FieldRule::reset),
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

/// What asks for fineness in four faces.
struct Drivers {
    Mat2Four curvature{}, compression{}, velocity{}, obstacle{};
    [[nodiscard]] Mat2Four sum() const { return curvature + compression + velocity + obstacle; }
};

/// What four faces have at their corners, and what is asked of them.
struct FaceLook {
    std::array<Vec2Four, 3> u;
    std::array<Vec3Four, 3> x, v, normal, away;
    std::array<Four, 3> distance;

    void set(std::size_t lane, const Mesh& mesh, const State& state, const NodeLook& look, FaceId f)
    {
        for (std::size_t i = 0; i < 3; ++i) {
            const Mesh::Vert& vert = mesh[mesh[f].verts[i]];
            const NodeId n = vert.node;
            for (std::size_t k = 0; k < 2; ++k) u[i][k].set(lane, vert.u[k]);
            for (std::size_t k = 0; k < 3; ++k) {
                x[i][k].set(lane, state.x[n][k]);
                v[i][k].set(lane, state.v[n][k]);
                normal[i][k].set(lane, look.normal[n][k]);
                away[i][k].set(lane, look.away[n][k]);
            }
            distance[i].set(lane, look.distance[n]);
        }
    }
};

Drivers drivers_of(const FaceLook& look, const OptionsFour& options)
{
    const Four zero, one(1), third(1.0 / 3);
    Drivers d;
    const auto hats = hat_gradients(look.u);
    const Mat3x2Four grad_x = gradient(look.x, hats);
    const Mat3x2Four grad_n = gradient(look.normal, hats);
    const Mat3x2Four grad_v = gradient(look.v, hats);
    const Mat2Four identity{{one, zero, zero, one}};
    // [Narain2012] eqs. 6 to 8.
    d.curvature = transpose(grad_n) * grad_n * options.angle;
    d.velocity = transpose(grad_v) * grad_v * options.velocity;
    d.compression = clamp_psd(identity - transpose(grad_x) * grad_x) * options.compression;
    for (std::size_t i = 0; i < 3; ++i) { // eq. 9, the mean over the corners
        const Vec2Four slope = transpose(grad_x) * look.away[i];
        const auto is_near = zero < look.distance[i];
        const Four distance = select(is_near, look.distance[i], one);
        const Mat2Four tensor = outer(slope, slope) * (one / (distance * distance)) * third;
        for (std::size_t k = 0; k < 4; ++k)
            d.obstacle.e[k] = select(is_near, d.obstacle.e[k] + tensor.e[k], d.obstacle.e[k]);
    }
    return d;
}

/// Calls visit(faces, options) for four faces at a time, all that have options; where fewer are
/// left, the last of them fill up the lanes. In parallel.
template <class Visit>
void visit_fours(const Model& model, const std::vector<std::optional<SizingOptions>>& by_cloth,
                 Visit&& visit)
{
    parallel_chunks(
        model.mesh.face_count(), default_chunk,
        [&](std::size_t, std::size_t begin, std::size_t end) {
            std::array<FaceId, lanes> faces{};
            std::array<const SizingOptions*, lanes> given{}; // what the lanes of options are of
            OptionsFour options;
            std::size_t count = 0;
            const auto add = [&](FaceId f, const SizingOptions& o) {
                faces[count] = f;
                if (std::exchange(given[count], &o) != &o) options.set(count, o);
                ++count;
            };
            for (std::size_t i = begin; i < end; ++i) {
                const auto f = make_id<FaceId>(i);
                if (const auto& o = by_cloth[index(model.cloth_of(f))]) add(f, *o);
                if (count == 0 || (count < lanes && i + 1 < end)) continue;
                while (count < lanes) add(faces[count - 1], *given[count - 1]);
                visit(faces, options);
                count = 0;
            }
        });
}

/// \param keep called with four faces and their drivers; may be called for several at once.
template <class Keep>
Field<FaceId, Mat2> metric_of(const Model& model, const State& state,
                              const Field<NodeId, Vec3>& normal, const ObstacleTree& obstacles,
                              const std::vector<std::optional<SizingOptions>>& by_cloth,
                              const std::vector<SizingAdjustment>& adjustments, Keep&& keep)
{
    using Faces = std::array<FaceId, lanes>;
    const Mesh& mesh = model.mesh;
    const NodeLook look = look_from_nodes(model, state, normal, obstacles, by_cloth);
    Field<FaceId, Mat2> metric(mesh.face_count(), FieldRule::area_average);
    const bool is_final = adjustments.empty();
    visit_fours(model, by_cloth, [&](const Faces& faces, const OptionsFour& options) {
        FaceLook four;
        for (std::size_t i = 0; i < lanes; ++i) four.set(i, mesh, state, look, faces[i]);
        const Drivers d = drivers_of(four, options);
        keep(faces, d);
        const Mat2Four m = is_final ? bounded(d.sum(), options) : d.sum();
        for (std::size_t i = 0; i < lanes; ++i) metric[faces[i]] = lane_of(m, i);
    });
    if (is_final) return metric;
    for (const SizingAdjustment& adjust : adjustments) adjust(model, state, metric);
    visit_fours(model, by_cloth, [&](const Faces& faces, const OptionsFour& options) {
        Mat2Four m;
        for (std::size_t i = 0; i < lanes; ++i)
            for (std::size_t k = 0; k < 4; ++k) m.e[k].set(i, metric[faces[i]].e[k]);
        m = bounded(m, options);
        for (std::size_t i = 0; i < lanes; ++i) metric[faces[i]] = lane_of(m, i);
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
    s.metric = metric_of(model, state, node_normals(model.mesh, state.x), obstacles, by_cloth,
                         adjustments, [&](const auto& faces, const Drivers& d) {
                             for (std::size_t i = 0; i < lanes; ++i) {
                                 s.curvature[faces[i]] = lane_of(d.curvature, i);
                                 s.compression[faces[i]] = lane_of(d.compression, i);
                                 s.velocity[faces[i]] = lane_of(d.velocity, i);
                                 s.obstacle[faces[i]] = lane_of(d.obstacle, i);
                             }
                         });
    return s;
}

Field<FaceId, Mat2> face_metric(const Model& model, const State& state,
                                const Field<NodeId, Vec3>& normal, const ObstacleTree& obstacles,
                                const std::vector<std::optional<SizingOptions>>& by_cloth,
                                const std::vector<SizingAdjustment>& adjustments)
{
    return metric_of(model, state, normal, obstacles, by_cloth, adjustments,
                     [](const auto&, const Drivers&) {});
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
            enter = mesh[f].edges[corner_before(corner)];
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
