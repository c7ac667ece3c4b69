// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Words: a leaf is a node of level 0 and holds the boxes of eight items; node i of level k covers
// the leaves i 8^k .. (i+1) 8^k - 1. Children that do not exist have the empty box (low = +inf,
// high = -inf), which overlaps nothing and is neutral in unions.
#include "pleat/geometry/box_tree.hpp"

#include "pleat/core/error.hpp"
#include "pleat/core/parallel.hpp"

#include <algorithm>
#include <bit>
#include <cfloat>
#include <limits>
#include <numeric>
#include <utility>

#if defined(__AVX__)
#include <immintrin.h>
#endif

namespace pleat {

namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr Box empty_box = {{infinity, infinity, infinity}, {-infinity, -infinity, -infinity}};

// Leaves that one thread refits with the two levels above them: 8 x 8, a whole node of level 2.
constexpr std::size_t leaves_a_chunk = 64;
// Leaves a piece of a pair query: some microseconds of work.
constexpr std::size_t piece_leaves = 16;

// Coordinates beyond the range of floats are moved to its end, which keeps their order.
constexpr double float_range = 1e38;

// By value, so that they become one instruction, or one for several lanes.
template <class T> T least(T a, T b)
{
    return a < b ? a : b;
}

template <class T> T most(T a, T b)
{
    return a > b ? a : b;
}

float to_float(double x)
{
    return static_cast<float>(most(least(x, float_range), -float_range));
}

/// At most x. Conversion rounds by half a unit in the last place at most; |f| 2^-23 is at least
/// one unit, and the constant covers subnormals.
float round_down(double x)
{
    const float f = to_float(x);
    return f - std::abs(f) * FLT_EPSILON - FLT_MIN;
}

/// At least x.
float round_up(double x)
{
    const float f = to_float(x);
    return f + std::abs(f) * FLT_EPSILON + FLT_MIN;
}

Vec3 min(const Vec3& a, const Vec3& b)
{
    return {least(a[0], b[0]), least(a[1], b[1]), least(a[2], b[2])};
}

Vec3 max(const Vec3& a, const Vec3& b)
{
    return {most(a[0], b[0]), most(a[1], b[1]), most(a[2], b[2])};
}

struct Extent {
    Vec3 low, high;
};

inline Extent extent_of(std::span<const Vec3> x, const TriangleIndices& t)
{
    const Vec3 &a = x[t[0]], &b = x[t[1]], &c = x[t[2]];
    return {min(min(a, b), c), max(max(a, b), c)};
}

// --- order of the items -----------------------------------------------------------------------

struct Centre {
    Vec3f at;
    std::uint32_t item;
};

struct Segment {
    std::size_t first, last;
};

/// How many items go left: the largest power of two of leaves that leaves something for the right,
/// so that every subtree is aligned.
std::size_t left_count(std::size_t count, std::size_t width)
{
    const std::size_t leaves = (count + width - 1) / width;
    return width * std::bit_floor(leaves - 1);
}

/// Splits at the median of the longest axis.
void split(std::span<Centre> centres, std::size_t left)
{
    Vec3f low = centres[0].at, high = low;
    for (const Centre& c : centres)
        for (std::size_t k = 0; k < 3; ++k) {
            low[k] = std::min(low[k], c.at[k]);
            high[k] = std::max(high[k], c.at[k]);
        }
    std::size_t axis = 0;
    for (std::size_t k = 1; k < 3; ++k)
        if (high[k] - low[k] > high[axis] - low[axis]) axis = k;
    std::nth_element(centres.begin(), centres.begin() + static_cast<std::ptrdiff_t>(left),
                     centres.end(), [axis](const Centre& a, const Centre& b) {
                         return a.at[axis] != b.at[axis] ? a.at[axis] < b.at[axis]
                                                         : a.item < b.item;
                     });
}

void order_by_median_splits(std::vector<Centre>& centres, std::size_t width)
{
    std::vector<Segment> segments = {{0, centres.size()}};
    while (!segments.empty()) {
        // Round by round, the segments of a round in parallel.
        std::vector<Segment> next(2 * segments.size());
        parallel_for(
            segments.size(),
            [&](std::size_t i) {
                const Segment s = segments[i];
                if (s.last - s.first <= width) return;
                const std::size_t left = left_count(s.last - s.first, width);
                split(std::span(centres).subspan(s.first, s.last - s.first), left);
                next[2 * i] = {s.first, s.first + left};
                next[2 * i + 1] = {s.first + left, s.last};
            },
            1);
        std::erase_if(next, [&](const Segment& s) { return s.last - s.first <= width; });
        segments = std::move(next);
    }
}

} // namespace

// --- boxes -----------------------------------------------------------------------------------

Box outward_box(const Vec3& low, const Vec3& high, double margin)
{
    return {{round_down(low[0] - margin), round_down(low[1] - margin), round_down(low[2] - margin)},
            {round_up(high[0] + margin), round_up(high[1] + margin), round_up(high[2] + margin)}};
}

Box triangle_box(std::span<const Vec3> x, const TriangleIndices& t, double margin)
{
    const Extent e = extent_of(x, t);
    return outward_box(e.low, e.high, margin);
}

Box swept_triangle_box(std::span<const Vec3> x0, std::span<const Vec3> x1, const TriangleIndices& t,
                       double margin)
{
    const Extent e0 = extent_of(x0, t), e1 = extent_of(x1, t);
    return outward_box(min(e0.low, e1.low), max(e0.high, e1.high), margin);
}

// --- nodes -----------------------------------------------------------------------------------

/// Bit i is set where child i overlaps the box.
inline std::uint32_t BoxTree::overlap_mask(const Node& node, const Box& box)
{
#if defined(__AVX__)
    __m256 all = _mm256_castsi256_ps(_mm256_set1_epi32(-1));
    for (std::size_t k = 0; k < 3; ++k) {
        const __m256 low = _mm256_load_ps(node.low[k].data());
        const __m256 high = _mm256_load_ps(node.high[k].data());
        const __m256 below = _mm256_cmp_ps(low, _mm256_set1_ps(box.high[k]), _CMP_LE_OQ);
        const __m256 above = _mm256_cmp_ps(high, _mm256_set1_ps(box.low[k]), _CMP_GE_OQ);
        all = _mm256_and_ps(all, _mm256_and_ps(below, above));
    }
    return static_cast<std::uint32_t>(_mm256_movemask_ps(all));
#else
    std::uint32_t mask = 0;
    for (std::size_t i = 0; i < width; ++i) {
        bool hit = true;
        for (std::size_t k = 0; k < 3; ++k)
            hit = hit && node.low[k][i] <= box.high[k] && node.high[k][i] >= box.low[k];
        mask |= static_cast<std::uint32_t>(hit) << i;
    }
    return mask;
#endif
}

inline Box BoxTree::child_box(const Node& node, std::size_t child)
{
    return {{node.low[0][child], node.low[1][child], node.low[2][child]},
            {node.high[0][child], node.high[1][child], node.high[2][child]}};
}

inline void BoxTree::set_child(Node& node, std::size_t child, const Box& box)
{
    for (std::size_t k = 0; k < 3; ++k) {
        node.low[k][child] = box.low[k];
        node.high[k][child] = box.high[k];
    }
}

inline Box BoxTree::union_of(const Node& node)
{
    // Halves against halves, which the compiler turns into vector instructions.
    Box box;
    for (std::size_t k = 0; k < 3; ++k) {
        std::array<float, 4> low, high;
        for (std::size_t i = 0; i < 4; ++i) {
            low[i] = least(node.low[k][i], node.low[k][i + 4]);
            high[i] = most(node.high[k][i], node.high[k][i + 4]);
        }
        box.low[k] = least(least(low[0], low[1]), least(low[2], low[3]));
        box.high[k] = most(most(high[0], high[1]), most(high[2], high[3]));
    }
    return box;
}

// --- build and refit ---------------------------------------------------------------------------

void BoxTree::build(std::span<const Box> boxes, Order order)
{
    PLEAT_ASSERT(boxes.size() < std::numeric_limits<std::uint32_t>::max(), "items fit 32 bits");
    item_count_ = boxes.size();
    items_.clear();
    nodes_.clear();
    level_begin_.clear();
    if (boxes.empty()) return;

    items_.resize(item_count_);
    if (order == Order::as_given) {
        std::iota(items_.begin(), items_.end(), 0u);
    } else {
        std::vector<Centre> centres(item_count_);
        parallel_for(item_count_, [&](std::size_t i) {
            centres[i] = {(boxes[i].low + boxes[i].high) * 0.5f, static_cast<std::uint32_t>(i)};
        });
        order_by_median_splits(centres, width);
        for (std::size_t i = 0; i < item_count_; ++i) items_[i] = centres[i].item;
    }

    level_begin_.push_back(0);
    std::size_t count = item_count_;
    do {
        count = (count + width - 1) / width;
        level_begin_.push_back(level_begin_.back() + count);
    } while (count > 1);
    Node empty{};
    for (std::size_t i = 0; i < width; ++i) set_child(empty, i, empty_box);
    nodes_.assign(level_begin_.back(), empty);
    refit(boxes);
}

/// fill(node, items) writes the boxes of at most eight items into the first children of a leaf.
template <class Fill> void BoxTree::refit_leaves(Fill&& fill)
{
    if (item_count_ == 0) return;
    const std::size_t levels = level_begin_.size() - 1;
    const auto node = [&](std::size_t level, std::size_t i) -> Node& {
        return nodes_[level_begin_[level] + i];
    };
    const auto pass_up = [&](std::size_t level, std::size_t i) {
        if (level + 1 < levels)
            set_child(node(level + 1, i / width), i % width, union_of(node(level, i)));
    };
    const std::size_t leaves = level_begin_[1];
    parallel_chunks(leaves, leaves_a_chunk, [&](std::size_t, std::size_t first, std::size_t last) {
        for (std::size_t leaf = first; leaf < last; ++leaf) {
            const std::size_t count = std::min(width, item_count_ - leaf * width);
            fill(node(0, leaf), std::span(items_).subspan(leaf * width, count));
            pass_up(0, leaf);
        }
        if (levels < 2) return;
        for (std::size_t i = first / width; i * width < last; ++i) pass_up(1, i);
    });
    for (std::size_t level = 2; level + 1 < levels; ++level)
        for (std::size_t i = 0; i < level_begin_[level + 1] - level_begin_[level]; ++i)
            pass_up(level, i);
}

/// extent_of_item(item) is rounded outwards for eight items at a time.
template <class ExtentOf> void BoxTree::refit_extents(ExtentOf&& extent_of_item, double margin)
{
    refit_leaves([&](Node& node, std::span<const std::uint32_t> items) {
        std::array<std::array<double, width>, 3> low, high;
        for (std::size_t i = 0; i < width; ++i) {
            // Missing items are filled with the last existing one, and made empty below.
            const Extent e = extent_of_item(items[least(i, items.size() - 1)]);
            for (std::size_t k = 0; k < 3; ++k) {
                low[k][i] = e.low[k];
                high[k][i] = e.high[k];
            }
        }
        for (std::size_t k = 0; k < 3; ++k) {
            for (std::size_t i = 0; i < width; ++i) {
                node.low[k][i] = round_down(low[k][i] - margin);
                node.high[k][i] = round_up(high[k][i] + margin);
            }
        }
        for (std::size_t i = items.size(); i < width; ++i) set_child(node, i, empty_box);
    });
}

void BoxTree::refit(std::span<const Box> boxes)
{
    PLEAT_ASSERT(boxes.size() == item_count_, "as many boxes as at build");
    refit_leaves([&](Node& node, std::span<const std::uint32_t> items) {
        for (std::size_t i = 0; i < items.size(); ++i) set_child(node, i, boxes[items[i]]);
    });
}

void BoxTree::refit(std::span<const Vec3> x, std::span<const TriangleIndices> triangles,
                    double margin)
{
    PLEAT_ASSERT(triangles.size() == item_count_, "as many triangles as at build");
    refit_extents([&](std::uint32_t item) { return extent_of(x, triangles[item]); }, margin);
}

void BoxTree::refit_swept(std::span<const Vec3> x0, std::span<const Vec3> x1,
                          std::span<const TriangleIndices> triangles, double margin)
{
    PLEAT_ASSERT(triangles.size() == item_count_, "as many triangles as at build");
    PLEAT_ASSERT(x0.size() == x1.size(), "one end a start");
    refit_extents(
        [&](std::uint32_t item) {
            const Extent e0 = extent_of(x0, triangles[item]), e1 = extent_of(x1, triangles[item]);
            return Extent{min(e0.low, e1.low), max(e0.high, e1.high)};
        },
        margin);
}

Box BoxTree::bounds() const
{
    PLEAT_ASSERT(item_count_ > 0, "an empty tree has no bounds");
    return union_of(nodes_.back());
}

// --- queries -----------------------------------------------------------------------------------

/// Appends the leaves from first_leaf on whose boxes overlap the given one, in increasing order.
void BoxTree::descend(const Box& box, std::size_t first_leaf,
                      std::vector<std::uint32_t>& leaves) const
{
    struct Entry {
        std::uint32_t level, node;
    };
    // Eight children a level, eleven levels for 2^32 items.
    std::array<Entry, 96> stack;
    std::size_t depth = 0;
    const auto top = static_cast<std::uint32_t>(level_begin_.size() - 2);
    stack[depth++] = {top, 0};
    while (depth > 0) {
        const Entry e = stack[--depth];
        if (e.level == 0) {
            leaves.push_back(e.node);
            continue;
        }
        std::uint32_t mask = overlap_mask(nodes_[level_begin_[e.level] + e.node], box);
        // Last child first onto the stack.
        while (mask != 0) {
            const auto i = static_cast<std::uint32_t>(31 - std::countl_zero(mask));
            mask ^= 1u << i;
            const std::size_t child = std::size_t{e.node} * width + i;
            if (((child + 1) << (3 * (e.level - 1))) <= first_leaf) break;
            stack[depth++] = {e.level - 1, static_cast<std::uint32_t>(child)};
        }
    }
}

void BoxTree::add_pairs(std::size_t own_leaf, const BoxTree& other, bool self,
                        std::vector<std::uint32_t>& leaves, std::vector<BoxPair>& pairs) const
{
    const Node& own = nodes_[own_leaf];
    leaves.clear();
    other.descend(union_of(own), self ? own_leaf : 0, leaves);
    const std::size_t own_count = std::min(width, item_count_ - own_leaf * width);
    std::array<Box, width> boxes;
    for (std::size_t i = 0; i < own_count; ++i) boxes[i] = child_box(own, i);
    for (const std::uint32_t leaf : leaves) {
        const Node& node = other.nodes_[leaf];
        std::uint32_t near = overlap_mask(own, union_of(node));
        for (; near != 0; near &= near - 1) {
            const auto i = static_cast<std::size_t>(std::countr_zero(near));
            std::uint32_t hits = overlap_mask(node, boxes[i]);
            if (self && leaf == own_leaf) hits &= ~((2u << i) - 1); // later ones only
            for (; hits != 0; hits &= hits - 1) {
                const auto j = static_cast<std::size_t>(std::countr_zero(hits));
                const std::uint32_t a = items_[own_leaf * width + i];
                const std::uint32_t b = other.items_[leaf * width + j];
                pairs.push_back(self && b < a ? BoxPair{b, a} : BoxPair{a, b});
            }
        }
    }
}

std::size_t BoxTree::piece_count() const
{
    return item_count_ == 0 ? 0 : chunk_count(level_begin_[1], piece_leaves);
}

void BoxTree::visit_pairs(const BoxTree& other, bool self, PairVisitor visit) const
{
    if (item_count_ == 0) return;
    parallel_chunks(level_begin_[1], piece_leaves,
                    [&](std::size_t piece, std::size_t first, std::size_t last) {
                        std::vector<std::uint32_t> leaves;
                        std::vector<BoxPair> pairs;
                        if (other.item_count_ > 0)
                            for (std::size_t leaf = first; leaf < last; ++leaf)
                                add_pairs(leaf, other, self, leaves, pairs);
                        visit(piece, pairs);
                    });
}

void BoxTree::visit_self_pairs(PairVisitor visit) const
{
    visit_pairs(*this, true, visit);
}

void BoxTree::visit_cross_pairs(const BoxTree& other, PairVisitor visit) const
{
    visit_pairs(other, false, visit);
}

std::vector<BoxPair> BoxTree::collect(const BoxTree& other, bool self) const
{
    std::vector<std::vector<BoxPair>> pieces(piece_count());
    visit_pairs(other, self, [&](std::size_t piece, std::span<const BoxPair> pairs) {
        pieces[piece].assign(pairs.begin(), pairs.end());
    });
    std::size_t count = 0;
    for (const auto& piece : pieces) count += piece.size();
    std::vector<BoxPair> all;
    all.reserve(count);
    for (const auto& piece : pieces) all.insert(all.end(), piece.begin(), piece.end());
    return all;
}

std::vector<BoxPair> BoxTree::self_pairs() const
{
    return collect(*this, true);
}

std::vector<BoxPair> BoxTree::cross_pairs(const BoxTree& other) const
{
    return collect(other, false);
}

void BoxTree::query(const Box& box, FunctionRef<void(std::uint32_t)> visit) const
{
    query_until(box, [&](std::uint32_t item) {
        visit(item);
        return true;
    });
}

bool BoxTree::query_until(const Box& box, FunctionRef<bool(std::uint32_t)> visit) const
{
    if (item_count_ == 0) return true;
    std::vector<std::uint32_t> leaves;
    descend(box, 0, leaves);
    for (const std::uint32_t leaf : leaves)
        for (std::uint32_t hits = overlap_mask(nodes_[leaf], box); hits != 0; hits &= hits - 1)
            if (!visit(items_[leaf * width + static_cast<std::size_t>(std::countr_zero(hits))]))
                return false;
    return true;
}

// --- nearest items -----------------------------------------------------------------------------

/// Squared distances of a point from the children; infinite for those that do not exist.
inline std::array<double, BoxTree::width> BoxTree::distances2(const Node& node, const Vec3& x)
{
    std::array<double, width> sum{};
    for (std::size_t k = 0; k < 3; ++k)
        for (std::size_t i = 0; i < width; ++i) {
            const double outside =
                most(double(node.low[k][i]) - x[k], x[k] - double(node.high[k][i]));
            const double d = most(outside, 0.0);
            sum[i] += d * d;
        }
    return sum;
}

double BoxTree::nearest(const Vec3& x, double best2, FunctionRef<double(std::uint32_t)> look) const
{
    if (item_count_ == 0) return best2;
    struct Entry {
        double distance2;
        std::uint32_t level, node;
    };
    // Seven of eight children wait on each of eleven levels.
    std::array<Entry, 96> stack;
    std::size_t depth = 0;
    stack[depth++] = {0, static_cast<std::uint32_t>(level_begin_.size() - 2), 0};
    while (depth > 0) {
        const Entry e = stack[--depth];
        if (e.distance2 >= best2) continue;
        const auto distance2 = distances2(nodes_[level_begin_[e.level] + e.node], x);
        const std::size_t first = std::size_t{e.node} * width, bottom = depth;
        for (std::size_t i = 0; i < width; ++i) {
            if (!(distance2[i] < best2)) continue;
            if (e.level == 0) {
                best2 = look(items_[first + i]);
                continue;
            }
            std::size_t at = depth++; // the nearest on top
            for (; at > bottom && stack[at - 1].distance2 < distance2[i]; --at)
                stack[at] = stack[at - 1];
            stack[at] = {distance2[i], e.level - 1, static_cast<std::uint32_t>(first + i)};
        }
    }
    return best2;
}

/// Branch and bound over pairs of nodes.
class BoxTree::NearestPair {
public:
    struct Place {
        std::size_t level, node;
        Box box;
    };

    NearestPair(const BoxTree& a, const Vec3& shift, const BoxTree& b, double best2,
                FunctionRef<double(std::uint32_t, std::uint32_t)> look)
        : a_(a), b_(b), shift_(shift), best2_(best2), look_(look)
    {}

    double run()
    {
        const auto root = [](const BoxTree& t) {
            return Place{t.level_begin_.size() - 2, 0, t.bounds()};
        };
        visit(root(a_), root(b_));
        return best2_;
    }

private:
    [[nodiscard]] double distance2(const Box& a, const Box& b) const
    {
        double sum = 0;
        for (std::size_t k = 0; k < 3; ++k) {
            const double gap = std::max({0.0, double(a.low[k]) + shift_[k] - double(b.high[k]),
                                         double(b.low[k]) - double(a.high[k]) - shift_[k]});
            sum += gap * gap;
        }
        return sum;
    }

    void visit(const Place& p, const Place& q)
    {
        if (p.level == 0 && q.level == 0) {
            visit_items(p, q);
            return;
        }
        const bool splits_a = p.level >= q.level;
        const BoxTree& tree = splits_a ? a_ : b_;
        const Place& split = splits_a ? p : q;
        const Node& node = tree.nodes_[tree.level_begin_[split.level] + split.node];
        std::array<std::pair<double, std::size_t>, width> order;
        for (std::size_t i = 0; i < width; ++i) {
            const Box box = child_box(node, i);
            order[i] = {splits_a ? distance2(box, q.box) : distance2(p.box, box), i};
        }
        std::sort(order.begin(), order.end());
        for (const auto& [near2, i] : order) {
            if (!(near2 < best2_)) return;
            const Place child{split.level - 1, split.node * width + i, child_box(node, i)};
            if (splits_a)
                visit(child, q);
            else
                visit(p, child);
        }
    }

    void visit_items(const Place& p, const Place& q)
    {
        const auto count = [](const BoxTree& t, std::size_t leaf) {
            return std::min(width, t.item_count_ - leaf * width);
        };
        for (std::size_t i = 0; i < count(a_, p.node); ++i)
            for (std::size_t j = 0; j < count(b_, q.node); ++j)
                if (distance2(child_box(a_.nodes_[p.node], i), child_box(b_.nodes_[q.node], j)) <
                    best2_)
                    best2_ = look_(a_.items_[p.node * width + i], b_.items_[q.node * width + j]);
    }

    const BoxTree &a_, &b_;
    const Vec3 shift_;
    double best2_;
    FunctionRef<double(std::uint32_t, std::uint32_t)> look_;
};

double BoxTree::nearest_pair(const BoxTree& other, const Vec3& shift, double best2,
                             FunctionRef<double(std::uint32_t, std::uint32_t)> look) const
{
    if (item_count_ == 0 || other.item_count_ == 0) return best2;
    return NearestPair(*this, shift, other, best2, look).run();
}

} // namespace pleat
