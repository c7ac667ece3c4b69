// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// The faces of all obstacles at one moment in a tree of boxes: nearest points for the sizing field,
// faces in a box for the guard. Boxes and triangles are looked at four at a time.
#pragma once

#include "pleat/core/function_ref.hpp"
#include "pleat/core/vec.hpp"
#include "pleat/model/world.hpp"
#include "pleat/remeshing/world_box.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <span>
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
    static constexpr std::size_t width = FourBoxes::width;

    /// Four boxes, and what is in them.
    struct Knot {
        FourBoxes boxes;
        std::array<std::uint32_t, width> inside{}; // a knot, or leaf_bit and a leaf
    };
    /// Up to four triangles, with what a look at them needs, found once: most looks end after a
    /// few products.
    struct alignas(32) Leaf {
        Lanes3 a, ab, ac;
        Lanes3 normal;             // unit; zero: too thin for short cuts
        Lanes g_bb, g_bc, g_cc;    // inverse of the products of ab and ac
        Lanes3 high;               // squares of the heights of the corners [m^2]
        std::uint32_t first, last; // triangles
    };
    static constexpr std::uint32_t leaf_bit = 0x80000000u;

    struct Item {
        Vec3 centre;
        std::uint32_t triangle;
    };
    struct Part { // of the tree while it is built
        WorldBox box;
        std::uint32_t inside;
    };
    /// Where the knots and leaves of a part go: known from its size, so that parts can be built at
    /// the same time.
    struct Counts {
        std::uint32_t knots, leaves;
    };
    [[nodiscard]] static Counts counts_of(std::size_t items);
    void build();
    /// \param first place of the first of these items among all
    /// \param at places of the first knot and leaf
    Part build(std::span<Item> items, std::uint32_t first, Counts at);
    [[nodiscard]] Leaf make_leaf(std::uint32_t first, std::uint32_t last) const;

    /// Of a half-space.
    struct Plane {
        Vec3 point, normal;
    };

    std::vector<Plane> planes_;
    std::vector<std::array<Vec3, 3>> given_;     // in the order of the world
    std::vector<std::array<Vec3, 3>> triangles_; // in that of the leaves
    std::vector<Leaf> leaves_;
    std::vector<Knot> knots_;
    Part root_{WorldBox::empty(), leaf_bit};
};

} // namespace pleat
