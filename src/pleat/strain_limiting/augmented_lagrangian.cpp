// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/strain_limiting/augmented_lagrangian.hpp"

#include "pleat/core/parallel.hpp"

#include <algorithm>
#include <cmath>

namespace pleat {

struct StrainLimiterAugmentedLagrangian::Work {
    bool fresh = false;
    LimitedMesh mesh;
    std::vector<Vec3> start;
    std::vector<Vec3> placed;     // the point evaluated, dependent nodes where their parents say
    std::vector<Vec2> multiplier; // by limited face, in units of strain
    std::vector<Vec2> excess;     // of the point evaluated last
    std::vector<Mat3x2> stress;   // by limited face: d penalty / d F
    std::vector<double> preconditioner;
    std::vector<double> energy_parts, violation_parts; // by chunk
    double worst = 0;                                  // of the point evaluated last
    AugmentedLagrangian solver;

    void prepare(const Model& model, const Loads& loads, double dt, const State& next,
                 const StrainAugmentedLagrangianOptions& options);
    double lagrangian(const StrainAugmentedLagrangianOptions& options, std::span<const Vec3> x,
                      std::span<Vec3> gradient);
};

void StrainLimiterAugmentedLagrangian::Work::prepare(
    const Model& model, const Loads& loads, double dt, const State& next,
    const StrainAugmentedLagrangianOptions& options)
{
    if (!fresh) {
        mesh.build(model, options.limits);
        multiplier.resize(mesh.faces.size());
        excess.resize(mesh.faces.size());
        stress.resize(mesh.faces.size());
        start.resize(mesh.node_count());
        preconditioner.resize(mesh.node_count());
        const std::size_t chunks =
            chunk_count(std::max(mesh.faces.size(), mesh.node_count()), default_chunk);
        energy_parts.resize(chunks);
        violation_parts.resize(chunks);
        fresh = true;
    }
    mesh.hold(loads, dt);
    std::copy(next.x.values.begin(), next.x.values.end(), start.begin());
    std::fill(multiplier.begin(), multiplier.end(), Vec2{});
    // The inverse of mass and of the penalty's stiffness were all constraints active.
    parallel_for(mesh.node_count(), [&](std::size_t i) {
        double stiffness = mesh.mass[i];
        for (std::uint32_t e = mesh.around.start[i]; e < mesh.around.start[i + 1]; ++e) {
            const FaceRest& r = mesh.faces[mesh.around.entry[e] / 16].rest;
            stiffness += mesh.corner_weight(e) *
                         (options.mu * r.area * norm2(r.b[mesh.around.entry[e] % 16]));
        }
        preconditioner[i] = mesh.is_free(static_cast<std::uint32_t>(i)) ? 1 / stiffness : 0.0;
    });
}

/// Eq. 19 without its constant, and its gradient: faces write their stress, nodes gather it.
double
StrainLimiterAugmentedLagrangian::Work::lagrangian(const StrainAugmentedLagrangianOptions& options,
                                                   std::span<const Vec3> x,
                                                   std::span<Vec3> gradient)
{
    if (!mesh.dependencies.empty()) {
        placed.assign(x.begin(), x.end());
        follow(mesh.dependencies, placed);
        x = placed;
    }
    const std::size_t face_count = mesh.faces.size();
    parallel_chunks(
        face_count, default_chunk, [&](std::size_t c, std::size_t first, std::size_t last) {
            double energy = 0, outside = 0;
            for (std::size_t k = first; k < last; ++k) {
                const LimitedFace& face = mesh.faces[k];
                const Mat3x2 f = deformation(face, x);
                double lo = face.limits.min, hi = face.limits.max;
                Vec2 value, stretch;
                if (options.measure == StrainMeasure::principal) {
                    value = stretch = quick_strains(f);
                } else {
                    value = component_strain(f).value;
                    stretch = {std::sqrt(1 + 2 * value[0]) - 1, std::sqrt(1 + 2 * value[1]) - 1};
                    lo = component_limit(lo);
                    hi = component_limit(hi);
                }
                outside = std::max({outside, violation(stretch[0], face.limits),
                                    violation(stretch[1], face.limits)});
                const Vec2 t = pleat::excess(value, multiplier[k], lo, hi);
                excess[k] = t;
                stress[k] = Mat3x2{};
                if (t == Vec2{}) continue;
                const FaceStrain s = options.measure == StrainMeasure::principal
                                         ? principal_strain(f)
                                         : component_strain(f);
                const double weight = options.mu * face.rest.area;
                energy += 0.5 * weight * norm2(t);
                stress[k] = (weight * t[0]) * s.gradient[0] + (weight * t[1]) * s.gradient[1];
            }
            energy_parts[c] = energy;
            violation_parts[c] = outside;
        });
    double energy = 0;
    worst = 0;
    for (std::size_t c = 0; c < chunk_count(face_count, default_chunk); ++c) {
        energy += energy_parts[c];
        worst = std::max(worst, violation_parts[c]);
    }
    parallel_chunks(
        mesh.node_count(), default_chunk, [&](std::size_t c, std::size_t first, std::size_t last) {
            double moved = 0;
            for (std::size_t i = first; i < last; ++i) {
                if (!mesh.is_free(static_cast<std::uint32_t>(i))) {
                    gradient[i] = Vec3{};
                    continue;
                }
                const Vec3 d = x[i] - start[i];
                Vec3 g = mesh.mass[i] * d;
                moved += 0.5 * mesh.mass[i] * norm2(d);
                for (std::uint32_t e = mesh.around.start[i]; e < mesh.around.start[i + 1]; ++e) {
                    const std::uint32_t entry = mesh.around.entry[e];
                    g += mesh.corner_weight(e) * // eq. 27
                         (stress[entry / 16] * mesh.faces[entry / 16].rest.b[entry % 16]);
                }
                gradient[i] = g;
            }
            energy_parts[c] = moved;
        });
    for (std::size_t c = 0; c < chunk_count(mesh.node_count(), default_chunk); ++c)
        energy += energy_parts[c];
    return energy;
}

StrainLimiterAugmentedLagrangian::StrainLimiterAugmentedLagrangian(
    const StrainAugmentedLagrangianOptions& options)
    : options_(options), work_(std::make_unique<Work>())
{}

StrainLimiterAugmentedLagrangian::~StrainLimiterAugmentedLagrangian() = default;

void StrainLimiterAugmentedLagrangian::mesh_changed()
{
    work_->fresh = false;
}

LimitReport StrainLimiterAugmentedLagrangian::limit(const Model& model, const Loads& loads,
                                                    const Contacts&, double dt, State& next)
{
    Work& w = *work_;
    w.prepare(model, loads, dt, next, options_);
    LimitReport report;
    if (w.mesh.faces.empty()) return report;

    const std::span<Vec3> x = next.x.values;
    int iteration = 0;
    const auto lagrangian = [&](std::span<const Vec3> at, std::span<Vec3> gradient) {
        return w.lagrangian(options_, at, gradient);
    };
    const auto worst = [&] {
        if (options_.on_iteration) options_.on_iteration(++iteration, x);
        return w.worst;
    };
    const auto update = [&] { std::swap(w.multiplier, w.excess); }; // eq. 20
    const AugmentedLagrangianReport r =
        w.solver.minimize({lagrangian, worst, update, w.preconditioner},
                          {options_.inner, options_.tolerance, options_.max_iterations}, x);
    report.iterations = r.iterations;
    report.worst_violation = r.violation;
    if (r.iterations > 0) finish_limiting(w.mesh, w.start, dt, next);
    return report;
}

} // namespace pleat
