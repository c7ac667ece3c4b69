// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/remeshing/sizing.hpp"

#include "pleat/geometry/decompose.hpp"
#include "pleat/remeshing/anisotropic.hpp"

#include "mesh/zoo.hpp"
#include "remeshing/subject.hpp"
#include "sim/model_of.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>

namespace pleat {
namespace {

/// The four metrics of [Narain2012].
FaceSizing sizing_of(const Simulation& sim,
                     const std::vector<std::optional<SizingOptions>>& options,
                     const ObstacleTree& obstacles = {})
{
    SizingByCloth by_cloth;
    for (const auto& o : options)
        by_cloth.push_back(o ? std::optional(cloth_sizing(*o)) : std::nullopt);
    return face_sizing(sim.model, sim.state, {}, 0, obstacles, by_cloth);
}

/// Bounds so wide that they do not show.
SizingOptions wide()
{
    SizingOptions o;
    o.edge_min = 1e-6;
    o.edge_max = 1e6;
    o.aspect_min = 0;
    return o;
}

double difference(const Mat2& a, const Mat2& b)
{
    double sum = 0;
    for (std::size_t i = 0; i < 4; ++i) sum += std::abs(a.e[i] - b.e[i]);
    return sum;
}

TEST(Bounded, clamps_eigenvalues_and_then_the_aspect)
{
    SizingOptions o;
    o.edge_min = 0.01;
    o.edge_max = 0.2;
    o.aspect_min = 0.1;
    const auto lengths = [&](const Mat2& m) {
        const EigenSym2 e = eigen_symmetric(m);
        return Vec2{1 / std::sqrt(e.values[0]), 1 / std::sqrt(e.values[1])};
    };
    // Asks for 1 mm across and 5 m along: gets 10 mm, and 100 mm because of the aspect.
    Vec2 l = lengths(bounded(test::tensor(0.3, 5, 0.001), o));
    EXPECT_NEAR(l[0], 0.01, 1e-12);
    EXPECT_NEAR(l[1], 0.1, 1e-12);
    l = lengths(bounded(test::tensor(0.3, 0.15, 0.05), o)); // within all bounds
    EXPECT_NEAR(l[0], 0.05, 1e-12);
    EXPECT_NEAR(l[1], 0.15, 1e-12);
    l = lengths(bounded(Mat2{}, o));
    EXPECT_NEAR(l[0], 0.2, 1e-12);
    o.aspect_min = 1; // isotropic
    l = lengths(bounded(test::tensor(0.3, 0.15, 0.05), o));
    EXPECT_NEAR(l[0], 0.05, 1e-12);
    EXPECT_NEAR(l[1], 0.05, 1e-12);
}

TEST(Bounded, agrees_with_the_eigenvalues_of_single_tensors_bit_for_bit)
{
    SizingOptions o;
    const auto bounded_alone = [&](const Mat2& m) {
        const EigenSym2 e = eigen_symmetric(m);
        const double low = 1 / (o.edge_max * o.edge_max), high = 1 / (o.edge_min * o.edge_min);
        const double first = std::clamp(e.values[0], low, high);
        const double second =
            std::max(std::clamp(e.values[1], low, high), o.aspect_min * o.aspect_min * first);
        const Vec2 a = column(e.vectors, 0), b = column(e.vectors, 1);
        return outer(a, a) * first + outer(b, b) * second;
    };
    std::mt19937_64 random(13);
    std::uniform_real_distribution<double> exponent(-3, 1), angle(-4, 4);
    for (int i = 0; i < 2000; ++i) {
        const Mat2 m = test::tensor(angle(random), std::pow(10, exponent(random)),
                                    std::pow(10, exponent(random)));
        ASSERT_EQ(bounded(m, o), bounded_alone(m));
    }
    for (const Mat2& m : {Mat2{}, identity<2>() * 100, identity<2>() * 1e9, Mat2{{400, 0, 0, 90}},
                          Mat2{{90, 0, 0, 400}}})
        EXPECT_EQ(bounded(m, o), bounded_alone(m));
}

TEST(FaceSizing, asks_for_nothing_where_cloth_rests)
{
    const Simulation sim = simulation_of(zoo::grid(4, 4));
    const FaceSizing s = sizing_of(sim, {SizingOptions{}});
    for (FaceId f : sim.model.mesh.faces()) {
        EXPECT_LT(difference(s.asked("curvature")[f], {}), 1e-20);
        EXPECT_LT(difference(s.asked("compression")[f], {}), 1e-9);
        EXPECT_EQ(s.asked("velocity")[f], Mat2{});
        EXPECT_EQ(s.asked("obstacle")[f], Mat2{});
        EXPECT_LT(difference(s.metric[f], identity<2>() * 25), 1e-9);
    }
}

TEST(FaceSizing, sees_the_curvature_of_a_cylinder_across_its_axis)
{
    const double r = 0.3;
    MeshInput m = zoo::grid(40, 40);
    for (Vec3& x : m.node_x) x = {r * std::sin(x[0] / r), x[1], r * std::cos(x[0] / r)};
    const Simulation sim = simulation_of(m);
    const FaceSizing s = sizing_of(sim, {wide()});
    const MetricField metric = vert_metric(sim.model.mesh, s.asked("curvature"));
    // Normals turn by 1/r a metre: the tensor is (1/r)^2 / angle^2 along u[0].
    const Mat2 exact{{1 / (r * r * 0.15 * 0.15), 0, 0, 0}};
    for (VertId v : sim.model.mesh.verts()) {
        if (sim.model.mesh.kind(sim.model.mesh.node(v)) != NodeKind::interior) continue;
        const Vec2 u = sim.model.mesh.u(v);
        if (std::min({u[0], u[1], 1 - u[0], 1 - u[1]}) < 0.08) continue; // away from the border
        EXPECT_LT(difference(metric[v], exact), 0.03 * exact(0, 0));
    }
}

TEST(FaceSizing, sees_compression_and_not_extension)
{
    MeshInput m = zoo::grid(4, 4);
    for (Vec3& x : m.node_x) x = {0.9 * x[0], 1.2 * x[1], 0};
    const Simulation sim = simulation_of(m);
    const FaceSizing s = sizing_of(sim, {wide()});
    const Mat2 exact{{(1 - 0.81) / (0.07 * 0.07), 0, 0, 0}};
    for (FaceId f : sim.model.mesh.faces())
        EXPECT_LT(difference(s.asked("compression")[f], exact), 1e-9);
}

TEST(FaceSizing, sees_velocity_gradients)
{
    Simulation sim = simulation_of(zoo::grid(4, 4));
    for (NodeId n : sim.model.mesh.nodes()) sim.state.v[n] = {0, 0, 3 * sim.state.x[n][1]};
    const FaceSizing s = sizing_of(sim, {wide()});
    const Mat2 exact{{0, 0, 0, 9 / (0.7 * 0.7)}};
    for (FaceId f : sim.model.mesh.faces())
        EXPECT_LT(difference(s.asked("velocity")[f], exact), 1e-9);
}

TEST(FaceSizing, sees_obstacles_that_an_edge_could_reach)
{
    // A sheet that rises at 45 degrees from a floor: the distance to it changes by sqrt(1/2) a
    // metre of cloth, along u[0] only.
    MeshInput m = zoo::grid(10, 10);
    const double c = std::sqrt(0.5);
    for (Vec3& x : m.node_x) x = {c * x[0], x[1], 0.05 + c * x[0]};
    const Simulation sim = simulation_of(m);
    const std::vector<std::array<Vec3, 3>> triangles{{Vec3{-9, -9, 0}, {9, -9, 0}, {9, 9, 0}},
                                                     {Vec3{-9, -9, 0}, {9, 9, 0}, {-9, 9, 0}}};
    const ObstacleTree floor(triangles);
    SizingOptions o = wide();
    o.edge_max = 0.5; // its reach
    const FaceSizing s = sizing_of(sim, {o}, floor);
    for (FaceId f : sim.model.mesh.faces()) {
        Mat2 exact{};
        for (NodeId n : sim.model.mesh.nodes_of(f)) {
            const double height = sim.state.x[n][2];
            if (height < 0.5) exact(0, 0) += 0.5 / (height * height) / 3;
        }
        EXPECT_LT(difference(s.asked("obstacle")[f], exact), 1e-9 * (1 + exact(0, 0)));
    }
}

/// Throw-away metrics, to show what a new one can do: the one asks for edges of 5 cm on one side of
/// the world that moves with time, the other halves what was asked before it.
class SizingFront final : public SizingMetric {
public:
    void ask(const SizingInput& in, Field<FaceId, Mat2>& asked) const override
    {
        for (FaceId f : in.faces) {
            const Vec3 x = in.state.x[in.model.mesh.nodes_of(f)[0]];
            asked[f] = dot(x, in.world.up) < in.time ? identity<2>() * 400 : Mat2{};
        }
    }
};
class SizingHalf final : public SizingMetric {
public:
    void ask(const SizingInput& in, Field<FaceId, Mat2>& asked) const override
    {
        for (FaceId f : in.faces) asked[f] = in.asked_yet[f] * -0.5;
    }
};

TEST(SizingMetric, a_new_one_sees_world_time_and_what_was_asked_before_it)
{
    Simulation sim = simulation_of(zoo::two_pieces(2)); // the second 0.3 m above the first
    sim.model.cloths = {{"a"}, {"b"}};
    sim.model.panel_cloth = {ClothId{0}, ClothId{1}};
    ClothSizing front{{0.001, 10, 0}, {{"front", std::make_shared<SizingFront>()}}};
    ClothSizing both = front;
    both.metrics.push_back({"half", std::make_shared<SizingHalf>()});
    const World world; // z is up
    for (const double time : {-1.0, 0.1, 1.0}) {
        SCOPED_TRACE(time);
        const FaceSizing s = face_sizing(sim.model, sim.state, world, time, {}, {front, both});
        ASSERT_EQ(s.drivers.size(), 2u);
        EXPECT_EQ(s.drivers[0].name, "front");
        EXPECT_EQ(s.drivers[1].name, "half");
        for (FaceId f : sim.model.mesh.faces()) {
            const bool is_a = sim.model.cloth_of(f) == ClothId{0};
            const double expected = time < (is_a ? 0 : 0.3) ? 0 : 400;
            EXPECT_EQ(s.asked("front")[f], identity<2>() * expected);
            EXPECT_EQ(s.asked("half")[f], identity<2>() * (is_a ? 0 : -0.5 * expected));
            const double sum = std::max(0.01, is_a ? expected : 0.5 * expected);
            EXPECT_LT(difference(s.metric[f], identity<2>() * sum), 1e-9);
        }
    }
}

TEST(SizingMetric, bounds_come_last)
{
    const Simulation sim = simulation_of(zoo::grid(2, 2));
    const ClothSizing sizing{{0.1, 0.2, 0}, {{"front", std::make_shared<SizingFront>()}}};
    const FaceSizing s = face_sizing(sim.model, sim.state, {}, 1, {}, {sizing});
    for (FaceId f : sim.model.mesh.faces()) {
        EXPECT_EQ(s.asked("front")[f], identity<2>() * 400);
        EXPECT_LT(difference(s.metric[f], identity<2>() * 100), 1e-9);
    }
}

TEST(SizingMetric, what_was_used_is_shown_on_the_mesh_that_comes_of_it)
{
    Simulation sim = simulation_of(zoo::grid(6, 6));
    for (NodeId n : sim.model.mesh.nodes()) // one half moves in itself
        sim.state.v[n] = {0, 0, 30 * std::max(0.0, sim.state.x[n][0] - 0.5)};
    AnisotropicOptions options;
    options.sizing = {cloth_sizing({})};
    const RemeshReport r = RemesherAnisotropic(options).remesh({}, 0, sim.model, sim.state);
    ASSERT_TRUE(r.changed);
    ASSERT_TRUE(r.sizing);
    ASSERT_EQ(r.sizing->metric.size(), sim.model.mesh.face_count());
    std::size_t moving = 0, resting = 0;
    for (FaceId f : sim.model.mesh.faces()) {
        const auto& v = sim.model.mesh[f].verts;
        double low = 1, high = 0;
        for (VertId w : v) {
            low = std::min(low, sim.model.mesh.u(w)[0]);
            high = std::max(high, sim.model.mesh.u(w)[0]);
        }
        const Mat2 asked = r.sizing->asked("velocity")[f];
        if (low > 0.5 + 1e-9) {
            EXPECT_NEAR(asked(0, 0), 900 / 0.49, 1e-6);
            ++moving;
        } else if (high < 0.5 - 1e-9) {
            EXPECT_EQ(asked, Mat2{});
            ++resting;
        }
    }
    EXPECT_GT(moving, 100u);
    EXPECT_GT(resting, 0u);
    // Later work on the mesh makes it useless; a report of nothing done does not.
    RemeshReport sum = r;
    sum += RemeshReport{};
    EXPECT_EQ(sum.sizing, r.sizing);
    RemeshReport later;
    later.changed = true;
    sum += later;
    EXPECT_FALSE(sum.sizing);
}

TEST(SizingMetric, two_remeshers_in_sequence_show_the_sizing_of_both)
{
    Simulation sim = simulation_of(zoo::two_pieces(4));
    sim.model.cloths = {{"a"}, {"b"}};
    sim.model.panel_cloth = {ClothId{0}, ClothId{1}};
    const auto cloth = [](double length, const char* own) {
        const ClothSizing s = cloth_sizing({});
        ClothSizing result{{length, length, 1}, s.metrics};
        result.metrics.push_back({own, std::make_shared<SizingFront>()});
        return result;
    };
    AnisotropicOptions first, second;
    first.sizing = {cloth(0.08, "front_a"), std::nullopt};
    second.sizing = {std::nullopt, cloth(0.05, "front_b")};
    std::vector<std::unique_ptr<Remesher>> parts;
    parts.push_back(std::make_unique<RemesherAnisotropic>(first));
    parts.push_back(std::make_unique<RemesherAnisotropic>(second));
    const std::size_t faces_before = sim.model.mesh.face_count();
    const RemeshReport r = RemesherSequence(std::move(parts)).remesh({}, 1, sim.model, sim.state);
    const Mesh& mesh = sim.model.mesh;
    ASSERT_TRUE(r.changed);
    ASSERT_TRUE(r.sizing);
    ASSERT_EQ(r.sizing->metric.size(), mesh.face_count());
    ASSERT_EQ(r.origin.size(), mesh.face_count());
    for (FaceId f : mesh.faces()) {
        const bool is_a = sim.model.cloth_of(f) == ClothId{0};
        const double length = is_a ? 0.08 : 0.05;
        EXPECT_LT(difference(r.sizing->metric[f], identity<2>() * (1 / (length * length))), 1e-6);
        EXPECT_EQ(r.sizing->asked("front_a")[f], identity<2>() * (is_a ? 400 : 0));
        EXPECT_EQ(r.sizing->asked("front_b")[f], identity<2>() * (is_a ? 0 : 400));
        EXPECT_LT(index(r.origin[f]), faces_before);
    }
    std::size_t shared = 0;
    for (const FaceSizing::Driver& d : r.sizing->drivers) shared += d.name == "curvature";
    EXPECT_EQ(shared, 1u);
}

TEST(SizingCompression, knows_the_waves_of_a_fabric)
{
    // An isotropic sheet of stiffness S = E h / (1 - nu^2) and rigidity B = S h^2 / 12 in every
    // direction: waves of 2 pi h / sqrt(12 e), whatever it is made of.
    const double h = 0.001, nu = 0.3;
    Material m;
    m.membrane = MembraneIsotropicSheet{h, 1e6, nu};
    m.bending = BendingIsotropicSheet{h, 1e6, nu};
    const double e = 1e-4;
    MeshInput input = zoo::grid(4, 4);
    for (const double angle : {0.0, 0.4, 1.2}) {
        SCOPED_TRACE(angle);
        EXPECT_NEAR(membrane_stiffness(m, angle), 1e6 * h / (1 - nu * nu), 1e-9 * 1e3);
        EXPECT_NEAR(bending_rigidity(m, angle), 1e6 * h * h * h / 12 / (1 - nu * nu), 1e-12);
        const double wave = 2 * std::numbers::pi * h / std::sqrt(12 * e);
        EXPECT_NEAR(buckling_tolerance(m, angle, 8) / std::sqrt(2 * e), wave / 8, 1e-9 * wave);
        // Compressed by e along `angle`, extended across: edges of an eighth of a wave along it.
        const Vec2 d{std::cos(angle), std::sin(angle)}, n{-d[1], d[0]};
        Simulation sim = simulation_of(input);
        sim.model.materials = {m};
        for (Vec3& x : sim.state.x) {
            const Vec2 u{x[0], x[1]};
            const Vec2 y = d * ((1 - e) * dot(d, u)) + n * (1.01 * dot(n, u));
            x = {y[0], y[1], 0};
        }
        const ClothSizing sizing{{1e-5, 10, 0},
                                 {{"compression", std::make_shared<SizingCompression>(
                                                      SizingCompression::from_fabric(8))}}};
        const FaceSizing s = face_sizing(sim.model, sim.state, {}, 0, {}, {sizing});
        for (FaceId f : sim.model.mesh.faces()) {
            const Mat2 asked = s.asked("compression")[f];
            EXPECT_NEAR(1 / std::sqrt(dot(d, asked * d)), wave / 8, 1e-3 * wave);
            EXPECT_NEAR(dot(n, asked * n), 0, 1e-9 * dot(d, asked * d));
        }
    }
}

TEST(SizingCompression, takes_stiffness_and_rigidity_in_the_direction_of_the_strain)
{
    Material m;
    m.membrane = MembraneOrthotropic{100, 400, 50, 0, 0};
    m.bending = BendingPlate{1e-5, 4e-6, 0, 2e-6};
    const double right = std::numbers::pi / 2;
    EXPECT_NEAR(membrane_stiffness(m, 0), 100, 1e-9);
    EXPECT_NEAR(membrane_stiffness(m, right), 400, 1e-9);
    EXPECT_NEAR(bending_rigidity(m, 0), 1e-5, 1e-15);
    EXPECT_NEAR(bending_rigidity(m, right), 4e-6, 1e-15);
    EXPECT_NEAR(buckling_tolerance(m, 0, 1), 2 * std::numbers::pi * std::sqrt(2 * 1e-7), 1e-12);
    EXPECT_NEAR(buckling_tolerance(m, right, 1), 2 * std::numbers::pi * std::sqrt(2e-8), 1e-12);
    // Measured by the angle of the edge that folds, which is square to the curvature.
    BendingMeasured measured;
    measured.stiffness[0].fill(4e-6); // edges along the weft: curvature along the warp
    measured.stiffness[1].fill(8e-6);
    measured.stiffness[2].fill(1.2e-5);
    m.bending = measured;
    EXPECT_NEAR(bending_rigidity(m, right), 1e-6, 1e-15);
    EXPECT_NEAR(bending_rigidity(m, 3 * right), 1e-6, 1e-15);
    EXPECT_NEAR(bending_rigidity(m, right / 2), 2e-6, 1e-15);
    EXPECT_NEAR(bending_rigidity(m, -right / 2), 2e-6, 1e-15);
    EXPECT_NEAR(bending_rigidity(m, 0), 3e-6, 1e-15);
    // Without rigidity waves are as fine as the mesh may be.
    m.bending = BendingBaraffWitkin{1e-4, 0};
    EXPECT_EQ(buckling_tolerance(m, 0, 8), 0);
}

TEST(FaceSizing, each_cloth_has_its_own_tolerances)
{
    Simulation sim = simulation_of(zoo::two_pieces(2));
    sim.model.cloths = {{"a"}, {"b"}};
    sim.model.panel_cloth = {ClothId{0}, ClothId{1}};
    SizingOptions coarse;
    coarse.edge_max = 1;
    const FaceSizing s = sizing_of(sim, {std::nullopt, coarse});
    for (FaceId f : sim.model.mesh.faces())
        EXPECT_LT(
            difference(s.metric[f], sim.model.cloth_of(f) == ClothId{0} ? Mat2{} : identity<2>()),
            1e-9);
}

TEST(FaceSizing, a_face_has_the_same_tensors_whatever_is_looked_at_beside_it)
{
    // 18 faces in each of two pieces: no multiple of the faces that are looked at together.
    MeshInput input = zoo::two_pieces(3);
    for (Vec3& x : input.node_x)
        x = {0.95 * x[0], x[1] + 0.1 * x[0] * x[0], 0.1 + 0.1 * std::sin(7 * x[0] + 5 * x[1])};
    Simulation sim = simulation_of(input);
    for (NodeId n : sim.model.mesh.nodes())
        sim.state.v[n] = {std::sin(5 * sim.state.x[n][1]), 0, sim.state.x[n][0]};
    sim.model.cloths = {{"a"}, {"b"}};
    sim.model.panel_cloth = {ClothId{0}, ClothId{1}};
    const ObstacleTree floor(
        std::vector<std::array<Vec3, 3>>{{{{-9, -9, 0}, {9, -9, 0}, {0, 9, 0}}}});
    SizingOptions fine, coarse;
    fine.edge_min = 0.001;
    coarse.velocity = 3;
    coarse.aspect_min = 0.5;
    const FaceSizing all_fine = sizing_of(sim, {fine, fine}, floor);
    const FaceSizing all_coarse = sizing_of(sim, {coarse, coarse}, floor);
    const FaceSizing mixed = sizing_of(sim, {fine, coarse}, floor);
    const FaceSizing half = sizing_of(sim, {std::nullopt, coarse}, floor);
    for (FaceId f : sim.model.mesh.faces()) {
        const bool is_a = sim.model.cloth_of(f) == ClothId{0};
        const FaceSizing& alone = is_a ? all_fine : all_coarse;
        EXPECT_EQ(mixed.metric[f], alone.metric[f]);
        EXPECT_EQ(mixed.asked("obstacle")[f], alone.asked("obstacle")[f]);
        EXPECT_EQ(mixed.asked("velocity")[f], alone.asked("velocity")[f]);
        EXPECT_EQ(half.metric[f], is_a ? Mat2{} : all_coarse.metric[f]);
        EXPECT_NE(all_fine.metric[f], all_coarse.metric[f]);
        EXPECT_GT(difference(mixed.asked("obstacle")[f], {}), 0);
    }
}

// --- verts and seams ----------------------------------------------------------------------------

TEST(VertMetric, is_the_mean_weighted_by_area)
{
    const Mesh mesh = build_mesh(zoo::grid(2, 2));
    Field<FaceId, Mat2> face(mesh.face_count(), FieldRule::reset);
    for (FaceId f : mesh.faces()) face[f] = identity<2>() * double(1 + index(f));
    const MetricField m = vert_metric(mesh, face);
    for (NodeId n : mesh.nodes()) {
        double sum = 0, area = 0;
        VertId v = no_vert;
        mesh.visit_faces(n, [&](FaceId f, std::size_t corner) {
            v = mesh[f].verts[corner];
            sum += material_area(mesh, f) * double(1 + index(f));
            area += material_area(mesh, f);
        });
        EXPECT_NEAR(m[v](0, 0), sum / area, 1e-12);
    }
}

/// A square cut along u[0] = 0.5, its right half turned by `angle` in material space: what a seam
/// across a flat cloth is. World positions stay those of the square.
MeshInput cut_square(int cells, double angle)
{
    MeshInput m = zoo::grid(cells, cells);
    MeshInput out = m;
    std::vector<std::uint32_t> copy(m.material_u.size());
    const double c = std::cos(angle), s = std::sin(angle);
    for (std::uint32_t i = 0; i < copy.size(); ++i) {
        copy[i] = i;
        const Vec2 u = m.material_u[i];
        if (u[0] < 0.5 - 1e-9) continue;
        const Vec2 moved{2 + c * u[0] - s * u[1], s * u[0] + c * u[1]};
        if (u[0] < 0.5 + 1e-9) { // on the seam: one point more
            copy[i] = std::uint32_t(out.material_u.size());
            out.material_u.push_back(moved);
        } else {
            out.material_u[i] = moved;
        }
    }
    for (auto& f : out.face_points) {
        double centre = 0;
        for (std::uint32_t p : f) centre += m.material_u[p][0] / 3;
        if (centre > 0.5)
            for (std::uint32_t& p : f) p = copy[p];
    }
    return out;
}

TEST(VertMetric, a_seam_makes_no_difference_on_flat_cloth)
{
    const double angle = 1.1;
    const MeshInput plain_input = zoo::grid(6, 6), cut_input = cut_square(6, angle);
    const Mesh plain = build_mesh(plain_input), cut = build_mesh(cut_input);
    const auto field = [](const Vec3& p) {
        return test::tensor(2 * p[0] + p[1], 0.2 + p[1], 0.05);
    };
    const auto face_field = [&](const Mesh& mesh, const MeshInput& input) {
        Field<FaceId, Mat2> f(mesh.face_count(), FieldRule::reset);
        for (FaceId i : mesh.faces()) {
            Vec3 centre{};
            for (NodeId n : mesh.nodes_of(i)) centre += input.node_x[index(n)] / 3.0;
            f[i] = field(centre);
        }
        return f;
    };
    const auto turned = [](const Mat2& m, double a) {
        const Mat2 r{{std::cos(a), -std::sin(a), std::sin(a), std::cos(a)}};
        return r * m * transpose(r);
    };
    Field<FaceId, Mat2> in_cut = face_field(cut, cut_input);
    for (FaceId f : cut.faces())
        if (cut.u(cut[f].verts[0])[0] > 1) in_cut[f] = turned(in_cut[f], angle); // right half
    const MetricField a = vert_metric(plain, face_field(plain, plain_input));
    const MetricField b = vert_metric(cut, in_cut);
    // Nodes have the same numbers in both.
    std::vector<Mat2> by_node(plain.node_count());
    for (VertId v : plain.verts()) by_node[index(plain.node(v))] = a[v];
    for (VertId v : cut.verts()) {
        const bool right = cut.u(v)[0] > 1;
        const Mat2 expected = turned(by_node[index(cut.node(v))], right ? angle : 0);
        EXPECT_LT(difference(b[v], expected), 1e-9 * (expected(0, 0) + expected(1, 1)));
    }
}

TEST(VertMetric, keeps_eigenvalues_where_faces_agree_around_a_cone)
{
    // At the tip of a dart angles do not sum to 2 pi. An isotropic field stays what it is.
    const Mesh mesh = build_mesh(zoo::dart(3, 8));
    Field<FaceId, Mat2> face(mesh.face_count(), FieldRule::reset, identity<2>() * 7.0);
    const MetricField m = vert_metric(mesh, face);
    for (VertId v : mesh.verts()) EXPECT_LT(difference(m[v], identity<2>() * 7.0), 1e-12);
}

} // namespace
} // namespace pleat
