// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// A mesh that was divided into four twice, with all its finer nodes as T-vertices, moves exactly as
// the mesh that it was made from ([Wang2002] sec. 7); and what division does to the energy of each
// law ([Wang2002] sec. 4.1).
#include "pleat/energies/elastic_batch.hpp"
#include "pleat/model/shapes.hpp"
#include "pleat/remeshing/quadrisection_edits.hpp"
#include "pleat/scene/part_tables.hpp"
#include "pleat/sim/adapt.hpp"
#include "pleat/sim/audit.hpp"
#include "pleat/sim/frames.hpp"
#include "pleat/sim/step.hpp"

#include "mesh/zoo.hpp"
#include "sim/model_of.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

namespace pleat {
namespace {

constexpr double dt = 0.005;

/// The fabric of the paper: stretch, shear and bend conditions, each with its damping.
Material paper_fabric()
{
    Material m;
    m.name = "paper";
    m.density = 0.2;
    m.membrane = MembraneBaraffWitkin{100, 100, 20, 1, 1, 0.1, 0.05};
    m.bending = BendingBaraffWitkin{2e-3, 1e-5};
    return m;
}

/// Divides every face into four, so many times. \param nodes_stay_free false: all new nodes are
/// T-vertices
void quadrisect(Simulation& sim, int levels, bool nodes_stay_free)
{
    Model& model = sim.model;
    FieldSet fields(FieldUndo::none);
    add_fields(fields, model);
    add_fields(fields, sim.state);
    MeshEditor editor(model.mesh, sim.state.x, fields, {});
    QuadrisectionEdits edits(editor, QuadHierarchy(model.mesh, forest_of(model.mesh)),
                             model.face_level, sim.state.v, [](FaceId) { return 1.0; },
                             {std::vector<int>(model.mesh.panel_count(), levels),
                              std::vector<int>(model.mesh.panel_count(), 0)});
    for (int level = 0; level < levels; ++level)
        for (QuadEdgeId e : edits.hierarchy().edges())
            if (edits.hierarchy()[e].level == level) edits.split(e);
    const QuadHierarchy& h = edits.hierarchy();
    std::vector<Dependency> list;
    for (QuadEdgeId e : h.edges())
        if (!nodes_stay_free && h[e].has_middle())
            list.push_back(
                {index(h[e].middle), {{index(h[e].nodes[0]), 0.5}, {index(h[e].nodes[1]), 0.5}}});
    model.dependencies = make_dependencies(model.mesh.node_count(), list);
    editor.finish();
    update_derived(model);
    follow(model, sim.state);
    sim.state.anchor.values = sim.state.x.values;
}

/// A coarse sheet, and the same one divided twice whose finer nodes are T-vertices.
struct Twins {
    Simulation coarse, fine;
    std::vector<std::pair<NodeId, NodeId>> same; // coarse, fine

    Twins(const MeshInput& input, const Material& material,
          const std::function<Vec3(const Vec3&)>& place)
    {
        coarse = simulation_of(input);
        coarse.model.materials = {material};
        update_derived(coarse.model);
        for (NodeId n : coarse.model.mesh.nodes()) {
            Vec3& x = coarse.state.x[n];
            if (x[0] < 1e-9) coarse.model.node_handles[n] = 1;
            x = place(x);
            coarse.state.v[n] = {0.2, 0.1 * x[1], 0.3};
        }
        coarse.state.anchor = coarse.state.x;
        fine = coarse;
        const Field<NodeId, Vec3> mark = fine.state.x;
        quadrisect(fine, 2, false);
        for (NodeId n : coarse.model.mesh.nodes())
            for (NodeId m : fine.model.mesh.nodes())
                if (!fine.model.dependencies.depends(index(m)) && fine.state.x[m] == mark[n])
                    same.emplace_back(n, m);
    }
    [[nodiscard]] double difference() const
    {
        double most = 0;
        for (const auto& [n, m] : same)
            most = std::max(most, norm(coarse.state.x[n] - fine.state.x[m]));
        return most;
    }
};

Vec3 wavy(const Vec3& x)
{
    return {1.02 * x[0], x[1], 0.03 * std::sin(9 * x[0] + 5 * x[1])};
}

std::vector<SolverDescription> solvers()
{
    std::vector<SolverDescription> all;
    for (const std::string& integrator : integrator_types()) {
        SolverDescription d;
        d.integrator = integrator;
        d.tolerance = 1e-11;
        if (is_explicit(d))
            all.push_back(d);
        else
            for (int iterations : {1, 4}) {
                d.newton_iterations = iterations;
                all.push_back(d);
            }
    }
    return all;
}

TEST(Quadrisection, divided_sheet_of_t_vertices_moves_as_the_coarse_one_with_bending)
{
    for (const MeshInput& input : {zoo::grid(4, 4, 0.4, 0.4), zoo::two_panels(3)})
        for (const SolverDescription& d : solvers()) {
            Twins t(input, paper_fabric(), wavy);
            ASSERT_EQ(t.same.size(), t.coarse.model.mesh.node_count());
            ASSERT_EQ(t.fine.model.mesh.face_count(), 16 * t.coarse.model.mesh.face_count());
            World world;
            world.gravity = {0, 0, -9.8};
            world.handles.resize(1);
            Pipeline a, b;
            a.integrator = make_integrator(d);
            b.integrator = make_integrator(d);
            const Field<NodeId, Vec3> start = t.coarse.state.x;
            for (int i = 0; i < 20; ++i) {
                ASSERT_TRUE(advance(world, a, t.coarse, dt).ok) << d.integrator;
                ASSERT_TRUE(advance(world, b, t.fine, dt).ok) << d.integrator;
            }
            double moved = 0;
            for (NodeId n : t.coarse.model.mesh.nodes())
                moved = std::max(moved, norm(t.coarse.state.x[n] - start[n]));
            EXPECT_GT(moved, 0.02);
            EXPECT_LT(t.difference(), 1e-7) << d.integrator << " " << d.newton_iterations;
        }
}

TEST(Quadrisection, divided_sheet_of_t_vertices_moves_as_the_coarse_one_with_strain_limits)
{
    for (const std::string integrator : {"backward_euler", "mixed_explicit_implicit"}) {
        Material m = paper_fabric();
        m.strain_limits = StrainLimits{-0.05, 0.01};
        Twins t(zoo::grid(4, 4, 0.4, 0.4), m, wavy);
        World world;
        world.gravity = {0, 0, -9.8};
        world.handles.resize(1);
        SolverDescription d;
        d.integrator = integrator;
        d.tolerance = 1e-11;
        StrainLimitingDescription limiting;
        limiting.tolerance = 1e-6;
        Pipeline a, b;
        for (Pipeline* p : {&a, &b}) {
            p->integrator = make_integrator(d);
            p->strain_limiter = make_strain_limiter(limiting);
        }
        for (int i = 0; i < 10; ++i) {
            ASSERT_TRUE(advance(world, a, t.coarse, dt).ok);
            ASSERT_TRUE(advance(world, b, t.fine, dt).ok);
        }
        // Limiters end near the same minimum, not at the same one: 0.3 mm apart after ten steps.
        EXPECT_LT(t.difference(), 1e-3) << integrator;
    }
}

// One edge is held, the other comes down to a floor.
TEST(Quadrisection, divided_sheet_of_t_vertices_moves_as_the_coarse_one_on_a_contact)
{
    for (const std::string integrator : {"backward_euler", "mixed_explicit_implicit"}) {
        Twins t(zoo::grid(4, 4, 0.4, 0.4), paper_fabric(), [](const Vec3& x) {
            return Vec3{x[0], x[1], 0};
        });
        for (Simulation* s : {&t.coarse, &t.fine})
            for (Vec3& v : s->state.v) v = {};
        World world;
        world.gravity = {0, 0, -9.8};
        world.handles.resize(1);
        const Vec3 corner = t.coarse.state.x.values.back();
        world.obstacles.push_back(
            make_half_space("floor", corner - Vec3{0, 0, 0.06}, {0, 0, 1}, 4));
        SolverDescription d;
        d.integrator = integrator;
        d.tolerance = 1e-10;
        ContactDescription c;
        Pipeline a, b;
        for (Pipeline* p : {&a, &b}) {
            p->integrator = make_integrator(d);
            p->contact_finder = make_contact_finder(c, d);
            p->impact_resolver = make_impact_resolver(c, d);
        }
        double lowest = 0;
        for (int i = 0; i < 40; ++i) {
            ASSERT_TRUE(advance(world, a, t.coarse, dt).ok);
            ASSERT_TRUE(advance(world, b, t.fine, dt).ok);
            for (const Vec3& x : t.fine.state.x) lowest = std::min(lowest, x[2]);
        }
        EXPECT_LT(lowest, -0.05) << integrator << ": it has come down";
        EXPECT_GT(lowest, -0.06) << integrator;
        // Contacts of T-vertices are there in the fine sheet only: the sheets differ by less than
        // the thickness (5 mm).
        EXPECT_LT(t.difference(), c.thickness) << integrator;
    }
}

// --- energy -------------------------------------------------------------------------------------

/// Energy of a crumpled sheet after each division, relative to that before.
double energy_ratio(const Material& material)
{
    Simulation sim = simulation_of(zoo::grid(3, 3));
    sim.model.materials = {material};
    update_derived(sim.model);
    for (Vec3& x : sim.state.x)
        x += Vec3{0.02 * std::sin(7 * x[1]), 0.03 * std::cos(5 * x[0]),
                  0.05 * std::sin(9 * x[0] + 4 * x[1])};
    const double before = elastic_energy(sim.model, sim.state);
    quadrisect(sim, 1, true);
    const double once = elastic_energy(sim.model, sim.state);
    quadrisect(sim, 1, true);
    const double twice = elastic_energy(sim.model, sim.state);
    EXPECT_NEAR(twice / once, once / before, 0.35 * once / before);
    return once / before;
}

TEST(Quadrisection, division_keeps_the_energy_of_every_membrane_law)
{
    std::map<std::string, MembraneLaw> laws;
    laws["baraff_witkin"] = MembraneBaraffWitkin{100, 120, 20, 1, 1};
    for (const auto& name : {"11oz-black-denim", "gray-interlock"})
        laws[name] = fabric(name).membrane;
    laws["isotropic_sheet"] = MembraneIsotropicSheet{1e-3, 1e5, 0.3};
    laws["orthotropic"] = MembraneOrthotropic{1000, 800, 300, 0.3, 0.24};
    for (const auto& [name, law] : laws) {
        Material m = paper_fabric();
        m.membrane = law;
        m.bending = BendingBaraffWitkin{0};
        EXPECT_NEAR(energy_ratio(m), 1, 1e-12) << name;
    }
}

Material bending_only(const BendingLaw& law)
{
    Material m = paper_fabric();
    m.membrane = MembraneBaraffWitkin{0, 0, 0, 1, 1};
    m.bending = law;
    return m;
}

// With the angle as the condition, per length of edge, a crease keeps its energy when its edge is
// cut in two: the 2^-level of the paper. The other laws are rigidities: the same angle at edges of
// half the distance is twice the curvature over half the width, and twice the energy.
TEST(Quadrisection, division_keeps_the_bending_energy_of_the_paper_and_doubles_that_of_rigidities)
{
    EXPECT_NEAR(energy_ratio(bending_only(BendingBaraffWitkin{1})), 1, 1e-12);
    EXPECT_NEAR(energy_ratio(bending_only(BendingHinge{1})), 2, 1e-9);
    EXPECT_NEAR(energy_ratio(bending_only(BendingIsometric{1})), 2, 1e-9);
    BendingMeasured flat;
    for (auto& row : flat.stiffness) row.fill(1);
    EXPECT_NEAR(energy_ratio(bending_only(flat)), 2, 1e-9);
    const double plate = energy_ratio(bending_only(BendingPlate{1, 1, 0.3, 0.35}));
    EXPECT_GT(plate, 1.2);
    EXPECT_LT(plate, 3);
}

} // namespace
} // namespace pleat
