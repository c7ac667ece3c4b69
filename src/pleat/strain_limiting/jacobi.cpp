// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/strain_limiting/jacobi.hpp"

#include "pleat/core/parallel.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace pleat {

struct StrainLimiterJacobi::Work {
    bool fresh = false;
    LimitedMesh mesh;
    std::vector<Vec3> start;
    std::vector<std::array<Vec3, 3>> wish; // by limited face: displacements of its corners
    std::vector<double> parts;             // by chunk

    double wishes(std::span<const Vec3> x);
};

/// The displacements that each face asks for; returns the worst violation at x.
double StrainLimiterJacobi::Work::wishes(std::span<const Vec3> x)
{
    parallel_chunks(
        mesh.faces.size(), default_chunk, [&](std::size_t c, std::size_t first, std::size_t last) {
            double worst = 0;
            for (std::size_t k = first; k < last; ++k) {
                const LimitedFace& face = mesh.faces[k];
                const Svd3x2 s = svd(deformation(face, x));
                const double outside = std::max(violation(s.s[0] - 1, face.limits),
                                                violation(s.s[1] - 1, face.limits));
                wish[k] = {};
                if (!(outside > 0)) continue;
                worst = std::max(worst, outside);
                // F* has the singular values clamped. The corrected triangle is placed so that the
                // centre of mass stays; held corners count as infinitely heavy.
                Mat3x2 change{}; // F* - F
                for (std::size_t a = 0; a < 2; ++a) {
                    const double to = std::clamp(s.s[a], 1 + face.limits.min, 1 + face.limits.max);
                    change += (to - s.s[a]) * outer(column(s.u, a), column(s.v, a));
                }
                // Edge vectors in material space from the gradients of the shape functions.
                const Mat2 edges = inverse(transpose(from_columns(face.rest.b[1], face.rest.b[2])));
                const Vec3 d1 = change * column(edges, 0), d2 = change * column(edges, 1);
                const std::array<Vec3, 3> shape{Vec3{}, d1, d2};
                Vec3 centre{};
                double weight = 0;
                for (bool held_only : {true, false}) {
                    for (std::size_t i = 0; i < 3; ++i)
                        if (!held_only || mesh.held[face.nodes[i]]) {
                            const std::uint32_t n = face.nodes[i];
                            const double w = mesh.dependencies.depends(n)
                                                 ? 1.0
                                                 : mesh.mass[n] / mesh.own_mass[n]; // 1: no spring
                            centre += w * shape[i];
                            weight += w;
                        }
                    if (weight > 0) break;
                }
                for (std::size_t i = 0; i < 3; ++i) wish[k][i] = shape[i] - centre / weight;
            }
            parts[c] = worst;
        });
    double worst = 0;
    for (std::size_t c = 0; c < chunk_count(mesh.faces.size(), default_chunk); ++c)
        worst = std::max(worst, parts[c]);
    return worst;
}

StrainLimiterJacobi::StrainLimiterJacobi(const StrainJacobiOptions& options)
    : options_(options), work_(std::make_unique<Work>())
{}

StrainLimiterJacobi::~StrainLimiterJacobi() = default;

void StrainLimiterJacobi::mesh_changed()
{
    work_->fresh = false;
}

LimitReport StrainLimiterJacobi::limit(const Model& model, const Loads& loads, const Contacts&,
                                       double dt, State& next)
{
    Work& w = *work_;
    if (!w.fresh) {
        w.mesh.build(model, options_.limits);
        w.wish.resize(w.mesh.faces.size());
        w.start.resize(w.mesh.node_count());
        w.parts.resize(chunk_count(w.mesh.faces.size(), default_chunk));
        w.fresh = true;
    }
    LimitReport report;
    if (w.mesh.faces.empty()) return report;
    w.mesh.hold(loads, dt);
    const std::span<Vec3> x = next.x.values;
    std::copy(x.begin(), x.end(), w.start.begin());
    for (;;) {
        report.worst_violation = w.wishes(x);
        if (report.worst_violation <= options_.tolerance ||
            report.iterations == options_.max_iterations)
            break;
        ++report.iterations;
        // The mean weighs faces by their mass, so that momentum is kept.
        parallel_for(w.mesh.node_count(), [&](std::size_t i) {
            if (!w.mesh.is_free(static_cast<std::uint32_t>(i))) return;
            Vec3 sum{};
            double weight = 0;
            for (std::uint32_t e = w.mesh.around.start[i]; e < w.mesh.around.start[i + 1]; ++e) {
                const std::uint32_t entry = w.mesh.around.entry[e];
                const double area = w.mesh.corner_weight(e) * w.mesh.faces[entry / 16].rest.area;
                sum += area * w.wish[entry / 16][entry % 16];
                weight += area;
            }
            if (weight > 0) x[i] += sum / weight;
        });
        follow(w.mesh.dependencies, x);
        if (options_.on_iteration) options_.on_iteration(report.iterations, x);
    }
    if (report.iterations > 0) finish_limiting(w.mesh, w.start, dt, next);
    return report;
}

} // namespace pleat
