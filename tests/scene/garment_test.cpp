// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/scene/garment.hpp"

#include "pleat/mesh/mesh.hpp"
#include "pleat/mesh/validate.hpp"
#include "problems.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <map>
#include <numbers>
#include <set>

namespace pleat {
namespace {

using testing::AllOf;
using testing::HasSubstr;

Garment shipped(const std::string& name)
{
    return make_garment(
        read_pattern_file(std::string(PLEAT_SOURCE_DIR) + "/tests/scene/patterns/" + name));
}

Garment made(const std::string& text)
{
    return make_garment(parse_pattern(text, "pattern.json"));
}

double material_area(const Garment& g)
{
    double sum = 0;
    for (const auto& f : g.mesh.face_points) {
        const auto& u = g.mesh.material_u;
        sum += 0.5 * cross(u[f[1]] - u[f[0]], u[f[2]] - u[f[0]]);
    }
    return sum;
}

/// Counts of the sewn surface.
struct Surface {
    std::size_t borders = 0, seams = 0;
    int euler = 0;
    double longest = 0, smallest_angle = std::numbers::pi;
};

Surface surface_of(const Garment& g)
{
    EXPECT_TRUE(find_mesh_problems(g.mesh).empty());
    const Mesh mesh = build_mesh(g.mesh);
    EXPECT_TRUE(validate(mesh).empty());
    Surface s;
    for (EdgeId e : mesh.edges()) {
        s.borders += mesh.is_border(e);
        s.seams += mesh.is_seam(e);
    }
    s.euler = int(mesh.node_count()) - int(mesh.edge_count()) + int(mesh.face_count());
    for (FaceId f : mesh.faces())
        for (std::size_t k = 0; k < 3; ++k) {
            const auto& v = mesh[f].verts;
            const Vec2 p = mesh.u(v[(k + 1) % 3]) - mesh.u(v[k]);
            const Vec2 q = mesh.u(v[(k + 2) % 3]) - mesh.u(v[k]);
            s.longest = std::max(s.longest, norm(p));
            s.smallest_angle = std::min(s.smallest_angle, std::atan2(cross(p, q), dot(p, q)));
        }
    return s;
}

TEST(Garment, a_skirt_with_darts_is_a_tube)
{
    const Garment g = shipped("dart-skirt.json");
    const Surface s = surface_of(g);
    EXPECT_EQ(s.euler, 0); // an annulus
    EXPECT_LE(s.longest, 0.06);
    EXPECT_GT(s.smallest_angle, 0.15);
    EXPECT_EQ(g.seams.size(), 4u); // two darts, two sides
    EXPECT_EQ(g.seams[0].name, "back dart 0");
    EXPECT_NEAR(g.seams[0].length_a, std::hypot(0.02, 0.14), 1e-12);
    // Trapezoids, less the sag of the waist (a quadratic: two thirds of the height) and the darts.
    const double front = 0.5 * (0.46 + 0.36) * 0.6 - 2.0 / 3 * 0.36 * 0.0075;
    const double back = 0.5 * (0.5 + 0.44) * 0.6 - 2 * 0.5 * 0.04 * 0.14;
    EXPECT_NEAR(material_area(g), front + back, 1e-4);
    EXPECT_TRUE(g.notes.empty());
}

TEST(Garment, labels_of_edges_reach_the_nodes)
{
    const Garment g = shipped("dart-skirt.json");
    double length = 0; // of the waist in the world, where it is one ring
    std::size_t count = 0;
    for (std::size_t n = 0; n < g.mesh.node_x.size(); ++n)
        if (g.mesh.node_label[n] == 1) {
            ++count;
            length += g.mesh.node_x[n][2];
        }
    ASSERT_GT(count, 10u);
    EXPECT_NEAR(length / double(count), 1.0, 0.01) << "all at the top, 0.6 m above the centre";
}

TEST(Garment, gathers_a_seam_evenly)
{
    const Garment g = shipped("gathered-skirt.json");
    EXPECT_EQ(surface_of(g).euler, 0);
    ASSERT_EQ(g.seams.size(), 3u);
    EXPECT_NEAR(g.seams[2].ratio(), 1.3, 1e-9);
    EXPECT_TRUE(g.notes.empty()) << "the mismatch is declared";
    // On the waist the skirt's rest lengths are 1.3 times the band's, edge by edge.
    const Mesh mesh = build_mesh(g.mesh);
    std::size_t seen = 0;
    for (EdgeId e : mesh.edges()) {
        if (!mesh.is_seam(e)) continue;
        const auto a = mesh.verts_of(e, 0), b = mesh.verts_of(e, 1);
        const double la = norm(mesh.u(a[0]) - mesh.u(a[1])), lb = norm(mesh.u(b[0]) - mesh.u(b[1]));
        const double ratio = std::max(la, lb) / std::min(la, lb);
        if (mesh.panel(mesh[e].faces[0]) == mesh.panel(mesh[e].faces[1]))
            EXPECT_NEAR(ratio, 1, 1e-9);
        else {
            EXPECT_NEAR(ratio, 1.3, 1e-9);
            ++seen;
        }
    }
    EXPECT_GE(seen, 0.91 / 0.05);
}

TEST(Garment, notes_a_mismatch_that_nobody_asked_for)
{
    const std::string text = R"({"pleat_pattern": 1, "edge_length": 0.3, "panels": [
        {"name": "a", "outline": [{"at": [0, 0]}, {"at": [1, 0], "edge": "s"}, {"at": [1, 1.1]},
                                  {"at": [0, 1]}]},
        {"name": "b", "outline": [{"at": [2, 0]}, {"at": [3, 0]}, {"at": [3, 1]},
                                  {"at": [2, 1], "edge": "s"}]}],
        "seams": [{"name": "middle", "a": "a.s", "b": "b.s"}]})";
    const Garment g = made(text);
    ASSERT_EQ(g.notes.size(), 1u);
    EXPECT_THAT(g.notes[0], HasSubstr("\"middle\": 1100.0 mm eased onto 1000.0 mm (1.10x)"));
}

TEST(Garment, sets_a_sleeve_into_a_curved_armhole)
{
    const Garment g = shipped("armhole.json");
    const Surface s = surface_of(g);
    EXPECT_LE(s.longest, 0.05);
    EXPECT_GT(s.smallest_angle, 0.1);
    // Half a shirt opened out is a sheet; the sleeve adds a tube: one more hole.
    EXPECT_EQ(s.euler, 0);
    ASSERT_EQ(g.seams.size(), 4u);
    EXPECT_LT(g.seams[3].ratio(), 1.02);
    // The underarm is one node on three panels and four verts.
    std::map<std::uint32_t, std::set<std::uint32_t>> verts;
    for (std::size_t f = 0; f < g.mesh.face_nodes.size(); ++f)
        for (std::size_t k = 0; k < 3; ++k)
            verts[g.mesh.face_nodes[f][k]].insert(g.mesh.face_points[f][k]);
    std::size_t most = 0;
    for (const auto& [node, list] : verts) most = std::max(most, list.size());
    EXPECT_EQ(most, 4u);
}

TEST(Garment, leaves_holes_and_closes_darts_inside_a_panel)
{
    const Garment g = shipped("poncho.json");
    EXPECT_EQ(surface_of(g).euler, 0) << "a sheet with one hole; the dart's is sewn up";
    for (const Vec3& x : g.mesh.node_x) EXPECT_NEAR(x[1], 0, 1e-12) << "flat, y up, laid down";
}

TEST(Garment, takes_panels_from_drawings)
{
    const Garment g = shipped("svg-sleeve.json");
    EXPECT_EQ(surface_of(g).euler, 0);
    for (std::size_t n = 0; n < g.mesh.node_x.size(); ++n) {
        const Vec3& x = g.mesh.node_x[n];
        EXPECT_NEAR(std::hypot(x[0], x[1]), 0.0605, 1e-3);
    }
}

TEST(Garment, a_panel_that_is_wrapped_once_around_closes)
{
    const Garment g = shipped("gathered-skirt.json");
    // Angles of the panel "band" start at the front, -y, and go to +x: seen from outside, u runs
    // to the right.
    for (std::size_t f = 0; f < g.mesh.face_nodes.size(); ++f) {
        const auto& n = g.mesh.face_nodes[f];
        const Vec3 a = g.mesh.node_x[n[0]], b = g.mesh.node_x[n[1]], c = g.mesh.node_x[n[2]];
        const Vec3 normal = cross(b - a, c - a), centre = (a + b + c) / 3.0;
        EXPECT_GT(dot(normal, {centre[0], centre[1], 0}), 0) << "normals point outward";
    }
}

TEST(Garment, copies_and_mirrors_panels)
{
    const Garment g = made(R"({"pleat_pattern": 1, "edge_length": 0.5, "panels": [
        {"name": "left", "outline": [{"at": [0, 0]}, {"at": [1, 0]}, {"at": [1.5, 1], "edge": "s"},
                                     {"at": [0, 1], "edge": "m"}]},
        {"name": "right", "copy": "left", "mirror": true}],
        "seams": [{"a": "left.m", "b": "right.m"}]})");
    EXPECT_EQ(surface_of(g).euler, 1);
    EXPECT_NEAR(material_area(g), 2.5, 1e-12);
}

TEST(Garment, the_same_pattern_gives_the_same_bits)
{
    const Garment a = shipped("armhole.json"), b = shipped("armhole.json");
    EXPECT_EQ(a.mesh.node_x, b.mesh.node_x);
    EXPECT_EQ(a.mesh.face_points, b.mesh.face_points);
}

// --- patterns that cannot be sewn ---------------------------------------------------------------

std::string with_panel(const std::string& panel, const std::string& seams = "[]")
{
    return R"({"pleat_pattern": 1, "panels": [)" + panel + R"(], "seams": )" + seams + "}";
}

std::string complaint(const std::string& text)
{
    return complaint_of([&] { (void)made(text); });
}

constexpr const char* square =
    R"({"name": "a", "outline": [{"at": [0, 0], "edge": "s"}, {"at": [1, 0], "edge": "t"},
        {"at": [1, 1], "edge": "u"}, {"at": [0, 1], "edge": "v"}]})";

TEST(GarmentErrors, a_pattern_of_too_many_faces_is_refused_before_it_costs_time)
{
    const std::string big =
        R"({"pleat_pattern": 1, "panels": [{"name": "front", "outline": [{"at": [0, 0]},
            {"at": [50, 0]}, {"at": [50, 70]}, {"at": [0, 70]}]}]})";
    const auto before = std::chrono::steady_clock::now();
    const std::string text = complaint(big);
    EXPECT_LT(std::chrono::steady_clock::now() - before, std::chrono::seconds(10));
    EXPECT_THAT(text, HasSubstr("3.5e+03 m^2 in edges of 50.0 mm"));
    EXPECT_THAT(text, HasSubstr("\"front\", is 50 x 70 m"));
    EXPECT_THAT(text, HasSubstr("at most 500000 faces"));
    EXPECT_THAT(text, HasSubstr("\"unit\": 0.01")) << "it was drawn in centimetres";
    // What is not strangely large needs longer edges.
    const Pattern fine = parse_pattern(with_panel(square), "pattern.json");
    EXPECT_THAT(complaint_of([&] { (void)make_garment(fine, {.most_faces = 1000}); }),
                AllOf(HasSubstr("at most 1000 faces"), HasSubstr("a longer edge_length")));
}

TEST(Garment, the_estimate_of_faces_is_good)
{
    for (const char* name : {"dart-skirt.json", "gathered-skirt.json", "poncho.json"}) {
        Pattern pattern =
            read_pattern_file(std::string(PLEAT_SOURCE_DIR) + "/tests/scene/patterns/" + name);
        pattern.edge_length = 0.03;
        const Garment g = make_garment(pattern);
        const double estimate = estimated_faces(material_area(g), pattern.edge_length);
        EXPECT_NEAR(double(g.mesh.face_nodes.size()) / estimate, 1, 0.1) << name;
    }
}

TEST(Garment, reports_panels_seams_and_girths_and_shows_progress)
{
    // Two panels that taper from 50 to 40 cm around a tube: the ways around are twice as long.
    const std::string panel = R"("outline": [{"at": [-0.25, 0], "edge": "hem"},
        {"at": [0.25, 0], "edge": "left"}, {"at": [0.2, 0.6], "edge": "waist"},
        {"at": [-0.2, 0.6], "edge": "right"}], "placement": {"wrap": {"centre": [0, 0, 1],
        "radius": 0.2, "sector": )";
    const Pattern pattern =
        parse_pattern(with_panel(R"({"name": "front", )" + panel + "[-90, 90]}}}, " +
                                     R"({"name": "back", )" + panel + "[90, 270]}}}",
                                 R"([{"name": "l", "a": "front.left", "b": "back.right"},
                       {"name": "r", "a": "back.left", "b": "front.right"}])"),
                      "pattern.json");
    std::vector<std::string> progress;
    GarmentOptions options;
    options.on_panel = [&](std::size_t done, std::size_t all, const PanelReport& p) {
        progress.push_back(std::to_string(done) + "/" + std::to_string(all) + " " + p.name);
    };
    const Garment g = make_garment(pattern, options);
    EXPECT_EQ(progress, (std::vector<std::string>{"1/2 front", "2/2 back"}));
    ASSERT_EQ(g.panels.size(), 2u);
    EXPECT_NEAR(g.panels[0].width, 0.5, 1e-12);
    EXPECT_NEAR(g.panels[0].height, 0.6, 1e-12);
    EXPECT_NEAR(g.panels[0].area, 0.27, 1e-12);
    EXPECT_EQ(g.panels[0].faces + g.panels[1].faces, g.mesh.face_nodes.size());
    ASSERT_EQ(g.seams.size(), 2u);
    EXPECT_NEAR(g.seams[0].length_a, std::hypot(0.05, 0.6), 1e-12);
    ASSERT_EQ(g.girths.size(), 5u);
    EXPECT_EQ(g.girths[0].name, "opening front.hem + back.hem");
    EXPECT_NEAR(g.girths[0].length, 1.0, 1e-12);
    EXPECT_NEAR(g.girths[1].length, 0.8, 1e-12);
    EXPECT_EQ(g.girths[3].name, "around at height 1.30 m");
    EXPECT_NEAR(g.girths[2].length, 0.95, 2e-3) << "a polygon is a little shorter than the cut";
    EXPECT_NEAR(g.girths[3].length, 0.9, 2e-3);
    EXPECT_NEAR(g.girths[4].length, 0.85, 2e-3);
}

TEST(GarmentErrors, an_outline_that_crosses_itself_names_edges_and_place)
{
    const std::string text = complaint(with_panel(
        R"({"name": "bow", "outline": [{"at": [0, 0], "edge": "one"}, {"at": [2, 2]},
            {"at": [2, 0], "edge": "two"}, {"at": [0, 2]}]})"));
    EXPECT_THAT(text, HasSubstr("panels[0]"));
    EXPECT_THAT(text, HasSubstr("crosses itself"));
    EXPECT_THAT(text, HasSubstr("\"one\""));
    EXPECT_THAT(text, HasSubstr("\"two\""));
    EXPECT_THAT(text, HasSubstr("(1, 1) m"));
}

TEST(GarmentErrors, a_curve_that_bulges_across_another_edge_is_a_crossing)
{
    const std::string text = complaint(with_panel(
        R"({"name": "a", "outline": [{"at": [0, 0], "curve": [[0.5, 2.5]]}, {"at": [1, 0]},
            {"at": [1, 1]}, {"at": [0, 1]}]})"));
    EXPECT_THAT(text, HasSubstr("crosses itself"));
}

TEST(GarmentErrors, a_seam_to_nowhere_names_the_nearest)
{
    EXPECT_THAT(
        complaint(with_panel(square, R"([{"a": "a.s", "b": "b.s"}])")),
        testing::AllOf(HasSubstr("seams[0].b"), HasSubstr("nowhere"), HasSubstr("no panel \"b\"")));
    EXPECT_THAT(
        complaint(with_panel(
            R"({"name": "front", "outline": [{"at": [0, 0], "edge": "waist"}, {"at": [1, 0]},
                {"at": [1, 1]}]})",
            R"([{"a": ["front.wast"], "b": "front.1"}])")),
        testing::AllOf(HasSubstr("seams[0].a[0]"), HasSubstr("no edge \"wast\""),
                       HasSubstr("\"waist\"?")));
}

TEST(GarmentErrors, an_edge_of_no_length_is_named)
{
    const std::string text = complaint(with_panel(
        R"({"name": "a", "outline": [{"at": [0, 0]}, {"at": [1, 0], "edge": "none"},
            {"at": [1, 0]}, {"at": [0, 1]}]})"));
    EXPECT_THAT(text, HasSubstr("panels[0].outline[1]"));
    EXPECT_THAT(text, HasSubstr("\"none\""));
    EXPECT_THAT(text, HasSubstr("no length"));
}

TEST(GarmentErrors, other_patterns_that_cannot_be_sewn)
{
    EXPECT_THAT(complaint(with_panel(square, R"([{"a": "a.s", "b": "a.s"}])")),
                HasSubstr("a second time"));
    EXPECT_THAT(complaint(with_panel(square, R"([{"a": "a.s", "b": "a.t"},
                                                {"a": "a.u", "b": "a.t"}])")),
                testing::AllOf(HasSubstr("seams[1].b"), HasSubstr("a second time")));
    EXPECT_THAT(
        complaint(with_panel(R"({"name": "a", "outline": [{"at": [0, 0]}, {"at": [1, 0]}]})")),
        HasSubstr("2 edges"));
    EXPECT_THAT(complaint(with_panel(
                    R"({"name": "a", "outline": [{"at": [0, 0]}, {"at": [1, 0]}, {"at": [0, 1]}],
                        "holes": [[{"at": [4, 4]}, {"at": [5, 4]}, {"at": [4, 5]}]]})")),
                testing::AllOf(HasSubstr("panels[0].holes[0]"), HasSubstr("outside")));
    EXPECT_THAT(complaint(with_panel(
                    R"({"name": "a", "outline": [{"at": [0, 0], "edge": "s"}, {"at": [1, 0]},
                        {"at": [0, 1]}], "darts": [{"edge": "s", "width": 2, "depth": 0.1}]})")),
                testing::AllOf(HasSubstr("panels[0].darts[0]"), HasSubstr("does not fit")));
    EXPECT_THAT(complaint(with_panel(
                    R"({"name": "a", "outline": [{"at": [0, 0], "edge": "s"}, {"at": [1, 0]},
                        {"at": [0, 1]}], "darts": [{"edge": "s", "width": 0.2, "depth": 3}]})")),
                HasSubstr("crosses itself"));
    EXPECT_THAT(complaint(with_panel(
                    R"({"name": "a", "outline": [{"at": [0, 0], "edge": "s"}, {"at": [9, 0]},
                        {"at": [9, 1], "edge": "t"}, {"at": [0, 1]}]})",
                    R"([{"a": "a.1", "b": "a.s"}])")),
                HasSubstr("fourfold"));
    EXPECT_THAT(complaint(with_panel(R"({"name": "a"})")), HasSubstr("exactly one of them"));
    EXPECT_THAT(complaint(with_panel(R"({"name": "a.b", "path": "M0 0h1v1z"})")),
                HasSubstr("without a dot"));
    EXPECT_THAT(complaint(with_panel(R"({"name": "a", "path": "M0 0h1v1x"})")),
                testing::AllOf(HasSubstr("panels[0].path, character"), HasSubstr("command")));
    EXPECT_THAT(complaint(with_panel(R"({"name": "a", "copy": "b"})")),
                HasSubstr("above this one"));
    EXPECT_THAT(complaint(with_panel(R"({"name": "a", "svg": {"file": "none.svg", "id": "a"}})")),
                HasSubstr("none.svg"));
    EXPECT_THAT(complaint(R"({"pleat_pattern": 2, "panels": []})"), HasSubstr("version"));
    EXPECT_THAT(complaint(R"({"pleat_pattern": 1, "panels": []})"), HasSubstr("at least one"));
    EXPECT_THAT(complaint(R"({"pleat_pattern": 1, "panels": [], "seam": []})"),
                HasSubstr("\"seams\"?"));
}

TEST(GarmentErrors, two_panels_on_top_of_one_another_are_told)
{
    const std::string second =
        R"(, {"name": "b", "outline": [{"at": [0, 0]}, {"at": [1, 0]}, {"at": [1, 1]},
              {"at": [0, 1]}]})";
    EXPECT_THAT(complaint(with_panel(std::string(square) + second)),
                testing::AllOf(HasSubstr("duplicate"), HasSubstr("placed")));
}

} // namespace
} // namespace pleat
