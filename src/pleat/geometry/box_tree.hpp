// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Which boxes overlap? A flat tree of boxes, eight children a node, for the faces of a mesh.
//
// The tree has no pointers: items are put in an order once (build), and node i of a level holds
// the boxes of nodes 8i .. 8i+7 of the level below, side by side so that one box is tested against
// all eight at a time. New positions only change the boxes (refit), in one parallel sweep. Boxes
// are floats rounded outwards from doubles, so that no pair is lost; pairs are exactly those whose
// float boxes overlap, whatever order the tree was built in.
//
// Results do not depend on the number of threads.
#pragma once

#include "pleat/core/function_ref.hpp"
#include "pleat/core/vec.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#if defined(__SSE__)
#include <xmmintrin.h>
#endif

namespace pleat {

/// Closed, axis-aligned; [m] in world space, or material space where the caller says so.
struct Box {
    Vec3f low, high;

    bool operator==(const Box&) const = default;
};

[[nodiscard]] inline bool overlap(const Box& a, const Box& b)
{
#if defined(__SSE__)
    // Three axes at a time: lanes 0 to 2 of one load are the lows, 1 to 3 of the other the highs.
    static_assert(sizeof(Box) == 6 * sizeof(float));
    const auto* fa = reinterpret_cast<const float*>(&a);
    const auto* fb = reinterpret_cast<const float*>(&b);
    const __m128 end_a = _mm_loadu_ps(fa + 2), end_b = _mm_loadu_ps(fb + 2);
    const __m128 high_a = _mm_shuffle_ps(end_a, end_a, _MM_SHUFFLE(3, 3, 2, 1));
    const __m128 high_b = _mm_shuffle_ps(end_b, end_b, _MM_SHUFFLE(3, 3, 2, 1));
    const __m128 both =
        _mm_and_ps(_mm_cmple_ps(_mm_loadu_ps(fa), high_b), _mm_cmple_ps(_mm_loadu_ps(fb), high_a));
    return (_mm_movemask_ps(both) & 7) == 7;
#else
    return a.low[0] <= b.high[0] && b.low[0] <= a.high[0] && a.low[1] <= b.high[1] &&
           b.low[1] <= a.high[1] && a.low[2] <= b.high[2] && b.low[2] <= a.high[2];
#endif
}

/// The box [low - margin, high + margin], rounded outwards.
/// \pre the coordinates are finite
[[nodiscard]] Box outward_box(const Vec3& low, const Vec3& high, double margin);

using TriangleIndices = std::array<std::uint32_t, 3>;

/// Of one triangle, grown by margin [m] on every side.
[[nodiscard]] Box triangle_box(std::span<const Vec3> x, const TriangleIndices& triangle,
                               double margin);

/// Of one triangle on its way from x0 to x1 along straight lines, grown by margin [m].
[[nodiscard]] Box swept_triangle_box(std::span<const Vec3> x0, std::span<const Vec3> x1,
                                     const TriangleIndices& triangle, double margin);

/// Two items whose boxes overlap.
struct BoxPair {
    std::uint32_t a, b;

    auto operator<=>(const BoxPair&) const = default;
};

class BoxTree {
public:
    /// Pairs of one piece of work; pieces are numbered, and come in any order and in parallel.
    using PairVisitor = FunctionRef<void(std::size_t piece, std::span<const BoxPair> pairs)>;

    BoxTree() = default;

    enum class Order {
        by_position, // median splits
        as_given,    // for items of which neighbours in the list lie side by side: quicker to build
    };
    /// Orders the items and takes the boxes. The boxes may be those of another space than the
    /// queries will be in (material space, say), followed by a refit. A box whose low is above its
    /// high overlaps nothing.
    void build(std::span<const Box> boxes, Order order = Order::by_position);

    /// Takes new boxes, item by item. \pre as many as at build
    void refit(std::span<const Box> boxes);
    /// Takes the boxes of triangles at x. \pre as many triangles as items; finite coordinates
    void refit(std::span<const Vec3> x, std::span<const TriangleIndices> triangles, double margin);
    /// Takes the boxes of triangles on their way from x0 to x1.
    void refit_swept(std::span<const Vec3> x0, std::span<const Vec3> x1,
                     std::span<const TriangleIndices> triangles, double margin);

    [[nodiscard]] std::size_t size() const { return item_count_; }
    /// Around everything. \pre size() > 0
    [[nodiscard]] Box bounds() const;

    /// All pairs a < b of items whose boxes overlap, in an order that depends on the tree only.
    [[nodiscard]] std::vector<BoxPair> self_pairs() const;
    /// All pairs (a of this tree, b of the other) whose boxes overlap.
    [[nodiscard]] std::vector<BoxPair> cross_pairs(const BoxTree& other) const;

    /// The same pairs, handed over piece by piece without being stored; each of piece_count()
    /// pieces is visited once.
    void visit_self_pairs(PairVisitor visit) const;
    void visit_cross_pairs(const BoxTree& other, PairVisitor visit) const;
    [[nodiscard]] std::size_t piece_count() const;

    /// Calls visit(item) for each item whose box overlaps the given one.
    void query(const Box& box, FunctionRef<void(std::uint32_t item)> visit) const;
    /// The same until visit returns false. \return false where it did
    bool query_until(const Box& box, FunctionRef<bool(std::uint32_t item)> visit) const;

    /// Calls look(item) for items that may be nearer to x than `best2`, those in near boxes first;
    /// look returns the smallest squared distance so far, which becomes best2. \return it [m^2]
    double nearest(const Vec3& x, double best2, FunctionRef<double(std::uint32_t item)> look) const;

    /// The same for pairs of an item of this tree, shifted, and an item of the other.
    double nearest_pair(const BoxTree& other, const Vec3& shift, double best2,
                        FunctionRef<double(std::uint32_t item, std::uint32_t other)> look) const;

private:
    static constexpr std::size_t width = 8;

    struct alignas(32) Node {
        std::array<std::array<float, width>, 3> low, high; // [axis][child]
    };

    static std::uint32_t overlap_mask(const Node& node, const Box& box);
    static Box child_box(const Node& node, std::size_t child);
    static void set_child(Node& node, std::size_t child, const Box& box);
    static Box union_of(const Node& node);
    static std::array<double, width> distances2(const Node& node, const Vec3& x);
    class NearestPair;

    template <class Fill> void refit_leaves(Fill&& fill);
    template <class ExtentOf> void refit_extents(ExtentOf&& extent_of_item, double margin);
    void descend(const Box& box, std::size_t first_leaf, std::vector<std::uint32_t>& leaves) const;
    void add_pairs(std::size_t own_leaf, const BoxTree& other, bool self,
                   std::vector<std::uint32_t>& leaves, std::vector<BoxPair>& pairs) const;
    void visit_pairs(const BoxTree& other, bool self, PairVisitor visit) const;
    std::vector<BoxPair> collect(const BoxTree& other, bool self) const;

    std::size_t item_count_ = 0;
    std::vector<std::uint32_t> items_;     // in leaf order, width a leaf
    std::vector<Node> nodes_;              // level by level, leaves first
    std::vector<std::size_t> level_begin_; // index of each level's first node, and the end
};

} // namespace pleat
