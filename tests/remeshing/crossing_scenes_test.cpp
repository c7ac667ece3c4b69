// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// The folded, layered and pressed scenes of contact on meshes that change: after every remeshing
// nothing crosses, whichever strategy keeps it so. Small ones always, larger ones as "Long".
#include "contact/shapes.hpp"
#include "contact/stage.hpp"
#include "pleat/mesh/validate.hpp"
#include "pleat/remeshing/anisotropic.hpp"
#include "pleat/scene/material_file.hpp"
#include "pleat/sim/adapt.hpp"
#include "pleat/sim/audit.hpp"
#include "pleat/sim/frames.hpp"
#include "pleat/sim/step.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace pleat::test {
namespace {

using testing::IsEmpty;

/// Plays with a remeshing every eight steps and looks after each.
void play_remeshed(Stage& stage, CrossingStrategy crossings, double edge_min, double seconds)
{
    AnisotropicOptions options;
    SizingOptions sizing;
    sizing.edge_min = edge_min;
    sizing.edge_max = 10 * edge_min;
    options.sizing.assign(stage.sim.model.cloths.size(), cloth_sizing(sizing));
    options.edit.crossings = crossings;
    stage.pipeline.remesher = std::make_unique<RemesherAnisotropic>(options);
    const double mass = total_mass(stage.sim.model);
    RemeshReport total;
    double ms_steps = 0, ms_adapt = 0;
    const auto frames = int(std::lround(seconds / 0.04));
    for (int frame = 0; frame <= frames; ++frame) {
        for (int s = 0; s < 8 && frame > 0; ++s) {
            const AdvanceReport r = advance(stage.world, stage.pipeline, stage.sim, 0.005);
            ASSERT_TRUE(r.ok) << r.trouble;
            ASSERT_EQ(r.unresolved, 0u);
            for (double ms : r.times.ms) ms_steps += ms;
        }
        ASSERT_EQ(audit(object_meshes(stage.world, stage.sim), 0).intersections, 0u);
        const AdaptReport adapted = adapt(stage.world, stage.pipeline, stage.sim);
        total += adapted.remesh;
        for (double ms : adapted.times.ms) ms_adapt += ms;
        ASSERT_EQ(audit(object_meshes(stage.world, stage.sim), 0).intersections, 0u)
            << "after the remeshing of frame " << frame;
        ASSERT_THAT(validate(stage.sim.model.mesh), IsEmpty());
        EXPECT_NEAR(total_mass(stage.sim.model), mass, 1e-12 * mass);
    }
    const std::size_t edits = total.splits + total.flips + total.collapses;
    EXPECT_GT(edits, 100u);
    // What docs/remeshing.md says of the two strategies.
    const auto record = [&](const std::string& what, const std::string& value) {
        testing::Test::RecordProperty(
            what + (crossings == CrossingStrategy::guard ? "_with_guard" : "_with_separate"),
            value);
    };
    record("edits", std::to_string(edits));
    record("crossings", std::to_string(total.crossings));
    record("refused", std::to_string(total.refused));
    record("kept", std::to_string(total.kept));
    record("faces", std::to_string(stage.sim.model.mesh.face_count()));
    record("remesh_ms_a_frame", std::to_string(ms_adapt / (frames + 1)));
    record("separate_ms_a_frame", std::to_string(total.ms_separate / (frames + 1)));
    record("share", std::to_string(ms_adapt / (ms_adapt + ms_steps)));
}

constexpr CrossingStrategy both[] = {CrossingStrategy::guard, CrossingStrategy::separate};

/// A strip laid in layers that are joined by half circles.
SheetPlan folded_strip(std::size_t columns, std::size_t rows, std::size_t layers, double gap,
                       double length, double width)
{
    const double turn = std::numbers::pi * gap / 2;
    const double run = (length - turn * double(layers - 1)) / double(layers);
    return {columns, rows, length, width, [=](const Vec2& u) {
                const auto layer = std::min(std::size_t(u[0] / (run + turn)), layers - 1);
                const double along = u[0] - double(layer) * (run + turn);
                double x = std::min(along, run), z = gap * double(layer);
                if (along > run) {
                    const double a = (along - run) / (gap / 2);
                    x += gap / 2 * std::sin(a);
                    z += gap / 2 * (1 - std::cos(a));
                }
                return Vec3{layer % 2 == 1 ? run - x : x, u[1], z + 0.01};
            }};
}

/// \param size 1 has about 6000 faces
void fold_settles(double size, double seconds)
{
    const auto cells = [&](double n) { return std::size_t(std::lround(n * size)); };
    for (const CrossingStrategy strategy : both) {
        Stage stage = make_stage({folded_strip(cells(240), cells(24), 4, 0.02, 0.8, 0.1)},
                                 fabric("gray-interlock"), {.thickness = 0.004});
        stage.world.obstacles = {floor_at(0)};
        play_remeshed(stage, strategy, 0.006 / size, seconds);
    }
}

void stack_is_pressed(double size, double seconds)
{
    const auto cells = [&](double n) { return std::size_t(std::lround(n * size)); };
    for (const CrossingStrategy strategy : both) {
        Stage stage = make_stage({folded_strip(cells(400), cells(50), 8, 0.012, 0.8, 0.1)},
                                 fabric("gray-interlock"), {.thickness = 0.004});
        Obstacle press = box({-0.1, -0.1, 0}, {0.2, 0.2, 0.05});
        press.motion = slide({{0, {0, 0, 0.13}}, {0.35, {0, 0, 0.03}}, {0.5, {0, 0, 0.03}}});
        stage.world.obstacles = {press, floor_at(0)};
        play_remeshed(stage, strategy, 0.004 / size, seconds);
    }
}

void sheets_make_a_pile(std::size_t cells, int count, double edge_min, double seconds)
{
    for (const CrossingStrategy strategy : both) {
        std::vector<SheetPlan> sheets;
        for (int k = 0; k < count; ++k)
            sheets.push_back({cells, cells, 0.3, 0.3, [k](const Vec2& u) {
                                  const Vec3 p{u[0] - 0.15, u[1] - 0.15, 0};
                                  return rotate(rotation_about({0, 0, 1}, 0.7 * k), p) +
                                         Vec3{0, 0, 0.06 + 0.012 * k};
                              }});
        Stage stage = make_stage(sheets, fabric("gray-interlock"), {});
        stage.world.obstacles = {box({-0.06, -0.06, 0}, {0.06, 0.06, 0.05}), floor_at(0)};
        play_remeshed(stage, strategy, edge_min, seconds);
    }
}

TEST(CrossingScenes, a_fold_that_settles_is_free_of_intersections_after_every_remesh)
{
    fold_settles(0.25, 0.32);
}
TEST(CrossingScenes, a_pressed_stack_is_free_of_intersections_after_every_remesh)
{
    stack_is_pressed(0.2, 0.4);
}
TEST(CrossingScenes, a_pile_is_free_of_intersections_after_every_remesh)
{
    sheets_make_a_pile(6, 4, 0.03, 0.32);
}

TEST(CrossingScenesLong, a_fold_that_settles_is_free_of_intersections_after_every_remesh)
{
    fold_settles(1, 1);
}
TEST(CrossingScenesLong, a_pressed_stack_is_free_of_intersections_after_every_remesh)
{
    stack_is_pressed(0.6, 0.6);
}
TEST(CrossingScenesLong, a_pile_is_free_of_intersections_after_every_remesh)
{
    sheets_make_a_pile(16, 10, 0.012, 0.6);
}

} // namespace
} // namespace pleat::test
