// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Faces by where they are, with cheap insertion and removal: a loose octree. A face lives in the
// cell that holds its centre, on the level whose cells are just larger than the face; it sticks out
// of its cell by at most half a cell, so a query looks half a cell around.
#pragma once

#include "pleat/core/ids.hpp"
#include "pleat/remeshing/obstacle_tree.hpp"

#include <array>
#include <cstdint>
#include <vector>

namespace pleat {

class FaceOctree {
public:
    /// \param bounds where most of the faces will be; any face may lie elsewhere, at a cost.
    explicit FaceOctree(const WorldBox& bounds);

    /// Puts the face there, or moves it.
    void put(FaceId face, const WorldBox& box);
    /// Takes the face out, where it is in.
    void drop(FaceId face);

    /// Calls visit(face) for those whose boxes meet `box`, until it returns false.
    /// \return false where a visit did.
    template <class Visit> bool visit(const WorldBox& box, Visit&& visit) const;

private:
    static constexpr std::uint32_t none = 0xffffffffu;
    static constexpr int deepest = 12; // cells of 1/4096 of the root: finer ones gain nothing
    struct Cell {
        Vec3 centre;
        double half; // of its width
        std::uint32_t first_face = none;
        std::uint32_t faces_below = 0; // in it and its children
        std::uint32_t parent = none;
        std::array<std::uint32_t, 8> children{none, none, none, none, none, none, none, none};
    };
    struct Item {
        WorldBox box{};
        std::uint32_t cell = none;
        std::uint32_t next = none, previous = none;
    };

    std::vector<Cell> cells_; // the first is the root
    std::vector<Item> items_; // by FaceId
};

template <class Visit> bool FaceOctree::visit(const WorldBox& box, Visit&& visit) const
{
    std::array<std::uint32_t, 8 * (deepest + 1)> stack;
    std::size_t depth = 0;
    stack[depth++] = 0;
    while (depth > 0) {
        const std::uint32_t c = stack[--depth];
        const Cell& cell = cells_[c];
        for (std::uint32_t f = cell.first_face; f != none; f = items_[f].next)
            if (items_[f].box.overlaps(box) && !visit(make_id<FaceId>(f))) return false;
        for (std::uint32_t child : cell.children) {
            if (child == none || cells_[child].faces_below == 0) continue;
            const Cell& k = cells_[child];
            const Vec3 reach{2 * k.half, 2 * k.half, 2 * k.half}; // half a cell beyond its walls
            if (WorldBox{k.centre - reach, k.centre + reach}.overlaps(box)) stack[depth++] = child;
        }
    }
    return true;
}

} // namespace pleat
