// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Floors without end: geometry, cloth on them, the audit.
#include "pleat/contact/half_space.hpp"
#include "pleat/model/shapes.hpp"

#include "contact/shapes.hpp"
#include "contact/stage.hpp"
#include "pleat/contact/audit.hpp"
#include "pleat/contact/untangle.hpp"
#include "pleat/model/obstacle_sample.hpp"
#include "pleat/scene/material_file.hpp"
#include "pleat/sim/audit.hpp"
#include "pleat/sim/frames.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace pleat::test {
namespace {

// Far from the square that pictures show: contact knows no end.
constexpr Vec3 away{30, -20, 0};

Stage sheet_over(const Vec3& corner, const Vec3& velocity, const ContactOptions& contact)
{
    return make_stage({{16, 16, 0.32, 0.32,
                        [corner](const Vec2& u) {
                            return corner + Vec3{u[0], u[1], 0};
                        },
                        velocity}},
                      fabric("camel-ponte-roma"), contact);
}

Vec3 mean_velocity(const Stage& stage)
{
    return linear_momentum(stage.sim.model, stage.sim.state) / total_mass(stage.sim.model);
}

TEST(HalfSpace, is_shown_as_a_square_that_turns_about_its_normal)
{
    const Obstacle o = make_half_space("p", {1, 2, 3}, {1, -2, 0.5}, 2);
    const Vec3 n = normalized(Vec3{1, -2, 0.5});
    Vec3 centre{};
    for (const Vec3& x : o.x) {
        EXPECT_NEAR(dot(n, x - Vec3{1, 2, 3}), 0, 1e-15);
        centre += 0.25 * x;
    }
    EXPECT_NEAR(norm(centre - Vec3{1, 2, 3}), 0, 1e-15);
    EXPECT_NEAR(norm(o.x[1] - o.x[0]), 2, 1e-15);
    EXPECT_GT(dot(n, cross(o.x[1] - o.x[0], o.x[2] - o.x[0])), 3.99);
}

TEST(HalfSpace, height_and_weights_give_the_gap)
{
    std::mt19937 random(3);
    std::uniform_real_distribution<double> in(-1, 1);
    for (int i = 0; i < 1000; ++i) {
        std::array<Vec3, 4> x;
        for (Vec3& p : x) p = {in(random), in(random), in(random)};
        x[0] *= 50;
        const PlaneHeight h = height_above(x);
        Vec3 gap{};
        double sum = 0;
        for (std::size_t k = 0; k < 4; ++k) {
            gap += h.weights[k] * x[k];
            sum += h.weights[k];
        }
        const double size = norm2(x[2] - x[1]) / norm(cross(x[2] - x[1], x[3] - x[1]));
        EXPECT_NEAR(norm(gap - h.height * h.normal), 0, 1e-11 * (1 + size * size));
        EXPECT_NEAR(sum, 0, 1e-9 * (1 + size));
    }
}

TEST(HalfSpace, impacts_are_found_also_where_only_the_turning_plane_dips_over_the_node)
{
    const std::array<Vec3, 4> x0 = {Vec3{0, 0, 0.01}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    auto x1 = x0;
    x1[0][2] = 0.001;
    EXPECT_FALSE(plane_impact(x0, x1, 0.0005, 0.001).impact.hit);
    x1[0][2] = 0.0004;
    const PlaneImpact hit = plane_impact(x0, x1, 0.0005, 0.001);
    EXPECT_TRUE(hit.impact.hit);
    EXPECT_EQ(hit.target, 0.001);
    x1[0][2] = -7;
    EXPECT_TRUE(plane_impact(x0, x1, 0.0005, 0.001).impact.hit);

    // A node that slides out along x while the plane tips about y: at both ends it is above.
    const std::array<Vec3, 4> from = {Vec3{-1, 0, 0.05}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    const std::array<Vec3, 4> to = {Vec3{1, 0, 0.05}, {0, 0, 0}, {1, 0, -0.3}, {0, 1, 0}};
    const PlaneImpact clear = plane_impact(from, to, 0.0005, 0.001);
    EXPECT_FALSE(clear.impact.hit) << "lower on the side to which it goes";
    // Rising on the side that the node leaves, faster than it leaves.
    const std::array<Vec3, 4> left = {Vec3{1, 0, 0.05}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    const std::array<Vec3, 4> went = {Vec3{-1, 0, 0.05}, {0, 0, 0}, {1, 0, 0.5}, {0, 1, 0}};
    ASSERT_GT(height_above(left).height, 0.04);
    ASSERT_GT(height_above(went).height, 0.04);
    EXPECT_TRUE(plane_impact(left, went, 0.0005, 0.001).impact.hit);
    // Raised by what the impacts ask for, a few times over, it passes above.
    auto raised = went;
    int rounds = 0;
    for (; rounds < 5; ++rounds) {
        const PlaneImpact dip = plane_impact(left, raised, 0.0005, 0.001);
        if (!dip.impact.hit) break;
        raised[0] += (dip.target - height_above(raised).height) * dip.impact.normal;
    }
    EXPECT_LT(rounds, 5);
    for (int i = 0; i <= 1000; ++i) {
        std::array<Vec3, 4> at;
        for (std::size_t k = 0; k < 4; ++k) at[k] = left[k] + (i / 1000.0) * (raised[k] - left[k]);
        EXPECT_GT(height_above(at).height, 0);
    }
}

TEST(HalfSpace, carries_a_sheet_at_rest_where_the_square_ends)
{
    Stage stage = sheet_over(away + Vec3{0, 0, 0.005}, {}, {});
    stage.world.obstacles = {make_half_space("floor", {}, {0, 0, 1}, 1)};
    EXPECT_EQ(play(stage, 0.3).intersections, 0u);
    const auto before = stage.sim.state.x;
    const Outcome o = play(stage, 0.5);
    EXPECT_EQ(o.intersections, 0u);
    EXPECT_EQ(o.impacts, 0u);
    for (NodeId n : stage.sim.model.mesh.nodes()) {
        EXPECT_LT(norm(stage.sim.state.x[n] - before[n]), 1e-4);
        EXPECT_GT(stage.sim.state.x[n][2], 0.003);
    }
}

TEST(HalfSpace, stops_a_sheet_at_twenty_metres_a_second)
{
    for (const double tilt : {0.0, 0.9}) {
        Stage stage = make_stage(
            {{16,
              16,
              0.32,
              0.32,
              [&](const Vec2& u) {
                  return away + Vec3{u[0], std::cos(tilt) * u[1], 0.3 + std::sin(tilt) * u[1]};
              },
              {0, 0, -20}}},
            fabric("camel-ponte-roma"), {});
        stage.world.obstacles = {make_half_space("floor", {}, {0, 0, 1}, 1)};
        const Outcome o = play(stage, 0.3, 0.005, 1);
        EXPECT_TRUE(o.ok) << o.trouble;
        EXPECT_EQ(o.intersections, 0u);
        EXPECT_EQ(o.unresolved, 0u);
        for (const Vec3& x : stage.sim.state.x) EXPECT_GT(x[2], 0);
        EXPECT_LT(std::abs(mean_velocity(stage)[2]), 1);
    }
}

TEST(HalfSpace, tilted_holds_below_the_angle_of_friction_and_lets_go_above)
{
    constexpr double friction = 0.4;
    for (const double share : {0.95, 1.05}) {
        const double angle = share * std::atan(friction);
        const Vec3 normal{std::sin(angle), 0, std::cos(angle)};
        const Vec3 down{std::cos(angle), 0, -std::sin(angle)}; // the slope
        Stage stage = make_stage({{16, 16, 0.32, 0.32,
                                   [&](const Vec2& u) {
                                       return u[0] * down + Vec3{0, u[1], 0} + 0.005 * normal;
                                   }}},
                                 fabric("camel-ponte-roma"), {.friction = 0});
        stage.world.obstacles = {make_half_space("slope", {}, normal, 1)};
        stage.world.obstacles[0].friction = friction;
        EXPECT_EQ(play(stage, share < 1 ? 0.5 : 1.5).intersections, 0u);
        const double speed = dot(mean_velocity(stage), down);
        if (share < 1)
            EXPECT_LT(speed, 1e-3);
        else
            EXPECT_GT(speed, 0.02);
    }
}

TEST(HalfSpace, that_rises_and_turns_takes_the_cloth_along)
{
    Stage stage = sheet_over({1, 1, 0.005}, {}, {.friction = 1});
    stage.world.obstacles = {make_half_space("lift", {}, {0, 0, 1}, 1)};
    Motion& motion = stage.world.obstacles[0].motion;
    for (int i = 0; i <= 50; ++i) {
        const double t = 0.02 * i;
        motion.keys.push_back(
            {t, {{0, 0, t * t}, rotation_about({0, 1, 0}, -0.4 * std::sin(3 * t)), 1}});
    }
    const Outcome o = play(stage, 0.9, 0.005, 1);
    EXPECT_TRUE(o.ok) << o.trouble;
    EXPECT_EQ(o.intersections, 0u);
    EXPECT_EQ(o.unresolved, 0u);
    const std::vector<Vec3> plane = points_at(stage.world.obstacles[0], stage.sim.time);
    for (const Vec3& x : stage.sim.state.x) {
        const double h = height_above({x, plane[0], plane[1], plane[2]}).height;
        EXPECT_GT(h, 0);
        EXPECT_LT(h, 0.05) << "it rides on the plane";
    }
}

TEST(HalfSpace, and_a_plate_that_comes_down_do_not_let_the_cloth_through)
{
    Stage stage = sheet_over({-0.16, -0.16, 0.01}, {}, {});
    stage.world.obstacles = {make_half_space("floor", {}, {0, 0, 1}, 1),
                             box({-0.1, -0.1, 0.1}, {0.1, 0.1, 0.2})};
    stage.world.obstacles[1].motion = slide({{0, {}}, {0.2, {0, 0, -0.092}}, {0.4, {0, 0, 0}}});
    const Outcome o = play(stage, 0.4, 0.005, 1);
    EXPECT_TRUE(o.ok) << o.trouble;
    EXPECT_EQ(o.intersections, 0u);
}

TEST(HalfSpace, what_is_below_it_crosses_in_the_audit)
{
    const std::vector<Vec3> x = {{0, 0, 0.1}, {1, 0, 0.1}, {0, 1, 0.2}, {5, 5, -1},
                                 {6, 5, -1},  {5, 6, -2},  {9, 9, 0.1}, {9, 8, -1e-300}};
    const std::vector<TriangleIndices> faces = {{0, 1, 2}, {3, 4, 5}, {0, 6, 7}};
    const Obstacle floor = make_half_space("floor", {}, {0, 0, 1}, 1);
    const AuditMesh meshes[] = {{x, faces, 4, false},
                                {floor.x, floor.faces, 9, true, floor.planes}};
    const AuditReport r = audit_intersections(meshes, {.gap_cap = 1});
    EXPECT_EQ(r.obstacle_crossing_count, 2u);
    ASSERT_EQ(r.crossings.size(), 2u);
    EXPECT_EQ(r.crossings[0], (FacePair{4, 1, 9, 0})) << "all of it below, far from the square";
    EXPECT_EQ(r.crossings[1], (FacePair{4, 2, 9, 0})) << "by the smallest of numbers";
    const AuditMesh one[] = {{x, std::span(faces).first(1), 4, false},
                             {floor.x, floor.faces, 9, true, floor.planes}};
    EXPECT_DOUBLE_EQ(audit_intersections(one, {.gap_cap = 1}).min_gap, 0.1);
    EXPECT_TRUE(std::isinf(audit_intersections(one, {.gap_cap = 0.05}).min_gap));
}

TEST(HalfSpace, cloth_that_starts_in_it_is_lifted_out_layer_by_layer)
{
    // A sheet folded in two, half of it below the floor.
    Stage stage =
        make_stage({{20, 8, 0.5, 0.2,
                     [](const Vec2& u) {
                         const double s = u[0] - 0.25;
                         return away + Vec3{std::abs(s), u[1], -0.02 + (s > 0 ? 0.02 : -0.02)};
                     }}},
                   fabric("camel-ponte-roma"), {});
    stage.world.obstacles = {make_half_space("floor", {}, {0, 0, 1}, 1)};
    const auto obstacles = sample_obstacles(stage.world, 0, 0);
    EXPECT_GT(audit(object_meshes(stage.world, stage.sim), 0).intersections, 100u);
    const UntangleReport r =
        untangle(stage.sim.model, stage.world, obstacles, {}, {}, stage.sim.state);
    EXPECT_TRUE(r.ok);
    EXPECT_GT(r.crossings_before, 100u);
    EXPECT_EQ(audit(object_meshes(stage.world, stage.sim), 0).intersections, 0u);
    EXPECT_EQ(play(stage, 0.3).intersections, 0u);
}

} // namespace
} // namespace pleat::test
