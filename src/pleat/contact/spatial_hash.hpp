// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Which boxes overlap? The same answers as a BoxTree, from a hashed grid with a cell size of its
// own. Based on: [Teschner2003], [Bender2013] sec. 6 (one hash an object, parallel queries).
//
// An item is entered in every cell that its box touches; one that touches very many is kept in a
// list of large ones instead. A pair that shares several cells is reported in the one that holds
// the low corner of its overlap, which takes the place of time stamps and needs no shared state.
//
// Results do not depend on the number of threads.
#pragma once

#include "pleat/geometry/box_tree.hpp"

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace pleat {

class SpatialHash {
public:
    /// Enters the boxes of new positions. The cell is as wide as the boxes are on average.
    void fill(std::span<const Box> boxes);

    [[nodiscard]] std::size_t size() const { return boxes_.size(); }
    /// All pairs a < b of items whose boxes overlap, in the order of a.
    [[nodiscard]] std::vector<BoxPair> self_pairs() const;
    /// All pairs (a of this, b of the other) whose boxes overlap.
    [[nodiscard]] std::vector<BoxPair> cross_pairs(const SpatialHash& other) const;

    /// The same piece by piece, in parallel; each of piece_count() pieces is visited once.
    void visit_self_pairs(BoxTree::PairVisitor visit) const;
    void visit_cross_pairs(const SpatialHash& other, BoxTree::PairVisitor visit) const;
    [[nodiscard]] std::size_t piece_count() const;

    /// Calls visit(item) once for each item whose box overlaps the given one.
    void query(const Box& box, FunctionRef<void(std::uint32_t item)> visit) const;

private:
    struct Entry {
        std::uint64_t cell;
        std::uint32_t item;
    };
    using Cell = std::array<std::int64_t, 3>;

    [[nodiscard]] Cell cell_at(const Vec3f& point) const;
    [[nodiscard]] static std::uint64_t key_of(const Cell& cell);
    [[nodiscard]] std::size_t bucket_of(std::uint64_t key) const;

    std::vector<Box> boxes_;
    double per_cell_ = 1;                // cells a metre
    std::vector<Entry> entries_;         // bucket by bucket
    std::vector<std::uint32_t> buckets_; // where each begins, and the end
    std::vector<std::uint32_t> large_;
};

} // namespace pleat
