// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// The two sides of a cut lie on each other at rest and are still two surfaces.
#include "pleat/contact/slits.hpp"

#include "mesh/slit_sheet.hpp"
#include "pleat/contact/audit.hpp"
#include "pleat/contact/contact_options.hpp"
#include "pleat/contact/impact_detection.hpp"
#include "pleat/contact/proximity.hpp"
#include "sim/model_of.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace pleat {
namespace {

struct SlitModel : Simulation {
    explicit SlitModel(const MeshInput& input) : Simulation(simulation_of(input, "gray-interlock"))
    {}
    [[nodiscard]] AuditReport audited(const MeshInput& input, double gap_cap) const
    {
        AuditMesh mesh;
        mesh.x = state.x.span();
        mesh.triangles = input.face_nodes;
        return audit_intersections(std::span(&mesh, 1), {gap_cap});
    }
};

TEST(OpenSlits, parts_sides_that_lie_on_each_other_and_leaves_the_rest)
{
    constexpr double gap = 1e-5;
    const zoo::SlitSheet sheet = zoo::slit_sheet(8, 0);
    SlitModel slit(sheet.input);
    ASSERT_GT(slit.audited(sheet.input, 1e-3).touching_count, 0u);
    EXPECT_EQ(open_slits(slit.model.mesh, gap, slit.state.x), 8u); // four rows below the middle
    const AuditReport after = slit.audited(sheet.input, 1e-3);
    EXPECT_EQ(after.crossing_count(), 0u);
    EXPECT_EQ(after.touching_count, 0u);
    EXPECT_GT(after.min_gap, 0.5 * gap);
    std::size_t moved = 0;
    for (std::size_t n = 0; n < sheet.input.node_x.size(); ++n) {
        const double move = norm(slit.state.x.values[n] - sheet.input.node_x[n]);
        moved += move > 0;
        EXPECT_LE(move, 0.71 * gap);
    }
    EXPECT_EQ(moved, 8u);
    EXPECT_EQ(open_slits(slit.model.mesh, 0.9 * gap, slit.state.x), 0u) << "it is open";
}

TEST(OpenSlits, leaves_slits_that_are_open_and_sheets_without_one)
{
    for (const MeshInput& input : {zoo::slit_sheet(8, 1e-3).input, zoo::grid(8, 8)}) {
        SlitModel sheet(input);
        EXPECT_EQ(open_slits(sheet.model.mesh, 1e-5, sheet.state.x), 0u);
        EXPECT_EQ(sheet.state.x.values, input.node_x);
    }
}

TEST(OpenSlits, parts_sides_with_different_vertices)
{
    // Two squares joined at the top; the left one has a vertex in the middle of its side of the
    // cut.
    MeshInput m;
    m.node_x = {{-1, 0, 0}, {0, 0, 0},   {0, 1, 0}, {-1, 1, 0}, {0, 0.5, 0}, // left
                {0, 0, 0},  {1, 0, 0},   {1, 1, 0}, {0, 1, 0},               // right
                {-1, 2, 0}, {0, 1.5, 0}, {1, 2, 0}, {0, 2, 0}};
    m.face_nodes = {{0, 1, 4},  {0, 4, 3},   {4, 2, 3},  {5, 6, 7},   {5, 7, 8},   {3, 2, 9},
                    {2, 10, 9}, {10, 12, 9}, {8, 7, 11}, {8, 11, 10}, {10, 11, 12}};
    for (const Vec3& p : m.node_x) m.material_u.push_back({p[0], p[1]});
    m.face_points = m.face_nodes;
    SlitModel slit(m);
    ASSERT_GT(slit.audited(m, 1e-3).touching_count, 0u);
    EXPECT_EQ(open_slits(slit.model.mesh, 1e-5, slit.state.x), 5u);
    const AuditReport after = slit.audited(m, 1e-3);
    EXPECT_EQ(after.crossing_count() + after.touching_count, 0u);
    EXPECT_GT(after.min_gap, 4e-6);
}

/// Moves each flap sideways by `shift` at its hem, less toward the end of the slit.
std::vector<Vec3> flaps_moved(const MeshInput& m, const Vec3& shift)
{
    std::vector<Vec3> x = m.node_x;
    std::vector<std::uint8_t> is_right(x.size(), 0);
    for (const auto& f : m.face_nodes) {
        double centre = 0;
        for (const std::uint32_t n : f) centre += m.material_u[n][0] / 3;
        for (const std::uint32_t n : f) is_right[n] |= centre > 0.5;
    }
    for (std::size_t n = 0; n < x.size(); ++n)
        if (m.material_u[n][1] < 0.5)
            x[n] += (1 - 2 * m.material_u[n][1]) * (is_right[n] != 0 ? -1.0 : 1.0) * shift;
    return x;
}

TEST(Slit, sides_that_pass_through_one_another_are_impacts)
{
    const zoo::SlitSheet sheet = zoo::slit_sheet(8, 1e-4);
    const SlitModel slit(sheet.input);
    ImpactDetector detector{ContactOptions{}};
    const auto unlimited = [](const FeaturePair&) { return 1.0; };
    // In the plane, and one over the other to one under the other.
    struct Way {
        Vec3 from, to;
    };
    for (const Way& way : {Way{{}, {0.02, 0, 0}}, Way{{0.02, 0, 0.003}, {0.02, 0, -0.003}}}) {
        const auto x0 = flaps_moved(sheet.input, way.from), x1 = flaps_moved(sheet.input, way.to);
        detector.begin(slit.model, {}, {}, x0, x1);
        const auto hits = detector.detect_all(unlimited);
        EXPECT_GT(hits.size(), 4u);
        for (const ImpactHit& hit : hits) EXPECT_GT(hit.separation, 0);
    }
    const auto apart = flaps_moved(sheet.input, {-0.02, 0, 0.01});
    detector.begin(slit.model, {}, {}, slit.state.x.span(), apart);
    EXPECT_TRUE(detector.detect_all(unlimited).empty());
}

TEST(Slit, sides_that_lie_over_one_another_repel)
{
    // The flaps reach 2 cm over each other, 1 mm apart: far from where they touch at rest.
    const zoo::SlitSheet sheet = zoo::slit_sheet(8, 0);
    SlitModel slit(sheet.input);
    slit.state.x.values = flaps_moved(sheet.input, {0.02, 0, 0.0005});
    ContactFinderProximity finder(ContactOptions{});
    World still;
    still.gravity = {};
    Contacts contacts;
    (void)finder.find(slit.model, slit.state, still, {}, 0.005, contacts);
    EXPECT_GT(contacts.proximities.size(), 4u);
}

TEST(Slit, sides_at_rest_neither_repel_nor_hit)
{
    const zoo::SlitSheet sheet = zoo::slit_sheet(8, 0);
    SlitModel slit(sheet.input);
    const ContactOptions options;
    ASSERT_GT(open_slits(slit.model.mesh, options.slit_opening(), slit.state.x), 0u);
    ImpactDetector detector{options};
    detector.begin(slit.model, {}, {}, slit.state.x.span(), slit.state.x.span());
    EXPECT_TRUE(detector.detect_all([](const FeaturePair&) { return 1.0; }).empty());
    ContactFinderProximity finder(options);
    World still;
    still.gravity = {};
    Contacts contacts;
    (void)finder.find(slit.model, slit.state, still, {}, 0.005, contacts);
    EXPECT_TRUE(contacts.proximities.empty());
}

} // namespace
} // namespace pleat
