// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/remeshing/face_tree.hpp"

#include "pleat/core/parallel.hpp"

#include <algorithm>
#include <numeric>

namespace pleat {

namespace {

/// The lowest 10 bits of `value`, each followed by two zeros.
std::uint32_t spread_bits(std::uint32_t value)
{
    value = (value | value << 16) & 0x030000ff;
    value = (value | value << 8) & 0x0300f00f;
    value = (value | value << 4) & 0x030c30c3;
    return (value | value << 2) & 0x09249249;
}

/// Place along a curve that fills the box (Morton's).
std::uint32_t place_in(const WorldBox& box, const Vec3& p)
{
    std::uint32_t place = 0;
    for (std::size_t k = 0; k < 3; ++k) {
        const double extent = box.high[k] - box.low[k];
        const double share = extent > 0 ? (p[k] - box.low[k]) / extent : 0;
        place |= spread_bits(std::uint32_t(std::clamp(share * 1024, 0.0, 1023.0))) << k;
    }
    return place;
}

} // namespace

void FaceTree::make_levels(std::size_t leaves)
{
    levels_.clear();
    for (std::size_t boxes = std::max<std::size_t>(1, leaves);;) {
        boxes = (boxes + width - 1) / width;
        levels_.emplace_back(boxes, FourBoxes::empty());
        if (boxes == 1) break;
    }
}

void FaceTree::grow_level(std::size_t level, std::size_t first, std::size_t last)
{
    for (std::size_t i = first; i < last; ++i)
        levels_[level][i / width].set(i % width, levels_[level - 1][i].whole());
}

void FaceTree::build(std::size_t count, FunctionRef<WorldBox(FaceId)> box_of)
{
    make_levels(count);
    const std::size_t leaves = width * levels_[0].size();
    items_.assign(leaves, Item{});
    first_.assign(leaves, none); // face i alone in leaf i
    // The boxes around a chunk's faces are its own up to this level.
    constexpr std::size_t own_level = 3;
    static_assert(default_chunk % (width * width * width * width) == 0);
    std::vector<std::size_t> counts(chunk_count(count, default_chunk), 0);
    parallel_chunks(
        count, default_chunk, [&](std::size_t chunk, std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i) {
                const WorldBox box = box_of(make_id<FaceId>(i));
                if (box.low[0] > box.high[0]) continue;
                levels_[0][i / width].set(i % width, box);
                items_[i].box = box;
                link(std::uint32_t(i), std::uint32_t(i));
                ++counts[chunk];
            }
            for (std::size_t level = 1; level < std::min(own_level + 1, levels_.size()); ++level) {
                begin /= width;
                end = (end + width - 1) / width;
                grow_level(level, begin, end);
            }
        });
    for (std::size_t level = own_level + 1; level < levels_.size(); ++level)
        grow_level(level, 0, levels_[level - 1].size());
    built_for_ = count_ = std::reduce(counts.begin(), counts.end());
}

void FaceTree::rebuild()
{
    WorldBox bounds = WorldBox::empty();
    for (const Item& item : items_)
        if (item.leaf != none) bounds.grow(item.box);
    struct Entry {
        std::uint32_t place, item;
    };
    std::vector<Entry> order;
    order.reserve(count_);
    for (std::uint32_t i = 0; i < items_.size(); ++i)
        if (items_[i].leaf != none)
            order.push_back({place_in(bounds, (items_[i].box.low + items_[i].box.high) * 0.5), i});
    std::sort(order.begin(), order.end(), [](const Entry& a, const Entry& b) {
        return a.place != b.place ? a.place < b.place : a.item < b.item;
    });
    make_levels(order.size());
    first_.assign(std::max<std::size_t>(1, order.size()), none);
    for (std::size_t i = 0; i < order.size(); ++i) {
        link(order[i].item, std::uint32_t(i));
        levels_[0][i / width].set(i % width, items_[order[i].item].box);
    }
    for (std::size_t level = 1; level < levels_.size(); ++level)
        grow_level(level, 0, levels_[level - 1].size());
    built_for_ = order.size();
}

void FaceTree::put(FaceId face, const WorldBox& box, FaceId beside)
{
    if (index(face) >= items_.size())
        items_.resize(std::max<std::size_t>(index(face) + 1, items_.size() + items_.size() / 2));
    Item& item = items_[index(face)];
    item.box = box;
    if (item.leaf == none) {
        if (first_.empty()) { // one leaf for all, until rebuild() sorts them
            first_.push_back(none);
            levels_.push_back({FourBoxes::empty()});
        }
        const bool known =
            is_some(beside) && index(beside) < items_.size() && items_[index(beside)].leaf != none;
        link(index(face), known ? items_[index(beside)].leaf : 0);
        ++count_;
    }
    grow(item.leaf, box);
    constexpr std::size_t few = 64; // faces for which no order is worth its while
    if (built_for_ > 0 && count_ > 2 * built_for_ + few) rebuild();
}

void FaceTree::drop(FaceId face)
{
    if (index(face) >= items_.size() || items_[index(face)].leaf == none) return;
    Item& item = items_[index(face)];
    if (item.next != none) items_[item.next].previous = item.previous;
    if (item.previous != none)
        items_[item.previous].next = item.next;
    else
        first_[item.leaf] = item.next;
    item.leaf = none;
    --count_;
}

void FaceTree::link(std::uint32_t i, std::uint32_t leaf)
{
    Item& item = items_[i];
    item.leaf = leaf;
    item.previous = none;
    item.next = first_[leaf];
    if (item.next != none) items_[item.next].previous = i;
    first_[leaf] = i;
}

void FaceTree::grow(std::uint32_t leaf, const WorldBox& box)
{
    std::size_t i = leaf;
    for (std::vector<FourBoxes>& level : levels_) {
        FourBoxes& four = level[i / width];
        WorldBox around = four.box(i % width);
        if (around.holds(box)) return;
        around.grow(box);
        four.set(i % width, around);
        i /= width;
    }
}

} // namespace pleat
