// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// How far apart two runs of one scene are whose cloths have different meshes.
//   compare_surfaces RUN RUN [--times N]
// For N times (10), evenly spaced over the shorter run, one line: the frame, the faces of both, and
// means and largest values of
//   surface   distance [mm] from a point of the one surface to the nearest point of the other
//   point     distance [mm] between the two places of the same material point
//   normal    angle [degrees] between the two normals at the same material point
// Samples are spread evenly over both cloths (each face has as many as it has area) and looked for
// on the other one, so that the figures do not depend on which run comes first. Normals are those
// of the nodes (means of the faces around, by area), interpolated.
#include "pleat/core/error.hpp"
#include "pleat/core/parallel.hpp"
#include "pleat/geometry/box_tree.hpp"
#include "pleat/geometry/distance.hpp"
#include "pleat/scene/run_folder.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <numbers>
#include <stdexcept>
#include <string>
#include <vector>

namespace pleat {
namespace {

constexpr double sample_area = 2e-5; // [m^2] of material: 50,000 samples a square metre

Vec3 flat(const Vec2& u)
{
    return {u[0], u[1], 0};
}

/// A cloth of a frame, to look points up in.
class Surface {
public:
    explicit Surface(ObjectMesh mesh) : mesh_(std::move(mesh)), normal_(mesh_.x.size())
    {
        std::vector<Vec3> u(mesh_.u.size());
        for (std::size_t i = 0; i < u.size(); ++i) u[i] = flat(mesh_.u[i]);
        std::vector<Box> world(face_count()), material(face_count());
        for (std::size_t f = 0; f < face_count(); ++f) {
            world[f] = triangle_box(mesh_.x, mesh_.face_nodes[f], 0);
            material[f] = triangle_box(u, mesh_.face_verts[f], 0);
            const auto p = corners(f);
            for (const std::uint32_t n : mesh_.face_nodes[f])
                normal_[n] += cross(p[1] - p[0], p[2] - p[0]);
        }
        world_.build(world);
        material_.build(material);
    }

    [[nodiscard]] std::size_t face_count() const { return mesh_.face_nodes.size(); }
    [[nodiscard]] std::array<Vec3, 3> corners(std::size_t f) const
    {
        const auto& n = mesh_.face_nodes[f];
        return {mesh_.x[n[0]], mesh_.x[n[1]], mesh_.x[n[2]]};
    }
    [[nodiscard]] std::array<Vec3, 3> material(std::size_t f) const
    {
        const auto& v = mesh_.face_verts[f];
        return {flat(mesh_.u[v[0]]), flat(mesh_.u[v[1]]), flat(mesh_.u[v[2]])};
    }

    struct Point {
        Vec3 x, normal;
    };
    [[nodiscard]] Point at(std::size_t f, const std::array<double, 3>& w) const
    {
        const auto p = corners(f);
        Point point{{}, {}};
        for (std::size_t k = 0; k < 3; ++k) {
            point.x += w[k] * p[k];
            point.normal += w[k] * normalized(normal_[mesh_.face_nodes[f][k]]);
        }
        point.normal = normalized(point.normal);
        return point;
    }
    /// Where the material point is; the nearest one where the outlines differ a little.
    [[nodiscard]] Point find(const Vec3& u) const
    {
        double best = std::numeric_limits<double>::infinity();
        std::size_t face = 0;
        std::array<double, 3> weights{};
        for (double reach = 1e-9; best > reach * reach; reach *= 10) {
            if (reach > 1) throw std::runtime_error("the two runs have different cloths");
            material_.query(outward_box(u, u, reach), [&](std::uint32_t f) {
                const auto t = material(f);
                const auto d = point_triangle_distance(u, t[0], t[1], t[2]);
                if (d.distance2 >= best) return;
                best = d.distance2;
                face = f;
                weights = d.weights;
            });
        }
        return at(face, weights);
    }
    /// Distance [m] of the nearest point. \param reach one is as near as this
    [[nodiscard]] double distance(const Vec3& x, double reach) const
    {
        double best = reach * reach;
        world_.query(outward_box(x, x, reach), [&](std::uint32_t f) {
            const auto t = corners(f);
            best = std::min(best, point_triangle_distance(x, t[0], t[1], t[2]).distance2);
        });
        return std::sqrt(best);
    }

private:
    ObjectMesh mesh_;
    std::vector<Vec3> normal_; // of nodes, as long as the area around
    BoxTree world_, material_;
};

struct Difference {
    double sum = 0, largest = 0;

    void add(double value, double weight)
    {
        sum += weight * value;
        largest = std::max(largest, value);
    }
    void add(const Difference& other)
    {
        sum += other.sum;
        largest = std::max(largest, other.largest);
    }
};

struct Differences {
    double area = 0;
    Difference surface, point, normal;

    void add(const Differences& o)
    {
        area += o.area;
        surface.add(o.surface);
        point.add(o.point);
        normal.add(o.normal);
    }
};

/// From points of a to b.
Differences one_way(const Surface& a, const Surface& b)
{
    constexpr std::size_t faces_a_piece = 64;
    std::vector<Differences> pieces(chunk_count(a.face_count(), faces_a_piece));
    parallel_chunks(
        a.face_count(), faces_a_piece, [&](std::size_t piece, std::size_t first, std::size_t last) {
            for (std::size_t f = first; f < last; ++f) {
                const auto u = a.material(f);
                const double area = 0.5 * norm(cross(u[1] - u[0], u[2] - u[0]));
                // The face cut into n^2 like triangles, one sample in the middle of each.
                const auto n = std::max(1, int(std::lround(std::sqrt(area / sample_area))));
                const double weight = area / (n * n);
                for (int i = 0; i < n; ++i)
                    for (int j = 0; j < 2 * (n - i) - 1; ++j) {
                        const double third = j % 2 == 0 ? 1.0 / 3 : 2.0 / 3;
                        const double s = (i + third) / n, t = (j / 2 + third) / n;
                        const std::array<double, 3> w{1 - s - t, s, t};
                        const Surface::Point p = a.at(f, w);
                        const Surface::Point q = b.find(w[0] * u[0] + w[1] * u[1] + w[2] * u[2]);
                        const double apart = norm(p.x - q.x);
                        Differences& d = pieces[piece];
                        d.area += weight;
                        d.point.add(apart, weight);
                        d.surface.add(b.distance(p.x, apart), weight);
                        d.normal.add(std::acos(std::clamp(dot(p.normal, q.normal), -1.0, 1.0)),
                                     weight);
                    }
            }
        });
    Differences all;
    for (const Differences& d : pieces) all.add(d);
    return all;
}

/// The first cloth of a frame.
Surface read_cloth(const RunFolder& run, int frame)
{
    for (ObjectMesh& mesh : run.read(frame))
        if (mesh.is_cloth) return Surface(std::move(mesh));
    throw std::runtime_error("no cloth in frame " + std::to_string(frame));
}

int compare(const std::vector<std::string>& arguments)
{
    std::vector<std::string> folders;
    int times = 10;
    for (std::size_t i = 0; i < arguments.size(); ++i)
        if (arguments[i] == "--times" && i + 1 < arguments.size())
            times = std::stoi(arguments[++i]);
        else
            folders.push_back(arguments[i]);
    if (folders.size() != 2 || times < 1) {
        std::fprintf(stderr, "usage: compare_surfaces RUN RUN [--times N]\n");
        return 1;
    }
    const RunFolder a(folders[0]), b(folders[1]);
    const int last = std::min(a.last_frame(), b.last_frame());
    std::printf("%5s %7s %7s  %8s %8s  %8s %8s  %8s %8s\n", "frame", "faces", "faces", "surface",
                "largest", "point", "largest", "normal", "largest");
    for (int k = 1; k <= times; ++k) {
        const int frame = last * k / times;
        const Surface s = read_cloth(a, frame), t = read_cloth(b, frame);
        Differences d = one_way(s, t);
        d.add(one_way(t, s));
        constexpr double mm = 1000, degrees = 180 / std::numbers::pi;
        std::printf("%5d %7zu %7zu  %8.3f %8.3f  %8.3f %8.3f  %8.3f %8.3f\n", frame, s.face_count(),
                    t.face_count(), mm * d.surface.sum / d.area, mm * d.surface.largest,
                    mm * d.point.sum / d.area, mm * d.point.largest,
                    degrees * d.normal.sum / d.area, degrees * d.normal.largest);
        std::fflush(stdout);
    }
    return 0;
}

} // namespace
} // namespace pleat

int main(int count, char** values)
{
    try {
        return pleat::compare({values + 1, values + count});
    } catch (const std::exception& error) {
        std::fprintf(stderr, "compare_surfaces: %s\n", error.what());
        return 1;
    }
}
