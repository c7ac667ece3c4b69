// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// What every contact finder and every impact resolver promises, over the rows of the table of
// contacts: a new row is tested by being a row.
#include "pleat/core/parallel.hpp"
#include "pleat/mesh/mesh.hpp"
#include "pleat/model/obstacle_sample.hpp"
#include "pleat/model/shapes.hpp"
#include "pleat/scene/part_tables.hpp"
#include "pleat/sim/audit.hpp"
#include "pleat/sim/frames.hpp"
#include "sim/t_vertices.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <string>
#include <vector>

namespace pleat {
namespace {

using test::membrane_only;
using test::TVertices;

constexpr double dt = 0.005;
constexpr double thickness = 0.005;

struct Row {
    ContactDescription contact;
    SolverDescription solver;

    [[nodiscard]] std::string name() const
    {
        return contact.type + ", " + contact.broad_phase + ", " + solver.integrator;
    }
    [[nodiscard]] auto finder() const { return make_contact_finder(contact, solver); }
    [[nodiscard]] auto resolver() const { return make_impact_resolver(contact, solver); }
};

std::vector<Row> rows()
{
    std::vector<Row> all;
    for (const std::string& type : contact_types())
        for (const char* broad_phase : {"bvh", "spatial_hash"})
            for (const std::string& integrator : integrator_types()) {
                Row row;
                row.contact.type = type;
                row.contact.broad_phase = broad_phase;
                row.contact.thickness = thickness;
                row.solver.integrator = integrator;
                all.push_back(row);
            }
    return all;
}

/// Two layers of a folded sheet, `gap` apart, `above` a floor.
Simulation folded(double gap, double above)
{
    return TVertices(8, 4, 0.4, 0.2, membrane_only(),
                     [&](const Vec2& u) {
                         const double ripple = 0.1 * gap * std::sin(40 * u[1]);
                         if (u[0] < 0.19) return Vec3{u[0], u[1], above};
                         if (u[0] < 0.21) return Vec3{u[0] + gap, u[1], above + gap / 2};
                         return Vec3{0.4 - u[0] + 0.003, u[1] + 0.007, above + gap + ripple};
                     })
        .coarse;
}

World floor_world(bool plane)
{
    World world;
    if (plane) {
        world.obstacles.push_back(make_half_space("floor", {0, 0, 0}, {0, 0, 1}, 4));
        return world;
    }
    Obstacle o;
    o.name = "floor";
    o.x = {{-2, -2, 0}, {3, -2, 0}, {3, 3, 0}, {-2, 3, 0}};
    o.faces = {{0, 1, 2}, {0, 2, 3}};
    world.obstacles.push_back(o);
    return world;
}

std::vector<Proximity> find(ContactFinder& finder, const Simulation& sim, const World& world)
{
    Contacts contacts;
    const ContactReport r =
        finder.find(sim.model, sim.state, world, sample_obstacles(world, 0, dt), dt, contacts);
    EXPECT_EQ(r.proximities, contacts.proximities.size());
    return contacts.proximities;
}

bool same(const std::vector<Proximity>& a, const std::vector<Proximity>& b)
{
    return std::equal(
        a.begin(), a.end(), b.begin(), b.end(), [](const Proximity& p, const Proximity& q) {
            return p.nodes == q.nodes && p.weights == q.weights && p.normal == q.normal &&
                   p.anchor_t1 == q.anchor_t1 && p.thickness == q.thickness &&
                   p.stiffness == q.stiffness && p.firm == q.firm && p.friction == q.friction;
        });
}

TEST(ContactFinders, find_nothing_where_nothing_is_near)
{
    for (const Row& row : rows())
        EXPECT_TRUE(find(*row.finder(), folded(0.03, 0.1), floor_world(false)).empty())
            << row.name();
}

TEST(ContactFinders, pairs_are_what_they_say_they_are)
{
    for (const Row& row : rows())
        for (bool plane : {false, true}) {
            const Simulation sim = folded(0.004, 0.003);
            for (const Proximity& p : find(*row.finder(), sim, floor_world(plane))) {
                double balance = 0;
                Vec3 gap = p.anchor_t0;
                for (std::size_t i = 0; i < p.node_count(); ++i) {
                    balance += p.weights[i];
                    gap += p.weights[i] * sim.state.x[p.nodes[i]];
                }
                ASSERT_GT(p.node_count(), 0u) << row.name();
                EXPECT_NEAR(norm(p.normal), 1, 1e-12) << row.name();
                EXPECT_GT(dot(p.normal, gap), 0) << row.name();
                EXPECT_LT(norm(cross(p.normal, gap)), 1e-9) << row.name();
                EXPECT_TRUE(std::abs(balance) < 1e-9 || std::abs(std::abs(balance) - 1) < 1e-9)
                    << row.name() << ": cloth against cloth, or against an obstacle";
                EXPECT_GE(p.stiffness, 0) << row.name();
                EXPECT_GE(p.friction, 0) << row.name();
            }
        }
}

// The slow oracle: a node of the lower layer that is nearer to the floor than the thickness has
// exactly one partner there, and it is straight below.
TEST(ContactFinders, every_near_node_has_one_partner_on_a_floor)
{
    for (const Row& row : rows())
        for (bool plane : {false, true}) {
            const Simulation sim = folded(0.03, 0.003);
            std::multiset<std::uint32_t> found;
            for (const Proximity& p : find(*row.finder(), sim, floor_world(plane)))
                if (p.node_count() == 1) {
                    found.insert(index(p.nodes[0]));
                    EXPECT_LT(norm(p.normal - Vec3{0, 0, 1}), 1e-9) << row.name();
                }
            if (found.empty()) continue; // a row without a finder
            for (NodeId n : sim.model.mesh.nodes())
                EXPECT_EQ(found.count(index(n)), sim.state.x[n][2] < thickness ? 1u : 0u)
                    << row.name();
        }
}

TEST(ContactFinders, find_something_where_repulsion_is_part_of_an_implicit_solve)
{
    for (const Row& row : rows()) {
        const bool in_solve =
            !is_explicit(row.solver) && row.contact.type != "impacts" && row.contact.type != "none";
        EXPECT_EQ(find(*row.finder(), folded(0.004, 0.003), floor_world(false)).size() > 20,
                  in_solve)
            << row.name();
    }
}

TEST(ContactFinders, give_the_same_bits_again_for_any_threads_and_after_a_change_of_mesh)
{
    for (const Row& row : rows()) {
        const Simulation sim = folded(0.004, 0.003);
        const World world = floor_world(false);
        const auto finder = row.finder();
        const auto first = find(*finder, sim, world);
        EXPECT_TRUE(same(find(*finder, sim, world), first)) << row.name();
        finder->mesh_changed();
        EXPECT_TRUE(same(find(*finder, sim, world), first)) << row.name();
        for (int threads : {1, 2, 8})
            Threads(threads).run(
                [&] { EXPECT_TRUE(same(find(*row.finder(), sim, world), first)) << row.name(); });
    }
}

TEST(ContactFinders, do_not_depend_on_where_the_world_is)
{
    for (const Row& row : rows()) {
        Simulation sim = folded(0.004, 0.003);
        World world = floor_world(false);
        const auto here = find(*row.finder(), sim, world);
        const Vec3 shift{0.25, -0.5, 0.125};
        for (Vec3& x : sim.state.x) x += shift;
        for (Vec3& x : world.obstacles[0].x) x += shift;
        const auto there = find(*row.finder(), sim, world);
        ASSERT_EQ(here.size(), there.size()) << row.name();
        for (std::size_t k = 0; k < here.size(); ++k) {
            EXPECT_EQ(here[k].nodes, there[k].nodes) << row.name();
            EXPECT_LT(norm(here[k].normal - there[k].normal), 1e-9) << row.name();
            EXPECT_NEAR(here[k].thickness, there[k].thickness, 1e-12) << row.name();
        }
    }
}

// --- impact resolvers ---------------------------------------------------------------------------

/// Both stages that a step has.
ImpactReport resolve(ImpactResolver& resolver, const Simulation& sim, const World& world,
                     const Loads& loads, State& next)
{
    const auto obstacles = sample_obstacles(world, 0, dt);
    resolver.repel(sim.model, sim.state, loads, world, obstacles, dt, next);
    return resolver.resolve(sim.model, sim.state, loads, world, obstacles, dt, true, next);
}

std::size_t crossings(const World& world, Simulation sim, const State& next)
{
    sim.state = next;
    return audit(object_meshes(world, sim), 0.0).intersections;
}

TEST(ImpactResolvers, leave_the_bits_of_motion_that_meets_nothing)
{
    for (const Row& row : rows()) {
        const Simulation sim = folded(0.03, 0.1);
        State next = sim.state;
        for (NodeId n : sim.model.mesh.nodes()) {
            next.v[n] = {0.3, 0.1, -0.2};
            next.x[n] += dt * next.v[n];
        }
        const State proposed = next;
        const ImpactReport r = resolve(*row.resolver(), sim, floor_world(false), {}, next);
        EXPECT_TRUE(r.ok) << row.name();
        EXPECT_EQ(r.impacts, 0u) << row.name();
        EXPECT_TRUE(next == proposed) << row.name();
    }
}

TEST(ImpactResolvers, that_resolve_impacts_leave_nothing_crossing_and_pins_in_place)
{
    for (const Row& row : rows())
        for (bool plane : {false, true}) {
            const Simulation sim = folded(0.01, 0.01);
            const World world = floor_world(plane);
            Loads loads;
            State next = sim.state;
            for (NodeId n : sim.model.mesh.nodes()) { // everything comes down by 2 cm
                next.v[n] = {0, 0, sim.state.x[n][2] > 0.012 ? -5.0 : -3.0};
                next.x[n] += dt * next.v[n];
            }
            const NodeId pinned{2};
            next.x[pinned] = sim.state.x[pinned];
            next.v[pinned] = {};
            loads.pins.push_back({pinned, next.x[pinned], {}});
            ASSERT_GT(crossings(world, sim, next), 0u);
            const ImpactReport r = resolve(*row.resolver(), sim, world, loads, next);
            ASSERT_TRUE(r.ok) << row.name();
            EXPECT_EQ(next.x[pinned], sim.state.x[pinned]) << row.name();
            if (row.contact.type == "none" || row.contact.type == "proximity") continue;
            EXPECT_GT(r.impacts, 0u) << row.name();
            EXPECT_EQ(r.unresolved, 0u) << row.name();
            EXPECT_EQ(crossings(world, sim, next), 0u) << row.name();
        }
}

TEST(ImpactResolvers, keep_the_momentum_of_cloth_that_hits_cloth)
{
    for (const Row& row : rows()) {
        const Simulation sim = folded(0.01, 0.5);
        State next = sim.state;
        for (NodeId n : sim.model.mesh.nodes()) {
            next.v[n] = {0.1, 0, sim.state.x[n][2] > 0.508 ? -4.0 : 1.0};
            next.x[n] += dt * next.v[n];
        }
        const Vec3 before = linear_momentum(sim.model, next);
        ASSERT_TRUE(resolve(*row.resolver(), sim, {}, {}, next).ok) << row.name();
        EXPECT_LT(norm(linear_momentum(sim.model, next) - before), 1e-8 * norm(before))
            << row.name();
    }
}

} // namespace
} // namespace pleat
