// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// A sheet with a slit from its hem to its middle, whose two hem corners are pulled across one
// another: from the scene file to the last frame.
#include "mesh/slit_sheet.hpp"
#include "pleat/core/parallel.hpp"
#include "pleat/export/obj_writer.hpp"
#include "pleat/scene/load_scene.hpp"
#include "pleat/scene/start_check.hpp"
#include "problems.hpp"
#include "temporary_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace pleat {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

struct Played {
    std::size_t crossings = 0; // of all frames
    std::size_t unresolved = 0;
    std::size_t impacts = 0;
    double stretch = 0; // most of any frame
    std::size_t most_faces = 0;
    std::vector<double> kinetic; // by frame [J]
    std::vector<std::uint64_t> hashes;
    State end;
};

class SlitScene {
public:
    /// \param opening of the slit at the start [m]
    explicit SlitScene(int cells, double opening) : sheet_(zoo::slit_sheet(cells, opening))
    {
        write_obj(folder_ / "sheet.obj", view_as_obj(sheet_.input));
    }

    /// The sheet stands upright, held along its top.
    [[nodiscard]] SceneDescription describe(const std::string& more_handles,
                                            const std::string& cloth_keys, int frames) const
    {
        const std::string text =
            R"({"pleat": 1, "fps": 25, "substeps": 8, "frames": )" + std::to_string(frames) +
            R"(, "cloths": [{"name": "sheet", "mesh": "sheet.obj", "material": "gray-interlock",
                 "transform": {"rotate": [90, 1, 0, 0]})" +
            cloth_keys + R"(}], "handles": [
                 {"cloth": "sheet", "box": {"min": [-9, -9, 0.999], "max": [9, 9, 9]}})" +
            more_handles + "]}";
        return parse_scene(text, folder_ / "scene.json");
    }
    [[nodiscard]] SceneDescription pulled(const std::string& cloth_keys, int frames = 40) const
    {
        // First past one another in depth: what is held cannot give way.
        const auto corner = [](std::uint32_t node, const std::string& sign,
                               const std::string& other) {
            return R"(, {"cloth": "sheet", "nodes": [)" + std::to_string(node) +
                   R"(], "motion": [{"time": 0}, {"time": 0.2, "translate": [0, )" + other +
                   R"(0.03, 0]}, {"time": 1.6, "translate": [)" + sign + "0.15, " + other +
                   "0.03, 0]}]}";
        };
        return describe(corner(sheet_.left, "", "") + corner(sheet_.right, "-", "-"), cloth_keys,
                        frames);
    }

    [[nodiscard]] static Played play(const SceneDescription& description, int threads = 2)
    {
        Played played;
        Threads(threads).run([&] {
            Scene scene = load_scene(description);
            check_start(description, scene);
            Pipeline pipeline = make_pipeline(description);
            RunHooks hooks;
            hooks.on_frame = [&](const FrameStats& s) {
                played.crossings += s.audit.intersections;
                played.unresolved += s.unresolved;
                played.impacts += s.impacts;
                played.stretch = std::max(played.stretch, s.audit.max_stretch);
                played.most_faces = std::max(played.most_faces, s.faces);
                played.kinetic.push_back(s.kinetic);
                played.hashes.push_back(s.hash);
            };
            EXPECT_EQ(run(scene.world, pipeline, scene.start, scene.settings, {}, hooks).end,
                      RunEnd::finished);
            played.end = scene.start.state;
        });
        return played;
    }

private:
    TemporaryFolder folder_;
    zoo::SlitSheet sheet_;
};

void expect_apart(const Played& p)
{
    EXPECT_EQ(p.crossings, 0u);
    EXPECT_EQ(p.unresolved, 0u);
    EXPECT_GT(p.impacts, 0u) << "the sides met";
    EXPECT_LT(p.stretch, 0.5) << "each hangs on one node";
}

TEST(Slit, hem_corners_pulled_across_one_another_keep_the_sides_apart)
{
    for (const double opening : {0.0, 0.001}) {
        const SlitScene scene(24, opening);
        expect_apart(SlitScene::play(scene.pulled("")));
    }
}

TEST(Slit, keeps_its_sides_apart_on_an_adaptive_mesh)
{
    const SlitScene scene(8, 0);
    const Played played = SlitScene::play(
        scene.pulled(R"(, "remeshing": {"type": "anisotropic", "edge_length": [0.03, 0.2]})"));
    expect_apart(played);
    EXPECT_GT(played.most_faces, 1000u) << "it was refined from 128 faces";
}

TEST(Slit, keeps_its_sides_apart_with_impulses)
{
    const SlitScene scene(12, 0);
    SceneDescription description = scene.pulled("");
    description.contact.type = "impulses";
    const Played played = SlitScene::play(description);
    EXPECT_EQ(played.crossings, 0u);
}

TEST(Slit, that_starts_closed_stays_quiet_at_rest)
{
    const SlitScene slit(12, 0);
    const Played played =
        SlitScene::play(slit.describe("", R"(, "remeshing": {"type": "none"})", 75));
    EXPECT_EQ(played.crossings, 0u);
    // The scale is the energy of a fall of the sheet (about 0.2 kg) through the thickness, 0.01 J.
    EXPECT_LT(*std::max_element(played.kinetic.end() - 25, played.kinetic.end()), 1e-7);
}

TEST(Slit, has_the_same_bits_for_any_number_of_threads)
{
    const SlitScene scene(8, 0);
    const SceneDescription description =
        scene.pulled(R"(, "remeshing": {"type": "anisotropic", "edge_length": [0.04, 0.2]})", 12);
    const Played one = SlitScene::play(description, 1);
    EXPECT_EQ(SlitScene::play(description, 2).hashes, one.hashes);
    EXPECT_EQ(SlitScene::play(description, 8).hashes, one.hashes);
}

TEST(Slit, that_starts_closed_is_noted_and_opened_by_a_hair)
{
    const SlitScene slit(8, 0);
    const SceneDescription description = slit.describe("", "", 1);
    const Scene scene = load_scene(description);
    EXPECT_THAT(scene.notes, Contains(HasSubstr("8 vertices lie in pairs at the same place along "
                                                "the outline of one panel: taken as a slit")));
    EXPECT_EQ(scene.start.state.x.values, scene.start.state.anchor.values);
    std::size_t opened = 0;
    for (const Vec3& x : scene.start.state.x) // the slit was at x = 0.5
        opened += x[0] != 0.5 && std::abs(x[0] - 0.5) < 1e-4;
    EXPECT_EQ(opened, 8u);
    SceneDescription without = description;
    without.contact.type = "none";
    EXPECT_NE(load_scene(without).start.state.x.values, scene.start.state.x.values);
}

} // namespace
} // namespace pleat
