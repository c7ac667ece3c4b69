// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// The remesher by root-3 subdivision and its criterion.
#include "pleat/remeshing/root3.hpp"

#include "pleat/energies/elastic_batch.hpp"
#include "pleat/mesh/validate.hpp"
#include "pleat/remeshing/anisotropic.hpp"
#include "pleat/remeshing/mean_curvature.hpp"
#include "pleat/remeshing/node_normals.hpp"
#include "pleat/remeshing/root3_edits.hpp"
#include "pleat/remeshing/sizing_curvature.hpp"
#include "pleat/remeshing/sizing_mean_curvature.hpp"

#include "mesh/zoo.hpp"
#include "sim/model_of.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numbers>

namespace pleat {
namespace {

using testing::IsEmpty;

Root3Options options_of(std::shared_ptr<const SizingMetric> metric, int generations = 6)
{
    Root3Options o;
    o.sizing = {Root3Sizing{{{"metric", std::move(metric)}}, generations, 0.5}};
    return o;
}

Simulation sheet(int cells, const std::function<Vec3(const Vec2&)>& place)
{
    Simulation sim = simulation_of(zoo::grid(cells, cells));
    for (Vec3& x : sim.state.x) x = place({x[0], x[1]});
    return sim;
}

/// Puts every node on a surface, as a simulation does that has settled.
void place(Simulation& sim, const std::function<Vec3(const Vec2&)>& at)
{
    const Mesh& mesh = sim.model.mesh;
    for (VertId v : mesh.verts()) sim.state.x[mesh.node(v)] = at(mesh.u(v));
}

Vec3 on_cylinder(const Vec2& u, double radius)
{
    return {radius * std::sin(u[0] / radius), u[1], radius * std::cos(u[0] / radius)};
}

TEST(MeanCurvature, of_a_sphere_is_one_over_its_radius)
{
    const double r = 2;
    for (const int cells : {20, 40}) {
        const Simulation sim = sheet(cells, [&](const Vec2& u) {
            const Vec2 p = u - Vec2{0.5, 0.5};
            return Vec3{p[0], p[1], std::sqrt(r * r - norm2(p))};
        });
        const Mesh& mesh = sim.model.mesh;
        const auto h = mean_curvatures(mesh, sim.state.x, node_normals(mesh, sim.state.x));
        for (NodeId n : mesh.nodes()) {
            if (mesh.kind(n) != NodeKind::interior) continue;
            EXPECT_NEAR(h[n] * r, 1, cells == 20 ? 0.08 : 0.04);
        }
    }
}

TEST(MeanCurvature, of_a_cylinder_is_half_of_one_over_its_radius_also_on_curved_outlines)
{
    const double r = 0.3;
    const Simulation sim = sheet(40, [&](const Vec2& u) { return on_cylinder(u, r); });
    const Mesh& mesh = sim.model.mesh;
    const auto h = mean_curvatures(mesh, sim.state.x, node_normals(mesh, sim.state.x));
    for (NodeId n : mesh.nodes()) {
        const double along = sim.state.anchor[n][0];
        if (along < 0.01 || along > 0.99) continue; // straight outlines, curved from one side only
        EXPECT_NEAR(h[n] * r, 0.5, 0.02);
    }
}

TEST(MeanCurvature, of_a_plane_is_zero_also_on_outlines_and_across_seams)
{
    for (const MeshInput& input : {zoo::grid(5, 5), zoo::two_panels(4), zoo::non_convex(4)}) {
        const Simulation sim = simulation_of(input);
        const Mesh& mesh = sim.model.mesh;
        const auto h = mean_curvatures(mesh, sim.state.x, node_normals(mesh, sim.state.x));
        for (NodeId n : mesh.nodes()) EXPECT_NEAR(h[n], 0, 1e-9);
    }
}

TEST(SizingMeanCurvature, refines_generation_g_above_its_limit_and_nothing_below)
{
    // A cylinder of mean curvature H, a little above and below l_g = g / 6 (l_max - l_base) +
    // l_base.
    const double base = 2, most = 8;
    for (const int g : {0, 2, 4}) {
        const double limit = base + g / 6.0 * (most - base);
        for (const bool above : {false, true}) {
            const double h = limit * (above ? 1.05 : 0.95);
            const double r = 0.5 / h;
            // Fine enough that the measured curvature is within 2 %, and only its middle is looked
            // at.
            Simulation sim = sheet(60, [&](const Vec2& u) { return on_cylinder(u, r); });
            std::fill(sim.model.face_generation.begin(), sim.model.face_generation.end(), g);
            const auto metric = std::make_shared<SizingMeanCurvature>(base, most);
            const Field<FaceId, double> longest = base_lengths(sim.model);
            const SizingBounds bounds{std::pow(3.0, -1.5), 1, 1};
            const FaceSizing s = face_sizing(sim.model, sim.state, {}, 0, {},
                                             {ClothSizing{bounds, {{"m", metric}}}}, &longest);
            for (FaceId f : sim.model.mesh.faces()) {
                bool is_inside = true;
                for (NodeId n : sim.model.mesh.nodes_of(f))
                    is_inside = is_inside && sim.model.mesh.kind(n) == NodeKind::interior;
                if (!is_inside) continue;
                const double length = 1 / std::sqrt(s.metric[f](0, 0));
                EXPECT_EQ(asked_generation(longest[f], length) > g + 1e-6, above)
                    << "generation " << g;
            }
        }
    }
}

TEST(RemesherRoot3, refines_a_fold_step_by_step_and_is_coarse_again_when_flat)
{
    const auto metric = std::make_shared<SizingMeanCurvature>(0.02, 0.3);
    RemesherRoot3 remesher(options_of(metric));
    Simulation sim = simulation_of(zoo::grid(6, 6));
    const Mesh before = sim.model.mesh;
    const auto bend = [&](double height) { // a ridge along y
        place(sim, [&](const Vec2& u) {
            return Vec3{u[0], u[1], height * std::exp(-std::pow((u[0] - 0.5) / 0.15, 2))};
        });
    };
    std::size_t most = 0;
    int highest = 0;
    for (int i = 0; i < 8; ++i) {
        bend(0.0025 * std::min(i, 4));
        (void)remesher.remesh({}, 0, sim.model, sim.state);
        ASSERT_THAT(validate(sim.model.mesh), IsEmpty());
        most = std::max(most, sim.model.mesh.face_count());
    }
    for (int g : sim.model.face_generation) highest = std::max(highest, g);
    EXPECT_EQ(highest, 6);
    EXPECT_GT(most, 200u);
    EXPECT_LT(most, 72u * 27);
    bend(0);
    for (int i = 0; i < 3; ++i) (void)remesher.remesh({}, 0, sim.model, sim.state);
    EXPECT_EQ(sim.model.mesh.face_count(), before.face_count());
    EXPECT_EQ(sim.model.mesh.node_count(), before.node_count());
    for (int g : sim.model.face_generation) EXPECT_EQ(g, 0);
    EXPECT_FALSE(remesher.remesh({}, 0, sim.model, sim.state).changed);
}

TEST(RemesherRoot3, settles_where_nothing_moves)
{
    const auto metric = std::make_shared<SizingMeanCurvature>(0.2, 4.0);
    RemesherRoot3 remesher(options_of(metric));
    Simulation sim = simulation_of(zoo::grid(8, 8));
    bool changed = true;
    for (int i = 0; i < 12 && changed; ++i) {
        place(sim, [](const Vec2& u) {
            return Vec3{u[0], u[1], 0.03 * std::sin(7 * u[0]) * std::cos(5 * u[1])};
        });
        changed = remesher.remesh({}, 0, sim.model, sim.state).changed;
    }
    EXPECT_FALSE(changed);
    EXPECT_GT(sim.model.mesh.face_count(), 128u);
}

TEST(RemesherRoot3, can_be_driven_by_the_metric_of_narain)
{
    RemesherRoot3 remesher(options_of(std::make_shared<SizingCurvature>(0.05)));
    Simulation sim = sheet(6, [](const Vec2& u) {
        return Vec3{u[0], u[1], 0.04 * std::exp(-std::pow((u[0] - 0.5) / 0.2, 2))};
    });
    for (int i = 0; i < 5; ++i) (void)remesher.remesh({}, 0, sim.model, sim.state);
    EXPECT_GT(sim.model.mesh.face_count(), 100u);
    const Root3Hierarchy h(sim.model.mesh, sim.model.face_generation, sim.model.node_generation,
                           sim.model.edge_unflipped);
    EXPECT_THAT(h.find_problems(), IsEmpty());
}

TEST(RemesherRoot3, anisotropic_can_be_driven_by_mean_curvature)
{
    AnisotropicOptions o;
    o.sizing = {ClothSizing{{0.02, 0.2, 1},
                            {{"mean_curvature", std::make_shared<SizingMeanCurvature>(0.5, 5.0)}}}};
    RemesherAnisotropic remesher(o);
    Simulation sim = sheet(10, [](const Vec2& u) {
        return Vec3{u[0], u[1], 0.05 * std::exp(-std::pow((u[0] - 0.5) / 0.15, 2))};
    });
    for (int i = 0; i < 4; ++i) (void)remesher.remesh({}, 0, sim.model, sim.state);
    double fold = 0, flat = 0; // mean area of faces
    std::size_t fold_count = 0, flat_count = 0;
    for (FaceId f : sim.model.mesh.faces()) {
        const double at = sim.state.x[sim.model.mesh.nodes_of(f)[0]][0];
        if (std::abs(at - 0.5) < 0.05) fold += sim.model.area[f], ++fold_count;
        if (std::abs(at - 0.5) > 0.4) flat += sim.model.area[f], ++flat_count;
    }
    EXPECT_LT(4 * fold / double(fold_count), flat / double(flat_count));
}

TEST(RemesherRoot3, takes_a_mesh_that_another_remesher_edited_as_the_beginning)
{
    const auto metric = std::make_shared<SizingMeanCurvature>(0.2, 4.0);
    const auto wave = [](const Vec2& u) { return Vec3{u[0], u[1], 0.03 * std::sin(9 * u[0])}; };
    Simulation sim = sheet(6, wave);
    (void)RemesherRoot3(options_of(metric)).remesh({}, 0, sim.model, sim.state);
    AnisotropicOptions o;
    o.sizing = {cloth_sizing(SizingOptions{})};
    (void)RemesherAnisotropic(o).remesh({}, 0, sim.model, sim.state);
    RemesherRoot3 again(options_of(metric));
    for (int i = 0; i < 3; ++i) (void)again.remesh({}, 0, sim.model, sim.state);
    ASSERT_THAT(validate(sim.model.mesh), IsEmpty());
    const Root3Hierarchy h(sim.model.mesh, sim.model.face_generation, sim.model.node_generation,
                           sim.model.edge_unflipped);
    EXPECT_THAT(h.find_problems(), IsEmpty());
}

TEST(RemesherRoot3, refinement_of_stretched_cloth_changes_no_membrane_energy_at_splits)
{
    // Flat, so that flips leave the surface in place too: elastic energy is what it was.
    Simulation sim = sheet(5, [](const Vec2& u) {
        return Vec3{1.05 * u[0] + 0.02 * u[1], 0.97 * u[1], 0};
    });
    const double before = elastic_energy(sim.model, sim.state);
    class SizingAll final : public SizingMetric {
    public:
        void ask(const SizingInput& in, Field<FaceId, Mat2>& asked) const override
        {
            for (FaceId f : in.faces) asked[f] = identity<2>() * 1e6;
        }
    };
    RemesherRoot3 remesher(options_of(std::make_shared<SizingAll>()));
    for (int i = 0; i < 3; ++i) {
        const RemeshReport r = remesher.remesh({}, 0, sim.model, sim.state);
        EXPECT_TRUE(r.changed);
        EXPECT_NEAR(r.elastic_change, 0, 1e-9 * before);
        EXPECT_NEAR(norm(r.momentum_change), 0, 1e-15);
    }
    EXPECT_EQ(sim.model.mesh.face_count(), 50u * 27);
}

} // namespace
} // namespace pleat
