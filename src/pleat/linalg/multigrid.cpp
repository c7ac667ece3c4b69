// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Notation: an aggregate with centre c moves its row at x by t + theta x (x - c); x - c is the
// row's lever. A force f on the row is a force f and a torque lever x f on the aggregate. [l] is
// the matrix of the cross product with l.
//
// A forward sweep from zero leaves each row without residual but for what later rows add: half a
// product makes the sweep, the other half the residual.
#include "pleat/linalg/multigrid.hpp"

#include "pleat/core/error.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace pleat {

namespace {

constexpr std::size_t groups_per_task = 32;
constexpr int pairings = 3; // aggregates of up to eight rows
// Levels end where this many aggregates are left, which sweeps alone can deal with: over so large
// distances mass outweighs stiffness.
constexpr std::size_t last_level_rows = 48;
constexpr int last_level_sweeps = 3;
// A pivot below this share of the largest diagonal element of its kind: the rows of an aggregate
// lie on a line, or it has one row only, and some rotation does not move them. It is left out.
constexpr double least_pivot = 1e-7;

/// [l] b: each column crossed.
Mat3 cross_left(const Vec3& l, const Mat3& b)
{
    Mat3 m{};
    for (std::size_t j = 0; j < 3; ++j) {
        m(0, j) = l[1] * b(2, j) - l[2] * b(1, j);
        m(1, j) = l[2] * b(0, j) - l[0] * b(2, j);
        m(2, j) = l[0] * b(1, j) - l[1] * b(0, j);
    }
    return m;
}

/// b [l]
Mat3 cross_right(const Mat3& b, const Vec3& l)
{
    Mat3 m{};
    for (std::size_t i = 0; i < 3; ++i) {
        m(i, 0) = b(i, 1) * l[2] - b(i, 2) * l[1];
        m(i, 1) = b(i, 2) * l[0] - b(i, 0) * l[2];
        m(i, 2) = b(i, 0) * l[1] - b(i, 1) * l[0];
    }
    return m;
}

Float8 make6(const Vec3& a, const Vec3& b)
{
    return Float8{static_cast<float>(a[0]),
                  static_cast<float>(a[1]),
                  static_cast<float>(a[2]),
                  static_cast<float>(b[0]),
                  static_cast<float>(b[1]),
                  static_cast<float>(b[2]),
                  0,
                  0};
}
Vec3 first_of(const Float8& v)
{
    return {double(v[0]), double(v[1]), double(v[2])};
}
Vec3 last_of(const Float8& v)
{
    return {double(v[3]), double(v[4]), double(v[5])};
}

} // namespace

Multigrid::Vec6 Multigrid::times(const Mat6& m, const Vec6& v)
{
    return ((m[0] * splat8(v[0]) + m[1] * splat8(v[1])) +
            (m[2] * splat8(v[2]) + m[3] * splat8(v[3]))) +
           (m[4] * splat8(v[4]) + m[5] * splat8(v[5]));
}

/// sum += P_left^T b P_right.
void Multigrid::add_rigid(Mat6d& sum, const Mat3& b, const Vec3& left, const Vec3& right)
{
    const Mat3 turned = cross_right(b, right); // what theta gives is -b [right] theta
    const Mat3 torque = cross_left(left, b), both = cross_left(left, turned);
    for (std::size_t j = 0; j < 3; ++j)
        for (std::size_t i = 0; i < 3; ++i) {
            sum.at[6 * j + i] += b(i, j);
            sum.at[6 * j + i + 3] += torque(i, j);
            sum.at[6 * (j + 3) + i] -= turned(i, j);
            sum.at[6 * (j + 3) + i + 3] -= both(i, j);
        }
}

/// sum += Q_left^T m Q_right, where Q moves an aggregate with the one above it.
void Multigrid::add_moved(Mat6d& sum, const Mat6d& m, const Vec3& left, const Vec3& right)
{
    std::array<std::array<Mat3, 2>, 2> b; // force, torque by translation, rotation
    for (std::size_t j = 0; j < 6; ++j)
        for (std::size_t i = 0; i < 6; ++i) b[i / 3][j / 3](i % 3, j % 3) = m.at[6 * j + i];
    for (std::size_t i = 0; i < 2; ++i) b[i][1] -= cross_right(b[i][0], right);
    for (std::size_t j = 0; j < 2; ++j) b[1][j] += cross_left(left, b[0][j]);
    for (std::size_t j = 0; j < 6; ++j)
        for (std::size_t i = 0; i < 6; ++i) sum.at[6 * j + i] += b[i / 3][j / 3](i % 3, j % 3);
}

Multigrid::Mat6 Multigrid::to_float(const Mat6d& m)
{
    Mat6 out{};
    for (std::size_t j = 0; j < 6; ++j)
        for (std::size_t i = 0; i < 6; ++i) out[j][i] = static_cast<float>(m.at[6 * j + i]);
    return out;
}

/// The inverse by L D L^T; directions without a pivot are left out of it.
Multigrid::Mat6 Multigrid::inverse_of(const Mat6d& m)
{
    std::array<std::array<double, 6>, 6> l{};
    std::array<double, 6> pivot{}, inverse_pivot{};
    for (std::size_t j = 0; j < 6; ++j) {
        const std::size_t kind = j < 3 ? 0 : 3; // of translations, of rotations
        const double largest = std::max({m.at[7 * kind], m.at[7 * kind + 7], m.at[7 * kind + 14]});
        pivot[j] = m.at[7 * j];
        for (std::size_t k = 0; k < j; ++k) pivot[j] -= l[j][k] * l[j][k] * pivot[k];
        inverse_pivot[j] = pivot[j] > least_pivot * largest && pivot[j] > 0 ? 1 / pivot[j] : 0;
        if (inverse_pivot[j] == 0) pivot[j] = 0;
        for (std::size_t i = j + 1; i < 6; ++i) {
            double v = 0.5 * (m.at[6 * j + i] + m.at[6 * i + j]);
            for (std::size_t k = 0; k < j; ++k) v -= l[i][k] * l[j][k] * pivot[k];
            l[i][j] = v * inverse_pivot[j];
        }
    }
    Mat6 out{};
    for (std::size_t c = 0; c < 6; ++c) { // solve for each unit vector
        std::array<double, 6> y{};
        if (inverse_pivot[c] == 0) continue;
        y[c] = 1;
        for (std::size_t i = c + 1; i < 6; ++i)
            for (std::size_t k = c; k < i; ++k) y[i] -= l[i][k] * y[k];
        for (std::size_t i = 0; i < 6; ++i) y[i] *= inverse_pivot[i];
        for (std::size_t i = 6; i-- > 0;)
            for (std::size_t k = i + 1; k < 6; ++k) y[i] -= l[k][i] * y[k];
        for (std::size_t i = 0; i < 6; ++i)
            if (inverse_pivot[i] > 0) out[c][i] = static_cast<float>(y[i]);
    }
    return out;
}

Multigrid::Mat6d& Multigrid::entry_of(Row& row, std::uint32_t self, std::uint32_t column)
{
    if (column == self) return row.diagonal;
    for (Entry& e : row.entries)
        if (e.column == column) return e.block;
    row.entries.push_back({column, {}});
    return row.entries.back().block;
}

void Multigrid::set_blocks(const BlockSystem& a)
{
    const std::size_t n = a.row_count();
    PLEAT_ASSERT(a.positions.empty() || a.positions.size() == n, "a position a row");
    const auto [start, rows] = possible_links(a);
    // Counted one row further on, so that filling moves each start to where it belongs.
    pull_start_.assign(n + 2, 0);
    for (const std::uint32_t row : rows) ++pull_start_[row + 2];
    std::partial_sum(pull_start_.begin(), pull_start_.end(), pull_start_.begin());
    pulls_.resize(rows.size());
    for (std::uint32_t l = 0; l + 1 < start.size(); ++l)
        for (std::uint32_t k = start[l]; k < start[l + 1]; ++k)
            pulls_[pull_start_[rows[k] + 1]++] = {l, 0};
    order_.make(n, [&, start = start, rows = rows](std::size_t i, auto&& visit) {
        for (std::uint32_t s = a.pattern->row_start[i]; s < a.pattern->row_start[i + 1]; ++s)
            visit(a.pattern->column[s]);
        for (std::uint32_t e = pull_start_[i]; e < pull_start_[i + 1]; ++e)
            for (std::uint32_t k = start[pulls_[e].link]; k < start[pulls_[e].link + 1]; ++k)
                visit(rows[k]);
    });
    fine_.set_blocks(a, order_);
    links_revision_ = 0;
    make_groups(a);
    if (!levels_.empty()) make_first_level(a);
}

/// Groups the rows of each level, as strongly as the trace of their blocks couples them.
void Multigrid::make_groups(const BlockSystem& a)
{
    std::size_t count = 0, rows = a.row_count();
    if (!a.positions.empty() && rows > last_level_rows) {
        graph_.start = a.pattern->row_start;
        graph_.column = a.pattern->column;
        graph_.strength.resize(a.off.size());
        parallel_for(a.off.size(), [&](std::size_t s) {
            const Mat3& m = a.off[s];
            graph_.strength[s] = static_cast<float>(std::abs(m(0, 0) + m(1, 1) + m(2, 2)));
        });
        for (bool shrinks = true; shrinks && rows > last_level_rows; ++count) {
            if (levels_.size() == count) levels_.emplace_back();
            levels_[count].groups = make_aggregates(graph_, pairings);
            const std::size_t groups = levels_[count].groups.count();
            shrinks = groups < rows / 2; // loose pieces do not couple
            rows = groups;
        }
    }
    levels_.resize(count);
}

/// P^T (own + internal) P of the first level, and the levers.
void Multigrid::make_first_level(const BlockSystem& a)
{
    const BlockPattern& pattern = *a.pattern;
    Level& level = levels_[0];
    const Aggregates& groups = level.groups;
    level.centre.resize(groups.count());
    lever_.resize(a.row_count());
    first_.resize(groups.count());
    parallel_for(
        groups.count(),
        [&](std::size_t g) {
            Vec3 sum{};
            for (const std::uint32_t i : groups.of(g)) sum += a.positions[i];
            level.centre[g] = sum / static_cast<double>(groups.of(g).size());
            for (const std::uint32_t i : groups.of(g)) lever_[i] = a.positions[i] - level.centre[g];
        },
        groups_per_task);
    parallel_for(
        groups.count(),
        [&](std::size_t g) {
            Row& row = first_[g];
            row.diagonal = {};
            row.entries.clear();
            for (const std::uint32_t i : groups.of(g)) {
                if (a.is_fixed(i)) continue;
                Mat3 own = a.own[i];
                for (std::uint32_t s = pattern.row_start[i]; s < pattern.row_start[i + 1]; ++s) {
                    own -= a.off[s];
                    const std::uint32_t j = pattern.column[s];
                    if (a.is_fixed(j)) continue;
                    add_rigid(entry_of(row, static_cast<std::uint32_t>(g), groups.of_row[j]),
                              a.off[s], lever_[i], lever_[j]);
                }
                add_rigid(row.diagonal, own, lever_[i], lever_[i]);
            }
        },
        groups_per_task);
}

/// The links' part of the first level. Each row of it looks for its links by itself.
void Multigrid::add_links(const BlockSystem& a)
{
    const BlockLinks& links = a.links;
    pull_start_.assign(a.row_count() + 2, 0);
    for (const std::uint32_t row : links.row) ++pull_start_[row + 2];
    std::partial_sum(pull_start_.begin(), pull_start_.end(), pull_start_.begin());
    pulls_.resize(links.row.size());
    for (std::uint32_t l = 0; l < links.size(); ++l)
        for (std::uint32_t k = links.start[l]; k < links.start[l + 1]; ++k)
            pulls_[pull_start_[links.row[k] + 1]++] = {l, links.weight[k]};
    Level& level = levels_[0];
    const Aggregates& groups = level.groups;
    parallel_for(
        groups.count(),
        [&](std::size_t g) {
            Row& row = level.rows[g];
            for (const std::uint32_t i : groups.of(g)) {
                if (a.is_fixed(i)) continue;
                for (std::uint32_t e = pull_start_[i]; e < pull_start_[i + 1]; ++e) {
                    const std::uint32_t l = pulls_[e].link;
                    for (std::uint32_t k = links.start[l]; k < links.start[l + 1]; ++k) {
                        const std::uint32_t j = links.row[k];
                        if (a.is_fixed(j)) continue;
                        add_rigid(entry_of(row, static_cast<std::uint32_t>(g), groups.of_row[j]),
                                  links.matrix[l] * (pulls_[e].weight * links.weight[k]), lever_[i],
                                  lever_[j]);
                    }
                }
            }
        },
        groups_per_task);
}

void Multigrid::make_upper_level(std::size_t l)
{
    const Level& below = levels_[l - 1];
    Level& level = levels_[l];
    const Aggregates& groups = level.groups;
    level.rows.resize(groups.count());
    level.centre.resize(groups.count());
    for (std::size_t g = 0; g < groups.count(); ++g) {
        Vec3 sum{};
        for (const std::uint32_t i : groups.of(g)) sum += below.centre[i];
        level.centre[g] = sum / static_cast<double>(groups.of(g).size());
    }
    parallel_for(
        groups.count(),
        [&](std::size_t g) {
            Row& row = level.rows[g];
            row.diagonal = {};
            row.entries.clear();
            const auto add = [&](std::uint32_t i, std::uint32_t j, const Mat6d& block) {
                const std::uint32_t h = groups.of_row[j];
                add_moved(entry_of(row, static_cast<std::uint32_t>(g), h), block,
                          below.centre[i] - level.centre[g], below.centre[j] - level.centre[h]);
            };
            for (const std::uint32_t i : groups.of(g)) {
                add(i, i, below.rows[i].diagonal);
                for (const Entry& e : below.rows[i].entries) add(i, e.column, e.block);
            }
        },
        groups_per_task);
}

/// The order of sweeps, and the matrix in float.
void Multigrid::finish_level(Level& level)
{
    const std::size_t n = level.rows.size();
    level.order.make(n, [&](std::size_t g, auto&& visit) {
        for (const Entry& e : level.rows[g].entries) visit(e.column);
    });
    level.start.resize(n + 1);
    level.start[0] = 0;
    for (std::size_t g = 0; g < n; ++g)
        level.start[g + 1] =
            level.start[g] + static_cast<std::uint32_t>(level.rows[g].entries.size());
    level.split.resize(n);
    level.column.resize(level.start[n]);
    level.blocks.resize(level.start[n]);
    level.inverse.resize(n);
    level.b.resize(n);
    level.x.resize(n);
    parallel_for(
        n,
        [&](std::size_t g) {
            const Row& row = level.rows[g];
            std::uint32_t to = level.start[g];
            for (const bool before : {true, false}) {
                for (const Entry& e : row.entries) {
                    if (level.order.is_before(e.column, static_cast<std::uint32_t>(g)) != before)
                        continue;
                    level.column[to] = e.column;
                    level.blocks[to++] = to_float(e.block);
                }
                if (before) level.split[g] = to;
            }
            level.inverse[g] = inverse_of(row.diagonal);
        },
        groups_per_task);
}

void Multigrid::set_links(const BlockSystem& a)
{
    fine_.set_links(a);
    if (a.links_revision != 0 && a.links_revision == links_revision_) return;
    links_revision_ = a.links_revision;
    for (std::size_t l = 0; l < levels_.size(); ++l) {
        if (l == 0) {
            levels_[0].rows = first_;
            if (a.links.size() > 0) add_links(a);
        } else {
            make_upper_level(l);
        }
        finish_level(levels_[l]);
    }
}

Multigrid::Vec6 Multigrid::row_sum(const Level& level, std::uint32_t first, std::uint32_t last)
{
    Vec6 sum{};
    for (std::uint32_t k = first; k < last; ++k)
        sum += times(level.blocks[k], level.x[level.column[k]]);
    return sum;
}

/// The residual after a forward sweep, to the level above. \pre x is the sweep's result from zero
void Multigrid::restrict_residual(std::size_t l)
{
    const Level& level = levels_[l];
    Level& above = levels_[l + 1];
    parallel_for(
        above.groups.count(),
        [&](std::size_t h) {
            Vec3 force{}, torque{};
            for (const std::uint32_t g : above.groups.of(h)) {
                const Vec6 r = -row_sum(level, level.split[g], level.start[g + 1]);
                force += first_of(r);
                torque += last_of(r) + cross(level.centre[g] - above.centre[h], first_of(r));
            }
            above.b[h] = make6(force, torque);
        },
        groups_per_task);
}

/// x += the motion of the level above.
void Multigrid::prolong(std::size_t l)
{
    Level& level = levels_[l];
    const Level& above = levels_[l + 1];
    parallel_for(level.x.size(), [&](std::size_t g) {
        const std::uint32_t h = above.groups.of_row[g];
        const Vec3 turn = last_of(above.x[h]);
        level.x[g] +=
            make6(first_of(above.x[h]) + cross(turn, level.centre[g] - above.centre[h]), turn);
    });
}

/// One V-cycle: x = (about A^-1) b of the level.
void Multigrid::cycle(std::size_t l)
{
    Level& level = levels_[l];
    const bool last = l + 1 == levels_.size();
    const auto relax = [&](std::size_t g) {
        level.x[g] = times(level.inverse[g],
                           level.b[g] - row_sum(level, level.start[g], level.start[g + 1]));
    };
    std::fill(level.x.begin(), level.x.end(), Vec6{});
    level.order.sweep<true>([&](std::size_t g) {
        level.x[g] =
            times(level.inverse[g], level.b[g] - row_sum(level, level.start[g], level.split[g]));
    });
    if (!last) {
        restrict_residual(l);
        cycle(l + 1);
        prolong(l);
    }
    level.order.sweep<false>(relax);
    for (int i = 1; last && i < last_level_sweeps; ++i) {
        level.order.sweep<true>(relax);
        level.order.sweep<false>(relax);
    }
}

void Multigrid::apply(std::span<const Float4> r, std::span<Float4> z)
{
    const std::size_t n = fine_.row_count();
    parallel_for(n, [&](std::size_t i) { z[i] = Float4{}; });
    order_.sweep<true>(
        [&](std::size_t i) { z[i] = fine_.solve_diagonal(i, r[i] - fine_.product_before(i, z)); });
    if (!levels_.empty()) {
        Level& level = levels_[0];
        parallel_for(
            level.groups.count(),
            [&](std::size_t g) {
                Vec3 force{}, torque{};
                for (const std::uint32_t i : level.groups.of(g)) {
                    if (fine_.is_fixed(i)) continue;
                    const Float4 r_i = -fine_.product_after(i, z, order_);
                    const Vec3 f{double(r_i[0]), double(r_i[1]), double(r_i[2])};
                    force += f;
                    torque += cross(lever_[i], f);
                }
                level.b[g] = make6(force, torque);
            },
            groups_per_task);
        cycle(0);
        parallel_for(n, [&](std::size_t i) {
            if (fine_.is_fixed(i)) return;
            const Vec6& up = level.x[level.groups.of_row[i]];
            const Vec3 move = first_of(up) + cross(last_of(up), lever_[i]);
            z[i] += Float4{static_cast<float>(move[0]), static_cast<float>(move[1]),
                           static_cast<float>(move[2]), 0};
        });
    }
    order_.sweep<false>(
        [&](std::size_t i) { z[i] += fine_.solve_diagonal(i, r[i] - fine_.product(i, z)); });
}

} // namespace pleat
