// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "energies/cloths.hpp"
#include "pleat/energies/elastic_batch.hpp"
#include "pleat/linalg/block_system.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace pleat {
namespace {

using cloths::Cloth;
using cloths::MeshKind;

class EveryLaw : public testing::TestWithParam<std::size_t> {
protected:
    [[nodiscard]] Cloth cloth(double shaken) const
    {
        Cloth c = cloths::make_cloth(cloths::rectangle(MeshKind::random, 0.1, 0.08, 0.02),
                                     cloths::one_of_each_law()[GetParam()]);
        cloths::shake(c.state, shaken, 5);
        return c;
    }
};

TEST_P(EveryLaw, forces_are_the_gradient_of_the_energy)
{
    Cloth c = cloth(0.003);
    for (std::size_t i = 0; i < c.model.compression_scale.size(); i += 2)
        c.model.compression_scale.values[i] = 0.5;
    for (std::size_t i = 0; i < c.model.rest_angle.size(); i += 3)
        c.model.rest_angle.values[i] = 0.2;
    const std::size_t n = c.model.mesh.node_count();
    ElasticBatch batch(c.model);
    std::vector<Vec3> x = c.state.x.values, f(n);
    batch.freeze(c.model, x);
    batch.forces(c.model, x, f);
    double scale = 0;
    for (const Vec3& v : f) scale = std::max(scale, norm(v));
    const double h = 1e-7;
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t k = 0; k < 3; ++k) {
            const double at = x[i][k];
            x[i][k] = at + h;
            const double forward = batch.energy(c.model, x);
            x[i][k] = at - h;
            const double backward = batch.energy(c.model, x);
            x[i][k] = at;
            EXPECT_NEAR(f[i][k], -(forward - backward) / (2 * h), 1e-5 * scale);
        }
}

TEST_P(EveryLaw, energy_of_some_faces_changes_by_what_the_whole_does)
{
    // One node moves: all that changes is in the faces around it and the hinges they have part in.
    const Cloth before = cloth(0.003);
    Cloth after = before;
    const Mesh& mesh = before.model.mesh;
    const auto node = make_id<NodeId>(mesh.node_count() / 2);
    after.state.x[node] += Vec3{0.001, 0, 0.002};
    if (has_plates(before.model)) return; // there it reaches farther
    std::vector<FaceId> only;
    mesh.visit_faces(node, [&](FaceId f, std::size_t) { only.push_back(f); });
    const double whole = elastic_energy(before.model, before.state);
    EXPECT_NEAR(elastic_energy(after.model, after.state, only) -
                    elastic_energy(before.model, before.state, only),
                elastic_energy(after.model, after.state) - whole, 1e-9 * whole);
    EXPECT_LE(elastic_energy(before.model, before.state, only), whole);
}

TEST_P(EveryLaw, energy_of_all_faces_is_that_of_the_whole)
{
    const Cloth c = cloth(0.003);
    if (has_plates(c.model)) return;
    const IdRange<FaceId> faces = c.model.mesh.faces();
    const double whole = elastic_energy(c.model, c.state);
    EXPECT_GT(whole, 0);
    EXPECT_NEAR(elastic_energy(c.model, c.state, std::vector(faces.begin(), faces.end())), whole,
                1e-12 * whole);
}

TEST_P(EveryLaw, stiffness_is_that_of_the_elements)
{
    // The product K x of the gathered blocks against the change of the forces, where the exact
    // stiffness is already positive: flat and evenly stretched, the dropped terms vanish.
    Cloth c = cloth(0);
    for (Vec3& p : c.state.x) p = {1.02 * p[0], 1.03 * p[1], 0};
    const std::size_t n = c.model.mesh.node_count();
    ElasticBatch batch(c.model);
    std::vector<Vec3> x = c.state.x.values, f(n), f0(n), f1(n), move(n), y(n);
    std::vector<Mat3> off(batch.pattern().slot_count());
    batch.freeze(c.model, x);
    batch.linearise(c.model, x, {1, 0}, f, off);
    std::mt19937 random(2);
    std::normal_distribution<double> normal;
    for (Vec3& m : move) m = {normal(random), normal(random), normal(random)};
    multiply_internal(batch.pattern(), off, move, y);
    const double h = 1e-8;
    for (std::size_t i = 0; i < n; ++i) x[i] += h * move[i];
    batch.forces(c.model, x, f1);
    for (std::size_t i = 0; i < n; ++i) x[i] -= 2 * h * move[i];
    batch.forces(c.model, x, f0);
    double scale = 0;
    for (const Vec3& v : y) scale = std::max(scale, norm(v));
    for (std::size_t i = 0; i < n; ++i)
        EXPECT_LT(norm(y[i] + (f1[i] - f0[i]) / (2 * h)), 2e-5 * scale);
}

TEST_P(EveryLaw, stiffness_and_damping_are_positive)
{
    Cloth c = cloth(0.008);
    c.model.materials[0].damping = 0.01;
    const std::size_t n = c.model.mesh.node_count();
    ElasticBatch batch(c.model);
    std::vector<Vec3> f(n), move(n), y(n);
    std::vector<Mat3> off(batch.pattern().slot_count());
    batch.freeze(c.model, c.state.x.span());
    for (const StiffnessScale scale : {StiffnessScale{1, 0}, StiffnessScale{0, 1}}) {
        batch.linearise(c.model, c.state.x.span(), scale, f, off);
        std::mt19937 random(2);
        std::normal_distribution<double> normal;
        for (int trial = 0; trial < 50; ++trial) {
            for (Vec3& m : move) m = {normal(random), normal(random), normal(random)};
            multiply_internal(batch.pattern(), off, move, y);
            double power = 0;
            for (std::size_t i = 0; i < n; ++i) power += dot(move[i], y[i]);
            EXPECT_GT(power, 0);
        }
        // A rigid motion is not damped.
        if (scale.damping > 0) {
            double size = 0;
            for (const Vec3& v : y) size = std::max(size, norm(v));
            for (std::size_t i = 0; i < n; ++i)
                move[i] = Vec3{1, 2, 3} + cross(Vec3{5, -4, 9}, c.state.x.values[i]);
            multiply_internal(batch.pattern(), off, move, y);
            for (std::size_t i = 0; i < n; ++i) EXPECT_LT(norm(y[i]), 1e-10 * size);
        }
    }
}

TEST(BaraffWitkin, damping_forces_are_those_of_each_condition)
{
    // -k_d A dC/dx (dC/dt) over the faces, the gradients by differences.
    const double h = 1e-7;
    for (const MembraneBaraffWitkin& law :
         {MembraneBaraffWitkin{400, 300, 50, 1, 0.9, 0.4, 0}, // stretch
          MembraneBaraffWitkin{400, 300, 50, 1, 0.9, 0, 0.3}, // shear
          MembraneBaraffWitkin{400, 300, 50, 1, 0.9, 0.4, 0.3}}) {
        Material m;
        m.density = 0.1;
        m.membrane = law;
        m.bending = BendingBaraffWitkin{0, 0};
        Cloth c = cloths::make_cloth(cloths::rectangle(MeshKind::random, 0.1, 0.08, 0.02), m);
        cloths::shake(c.state, 0.003, 5);
        const Mesh& mesh = c.model.mesh;
        const std::size_t n = mesh.node_count();
        std::mt19937 random(2);
        std::normal_distribution<double> normal;
        std::vector<Vec3> v(n), expected(n), f(n), y(n);
        for (Vec3& p : v) p = {normal(random), normal(random), normal(random)};
        for (FaceId face : mesh.faces()) {
            const auto& verts = mesh[face].verts;
            const auto nodes = mesh.nodes_of(face);
            const FaceRest rest = face_rest(mesh.u(verts[0]), mesh.u(verts[1]), mesh.u(verts[2]));
            const auto conditions = [&](const std::array<Vec3, 3>& x) {
                const Mat3x2 d = deformation(rest, x[0], x[1], x[2]);
                return Vec3{norm(column(d, 0)) - law.rest_stretch_u,
                            norm(column(d, 1)) - law.rest_stretch_v,
                            dot(column(d, 0), column(d, 1))};
            };
            const std::array<Vec3, 3> x{c.state.x[nodes[0]], c.state.x[nodes[1]],
                                        c.state.x[nodes[2]]};
            std::array<std::array<Vec3, 3>, 3> by{}; // of corner and axis
            Vec3 rate{};
            for (std::size_t i = 0; i < 3; ++i)
                for (std::size_t k = 0; k < 3; ++k) {
                    auto forward = x, backward = x;
                    forward[i][k] += h;
                    backward[i][k] -= h;
                    by[i][k] = (conditions(forward) - conditions(backward)) / (2 * h);
                    rate += by[i][k] * v[index(nodes[i])][k];
                }
            const Vec3 damping{law.stretch_damping, law.stretch_damping, law.shear_damping};
            for (std::size_t i = 0; i < 3; ++i)
                for (std::size_t k = 0; k < 3; ++k)
                    for (std::size_t condition = 0; condition < 3; ++condition)
                        expected[index(nodes[i])][k] -=
                            rest.area * damping[condition] * by[i][k][condition] * rate[condition];
        }
        ElasticBatch batch(c.model);
        std::vector<Mat3> off(batch.pattern().slot_count());
        batch.freeze(c.model, c.state.x.span());
        batch.linearise(c.model, c.state.x.span(), {0, 1}, f, off);
        multiply_internal(batch.pattern(), off, v, y);
        double size = 0;
        for (const Vec3& p : expected) size = std::max(size, norm(p));
        EXPECT_GT(size, 0);
        for (std::size_t i = 0; i < n; ++i) EXPECT_LT(norm(y[i] + expected[i]), 1e-5 * size);
    }
}

TEST(BaraffWitkin, shear_damping_leaves_stretching_alone)
{
    Material m;
    m.density = 0.1;
    m.membrane = MembraneBaraffWitkin{400, 300, 50, 1, 1, 0, 0.3};
    m.bending = BendingBaraffWitkin{1e-3, 0};
    const Cloth c = cloths::make_cloth(cloths::rectangle(MeshKind::random, 0.1, 0.08, 0.02), m);
    const std::size_t n = c.model.mesh.node_count();
    ElasticBatch batch(c.model);
    std::vector<Vec3> f(n), v(n), y(n);
    std::vector<Mat3> off(batch.pattern().slot_count());
    batch.freeze(c.model, c.state.x.span());
    batch.linearise(c.model, c.state.x.span(), {0, 1}, f, off);
    const auto largest = [&](const Vec2& along_x) {
        for (std::size_t i = 0; i < n; ++i)
            v[i] = {dot(along_x, Vec2{c.state.x.values[i][0], c.state.x.values[i][1]}), 0, 0};
        multiply_internal(batch.pattern(), off, v, y);
        double most = 0;
        for (const Vec3& p : y) most = std::max(most, norm(p));
        return most;
    };
    const double sheared = largest({0, 1});
    EXPECT_GT(sheared, 1e-4);
    EXPECT_LT(largest({1, 0}), 1e-12 * sheared);
}

TEST_P(EveryLaw, energy_does_not_change_with_place_and_direction)
{
    Cloth c = cloth(0.004);
    const double here = elastic_energy(c.model, c.state);
    EXPECT_GT(here, 0);
    const double a = 0.7, b = -1.1;
    for (Vec3& p : c.state.x) {
        const Vec3 q{std::cos(a) * p[0] - std::sin(a) * p[1],
                     std::sin(a) * p[0] + std::cos(a) * p[1], p[2]};
        p = {q[0] + 3, std::cos(b) * q[1] - std::sin(b) * q[2] - 2,
             std::sin(b) * q[1] + std::cos(b) * q[2] + 1};
    }
    EXPECT_NEAR(elastic_energy(c.model, c.state), here, 1e-10 * here);
}

TEST_P(EveryLaw, forces_have_the_same_bits_for_any_thread_count)
{
    const Cloth c = cloth(0.004);
    std::vector<Vec3> one, two;
    Threads(1).run([&] { one = elastic_forces(c.model, c.state); });
    Threads(2).run([&] { two = elastic_forces(c.model, c.state); });
    EXPECT_EQ(one, two);
}

INSTANTIATE_TEST_SUITE_P(Elastic, EveryLaw, testing::Range<std::size_t>(0, 7));

TEST(ElasticBatch, seams_bend_like_the_cloth_beside_them)
{
    // The same strip in one panel, and in two that share the nodes of the middle line; bent alike.
    MeshInput whole = cloths::rectangle(MeshKind::structured, 0.2, 0.1, 0.02);
    MeshInput sewn = whole;
    std::vector<std::uint32_t> twin(whole.node_x.size(), 0);
    for (std::uint32_t i = 0; i < whole.node_x.size(); ++i)
        if (std::abs(whole.node_x[i][0] - 0.1) < 1e-9) {
            twin[i] = static_cast<std::uint32_t>(sewn.material_u.size());
            sewn.material_u.push_back(whole.material_u[i] + Vec2{0.05, 0});
        }
    for (std::uint32_t i = 0; i < whole.node_x.size(); ++i)
        if (whole.node_x[i][0] > 0.1 + 1e-9) sewn.material_u[i] += Vec2{0.05, 0};
    for (std::size_t f = 0; f < sewn.face_points.size(); ++f) {
        double middle = 0;
        for (std::uint32_t p : whole.face_nodes[f]) middle += whole.node_x[p][0] / 3;
        if (middle > 0.1)
            for (std::uint32_t& p : sewn.face_points[f])
                if (twin[p] != 0) p = twin[p];
    }
    for (const Material& m : cloths::one_of_each_law()) {
        Cloth a = cloths::make_cloth(whole, m), b = cloths::make_cloth(sewn, m);
        ASSERT_EQ(b.model.mesh.panel_count(), 2u);
        cloths::shake(a.state, 0.003, 9);
        b.state = a.state;
        const double energy = elastic_energy(a.model, a.state);
        EXPECT_NEAR(elastic_energy(b.model, b.state), energy, 1e-12 * energy) << m.name;
    }
}

TEST(ElasticBatch, dependent_nodes_give_the_matrix_p_k_p)
{
    // Node 1 is the mean of nodes 0 and 2 along the lower border: compare with a dense P^T K P.
    const Material m = cloths::one_of_each_law()[0];
    const Cloth c = cloths::make_cloth(cloths::rectangle(MeshKind::structured, 0.1, 0.08, 0.02), m);
    const std::size_t n = c.model.mesh.node_count();
    Dependencies d;
    d.start.assign(n + 1, 0);
    d.parents = {{0, 0.5}, {2, 0.5}};
    for (std::size_t i = 2; i <= n; ++i) d.start[i] = 2;
    Model dependent = c.model;
    set_dependencies(dependent, d);
    ElasticBatch plain(c.model), folded(dependent);
    std::vector<Vec3> x = c.state.x.values, f(n);
    State s = c.state;
    cloths::shake(s, 0.002, 1);
    x = s.x.values;
    std::vector<Mat3> off_plain(plain.pattern().slot_count());
    std::vector<Mat3> off_folded(folded.pattern().slot_count());
    plain.freeze(c.model, x);
    folded.freeze(c.model, x);
    plain.linearise(c.model, x, {1, 0}, f, off_plain);
    folded.linearise(c.model, x, {1, 0}, f, off_folded);
    std::mt19937 random(2);
    std::normal_distribution<double> normal;
    std::vector<Vec3> v(n), pv, y(n), z(n);
    for (Vec3& p : v) p = {normal(random), normal(random), normal(random)};
    pv = v;
    pv[1] = 0.5 * (v[0] + v[2]);
    multiply_internal(plain.pattern(), off_plain, pv, y);
    y[0] += 0.5 * y[1];
    y[2] += 0.5 * y[1];
    multiply_internal(folded.pattern(), off_folded, v, z);
    double scale = 0;
    for (const Vec3& p : y) scale = std::max(scale, norm(p));
    for (std::size_t i = 0; i < n; ++i) {
        if (i == 1) {
            EXPECT_EQ(z[i], Vec3{});
            continue;
        }
        EXPECT_LT(norm(y[i] - z[i]), 1e-12 * scale) << i;
    }
}

} // namespace
} // namespace pleat
