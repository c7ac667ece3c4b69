// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Every part of every slot keeps dependent nodes where their parents say, and a fine mesh whose
// extra nodes depend on the coarse ones moves as the coarse mesh does ([Wang2002] sec. 5). The
// tests go through the tables of parts, so that a new row is tested by being a row.
#include "pleat/contact/audit.hpp"
#include "pleat/contact/impact_zones.hpp"
#include "pleat/contact/untangle.hpp"
#include "pleat/core/parallel.hpp"
#include "pleat/energies/elastic_batch.hpp"
#include "pleat/mesh/validate.hpp"
#include "pleat/model/obstacle_sample.hpp"
#include "pleat/model/shapes.hpp"
#include "pleat/remeshing/separate.hpp"
#include "pleat/remeshing/uniform.hpp"
#include "pleat/scene/part_tables.hpp"
#include "pleat/sim/adapt.hpp"
#include "pleat/sim/audit.hpp"
#include "pleat/sim/checkpoint.hpp"
#include "pleat/sim/frames.hpp"
#include "pleat/sim/step.hpp"
#include "pleat/strain_limiting/limited_mesh.hpp"
#include "sim/t_vertices.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

namespace pleat {
namespace {

using test::membrane_only;
using test::TVertices;

constexpr double dt = 0.005;

Vec3 flat(const Vec2& u)
{
    return {u[0], u[1], 0};
}

/// Every integrator with every linear solver and variant that it has, solved tightly.
std::vector<SolverDescription> solvers()
{
    std::vector<SolverDescription> all;
    for (const std::string& integrator : integrator_types()) {
        SolverDescription d;
        d.integrator = integrator;
        d.tolerance = 1e-11;
        if (is_explicit(d))
            for (const char* variant : {"monotone", "leapfrog_trapezoid"}) {
                d.variant = variant;
                all.push_back(d);
            }
        else
            for (const std::string& solver : linear_solver_types())
                for (int iterations : {1, 4}) {
                    d.linear_solver = solver;
                    d.newton_iterations = iterations;
                    all.push_back(d);
                }
    }
    return all;
}

std::string name_of(const SolverDescription& d)
{
    return d.integrator + " " + d.linear_solver + " " + d.variant + " " +
           std::to_string(d.newton_iterations);
}

TEST(Dependencies, mass_goes_to_the_parents_and_the_total_stays)
{
    const TVertices t(4, 3, 0.4, 0.3, membrane_only(), flat);
    EXPECT_NEAR(total_mass(t.fine.model), 0.2 * 0.4 * 0.3, 1e-15);
    for (NodeId n : t.coarse.model.mesh.nodes())
        EXPECT_NEAR(t.fine.model.mass[t.fine_of(n)], t.coarse.model.mass[n], 1e-15);
    for (NodeId n : t.fine.model.mesh.nodes())
        if (t.fine.model.dependencies.depends(index(n))) {
            EXPECT_EQ(t.fine.model.mass[n], 0);
        }
}

// The equations are the same (t_vertices.hpp), so that what is left is rounding, the tolerance of
// the linear solver (1e-11), and that of float, in which conjugate gradients work.
TEST(Dependencies, fine_sheet_moves_as_the_coarse_one_in_every_integrator)
{
    for (const SolverDescription& d : solvers()) {
        for (double damping : {0.0, 0.002}) {
            Material m = membrane_only();
            m.damping = damping;
            TVertices t(4, 4, 0.4, 0.4, m, [](const Vec2& u) {
                return Vec3{1.02 * u[0], u[1], 0.03 * std::sin(9 * u[0] + 5 * u[1])};
            });
            t.hold([](const Vec3& x) { return x[0] == 0; });
            for (NodeId n : t.coarse.model.mesh.nodes())
                t.coarse.state.v[n] = {0.2, 0.1 * t.coarse.state.x[n][1], 0.3};
            t.copy_to_fine();
            World world;
            world.gravity = {0, 0, -9.8};
            world.handles.resize(1);
            Pipeline a, b;
            a.integrator = make_integrator(d);
            b.integrator = make_integrator(d);
            const Vec3 corner = t.coarse.state.x.values.back();
            for (int i = 0; i < 20; ++i) {
                ASSERT_TRUE(advance(world, a, t.coarse, dt).ok) << name_of(d);
                ASSERT_TRUE(advance(world, b, t.fine, dt).ok) << name_of(d);
                ASSERT_TRUE(t.is_consistent()) << name_of(d) << ", step " << i;
            }
            EXPECT_GT(norm(t.coarse.state.x.values.back() - corner), 0.02) << name_of(d);
            EXPECT_LT(t.difference(), 1e-7) << name_of(d) << ", damping " << damping;
        }
    }
}

TEST(Dependencies, springs_and_forces_on_the_parents_move_both_sheets_alike)
{
    for (const SolverDescription& d : solvers()) {
        TVertices t(3, 3, 0.3, 0.3, membrane_only(), flat);
        t.hold([](const Vec3& x) { return x[1] == 0; });
        World world;
        world.gravity = {0, 0, -9.8};
        world.handles.resize(1);
        world.handles[0].stiffness = 20;
        Pipeline a, b;
        a.integrator = make_integrator(d);
        b.integrator = make_integrator(d);
        for (int i = 0; i < 20; ++i) {
            ASSERT_TRUE(advance(world, a, t.coarse, dt).ok);
            ASSERT_TRUE(advance(world, b, t.fine, dt).ok);
        }
        EXPECT_LT(t.difference(), 1e-7) << name_of(d);
    }
}

TEST(Dependencies, force_on_a_dependent_node_acts_on_its_parents)
{
    for (const SolverDescription& d : solvers()) {
        TVertices t(3, 3, 0.3, 0.3, membrane_only(), flat);
        Loads on_coarse, on_fine;
        on_coarse.force.resize(t.coarse.model.mesh.node_count());
        on_fine.force.resize(t.fine.model.mesh.node_count());
        on_fine.force[t.fine_at(3, 2)] = {0, 0, 0.02};
        on_coarse.force[t.coarse_at(1, 1)] = on_coarse.force[t.coarse_at(2, 1)] = {0, 0, 0.01};
        const auto a = make_integrator(d), b = make_integrator(d);
        State next;
        for (int i = 0; i < 10; ++i) {
            ASSERT_TRUE(a->advance(t.coarse.model, t.coarse.state, on_coarse, {}, dt, next).ok);
            t.coarse.state = next;
            ASSERT_TRUE(b->advance(t.fine.model, t.fine.state, on_fine, {}, dt, next).ok);
            t.fine.state = next;
        }
        EXPECT_GT(t.coarse.state.x.values[t.coarse_at(1, 1)][2], 1e-3) << name_of(d);
        EXPECT_LT(t.difference(), 1e-8) << name_of(d);
        EXPECT_TRUE(t.is_consistent()) << name_of(d);
    }
}

// Hinges along a crease that is cut in two count otherwise than the whole one: no comparison.
TEST(Dependencies, fabric_with_bending_hangs_quietly)
{
    for (const SolverDescription& d : solvers()) {
        Material m = fabric("gray-interlock");
        m.damping = 0.002;
        TVertices t(3, 3, 0.3, 0.3, m, [](const Vec2& u) {
            return Vec3{u[0], u[1], 0.01 * std::sin(9 * u[0])};
        });
        t.hold([](const Vec3& x) { return x[0] == 0; });
        World world;
        world.gravity = {0, 0, -9.8};
        world.handles.resize(1);
        Pipeline p;
        p.integrator = make_integrator(d);
        for (int i = 0; i < 20; ++i) {
            ASSERT_TRUE(advance(world, p, t.fine, dt).ok) << name_of(d);
            ASSERT_TRUE(t.is_consistent()) << name_of(d);
        }
        EXPECT_LT(kinetic_energy(t.fine.model, t.fine.state), 0.02) << name_of(d);
        const std::vector<ObjectMesh> meshes = object_meshes(world, t.fine);
        EXPECT_LT(audit(meshes, 0.0).max_stretch, 0.2) << name_of(d);
    }
}

// --- strain limits ------------------------------------------------------------------------------

/// Stretched and squeezed by a fifth, on the move.
TVertices strained(double limit)
{
    Material m = membrane_only();
    m.strain_limits = StrainLimits{-limit, limit};
    TVertices t(6, 6, 0.6, 0.6, m, [](const Vec2& u) {
        return Vec3{1.2 * u[0], 0.85 * u[1], 0.02 * std::sin(7 * u[0])};
    });
    for (NodeId n : t.coarse.model.mesh.nodes())
        t.coarse.state.v[n] = Vec3{0.3, -0.2, 1} + cross(Vec3{1, 2, 3}, t.coarse.state.x[n]);
    t.copy_to_fine();
    return t;
}

TEST(Dependencies, every_limiter_moves_the_parents_and_keeps_the_limits)
{
    for (const std::string& type : strain_limiter_types()) {
        if (type == "none") continue;
        for (bool held : {false, true}) {
            TVertices t = strained(0.05);
            Loads on_coarse, on_fine;
            if (held)
                for (int i = 0; i <= 6; ++i) {
                    const auto n = make_id<NodeId>(t.coarse_at(i, 0));
                    on_coarse.pins.push_back({n, t.coarse.state.x[n], {}});
                    on_fine.pins.push_back({t.fine_of(n), t.coarse.state.x[n], {}});
                    if (i > 0) break; // two nodes
                }
            StrainLimitingDescription d;
            d.type = type;
            d.iterations = 5000;
            const auto limiter = make_strain_limiter(d);
            const State before = t.fine.state;
            const Vec3 momentum = linear_momentum(t.fine.model, before);
            const LimitReport r = limiter->limit(t.fine.model, on_fine, {}, dt, t.fine.state);
            ASSERT_TRUE(r.ok) << type;
            EXPECT_GT(r.iterations, 0) << type;
            // Two nodes that are held too far apart leave an edge that nothing can shorten.
            if (!held) {
                EXPECT_LE(r.worst_violation, d.tolerance) << type;
            }
            EXPECT_TRUE(t.is_consistent()) << type;
            if (!held) {
                EXPECT_LT(norm(linear_momentum(t.fine.model, t.fine.state) - momentum),
                          1e-9 * norm(momentum))
                    << type;
            }
            for (const Pin& p : on_fine.pins) EXPECT_EQ(t.fine.state.x[p.node], before.x[p.node]);
            if (type == "edge_velocity") continue; // bounds edges only
            if (!held) {
                EXPECT_NEAR(check_limits(t.fine.model, t.fine.state.x.values).worst_violation,
                            r.worst_violation, 1e-7)
                    << type;
            }
        }
    }
}

/// What limiters minimise: the displacement, weighted with mass [kg m^2].
double moved(const Simulation& sim, const State& from)
{
    double sum = 0;
    for (NodeId n : sim.model.mesh.nodes())
        sum += sim.model.mass[n] * norm2(sim.state.x[n] - from.x[n]);
    return sum;
}

// Both sheets pose the same problem in the same unknowns. Newton's method meets the minimum to
// about its tolerance on the strain, 1e-4 of 0.6 m, times a few for directions that hardly strain.
// The augmented Lagrangian stops as soon as the strains are inside, on either sheet a few per cent
// from the minimum.
TEST(Dependencies, limiters_that_minimise_end_where_they_do_on_the_coarse_sheet)
{
    for (const std::string type : {"projected_newton", "augmented_lagrangian"}) {
        TVertices t = strained(0.05);
        StrainLimitingDescription d;
        d.type = type;
        d.tolerance = 1e-4;
        d.iterations = 5000;
        const State coarse = t.coarse.state, fine = t.fine.state;
        const auto limit = [&](Simulation& sim) {
            return make_strain_limiter(d)->limit(sim.model, {}, {}, dt, sim.state).worst_violation;
        };
        ASSERT_LE(limit(t.coarse), d.tolerance);
        ASSERT_LE(limit(t.fine), d.tolerance);
        const bool is_exact = type == "projected_newton";
        EXPECT_GT(moved(t.coarse, coarse), 5e-5) << type;
        EXPECT_NEAR(moved(t.fine, fine) / moved(t.coarse, coarse), 1, is_exact ? 1e-4 : 0.1)
            << type;
        if (is_exact) {
            EXPECT_LT(t.difference(), 1e-3);
        }
    }
}

TEST(Dependencies, limiter_keeps_the_gaps_of_dependent_nodes)
{
    TVertices t = strained(0.05);
    // A floor under a midpoint: what is pulled together must not go down through it.
    Contacts contacts;
    Proximity p;
    const auto node = make_id<NodeId>(t.fine_at(5, 6));
    p.nodes[0] = node;
    p.weights[0] = 1;
    p.normal = {0, 0, 1};
    p.anchor_t0 = p.anchor_t1 = {0, 0, 0.001 - t.fine.state.x[node][2]};
    p.thickness = p.firm = 0.001;
    contacts.proximities.push_back(p);
    const double height = t.fine.state.x[node][2];
    ASSERT_TRUE(make_strain_limiter({})->limit(t.fine.model, {}, contacts, dt, t.fine.state).ok);
    EXPECT_TRUE(t.is_consistent());
    EXPECT_GT(t.fine.state.x[node][2], height - 0.0003);
}

// --- contact ------------------------------------------------------------------------------------

Obstacle ground_mesh()
{
    Obstacle o;
    o.name = "ground";
    o.x = {{-2, -2, 0}, {3, -2, 0}, {3, 3, 0}, {-2, 3, 0}};
    o.faces = {{0, 1, 2}, {0, 2, 3}};
    return o;
}

Pipeline pipeline_of(const std::string& contact, const std::string& integrator)
{
    SolverDescription solver;
    solver.integrator = integrator;
    solver.tolerance = 1e-9;
    ContactDescription c;
    c.type = contact;
    Pipeline p;
    p.integrator = make_integrator(solver);
    p.contact_finder = make_contact_finder(c, solver);
    p.impact_resolver = make_impact_resolver(c, solver);
    return p;
}

std::size_t crossings(const World& world, const Simulation& sim)
{
    return audit(object_meshes(world, sim), 0.0).intersections;
}

/// Types that promise that nothing crosses.
bool is_safe(const std::string& contact)
{
    return contact != "none" && contact != "proximity";
}

/// The solver that decides whether repulsion is in the solve or by impulses.
SolverDescription solver_of(const std::string& integrator)
{
    SolverDescription d;
    d.integrator = integrator;
    return d;
}

ContactDescription contact_of(const std::string& type)
{
    ContactDescription d;
    d.type = type;
    return d;
}

/// A rippled sheet 1 cm above the ground, whose midpoints are the lowest of it in places.
TVertices rippled_sheet()
{
    return TVertices(4, 4, 0.2, 0.2, membrane_only(), [](const Vec2& u) {
        return Vec3{u[0], u[1], 0.01 + 0.002 * std::sin(40 * u[0] + 23 * u[1])};
    });
}

TEST(Dependencies, every_impact_resolver_pushes_the_parents)
{
    for (const std::string& integrator : integrator_types())
        for (const std::string& type : contact_types())
            for (bool plane : {false, true}) {
                const std::string name = integrator + ", " + type + (plane ? ", half-space" : "");
                TVertices t = rippled_sheet();
                World world;
                world.obstacles.push_back(plane ? make_half_space("ground", {0, 0, 0}, {0, 0, 1}, 4)
                                                : ground_mesh());
                const auto obstacles = sample_obstacles(world, 0, dt);
                const auto resolver = make_impact_resolver(contact_of(type), solver_of(integrator));
                // Only the middle comes down, so that midpoints at its rim hit while a parent
                // rests.
                State next = t.fine.state;
                next.v.values[t.fine_at(4, 4)] = next.v.values[t.fine_at(4, 2)] = {0.1, 0, -4};
                for (NodeId n : t.fine.model.mesh.nodes()) next.x[n] += dt * next.v[n];
                follow(t.fine.model, next);
                const Model& m = t.fine.model;
                resolver->repel(m, t.fine.state, {}, world, obstacles, dt, next);
                EXPECT_TRUE(follows(m.dependencies, next.x.span())) << name;
                EXPECT_TRUE(follows(m.dependencies, next.v.span())) << name;
                const ImpactReport r =
                    resolver->resolve(m, t.fine.state, {}, world, obstacles, dt, true, next);
                ASSERT_TRUE(r.ok) << name;
                EXPECT_TRUE(follows(m.dependencies, next.x.span())) << name;
                EXPECT_TRUE(follows(m.dependencies, next.v.span())) << name;
                if (!is_safe(type)) continue;
                EXPECT_GT(r.impacts, 0u) << name;
                EXPECT_EQ(r.unresolved, 0u) << name;
                t.fine.state = next;
                EXPECT_EQ(crossings(world, t.fine), 0u) << name;
            }
}

TEST(Dependencies, rigid_zones_move_the_parents)
{
    TVertices t = rippled_sheet();
    World world;
    world.obstacles.push_back(ground_mesh());
    ContactOptions options;
    options.zone_rounds = 0; // rigid at once
    ImpactResolverImpactZones resolver(options);
    State next = t.fine.state;
    next.v.values[t.fine_at(4, 4)] = {0.1, 0, -4};
    for (NodeId n : t.fine.model.mesh.nodes()) next.x[n] += dt * next.v[n];
    follow(t.fine.model, next);
    const ImpactReport r = resolver.resolve(t.fine.model, t.fine.state, {}, world,
                                            sample_obstacles(world, 0, dt), dt, true, next);
    EXPECT_TRUE(r.ok);
    EXPECT_GT(r.rigid_zones, 0u);
    EXPECT_EQ(r.unresolved, 0u);
    t.fine.state = next;
    EXPECT_TRUE(t.is_consistent());
    EXPECT_EQ(crossings(world, t.fine), 0u);
}

// Repulsions by impulses: a row of midpoints just above the ground, which approach it.
TEST(Dependencies, repulsion_of_midpoints_stops_the_parents_without_a_bounce)
{
    for (const std::string& type : contact_types()) {
        const auto resolver =
            make_impact_resolver(contact_of(type), solver_of("mixed_explicit_implicit"));
        TVertices t(4, 4, 0.2, 0.2, membrane_only(), [](const Vec2& u) {
            return Vec3{u[0], u[1], 0.003};
        });
        World world;
        world.obstacles.push_back(make_half_space("ground", {0, 0, 0}, {0, 0, 1}, 4));
        State next = t.fine.state;
        for (NodeId n : t.fine.model.mesh.nodes()) {
            next.v[n] = {0, 0, -0.2};
            next.x[n] += dt * next.v[n];
        }
        const State proposed = next;
        resolver->repel(t.fine.model, t.fine.state, {}, world, sample_obstacles(world, 0, dt), dt,
                        next);
        EXPECT_TRUE(follows(t.fine.model.dependencies, next.x.span())) << type;
        if (next == proposed) continue; // a row without repulsions
        double lowest = 1, highest = -1;
        for (const Vec3& v : next.v) {
            lowest = std::min(lowest, v[2]);
            highest = std::max(highest, v[2]);
        }
        // It opens by a tenth of what it lacks of the thickness, 2 mm, in a step: 0.04 m/s.
        EXPECT_GT(lowest, -0.01) << type;
        EXPECT_LT(highest, 0.06) << type;
    }
}

TEST(Dependencies, contact_finder_gives_midpoints_the_stiffness_of_their_parents)
{
    std::size_t of_midpoints = 0;
    for (const std::string& type : contact_types()) {
        const auto finder = make_contact_finder(contact_of(type), solver_of("backward_euler"));
        TVertices t(4, 4, 0.2, 0.2, membrane_only(), [](const Vec2& u) {
            return Vec3{u[0], u[1], 0.004};
        });
        World world;
        world.obstacles.push_back(make_half_space("ground", {0, 0, 0}, {0, 0, 1}, 4));
        Contacts contacts;
        static_cast<void>(finder->find(t.fine.model, t.fine.state, world,
                                       sample_obstacles(world, 0, dt), dt, contacts));
        const Model& m = t.fine.model;
        std::vector<double> load(m.mesh.node_count(), 0.0);
        for (const Proximity& p : contacts.proximities) {
            ASSERT_EQ(p.node_count(), 1u);
            of_midpoints += m.dependencies.depends(index(p.nodes[0]));
            EXPECT_GT(p.stiffness, 0) << type;
            EXPECT_TRUE(std::isfinite(p.stiffness)) << type;
            m.dependencies.visit(index(p.nodes[0]), 1, [&](std::uint32_t n, double w) {
                load[n] += p.stiffness * w * w * dt * dt / m.mass.values[n];
            });
        }
        // As the header of the finder says: at most `stiffness`, 1, in mass / dt^2; more by the
        // factor of the depth, 1 + 8 / 25.
        for (double l : load) EXPECT_LT(l, 1.33) << type;
    }
    EXPECT_GT(of_midpoints, 20u);
}

// A sheet is thrown at the ground. Contacts of midpoints are there in the fine sheet and not in the
// coarse one. Where it is level all of them come to rest at once, and the two agree to a fraction
// of the thickness (5 mm). Where it is tilted a midpoint that hits is a lever: it lifts the parent
// that lies on the ground already, and the two sheets differ for good reason.
TEST(Dependencies, sheet_thrown_at_an_obstacle_ends_as_the_coarse_one)
{
    for (const std::string& integrator : integrator_types())
        for (const std::string& contact : contact_types())
            for (int variant = 0; variant < 4; ++variant) {
                const bool plane = variant % 2 == 0, tilted = variant / 2 == 0;
                const std::string name = integrator + ", " + contact +
                                         (plane ? ", half-space" : ", mesh") +
                                         (tilted ? ", tilted" : ", level");
                Material m = membrane_only();
                m.damping = 0.002;
                TVertices t(3, 3, 0.3, 0.3, m, [&](const Vec2& u) {
                    return Vec3{u[0], u[1], 0.03 + (tilted ? 0.05 * u[0] + 0.02 * u[1] : 0)};
                });
                for (Vec3& v : t.coarse.state.v) v = {0, 0, -1};
                t.copy_to_fine();
                World world;
                world.gravity = {0, 0, -9.8};
                world.obstacles.push_back(plane ? make_half_space("ground", {0, 0, 0}, {0, 0, 1}, 4)
                                                : ground_mesh());
                Pipeline a = pipeline_of(contact, integrator), b = pipeline_of(contact, integrator);
                double lowest = 1;
                for (int i = 0; i < 24; ++i) {
                    ASSERT_TRUE(advance(world, a, t.coarse, dt).ok) << name;
                    ASSERT_TRUE(advance(world, b, t.fine, dt).ok) << name;
                    ASSERT_TRUE(t.is_consistent()) << name << ", step " << i;
                    for (const Vec3& x : t.fine.state.x) lowest = std::min(lowest, x[2]);
                }
                if (contact == "none") {
                    EXPECT_LT(lowest, -0.01) << name << ": it would have fallen through";
                    continue;
                }
                EXPECT_LT(lowest, 0.006) << name << ": it has touched";
                if (is_safe(contact)) {
                    EXPECT_GT(lowest, 0) << name;
                    EXPECT_EQ(crossings(world, t.fine), 0u) << name;
                }
                EXPECT_LT(t.difference(), tilted ? 0.03 : 0.002) << name;
            }
}

TEST(Dependencies, sheet_folded_over_itself_stays_intersection_free)
{
    for (const std::string& integrator : integrator_types())
        for (const std::string& contact : contact_types()) {
            const std::string name = integrator + ", " + contact;
            Material m = membrane_only();
            m.damping = 0.002;
            TVertices t(6, 3, 0.3, 0.15, m, [](const Vec2& u) {
                if (u[0] < 0.14) return Vec3{u[0], u[1], 0};
                if (u[0] < 0.16) return Vec3{u[0] + 0.002, u[1], 0.008};
                return Vec3{0.3 - u[0] + 0.003, u[1] + 0.004, 0.016};
            });
            t.hold([](const Vec3& x) { return x[2] == 0; });
            for (NodeId n : t.coarse.model.mesh.nodes())
                if (t.coarse.state.x[n][2] > 0.01) t.coarse.state.v[n] = {0, 0, -2};
            t.copy_to_fine();
            World world;
            world.gravity = {0, 0, -9.8};
            world.handles.resize(1);
            Pipeline p = pipeline_of(contact, integrator);
            ASSERT_EQ(crossings(world, t.fine), 0u);
            double lowest = 1;
            std::size_t bad = 0;
            for (int i = 0; i < 20; ++i) {
                ASSERT_TRUE(advance(world, p, t.fine, dt).ok) << name;
                ASSERT_TRUE(t.is_consistent()) << name << ", step " << i;
                bad += crossings(world, t.fine);
                for (const Vec3& x : t.fine.state.x) lowest = std::min(lowest, x[2]);
            }
            if (contact == "none") {
                EXPECT_LT(lowest, -0.01) << name << ": it would have fallen through";
            }
            if (is_safe(contact)) {
                EXPECT_EQ(bad, 0u) << name;
            }
        }
}

TEST(Dependencies, untangling_moves_the_parents)
{
    TVertices t(4, 4, 0.4, 0.4, membrane_only(), flat);
    // A corner bent over and pushed a little through the sheet.
    for (NodeId n : t.coarse.model.mesh.nodes()) {
        Vec3& x = t.coarse.state.x[n];
        if (x[0] > 0.25) x = {0.43 - x[0], x[1] + 0.013, x[0] > 0.35 ? -0.0004 : 0.03};
    }
    t.copy_to_fine();
    World world;
    ASSERT_GT(crossings(world, t.fine), 0u);
    UntangleOptions options;
    options.step = 2e-4;
    const UntangleReport r = untangle(t.fine.model, world, {}, {}, options, t.fine.state);
    EXPECT_TRUE(r.ok);
    EXPECT_EQ(crossings(world, t.fine), 0u);
    EXPECT_TRUE(t.is_consistent());
}

TEST(Dependencies, separation_moves_the_parents)
{
    TVertices t(4, 4, 0.4, 0.4, membrane_only(), flat);
    const Field<NodeId, Vec3> before = t.fine.state.x;
    const std::vector<std::array<Vec3, 3>> plate{
        {Vec3{-1, -1, -0.01}, Vec3{3, -1, -0.01}, Vec3{-1, 3, -0.01}}};
    for (NodeId n : t.coarse.model.mesh.nodes())
        if (norm(t.coarse.state.x[n] - Vec3{0.2, 0.2, 0}) < 0.05) t.coarse.state.x[n][2] = -0.013;
    t.copy_to_fine();
    const Mesh& mesh = t.fine.model.mesh;
    Field<NodeId, double> inverse(mesh.node_count(), FieldRule::reset, 0.0);
    for (NodeId n : mesh.nodes()) inverse[n] = inverse_mass(t.fine.model, n);
    const ObstacleTree obstacles(plate);
    const std::vector<FaceId> all(mesh.faces().begin(), mesh.faces().end());
    Field<NodeId, Vec3>& x = t.fine.state.x;
    auto found = find_face_crossings(mesh, x, face_tree(mesh, x), obstacles, all);
    ASSERT_FALSE(found.empty());
    const MaterialMap map(mesh, before);
    const SeparateReport r =
        separate(mesh, inverse, obstacles, map, std::move(found), {}, x, t.fine.model.dependencies);
    EXPECT_TRUE(r.ok);
    EXPECT_TRUE(t.is_consistent());
    EXPECT_TRUE(find_face_crossings(mesh, x, face_tree(mesh, x), obstacles, all).empty());
}

// --- what carries dependencies along ------------------------------------------------------------

TEST(Dependencies, remesher_keeps_the_nodes_and_renumbers_them)
{
    TVertices t(3, 3, 0.3, 0.3, membrane_only(), [](const Vec2& u) {
        return Vec3{u[0], u[1], 0.02 * std::sin(9 * u[0] + 5 * u[1])};
    });
    Simulation& sim = t.fine;
    const std::size_t parents = sim.model.dependencies.parents.size();
    std::vector<Vec3> dependent;
    for (NodeId n : sim.model.mesh.nodes())
        if (sim.model.dependencies.depends(index(n))) dependent.push_back(sim.state.x[n]);
    Pipeline p;
    p.integrator = make_integrator({});
    p.remesher = std::make_unique<RemesherUniform>(std::vector<std::optional<double>>{0.03});
    const AdaptReport r = adapt({}, p, sim);
    ASSERT_GT(r.remesh.splits, 0u);
    const Dependencies& d = sim.model.dependencies;
    EXPECT_EQ(find_problem(d, sim.model.mesh.node_count()), "");
    EXPECT_EQ(d.parents.size(), parents);
    EXPECT_TRUE(follows(d, sim.state.x.span()));
    std::size_t found = 0;
    for (NodeId n : sim.model.mesh.nodes())
        if (d.depends(index(n))) {
            EXPECT_EQ(sim.model.mesh.kind(n), NodeKind::locked);
            found += std::count(dependent.begin(), dependent.end(), sim.state.x[n]) > 0;
        }
    EXPECT_EQ(found, dependent.size());
    EXPECT_NEAR(total_mass(sim.model), 0.2 * 0.09, 1e-14);
    World world;
    world.gravity = {0, 0, -9.8};
    for (int i = 0; i < 3; ++i) ASSERT_TRUE(advance(world, p, sim, dt).ok);
    EXPECT_TRUE(follows(d, sim.state.x.span()));
}

TEST(Dependencies, checkpoint_holds_them)
{
    const TVertices t(3, 2, 0.3, 0.2, membrane_only(), flat);
    CheckpointInfo info;
    info.fps = 25;
    info.material_counts = {1};
    const Checkpoint c = decode_checkpoint(encode_checkpoint(t.fine, info), "c.pleat");
    EXPECT_TRUE(c.sim.model.dependencies == t.fine.model.dependencies);
    Simulation wrong = t.fine;
    wrong.model.dependencies.parents[0].weight = 0.6;
    EXPECT_THROW(static_cast<void>(decode_checkpoint(encode_checkpoint(wrong, info), "c.pleat")),
                 InputError);
    wrong = t.fine;
    wrong.model.dependencies.parents[0].row = 1u << 30;
    EXPECT_THROW(static_cast<void>(decode_checkpoint(encode_checkpoint(wrong, info), "c.pleat")),
                 InputError);
}

TEST(Dependencies, change_the_hash_of_a_state)
{
    const TVertices t(2, 2, 0.2, 0.2, membrane_only(), flat);
    Model plain = t.fine.model;
    plain.dependencies = {};
    EXPECT_NE(state_hash(plain, t.fine.state), state_hash(t.fine.model, t.fine.state));
}

TEST(Dependencies, same_bits_for_any_number_of_threads)
{
    const auto end_of = [](int threads) {
        std::uint64_t hash = 0;
        const Threads pool(threads);
        pool.run([&] {
            Material m = membrane_only();
            m.strain_limits = StrainLimits{-0.1, 0.02};
            TVertices t(12, 12, 0.4, 0.4, m, [](const Vec2& u) {
                return Vec3{u[0], u[1], 0.02 + 0.05 * u[0]};
            });
            World world;
            world.gravity = {0, 0, -9.8};
            world.obstacles.push_back(ground_mesh());
            Pipeline p = pipeline_of("impact_zones", "backward_euler");
            p.strain_limiter = make_strain_limiter({});
            for (int i = 0; i < 16; ++i) EXPECT_TRUE(advance(world, p, t.fine, dt).ok);
            hash = state_hash(t.fine.model, t.fine.state);
        });
        return hash;
    };
    const std::uint64_t one = end_of(1);
    EXPECT_EQ(end_of(2), one);
    EXPECT_EQ(end_of(8), one);
}

} // namespace
} // namespace pleat
