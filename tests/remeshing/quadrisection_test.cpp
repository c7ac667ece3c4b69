// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// The remesher by quadrisection and its criterion.
#include "pleat/remeshing/quadrisection.hpp"

#include "pleat/energies/elastic_batch.hpp"
#include "pleat/mesh/validate.hpp"
#include "pleat/remeshing/anisotropic.hpp"
#include "pleat/remeshing/node_normals.hpp"
#include "pleat/remeshing/quadrisection_edits.hpp"
#include "pleat/remeshing/sizing_curvature.hpp"
#include "pleat/remeshing/sizing_dihedral.hpp"

#include "mesh/zoo.hpp"
#include "sim/model_of.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

namespace pleat {
namespace {

using testing::IsEmpty;

QuadrisectionOptions options_of(std::shared_ptr<const SizingMetric> metric, int levels = 3)
{
    QuadrisectionOptions o;
    o.sizing = {QuadrisectionSizing{{{"metric", std::move(metric)}}, levels, 0.5}};
    return o;
}

Simulation sheet(int cells, const std::function<Vec3(const Vec2&)>& place)
{
    Simulation sim = simulation_of(zoo::grid(cells, cells));
    for (Vec3& x : sim.state.x) x = place({x[0], x[1]});
    return sim;
}

/// Puts every free node on a surface, as a simulation does that has settled.
void place(Simulation& sim, const std::function<Vec3(const Vec2&)>& at)
{
    const Mesh& mesh = sim.model.mesh;
    for (VertId v : mesh.verts()) sim.state.x[mesh.node(v)] = at(mesh.u(v));
    follow(sim.model, sim.state);
}

std::vector<std::string> problems(const Simulation& sim)
{
    std::vector<std::string> found = validate(sim.model.mesh);
    const QuadHierarchy h(sim.model.mesh, sim.model.forest);
    if (!h.problem().empty()) found.push_back(h.problem());
    const auto p = find_problem(sim.model.dependencies, sim.model.mesh.node_count());
    if (!p.empty()) found.push_back(p);
    if (!follows(sim.model.dependencies, sim.state.x.span()) ||
        !follows(sim.model.dependencies, sim.state.v.span()))
        found.emplace_back("dependent nodes do not follow");
    return found;
}

// Two triangles that are folded by an angle a little above and below the limit.
TEST(SizingDihedral, splits_an_edge_whose_normals_have_a_smaller_product_than_the_limit)
{
    for (const double cosine : {0.9, 0.97, 0.999})
        for (const bool above : {false, true}) {
            const double angle = std::acos(cosine) * (above ? 1.01 : 0.99);
            Simulation sim = sheet(1, [&](const Vec2& u) {
                const double across = u[0] - u[1]; // from the diagonal
                return Vec3{u[0], u[1], across > 0 ? across / std::sqrt(2.0) * std::tan(angle) : 0};
            });
            RemesherQuadrisection remesher(
                options_of(std::make_shared<SizingDihedral>(cosine, cosine)));
            const RemeshReport r = remesher.remesh({}, 0, sim.model, sim.state);
            EXPECT_EQ(r.changed, above);
            EXPECT_EQ(sim.model.mesh.face_count(), above ? 8u : 2u);
            EXPECT_THAT(problems(sim), IsEmpty());
        }
}

TEST(RemesherQuadrisection, refines_a_fold_level_by_level_and_is_coarse_again_when_flat)
{
    RemesherQuadrisection remesher(options_of(std::make_shared<SizingDihedral>(0.9995, 0.99999)));
    Simulation sim = simulation_of(zoo::grid(6, 6));
    const Mesh before = sim.model.mesh;
    const auto bend = [&](double height) { // a ridge along y
        place(sim, [&](const Vec2& u) {
            return Vec3{u[0], u[1], height * std::exp(-std::pow((u[0] - 0.5) / 0.15, 2))};
        });
    };
    int highest = 0;
    std::size_t most = 0;
    for (int i = 0; i < 6; ++i) {
        bend(0.02);
        (void)remesher.remesh({}, 0, sim.model, sim.state);
        ASSERT_THAT(problems(sim), IsEmpty());
        for (int l : sim.model.face_level) highest = std::max(highest, l);
        most = std::max(most, sim.model.mesh.face_count());
    }
    EXPECT_GE(highest, 2);
    EXPECT_GT(most, 300u);
    EXPECT_FALSE(sim.model.dependencies.empty());
    bend(0);
    for (int i = 0; i < 6; ++i) (void)remesher.remesh({}, 0, sim.model, sim.state);
    EXPECT_EQ(sim.model.mesh.face_count(), before.face_count());
    EXPECT_TRUE(sim.model.dependencies.empty());
    EXPECT_TRUE(sim.model.forest.midpoints.empty());
    EXPECT_FALSE(remesher.remesh({}, 0, sim.model, sim.state).changed);
}

TEST(RemesherQuadrisection, settles_where_nothing_moves)
{
    RemesherQuadrisection remesher(options_of(std::make_shared<SizingDihedral>(0.99, 0.999)));
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

TEST(RemesherQuadrisection, can_be_driven_by_the_metric_of_narain)
{
    Simulation sim = sheet(6, [](const Vec2& u) {
        return Vec3{u[0], u[1], 0.04 * std::exp(-std::pow((u[0] - 0.5) / 0.2, 2))};
    });
    RemesherQuadrisection remesher(options_of(std::make_shared<SizingCurvature>(0.1)));
    for (int i = 0; i < 4; ++i) {
        (void)remesher.remesh({}, 0, sim.model, sim.state);
        ASSERT_THAT(problems(sim), IsEmpty());
    }
    EXPECT_GT(sim.model.mesh.face_count(), 100u);
    place(sim, [](const Vec2& u) { return Vec3{u[0], u[1], 0}; });
    for (int i = 0; i < 5; ++i) (void)remesher.remesh({}, 0, sim.model, sim.state);
    EXPECT_EQ(sim.model.mesh.face_count(), 72u);
}

/// Edges of a given length everywhere.
class SizingEven final : public SizingMetric {
public:
    explicit SizingEven(double length) : length_(length) {}
    void ask(const SizingInput& in, Field<FaceId, Mat2>& asked) const override
    {
        for (FaceId f : in.faces) asked[f] = identity<2>() * (1 / (length_ * length_));
    }

private:
    double length_;
};

TEST(RemesherQuadrisection, splits_edges_that_are_longer_than_1_in_the_metric)
{
    // Edges of 1/4, and diagonals of 0.354: the diagonals alone are too long at first.
    Simulation sim = simulation_of(zoo::grid(4, 4));
    RemesherQuadrisection remesher(options_of(std::make_shared<SizingEven>(0.3)));
    (void)remesher.remesh({}, 0, sim.model, sim.state);
    const QuadHierarchy h(sim.model.mesh, sim.model.forest);
    for (QuadEdgeId id : h.edges()) {
        if (h[id].level > 0) continue;
        const auto& v = h[id].verts[0];
        const double length = norm(sim.model.mesh.u(v[1]) - sim.model.mesh.u(v[0]));
        EXPECT_EQ(h[id].is_split, length > 0.3);
    }
    (void)remesher.remesh({}, 0, sim.model, sim.state);
    EXPECT_FALSE(remesher.remesh({}, 0, sim.model, sim.state).changed);
}

TEST(RemesherQuadrisection, anisotropic_can_be_driven_by_dihedral_angles)
{
    AnisotropicOptions o;
    o.sizing = {
        ClothSizing{{0.02, 0.2, 1}, {{"dihedral", std::make_shared<SizingDihedral>(0.99, 0.999)}}}};
    RemesherAnisotropic remesher(o);
    Simulation sim = sheet(10, [](const Vec2& u) {
        return Vec3{u[0], u[1], 0.05 * std::exp(-std::pow((u[0] - 0.5) / 0.15, 2))};
    });
    for (int i = 0; i < 4; ++i) (void)remesher.remesh({}, 0, sim.model, sim.state);
    EXPECT_GT(sim.model.mesh.face_count(), 200u);
}

TEST(RemesherQuadrisection, takes_a_mesh_that_another_remesher_edited_as_the_beginning)
{
    const auto metric = std::make_shared<SizingDihedral>(0.99, 0.999);
    Simulation sim = sheet(6, [](const Vec2& u) {
        return Vec3{u[0], u[1], 0.03 * std::sin(9 * u[0])};
    });
    (void)RemesherQuadrisection(options_of(metric)).remesh({}, 0, sim.model, sim.state);
    ASSERT_FALSE(sim.model.forest.midpoints.empty());
    AnisotropicOptions o;
    o.sizing = {cloth_sizing(SizingOptions{})};
    sim.model.dependencies = {}; // another remesher keeps dependent nodes; here it need not
    update_derived(sim.model);
    (void)RemesherAnisotropic(o).remesh({}, 0, sim.model, sim.state);
    RemesherQuadrisection again(options_of(metric));
    for (int i = 0; i < 3; ++i) {
        (void)again.remesh({}, 0, sim.model, sim.state);
        ASSERT_THAT(problems(sim), IsEmpty());
    }
}

TEST(RemesherQuadrisection, conserves_mass_and_momentum_of_a_sheet_in_motion)
{
    RemesherQuadrisection remesher(options_of(std::make_shared<SizingDihedral>(0.995, 0.9999)));
    Simulation sim = simulation_of(zoo::grid(6, 6));
    for (NodeId n : sim.model.mesh.nodes())
        sim.state.v[n] = {0.3, std::sin(5 * sim.state.x[n][0]), 1};
    const double mass = total_mass(sim.model);
    bool has_split = false, has_joined = false;
    for (int i = 0; i < 12; ++i) {
        const double height = i < 5 ? 0.02 : 0;
        const auto ridge = [&](const Vec2& u) {
            return height * std::exp(-std::pow((u[0] - 0.5) / 0.15, 2));
        };
        const Mesh& mesh = sim.model.mesh;
        for (VertId v : mesh.verts()) sim.state.x[mesh.node(v)][2] = ridge(mesh.u(v));
        for (NodeId n : mesh.nodes()) // nodes move on their own
            sim.state.v[n][2] += 0.2 * std::sin(31 * sim.state.x[n][0] + 17 * sim.state.x[n][1]);
        follow(sim.model, sim.state);
        const std::size_t faces = mesh.face_count();
        const RemeshReport r = remesher.remesh({}, 0, sim.model, sim.state);
        has_split = has_split || sim.model.mesh.face_count() > faces;
        has_joined = has_joined || sim.model.mesh.face_count() < faces;
        EXPECT_LT(norm(r.momentum_change), 1e-12 * mass);
        EXPECT_NEAR(total_mass(sim.model), mass, 1e-12 * mass);
        ASSERT_THAT(problems(sim), IsEmpty());
    }
    EXPECT_TRUE(has_split && has_joined);
}

TEST(RemesherQuadrisection, refinement_of_stretched_cloth_changes_no_energy)
{
    Simulation sim = sheet(5, [](const Vec2& u) {
        return Vec3{1.05 * u[0] + 0.02 * u[1], 0.97 * u[1], 0};
    });
    const double before = elastic_energy(sim.model, sim.state);
    RemesherQuadrisection remesher(options_of(std::make_shared<SizingEven>(0.01)));
    for (int i = 0; i < 3; ++i) {
        const RemeshReport r = remesher.remesh({}, 0, sim.model, sim.state);
        EXPECT_TRUE(r.changed);
        EXPECT_NEAR(r.elastic_change, 0, 1e-9 * before);
        EXPECT_NEAR(norm(r.momentum_change), 0, 1e-15);
    }
    EXPECT_EQ(sim.model.mesh.face_count(), 50u * 64);
}

} // namespace
} // namespace pleat
