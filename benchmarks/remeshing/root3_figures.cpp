// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Figures of docs/methods/bender2013.md that are not runs of scenes. Writes tables to the standard
// output.
//   root3_figures convergence [levels, 4]   a static sheet on meshes that root-3 subdivision
//   refines root3_figures rebuild                   what a change of the mesh costs the step after
//   it
//
// convergence: a square of 0.2 m, held along its outline (held at points, an elastic sheet has no
// limit), sags under its weight. The depth of its middle with finite elements, and with a spring at
// each edge, of the stiffness E (area of the faces at the edge) / length^2 [VanGelder1998]: the net
// of springs that comes nearest to a sheet. The same mass, the same pins.
#include "pleat/api/remesh_surface.hpp"
#include "pleat/core/stage_times.hpp"
#include "pleat/integrators/backward_euler.hpp"
#include "pleat/linalg/cg.hpp"
#include "pleat/linalg/lbfgs.hpp"

#include "energies/cloths.hpp"
#include "integrators/drape.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <memory>
#include <vector>

namespace pleat {
namespace {

constexpr double side = 0.2;    // [m]
constexpr double young = 1000;  // [N/m]
constexpr double gravity = 9.8; // [m/s^2]

Material sheet_of(double density)
{
    Material m;
    m.name = "sheet";
    m.density = density;
    m.membrane = MembraneOrthotropic{young, young, young / (2 * (1 + 0.33)), 0.33, 0.33};
    m.bending = BendingIsometric{2e-5};
    return m;
}

bool is_on_outline(const Vec3& x)
{
    constexpr double near = 1e-9;
    return x[0] < near || x[0] > side - near || x[1] < near || x[1] > side - near;
}

/// How deep the surface is below the middle of the square [m].
double depth_at_middle(const cloths::Cloth& c, std::span<const Vec3> x)
{
    const Mesh& mesh = c.model.mesh;
    const Vec2 middle{side / 2, side / 2};
    for (FaceId f : mesh.faces()) {
        const auto& v = mesh[f].verts;
        const Vec2 a = mesh.u(v[0]), b = mesh.u(v[1]), d = mesh.u(v[2]);
        const double whole = cross(b - a, d - a);
        const double wa = cross(b - middle, d - middle) / whole,
                     wb = cross(d - middle, a - middle) / whole, wd = 1 - wa - wb;
        if (wa < -1e-9 || wb < -1e-9 || wd < -1e-9) continue;
        const auto n = mesh.nodes_of(f);
        return -(wa * x[index(n[0])][2] + wb * x[index(n[1])][2] + wd * x[index(n[2])][2]);
    }
    return 0;
}

double depth_of_elements(const cloths::Cloth& c)
{
    Loads loads;
    loads.gravity = {0, 0, -gravity};
    for (NodeId n : cloths::nodes_where(c, is_on_outline))
        loads.pins.push_back({n, c.state.x[n], {}});
    const State s = settle(c, loads, 0.1, 100, 1e-7);
    return depth_at_middle(c, s.x.span());
}

double depth_of_springs(const cloths::Cloth& c)
{
    const Mesh& mesh = c.model.mesh;
    struct EdgeSpring {
        std::size_t a, b;
        double length, stiffness;
    };
    std::vector<EdgeSpring> springs;
    for (EdgeId e : mesh.edges()) {
        const double length = norm(c.state.x[mesh[e].nodes[0]] - c.state.x[mesh[e].nodes[1]]);
        double area = 0;
        for (FaceId f : mesh[e].faces)
            if (is_some(f)) area += c.model.area[f];
        springs.push_back({index(mesh[e].nodes[0]), index(mesh[e].nodes[1]), length,
                           young * area / (length * length)});
    }
    std::vector<Vec3> x = c.state.x.values;
    std::vector<char> is_held(x.size(), 0);
    std::vector<double> preconditioner(x.size(), 0);
    for (NodeId n : cloths::nodes_where(c, is_on_outline)) is_held[index(n)] = 1;
    for (const EdgeSpring& s : springs)
        for (const std::size_t n : {s.a, s.b}) preconditioner[n] += s.stiffness;
    for (double& p : preconditioner) p = 1 / p;
    // Down a little at first, so that springs resist in every direction.
    for (std::size_t i = 0; i < x.size(); ++i)
        if (is_held[i] == 0)
            x[i][2] = -0.1 * x[i][0] * (side - x[i][0]) * x[i][1] * (side - x[i][1]) /
                      std::pow(side / 2, 3);
    const auto energy = [&](std::span<const Vec3> at, std::span<Vec3> gradient) {
        double sum = 0;
        std::fill(gradient.begin(), gradient.end(), Vec3{});
        for (const EdgeSpring& s : springs) {
            const Vec3 d = at[s.b] - at[s.a];
            const double length = norm(d), more = length - s.length;
            sum += 0.5 * s.stiffness * more * more;
            const Vec3 force = d * (s.stiffness * more / length);
            gradient[s.a] -= force;
            gradient[s.b] += force;
        }
        for (std::size_t i = 0; i < at.size(); ++i) {
            const double weight = gravity * c.model.mass.values[i];
            sum += weight * at[i][2];
            gradient[i][2] += weight;
            if (is_held[i] != 0) gradient[i] = {};
        }
        return sum;
    };
    MinimizeOptions options;
    options.max_iterations = 40000;
    options.tolerance = 1e-7;
    const MinimizeReport r = Lbfgs().minimize(
        energy, preconditioner, options, [] { return false; }, x);
    if (!r.converged) std::fprintf(stderr, "springs: not converged, %d iterations\n", r.iterations);
    return depth_at_middle(c, x);
}

void convergence(int levels)
{
    std::printf("depth of the middle [mm] after 0 to %d steps of root-3 subdivision\n", levels);
    for (const bool springs : {false, true})
        for (const auto kind :
             {cloths::MeshKind::structured, cloths::MeshKind::rotated, cloths::MeshKind::random}) {
            std::printf("%-9s %-10s", springs ? "springs" : "elements",
                        cloths::to_string(kind).c_str());
            const MeshInput base = cloths::rectangle(kind, side, side, side / 4);
            for (int level = 0; level <= levels; ++level) {
                const cloths::Cloth c = cloths::make_cloth(
                    level > 0 ? subdivide_surface(base, level).mesh : base, sheet_of(0.1));
                std::printf("  %7.3f (%zu)",
                            1000 * (springs ? depth_of_springs(c) : depth_of_elements(c)),
                            c.model.mesh.face_count());
                std::fflush(stdout);
            }
            std::printf("\n");
        }
}

double cpu_ms()
{
    return 1000.0 * double(std::clock()) / CLOCKS_PER_SEC;
}

/// A sheet of 1 m in shallow waves; implicit steps of 5 ms with conjugate gradients.
void rebuild()
{
    std::printf(
        "CPU ms of one step; what is made anew after a change of the mesh, and its share\n");
    for (const int cells : {20, 50, 105}) {
        cloths::Cloth c = cloths::make_cloth(
            cloths::rectangle(cloths::MeshKind::rotated, 1, 1, 1.0 / cells), sheet_of(0.1));
        for (Vec3& x : c.state.x) x[2] = 0.002 * std::sin(20 * x[0]);
        IntegratorBackwardEuler integrator({}, std::make_unique<LinearSolverCg>());
        Loads loads;
        loads.gravity = {0, 0, -gravity};
        State out;
        constexpr int rounds = 6;
        double kept = 1e9, anew = 1e9, derived = 1e9;
        for (int i = 0; i < rounds; ++i) {
            const auto time = [&](double& least, auto&& work) {
                const double from = cpu_ms();
                work();
                least = std::min(least, cpu_ms() - from);
            };
            const auto advance = [&] {
                (void)integrator.advance(c.model, c.state, loads, {}, 0.005, out);
            };
            integrator.mesh_changed();
            time(anew, advance);
            time(kept, advance);
            time(derived, [&] { update_derived(c.model); });
        }
        std::printf("%6zu faces: %8.2f ms; masses %.3f ms, patterns and constant blocks %.2f ms: "
                    "%.1f %% of five steps\n",
                    c.model.mesh.face_count(), kept, derived, anew - kept,
                    100 * (derived + anew - kept) / (5 * kept));
        std::fflush(stdout);
    }
}

} // namespace
} // namespace pleat

int main(int count, char** words)
{
    const char* what = count > 1 ? words[1] : "convergence";
    if (std::strcmp(what, "rebuild") == 0)
        pleat::rebuild();
    else
        pleat::convergence(count > 2 ? std::atoi(words[2]) : 4);
    return 0;
}
