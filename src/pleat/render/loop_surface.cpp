// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/render/loop_surface.hpp"

#include <opensubdiv/far/primvarRefiner.h>
#include <opensubdiv/far/topologyDescriptor.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <stdexcept>
#include <utility>

namespace pleat {

namespace {

namespace Far = OpenSubdiv::Far;
namespace Sdc = OpenSubdiv::Sdc;

/// A value that OpenSubdiv can sum.
template <class T> struct Summed {
    T value{};
    void Clear() { value = {}; }
    void AddWithWeight(const Summed& other, double weight) { value += weight * other.value; }
};

/// Outlines that turn by more than this are corners. Below, a curved outline stays smooth.
constexpr double corner_angle = 0.6; // [rad]

/// Nodes where an outline turns: they stay where they are.
std::vector<int> corners_of(const ControlMesh& m)
{
    std::map<std::pair<std::uint32_t, std::uint32_t>, int> count;
    for (const auto& f : m.faces)
        for (std::size_t k = 0; k < 3; ++k) ++count[std::minmax({f[k], f[(k + 1) % 3]})];
    const bool is_flat = !m.material.empty();
    struct Turn {
        std::vector<Vec3> along; // unit, from and to
    };
    std::map<std::uint32_t, Turn> turns;
    for (std::size_t t = 0; t < m.faces.size(); ++t)
        for (std::size_t k = 0; k < 3; ++k) {
            const std::uint32_t a = m.faces[t][k], b = m.faces[t][(k + 1) % 3];
            if (count[std::minmax({a, b})] != 1) continue;
            const auto place = [&](std::size_t corner) {
                if (!is_flat) return m.positions[m.faces[t][corner]];
                const Vec2 u = m.material[m.face_material[t][corner]];
                return Vec3{u[0], u[1], 0};
            };
            const Vec3 d = place((k + 1) % 3) - place(k);
            const Vec3 along = d / std::max(norm(d), 1e-300);
            turns[a].along.push_back(along);
            turns[b].along.push_back(along);
        }
    std::vector<int> corners;
    for (const auto& [node, turn] : turns)
        if (turn.along.size() != 2 || dot(turn.along[0], turn.along[1]) < std::cos(corner_angle))
            corners.push_back(int(node));
    return corners;
}

std::unique_ptr<Far::TopologyRefiner> make_refiner(const ControlMesh& m, int levels)
{
    std::vector<int> counts(m.faces.size(), 3), indices, points;
    for (const auto& f : m.faces)
        for (std::uint32_t n : f) indices.push_back(int(n));
    for (const auto& f : m.face_material)
        for (std::uint32_t p : f) points.push_back(int(p));
    const std::vector<int> corners = corners_of(m);
    const std::vector<float> sharp(corners.size(), Sdc::Crease::SHARPNESS_INFINITE);
    Far::TopologyDescriptor d;
    d.numVertices = int(m.positions.size());
    d.numFaces = int(m.faces.size());
    d.numVertsPerFace = counts.data();
    d.vertIndicesPerFace = indices.data();
    d.numCorners = int(corners.size());
    d.cornerVertexIndices = corners.data();
    d.cornerWeights = sharp.data();
    Far::TopologyDescriptor::FVarChannel channel;
    channel.numValues = int(m.material.size());
    channel.valueIndices = points.data();
    if (!m.material.empty()) {
        d.numFVarChannels = 1;
        d.fvarChannels = &channel;
    }
    Sdc::Options options;
    options.SetVtxBoundaryInterpolation(Sdc::Options::VTX_BOUNDARY_EDGE_AND_CORNER);
    options.SetFVarLinearInterpolation(Sdc::Options::FVAR_LINEAR_ALL);
    using Factory = Far::TopologyRefinerFactory<Far::TopologyDescriptor>;
    std::unique_ptr<Far::TopologyRefiner> refiner(
        Factory::Create(d, Factory::Options(Sdc::SCHEME_LOOP, options)));
    if (!refiner) throw std::runtime_error("OpenSubdiv cannot subdivide the mesh");
    Far::TopologyRefiner::UniformOptions uniform(levels);
    uniform.fullTopologyInLastLevel = true; // for limits and parents
    refiner->RefineUniform(uniform);
    return refiner;
}

enum class Kind { on_nodes, on_corners };

/// Values of the control mesh on the finest level.
template <class T>
std::vector<T> refined(const Far::TopologyRefiner& refiner, std::span<const T> values, Kind kind)
{
    const Far::PrimvarRefinerReal<double> primvars(refiner);
    std::vector<Summed<T>> now(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) now[i].value = values[i];
    for (int level = 1; level <= refiner.GetMaxLevel(); ++level) {
        const auto& l = refiner.GetLevel(level);
        std::vector<Summed<T>> next(
            std::size_t(kind == Kind::on_nodes ? l.GetNumVertices() : l.GetNumFVarValues(0)));
        Summed<T>* out = next.data();
        if (kind == Kind::on_nodes)
            primvars.Interpolate(level, now.data(), out);
        else
            primvars.InterpolateFaceVarying(level, now.data(), out, 0);
        now = std::move(next);
    }
    if (kind == Kind::on_nodes) {
        std::vector<Summed<T>> limit(now.size());
        Summed<T>* out = limit.data();
        primvars.Limit(now.data(), out);
        now = std::move(limit);
    }
    std::vector<T> result;
    result.reserve(now.size());
    for (const Summed<T>& s : now) result.push_back(s.value);
    return result;
}

} // namespace

bool loop_surface_available()
{
    return true;
}

LoopSurface loop_surface(const ControlMesh& mesh, int levels)
{
    const auto refiner = make_refiner(mesh, levels);
    LoopSurface s;
    s.positions = refined(*refiner, mesh.positions, Kind::on_nodes);
    if (!mesh.velocities.empty()) s.velocities = refined(*refiner, mesh.velocities, Kind::on_nodes);
    if (!mesh.material.empty()) s.material = refined(*refiner, mesh.material, Kind::on_corners);
    const auto& last = refiner->GetLevel(levels);
    for (int f = 0; f < last.GetNumFaces(); ++f) {
        const auto v = last.GetFaceVertices(f);
        s.faces.push_back({std::uint32_t(v[0]), std::uint32_t(v[1]), std::uint32_t(v[2])});
        if (!mesh.material.empty()) {
            const auto p = last.GetFaceFVarValues(f, 0);
            s.face_material.push_back(
                {std::uint32_t(p[0]), std::uint32_t(p[1]), std::uint32_t(p[2])});
        }
        int parent = f;
        for (int level = levels; level > 0; --level)
            parent = refiner->GetLevel(level).GetFaceParentFace(parent);
        s.parent.push_back(std::uint32_t(parent));
    }
    return s;
}

} // namespace pleat
