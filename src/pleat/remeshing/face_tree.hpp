// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Faces by where they are, with cheap insertion and removal: boxes in a tree without pointers.
//
// Each face is put in a leaf of its own, along a space-filling curve of the middles; box i of a
// level is around boxes 4i .. 4i+3 of the level below, which are looked at together. A face that
// moves stays in its leaf, whose boxes grow; a new one joins the leaf of a neighbour. Boxes never
// shrink, so that the tree is made anew when there are twice as many faces as it was made for.
#pragma once

#include "pleat/core/function_ref.hpp"
#include "pleat/core/ids.hpp"
#include "pleat/remeshing/world_box.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace pleat {

class FaceTree {
public:
    /// Puts the face there, or moves it.
    /// \param beside a face nearby, for one that is not in the tree; may be no_face.
    void put(FaceId face, const WorldBox& box, FaceId beside);
    /// Takes the face out, where it is in.
    void drop(FaceId face);
    /// Makes the tree anew of these faces, with those of neighbouring ids together: for meshes that
    /// lie along a curve. In parallel. \param box_of empty for a face that is not there
    void build(std::size_t count, FunctionRef<WorldBox(FaceId)> box_of);
    /// Orders the faces anew. To be called after the first faces were put; put() does it later.
    void rebuild();

    /// \pre the face is in the tree.
    [[nodiscard]] WorldBox box(FaceId face) const { return items_[index(face)].box; }

    /// Calls visit(face) for those whose boxes meet `box`, until it returns false.
    /// \return false where a visit did.
    template <class Visit> bool visit(const WorldBox& box, Visit&& visit) const;

private:
    static constexpr std::uint32_t none = 0xffffffffu;
    static constexpr std::size_t width = FourBoxes::width;
    static constexpr std::size_t most_levels = 16; // 4^16: more than there are ids
    struct Item {
        WorldBox box{};
        std::uint32_t leaf = none;
        std::uint32_t next = none, previous = none; // in its leaf
    };

    void link(std::uint32_t item, std::uint32_t leaf);
    void make_levels(std::size_t leaves);
    /// Sets a level's boxes around those from first to last of the level below.
    void grow_level(std::size_t level, std::size_t first, std::size_t last);
    void grow(std::uint32_t leaf, const WorldBox& box);

    std::vector<Item> items_;                    // by FaceId
    std::vector<std::uint32_t> first_;           // item of each leaf
    std::vector<std::vector<FourBoxes>> levels_; // leaves first, the last has four boxes
    std::size_t count_ = 0, built_for_ = 0;
};

template <class Visit> bool FaceTree::visit(const WorldBox& box, Visit&& visit) const
{
    if (levels_.empty()) return true;
    struct Place {
        std::uint32_t level, four;
    };
    std::array<Place, width * most_levels> stack;
    std::size_t depth = 0;
    stack[depth++] = {std::uint32_t(levels_.size() - 1), 0};
    while (depth > 0) {
        const Place p = stack[--depth];
        const auto apart = levels_[p.level][p.four].apart_from(box);
        for (std::size_t lane = 0; lane < width; ++lane) {
            if (apart[lane]) continue;
            const auto i = std::uint32_t(width * p.four + lane);
            if (p.level == 0) {
                for (std::uint32_t f = first_[i]; f != none; f = items_[f].next)
                    if (items_[f].box.overlaps(box) && !visit(make_id<FaceId>(f))) return false;
            } else {
                stack[depth++] = {p.level - 1, i};
            }
        }
    }
    return true;
}

} // namespace pleat
