// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "mesh/zoo.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <map>
#include <numbers>

namespace pleat::zoo {

namespace {

/// Grid of (columns + 1) x (rows + 1) points; cells that `keep` refuses are left out, and points
/// that no cell uses with them. Alternating diagonals.
MeshInput grid_of(int columns, int rows, double width, double height,
                  const std::function<bool(int, int)>& keep)
{
    MeshInput m;
    std::map<std::pair<int, int>, std::uint32_t> id;
    const auto point = [&](int i, int j) {
        const auto [it, is_new] = id.emplace(std::pair{i, j}, std::uint32_t(m.node_x.size()));
        if (is_new) {
            const Vec2 u{width * i / columns, height * j / rows};
            m.material_u.push_back(u);
            m.node_x.push_back({u[0], u[1], 0});
        }
        return it->second;
    };
    for (int j = 0; j < rows; ++j)
        for (int i = 0; i < columns; ++i) {
            if (!keep(i, j)) continue;
            const std::uint32_t a = point(i, j), b = point(i + 1, j), c = point(i + 1, j + 1),
                                d = point(i, j + 1);
            if ((i + j) % 2 == 0) {
                m.face_nodes.push_back({a, b, c});
                m.face_nodes.push_back({a, c, d});
            } else {
                m.face_nodes.push_back({a, b, d});
                m.face_nodes.push_back({b, c, d});
            }
        }
    m.face_points = m.face_nodes;
    return m;
}

/// Makes nodes one where same(a) maps them, drops the unused, keeps all material points.
void merge_nodes(MeshInput& m, const std::map<std::uint32_t, std::uint32_t>& same)
{
    std::vector<std::uint32_t> to(m.node_x.size());
    std::vector<Vec3> x;
    for (std::uint32_t i = 0; i < to.size(); ++i)
        if (!same.contains(i)) {
            to[i] = std::uint32_t(x.size());
            x.push_back(m.node_x[i]);
        }
    for (const auto& [from, into] : same) to[from] = to[into];
    for (auto& f : m.face_nodes)
        for (auto& n : f) n = to[n];
    m.node_x = std::move(x);
}

std::uint32_t find_point(const MeshInput& m, Vec2 u)
{
    for (std::uint32_t i = 0; i < m.material_u.size(); ++i)
        if (norm(m.material_u[i] - u) < 1e-9) return i;
    return 0xffffffffu;
}

} // namespace

MeshInput grid(int columns, int rows, double width, double height)
{
    return grid_of(columns, rows, width, height, [](int, int) { return true; });
}

MeshInput fan(int triangles)
{
    MeshInput m;
    m.node_x.push_back({0, 0, 0});
    for (int i = 0; i < triangles; ++i) {
        const double a = 2 * std::numbers::pi * i / triangles;
        m.node_x.push_back({std::cos(a), std::sin(a), 0});
        m.face_nodes.push_back({0, std::uint32_t(i + 1), std::uint32_t((i + 1) % triangles + 1)});
    }
    for (const Vec3& x : m.node_x) m.material_u.push_back({x[0], x[1]});
    m.face_points = m.face_nodes;
    return m;
}

MeshInput sliver()
{
    return grid(4, 4, 1, 1e-3);
}

MeshInput dart(int rings, int sectors)
{
    MeshInput m;
    constexpr double opening = 0.5; // [rad], cut away
    m.node_x.push_back({0, 0, 0});
    m.material_u.push_back({0, 0});
    const auto point = [&](int r, int s) {
        return r == 0 ? 0u : std::uint32_t(1 + (r - 1) * (sectors + 1) + s);
    };
    const auto node = [&](int r, int s) {
        return r == 0 ? 0u : std::uint32_t(1 + (r - 1) * sectors + s % sectors);
    };
    for (int r = 1; r <= rings; ++r)
        for (int s = 0; s <= sectors; ++s) {
            const double share = double(s) / sectors;
            const double angle = share * (2 * std::numbers::pi - opening);
            const double radius = double(r) / rings;
            m.material_u.push_back({radius * std::cos(angle), radius * std::sin(angle)});
            if (s == sectors) continue;
            const double turn = share * 2 * std::numbers::pi;
            const double flat = 1 - opening / (2 * std::numbers::pi);
            m.node_x.push_back({radius * flat * std::cos(turn), radius * flat * std::sin(turn),
                                radius * std::sqrt(1 - flat * flat)});
        }
    for (int r = 0; r < rings; ++r)
        for (int s = 0; s < sectors; ++s) {
            const auto add = [&](std::pair<int, int> a, std::pair<int, int> b,
                                 std::pair<int, int> c) {
                m.face_nodes.push_back(
                    {node(a.first, a.second), node(b.first, b.second), node(c.first, c.second)});
                m.face_points.push_back(
                    {point(a.first, a.second), point(b.first, b.second), point(c.first, c.second)});
            };
            add({r, s}, {r + 1, s}, {r + 1, s + 1});
            if (r > 0) add({r, s}, {r + 1, s + 1}, {r, s + 1});
        }
    return m;
}

MeshInput two_panels(int cells, double gather)
{
    MeshInput m = grid(cells, cells);
    MeshInput right = grid(cells, cells, 1, gather);
    for (Vec3& x : right.node_x) x = {x[0] + 1, x[1] / gather, 0};
    for (Vec2& u : right.material_u) u[0] += 2; // apart in material space
    append(m, right);
    std::map<std::uint32_t, std::uint32_t> same;
    for (int j = 0; j <= cells; ++j)
        same[find_point(m, {2, gather * j / cells})] = find_point(m, {1, double(j) / cells});
    merge_nodes(m, same);
    return m;
}

MeshInput tube(int around, int along)
{
    MeshInput m = grid(around, along);
    const double radius = 1 / (2 * std::numbers::pi);
    for (Vec3& x : m.node_x) {
        const double a = 2 * std::numbers::pi * x[0];
        x = {radius * std::cos(a), radius * std::sin(a), x[1]};
    }
    std::map<std::uint32_t, std::uint32_t> same;
    for (int j = 0; j <= along; ++j)
        same[find_point(m, {1, double(j) / along})] = find_point(m, {0, double(j) / along});
    merge_nodes(m, same);
    return m;
}

MeshInput three_panels(int cells)
{
    // The corner of a cube: panel p spans axes p and p + 1; its side along axis p + 1 is sewn to
    // the next panel's side along its first axis.
    MeshInput m;
    for (std::size_t p = 0; p < 3; ++p) {
        MeshInput panel = grid(cells, cells);
        for (Vec3& x : panel.node_x) {
            Vec3 y{};
            y[p] = x[0];
            y[(p + 1) % 3] = x[1];
            x = y;
        }
        for (Vec2& u : panel.material_u) u[0] += 2.0 * double(p);
        append(m, panel);
    }
    std::map<std::uint32_t, std::uint32_t> same;
    for (std::uint32_t i = 0; i < m.node_x.size(); ++i)
        for (std::uint32_t j = 0; j < i; ++j)
            if (m.node_x[i] == m.node_x[j]) {
                same[i] = j;
                break;
            }
    merge_nodes(m, same);
    return m;
}

MeshInput non_convex(int cells)
{
    return grid_of(cells, cells, 1, 1,
                   [=](int i, int j) { return i < cells / 2 || j < cells / 2; });
}

MeshInput hole(int cells)
{
    return grid_of(cells, cells, 1, 1, [=](int i, int j) {
        const int low = cells / 3, high = cells - low;
        return i < low || i >= high || j < low || j >= high;
    });
}

MeshInput pillow(int cells)
{
    MeshInput m = grid(cells, cells);
    const auto points = std::uint32_t(m.node_x.size());
    MeshInput back = grid(cells, cells);
    for (auto& f : back.face_nodes) std::swap(f[1], f[2]); // seen from behind
    back.face_points = back.face_nodes;
    for (Vec2& u : back.material_u) u[0] = 3 - u[0];
    append(m, back);
    std::map<std::uint32_t, std::uint32_t> same;
    for (std::uint32_t i = 0; i < points; ++i) {
        const Vec3 x = m.node_x[i];
        const bool rim = x[0] == 0 || x[0] == 1 || x[1] == 0 || x[1] == 1;
        if (rim)
            same[i + points] = i;
        else
            m.node_x[i][2] = 0.1, m.node_x[i + points][2] = -0.1;
    }
    merge_nodes(m, same);
    return m;
}

MeshInput two_pieces(int cells)
{
    MeshInput m = grid(cells, cells);
    MeshInput above = grid(cells, cells, 0.5, 0.5);
    for (Vec3& x : above.node_x) x[2] = 0.3;
    append(m, above);
    return m;
}

std::vector<Animal> animals()
{
    return {{"grid", grid(6, 5)},          {"fan", fan(9)},
            {"sliver", sliver()},          {"dart", dart(3, 8)},
            {"two_panels", two_panels(4)}, {"gather", two_panels(4, 1.3)},
            {"tube", tube(6, 4)},          {"three_panels", three_panels(3)},
            {"non_convex", non_convex(6)}, {"hole", hole(6)},
            {"pillow", pillow(4)},         {"two_pieces", two_pieces(4)}};
}

} // namespace pleat::zoo
