// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/contact/spatial_hash.hpp"

#include "pleat/core/error.hpp"
#include "pleat/core/parallel.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace pleat {

namespace {

constexpr std::size_t items_a_piece = 128;
// Cells that one item may touch before it counts as large.
constexpr std::int64_t most_cells = 256;
// Cell coordinates have 21 bits each; positions beyond that share the outermost cells.
constexpr std::int64_t cell_range = (std::int64_t{1} << 20) - 1;
// Cells wider than the mean box: fewer entries, more tests.
constexpr double cell_share = 1.5;

std::int64_t count_cells(const std::array<std::int64_t, 3>& low,
                         const std::array<std::int64_t, 3>& high)
{
    std::int64_t count = 1;
    for (std::size_t k = 0; k < 3; ++k)
        count *= std::min<std::int64_t>(high[k] - low[k] + 1, std::int64_t{1} << 20);
    return count;
}

template <class Visit>
void visit_cells(const std::array<std::int64_t, 3>& low, const std::array<std::int64_t, 3>& high,
                 Visit&& visit)
{
    for (std::int64_t x = low[0]; x <= high[0]; ++x)
        for (std::int64_t y = low[1]; y <= high[1]; ++y)
            for (std::int64_t z = low[2]; z <= high[2]; ++z)
                visit(std::array<std::int64_t, 3>{x, y, z});
}

} // namespace

SpatialHash::Cell SpatialHash::cell_at(const Vec3f& point) const
{
    Cell cell{};
    for (std::size_t k = 0; k < 3; ++k) {
        const double place = std::floor(double(point[k]) * per_cell_);
        cell[k] =
            static_cast<std::int64_t>(std::clamp(place, -double(cell_range), double(cell_range)));
    }
    return cell;
}

std::uint64_t SpatialHash::key_of(const Cell& cell)
{
    std::uint64_t key = 0;
    for (const std::int64_t c : cell) key = key << 21 | std::uint64_t(c + cell_range);
    return key;
}

std::size_t SpatialHash::bucket_of(std::uint64_t key) const
{
    key *= 0x9e3779b97f4a7c15u;
    return static_cast<std::size_t>(key >> 32) & (buckets_.size() - 2);
}

void SpatialHash::fill(std::span<const Box> boxes)
{
    PLEAT_ASSERT(boxes.size() < std::numeric_limits<std::uint32_t>::max(), "items fit 32 bits");
    boxes_.assign(boxes.begin(), boxes.end());
    large_.clear();
    entries_.clear();
    double width = 0;
    for (const Box& b : boxes_)
        for (std::size_t k = 0; k < 3; ++k) width += double(b.high[k]) - double(b.low[k]);
    width *= cell_share / (3 * std::max(1.0, double(boxes_.size())));
    per_cell_ = width > 0 && std::isfinite(width) ? 1 / width : 1;

    std::vector<Entry> unsorted;
    for (std::uint32_t i = 0; i < boxes_.size(); ++i) {
        const Cell low = cell_at(boxes_[i].low), high = cell_at(boxes_[i].high);
        if (count_cells(low, high) > most_cells) {
            large_.push_back(i);
            continue;
        }
        visit_cells(low, high, [&](const Cell& c) { unsorted.push_back({key_of(c), i}); });
    }
    // By bucket, keeping the order of the items.
    buckets_.assign(std::bit_ceil(unsorted.size() + 1) + 1, 0);
    for (const Entry& e : unsorted) ++buckets_[bucket_of(e.cell) + 1];
    for (std::size_t b = 1; b < buckets_.size(); ++b) buckets_[b] += buckets_[b - 1];
    entries_.resize(unsorted.size());
    std::vector<std::uint32_t> next(buckets_.begin(), buckets_.end() - 1);
    for (const Entry& e : unsorted) entries_[next[bucket_of(e.cell)]++] = e;
}

void SpatialHash::query(const Box& box, FunctionRef<void(std::uint32_t)> visit) const
{
    if (boxes_.empty()) return;
    const Cell low = cell_at(box.low), high = cell_at(box.high);
    if (count_cells(low, high) > most_cells) { // larger than most boxes
        for (std::uint32_t i = 0; i < boxes_.size(); ++i)
            if (overlap(box, boxes_[i])) visit(i);
        return;
    }
    for (const std::uint32_t i : large_)
        if (overlap(box, boxes_[i])) visit(i);
    visit_cells(low, high, [&](const Cell& cell) {
        const std::uint64_t key = key_of(cell);
        const std::size_t bucket = bucket_of(key);
        for (std::uint32_t e = buckets_[bucket]; e < buckets_[bucket + 1]; ++e) {
            const std::uint32_t i = entries_[e].item;
            if (entries_[e].cell != key || !overlap(box, boxes_[i])) continue;
            Vec3f corner{};
            for (std::size_t k = 0; k < 3; ++k) corner[k] = std::max(box.low[k], boxes_[i].low[k]);
            if (cell_at(corner) == cell) visit(i);
        }
    });
}

std::size_t SpatialHash::piece_count() const
{
    return chunk_count(boxes_.size(), items_a_piece);
}

void SpatialHash::visit_self_pairs(BoxTree::PairVisitor visit) const
{
    parallel_chunks(boxes_.size(), items_a_piece,
                    [&](std::size_t piece, std::size_t first, std::size_t last) {
                        std::vector<BoxPair> pairs;
                        for (std::size_t i = first; i < last; ++i) {
                            const auto a = static_cast<std::uint32_t>(i);
                            query(boxes_[a], [&](std::uint32_t b) {
                                if (a < b) pairs.push_back({a, b});
                            });
                        }
                        visit(piece, pairs);
                    });
}

void SpatialHash::visit_cross_pairs(const SpatialHash& other, BoxTree::PairVisitor visit) const
{
    parallel_chunks(
        boxes_.size(), items_a_piece, [&](std::size_t piece, std::size_t first, std::size_t last) {
            std::vector<BoxPair> pairs;
            for (std::size_t i = first; i < last; ++i) {
                const auto a = static_cast<std::uint32_t>(i);
                other.query(boxes_[a], [&](std::uint32_t b) { pairs.push_back({a, b}); });
            }
            visit(piece, pairs);
        });
}

std::vector<BoxPair> SpatialHash::self_pairs() const
{
    std::vector<std::vector<BoxPair>> pieces(piece_count());
    visit_self_pairs([&](std::size_t piece, std::span<const BoxPair> pairs) {
        pieces[piece].assign(pairs.begin(), pairs.end());
    });
    std::vector<BoxPair> all;
    for (const auto& piece : pieces) all.insert(all.end(), piece.begin(), piece.end());
    return all;
}

std::vector<BoxPair> SpatialHash::cross_pairs(const SpatialHash& other) const
{
    std::vector<std::vector<BoxPair>> pieces(piece_count());
    visit_cross_pairs(other, [&](std::size_t piece, std::span<const BoxPair> pairs) {
        pieces[piece].assign(pairs.begin(), pairs.end());
    });
    std::vector<BoxPair> all;
    for (const auto& piece : pieces) all.insert(all.end(), piece.begin(), piece.end());
    return all;
}

} // namespace pleat
