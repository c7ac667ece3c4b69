// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/remeshing/face_octree.hpp"

#include <algorithm>

namespace pleat {

FaceOctree::FaceOctree(const WorldBox& bounds)
{
    Cell root;
    root.centre = (bounds.low + bounds.high) * 0.5;
    const Vec3 extent = bounds.high - bounds.low;
    root.half = 0.5 * std::max({extent[0], extent[1], extent[2], 1e-9});
    cells_.push_back(root);
}

void FaceOctree::put(FaceId face, const WorldBox& box)
{
    drop(face);
    if (index(face) >= items_.size()) items_.resize(index(face) + 1);
    const Vec3 extent = box.high - box.low, centre = (box.low + box.high) * 0.5;
    const double size = std::max({extent[0], extent[1], extent[2]});

    std::uint32_t c = 0;
    const Vec3 from_root = centre - cells_[0].centre;
    const double off =
        std::max({std::abs(from_root[0]), std::abs(from_root[1]), std::abs(from_root[2])});
    // A face outside stays in the root, which every query looks into.
    if (off <= cells_[0].half)
        for (int level = 0; level < deepest && size <= cells_[c].half; ++level) {
            std::size_t octant = 0;
            Vec3 child_centre = cells_[c].centre;
            const double half = 0.5 * cells_[c].half;
            for (std::size_t k = 0; k < 3; ++k) {
                const bool high = centre[k] >= cells_[c].centre[k];
                octant |= std::size_t(high) << k;
                child_centre[k] += high ? half : -half;
            }
            if (cells_[c].children[octant] == none) {
                Cell child;
                child.centre = child_centre;
                child.half = half;
                child.parent = c;
                cells_[c].children[octant] = std::uint32_t(cells_.size());
                cells_.push_back(child);
            }
            c = cells_[c].children[octant];
        }
    Item& item = items_[index(face)];
    item.box = box;
    item.cell = c;
    item.previous = none;
    item.next = cells_[c].first_face;
    if (item.next != none) items_[item.next].previous = index(face);
    cells_[c].first_face = index(face);
    for (; c != none; c = cells_[c].parent) ++cells_[c].faces_below;
}

void FaceOctree::drop(FaceId face)
{
    if (index(face) >= items_.size() || items_[index(face)].cell == none) return;
    Item& item = items_[index(face)];
    if (item.next != none) items_[item.next].previous = item.previous;
    if (item.previous != none)
        items_[item.previous].next = item.next;
    else
        cells_[item.cell].first_face = item.next;
    for (std::uint32_t c = item.cell; c != none; c = cells_[c].parent) --cells_[c].faces_below;
    item.cell = none;
}

} // namespace pleat
