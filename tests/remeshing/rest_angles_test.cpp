// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Rest angles through many remeshes of every kind of mesh: marked folds stay on their edges, and
// edges of a rest surface have its angles however the mesh came about.
#include "pleat/remeshing/rest_angles.hpp"

#include "pleat/geometry/dihedral.hpp"
#include "pleat/mesh/measures.hpp"
#include "pleat/mesh/validate.hpp"
#include "pleat/remeshing/anisotropic.hpp"
#include "pleat/remeshing/metric.hpp"

#include "mesh/zoo.hpp"
#include "sim/model_of.hpp"
#include "subject.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <memory>
#include <numbers>
#include <random>

namespace pleat {
namespace {

using testing::IsEmpty;

constexpr int remeshes = 1000; // over all meshes of the zoo

/// Sizes that change from place to place and from call to call.
MetricField random_metric(const Mesh& mesh, std::mt19937& random)
{
    std::uniform_real_distribution<double> angle(0, std::numbers::pi), size(0.08, 0.5),
        share(0.3, 1);
    const double turn = angle(random), first = size(random), second = size(random);
    const double aspect = share(random);
    MetricField metric(mesh.vert_count(), FieldRule::interpolate);
    for (VertId v : mesh.verts()) {
        const double t = 0.5 + 0.5 * std::sin(3 * mesh.u(v)[0] + 2 * mesh.u(v)[1] + turn);
        const double length = (1 - t) * first + t * second;
        metric[v] = test::tensor(turn, length, aspect * length);
    }
    return metric;
}

RemeshReport remesh_at_random(Simulation& sim, std::mt19937& random)
{
    EditOptions options;
    options.crossings = CrossingStrategy::none;
    return remesh_model(sim.model, sim.state, {}, 0, random_metric(sim.model.mesh, random), {},
                        options);
}

/// A marked edge of the mesh before any edit, as one of its sides lies in material space.
struct Fold {
    PanelId panel;
    Vec2 a, b;
    double angle;
    double covered = 0; // length of the edges that lie on it [m]
};

double distance(const Vec2& p, const Vec2& a, const Vec2& b)
{
    const double t = std::clamp(dot(p - a, b - a) / norm2(b - a), 0.0, 1.0);
    return norm(p - ((1 - t) * a + t * b));
}

TEST(RestAngles, marked_folds_stay_where_they_are_through_a_thousand_remeshes)
{
    std::mt19937 random(7);
    std::uniform_real_distribution<double> real(-1, 1);
    const auto zoo = zoo::animals();
    std::size_t splits = 0, flips = 0, collapses = 0;
    for (const zoo::Animal& animal : zoo) {
        SCOPED_TRACE(animal.name);
        MeshInput input = animal.input;
        {
            const Mesh mesh = build_mesh(input);
            for (EdgeId e : mesh.edges())
                if (!mesh.is_border(e) && random() % 12 == 0)
                    input.edge_marks.push_back(
                        {index(mesh[e].nodes[0]), index(mesh[e].nodes[1]), 2 * real(random)});
        }
        Simulation sim = simulation_of(input);
        std::vector<Fold> folds;
        double total = 0;
        for (const MeshInput::EdgeMark& mark : input.edge_marks) {
            const Mesh& mesh = sim.model.mesh;
            const EdgeId e = mesh.find_edge(NodeId{mark.node_a}, NodeId{mark.node_b});
            sim.model.rest_angle[e] = *mark.rest_angle;
            for (std::size_t side = 0; side < 2; ++side) {
                const auto v = mesh.verts_of(e, side);
                folds.push_back({mesh.panel(mesh[e].faces[side]), mesh.u(v[0]), mesh.u(v[1]),
                                 *mark.rest_angle});
                total += *mark.rest_angle * norm(mesh.u(v[1]) - mesh.u(v[0]));
            }
        }
        for (std::size_t i = 0; i < remeshes / zoo.size() + 1; ++i) {
            const RemeshReport r = remesh_at_random(sim, random);
            splits += r.splits;
            flips += r.flips;
            collapses += r.collapses;
            if (i % 10 != 0) continue;

            const Mesh& mesh = sim.model.mesh;
            ASSERT_THAT(validate(mesh), IsEmpty());
            for (Fold& f : folds) f.covered = 0;
            double now = 0;
            for (EdgeId e : mesh.edges()) {
                const double angle = sim.model.rest_angle[e];
                if (angle == 0) continue;
                for (std::size_t side = 0; side < 2; ++side) {
                    const auto v = mesh.verts_of(e, side);
                    const Vec2 a = mesh.u(v[0]), b = mesh.u(v[1]);
                    now += angle * norm(b - a);
                    int found = 0;
                    for (Fold& f : folds)
                        if (f.panel == mesh.panel(mesh[e].faces[side]) && f.angle == angle &&
                            distance(a, f.a, f.b) < 1e-9 && distance(b, f.a, f.b) < 1e-9) {
                            // Not the other side of the same edge, where it is no seam.
                            if (found++ > 0 && !mesh.is_seam(e)) continue;
                            f.covered += norm(b - a);
                        }
                    ASSERT_GT(found, 0) << "a fold of " << angle << " where none was marked";
                }
            }
            EXPECT_NEAR(now, total, 1e-9);
        }
        double covered = 0, marked = 0;
        for (const Fold& f : folds) {
            covered += f.covered;
            marked += norm(f.b - f.a);
        }
        EXPECT_NEAR(covered, marked, 1e-9);
    }
    EXPECT_GT(splits, 10000u);
    EXPECT_GT(flips, 3000u);
    EXPECT_GT(collapses, 5000u);
    RecordProperty("splits", std::to_string(splits));
    RecordProperty("flips", std::to_string(flips));
    RecordProperty("collapses", std::to_string(collapses));
}

/// Where a material point of a panel is on a surface: the face that it is deepest in.
Vec3 slow_position(const RestSurface& s, PanelId panel, const Vec2& u)
{
    double best = -std::numeric_limits<double>::infinity();
    Vec3 x{};
    for (FaceId f : s.mesh.faces()) {
        if (s.mesh.panel(f) != panel) continue;
        const auto& v = s.mesh[f].verts;
        const Vec2 a = s.mesh.u(v[0]), b = s.mesh.u(v[1]), c = s.mesh.u(v[2]);
        const double area = signed_area(a, b, c);
        const double wa = signed_area(u, b, c) / area, wb = signed_area(a, u, c) / area;
        const double wc = 1 - wa - wb;
        if (std::min({wa, wb, wc}) <= best) continue;
        best = std::min({wa, wb, wc});
        x = wa * s.x[s.mesh.node(v[0])] + wb * s.x[s.mesh.node(v[1])] + wc * s.x[s.mesh.node(v[2])];
    }
    return x;
}

/// The largest difference between the angles of a model and those of its rest surface [rad].
double worst_difference(const Model& model)
{
    const Mesh& mesh = model.mesh;
    Field<NodeId, Vec3> x(mesh.node_count(), FieldRule::reset);
    for (FaceId f : mesh.faces())
        for (VertId v : mesh[f].verts)
            x[mesh.node(v)] = slow_position(*model.rest_surface, mesh.panel(f), mesh.u(v));
    double worst = 0;
    for (EdgeId e : mesh.edges()) {
        double angle = 0;
        if (!mesh.is_border(e))
            angle = dihedral_angle(x[mesh[e].nodes[0]], x[mesh[e].nodes[1]],
                                   x[mesh.node(mesh.opposite_vert(e, 0))],
                                   x[mesh.node(mesh.opposite_vert(e, 1))]);
        const double off = std::remainder(model.rest_angle[e] - angle, 2 * std::numbers::pi);
        worst = std::max(worst, std::abs(off));
    }
    return worst;
}

/// Makes positions of the mesh as it is the shape that its cloth bends back to.
void set_rest_surface(Model& model, const std::vector<Vec3>& x)
{
    RestSurface s;
    s.mesh = model.mesh;
    s.x.values = x;
    s.is_of_cloth = {true};
    for (EdgeId e : model.mesh.edges()) model.rest_angle[e] = angle_of(s, e);
    model.rest_surface = std::make_shared<RestSurface>(std::move(s));
}

TEST(RestAngles, are_those_of_the_rest_surface_through_a_thousand_remeshes)
{
    std::mt19937 random(11);
    const auto zoo = zoo::animals();
    std::size_t flips = 0, collapses = 0;
    double worst = 0;
    for (const zoo::Animal& animal : zoo) {
        SCOPED_TRACE(animal.name);
        Simulation sim = simulation_of(animal.input);
        std::vector<Vec3> rest = animal.input.node_x;
        for (Vec3& x : rest)
            x += Vec3{0, 0.05 * std::sin(4 * x[2]), 0.1 * std::sin(5 * x[0] + 2 * x[1])};
        set_rest_surface(sim.model, rest);
        for (std::size_t i = 0; i < remeshes / zoo.size() + 1; ++i) {
            const RemeshReport r = remesh_at_random(sim, random);
            flips += r.flips;
            collapses += r.collapses;
            if (i % 10 == 0) worst = std::max(worst, worst_difference(sim.model));
        }
        EXPECT_LT(worst_difference(sim.model), 1e-6);
    }
    EXPECT_LT(worst, 1e-6);
    EXPECT_GT(flips, 3000u);
    EXPECT_GT(collapses, 5000u);
    RecordProperty("worst", std::to_string(worst));
}

/// Sum over edges of angle times length: twice the integral of the mean curvature.
double total_fold(const Model& model)
{
    double sum = 0;
    for (EdgeId e : model.mesh.edges()) {
        if (model.mesh.is_border(e)) continue;
        const auto v = model.mesh.verts_of(e, 0);
        sum += model.rest_angle[e] * norm(model.mesh.u(v[1]) - model.mesh.u(v[0]));
    }
    return sum;
}

TEST(RestAngles, of_a_half_cylinder_keep_their_total_when_flat_cloth_is_coarsened_and_refined)
{
    // The cloth lies flat, so that nothing asks for a fine mesh; it would be a half cylinder.
    Simulation sim = simulation_of(zoo::grid(48, 16, 1, 1));
    const double radius = 1 / std::numbers::pi;
    std::vector<Vec3> rest;
    for (const Vec3& x : sim.state.x)
        rest.push_back({-radius * std::cos(x[0] / radius), x[1], radius * std::sin(x[0] / radius)});
    set_rest_surface(sim.model, rest);
    const double whole = total_fold(sim.model); // pi, but for the half cells at the borders
    EXPECT_NEAR(whole, std::numbers::pi, 0.05 * std::numbers::pi);
    const std::size_t fine = sim.model.mesh.face_count();

    const auto remesh_to = [&](double length) {
        MetricField metric(sim.model.mesh.vert_count(), FieldRule::interpolate,
                           identity<2>() * (1 / (length * length)));
        (void)remesh_model(sim.model, sim.state, {}, 0, metric, {}, {});
    };
    remesh_to(0.25);
    EXPECT_LT(10 * sim.model.mesh.face_count(), fine);
    EXPECT_NEAR(total_fold(sim.model), whole, 0.15 * whole);
    remesh_to(0.03);
    EXPECT_GT(sim.model.mesh.face_count(), fine);
    EXPECT_NEAR(total_fold(sim.model), whole, 0.03 * whole);
}

} // namespace
} // namespace pleat
