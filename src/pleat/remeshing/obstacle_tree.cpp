// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/remeshing/obstacle_tree.hpp"

#include "pleat/core/parallel.hpp"
#include "pleat/geometry/distance.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace pleat {

ObstacleTree::ObstacleTree(const World& world, double time)
{
    move_to(world, time);
}

void ObstacleTree::move_to(const World& world, double time)
{
    std::vector<std::array<Vec3, 3>> triangles;
    triangles.reserve(triangles_.size());
    planes_.clear();
    for (const Obstacle& o : world.obstacles) {
        if (!o.is_present(time)) continue;
        const std::vector<Vec3> x = points_at(o, time);
        for (const auto& p : o.planes)
            planes_.push_back({x[p[0]], normalized(cross(x[p[1]] - x[p[0]], x[p[2]] - x[p[0]]))});
        for (const auto& f : solid_faces(o)) triangles.push_back({x[f[0]], x[f[1]], x[f[2]]});
    }
    if (triangles == triangles_) return;
    triangles_ = std::move(triangles);
    build();
}

ObstacleTree::ObstacleTree(std::vector<std::array<Vec3, 3>> triangles)
    : triangles_(std::move(triangles))
{
    build();
}

void ObstacleTree::build()
{
    std::vector<Box> boxes(triangles_.size());
    parallel_for(boxes.size(), [&](std::size_t i) {
        boxes[i] = triangle_box(triangles_[i], {0, 1, 2}, 0);
    });
    tree_.build(boxes);
}

std::optional<Vec3> ObstacleTree::nearest(const Vec3& x, double reach, std::uint32_t& hint) const
{
    if (empty()) return std::nullopt;
    double best2 = reach * reach;
    std::optional<Vec3> best;
    for (const Plane& p : planes_) {
        const double height = dot(p.normal, x - p.point);
        if (height * height >= best2) continue;
        best2 = height * height;
        best = x - height * p.normal;
    }
    const auto look = [&](std::uint32_t i) {
        const auto& t = triangles_[i];
        const PointTriangleDistance d = point_triangle_distance(x, t[0], t[1], t[2]);
        if (d.distance2 < best2) {
            best2 = d.distance2;
            best = d.weights[0] * t[0] + d.weights[1] * t[1] + d.weights[2] * t[2];
            hint = i;
        }
        return best2;
    };
    if (hint < triangles_.size()) look(hint); // a good bound from the start
    tree_.nearest(x, best2, look);
    return best;
}

bool ObstacleTree::visit(const WorldBox& box,
                         FunctionRef<bool(const std::array<Vec3, 3>&)> visit) const
{
    const Vec3 centre = 0.5 * (box.low + box.high);
    const double radius = 0.5 * norm(box.high - box.low);
    for (const Plane& p : planes_) {
        const double height = dot(p.normal, centre - p.point);
        if (height > radius) continue;
        // Around the foot of the box's centre; its inscribed circle is twice as wide as the box.
        std::size_t axis = 0;
        for (std::size_t k = 1; k < 3; ++k)
            if (std::abs(p.normal[k]) < std::abs(p.normal[axis])) axis = k;
        Vec3 a{};
        a[axis] = 1;
        a = normalized(a - dot(a, p.normal) * p.normal) * (4 * radius);
        const Vec3 foot = centre - height * p.normal, b = cross(p.normal, a);
        const Vec3 side = (std::sqrt(3.0) / 2) * b;
        if (!visit({foot + a, foot - 0.5 * a + side, foot - 0.5 * a - side})) return false;
    }
    return tree_.query_until(outward_box(box.low, box.high, 0), [&](std::uint32_t i) {
        return !WorldBox::of(triangles_[i]).overlaps(box) || visit(triangles_[i]);
    });
}

} // namespace pleat
