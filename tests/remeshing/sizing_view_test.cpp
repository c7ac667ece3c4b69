// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/remeshing/sizing_view.hpp"

#include "pleat/geometry/decompose.hpp"
#include "pleat/remeshing/anisotropic.hpp"
#include "pleat/remeshing/node_normals.hpp"
#include "pleat/remeshing/obstacle_tree.hpp"
#include "pleat/remeshing/sizing.hpp"
#include "pleat/remeshing/view_samples.hpp"

#include "mesh/zoo.hpp"
#include "sim/model_of.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <numbers>

namespace pleat {
namespace {

constexpr double right_angle = std::numbers::pi / 2;

/// At the origin, looking along `to`; a frame of 90 by 90 degrees.
CameraTrack camera_towards(const Vec3& to)
{
    CameraTrack track;
    track.keys = {{0, {0, 0, 0}, to, {0, 0, 1}, right_angle, {}}};
    track.aspect = 1;
    track.near = 0.1;
    track.far = 50;
    return track;
}

/// A small triangle at a place, which faces the origin, or not.
std::array<Vec3, 3> triangle_at(const Vec3& p, bool faces = true)
{
    const double s = 1e-6;
    const Vec3 inward = normalized(-1.0 * p);
    const Vec3 a = normalized(cross(inward, Vec3{0.1, 0.2, 1})), b = cross(inward, a);
    if (faces) return {p, p + s * a, p + s * b};
    return {p, p + s * b, p + s * a};
}

double factor_of(const std::array<Vec3, 3>& triangle, const std::vector<CameraTrack>& cameras,
                 double time = 0, const SizingViewOptions& options = {})
{
    return view_factors(std::span(&triangle, 1), cameras, time, options).factor[0];
}

TEST(ViewFactor, is_that_of_front_back_and_out)
{
    const std::vector<CameraTrack> cameras{camera_towards({1, 0, 0})};
    EXPECT_EQ(factor_of(triangle_at({4, 0, 0}), cameras), 1);
    EXPECT_EQ(factor_of(triangle_at({4, 0, 0}, false), cameras), 0.2);
    EXPECT_EQ(factor_of(triangle_at({-4, 0, 0}), cameras), 0.01);
    EXPECT_EQ(factor_of(triangle_at({-4, 0, 0}, false), cameras), 0.01);
    EXPECT_EQ(factor_of(triangle_at({60, 0, 0}), cameras), 0.01); // beyond the far plane
}

TEST(ViewFactor, falls_linearly_over_the_margin_beside_the_frame)
{
    const std::vector<CameraTrack> cameras{camera_towards({1, 0, 0})};
    const Vec3 on_edge{4, 4, 0}, outward = Vec3{-1, 1, 0} / std::sqrt(2.0);
    for (const bool faces : {true, false}) {
        const double inside = faces ? 1 : 0.2;
        for (const double d : {0.0, 0.1, 0.2, 0.3, 0.399, 0.5, 3.0}) {
            const double expected = d < 0.4 ? inside - d / 0.4 * (inside - 0.01) : 0.01;
            EXPECT_NEAR(factor_of(triangle_at(on_edge + d * outward, faces), cameras), expected,
                        1e-5)
                << d;
        }
    }
    // A face that reaches into the frame is in it.
    EXPECT_EQ(factor_of({Vec3{4, 3, 0}, {4, 30, 0}, {4, 30, 5}}, cameras, 0, {1, 1}), 1);
}

TEST(ViewFactor, rises_before_a_cut_and_is_there_at_the_cut)
{
    CameraTrack camera = camera_towards({1, 0, 0});
    camera.keys.push_back(camera.keys.front());
    camera.keys[1].time = 1;
    camera.keys.push_back(camera.keys[1]);
    camera.keys[2].target = {-1, 0, 0};
    const std::array<Vec3, 3> coming = triangle_at({-4, 0, 0}),
                              back = triangle_at({-4, 0, 0}, false);
    EXPECT_NEAR(factor_of(coming, {camera}, 0.79), 0.01, 1e-9);
    double last = 0;
    for (const double ahead : {0.15, 0.1, 0.05, 0.01, 0.003}) {
        const double now = factor_of(coming, {camera}, 1 - ahead);
        EXPECT_NEAR(now, 1 - ahead / 0.2, 1e-9);
        EXPECT_NEAR(factor_of(back, {camera}, 1 - ahead), std::max(0.01, 0.2 * now), 1e-9);
        EXPECT_GT(now, last);
        last = now;
    }
    EXPECT_EQ(factor_of(coming, {camera}, 1), 1);
    // What the cut leaves is coarse at once.
    EXPECT_EQ(factor_of(triangle_at({4, 0, 0}), {camera}, 1 - 1e-9), 1);
    EXPECT_EQ(factor_of(triangle_at({4, 0, 0}), {camera}, 1), 0.01);
    // Without anticipation the cut comes as a surprise.
    SizingViewOptions blind;
    blind.anticipation = 0;
    EXPECT_EQ(factor_of(coming, {camera}, 0.999, blind), 0.01);
}

TEST(ViewFactor, rises_before_a_pan_arrives)
{
    CameraTrack camera = camera_towards({1, 0, 0});
    camera.keys.push_back(camera.keys.front());
    camera.keys[1].time = 1;
    camera.keys[1].target = {-1, 0.02, 0}; // passes (0, 1, 0) at high speed
    const std::array<Vec3, 3> coming = triangle_at({-4, 0.3, 0});
    double least_step = 1, last = 0;
    for (double t = 0; t <= 1.001; t += 0.01) {
        const double now = factor_of(coming, {camera}, t);
        least_step = std::min(least_step, now - last);
        last = now;
        SizingViewOptions blind;
        blind.anticipation = 0;
        EXPECT_GE(now + 1e-12, factor_of(coming, {camera}, t, blind));
    }
    EXPECT_EQ(last, 1);
    EXPECT_GT(least_step, -1e-9);
}

TEST(ViewFactor, is_the_largest_of_several_cameras)
{
    const std::vector<CameraTrack> both{camera_towards({1, 0, 0}), camera_towards({-1, 0, 0})};
    EXPECT_EQ(factor_of(triangle_at({4, 0, 0}), both), 1);
    EXPECT_EQ(factor_of(triangle_at({-4, 0, 0}), both), 1);
    EXPECT_EQ(factor_of(triangle_at({-4, 0, 0}, false), both), 0.2);
    EXPECT_EQ(factor_of(triangle_at({0, 1, 9}), both), 0.01);
}

TEST(ViewSamples, have_a_camera_at_rest_once_and_each_cut)
{
    CameraTrack camera = camera_towards({1, 0, 0});
    EXPECT_EQ(view_samples(std::array{camera}, 0, 0.2).size(), 1u);
    camera.keys.push_back(camera.keys.front());
    camera.keys[1].time = 0.05;
    camera.keys.push_back(camera.keys[1]);
    camera.keys[2].eye = {0, 3, 0};
    const auto samples = view_samples(std::array{camera}, 0, 0.2);
    ASSERT_EQ(samples.size(), 2u);
    EXPECT_NEAR(samples[1].weight, 0.75, 1e-12);
    EXPECT_EQ(samples[1].frustum.eye, (Vec3{0, 3, 0}));
}

/// A tube around the z axis before a camera, so that one half of it faces the camera.
struct TubeScene {
    Simulation sim;
    World world;

    TubeScene()
    {
        MeshInput m = zoo::tube(48, 12);
        for (Vec3& x : m.node_x) { // normals outward whichever way the tube was made
            const double r = std::hypot(x[0], x[1]);
            x = {x[0] / r, x[1] / r, x[2]};
        }
        sim = simulation_of(m);
        CameraTrack camera = camera_towards({1, 0, 0});
        camera.keys[0].eye = {-6, 0, 0.5};
        camera.keys[0].target = {0, 0, 0.5};
        world.cameras = {camera};
    }
    [[nodiscard]] bool is_outward(FaceId f) const
    {
        const auto n = sim.model.mesh.nodes_of(f);
        const Vec3 a = sim.state.x[n[0]], b = sim.state.x[n[1]], c = sim.state.x[n[2]];
        return dot(cross(b - a, c - a), Vec3{a[0], a[1], 0}) > 0;
    }
    [[nodiscard]] std::vector<FaceId> faces() const
    {
        std::vector<FaceId> all;
        for (FaceId f : sim.model.mesh.faces()) all.push_back(f);
        return all;
    }
    [[nodiscard]] ViewFactors factors(const SizingViewOptions& options) const
    {
        const std::vector<FaceId> all = faces();
        const ObstacleTree none;
        const SizingBounds bounds;
        const Field<NodeId, Vec3> normal = node_normals(sim.model.mesh, sim.state.x);
        const Field<FaceId, Mat2> asked(sim.model.mesh.face_count(), FieldRule::area_average);
        return SizingView(options).factors(
            {sim.model, sim.state, world, 0, none, normal, bounds, all, asked});
    }
};

TEST(Silhouettes, keep_seen_faces_and_raise_their_neighbours_to_the_mean)
{
    const TubeScene scene;
    SizingViewOptions options, never;
    never.silhouette = 10;
    const ViewFactors with = scene.factors(options), without = scene.factors(never);
    const Mesh& mesh = scene.sim.model.mesh;
    std::size_t seen = 0, raised = 0;
    for (std::size_t i = 0; i < with.factor.size(); ++i) {
        const auto f = make_id<FaceId>(i);
        if (with.is_seen[i] != 0) {
            ++seen;
            EXPECT_EQ(with.factor[i], 1);
            continue;
        }
        EXPECT_EQ(without.factor[i], 0.2); // in the frame, seen from behind
        bool beside_seen = false;
        for (EdgeId e : mesh[f].edges)
            for (FaceId g : mesh[e].faces)
                beside_seen = beside_seen || (is_some(g) && with.is_seen[index(g)] != 0);
        EXPECT_EQ(with.factor[i], beside_seen ? 0.6 : 0.2);
        raised += beside_seen;
    }
    EXPECT_GT(seen, with.factor.size() / 3);
    EXPECT_GE(raised, 24u); // two lines of 12 rows
    EXPECT_LT(raised, with.factor.size() / 5);
}

TEST(SizingView, scales_the_bounded_sum_and_reaches_beyond_its_bounds)
{
    const TubeScene scene;
    SizingOptions o;
    o.edge_min = 0.02;
    o.edge_max = 0.1;
    SizingByCloth by_cloth{cloth_sizing(o)};
    const auto sized = [&] {
        return face_sizing(scene.sim.model, scene.sim.state, scene.world, 0, {}, by_cloth);
    };
    const FaceSizing plain = sized();
    const SizingViewOptions options;
    by_cloth[0]->metrics.push_back({"view", std::make_shared<SizingView>(options)});
    const FaceSizing viewed = sized();
    const ViewFactors view = scene.factors(options);
    for (FaceId f : scene.sim.model.mesh.faces()) {
        const double nu = view.factor[index(f)];
        EXPECT_EQ(viewed.metric[f], plain.metric[f] * (nu * nu));
        EXPECT_EQ(viewed.asked("view")[f], Mat2{});
    }
    // Larger than edge_max / nu only by the factor.
    const double longest = 1 / std::sqrt(eigen_symmetric(viewed.metric[FaceId{0}]).values[1]);
    EXPECT_GT(longest * std::max(view.factor[0], 0.2), 0.02);
}

TEST(SizingView, does_nothing_without_cameras)
{
    TubeScene scene;
    scene.world.cameras.clear();
    SizingByCloth by_cloth{cloth_sizing({})};
    const FaceSizing plain =
        face_sizing(scene.sim.model, scene.sim.state, scene.world, 0, {}, by_cloth);
    by_cloth[0]->metrics.push_back({"view", std::make_shared<SizingView>(SizingViewOptions{})});
    const FaceSizing viewed =
        face_sizing(scene.sim.model, scene.sim.state, scene.world, 0, {}, by_cloth);
    EXPECT_EQ(viewed.metric, plain.metric);
}

TEST(SizingView, makes_the_unseen_side_coarse_and_keeps_the_seen_side)
{
    TubeScene scene;
    AnisotropicOptions options;
    SizingOptions o;
    o.edge_min = 0.04;
    o.edge_max = 0.4;
    o.aspect_min = 0.5;
    options.sizing = {cloth_sizing(o)};
    const auto counts = [&](const AnisotropicOptions& with) {
        Simulation sim = scene.sim;
        RemesherAnisotropic remesher(with);
        for (int pass = 0; pass < 4; ++pass)
            (void)remesher.remesh(scene.world, 0, sim.model, sim.state);
        std::array<std::size_t, 2> near_far{};
        for (FaceId f : sim.model.mesh.faces()) {
            const auto n = sim.model.mesh.nodes_of(f);
            double x = 0;
            for (NodeId node : n) x += sim.state.x[node][0] / 3;
            if (x < -0.4) ++near_far[0];
            if (x > 0.4) ++near_far[1];
        }
        return near_far;
    };
    const auto plain = counts(options);
    const bool is_outward = scene.is_outward(FaceId{0});
    SizingViewOptions view;
    if (!is_outward) std::swap(view.front, view.back);
    options.sizing[0]->metrics.push_back({"view", std::make_shared<SizingView>(view)});
    const auto viewed = counts(options);
    EXPECT_GT(viewed[0], 0.9 * double(plain[0]));
    EXPECT_LT(viewed[1], 0.3 * double(plain[1]));
}

} // namespace
} // namespace pleat
