// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Strain limiting and settling as a scene asks for them.
#include "pleat/core/error.hpp"
#include "pleat/mesh/measures.hpp"
#include "pleat/scene/load_scene.hpp"
#include "pleat/sim/audit.hpp"
#include "pleat/sim/frames.hpp"
#include "pleat/sim/run.hpp"
#include "pleat/sim/step.hpp"
#include "pleat/strain_limiting/limited_mesh.hpp"
#include "temporary_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

namespace pleat {
namespace {

using testing::HasSubstr;

/// A strip of 4 x 1 cells, material 1 x 0.25 m, stretched by 30 % along x.
void write_strip(const std::filesystem::path& path)
{
    std::ofstream out(path);
    for (int j = 0; j <= 1; ++j)
        for (int i = 0; i <= 4; ++i) out << "v " << 1.3 * 0.25 * i << " " << 0.25 * j << " 0\n";
    for (int j = 0; j <= 1; ++j)
        for (int i = 0; i <= 4; ++i) out << "vt " << 0.25 * i << " " << 0.25 * j << "\n";
    for (int i = 1; i <= 4; ++i) {
        const int a = i, b = i + 1, c = i + 6, d = i + 5;
        out << "f " << a << "/" << a << " " << b << "/" << b << " " << c << "/" << c << "\n";
        out << "f " << a << "/" << a << " " << c << "/" << c << " " << d << "/" << d << "\n";
    }
}

class StrainScene : public testing::Test {
protected:
    StrainScene() { write_strip(folder.path() / "strip.obj"); }

    [[nodiscard]] SceneDescription scene(const std::string& more) const
    {
        const std::string text =
            R"({"pleat": 1, "gravity": [0, 0, 0], "cloths": [{"mesh": "strip.obj",
                "material": "gray-interlock", "strain_limits": [-0.1, 0.1]}])" +
            more + "}";
        return parse_scene(text, folder.path() / "scene.json");
    }

    TemporaryFolder folder;
};

TEST_F(StrainScene, limits_are_enforced_unless_told_otherwise)
{
    EXPECT_EQ(scene("").strain_limiting.type, "projected_newton");
}

TEST_F(StrainScene, every_type_runs_a_step_and_ends_inside)
{
    for (const char* type :
         {"projected_newton", "augmented_lagrangian", "jacobi", "edge_velocity"}) {
        const SceneDescription d = scene(R"(, "strain_limiting": {"iterations": 5000, "type": ")" +
                                         std::string(type) + R"("})");
        Scene s = load_scene(d);
        Pipeline p = make_pipeline(d);
        const StepReport r = step(s.world, p, s.start, 0.005);
        ASSERT_TRUE(r.accepted()) << type << ": " << r.trouble();
        EXPECT_LE(r.limit.worst_violation, 1e-3) << type;
        EXPECT_EQ(r.limits_after.faces_limited, 8u);
        if (std::string(type) == "edge_velocity") continue; // bounds edges only
        EXPECT_LE(r.limits_after.worst_violation, 1e-3 + 1e-7) << type;
        EXPECT_EQ(r.limits_after.faces_outside, 0u) << type;
    }
}

TEST_F(StrainScene, the_explicit_integrator_comes_with_biphasic_limits_on_edges)
{
    const std::string mixed = R"(, "solver": {"integrator": "mixed_explicit_implicit"})";
    const SceneDescription d = scene(mixed);
    EXPECT_EQ(d.strain_limiting.type, "edge_velocity");
    ASSERT_TRUE(d.strain_limiting.default_limits);
    EXPECT_EQ(*d.strain_limiting.default_limits, (StrainLimits{0, 0.1}));
    EXPECT_EQ(parse_scene(to_json_text(d), d.file), d) << "the resolved scene says so";
    // Its keys alone do not name another limiter.
    EXPECT_EQ(scene(mixed + R"(, "strain_limiting": {"tolerance": 0.01})").strain_limiting.type,
              "edge_velocity");
    // What is named goes before it.
    const SceneDescription named =
        scene(mixed + R"(, "strain_limiting": {"type": "edge_velocity"})");
    EXPECT_FALSE(named.strain_limiting.default_limits);
    EXPECT_EQ(parse_scene(to_json_text(named), named.file), named);
    EXPECT_EQ(scene(mixed + R"(, "strain_limiting": {"type": "none"})").strain_limiting.type,
              "none");
    EXPECT_FALSE(scene("").strain_limiting.default_limits);
}

TEST_F(StrainScene, default_limits_belong_to_edge_velocity)
{
    const SceneDescription d =
        scene(R"(, "strain_limiting": {"type": "edge_velocity", "default_limits": [-0.2, 0.3]})");
    EXPECT_EQ(*d.strain_limiting.default_limits, (StrainLimits{-0.2, 0.3}));
    try {
        (void)scene(R"(, "strain_limiting": {"default_limits": [0, 0.1]})");
        FAIL();
    } catch (const InputError& e) {
        EXPECT_THAT(e.what(), HasSubstr("strain_limiting.default_limits"));
        EXPECT_THAT(e.what(), HasSubstr("edge_velocity"));
    }
}

TEST_F(StrainScene, a_fabric_without_limits_gets_the_default_ones)
{
    // The strip starts stretched by 30 %.
    const std::string text = R"({"pleat": 1, "gravity": [0, 0, 0], "cloths": [{"mesh": "strip.obj",
        "material": "gray-interlock"}], "solver": {"integrator": "mixed_explicit_implicit"},
        "strain_limiting": {"iterations": 5000}})";
    const SceneDescription d = parse_scene(text, folder.path() / "scene.json");
    Scene s = load_scene(d);
    Pipeline p = make_pipeline(d);
    ASSERT_TRUE(advance(s.world, p, s.start, 0.001).ok);
    const Mesh& mesh = s.start.model.mesh;
    for (EdgeId e : mesh.edges()) {
        const double length =
            norm(s.start.state.x[mesh[e].nodes[1]] - s.start.state.x[mesh[e].nodes[0]]);
        EXPECT_LE(length, (1.1 + 2e-3) * material_length(mesh, e, 0));
    }
}

/// A square of n x n cells at height z.
void write_square(const std::filesystem::path& path, int n, double size, double z)
{
    std::ofstream out(path);
    for (int j = 0; j <= n; ++j)
        for (int i = 0; i <= n; ++i)
            out << "v " << size * i / n - size / 2 << " " << size * j / n - size / 2 << " " << z
                << "\nvt " << size * i / n << " " << size * j / n << "\n";
    for (int j = 0; j < n; ++j)
        for (int i = 0; i < n; ++i) {
            const int a = j * (n + 1) + i + 1, b = a + 1, c = b + n + 1, d = a + n + 1;
            out << "f " << a << "/" << a << " " << b << "/" << b << " " << c << "/" << c << "\n";
            out << "f " << a << "/" << a << " " << c << "/" << c << " " << d << "/" << d << "\n";
        }
}

TEST_F(StrainScene, explicit_steps_keep_limits_and_contact_however_long_a_frame_is)
{
    // Two sheets hit a box with sharp edges, in steps of 40 ms that the integrator has to cut into
    // some hundred. With the contacts of the first of these kept for all of them, and limits and
    // impacts applied at the end of the last, the sheets were stretched by 79 % here.
    write_square(folder.path() / "lower.obj", 12, 0.3, 0.1);
    write_square(folder.path() / "upper.obj", 12, 0.3, 0.13);
    std::ofstream box(folder.path() / "box.obj");
    for (int i = 0; i < 8; ++i)
        box << "v " << (i & 1 ? 0.04 : -0.04) << " " << (i & 2 ? 0.03 : -0.03) << " "
            << (i & 4 ? 0.08 : 0.0) << "\n";
    box << "f 1 3 4\nf 1 4 2\nf 5 6 8\nf 5 8 7\nf 1 2 6\nf 1 6 5\nf 3 7 8\nf 3 8 4\nf 1 5 7\n"
           "f 1 7 3\nf 2 4 8\nf 2 8 6\n";
    box.close();
    const std::string cloth = R"("material": {"base": "gray-interlock", "damping": 0.001},
        "strain_limits": [-0.1, 0.1], "velocity": {"linear": [0, 0, )";
    for (const char* contact : {"impact_zones", "impulses"}) {
        const SceneDescription d = parse_scene(
            R"({"pleat": 1, "gravity": [0, 0, -9.8], "cloths": [{"mesh": "lower.obj", )" + cloth +
                R"(-1]}}, {"mesh": "upper.obj", )" + cloth +
                R"(-3]}}], "obstacles": [{"mesh": "box.obj"}],
                "solver": {"integrator": "mixed_explicit_implicit"},
                "strain_limiting": {"type": "edge_velocity"}, "contact": {"type": ")" +
                contact + R"("}})",
            folder.path() / "scene.json");
        Scene s = load_scene(d);
        Pipeline p = make_pipeline(d);
        for (int frame = 0; frame < 4; ++frame) {
            const AdvanceReport r = advance(s.world, p, s.start, 0.04);
            ASSERT_TRUE(r.ok) << r.trouble;
            EXPECT_GT(r.steps, 20) << "each with its own contacts";
            const MeshAudit a = audit(object_meshes(s.world, s.start), 0.005);
            EXPECT_EQ(a.intersections, 0u) << contact << ", frame " << frame;
            EXPECT_LT(a.max_stretch, 0.2) << contact << ", frame " << frame;
        }
    }
}

TEST_F(StrainScene, none_reports_what_is_outside)
{
    const SceneDescription d = scene(R"(, "strain_limiting": {"type": "none"})");
    Scene s = load_scene(d);
    Pipeline p = make_pipeline(d);
    const StepReport r = step(s.world, p, s.start, 1e-5);
    EXPECT_EQ(r.limits_after.faces_outside, 8u);
    EXPECT_NEAR(r.limits_after.worst_violation, 0.2, 0.01);
}

TEST_F(StrainScene, rows_of_frames_count_what_is_beyond_the_limits)
{
    const SceneDescription d = scene("");
    Scene s = load_scene(d);
    Pipeline p = make_pipeline(d);
    s.settings.frames = 1;
    std::vector<FrameStats> rows;
    RunHooks hooks;
    hooks.on_frame = [&](const FrameStats& row) { rows.push_back(row); };
    (void)run(s.world, p, s.start, s.settings, {}, hooks);
    ASSERT_EQ(rows.size(), 2u);
    EXPECT_NEAR(rows[0].frame_excess, 0.2, 1e-9); // as the mesh file has it
    EXPECT_EQ(rows[0].faces_beyond, 8u);
    EXPECT_LE(rows[1].frame_excess, 1e-3 + 1e-7);
    EXPECT_EQ(rows[1].faces_beyond, 0u);
}

TEST_F(StrainScene, components_need_a_method_that_knows_them)
{
    EXPECT_EQ(scene(R"(, "strain_limiting": {"measure": "components"})").strain_limiting.measure,
              "components");
    EXPECT_THROW((void)scene(R"(, "strain_limiting": {"type": "jacobi", "measure": "components"})"),
                 InputError);
    EXPECT_THROW((void)scene(R"(, "strain_limiting": {"type": "newton"})"), InputError);
    EXPECT_THROW((void)scene(R"(, "strain_limiting": {"tolerance": 0})"), InputError);
}

TEST_F(StrainScene, settle_unstrains_before_the_first_frame_and_says_so)
{
    const Scene s = load_scene(scene(R"(, "settle": {}, "handles": [{"nodes": [0, 5]}])"));
    EXPECT_LT(check_limits(s.start.model, s.start.state.x.values, {0, 0}).worst_violation, 0.01);
    EXPECT_EQ(s.start.state.x.values[0], (Vec3{0, 0, 0}));
    EXPECT_EQ(s.start.state.x.values[5], (Vec3{0, 0.25, 0}));
    EXPECT_TRUE(s.start.state.anchor.values == s.start.state.x.values);
    ASSERT_FALSE(s.notes.empty());
    EXPECT_THAT(s.notes.front(), HasSubstr("settled before frame 0: worst strain 30.0 % -> 0."));
}

TEST_F(StrainScene, settle_that_pins_forbid_says_so)
{
    const Scene s = load_scene(scene(R"(, "settle": {"tolerance": 0.02},
                             "handles": [{"nodes": [0, 5]}, {"nodes": [4, 9]}])"));
    ASSERT_FALSE(s.notes.empty());
    EXPECT_THAT(s.notes.front(), HasSubstr("the tolerance of 2.0 % was not reached"));
    EXPECT_EQ(s.start.state.x.values[4], (Vec3{1.3, 0, 0}));
}

TEST_F(StrainScene, resolved_scene_reads_back_the_same)
{
    const SceneDescription d = scene(R"(, "settle": {"tolerance": 0.02, "iterations": 7},
        "strain_limiting": {"type": "augmented_lagrangian", "measure": "components",
                            "tolerance": 0.002, "iterations": 123})");
    const SceneDescription back = parse_scene(to_json_text(d), folder.path() / "resolved.json");
    EXPECT_EQ(back.strain_limiting, d.strain_limiting);
    ASSERT_TRUE(back.settle.has_value());
    EXPECT_EQ(back.settle->tolerance, 0.02);
    EXPECT_EQ(back.settle->iterations, 7);
    EXPECT_FALSE(scene("").settle.has_value());
}

/// 20 x 20 cells of 1 cm, flat and unstrained, about the origin.
void write_sheet(const std::filesystem::path& path)
{
    std::ofstream out(path);
    constexpr int n = 20;
    for (int j = 0; j <= n; ++j)
        for (int i = 0; i <= n; ++i)
            out << "v " << 0.01 * i - 0.1003 << " " << 0.01 * j - 0.1007 << " 0\nvt " << 0.01 * i
                << " " << 0.01 * j << "\n";
    for (int j = 0; j < n; ++j)
        for (int i = 0; i < n; ++i) {
            const int a = j * (n + 1) + i + 1, b = a + 1, c = b + n + 1, d = a + n + 1;
            out << "f " << a << "/" << a << " " << b << "/" << b << " " << c << "/" << c << "\n";
            out << "f " << a << "/" << a << " " << c << "/" << c << " " << d << "/" << d << "\n";
        }
}

TEST_F(StrainScene, what_an_impact_stretches_is_limited_again)
{
    // A tip comes from below and ends 1 cm above the sheet; nobody but impacts sees it.
    write_sheet(folder.path() / "sheet.obj");
    std::ofstream(folder.path() / "tip.obj") << "v -0.03 -0.03 -0.2\nv 0.03 -0.03 -0.2\n"
                                                "v 0 0.04 -0.2\nv 0 0 -0.03\n"
                                                "f 1 2 4\nf 2 3 4\nf 3 1 4\nf 1 3 2\n";
    const SceneDescription d = parse_scene(
        R"({"pleat": 1, "gravity": [0, 0, 0], "cloths": [{"mesh": "sheet.obj",
            "material": "gray-interlock", "strain_limits": [-0.1, 0.1]}],
            "obstacles": [{"mesh": "tip.obj", "motion": [{"time": 0, "translate": [0, 0, 0]},
                {"time": 0.005, "translate": [0, 0, 0.04]}]}],
            "contact": {"thickness": 0.002}})",
        folder.path() / "scene.json");
    Scene s = load_scene(d);
    Pipeline p = make_pipeline(d);
    p.contact_finder = std::make_unique<ContactFinderNone>();
    const StepReport r = step(s.world, p, s.start, 0.005);
    ASSERT_TRUE(r.accepted()) << r.trouble();
    EXPECT_GT(r.impact.impacts, 0u);
    EXPECT_EQ(r.impact.unresolved, 0u);
    EXPECT_LE(r.limits_after.worst_violation, 0.005);
    EXPECT_EQ(audit(object_meshes(s.world, s.start), 0.001).intersections, 0u);
    double highest = 0;
    for (const Vec3& x : s.start.state.x.values) highest = std::max(highest, x[2]);
    EXPECT_GT(highest, 0.008) << "pushed up, not pierced";
}

} // namespace
} // namespace pleat
