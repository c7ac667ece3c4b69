// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/strain_limiting/limited_mesh.hpp"

#include "pleat/core/parallel.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace pleat {

namespace {

/// Numbers the connected pieces of nodes by their smallest node.
std::size_t number_pieces(const Mesh& mesh, std::vector<std::uint32_t>& piece)
{
    std::vector<std::uint32_t> parent(mesh.node_count());
    std::iota(parent.begin(), parent.end(), 0u);
    const auto root = [&](std::uint32_t n) {
        while (parent[n] != n) n = parent[n] = parent[parent[n]];
        return n;
    };
    for (EdgeId e : mesh.edges()) {
        const std::uint32_t a = root(index(mesh[e].nodes[0])), b = root(index(mesh[e].nodes[1]));
        parent[std::max(a, b)] = std::min(a, b);
    }
    piece.resize(mesh.node_count());
    std::uint32_t count = 0;
    for (std::uint32_t n = 0; n < piece.size(); ++n) {
        const std::uint32_t r = root(n);
        piece[n] = r == n ? count++ : piece[r];
    }
    return count;
}

/// As build_row_gather(), with the parents in place of dependent nodes.
void gather_around(std::span<const LimitedFace> faces, std::size_t node_count,
                   const Dependencies& dependencies, RowGather& around,
                   std::vector<double>& weights)
{
    struct Entry {
        std::uint32_t node, entry;
        double weight;
    };
    std::vector<Entry> entries;
    for (std::uint32_t k = 0; k < faces.size(); ++k)
        for (std::uint32_t corner = 0; corner < 3; ++corner)
            dependencies.visit(faces[k].nodes[corner], 1, [&](std::uint32_t node, double weight) {
                entries.push_back({node, 16 * k + corner, weight});
            });
    std::stable_sort(entries.begin(), entries.end(),
                     [](const Entry& a, const Entry& b) { return a.node < b.node; });
    around.start.assign(node_count + 1, 0);
    around.entry.clear();
    for (const Entry& e : entries) {
        ++around.start[e.node + 1];
        around.entry.push_back(e.entry);
        weights.push_back(e.weight);
    }
    for (std::size_t i = 0; i < node_count; ++i) around.start[i + 1] += around.start[i];
}

/// limits_of(face) -> const StrainLimits*, or null.
template <class LimitsOf>
LimitCheck check(const Mesh& mesh, std::span<const Vec3> x, double tolerance, LimitsOf&& limits_of)
{
    return parallel_reduce(
        mesh.face_count(), LimitCheck{},
        [&](std::size_t i) {
            const auto f = make_id<FaceId>(i);
            const StrainLimits* limits = limits_of(f);
            if (limits == nullptr) return LimitCheck{};
            const auto& v = mesh[f].verts;
            const auto n = mesh.nodes_of(f);
            const FaceRest rest = face_rest(mesh.u(v[0]), mesh.u(v[1]), mesh.u(v[2]));
            const Vec2 e =
                quick_strains(deformation(rest, x[index(n[0])], x[index(n[1])], x[index(n[2])]));
            const double worst = std::max(violation(e[0], *limits), violation(e[1], *limits));
            return LimitCheck{std::max(0.0, worst), worst > tolerance ? 1u : 0u, 1};
        },
        [](const LimitCheck& a, const LimitCheck& b) {
            return LimitCheck{std::max(a.worst_violation, b.worst_violation),
                              a.faces_outside + b.faces_outside, a.faces_limited + b.faces_limited};
        });
}

} // namespace

void LimitedMesh::build(const Model& model, const std::optional<StrainLimits>& given,
                        bool with_unlimited)
{
    const Mesh& mesh = model.mesh;
    faces.clear();
    with_unlimited = with_unlimited &&
                     std::any_of(model.materials.begin(), model.materials.end(),
                                 [](const Material& m) { return m.strain_limits.has_value(); });
    std::vector<std::uint32_t> rows;
    for (FaceId f : mesh.faces()) {
        const auto limits =
            given ? given : model.materials[index(model.face_material[f])].strain_limits;
        if (!limits && !with_unlimited) continue;
        const auto& v = mesh[f].verts;
        const auto n = mesh.nodes_of(f);
        faces.push_back({{index(n[0]), index(n[1]), index(n[2])},
                         face_rest(mesh.u(v[0]), mesh.u(v[1]), mesh.u(v[2])),
                         limits.value_or(StrainLimits{}),
                         limits.has_value()});
        rows.insert(rows.end(), {index(n[0]), index(n[1]), index(n[2])});
    }
    dependencies = model.dependencies;
    around_weight.clear();
    if (dependencies.empty())
        around = build_row_gather(mesh.node_count(), {rows, 3});
    else
        gather_around(faces, mesh.node_count(), dependencies, around, around_weight);
    own_mass = mass = model.mass.values;
    piece_count = number_pieces(mesh, piece);
    held.assign(mass.size(), 0);
    piece_held.assign(piece_count, 0);
    piece_moment.resize(piece_count);
    piece_mass.assign(piece_count, 0.0);
}

void LimitedMesh::hold(const Loads& loads, double dt)
{
    mass = own_mass;
    for (const Spring& spring : loads.springs)
        dependencies.visit(index(spring.node), spring.stiffness * dt * dt,
                           [&](std::uint32_t node, double added) { mass[node] += added; });
    std::fill(piece_mass.begin(), piece_mass.end(), 0.0);
    for (std::size_t i = 0; i < mass.size(); ++i) piece_mass[piece[i]] += mass[i];
    std::fill(held.begin(), held.end(), std::uint8_t{0});
    std::fill(piece_held.begin(), piece_held.end(), std::uint8_t{0});
    for (const Pin& pin : loads.pins) {
        held[index(pin.node)] = 1;
        piece_held[piece[index(pin.node)]] = 1;
    }
    for (std::uint32_t i = 0; i < held.size() && !dependencies.empty(); ++i)
        if (const auto parents = dependencies.of(i); !parents.empty())
            held[i] = std::all_of(parents.begin(), parents.end(),
                                  [&](const auto& p) { return held[p.row] != 0; });
}

Vec2 quick_strains(const Mat3x2& f)
{
    const Vec3 a = column(f, 0), b = column(f, 1);
    const double aa = norm2(a), bb = norm2(b), ab = dot(a, b);
    const double mean = 0.5 * (aa + bb), half = 0.5 * (aa - bb);
    const double radius = std::sqrt(half * half + ab * ab);
    return {std::sqrt(mean + radius) - 1, std::sqrt(std::max(0.0, mean - radius)) - 1};
}

LimitCheck check_limits(const Model& model, std::span<const Vec3> x, double tolerance)
{
    return check(model.mesh, x, tolerance, [&](FaceId f) -> const StrainLimits* {
        const auto& limits = model.materials[index(model.face_material[f])].strain_limits;
        return limits ? &*limits : nullptr;
    });
}

LimitCheck check_limits(const Model& model, std::span<const Vec3> x, const StrainLimits& limits,
                        double tolerance)
{
    return check(model.mesh, x, tolerance, [&](FaceId) { return &limits; });
}

void finish_limiting(LimitedMesh& mesh, std::span<const Vec3> start, double dt, State& next)
{
    const std::span<Vec3> x = next.x.values;
    // Serial and in order: one pass over the nodes costs little.
    std::fill(mesh.piece_moment.begin(), mesh.piece_moment.end(), Vec3{});
    for (std::size_t i = 0; i < x.size(); ++i)
        mesh.piece_moment[mesh.piece[i]] += mesh.mass[i] * (x[i] - start[i]);
    parallel_for(x.size(), [&](std::size_t i) {
        const std::uint32_t p = mesh.piece[i];
        if (mesh.piece_held[p] || mesh.piece_moment[p] == Vec3{}) return;
        x[i] -= mesh.piece_moment[p] / mesh.piece_mass[p];
    });
    parallel_for(x.size(), [&](std::size_t i) {
        if (!mesh.held[i]) next.v.values[i] += (x[i] - start[i]) / dt;
    });
    follow(mesh.dependencies, x);
    follow(mesh.dependencies, next.v.span());
}

} // namespace pleat
