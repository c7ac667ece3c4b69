// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Idea. Nothing is simulated. Distances come from the start pose and from free fall, advanced by
// steps that are never longer than the present distance (conservative advancement), so no obstacle
// is missed. Warnings are about values that people get wrong; each names the key that corrects it.
#include "pleat/scene/size_check.hpp"

#include "pleat/geometry/box_tree.hpp"
#include "pleat/geometry/distance.hpp"
#include "pleat/sim/frames.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <limits>

namespace pleat {

namespace {

constexpr double inf = std::numeric_limits<double>::infinity();
constexpr double largest_cloth = 20;          // [m]
constexpr double smallest_cloth = 0.005;      // [m]
constexpr double largest_mismatch = 0.2;      // of edge lengths, on average over a panel
constexpr double distance_time = 1;           // [s]
constexpr double sample_time = 0.1;           // [s]
constexpr double least_fall = 0.002;          // of one step [m]
constexpr double deepest_fall = 100;          // that is looked at [m]
constexpr std::size_t most_pose_samples = 50; // of the whole run
constexpr std::size_t most_fall_samples = 300;
constexpr double strange_ratio = 20; // of sizes of a cloth and an obstacle

std::string metres(double length)
{
    char text[32];
    std::snprintf(text, sizeof text, "%.3g m", length);
    return text;
}

struct Extent {
    Vec3 low{inf, inf, inf}, high{-inf, -inf, -inf};
    void grow(const Vec3& x)
    {
        for (std::size_t k = 0; k < 3; ++k) {
            low[k] = std::min(low[k], x[k]);
            high[k] = std::max(high[k], x[k]);
        }
    }
    [[nodiscard]] double largest() const
    {
        const Vec3 size = high - low;
        return std::max({size[0], size[1], size[2]});
    }
    [[nodiscard]] double diagonal() const { return norm(high - low); }
};

Extent extent_of(const std::vector<Vec3>& x)
{
    Extent e;
    for (const Vec3& p : x) e.grow(p);
    return e;
}

/// Triangles that can be asked for their distance to others.
class TriangleTree {
public:
    TriangleTree(const std::vector<TriangleIndices>& faces, std::vector<Vec3> x)
        : faces_(&faces), x_(std::move(x))
    {
        std::vector<Box> boxes(faces.size());
        for (std::size_t f = 0; f < faces.size(); ++f) boxes[f] = triangle_box(x_, faces[f], 0);
        tree_.build(boxes);
    }
    /// The same faces elsewhere.
    void move_to(std::vector<Vec3> x)
    {
        x_ = std::move(x);
        tree_.refit(x_, *faces_, 0);
    }
    /// The smaller of `best` and the distance of a, shifted, to b [m].
    static double distance(const TriangleTree& a, const Vec3& shift, const TriangleTree& b,
                           double best)
    {
        double best2 = best * best;
        a.tree_.nearest_pair(b.tree_, shift, best2, [&](std::uint32_t f, std::uint32_t g) {
            std::array<Vec3, 3> s = a.corners(f);
            for (Vec3& x : s) x += shift;
            return best2 = std::min(best2, triangle_triangle_distance(s, b.corners(g)).distance2);
        });
        return std::sqrt(best2);
    }

private:
    [[nodiscard]] std::array<Vec3, 3> corners(std::uint32_t f) const
    {
        const auto& n = (*faces_)[f];
        return {x_[n[0]], x_[n[1]], x_[n[2]]};
    }

    const std::vector<TriangleIndices>* faces_;
    std::vector<Vec3> x_;
    BoxTree tree_;
};

/// One obstacle that can be asked for its distance at any time.
class ObstacleProbe {
public:
    explicit ObstacleProbe(const Obstacle& o) : obstacle_(&o), tree_(o.faces, points_at(o, 0)) {}
    [[nodiscard]] bool is_present(double time) const { return obstacle_->is_present(time); }
    /// The smaller of `best` and the distance of the cloth, shifted, at a time [m].
    double distance(const TriangleTree& cloth, const std::vector<Vec3>& cloth_x, const Vec3& shift,
                    double time, double best)
    {
        if (!obstacle_->planes.empty()) {
            const std::vector<Vec3> x = points_at(*obstacle_, time);
            for (const auto& n : obstacle_->planes) {
                const Vec3& at = x[n[0]];
                const Vec3 up = normalized(cross(x[n[1]] - at, x[n[2]] - at));
                for (const Vec3& p : cloth_x)
                    best = std::min(best, std::max(0.0, dot(p + shift - at, up)));
            }
            return best;
        }
        if (obstacle_->is_moving() && time != time_) {
            tree_.move_to(points_at(*obstacle_, time));
            time_ = time;
        }
        return TriangleTree::distance(cloth, shift, tree_, best);
    }
    [[nodiscard]] const Obstacle& obstacle() const { return *obstacle_; }

private:
    const Obstacle* obstacle_;
    TriangleTree tree_;
    double time_ = 0;
};

class SizeChecker {
public:
    SizeChecker(const SceneDescription& description, const Scene& scene)
        : from_(description), scene_(scene), meshes_(object_meshes(scene.world, scene.start)),
          run_time_(scene.settings.frames / scene.settings.fps)
    {
        out_.time = std::min(distance_time, run_time_);
        meshes_.resize(scene.start.model.cloths.size()); // the cloths come first
        for (const Obstacle& o : scene.world.obstacles) probes_.emplace_back(o);
        const Model& model = scene.start.model;
        held_.assign(meshes_.size(), 0);
        mass_.assign(meshes_.size(), 0);
        for (FaceId f : model.mesh.faces()) {
            const std::size_t c = index(model.cloth_of(f));
            mass_[c] += model.area[f] * model.materials[index(model.face_material[f])].density;
            for (VertId v : model.mesh[f].verts) held_[c] |= model.handles(model.mesh.node(v));
        }
    }

    SizeReport list()
    {
        for (std::size_t c = 0; c < meshes_.size(); ++c) {
            const Extent e = extent_of(meshes_[c].x);
            out_.objects.push_back({meshes_[c].name, true, false, e.low, e.high, mass_[c]});
        }
        for (const Obstacle& o : scene_.world.obstacles) {
            const Extent e = extent_of(points_at(o, std::max(0.0, o.start_time)));
            out_.objects.push_back({o.name, false, !o.planes.empty(), e.low, e.high, 0});
        }
        for (std::size_t c = 0; c < meshes_.size(); ++c)
            for (ObstacleProbe& p : probes_) measure(c, p);
        return std::move(out_);
    }

    std::vector<std::string> warnings()
    {
        for (std::size_t c = 0; c < meshes_.size(); ++c) {
            check_extent(c);
            check_edges(c);
            check_near(c);
        }
        return std::move(warnings_);
    }

private:
    /// What a cloth that nothing holds has moved by.
    [[nodiscard]] Vec3 fall(std::size_t c, double time) const
    {
        return time * from_.cloths[c].linear_velocity + 0.5 * time * time * from_.gravity;
    }

    void measure(std::size_t c, ObstacleProbe& probe)
    {
        const TriangleTree tree(meshes_[c].face_nodes, meshes_[c].x);
        ObstacleDistance d{meshes_[c].name, probe.obstacle().name, inf, inf, 0, {}, 0};
        const int samples = int(std::floor(out_.time / sample_time + 1e-9));
        for (int i = 0; i <= samples; ++i) {
            const double time = i * sample_time;
            if (!probe.is_present(time)) continue;
            const double still = probe.distance(tree, meshes_[c].x, {}, time, inf);
            if (i == 0) d.at_start = still;
            if (still < d.in_start_pose) d.in_start_pose = still, d.in_start_pose_time = time;
        }
        // Falling, by steps that go no farther than the obstacle is away.
        for (double time = 0, step = 0; held_[c] == 0 && time <= out_.time + 1e-9; time += step) {
            double away = inf;
            if (probe.is_present(time))
                away = probe.distance(tree, meshes_[c].x, fall(c, time), time, inf);
            if (away < d.in_fall.value_or(inf)) d.in_fall = away, d.in_fall_time = time;
            if (away == 0) break;
            step = sample_time;
            while (norm(fall(c, time + step) - fall(c, time)) > std::max(away, least_fall))
                step /= 2;
        }
        if (std::isfinite(d.in_start_pose)) out_.distances.push_back(std::move(d));
    }

    void check_extent(std::size_t c)
    {
        const double size = extent_of(meshes_[c].x).largest();
        const std::string who = "cloth \"" + meshes_[c].name + "\" is " + metres(size);
        if (size > largest_cloth)
            warnings_.push_back(who +
                                " long; lengths are in metres: is its file in centimetres "
                                "(\"unit\": 0.01 in the cloth) or millimetres (\"unit\": 0.001)?");
        if (size < smallest_cloth)
            warnings_.push_back(who +
                                " long; lengths are in metres: was it scaled down when it was "
                                "exported (\"unit\": 100 in the cloth makes up for a factor of "
                                "0.01)?");
    }

    /// Material against world lengths of the edges of each panel. A garment that is going to be
    /// dressed is meant to start stretched.
    void check_edges(std::size_t c)
    {
        if (from_.dress) return;
        const Model& model = scene_.start.model;
        const Mesh& mesh = model.mesh;
        struct Sums {
            double world = 0, material = 0, difference = 0;
        };
        std::vector<Sums> panels(mesh.panel_count());
        Vec2 low{inf, inf}, high{-inf, -inf};
        for (FaceId f : mesh.faces()) {
            if (index(model.cloth_of(f)) != c) continue;
            Sums& s = panels[index(mesh.panel(f))];
            for (std::size_t k = 0; k < 3; ++k) {
                const VertId a = mesh[f].verts[k], b = mesh[f].verts[(k + 1) % 3];
                const double world =
                    norm(scene_.start.state.x[mesh.node(b)] - scene_.start.state.x[mesh.node(a)]);
                const double material = norm(mesh.u(b) - mesh.u(a));
                s.world += world;
                s.material += material;
                s.difference += std::abs(world - material);
                for (std::size_t i = 0; i < 2; ++i) {
                    low[i] = std::min(low[i], mesh.u(a)[i]);
                    high[i] = std::max(high[i], mesh.u(a)[i]);
                }
            }
        }
        std::size_t bad = 0, all = 0;
        Sums worst;
        for (const Sums& s : panels) {
            if (s.material == 0) continue;
            ++all;
            if (s.difference <= largest_mismatch * s.material) continue;
            ++bad;
            if (worst.material == 0 ||
                s.difference * worst.material > worst.difference * s.material)
                worst = s;
        }
        if (bad == 0) return;
        const double scale = from_.cloths[c].transform.scale * from_.cloths[c].unit;
        const bool is_uv = low[0] >= -0.01 * scale && low[1] >= -0.01 * scale &&
                           high[0] <= 1.01 * scale && high[1] <= 1.01 * scale &&
                           std::max(high[0] - low[0], high[1] - low[1]) >= 0.5 * scale;
        const double ratio = worst.world / worst.material;
        const bool is_unit = std::any_of(unit_ratios.begin(), unit_ratios.end(), [&](double r) {
            return std::abs(ratio / r - 1) < 0.05 || std::abs(ratio * r - 1) < 0.05;
        });
        char text[160];
        std::snprintf(text, sizeof text,
                      "in %zu of %zu panels the edges differ from their material lengths by more "
                      "than 20 %% on average (worst: %.3g times as long)",
                      bad, all, ratio);
        warnings_.push_back(
            "cloth \"" + meshes_[c].name + "\": " + text + "; " +
            (is_uv ? "are its material coordinates (vt) UVs of 0..1 for a texture?"
             : is_unit
                 ? "are its material coordinates (vt) in another unit than its points?"
                 : "are its material coordinates (vt) those of a texture, not of a pattern in "
                   "metres?") +
            " \"rest\": \"mesh\" in the cloth takes the modelled shape as rest shape");
    }

    [[nodiscard]] bool is_near(std::size_t c, double reach)
    {
        const TriangleTree tree(meshes_[c].face_nodes, meshes_[c].x);
        const Vec3 centre = 0.5 * (extent_of(meshes_[c].x).low + extent_of(meshes_[c].x).high);
        const auto reaches = [&](const Vec3& shift, double time) {
            for (ObstacleProbe& p : probes_)
                if (p.is_present(time) &&
                    p.distance(tree, meshes_[c].x, shift, time, reach) < reach)
                    return true;
            return false;
        };
        // In its start pose, and carried by its handles.
        const std::size_t poses =
            std::clamp<std::size_t>(std::size_t(run_time_ / sample_time), 1, most_pose_samples);
        for (std::size_t i = 0; i <= poses; ++i) {
            const double time = double(i) / double(poses) * run_time_;
            if (reaches({}, time)) return true;
            for (std::size_t h = 0; h < scene_.world.handles.size(); ++h) {
                const Motion& motion = scene_.world.handles[h].motion;
                if ((held_[c] >> h & 1) == 0 || motion.keys.empty()) continue;
                const Vec3 moved = apply(transform_at(motion, time), centre) -
                                   apply(transform_at(motion, 0), centre);
                if (reaches(moved, time)) return true;
            }
        }
        // On its way down, in steps that miss nothing within reach.
        double time = 0;
        Vec3 last{};
        for (std::size_t i = 0; i < most_fall_samples && time < run_time_; ++i) {
            double step = sample_time;
            while (norm(fall(c, time + step) - last) > reach && step > 1e-6) step /= 2;
            time = std::min(time + step, run_time_);
            last = fall(c, time);
            if (reaches(last, time)) return true;
            if (norm(last) > deepest_fall) break;
        }
        return false;
    }

    void check_near(std::size_t c)
    {
        if (probes_.empty() || norm2(from_.wind.velocity) > 0) return; // wind carries it anywhere
        const Extent cloth = extent_of(meshes_[c].x);
        const double reach = cloth.diagonal();
        if (is_near(c, reach)) return;
        const TriangleTree tree(meshes_[c].face_nodes, meshes_[c].x);
        double nearest = inf;
        const Obstacle* who = nullptr;
        for (ObstacleProbe& p : probes_) {
            const double time = std::max(0.0, p.obstacle().start_time);
            const double d = p.distance(tree, meshes_[c].x, {}, time, inf);
            if (d < nearest) nearest = d, who = &p.obstacle();
        }
        if (who == nullptr) return;
        const double size = extent_of(points_at(*who, std::max(0.0, who->start_time))).largest();
        const double ratio = size / cloth.largest();
        const std::string cause =
            who->planes.empty() && ratio > strange_ratio
                ? "is \"" + who->name + "\" in centimetres (\"unit\": 0.01 in the obstacle)?"
            : who->planes.empty() && ratio < 1 / strange_ratio
                ? "is \"" + meshes_[c].name + "\" in centimetres (\"unit\": 0.01 in the cloth)?"
                : "was one of the two modelled with another axis up (\"up\" in the scene, "
                  "\"rotate\" in its \"transform\"), or in another place (\"translate\")?";
        warnings_.push_back("cloth \"" + meshes_[c].name + "\" (" + metres(cloth.largest()) +
                            ") never comes near an obstacle; the nearest, \"" + who->name + "\" (" +
                            metres(size) + "), is " + metres(nearest) +
                            " away at the start: " + cause);
    }

    // Centimetres, millimetres, inches, feet, decimetres.
    static constexpr std::array<double, 5> unit_ratios{100, 1000, 39.37, 3.281, 10};

    const SceneDescription& from_;
    const Scene& scene_;
    std::vector<ObjectMesh> meshes_; // of the cloths
    double run_time_;                // [s]
    std::vector<ObstacleProbe> probes_;
    std::vector<std::uint64_t> held_; // by cloth: handles that hold a node of it
    std::vector<double> mass_;
    SizeReport out_;
    std::vector<std::string> warnings_;
};

} // namespace

SizeReport check_sizes(const SceneDescription& description, const Scene& scene)
{
    SizeReport report = SizeChecker(description, scene).list();
    report.warnings = size_warnings(description, scene);
    return report;
}

std::vector<std::string> size_warnings(const SceneDescription& description, const Scene& scene)
{
    return SizeChecker(description, scene).warnings();
}

} // namespace pleat
