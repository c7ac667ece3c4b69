// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/remeshing/face_tree.hpp"

#include "pleat/core/parallel.hpp"

#include <cmath>

namespace pleat {

void FaceTree::build(std::size_t count, FunctionRef<WorldBox(FaceId)> box_of, BoxTree::Order order)
{
    boxes_.resize(count);
    parallel_for(count, [&](std::size_t i) { boxes_[i] = box_of(make_id<FaceId>(i)); });
    build_tree(order);
}

void FaceTree::build_tree(BoxTree::Order order)
{
    std::vector<Box> boxes(boxes_.size());
    parallel_for(boxes.size(),
                 [&](std::size_t i) { boxes[i] = outward_box(boxes_[i].low, boxes_[i].high, 0); });
    tree_.build(boxes, order);
    is_changed_.assign(boxes_.size(), 0);
    changed_.clear();
}

void FaceTree::put(FaceId face, const WorldBox& box)
{
    const std::size_t f = index(face);
    if (f >= boxes_.size()) {
        boxes_.resize(f + 1, WorldBox::empty());
        is_changed_.resize(f + 1, 0);
    }
    boxes_[f] = box;
    if (is_changed_[f] != 0) return;
    is_changed_[f] = 1;
    changed_.push_back(std::uint32_t(f));
    // A visit goes through the list, and building takes a time in proportion to all faces: the two
    // cost about the same when the list is as long as the root of that.
    constexpr double few = 64, share = 4;
    if (double(changed_.size()) > few + share * std::sqrt(double(boxes_.size())))
        build_tree(BoxTree::Order::by_position);
}

void FaceTree::drop(FaceId face)
{
    if (index(face) < boxes_.size()) boxes_[index(face)] = WorldBox::empty();
}

} // namespace pleat
