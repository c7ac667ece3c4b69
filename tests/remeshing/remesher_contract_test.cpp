// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// What every remesher that a scene can name promises, and one that no scene can name: it lives in
// this file only, to show that edit_safely() gives any remesher the same safety.
#include "pleat/remeshing/edit_safely.hpp"

#include "pleat/core/parallel.hpp"
#include "pleat/energies/elastic_batch.hpp"
#include "pleat/geometry/decompose.hpp"
#include "pleat/mesh/validate.hpp"
#include "pleat/remeshing/remesher.hpp"
#include "pleat/scene/part_tables.hpp"
#include "pleat/sim/audit.hpp"
#include "pleat/sim/frames.hpp"

#include "mesh/zoo.hpp"
#include "remeshing/scroll.hpp"
#include "sim/model_of.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

namespace pleat {
namespace {

using testing::IsEmpty;

/// Splits every third face at its centre and every fifth edge, puts the new nodes where they do
/// harm, flips every second edge, then joins and collapses what it can: no metric anywhere.
class RemesherReckless final : public Remesher {
public:
    explicit RemesherReckless(EditOptions options) : options_(std::move(options)) {}

    RemeshReport remesh(const World& world, double time, Model& model, State& state) override
    {
        return edit_safely(model, state, world, time, options_, [&](MeshEditor& editor) {
            const Mesh& mesh = editor.mesh();
            const auto lifted = [&](NodeId n) { return editor.x()[n] * 1.1; };
            const std::size_t faces = mesh.face_count(), nodes = mesh.node_count();
            for (std::size_t i = 0; i < faces; i += 3)
                editor.split_face(make_id<FaceId>(i),
                                  [&](const FaceSplit& s) { return lifted(s.new_node); });
            for (std::size_t i = 0; i < mesh.edge_count(); i += 5)
                editor.split_edge(make_id<EdgeId>(i), 0.4,
                                  [&](const EdgeSplit& s) { return lifted(s.new_node); });
            for (std::size_t i = 0; i < mesh.edge_count(); i += 2)
                editor.flip_edge(make_id<EdgeId>(i));
            for (std::size_t i = 0; i < mesh.node_count(); ++i)
                if (const auto n = make_id<NodeId>(i); mesh.is_alive(n)) editor.join_faces(n);
            for (std::size_t i = 0; i < nodes; i += 4) {
                const auto n = make_id<NodeId>(i);
                if (!mesh.is_alive(n)) continue;
                EdgeId first = no_edge;
                mesh.visit_edges(n, [&](EdgeId e) { first = is_some(first) ? first : e; });
                editor.collapse_edge(first, n);
            }
        });
    }

private:
    EditOptions options_;
};

struct Entry {
    std::string name;
    /// \param is_remeshed by ClothId
    std::function<std::unique_ptr<Remesher>(const std::vector<bool>& is_remeshed)> make;
};

std::vector<Entry> entries()
{
    std::vector<Entry> all;
    for (const std::string strategy : {"guard", "separate"}) {
        for (const std::string& type : remesher_types())
            all.push_back({type + "_" + strategy, [=](const std::vector<bool>& is_remeshed) {
                               SceneDescription scene;
                               for (const bool is : is_remeshed) {
                                   ClothDescription cloth;
                                   cloth.remeshing.type = is ? type : "none";
                                   cloth.remeshing.edge_length = {0.03, 0.3};
                                   cloth.remeshing.crossings = strategy;
                                   scene.cloths.push_back(cloth);
                               }
                               return make_remesher(scene);
                           }});
        all.push_back({"reckless_" + strategy,
                       [=](const std::vector<bool>& is_remeshed) -> std::unique_ptr<Remesher> {
                           EditOptions options;
                           options.strain_rise = 1; // so that edits make faces cross
                           options.crossings = strategy == "guard" ? CrossingStrategy::guard
                                                                   : CrossingStrategy::separate;
                           for (const bool is : is_remeshed) // one panel a cloth
                               options.frozen_panels.push_back(!is);
                           return std::make_unique<RemesherReckless>(options);
                       }});
    }
    return all;
}

class RemesherContract : public testing::TestWithParam<std::size_t> {
protected:
    Entry entry = entries()[GetParam()];
    [[nodiscard]] bool is_none() const { return entry.name.starts_with("none"); }
    [[nodiscard]] bool is_reckless() const { return entry.name.starts_with("reckless"); }
};

/// A sheet in waves that moves.
Simulation waving_sheet()
{
    Simulation sim = simulation_of(zoo::grid(8, 8));
    for (NodeId n : sim.model.mesh.nodes()) {
        Vec3& x = sim.state.x[n];
        x[2] = 0.05 * std::sin(9 * x[0]) + 0.02 * std::cos(7 * x[1]);
        sim.state.v[n] = {0.2 * x[1], -0.1, std::cos(9 * x[0])};
    }
    return sim;
}

/// The principal strains of a face, larger first.
Vec2 principal_strains(const Simulation& sim, FaceId f)
{
    const Mesh& mesh = sim.model.mesh;
    const auto& v = mesh[f].verts;
    const auto n = mesh.nodes_of(f);
    const auto& x = sim.state.x;
    const Mat2 du = from_columns(mesh.u(v[1]) - mesh.u(v[0]), mesh.u(v[2]) - mesh.u(v[0]));
    const Svd3x2 d = svd(from_columns(x[n[1]] - x[n[0]], x[n[2]] - x[n[0]]) * inverse(du));
    return {d.s[0] - 1, d.s[1] - 1};
}

TEST_P(RemesherContract, keeps_the_mesh_valid_and_mass_as_it_is)
{
    for (const zoo::Animal& animal : zoo::animals()) {
        SCOPED_TRACE(animal.name);
        Simulation sim = simulation_of(animal.input);
        for (NodeId n : sim.model.mesh.nodes()) {
            Vec3& x = sim.state.x[n];
            x[2] += 0.05 * std::sin(6 * x[0]);
        }
        const double mass = total_mass(sim.model);
        const auto remesher = entry.make({true, true});
        for (int i = 0; i < 3; ++i) {
            const RemeshReport r = remesher->remesh({}, 0, sim.model, sim.state);
            EXPECT_EQ(r.changed, r.splits + r.flips + r.collapses > 0);
            ASSERT_THAT(validate(sim.model.mesh), IsEmpty()); // no dead elements either
            EXPECT_NEAR(total_mass(sim.model), mass, 1e-12 * mass);
            FieldSet fields;
            add_fields(fields, sim.model);
            add_fields(fields, sim.state);
            EXPECT_TRUE(fields.fits(sim.model.mesh));
            EXPECT_EQ(sim.model.area.size(), sim.model.mesh.face_count());
            EXPECT_TRUE(is_within_bounds(sim.state));
        }
    }
}

TEST_P(RemesherContract, reports_what_it_did_to_the_motion)
{
    Simulation sim = waving_sheet();
    const Simulation before = sim;
    const RemeshReport r = entry.make({true})->remesh({}, 0, sim.model, sim.state);
    EXPECT_EQ(r.changed, !is_none());
    EXPECT_EQ(r.changed, !(sim.model.mesh == before.model.mesh));
    const auto near = [](const Vec3& a, const Vec3& b) { return norm(a - b) < 1e-12; };
    EXPECT_TRUE(near(r.momentum_change, linear_momentum(sim.model, sim.state) -
                                            linear_momentum(before.model, before.state)));
    EXPECT_TRUE(near(r.angular_momentum_change, angular_momentum(sim.model, sim.state) -
                                                    angular_momentum(before.model, before.state)));
    EXPECT_NEAR(r.kinetic_change,
                kinetic_energy(sim.model, sim.state) - kinetic_energy(before.model, before.state),
                1e-12);
    const double elastic = elastic_energy(sim.model, sim.state);
    EXPECT_NEAR(r.elastic_change, elastic - elastic_energy(before.model, before.state),
                1e-9 * elastic);
}

TEST_P(RemesherContract, makes_no_intersections)
{
    // Layers 2 mm apart around an obstacle.
    Simulation sim = simulation_of(test::scroll(120, 0.002));
    World world;
    Obstacle axis;
    axis.name = "axis";
    axis.x = {{0.019, 0, -1}, {-0.0095, 0.01645, -1}, {-0.0095, -0.01645, -1},
              {0.019, 0, 1},  {-0.0095, 0.01645, 1},  {-0.0095, -0.01645, 1}};
    axis.faces = {{0, 1, 4}, {0, 4, 3}, {1, 2, 5}, {1, 5, 4}, {2, 0, 3}, {2, 3, 5}};
    world.obstacles = {axis};
    ASSERT_EQ(audit(object_meshes(world, sim), 0).intersections, 0u);
    const auto remesher = entry.make({true});
    RemeshReport sum;
    for (int i = 0; i < 2; ++i) {
        sum += remesher->remesh(world, 0, sim.model, sim.state);
        ASSERT_EQ(audit(object_meshes(world, sim), 0).intersections, 0u);
    }
    if (is_reckless()) {
        EXPECT_GT(sum.crossings, 100u); // otherwise this test says nothing
        EXPECT_TRUE(sum.changed);
    }
}

TEST_P(RemesherContract, leaves_cloths_alone_that_are_not_its_own)
{
    Simulation sim = simulation_of(zoo::two_pieces(6));
    sim.model.cloths = {{"own"}, {"other"}};
    sim.model.panel_cloth = {ClothId{0}, ClothId{1}};
    update_derived(sim.model);
    for (Vec3& x : sim.state.x) x[2] += 0.05 * std::sin(9 * x[0]);
    using Corners = std::array<Vec3, 3>;
    const auto others = [&] {
        std::vector<Corners> faces;
        for (FaceId f : sim.model.mesh.faces()) {
            if (sim.model.cloth_of(f) != ClothId{1}) continue;
            const auto n = sim.model.mesh.nodes_of(f);
            Corners c{sim.state.x[n[0]], sim.state.x[n[1]], sim.state.x[n[2]]};
            std::sort(c.begin(), c.end(), [](const Vec3& a, const Vec3& b) { return a.e < b.e; });
            faces.push_back(c);
        }
        std::sort(faces.begin(), faces.end(), [](const Corners& a, const Corners& b) {
            return std::tie(a[0].e, a[1].e, a[2].e) < std::tie(b[0].e, b[1].e, b[2].e);
        });
        return faces;
    };
    const std::vector<Corners> before = others();
    const RemeshReport r = entry.make({true, false})->remesh({}, 0, sim.model, sim.state);
    EXPECT_EQ(r.changed, !is_none());
    EXPECT_EQ(others(), before);
}

TEST_P(RemesherContract, changes_nothing_where_it_may_edit_nothing)
{
    Simulation sim = waving_sheet();
    const std::uint64_t hash = state_hash(sim.model, sim.state);
    EXPECT_FALSE(entry.make({false})->remesh({}, 0, sim.model, sim.state).changed);
    EXPECT_EQ(state_hash(sim.model, sim.state), hash);
}

TEST_P(RemesherContract, has_the_same_result_with_any_number_of_threads)
{
    std::map<int, std::uint64_t> hashes;
    for (int threads : {1, 2, 8})
        Threads(threads).run([&] {
            Simulation sim = waving_sheet();
            const auto remesher = entry.make({true});
            for (int i = 0; i < 2; ++i) (void)remesher->remesh({}, 0, sim.model, sim.state);
            Simulation tight = simulation_of(test::scroll(60, 0.004));
            (void)remesher->remesh({}, 0, tight.model, tight.state);
            hashes[threads] =
                state_hash(sim.model, sim.state) ^ state_hash(tight.model, tight.state);
        });
    EXPECT_EQ(hashes[1], hashes[2]);
    EXPECT_EQ(hashes[1], hashes[8]);
}

TEST_P(RemesherContract, keeps_held_nodes_and_what_is_between_them_in_place)
{
    Simulation sim = waving_sheet();
    // A line is held with all between its nodes, and one node inside by itself.
    NodeId fixed = no_node;
    std::vector<NodeId> locked;
    std::vector<Vec3> line;
    for (NodeId n : sim.model.mesh.nodes()) {
        const Vec3 x = sim.state.anchor[n];
        if (x[1] == 0) {
            sim.model.region_handles[n] = 1;
            line.push_back(sim.state.x[n]);
            locked.push_back(n);
        }
        if (x[0] == 0.5 && x[1] == 0.5) fixed = n;
    }
    const Vec3 at = sim.state.x[fixed];
    sim.model.node_handles[fixed] = 2;
    locked.push_back(fixed);
    lock_nodes(sim.model.mesh, locked); // as scenes do
    const auto remesher = entry.make({true});
    for (int i = 0; i < 3; ++i) (void)remesher->remesh({}, 0, sim.model, sim.state);
    std::size_t held = 0;
    for (NodeId n : sim.model.mesh.nodes()) {
        if (sim.model.node_handles[n] == 2) {
            ++held;
            EXPECT_EQ(sim.state.x[n], at);
        }
        if (sim.model.region_handles[n] == 0) continue;
        double nearest = 1;
        for (std::size_t i = 0; i + 1 < line.size(); ++i) {
            const Vec3 d = line[i + 1] - line[i], to = sim.state.x[n] - line[i];
            const double t = std::clamp(dot(to, d) / norm2(d), 0.0, 1.0);
            nearest = std::min(nearest, norm(to - t * d));
        }
        EXPECT_LT(nearest, 1e-12);
    }
    EXPECT_EQ(held, 1u);
}

TEST_P(RemesherContract, leaves_no_face_farther_beyond_its_strain_limits)
{
    // In folds, stretched along them and compressed across by nearly as much as is allowed.
    Simulation sim = simulation_of(zoo::grid(30, 8));
    for (Vec3& x : sim.state.x) {
        const double along = x[0] * 10, rest = along - std::floor(along);
        const bool up = int(std::floor(along)) % 2 == 0;
        x = {0.92 * std::cos(0.6) * x[0], 1.08 * x[1],
             0.092 * std::sin(0.6) * (up ? rest : 1 - rest)};
    }
    const StrainLimits limits{-0.1, 0.1};
    for (Material& m : sim.model.materials) m.strain_limits = limits;
    const auto worst = [&] {
        double beyond = 0;
        for (FaceId f : sim.model.mesh.faces()) {
            const Vec2 e = principal_strains(sim, f);
            beyond = std::max({beyond, e[0] - limits.max, limits.min - e[1]});
        }
        return beyond;
    };
    ASSERT_EQ(worst(), 0);
    const auto remesher = entry.make({true});
    for (int i = 0; i < 2; ++i) {
        (void)remesher->remesh({}, 0, sim.model, sim.state);
        EXPECT_LT(worst(), 1e-7);
    }
}

INSTANTIATE_TEST_SUITE_P(All, RemesherContract, testing::Range<std::size_t>(0, entries().size()),
                         [](const auto& i) { return entries()[i.param].name; });

} // namespace
} // namespace pleat
