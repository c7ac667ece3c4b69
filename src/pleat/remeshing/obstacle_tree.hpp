// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// The faces of all obstacles at one moment in a tree of boxes: nearest points for the sizing field,
// faces in a box for the guard.
#pragma once

#include "pleat/core/function_ref.hpp"
#include "pleat/core/vec.hpp"
#include "pleat/model/world.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace pleat {

/// An axis-parallel box in world space [m].
struct WorldBox {
    Vec3 low, high;

    [[nodiscard]] static WorldBox of(const std::array<Vec3, 3>& triangle);
    void grow(const WorldBox& other);
    [[nodiscard]] bool overlaps(const WorldBox& other) const;
    /// Square of the distance of a point, 0 inside [m^2].
    [[nodiscard]] double distance2(const Vec3& point) const;
};

class ObstacleTree {
public:
    ObstacleTree() = default;
    /// The obstacles present at `time`, where they are then.
    ObstacleTree(const World& world, double time);
    explicit ObstacleTree(std::vector<std::array<Vec3, 3>> triangles);

    [[nodiscard]] bool empty() const { return triangles_.empty() && planes_.empty(); }

    /// The point of any obstacle nearest to `x`, if one is nearer than `reach` [m].
    [[nodiscard]] std::optional<Vec3> nearest(const Vec3& x, double reach) const;

    /// Calls visit(triangle) for those whose boxes meet `box`, until it returns false. A half-space
    /// that the box reaches into shows a triangle of its plane that is wider than the box.
    /// \return false where a visit did.
    bool visit(const WorldBox& box,
               FunctionRef<bool(const std::array<Vec3, 3>& triangle)> visit) const;

private:
    struct Knot {
        WorldBox box;
        std::uint32_t first, last; // triangles of a leaf; empty: an inner knot
        std::uint32_t left, right; // knots
    };
    void build();
    std::uint32_t build(std::uint32_t first, std::uint32_t last);

    /// Of a half-space.
    struct Plane {
        Vec3 point, normal;
    };

    std::vector<Plane> planes_;
    std::vector<std::array<Vec3, 3>> triangles_;
    std::vector<Knot> knots_; // the first is the root
};

} // namespace pleat
