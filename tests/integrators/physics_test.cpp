// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Physics with known answers.
#include "energies/cloths.hpp"
#include "integrators/drape.hpp"
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
            EXPECT_NEAR(sag, expected, 0.015 * expected) << "load " << load << ", edge " << edge;
            RecordProperty("load_" + std::to_string(int(load)) + "_edge_" +
                               std::to_string(int(1e4 * edge)),
                           std::to_string(sag / expected));
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Meshes, CantileverOn,
                         testing::Values(MeshKind::structured, MeshKind::rotated, MeshKind::random),
                         [](const auto& p) { return cloths::to_string(p.param); });

// --- the isometric law --------------------------------------------------------------------------

/// Bending energy of a sheet on z = k s^2 / 2, s the distance along a direction, over that of a
/// cylinder of the given rigidity. Border edges do not bend, and so a third of each border face has
/// no energy.
double cylinder_share(const Cloth& c, double rigidity, double direction)
{
    const double curvature = 0.01;
    State s = c.state;
    for (Vec3& p : s.x) {
        const double along = std::cos(direction) * p[0] + std::sin(direction) * p[1];
        p[2] = 0.5 * curvature * along * along;
    }
    const Mesh& mesh = c.model.mesh;
    double energy = 0, area = 0;
    for (EdgeId e : mesh.edges()) {
        if (mesh.is_border(e)) continue;
        energy += elastic_energy(c.model, s, e);
        area += (c.model.area[mesh[e].faces[0]] + c.model.area[mesh[e].faces[1]]) / 3;
    }
    return energy / (0.5 * rigidity * curvature * curvature * area);
}

struct IsometricCase {
    MeshKind kind;
    double least, most; // of the rigidity, by direction
    double sag;         // of a cantilever, over the elastica
};

class IsometricOn : public testing::TestWithParam<IsometricCase> {};

TEST_P(IsometricOn, rigidity_is_that_of_a_cylinder_as_the_mean_over_directions)
{
    const double rigidity = 3e-5;
    Material m = plate(rigidity);
    m.bending = BendingIsometric{rigidity};
    const Cloth c = cloths::make_cloth(cloths::rectangle(GetParam().kind, 0.1, 0.1, 0.005), m);
    double mean = 0, least = 1e300, most = 0;
    constexpr int directions = 24;
    for (int d = 0; d < directions; ++d) {
        const double share = cylinder_share(c, rigidity, pi * d / directions);
        mean += share / directions;
        least = std::min(least, share);
        most = std::max(most, share);
    }
    RecordProperty("least", std::to_string(least));
    RecordProperty("most", std::to_string(most));
    EXPECT_NEAR(mean, 1, 1e-6);
    EXPECT_NEAR(least, GetParam().least, 0.01);
    EXPECT_NEAR(most, GetParam().most, 0.01);
}

TEST_P(IsometricOn, a_strip_sags_as_the_documentation_says)
{
    const double load = 5, rigidity = rigidity_for(load);
    Material m = plate(rigidity);
    m.bending = BendingIsometric{rigidity};
    const double sag = cantilever_sag(m, GetParam().kind, 0.0025) / elastica_sag(load);
    RecordProperty("sag", std::to_string(sag));
    EXPECT_NEAR(sag, GetParam().sag, 0.02);
}

INSTANTIATE_TEST_SUITE_P(Meshes, IsometricOn,
                         testing::Values(IsometricCase{MeshKind::structured, 0.5, 2.0, 1.336},
                                         IsometricCase{MeshKind::rotated, 0.973, 1.028, 1.061},
                                         IsometricCase{MeshKind::random, 0.966, 1.037, 1.078}),
                         [](const auto& p) { return cloths::to_string(p.param.kind); });

// --- stretch ------------------------------------------------------------------------------------

TEST(HangingSheet, stretches_under_its_own_weight)
{
    // u' = w (L - s) / (E h) for small strains: the lower edge moves by w L^2 / (2 E h).
    const double length = 0.4, density = 0.2, stiffness = 500;
    for (MeshKind kind : {MeshKind::structured, MeshKind::random}) {
        const Cloth c =
            cloths::make_cloth(cloths::rectangle(kind, length, 0.1, 0.02),
                               cloths::isotropic_sheet(density, 1e-3, stiffness / 1e-3, 0));
        Loads loads;
        loads.gravity = {g, 0, 0};
        for (NodeId n : cloths::nodes_where(c, [](const Vec3& x) { return x[0] == 0; }))
            loads.pins.push_back({n, c.state.x[n], {}});
        const State s = settle(c, loads, 10, 5);
        const double expected = density * g * length * length / (2 * stiffness);
        const auto lower = cloths::nodes_where(c, [&](const Vec3& x) { return x[0] == length; });
        double moved = 0;
        for (NodeId n : lower) moved += (s.x[n][0] - length) / double(lower.size());
        EXPECT_NEAR(moved, expected, 0.003 * expected) << cloths::to_string(kind);
    }
}

TEST(HangingStrip, hangs_like_a_catenary)
{
    // Length 1, ends 0.8 apart, hardly any bending: a cosh(x/a) with 2 a sinh(0.4/a) = 1.
    const double length = 1, span = 0.8;
    double low = 0.1, high = 10;
    for (int i = 0; i < 200; ++i) {
        const double a = 0.5 * (low + high);
        (2 * a * std::sinh(0.5 * span / a) > length ? low : high) = a;
    }
    const double a = 0.5 * (low + high);
    const double expected = a * (std::cosh(0.5 * span / a) - 1);
    Material m = cloths::isotropic_sheet(0.2, 1e-3, 1e7, 0);
    m.bending = BendingIsometric{1e-7};
    for (double edge : {0.04, 0.02}) {
        Cloth c =
            cloths::make_cloth(cloths::rectangle(MeshKind::structured, length, 2 * edge, edge), m);
        // Start on an arc of the right length and span, roughly: a V.
        const double depth = std::sqrt(0.25 * length * length - 0.25 * span * span);
        for (Vec3& p : c.state.x) {
            const double t = p[0] / length;
            p = {span * t, p[1], -depth * (1 - std::abs(2 * t - 1))};
        }
        Loads loads;
        loads.gravity = {0, 0, -g};
        for (NodeId n : cloths::nodes_where(
                 c, [&](const Vec3& x) { return x[0] < 1e-9 || x[0] > span - 1e-9; }))
            loads.pins.push_back({n, c.state.x[n], {}});
        const State s = settle(c, loads, 0.2, 200, 1e-7);
        double lowest = 0;
        for (const Vec3& p : s.x) lowest = std::min(lowest, p[2]);
        EXPECT_NEAR(-lowest, expected, 0.01 * expected) << edge;
    }
}

// --- convergence --------------------------------------------------------------------------------

class Converges : public testing::TestWithParam<std::size_t> {};

TEST_P(Converges, static_drape_of_a_pinned_sheet)
{
    // Held along its outline (held at points, an elastic sheet has no limit: the depth grows with
    // the logarithm of the resolution); the depth of its middle on meshes of 4 to 32 cells a side.
    Material m = cloths::one_of_each_law()[GetParam()];
    m = scaled(m, 1, 1,
               20); // stiff enough to hang smoothly, without wrinkles that depend on chance
    std::vector<double> depth;
    for (int cells : {4, 8, 16, 32}) {
        Cloth c =
            cloths::make_cloth(cloths::rectangle(MeshKind::structured, 0.2, 0.2, 0.2 / cells), m);
        Loads loads;
        loads.gravity = {0, 0, -g};
        for (NodeId n : cloths::nodes_where(c, [](const Vec3& x) {
                 return x[0] < 1e-9 || x[0] > 0.2 - 1e-9 || x[1] < 1e-9 || x[1] > 0.2 - 1e-9;
             }))
            loads.pins.push_back({n, c.state.x[n], {}});
        const State s = settle(c, loads, 0.1, 60, 1e-6);
        for (NodeId n : cloths::nodes_where(c, [](const Vec3& x) {
                 return std::abs(x[0] - 0.1) < 1e-9 && std::abs(x[1] - 0.1) < 1e-9;
             }))
            depth.push_back(-s.x[n][2]);
    }
    ASSERT_EQ(depth.size(), 4u);
    for (std::size_t i = 0; i < 4; ++i)
        RecordProperty("depth_" + std::to_string(i), std::to_string(depth[i]));
    const double first = std::abs(depth[2] - depth[1]), second = std::abs(depth[3] - depth[2]);
    EXPECT_LT(second, std::max(0.5 * first, 1e-3 * depth[3]));
    EXPECT_LT(first, 0.01 * depth[3]);
}

INSTANTIATE_TEST_SUITE_P(Laws, Converges, testing::Values(0u, 1u, 2u, 3u));

// --- motion -------------------------------------------------------------------------------------

/// Times between downward zero crossings of a signal sampled every dt, interpolated; their mean.
double mean_period(const std::vector<double>& signal, double dt)
{
    std::vector<double> crossings;
    for (std::size_t i = 1; i < signal.size(); ++i)
        if (signal[i - 1] > 0 && signal[i] <= 0)
            crossings.push_back(dt * (double(i - 1) + signal[i - 1] / (signal[i - 1] - signal[i])));
    return crossings.size() < 2
               ? 0
               : (crossings.back() - crossings.front()) / double(crossings.size() - 1);
}

TEST(Pendulum, swings_with_its_period)
{
    // A stiff board hung from its upper edge: a physical pendulum with the mesh's own inertia.
    const double length = 0.2;
    Cloth c = cloths::make_cloth(cloths::rectangle(MeshKind::structured, length, 0.1, 0.05),
                                 cloths::isotropic_sheet(1, 0.02, 1e5, 0));
    double inertia = 0, moment = 0;
    for (NodeId n : c.state.x.ids()) {
        inertia += c.model.mass[n] * c.state.x[n][0] * c.state.x[n][0];
        moment += c.model.mass[n] * c.state.x[n][0] * g;
    }
    const double angle = 0.1;
    const double expected = 2 * pi * std::sqrt(inertia / moment) * (1 + angle * angle / 16);
    for (Vec3& p : c.state.x) p = {p[0] * std::sin(angle), p[1], -p[0] * std::cos(angle)};
    Loads loads;
    loads.gravity = {0, 0, -g};
    for (NodeId n : cloths::nodes_where(c, [](const Vec3& x) { return x[2] == 0; }))
        loads.pins.push_back({n, c.state.x[n], {}});
    const auto period = [&](Integrator& integrator, double dt, double time) {
        State s = c.state, next;
        std::vector<double> swing;
        for (int i = 0; i < static_cast<int>(time / dt); ++i) {
            EXPECT_TRUE(integrator.advance(c.model, s, loads, {}, dt, next).ok);
            s = next;
            swing.push_back(s.x.values.back()[0]);
        }
        return mean_period(swing, dt);
    };
    IntegratorBackwardEuler backward({}, std::make_unique<LinearSolverCholesky>());
    EXPECT_NEAR(period(backward, 0.001, 2.5), expected, 0.005 * expected);
    IntegratorMixedExplicitImplicit mixed;
    EXPECT_NEAR(period(mixed, 0.002, 2.5), expected, 0.003 * expected);
}

TEST(Wave, runs_along_a_strip_with_the_speed_of_sound)
{
    // One end fixed: the slowest longitudinal mode has the period 4 L / c, c = sqrt(E h / density).
    const double length = 0.5, density = 0.2, stiffness = 200;
    const double expected = 4 * length / std::sqrt(stiffness / density);
    for (MeshKind kind : {MeshKind::structured, MeshKind::random}) {
        Cloth c = cloths::make_cloth(cloths::rectangle(kind, length, 0.05, 0.0125),
                                     cloths::isotropic_sheet(density, 1e-3, stiffness / 1e-3, 0));
        Loads loads;
        std::vector<NodeId> tip =
            cloths::nodes_where(c, [&](const Vec3& x) { return x[0] == length; });
        for (NodeId n : cloths::nodes_where(c, [](const Vec3& x) { return x[0] == 0; }))
            loads.pins.push_back({n, c.state.x[n], {}});
        for (Vec3& p : c.state.x) p[0] += 1e-4 * std::sin(0.5 * pi * p[0] / length);
        IntegratorMixedExplicitImplicit integrator;
        State s = c.state, next;
        const double dt = expected / 100;
        std::vector<double> signal;
        for (int i = 0; i < 450; ++i) {
            ASSERT_TRUE(integrator.advance(c.model, s, loads, {}, dt, next).ok);
            s = next;
            double mean = 0;
            for (NodeId n : tip) mean += (s.x[n][0] - length) / double(tip.size());
            signal.push_back(mean);
        }
        EXPECT_NEAR(mean_period(signal, dt), expected, 0.01 * expected) << cloths::to_string(kind);
    }
}

// --- stability ----------------------------------------------------------------------------------

TEST(Buckling, strip_carries_eulers_load_and_no_more)
{
    // Both ends hinged and pushed together by three times the strain at which it buckles: the load
    // then is Euler's pi^2 B / L^2 and rises only slowly (by an eighth of the slope squared).
    const double length = 0.1, width = 0.03;
    const double rigidity = 4e-4;
    const Material m = plate(rigidity);
    const double thickness = 0.005;
    const double critical = pi * pi * rigidity / (length * length);
    const double strain = 3 * thickness * thickness / 12 * pi * pi / (length * length);
    for (MeshKind kind : {MeshKind::structured, MeshKind::random}) {
        Cloth c = cloths::make_cloth(cloths::rectangle(kind, length, width, 0.005), m);
        const auto ends =
            cloths::nodes_where(c, [&](const Vec3& x) { return x[0] == 0 || x[0] == length; });
        for (Vec3& p : c.state.x) {
            p[0] *= 1 - strain;
            p[2] = 1e-3 * std::sin(pi * p[0] / (length * (1 - strain)));
        }
        Loads loads;
        for (NodeId n : ends) {
            c.state.x[n][2] = 0;
            loads.pins.push_back({n, c.state.x[n], {}});
        }
        const State s = settle(c, loads, 0.5, 300, 1e-8);
        const std::vector<Vec3> f = elastic_forces(c.model, s);
        double push = 0, rise = 0;
        for (NodeId n : ends) push += std::abs(f[index(n)][0]) / 2 / width;
        for (const Vec3& p : s.x) rise = std::max(rise, std::abs(p[2]));
        EXPECT_GT(rise, 2e-3) << "it has buckled";
        EXPECT_NEAR(push, critical, 0.03 * critical) << cloths::to_string(kind);
    }
}

// --- order of accuracy --------------------------------------------------------------------------

double order_of(const std::function<State(int steps)>& run, int steps)
{
    const State fine = run(16 * steps);
    const auto error = [&](const State& s) {
        double e = 0;
        for (NodeId n : s.x.ids()) e += norm2(s.x[n] - fine.x[n]);
        return std::sqrt(e);
    };
    return std::log2(error(run(steps)) / error(run(2 * steps)));
}

Cloth ringing_sheet()
{
    Material m = cloths::isotropic_sheet(0.2, 2e-3, 1e4, 0.3);
    m.damping = 1e-3;
    Cloth c = cloths::make_cloth(cloths::rectangle(MeshKind::structured, 0.1, 0.08, 0.02), m);
    for (Vec3& p : c.state.x) p = {1.05 * p[0], 0.98 * p[1] + 0.05 * p[0], 0.1 * p[0] * p[1] / 0.1};
    return c;
}

TEST(Order, backward_euler_is_first_order)
{
    const Cloth c = ringing_sheet();
    Loads loads;
    loads.gravity = {0, 0, -g};
    const auto run = [&](int steps) {
        BackwardEulerOptions o;
        o.newton_iterations = 8;
        IntegratorBackwardEuler integrator(o, std::make_unique<LinearSolverCholesky>());
        State s = c.state, next;
        for (int i = 0; i < steps; ++i) {
            EXPECT_TRUE(integrator.advance(c.model, s, loads, {}, 0.02 / steps, next).ok);
            s = next;
        }
        return s;
    };
    // Against a reference of finite step the measured order is a little above one.
    const double order = order_of(run, 40);
    EXPECT_GT(order, 0.85);
    EXPECT_LT(order, 1.25);
}

TEST(Order, mixed_is_second_order)
{
    const Cloth c = ringing_sheet();
    Loads loads;
    loads.gravity = {0, 0, -g};
    for (MixedOptions::Variant variant :
         {MixedOptions::Variant::monotone, MixedOptions::Variant::leapfrog_trapezoid}) {
        const auto run = [&](int steps) {
            MixedOptions o;
            o.variant = variant;
            o.tolerance = 1e-12;
            IntegratorMixedExplicitImplicit integrator(o);
            State s = c.state, next;
            for (int i = 0; i < steps; ++i) {
                const SolveReport r = integrator.advance(c.model, s, loads, {}, 0.02 / steps, next);
                EXPECT_TRUE(r.ok);
                EXPECT_EQ(r.inner_steps, 1);
                s = next;
            }
            return s;
        };
        const double order = order_of(run, 40);
        EXPECT_GT(order, 1.8);
        EXPECT_LT(order, 2.2);
    }
}

} // namespace
} // namespace pleat
