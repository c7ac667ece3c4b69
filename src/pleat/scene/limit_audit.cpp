// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/scene/limit_audit.hpp"

#include "pleat/core/parallel.hpp"
#include "pleat/export/frame_files.hpp"
#include "pleat/strain_limiting/face_strain.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <limits>
#include <map>

namespace pleat {

namespace {

enum class Measure { principal, components, edges };

Measure measure_of(const SceneDescription& scene)
{
    if (scene.strain_limiting.type == "edge_velocity") return Measure::edges;
    return scene.strain_limiting.measure == "components" ? Measure::components : Measure::principal;
}

constexpr double inf = std::numeric_limits<double>::infinity();
constexpr StrainLimits no_limits{-inf, inf};

StrainLimits limits_of(const Material& material)
{
    return material.strain_limits.value_or(no_limits);
}

double beyond(double strain, const StrainLimits& limits)
{
    return std::max({0.0, strain - limits.max, limits.min - strain});
}

double face_excess(const ObjectMesh& m, std::size_t face, const StrainLimits& limits,
                   Measure measure)
{
    const auto& n = m.face_nodes[face];
    const auto& t = m.face_verts[face];
    const Mat2 du = from_columns(m.u[t[1]] - m.u[t[0]], m.u[t[2]] - m.u[t[0]]);
    const Mat3x2 dx = from_columns(m.x[n[1]] - m.x[n[0]], m.x[n[2]] - m.x[n[0]]);
    const Mat3x2 f = dx * inverse(du);
    const Vec2 strain = measure == Measure::principal
                            ? principal_strain(f).value
                            : Vec2{norm(column(f, 0)) - 1, norm(column(f, 1)) - 1};
    return std::max(beyond(strain[0], limits), beyond(strain[1], limits));
}

/// Each face has the excess of its worst edge. Where two sides of a seam have rest lengths of their
/// own the looser bound counts, as in the limiter.
template <class LimitsOf>
std::vector<double> edge_excess(const ObjectMesh& m, const LimitsOf& limits_of_face)
{
    struct Bounds {
        double shortest = inf, longest = 0, rest = 0;
        int sides = 0;
    };
    std::map<std::array<std::uint32_t, 2>, Bounds> edges;
    const auto key = [&](std::size_t f, std::size_t k) {
        const std::uint32_t a = m.face_nodes[f][k], b = m.face_nodes[f][(k + 1) % 3];
        return std::array{std::min(a, b), std::max(a, b)};
    };
    for (std::size_t f = 0; f < m.face_nodes.size(); ++f)
        for (std::size_t k = 0; k < 3; ++k) {
            const auto& t = m.face_verts[f];
            const double rest = norm(m.u[t[(k + 1) % 3]] - m.u[t[k]]);
            const StrainLimits limits = limits_of_face(f);
            Bounds& e = edges[key(f, k)];
            e.shortest = std::min(e.shortest, rest * (1 + limits.min));
            e.longest = std::max(e.longest, rest * (1 + limits.max));
            e.rest += rest;
            ++e.sides;
        }
    std::vector<double> excess(m.face_nodes.size(), 0);
    for (std::size_t f = 0; f < excess.size(); ++f)
        for (std::size_t k = 0; k < 3; ++k) {
            const auto& n = m.face_nodes[f];
            const double length = norm(m.x[n[(k + 1) % 3]] - m.x[n[k]]);
            const Bounds& e = edges[key(f, k)];
            excess[f] = std::max({excess[f], (length - e.longest) * e.sides / e.rest,
                                  (e.shortest - length) * e.sides / e.rest});
        }
    return excess;
}

struct Worst {
    double strain = 0;
    std::uint32_t face = 0;
    std::size_t count = 0;
};

} // namespace

bool limits_strain(const SceneDescription& scene)
{
    return scene.strain_limiting.type != "none" &&
           std::any_of(scene.cloths.begin(), scene.cloths.end(), [](const ClothDescription& c) {
               return std::any_of(c.materials.begin(), c.materials.end(),
                                  [](const Material& m) { return m.strain_limits.has_value(); });
           });
}

LimitExcess limit_excess(const SceneDescription& scene, std::span<const ObjectMesh> meshes,
                         std::span<const std::vector<std::uint16_t>> face_material,
                         double tolerance)
{
    LimitExcess result;
    if (!limits_strain(scene)) return result;
    const Measure measure = measure_of(scene);
    for (std::size_t i = 0; i < meshes.size(); ++i) {
        const ObjectMesh& m = meshes[i];
        const auto cloth =
            std::find_if(scene.cloths.begin(), scene.cloths.end(), [&](const ClothDescription& c) {
                return file_stem(c.name) == file_stem(m.name);
            });
        if (!m.is_cloth || cloth == scene.cloths.end()) continue;
        StrainLimits loosest{0, 0};
        for (const Material& material : cloth->materials) {
            const StrainLimits l = limits_of(material);
            loosest = {std::min(loosest.min, l.min), std::max(loosest.max, l.max)};
        }
        const std::vector<std::uint16_t>* known =
            i < face_material.size() && face_material[i].size() == m.face_nodes.size()
                ? &face_material[i]
                : nullptr;
        const auto limits_of_face = [&](std::size_t f) {
            return known != nullptr && (*known)[f] < cloth->materials.size()
                       ? limits_of(cloth->materials[(*known)[f]])
                       : loosest;
        };
        const std::vector<double> of_edges =
            measure == Measure::edges ? edge_excess(m, limits_of_face) : std::vector<double>{};
        const Worst worst = parallel_reduce(
            m.face_nodes.size(), Worst{},
            [&](std::size_t f) {
                const double e = measure == Measure::edges
                                     ? of_edges[f]
                                     : face_excess(m, f, limits_of_face(f), measure);
                return Worst{e, std::uint32_t(f), std::size_t(e > tolerance)};
            },
            [](const Worst& a, const Worst& b) {
                const Worst& larger = b.strain > a.strain ? b : a;
                return Worst{larger.strain, larger.face, a.count + b.count};
            });
        result.faces += worst.count;
        if (worst.strain <= result.strain) continue;
        result.strain = worst.strain;
        result.cloth = m.name;
        result.face = worst.face;
    }
    return result;
}

LimitExcess written_limit_excess(const RunFolder& folder, int frame,
                                 std::span<const ObjectMesh> meshes, double tolerance)
{
    if (!folder.scene() || !limits_strain(*folder.scene())) return {};
    std::vector<std::vector<std::uint16_t>> face_material(meshes.size());
    for (std::size_t i = 0; i < meshes.size(); ++i)
        if (auto attributes = folder.read_attributes(meshes[i], frame))
            face_material[i] = std::move(attributes->face_material);
    return limit_excess(*folder.scene(), meshes, face_material, tolerance);
}

LimitExcess current_limit_excess(const SceneDescription& scene, const World& world,
                                 const Simulation& sim, double tolerance)
{
    if (!limits_strain(scene)) return {};
    const std::vector<ObjectMesh> meshes = object_meshes(world, sim);
    std::vector<std::vector<std::uint16_t>> face_material(scene.cloths.size());
    std::vector<std::size_t> first(scene.cloths.size(), 0); // fabric of each cloth in the model
    for (std::size_t c = 1; c < first.size(); ++c)
        first[c] = first[c - 1] + scene.cloths[c - 1].materials.size();
    for (FaceId f : sim.model.mesh.faces()) {
        const std::size_t c = index(sim.model.cloth_of(f));
        face_material[c].push_back(std::uint16_t(index(sim.model.face_material[f]) - first[c]));
    }
    return limit_excess(scene, meshes, face_material, tolerance);
}

void LimitSummary::add(int frame, const LimitExcess& excess)
{
    if (excess.strain > tolerance) {
        if (frames_beyond == 0) first_beyond = frame;
        ++frames_beyond;
    }
    if (worst_frame >= 0 && excess.strain <= worst.strain) return;
    worst_frame = frame;
    worst = excess;
}

std::string to_string(const LimitSummary& s)
{
    char text[256];
    std::snprintf(text, sizeof text,
                  "%d frame(s) with strains more than %.3g beyond the limits of their fabrics, the "
                  "first is frame %d; worst: %.3g beyond, in frame %d at ",
                  s.frames_beyond, s.tolerance, s.first_beyond, s.worst.strain, s.worst_frame);
    return text + s.worst.cloth + " face " + std::to_string(s.worst.face) + " (" +
           std::to_string(s.worst.faces) + " faces of that frame)";
}

} // namespace pleat
