// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Physics with known answers.
#include "energies/cloths.hpp"
#include "pleat/energies/elastic_batch.hpp"
#include "pleat/integrators/backward_euler.hpp"
#include "pleat/integrators/mixed_explicit_implicit.hpp"
#include "pleat/linalg/cholesky.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numbers>

namespace pleat {
namespace {

using cloths::Cloth;
using cloths::MeshKind;
constexpr double g = 9.8;
constexpr double pi = std::numbers::pi;

/// Comes to rest under the loads: long implicit steps, velocities dropped after each.
State settle(const Cloth& c, const Loads& loads, double dt, int most_steps, double enough = 1e-9)
{
    BackwardEulerOptions o;
    o.newton_iterations = 60;
    IntegratorBackwardEuler integrator(o, std::make_unique<LinearSolverCholesky>());
    State s = c.state, next;
    for (int i = 0; i < most_steps; ++i) {
        const SolveReport r = integrator.advance(c.model, s, loads, {}, dt, next);
        EXPECT_TRUE(r.ok) << r.trouble;
        double moved = 0;
        for (NodeId n : s.x.ids()) moved = std::max(moved, norm(next.x[n] - s.x[n]));
        s = next;
        for (Vec3& v : s.v) v = Vec3{};
        if (moved < enough) break;
    }
    return s;
}

/// The mesh and its mirror image across x = 0, joined there: what is clamped at x = 0 by symmetry.
MeshInput mirrored(const MeshInput& half)
{
    MeshInput whole = half;
    std::vector<std::uint32_t> twin(half.node_x.size());
    for (std::uint32_t i = 0; i < half.node_x.size(); ++i) {
        if (half.node_x[i][0] == 0) {
            twin[i] = i;
            continue;
        }
        twin[i] = static_cast<std::uint32_t>(whole.node_x.size());
        whole.node_x.push_back({-half.node_x[i][0], half.node_x[i][1], half.node_x[i][2]});
        whole.material_u.push_back({-half.material_u[i][0], half.material_u[i][1]});
    }
    for (const auto& f : half.face_nodes) {
        whole.face_nodes.push_back({twin[f[0]], twin[f[2]], twin[f[1]]});
        whole.face_points.push_back(whole.face_nodes.back());
    }
    return whole;
}

/// Sag of the tip of a heavy elastica clamped horizontally, as a fraction of its length:
/// theta'' = -load (1 - s) cos(theta), theta(0) = 0, theta'(1) = 0, by shooting.
double elastica_sag(double load)
{
    const auto shoot = [&](double slope, double* sag) {
        const int steps = 2000;
        const double h = 1.0 / steps;
        double t = 0, d = slope, z = 0;
        const auto bend = [&](double s, double a) { return -load * (1 - s) * std::cos(a); };
        for (int i = 0; i < steps; ++i) {
            const double s = i * h;
            const double k1t = d, k1d = bend(s, t);
            const double k2t = d + 0.5 * h * k1d, k2d = bend(s + 0.5 * h, t + 0.5 * h * k1t);
            const double k3t = d + 0.5 * h * k2d, k3d = bend(s + 0.5 * h, t + 0.5 * h * k2t);
            const double k4t = d + h * k3d, k4d = bend(s + h, t + h * k3t);
            z += h / 6 *
                 (std::sin(t) + 2 * std::sin(t + 0.5 * h * k1t) + 2 * std::sin(t + 0.5 * h * k2t) +
                  std::sin(t + h * k3t));
            t += h / 6 * (k1t + 2 * k2t + 2 * k3t + k4t);
            d += h / 6 * (k1d + 2 * k2d + 2 * k3d + k4d);
        }
        if (sag != nullptr) *sag = z;
        return d;
    };
    double low = 0, high = load; // slope at the clamp: d at the tip rises with it
    for (int i = 0; i < 100; ++i) {
        const double mid = 0.5 * (low + high);
        (shoot(mid, nullptr) > 0 ? high : low) = mid;
    }
    double sag = 0;
    (void)shoot(0.5 * (low + high), &sag);
    return sag;
}

constexpr double strip_length = 0.1, strip_width = 0.03, strip_density = 0.2;

/// Mean sag of the two tips of a strip held along its middle line, as a fraction of its half
/// length.
double cantilever_sag(const Material& material, MeshKind kind, double edge, unsigned seed = 1)
{
    const Cloth c = cloths::make_cloth(
        mirrored(cloths::rectangle(kind, strip_length, strip_width, edge, seed)), material);
    Loads loads;
    loads.gravity = {0, 0, -g};
    for (NodeId n : cloths::nodes_where(c, [](const Vec3& x) { return x[0] == 0; }))
        loads.pins.push_back({n, c.state.x[n], {}});
    const State s = settle(c, loads, 1.0, 40);
    double sag = 0;
    int count = 0;
    for (NodeId n : cloths::nodes_where(
             c, [](const Vec3& x) { return std::abs(x[0]) > strip_length - 1e-9; })) {
        sag -= s.x[n][2] / strip_length;
        ++count;
    }
    return sag / count;
}

/// A soft, thick sheet of given rigidity: hardly stretches under its weight, and the membrane does
/// not lock on coarse meshes.
Material plate(double rigidity)
{
    const double thickness = 0.005;
    return cloths::isotropic_sheet(strip_density, thickness,
                                   12 * rigidity / (thickness * thickness * thickness), 0);
}

double rigidity_for(double load) // load = w L^3 / B
{
    return strip_density * g * strip_length * strip_length * strip_length / load;
}

TEST(Cantilever, elastica_of_small_load_is_the_beam)
{
    EXPECT_NEAR(elastica_sag(0.01), 0.01 / 8, 1e-6);
}

class CantileverOn : public testing::TestWithParam<MeshKind> {};

TEST_P(CantileverOn, isotropic_sheet_sags_like_the_elastica_at_any_resolution)
{
    for (double load : {1.0, 5.0, 20.0}) {
        const double expected = elastica_sag(load);
        for (double edge : {0.01, 0.005, 0.0025}) {
            const double sag = cantilever_sag(plate(rigidity_for(load)), GetParam(), edge);
            RecordProperty("sag", std::to_string(sag / expected));
            EXPECT_NEAR(sag, expected, 0.03 * expected) << "load " << load << ", edge " << edge;
            std::printf("%s load %g edge %g: %.4f\n", to_string(GetParam()).c_str(), load, edge,
                        sag / expected);
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Meshes, CantileverOn,
                         testing::Values(MeshKind::structured, MeshKind::rotated, MeshKind::random),
                         [](const auto& p) { return cloths::to_string(p.param); });

} // namespace
} // namespace pleat
