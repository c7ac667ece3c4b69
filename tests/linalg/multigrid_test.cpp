// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/linalg/aggregates.hpp"
#include "pleat/linalg/cg.hpp"
#include "pleat/linalg/multigrid.hpp"
#include "pleat/linalg/sweep_order.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <memory>
#include <random>
#include <set>

namespace pleat {
namespace {

/// A square sheet of springs along, across and diagonally, of mass 1 a node; `stiffness` is what a
/// spring has times dt^2. A second layer under it may be pressed on by links.
struct Sheets {
    std::unique_ptr<PatternParts> parts = std::make_unique<PatternParts>();
    BlockSystem a;
};

Sheets make_sheets(std::uint32_t side, double stiffness, bool two_layers)
{
    Sheets s;
    const std::uint32_t layer = side * side, n = two_layers ? 2 * layer : layer;
    std::vector<std::uint32_t> springs;
    s.a.positions.resize(n);
    for (std::uint32_t i = 0; i < n; ++i) {
        const std::uint32_t c = i % side, r = (i % layer) / side;
        // Not quite flat, so that springs resist in all directions.
        s.a.positions[i] = {0.01 * c, 0.01 * r,
                            0.002 * std::sin(0.3 * c) * std::cos(0.2 * r) - 0.005 * (i / layer)};
        if (c + 1 < side) springs.insert(springs.end(), {i, i + 1});
        if (r + 1 < side) springs.insert(springs.end(), {i, i + side});
        if (c + 1 < side && r + 1 < side) springs.insert(springs.end(), {i, i + side + 1});
    }
    const ElementList list{springs, 2};
    *s.parts = build_pattern(n, {&list, 1});
    s.a.pattern = &s.parts->pattern;
    s.a.off.resize(s.parts->pattern.slot_count());
    for (const auto& pair : s.parts->pattern.pairs) {
        const Vec3 d = normalized(s.a.positions[pair.column] - s.a.positions[pair.row]);
        const Mat3 k = (outer(d, d) + identity<3>() * 1e-3) * -stiffness;
        s.a.off[pair.slot] = s.a.off[pair.mirror] = k;
    }
    s.a.own.assign(n, identity<3>());
    if (two_layers)
        for (std::uint32_t i = 0; i < layer; ++i) {
            const std::array<std::uint32_t, 2> rows{i, i + layer};
            const std::array<double, 2> weights{1, -1};
            s.a.links.add(rows, weights, outer(Vec3{0, 0, 1}, Vec3{0, 0, 1}) * stiffness);
        }
    return s;
}

std::vector<Vec3> random_load(std::size_t n, unsigned seed)
{
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> unit(-1, 1);
    std::vector<Vec3> b(n);
    for (Vec3& v : b) v = {unit(random), unit(random), unit(random)};
    return b;
}

std::vector<Float4> to_float(const std::vector<Vec3>& v)
{
    std::vector<Float4> f;
    for (const Vec3& x : v)
        f.push_back(Float4{static_cast<float>(x[0]), static_cast<float>(x[1]),
                           static_cast<float>(x[2]), 0});
    return f;
}

double dot_of(const std::vector<Float4>& a, const std::vector<Float4>& b)
{
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i)
        for (int k = 0; k < 3; ++k) sum += double(a[i][k]) * double(b[i][k]);
    return sum;
}

TEST(Multigrid, is_a_symmetric_positive_operator)
{
    for (const bool layers : {false, true}) {
        Sheets s = make_sheets(40, 1e4, layers);
        s.a.fixed.assign(s.a.row_count(), 0);
        s.a.fixed[3] = s.a.fixed[777] = 1;
        Multigrid m;
        m.set_blocks(s.a);
        m.set_links(s.a);
        std::vector<Float4> r = to_float(random_load(s.a.row_count(), 1));
        std::vector<Float4> q = to_float(random_load(s.a.row_count(), 2));
        for (auto* v : {&r, &q})
            for (std::size_t i : {3u, 777u}) (*v)[i] = Float4{};
        std::vector<Float4> mr(r.size()), mq(r.size());
        m.apply(r, mr);
        m.apply(q, mq);
        EXPECT_GT(dot_of(r, mr), 0);
        EXPECT_GT(dot_of(q, mq), 0);
        const double size = std::sqrt(dot_of(r, mr) * dot_of(q, mq));
        EXPECT_NEAR(dot_of(q, mr), dot_of(r, mq), 1e-4 * size);
        for (int k = 0; k < 3; ++k) EXPECT_EQ(mr[777][k], 0);
    }
}

TEST(Multigrid, deals_with_aggregates_on_a_line)
{
    // A flat sheet along the axes, coupled along x more strongly: rows of the sheet form
    // aggregates, and turning one of them about x moves nothing.
    Sheets s = make_sheets(32, 1e4, false);
    for (Vec3& x : s.a.positions) x[2] = 0;
    for (const auto& pair : s.parts->pattern.pairs) {
        const bool along = pair.column == pair.row + 1;
        s.a.off[pair.slot] = s.a.off[pair.mirror] = identity<3>() * (along ? -1e4 : -10);
    }
    Multigrid m;
    m.set_blocks(s.a);
    m.set_links(s.a);
    const std::vector<Float4> r = to_float(random_load(s.a.row_count(), 4));
    std::vector<Float4> z(r.size());
    m.apply(r, z);
    EXPECT_TRUE(std::isfinite(dot_of(r, z)));
    EXPECT_GT(dot_of(r, z), 0);
}

int iterations(const Sheets& s, bool coarse)
{
    BlockSystem a = s.a;
    if (!coarse) a.positions.clear();
    CgOptions o;
    o.fallback = false;
    const std::vector<Vec3> b = random_load(a.row_count(), 3);
    std::vector<Vec3> x(b.size());
    const LinearReport r = LinearSolverCg(o).solve(a, b, x);
    EXPECT_TRUE(r.ok);
    return r.iterations;
}

TEST(Multigrid, needs_few_iterations_whatever_the_size)
{
    // Waves run over the whole sheet in a step. Without coarse levels iterations grow with the
    // side.
    const int small = iterations(make_sheets(24, 1e4, false), true);
    const int large = iterations(make_sheets(96, 1e4, false), true);
    EXPECT_LT(large, 1.7 * small);
    EXPECT_LT(large, 60);
    EXPECT_GT(iterations(make_sheets(96, 1e4, false), false), 2 * large);
}

TEST(Multigrid, knows_layers_that_press_on_each_other)
{
    // Links as stiff as the springs between two sheets that are soft across: their diagonal alone
    // would hold the two layers as if each of them were nailed down.
    EXPECT_LT(iterations(make_sheets(48, 1e4, true), true),
              4 * iterations(make_sheets(48, 1e4, false), true));
}

TEST(Aggregates, follow_the_strong_direction_and_hold_every_row_once)
{
    // A grid that is coupled a hundred times more strongly along its rows.
    constexpr std::uint32_t side = 16;
    CouplingGraph g;
    g.start.push_back(0);
    for (std::uint32_t i = 0; i < side * side; ++i) {
        const std::uint32_t c = i % side, r = i / side;
        const auto add = [&](std::uint32_t j, float strength) {
            g.column.push_back(j);
            g.strength.push_back(strength);
        };
        if (c > 0) add(i - 1, 100);
        if (c + 1 < side) add(i + 1, 100);
        if (r > 0) add(i - side, 1);
        if (r + 1 < side) add(i + side, 1);
        g.start.push_back(static_cast<std::uint32_t>(g.column.size()));
    }
    const Aggregates a = make_aggregates(g, 3);
    EXPECT_EQ(a.count(), side * side / 8);
    EXPECT_EQ(g.row_count(), a.count());
    std::set<std::uint32_t> seen;
    for (std::size_t k = 0; k < a.count(); ++k)
        for (const std::uint32_t row : a.of(k)) {
            EXPECT_TRUE(seen.insert(row).second);
            EXPECT_EQ(a.of_row[row], k);
            EXPECT_EQ(row / side, a.of(k).front() / side) << "within one row of the grid";
        }
    EXPECT_EQ(seen.size(), side * side);
}

TEST(SweepOrder, visits_each_row_once_and_never_two_coupled_ones_at_a_time)
{
    constexpr std::uint32_t n = 5000;
    const auto coupled = [](std::size_t i, auto&& visit) { // a band, and far couplings
        for (std::uint32_t d : {1u, 70u, 2500u}) {
            if (i >= d) visit(static_cast<std::uint32_t>(i - d));
            if (i + d < n) visit(static_cast<std::uint32_t>(i + d));
        }
    };
    SweepOrder order;
    order.make(n, coupled);
    std::vector<int> visits(n);
    // Each row takes one more than the most of the rows that were before it: every row that is
    // coupled must know on which side it is.
    std::vector<int> rank(n, 0);
    order.sweep<true>([&](std::size_t i) {
        ++visits[i];
        int most = 0;
        coupled(i, [&](std::uint32_t j) {
            if (order.is_before(j, static_cast<std::uint32_t>(i))) most = std::max(most, rank[j]);
        });
        rank[i] = most + 1;
    });
    for (std::uint32_t i = 0; i < n; ++i) {
        EXPECT_EQ(visits[i], 1);
        coupled(i, [&](std::uint32_t j) {
            EXPECT_NE(order.is_before(i, j), order.is_before(j, i));
            EXPECT_EQ(order.is_before(i, j), rank[i] < rank[j]);
        });
    }
    order.sweep<false>([&](std::size_t i) { --visits[i]; });
    for (const int v : visits) EXPECT_EQ(v, 0);
}

} // namespace
} // namespace pleat
