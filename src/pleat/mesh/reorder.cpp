// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/mesh/reorder.hpp"

#include "pleat/core/parallel.hpp"
#include "pleat/mesh/mesh_writer.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <utility>

namespace pleat {

namespace {

template <class IdT> Field<IdT, IdT> all_none(std::size_t count)
{
    return Field<IdT, IdT>(count, FieldRule::reset, no_id<IdT>);
}

/// Rebuilds the arrays so that element `old` comes to stand at new_id[old], with its own ids
/// renamed.
template <class IdT, class Record, class Rename>
void move_all(std::vector<Record>& records, const Field<IdT, IdT>& new_id, std::size_t count,
              Rename&& rename)
{
    std::vector<Record> result;
    result.reserve(count + count / 8); // the next pass splits first: few arrays are moved then
    result.resize(count);
    parallel_for(records.size(), [&](std::size_t i) {
        const IdT to = new_id[make_id<IdT>(i)];
        if (!is_some(to)) return;
        Record& r = result[index(to)];
        r = records[i];
        rename(r);
    });
    records = std::move(result);
}

} // namespace

void permute(Mesh& mesh, const MeshPermutation& p)
{
    const MeshWriter out(mesh);
    parallel_do({
        [&] {
            move_all(out.faces(), p.new_face, p.face_count, [&](Mesh::Face& f) {
                for (VertId& v : f.verts) v = p.new_vert[v];
                for (EdgeId& e : f.edges) e = p.new_edge[e];
            });
        },
        [&] {
            move_all(out.edges(), p.new_edge, p.edge_count, [&](Mesh::Edge& e) {
                for (NodeId& n : e.nodes) n = p.new_node[n];
                for (FaceId& f : e.faces)
                    if (is_some(f)) f = p.new_face[f];
            });
        },
        [&] {
            move_all(out.verts(), p.new_vert, p.vert_count,
                     [&](Mesh::Vert& v) { v.node = p.new_node[v.node]; });
        },
        [&] {
            move_all(out.nodes(), p.new_node, p.node_count,
                     [&](Mesh::Node& n) { n.face = p.new_face[n.face]; });
        },
    });
}

namespace {

struct FaceKey {
    FaceId face = no_face;
    std::uint32_t curve = 0; // place along it
};

/// By digit(key) in [0, digits), keys of the same digit in the order they have.
template <class Digit>
void sort_stably(std::vector<FaceKey>& keys, std::size_t digits, Digit&& digit)
{
    std::vector<std::size_t> place(digits + 1, 0);
    for (const FaceKey& k : keys) ++place[digit(k) + 1];
    std::partial_sum(place.begin(), place.end(), place.begin());
    std::vector<FaceKey> sorted(keys.size());
    for (const FaceKey& k : keys) sorted[place[digit(k)]++] = k;
    keys = std::move(sorted);
}

MeshPermutation empty_permutation(const Mesh& mesh)
{
    return {all_none<VertId>(mesh.vert_count()), all_none<NodeId>(mesh.node_count()),
            all_none<EdgeId>(mesh.edge_count()), all_none<FaceId>(mesh.face_count())};
}

/// A few steps down the Hilbert curve at once. In each quadrant the curve is the same, mirrored on
/// one diagonal, the other, or both: whether axes are swapped, and whether they are turned round,
/// is what one step tells the next.
struct HilbertTable {
    static constexpr std::uint32_t bits = 4; // of x, of y and twice of the index, an entry
    std::array<std::array<std::uint16_t, 1u << 2 * bits>, 4> entry{}; // next state, index

    constexpr HilbertTable()
    {
        for (std::uint32_t state = 0; state < 4; ++state)
            for (std::uint32_t cell = 0; cell < 1u << 2 * bits; ++cell) {
                std::uint32_t swapped = state & 1u, reversed = state >> 1, d = 0;
                for (std::uint32_t bit = bits; bit-- > 0;) {
                    const std::uint32_t bx = (cell >> (bits + bit) & 1u) ^ reversed;
                    const std::uint32_t by = (cell >> bit & 1u) ^ reversed;
                    const std::uint32_t exchange = (bx ^ by) & swapped;
                    const std::uint32_t rx = bx ^ exchange, ry = by ^ exchange;
                    d = d << 2 | ((3 * rx) ^ ry);
                    swapped ^= ry ^ 1u;
                    reversed ^= rx & (ry ^ 1u);
                }
                entry[state][cell] = std::uint16_t((swapped | reversed << 1) << 2 * bits | d);
            }
    }
};

constexpr HilbertTable hilbert_table;

} // namespace

std::uint64_t hilbert_index(double x, double y)
{
    constexpr std::uint32_t order = 16, bits = HilbertTable::bits, mask = (1u << bits) - 1;
    constexpr double cells = 1u << order;
    const auto cell = [&](double c) {
        return static_cast<std::uint32_t>(std::clamp(c * cells, 0.0, cells - 1));
    };
    const std::uint32_t cx = cell(x), cy = cell(y);
    std::uint32_t state = 0;
    std::uint64_t d = 0;
    for (std::uint32_t shift = order; shift > 0;) {
        shift -= bits;
        const std::uint32_t e =
            hilbert_table.entry[state][(cx >> shift & mask) << bits | (cy >> shift & mask)];
        d = d << 2 * bits | (e & ((1u << 2 * bits) - 1));
        state = e >> 2 * bits;
    }
    return d;
}

MeshPermutation compact(Mesh& mesh)
{
    MeshPermutation p = empty_permutation(mesh);
    const auto number = [&](auto ids, auto& new_id, std::size_t& count) {
        for (auto id : ids)
            if (mesh.is_alive(id)) new_id[id] = make_id<decltype(id)>(count++);
    };
    number(mesh.verts(), p.new_vert, p.vert_count);
    number(mesh.nodes(), p.new_node, p.node_count);
    number(mesh.edges(), p.new_edge, p.edge_count);
    number(mesh.faces(), p.new_face, p.face_count);
    permute(mesh, p);
    return p;
}

MeshPermutation reorder(Mesh& mesh, const std::vector<std::uint32_t>& panel_group)
{
    const MeshPermutation p = order_of(mesh, panel_group);
    permute(mesh, p);
    return p;
}

MeshPermutation order_of(const Mesh& mesh, const std::vector<std::uint32_t>& panel_group)
{
    struct Box {
        Vec2 low{std::numeric_limits<double>::max(), std::numeric_limits<double>::max()};
        Vec2 high{std::numeric_limits<double>::lowest(), std::numeric_limits<double>::lowest()};
    };
    std::vector<Box> box(mesh.panel_count());
    for (FaceId f : mesh.faces()) {
        if (!mesh.is_alive(f)) continue;
        Box& b = box[index(mesh.panel(f))];
        for (VertId v : mesh[f].verts) {
            const Vec2 u = mesh.u(v);
            for (std::size_t k = 0; k < 2; ++k) {
                b.low[k] = std::min(b.low[k], u[k]);
                b.high[k] = std::max(b.high[k], u[k]);
            }
        }
    }
    std::vector<FaceKey> keys(mesh.face_count());
    parallel_for(mesh.face_count(), [&](std::size_t i) {
        const auto f = make_id<FaceId>(i);
        if (!mesh.is_alive(f)) return;
        const Box& b = box[index(mesh.panel(f))];
        const auto& v = mesh[f].verts;
        const Vec2 centre = (mesh.u(v[0]) + mesh.u(v[1]) + mesh.u(v[2])) / 3.0;
        const double size = std::max(b.high[0] - b.low[0], b.high[1] - b.low[1]);
        const Vec2 place = (centre - b.low) / size;
        keys[i] = {f, std::uint32_t(hilbert_index(place[0], place[1]))};
    });
    std::erase_if(keys, [](const FaceKey& key) { return !is_some(key.face); });
    // By group, then panel, then along the curve: each sort keeps the order of the last.
    constexpr std::uint32_t bits = 11; // three digits hold a place
    for (std::uint32_t shift = 0; shift < 32; shift += bits)
        sort_stably(keys, 1u << bits,
                    [&](const FaceKey& k) { return k.curve >> shift & ((1u << bits) - 1); });
    if (mesh.panel_count() > 1) {
        std::vector<std::uint32_t> order(mesh.panel_count()), rank(mesh.panel_count());
        std::iota(order.begin(), order.end(), 0u);
        if (!panel_group.empty())
            std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
                return panel_group[a] < panel_group[b];
            });
        for (std::uint32_t i = 0; i < order.size(); ++i) rank[order[i]] = i;
        sort_stably(keys, order.size(),
                    [&](const FaceKey& k) { return rank[index(mesh.panel(k.face))]; });
    }

    MeshPermutation p = empty_permutation(mesh);
    const auto meet = [](auto& new_id, auto id, std::size_t& count) {
        if (!is_some(new_id[id])) new_id[id] = make_id<decltype(id)>(count++);
    };
    for (const FaceKey& key : keys) {
        const Mesh::Face& f = mesh[key.face];
        p.new_face[key.face] = make_id<FaceId>(p.face_count++);
        for (VertId v : f.verts) {
            if (is_some(p.new_vert[v])) continue; // then so is its node
            meet(p.new_vert, v, p.vert_count);
            meet(p.new_node, mesh.node(v), p.node_count);
        }
        for (EdgeId e : f.edges) meet(p.new_edge, e, p.edge_count);
    }
    return p;
}

} // namespace pleat
