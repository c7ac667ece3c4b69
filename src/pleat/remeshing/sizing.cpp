// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/remeshing/sizing.hpp"

#include "pleat/core/error.hpp"
#include "pleat/core/parallel.hpp"
#include "pleat/geometry/decompose.hpp"
#include "pleat/remeshing/node_normals.hpp"
#include "pleat/remeshing/sizing_obstacle.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

namespace pleat {

namespace {

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
        const std::array<VertId, 2> ends = mesh.verts_of(e, 0);
        const VertId a = ends[0], b = ends[1]; // no structured binding: Clang 14 cannot capture it
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

Mat2 bounded(const Mat2& tensor, const SizingBounds& b)
{
    const EigenSym2 s = eigen_symmetric(tensor);
    const double least = 1 / (b.edge_max * b.edge_max), most = 1 / (b.edge_min * b.edge_min);
    const double large = std::clamp(s.values[0], least, most);
    const double small =
        std::max(std::clamp(s.values[1], least, most), b.aspect_min * b.aspect_min * large);
    const Vec2 first = column(s.vectors, 0), second = column(s.vectors, 1);
    return outer(first, first) * large + outer(second, second) * small;
}

ClothSizing cloth_sizing(const SizingOptions& o)
{
    ClothSizing sizing{o, {}};
    const auto add = [&](const char* name, auto metric) {
        sizing.metrics.push_back({name, std::make_shared<decltype(metric)>(metric)});
    };
    if (o.angle > 0) add("curvature", SizingCurvature(o.angle));
    if (o.compression > 0) add("compression", SizingCompression(o.compression));
    if (o.velocity > 0) add("velocity", SizingVelocity(o.velocity));
    add("obstacle", SizingObstacle());
    return sizing;
}

const Field<FaceId, Mat2>& FaceSizing::asked(std::string_view name) const
{
    const auto at = std::find_if(drivers.begin(), drivers.end(),
                                 [&](const Driver& d) { return d.name == name; });
    PLEAT_ASSERT(at != drivers.end(), "there is such a driver");
    return at->asked;
}

FaceSizing face_sizing(const Model& model, const State& state, const World& world, double time,
                       const ObstacleTree& obstacles, const SizingByCloth& by_cloth,
                       const Field<FaceId, double>* longest)
{
    const Mesh& mesh = model.mesh;
    const Field<FaceId, Mat2> zero(mesh.face_count(), FieldRule::area_average);
    FaceSizing sizing{{}, zero};
    const auto driver_of = [&](const std::string& name) -> Field<FaceId, Mat2>& {
        for (FaceSizing::Driver& d : sizing.drivers)
            if (d.name == name) return d.asked;
        sizing.drivers.push_back({name, zero});
        return sizing.drivers.back().asked;
    };
    std::vector<std::vector<FaceId>> faces(by_cloth.size());
    for (FaceId f : mesh.faces()) faces[index(model.cloth_of(f))].push_back(f);
    const Field<NodeId, Vec3> normal = node_normals(mesh, state.x);
    for (std::size_t c = 0; c < by_cloth.size(); ++c) {
        if (!by_cloth[c]) continue;
        const SizingBounds& bounds = by_cloth[c]->bounds;
        const SizingInput input{model,  state,  world,    time,          obstacles,
                                normal, bounds, faces[c], sizing.metric, by_cloth[c]->strictness,
                                longest};
        for (const auto& [name, metric] : by_cloth[c]->metrics) {
            Field<FaceId, Mat2>& asked = driver_of(name);
            metric->ask(input, asked);
            parallel_for(faces[c].size(),
                         [&](std::size_t i) { sizing.metric[faces[c][i]] += asked[faces[c][i]]; });
        }
        parallel_for(faces[c].size(), [&](std::size_t i) {
            const FaceId f = faces[c][i];
            SizingBounds own = bounds;
            if (longest != nullptr) {
                own.edge_max = input.longest_of(f);
                own.edge_min *= own.edge_max / bounds.edge_max;
            }
            sizing.metric[f] = bounded(sizing.metric[f], own);
        });
        for (const auto& named : by_cloth[c]->metrics) named.metric->adjust(input, sizing.metric);
    }
    return sizing;
}

FaceSizing carried(const FaceSizing& sizing, const Field<FaceId, FaceId>& origin)
{
    const auto carry = [&](const Field<FaceId, Mat2>& old) {
        Field<FaceId, Mat2> now(origin.size(), old.rule);
        for (FaceId f : origin.ids()) now[f] = old[origin[f]];
        return now;
    };
    FaceSizing result{{}, carry(sizing.metric)};
    for (const FaceSizing::Driver& d : sizing.drivers)
        result.drivers.push_back({d.name, carry(d.asked)});
    return result;
}

FaceSizing combined(FaceSizing a, const FaceSizing& b)
{
    const auto add = [](Field<FaceId, Mat2>& sum, const Field<FaceId, Mat2>& more) {
        for (FaceId f : more.ids()) sum[f] += more[f];
    };
    add(a.metric, b.metric);
    for (const FaceSizing::Driver& d : b.drivers) {
        const auto same = std::find_if(a.drivers.begin(), a.drivers.end(),
                                       [&](const auto& other) { return other.name == d.name; });
        if (same == a.drivers.end())
            a.drivers.push_back(d);
        else
            add(same->asked, d.asked);
    }
    return a;
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
