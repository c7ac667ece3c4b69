// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// The faces and planes of all obstacles at one moment: nearest points for the sizing field, faces
// in a box for the search for crossings.
#pragma once

#include "pleat/core/function_ref.hpp"
#include "pleat/core/vec.hpp"
#include "pleat/geometry/box_tree.hpp"
#include "pleat/model/world.hpp"
#include "pleat/remeshing/world_box.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace pleat {

class ObstacleTree {
public:
    ObstacleTree() = default;
    /// The obstacles present at `time`, where they are then.
    ObstacleTree(const World& world, double time);
    explicit ObstacleTree(std::vector<std::array<Vec3, 3>> triangles);
    /// As if made anew; nothing is built where no obstacle has moved, come or gone.
    void move_to(const World& world, double time);

    [[nodiscard]] bool empty() const { return triangles_.empty() && planes_.empty(); }

    /// The point of any obstacle nearest to `x`, if one is nearer than `reach` [m].
    [[nodiscard]] std::optional<Vec3> nearest(const Vec3& x, double reach) const
    {
        std::uint32_t hint = 0;
        return nearest(x, reach, hint);
    }
    /// The same for points one after the other, quicker where they lie near one another.
    /// \param hint 0 at first; then as the last call left it
    [[nodiscard]] std::optional<Vec3> nearest(const Vec3& x, double reach,
                                              std::uint32_t& hint) const;

    /// Calls visit(triangle) for those whose boxes meet `box`, until it returns false. A half-space
    /// that the box reaches into shows a triangle of its plane that is wider than the box.
    /// \return false where a visit did.
    bool visit(const WorldBox& box,
               FunctionRef<bool(const std::array<Vec3, 3>& triangle)> visit) const;

private:
    void build();

    /// Of a half-space.
    struct Plane {
        Vec3 point, normal;
    };

    std::vector<Plane> planes_;
    std::vector<std::array<Vec3, 3>> triangles_;
    BoxTree tree_;
};

} // namespace pleat
