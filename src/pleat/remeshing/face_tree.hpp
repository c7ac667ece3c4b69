// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Faces of a mesh that is being edited, by where they are: a box tree, and beside it a short list
// of the faces that have moved, come or gone since it was built. When the list is no longer short
// the tree is built again.
#pragma once

#include "pleat/core/function_ref.hpp"
#include "pleat/core/ids.hpp"
#include "pleat/geometry/box_tree.hpp"
#include "pleat/remeshing/world_box.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace pleat {

class FaceTree {
public:
    /// Builds the tree of these faces. In parallel.
    /// \param box_of empty for a face that is not there
    /// \param order as_given for meshes whose faces with neighbouring ids lie side by side
    void build(std::size_t count, FunctionRef<WorldBox(FaceId)> box_of,
               BoxTree::Order order = BoxTree::Order::by_position);
    /// Puts the face there, or moves it.
    void put(FaceId face, const WorldBox& box);
    /// Takes the face out, if it is in.
    void drop(FaceId face);

    /// \pre the face is in the tree.
    [[nodiscard]] const WorldBox& box(FaceId face) const { return boxes_[index(face)]; }

    /// Calls visit(face) for those whose boxes meet `box`, until it returns false.
    /// \return false where a visit did.
    template <class Visit> bool visit(const WorldBox& box, Visit&& visit) const
    {
        const auto visit_face = [&](std::uint32_t f) {
            return !boxes_[f].overlaps(box) || visit(make_id<FaceId>(f));
        };
        if (!tree_.query_until(outward_box(box.low, box.high, 0), [&](std::uint32_t f) {
                return is_changed_[f] != 0 || visit_face(f);
            }))
            return false;
        for (const std::uint32_t f : changed_)
            if (!visit_face(f)) return false;
        return true;
    }

private:
    void build_tree(BoxTree::Order order);

    std::vector<WorldBox> boxes_;          // by FaceId; empty: not there
    BoxTree tree_;                         // of the boxes as they were when it was built
    std::vector<std::uint8_t> is_changed_; // by FaceId: since then
    std::vector<std::uint32_t> changed_;
};

} // namespace pleat
