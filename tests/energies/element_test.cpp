// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Derivatives of every law against central differences, on random and on degenerate shapes.
#include "energies/cloths.hpp"
#include "pleat/energies/face_element.hpp"
#include "pleat/energies/hinge_element.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>

namespace pleat {
namespace {

struct Shape {
    std::string name;
    std::array<Vec2, 3> u;
    std::array<Vec3, 3> x;
};

std::vector<Shape> triangles()
{
    std::vector<Shape> shapes;
    std::mt19937 random(7);
    std::uniform_real_distribution<double> unit(-1, 1);
    const std::array<Vec2, 3> fair{Vec2{0, 0}, Vec2{0.02, 0.003}, Vec2{0.004, 0.018}};
    const std::array<Vec2, 3> sliver{Vec2{0, 0}, Vec2{0.05, 0.001}, Vec2{0.024, 0.0012}};
    const auto lifted = [](const std::array<Vec2, 3>& u, double sx, double sy) {
        std::array<Vec3, 3> x{};
        for (std::size_t i = 0; i < 3; ++i) x[i] = {sx * u[i][0], sy * u[i][1], 0.3 * u[i][0]};
        return x;
    };
    shapes.push_back(
        {"at rest", fair, {Vec3{0, 0, 0}, Vec3{0.02, 0.003, 0}, Vec3{0.004, 0.018, 0}}});
    shapes.push_back({"stretched", fair, lifted(fair, 1.1, 1.05)});
    shapes.push_back({"compressed flat", fair, lifted(fair, 0.9, 0.03)});
    shapes.push_back({"compressed both ways", fair, lifted(fair, 0.5, 0.4)});
    shapes.push_back({"sliver", sliver, lifted(sliver, 0.97, 1.2)});
    for (int k = 0; k < 20; ++k) {
        Shape s{"random " + std::to_string(k), k % 3 == 0 ? sliver : fair, {}};
        for (std::size_t i = 0; i < 3; ++i)
            s.x[i] = Vec3{s.u[i][0], s.u[i][1], 0} +
                     0.006 * Vec3{unit(random), unit(random), unit(random)};
        shapes.push_back(s);
    }
    return shapes;
}

/// Largest entry of a symmetric matrix's negative part, by its smallest Rayleigh quotient.
template <std::size_t N> double smallest_quotient(const Mat<double, N, N>& k, unsigned seed)
{
    // Power iteration on (bound - k) finds the most negative direction.
    double bound = 0;
    for (std::size_t i = 0; i < N; ++i) {
        double row = 0;
        for (std::size_t j = 0; j < N; ++j) row += std::abs(k(i, j));
        bound = std::max(bound, row);
    }
    std::mt19937 random(seed);
    std::normal_distribution<double> normal;
    Vec<double, N> v{};
    for (std::size_t i = 0; i < N; ++i) v[i] = normal(random);
    for (int it = 0; it < 400; ++it) v = normalized(v * bound - k * v);
    return dot(v, k * v) / std::max(bound, 1e-300);
}

template <class Energy, class Forces, class Stiffness, std::size_t M>
void expect_derivatives(const std::array<Vec3, M>& x, double h, Energy&& energy, Forces&& forces,
                        Stiffness&& stiffness, double energy_scale)
{
    const auto f = forces(x);
    const auto k = stiffness(x, Definiteness::exact);
    double force_scale = energy_scale, stiffness_scale = 0;
    for (const Vec3& v : f) force_scale = std::max(force_scale, norm(v));
    for (double e : k.e) stiffness_scale = std::max(stiffness_scale, std::abs(e));
    for (std::size_t i = 0; i < 3 * M; ++i) {
        auto forward = x, backward = x;
        forward[i / 3][i % 3] += h;
        backward[i / 3][i % 3] -= h;
        const double df = -(energy(forward) - energy(backward)) / (2 * h);
        EXPECT_NEAR(f[i / 3][i % 3], df, 2e-6 * force_scale) << "force " << i;
        const auto f1 = forces(forward), f0 = forces(backward);
        for (std::size_t j = 0; j < 3 * M; ++j) {
            const double dk = -(f1[j / 3][j % 3] - f0[j / 3][j % 3]) / (2 * h);
            EXPECT_NEAR(k(j, i), dk, 2e-5 * stiffness_scale) << "stiffness " << j << ", " << i;
        }
    }
    // Internal forces: no net force, no net torque.
    Vec3 sum{}, torque{};
    for (std::size_t i = 0; i < M; ++i) {
        sum += f[i];
        torque += cross(x[i], f[i]);
    }
    EXPECT_LT(norm(sum), 1e-12 * force_scale);
    EXPECT_LT(norm(torque), 1e-13 * force_scale);
    const auto psd = stiffness(x, Definiteness::psd);
    for (unsigned seed : {1u, 2u}) EXPECT_GT(smallest_quotient(psd, seed), -1e-10);
}

template <class Law> void check_membrane(const Law& law)
{
    for (const Shape& s : triangles())
        for (double scale : {1.0, 0.3}) {
            SCOPED_TRACE(s.name + ", compression scale " + std::to_string(scale));
            const FaceRest rest = face_rest(s.u[0], s.u[1], s.u[2]);
            const Strain g = green_strain(deformation(rest, s.x[0], s.x[1], s.x[2]));
            // At rest the principal strains sit on the kink of the scaling.
            if (scale != 1 && norm(g) < 1e-6) continue;
            const auto frozen = freeze(law, g);
            const double size = std::sqrt(rest.area);
            expect_derivatives(
                s.x, 1e-6 * size,
                [&](const auto& x) { return face_energy(frozen, rest, x, scale); },
                [&](const auto& x) { return face_forces(frozen, rest, x, scale); },
                [&](const auto& x, Definiteness d) {
                    return face_stiffness(frozen, rest, x, d, scale);
                },
                100 * 1e-3 * size);
        }
}

TEST(MembraneMeasured, forces_and_stiffness_are_derivatives)
{
    for (const char* name : {"gray-interlock", "11oz-black-denim", "navy-sparkle-sweat"})
        check_membrane(std::get<MembraneMeasured>(cloths::fabric(name).membrane));
}

TEST(MembraneIsotropicSheet, forces_and_stiffness_are_derivatives)
{
    check_membrane(MembraneIsotropicSheet{1e-3, 3e5, 0.3});
}

TEST(MembraneOrthotropic, forces_and_stiffness_are_derivatives)
{
    check_membrane(MembraneOrthotropic{300, 500, 60, 0.2, 0.12});
}

TEST(MembraneBaraffWitkin, forces_and_stiffness_are_derivatives)
{
    check_membrane(MembraneBaraffWitkin{400, 300, 50, 1, 0.95});
}

TEST(MembraneBaraffWitkin, energy_survives_cutting_a_triangle_in_four)
{
    const MembraneBaraffWitkin law{400, 300, 50, 1, 1};
    const Shape s = triangles()[8];
    const double whole = face_energy(law, face_rest(s.u[0], s.u[1], s.u[2]), s.x);
    double parts = 0;
    const auto mid = [](const auto& a, const auto& b) { return (a + b) * 0.5; };
    const std::array<Vec2, 3> mu{mid(s.u[0], s.u[1]), mid(s.u[1], s.u[2]), mid(s.u[2], s.u[0])};
    const std::array<Vec3, 3> mx{mid(s.x[0], s.x[1]), mid(s.x[1], s.x[2]), mid(s.x[2], s.x[0])};
    for (std::size_t k = 0; k < 3; ++k)
        parts += face_energy(law, face_rest(s.u[k], mu[k], mu[(k + 2) % 3]),
                             {s.x[k], mx[k], mx[(k + 2) % 3]});
    parts += face_energy(law, face_rest(mu[0], mu[1], mu[2]), mx);
    EXPECT_NEAR(parts, whole, 1e-12 * whole);
}

TEST(MembraneIsotropicSheet, pulls_with_youngs_modulus_and_shrinks_by_poissons_ratio)
{
    const MembraneIsotropicSheet law{1e-3, 3e5, 0.3};
    const auto frozen = freeze(law, {});
    const double strain = 1e-6;
    // Find the lateral strain without lateral stress.
    const Tangent t = tangent(frozen, {}, Definiteness::exact);
    const double lateral = -t(1, 0) / t(1, 1) * strain;
    const Stress s = stress(frozen, {strain, lateral, 0});
    EXPECT_NEAR(lateral / strain, -0.3, 1e-12);
    EXPECT_NEAR(s[0] / strain, 3e5 * 1e-3, 1e-6);
    EXPECT_NEAR(stress(frozen, {0, 0, strain})[2] / (2 * strain), 3e5 * 1e-3 / (1 + 0.3), 1e-6);
}

TEST(Compression, scales_negative_principal_strains_only)
{
    const double c = std::cos(0.4), s = std::sin(0.4);
    const double l1 = 0.05, l2 = -0.2;
    const Strain g{l1 * c * c + l2 * s * s, l1 * s * s + l2 * c * c, (l1 - l2) * c * s};
    const Strain f = compress(g, 0.25).scaled;
    const double m2 = 0.25 * l2;
    EXPECT_NEAR(f[0], l1 * c * c + m2 * s * s, 1e-15);
    EXPECT_NEAR(f[1], l1 * s * s + m2 * c * c, 1e-15);
    EXPECT_NEAR(f[2], (l1 - m2) * c * s, 1e-15);
}

// --- hinges ------------------------------------------------------------------------------------

struct Fold {
    std::string name;
    HingeRest rest;
    std::array<Vec3, 4> x;
};

std::vector<Fold> folds()
{
    std::vector<Fold> all;
    std::mt19937 random(11);
    std::uniform_real_distribution<double> unit(-1, 1);
    const Vec2 a{0, 0}, b{0.003, 0.02}, c{-0.015, 0.008}, d{0.018, 0.012};
    const HingeRest fair = hinge_rest({a, b}, c, {a, b}, d);
    const HingeRest sliver = hinge_rest({a, b}, {-0.0008, 0.006}, {a, b}, d);
    const auto bent = [&](double angle, const Vec2& far) {
        // Turn d about the edge a-b.
        const Vec3 axis = normalized(Vec3{b[0], b[1], 0});
        const Vec3 p{d[0], d[1], 0};
        const Vec3 along = dot(p, axis) * axis;
        const Vec3 across = p - along;
        const Vec3 turned =
            along + std::cos(angle) * across - std::sin(angle) * cross(axis, across);
        return std::array<Vec3, 4>{Vec3{0, 0, 0}, Vec3{b[0], b[1], 0}, Vec3{far[0], far[1], 0},
                                   turned};
    };
    for (double angle : {0.0, 0.1, -0.7, 1.9, 3.0, -3.1, 3.1415})
        all.push_back({"bent by " + std::to_string(angle), fair, bent(angle, c)});
    all.push_back({"sliver", sliver, bent(0.5, {-0.0008, 0.006})});
    Fold flat{"compressed flat", fair, bent(0.4, {-0.0004, 0.008})};
    all.push_back(flat);
    for (int k = 0; k < 10; ++k) {
        Fold f{"random " + std::to_string(k), fair, bent(0.3 * k, c)};
        for (Vec3& p : f.x) p += 0.003 * Vec3{unit(random), unit(random), unit(random)};
        all.push_back(f);
    }
    return all;
}

template <class Law> void check_bending(const Law& law)
{
    for (const Fold& s : folds())
        for (double rest_angle : {0.0, 0.6}) {
            SCOPED_TRACE(s.name + ", rest angle " + std::to_string(rest_angle));
            const double theta = dihedral_angle(s.x[0], s.x[1], s.x[2], s.x[3]);
            const HingeNumbers n = freeze(law, s.rest, theta);
            expect_derivatives(
                s.x, 1e-8, [&](const auto& x) { return hinge_energy(n, s.rest, x, rest_angle); },
                [&](const auto& x) { return hinge_forces(n, s.rest, x, rest_angle); },
                [&](const auto& x, Definiteness d) {
                    return hinge_stiffness(n, s.rest, x, rest_angle, d);
                },
                1e-4 * (n.quadratic + n.sine + n.isometric * 1e-4) / s.rest.length);
        }
}

TEST(BendingMeasured, forces_and_stiffness_are_derivatives)
{
    check_bending(std::get<BendingMeasured>(cloths::fabric("gray-interlock").bending));
}

TEST(BendingHinge, forces_and_stiffness_are_derivatives)
{
    check_bending(BendingHinge{5e-5, 1e-7});
}

TEST(BendingIsometric, forces_and_stiffness_are_derivatives)
{
    check_bending(BendingIsometric{3e-5});
}

/// Energy of the hinge of a flat rest shape when its corners lie on z = k (n . u)^2 / 2.
double energy_on_cylinder(const HingeNumbers& n, const HingeRest& rest, double direction,
                          double curvature)
{
    const std::array<Vec2, 4> u{Vec2{0, 0}, Vec2{0, rest.length},
                                Vec2{-rest.height[0], rest.foot[0] * rest.length},
                                Vec2{rest.height[1], rest.foot[1] * rest.length}};
    std::array<Vec3, 4> x{};
    for (std::size_t i = 0; i < 4; ++i) {
        const double s = std::cos(direction) * u[i][0] + std::sin(direction) * u[i][1];
        x[i] = {u[i][0], u[i][1], 0.5 * curvature * s * s};
    }
    return hinge_energy(n, rest, x, 0);
}

TEST(BendingIsometric, has_the_rigidity_of_a_cylinder_as_the_mean_over_directions)
{
    const BendingIsometric law{3e-5};
    const double curvature = 0.1;
    std::mt19937 random(4);
    std::uniform_real_distribution<double> unit(0, 1);
    for (int k = 0; k < 50; ++k) {
        HingeRest rest;
        rest.length = 0.01 + 0.02 * unit(random);
        for (std::size_t s = 0; s < 2; ++s) {
            rest.height[s] = 0.004 + 0.02 * unit(random);
            rest.foot[s] = -0.3 + 1.6 * unit(random);
            rest.area_sum += 0.5 * rest.length * rest.height[s];
        }
        const HingeNumbers n = freeze(law, rest, 0);
        double mean = 0;
        constexpr int directions = 12; // exact: the energy is a polynomial of degree 4
        for (int d = 0; d < directions; ++d)
            mean += energy_on_cylinder(n, rest, std::numbers::pi * d / directions, curvature) /
                    directions;
        // Each triangle has a third of its area at each edge.
        const double expected = 0.5 * law.rigidity * curvature * curvature * rest.area_sum / 3;
        EXPECT_NEAR(mean, expected, 1e-9 * expected);
    }
}

TEST(BendingIsometric,
     is_the_published_energy_with_a_third_of_the_rigidity_on_equilateral_triangles)
{
    const BendingIsometric law{3e-5};
    const double k = law.rigidity / 3, edge = 0.02, height = edge * std::sqrt(0.75);
    HingeRest rest;
    rest.length = edge;
    rest.area_sum = edge * height;
    rest.height = {height, height};
    rest.foot = {0.5, 0.5};
    // Folded by a right angle the edge's curvature vector has the size sqrt(2) times its length.
    const std::array<Vec3, 4> x{Vec3{0, 0, 0}, Vec3{0, edge, 0}, Vec3{-height, 0.5 * edge, 0},
                                Vec3{0, 0.5 * edge, height}};
    EXPECT_NEAR(hinge_energy(freeze(law, rest, 0), rest, x, 0),
                3 * k / (2 * rest.area_sum) * 2 * edge * edge, 1e-15);
}

TEST(BendingBaraffWitkin, forces_and_stiffness_are_derivatives)
{
    check_bending(BendingBaraffWitkin{1e-3});
}

TEST(BendingHinge, forces_restore_the_rest_angle)
{
    const BendingHinge law{5e-5, 1e-7};
    for (const Fold& s : folds()) {
        if (s.name.find("bent") == std::string::npos) continue;
        for (double rest_angle : {-0.4, 0.0, 0.8}) {
            const DihedralGradient d = dihedral_gradient(s.x[0], s.x[1], s.x[2], s.x[3]);
            const auto f = hinge_forces(freeze(law, s.rest, 0), s.rest, s.x, rest_angle);
            double rate = 0; // d theta / dt if the nodes moved along the forces
            for (std::size_t i = 0; i < 4; ++i) rate += dot(d.g[i], f[i]);
            if (std::abs(d.angle - rest_angle) < 1e-6) continue;
            EXPECT_LT(rate * (d.angle - rest_angle), 0) << s.name;
        }
    }
}

TEST(BendingHinge, has_no_force_in_the_plane_when_flat)
{
    const Fold flat = folds()[0];
    const auto f =
        hinge_forces(freeze(BendingHinge{5e-5, 0}, flat.rest, 0), flat.rest, flat.x, 0.5);
    for (const Vec3& v : f) {
        EXPECT_NEAR(v[0], 0, 1e-18);
        EXPECT_NEAR(v[1], 0, 1e-18);
    }
    EXPECT_GT(std::abs(f[2][2]), 1e-6);
}

TEST(BendingHinge, damping_removes_energy_and_leaves_rigid_motion_alone)
{
    std::mt19937 random(3);
    std::normal_distribution<double> normal;
    const BendingHinge law{5e-5, 1e-7};
    for (const Fold& s : folds()) {
        std::array<Vec3, 4> v{};
        for (Vec3& p : v) p = {normal(random), normal(random), normal(random)};
        const HingeNumbers n = freeze(law, s.rest, 0);
        auto f = hinge_damping_forces(n, s.rest, s.x, v);
        double power = 0;
        for (std::size_t i = 0; i < 4; ++i) power += dot(f[i], v[i]);
        EXPECT_LT(power, 0) << s.name;
        const double size = norm(f[2]);
        const Vec3 turn{0.3, -0.5, 0.8}, shift{1, 2, 3};
        for (std::size_t i = 0; i < 4; ++i) v[i] = cross(turn, s.x[i]) + shift;
        f = hinge_damping_forces(n, s.rest, s.x, v);
        for (const Vec3& p : f) EXPECT_LT(norm(p), 1e-12 * size) << s.name;
    }
}

TEST(BendingBaraffWitkin, damping_is_that_of_the_angle_as_condition)
{
    // -k_d dC/dx (dC/dt) with C the angle, per length of edge; the gradient by differences.
    const BendingBaraffWitkin law{1e-3, 2e-6};
    const Fold s = folds()[2];
    const std::array<Vec3, 4> v{Vec3{0.1, 0.2, 0.3}, Vec3{-0.2, 0.1, 0}, Vec3{0, 0.3, -0.4},
                                Vec3{0.2, -0.1, 0.5}};
    const double h = 1e-7;
    std::array<Vec3, 4> gradient{};
    double rate = 0;
    for (std::size_t i = 0; i < 4; ++i)
        for (std::size_t c = 0; c < 3; ++c) {
            auto forward = s.x, backward = s.x;
            forward[i][c] += h;
            backward[i][c] -= h;
            gradient[i][c] = (dihedral_angle(forward[0], forward[1], forward[2], forward[3]) -
                              dihedral_angle(backward[0], backward[1], backward[2], backward[3])) /
                             (2 * h);
            rate += gradient[i][c] * v[i][c];
        }
    const auto f = hinge_damping_forces(freeze(law, s.rest, 0), s.rest, s.x, v);
    for (std::size_t i = 0; i < 4; ++i) {
        const Vec3 expected = -law.damping * s.rest.length * rate * gradient[i];
        EXPECT_LT(norm(f[i] - expected), 1e-6 * norm(expected));
    }
}

TEST(BendingHinge, angle_rate_is_exact)
{
    for (const Fold& s : folds()) {
        std::array<Vec3, 4> v{Vec3{0.1, 0.2, 0.3}, Vec3{-0.2, 0.1, 0}, Vec3{0, 0.3, -0.4},
                              Vec3{0.2, -0.1, 0.5}};
        if (s.name.find("compressed") != std::string::npos) continue;
        const double h = 1e-8;
        auto x0 = s.x, x1 = s.x;
        for (std::size_t i = 0; i < 4; ++i) {
            x0[i] -= h * v[i];
            x1[i] += h * v[i];
        }
        const double fd = (dihedral_angle(x1[0], x1[1], x1[2], x1[3]) -
                           dihedral_angle(x0[0], x0[1], x0[2], x0[3])) /
                          (2 * h);
        const DihedralGradient d = dihedral_gradient(s.x[0], s.x[1], s.x[2], s.x[3]);
        double rate = 0, size = 0;
        for (std::size_t i = 0; i < 4; ++i) {
            rate += dot(d.g[i], v[i]);
            size += norm(d.g[i]) * norm(v[i]);
        }
        EXPECT_NEAR(rate, fd, 1e-6 * size) << s.name;
    }
}

TEST(BendingBaraffWitkin, energy_survives_cutting_a_folded_edge_in_two)
{
    // The same fold; the edge half as long, its triangles half as high.
    const BendingBaraffWitkin law{1e-3};
    HingeRest whole;
    whole.length = 0.02;
    whole.area_sum = 4e-4;
    HingeRest half = whole;
    half.length = 0.01;
    half.area_sum = 1e-4;
    EXPECT_NEAR(2 * angle_energy(freeze(law, half, 1.0), 1.0, 0),
                angle_energy(freeze(law, whole, 1.0), 1.0, 0), 1e-18);
}

} // namespace
} // namespace pleat
