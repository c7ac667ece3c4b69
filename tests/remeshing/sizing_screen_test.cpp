// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/remeshing/sizing_screen.hpp"

#include "pleat/geometry/decompose.hpp"
#include "pleat/remeshing/anisotropic.hpp"
#include "pleat/remeshing/sizing.hpp"

#include "mesh/zoo.hpp"
#include "remeshing/subject.hpp"
#include "sim/model_of.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <random>

namespace pleat {
namespace {

double difference(const Mat2& a, const Mat2& b)
{
    double sum = 0;
    for (std::size_t i = 0; i < 4; ++i) sum += std::abs(a.e[i] - b.e[i]);
    return sum;
}

/// Looks down at the origin from a height.
CameraTrack camera_above(double height)
{
    CameraTrack track;
    track.keys = {{0, {0.5, 0.5, height}, {0.5, 0.5, 0}, {0, 1, 0}, 0.6, {}}};
    return track;
}

TEST(CappedOnScreen, is_what_the_paper_computes_where_the_map_is_invertible)
{
    std::mt19937 random(3);
    std::uniform_real_distribution<double> real(-1, 1);
    for (int i = 0; i < 200; ++i) {
        const Mat2 s{{real(random), real(random), real(random), real(random)}};
        if (std::abs(determinant(s)) < 0.05) continue;
        const Mat2 m = test::tensor(3 * real(random), 0.2 + 0.1 * real(random), 0.05);
        const double most = 30 + 25 * real(random);
        // [Koh2015] eqs. 5 to 8
        const Mat2 back = inverse(s);
        const EigenSym2 e = eigen_symmetric(transpose(back) * m * back);
        Mat2 capped{};
        for (std::size_t k = 0; k < 2; ++k) {
            const Vec2 q = column(e.vectors, k);
            capped += outer(q, q) * std::min(e.values[k], most);
        }
        const Mat2 expected = transpose(s) * capped * s;
        EXPECT_LT(difference(capped_on_screen(m, s, most), expected), 1e-8);
    }
}

TEST(CappedOnScreen, keeps_a_metric_whose_edges_are_long_enough)
{
    const Mat2 m = test::tensor(0.4, 0.2, 0.05), s{{0.5, 0.1, -0.2, 0.4}};
    EXPECT_LT(difference(capped_on_screen(m, s, 1e6), m), 1e-10);
}

TEST(CappedOnScreen, takes_a_map_that_is_singular)
{
    const Mat2 m = test::tensor(0, 0.1, 0.1);
    // Only u[0] is seen: nothing is asked across.
    const Mat2 edge_on = capped_on_screen(m, {{1, 0, 0, 0}}, 25);
    EXPECT_LT(difference(edge_on, {{25, 0, 0, 0}}), 1e-9);
    EXPECT_LT(difference(capped_on_screen(m, Mat2{}, 25), Mat2{}), 1e-12);
}

TEST(FinerOf, asks_for_at_least_both)
{
    std::mt19937 random(5);
    std::uniform_real_distribution<double> real(-1, 1);
    for (int i = 0; i < 200; ++i) {
        const Mat2 a = test::tensor(3 * real(random), 0.3, 0.1 + 0.05 * real(random));
        const Mat2 b = test::tensor(3 * real(random), 0.2, 0.1 + 0.05 * real(random));
        const Mat2 c = finer_of(a, b);
        EXPECT_GT(eigen_symmetric(c - a).values[1], -1e-9);
        EXPECT_GT(eigen_symmetric(c - b).values[1], -1e-9);
        EXPECT_LT(difference(c, finer_of(b, a)), 1e-7);
        EXPECT_LT(determinant(c), determinant(a + b));
    }
    EXPECT_LT(difference(finer_of(identity<2>(), Mat2{}), identity<2>()), 1e-12);
}

/// A square of 1 m before cameras.
struct ScreenScene {
    Simulation sim = simulation_of(zoo::grid(4, 4));
    World world;

    [[nodiscard]] FaceSizing sized(const SizingScreenOptions& options, double time = 0) const
    {
        ClothSizing sizing{{0.001, 0.02, 0.1}, {}};
        sizing.metrics.push_back({"screen", std::make_shared<SizingScreen>(options)});
        return face_sizing(sim.model, sim.state, world, time, {}, {sizing});
    }
    /// The edge lengths that a face is asked for, shortest first [m].
    [[nodiscard]] Vec2 lengths(const SizingScreenOptions& options, double time = 0,
                               FaceId f = FaceId{0}) const
    {
        const EigenSym2 e = eigen_symmetric(sized(options, time).metric[f]);
        return {1 / std::sqrt(e.values[0]), 1 / std::sqrt(e.values[1])};
    }
};

TEST(SizingScreen, asks_for_edges_of_the_length_in_pixels)
{
    ScreenScene scene;
    for (const double height : {2.0, 10.0, 40.0}) {
        scene.world.cameras = {camera_above(height)};
        const double pixel = 2 * std::tan(0.3) * height / 500; // [m] on the sheet
        const Vec2 l = scene.lengths({8, 500});
        EXPECT_NEAR(l[0], std::max(0.02, 8 * pixel), 1e-9);
        EXPECT_NEAR(l[1], std::max(0.02, 8 * pixel), 1e-9);
    }
}

TEST(SizingScreen, lets_foreshortened_edges_be_longer_up_to_the_aspect)
{
    ScreenScene scene;
    for (NodeId n : scene.sim.model.mesh.nodes()) { // tilted by 60 degrees about y
        const Vec3 x = scene.sim.state.x[n] - Vec3{0.5, 0, 0};
        scene.sim.state.x[n] = {0.5 + 0.5 * x[0], x[1], std::sqrt(0.75) * x[0]};
    }
    scene.world.cameras = {camera_above(400)}; // almost parallel
    const double pixel = 2 * std::tan(0.3) * 400 / 5000;
    Vec2 l = scene.lengths({4, 5000});
    EXPECT_NEAR(l[0], 4 * pixel, 0.01 * pixel);
    EXPECT_NEAR(l[1], 8 * pixel, 0.04 * pixel);
    for (NodeId n : scene.sim.model.mesh.nodes()) { // edge-on
        const Vec3 x = scene.sim.state.x[n];
        scene.sim.state.x[n] = {0.5, x[1], x[2]};
    }
    l = scene.lengths({4, 5000});
    EXPECT_TRUE(std::isfinite(l[1]));
    EXPECT_NEAR(l[1], std::min(10 * l[0], 100 * 0.02), 0.02);
}

TEST(SizingScreen, leaves_faces_behind_the_camera_and_through_the_near_plane)
{
    ScreenScene scene;
    scene.world.cameras = {camera_above(-5)};
    scene.world.cameras[0].keys[0].target = {0.5, 0.5, -9}; // away from the sheet
    EXPECT_NEAR(scene.lengths({50, 100})[0], 0.02, 1e-12);
    // Within the sheet, looking along it: some faces are behind, some before, some reach through.
    scene.world.cameras[0].keys[0] = {0, {0.3, 0.5, 0.001}, {2, 0.5, 0}, {0, 0, 1}, 0.6, {}};
    const FaceSizing s = scene.sized({50, 100});
    std::size_t capped = 0;
    for (FaceId f : scene.sim.model.mesh.faces()) {
        double nearest = 9;
        for (NodeId n : scene.sim.model.mesh.nodes_of(f))
            nearest = std::min(nearest, scene.sim.state.x[n][0] - 0.3);
        EXPECT_TRUE(std::isfinite(s.metric[f](0, 0)));
        EXPECT_GT(eigen_symmetric(s.metric[f]).values[1], 0);
        const bool is_capped = eigen_symmetric(s.metric[f]).values[0] < 2499;
        EXPECT_FALSE(nearest < 0 && is_capped);
        capped += is_capped;
    }
    EXPECT_GT(capped, 0u);
}

TEST(SizingScreen, serves_the_nearest_camera_and_the_coming_shot)
{
    ScreenScene scene;
    scene.world.cameras = {camera_above(40)};
    const SizingScreenOptions options{8, 500};
    const double far = scene.lengths(options)[0];
    scene.world.cameras.push_back(camera_above(4));
    const double near = scene.lengths(options)[0];
    EXPECT_LT(near, 0.2 * far);
    scene.world.cameras.resize(1);
    CameraTrack& track = scene.world.cameras[0];
    track.keys.push_back(track.keys[0]);
    track.keys[1].time = 1;
    track.keys.push_back(camera_above(4).keys[0]);
    track.keys[2].time = 1;
    EXPECT_NEAR(scene.lengths(options, 0.7)[0], far, 1e-9);
    EXPECT_NEAR(scene.lengths(options, 0.9)[0], 2 * near, 1e-6); // half the weight
    EXPECT_NEAR(scene.lengths(options, 1)[0], near, 1e-9);
}

TEST(SizingScreen, leaves_edges_of_about_its_length_on_the_screen_after_remeshing)
{
    // A wavy sheet in perspective, remeshed: edges measured in pixels as a picture shows them.
    MeshInput m = zoo::grid(40, 40);
    for (Vec3& x : m.node_x) x[2] = 0.05 * std::sin(9 * x[0]) * std::cos(7 * x[1]);
    World world;
    CameraTrack camera;
    camera.keys = {{0, {0.5, -2.5, 1}, {0.5, 0.5, 0}, {0, 0, 1}, 0.6, {}}};
    world.cameras = {camera};
    struct Seen {
        std::size_t faces;
        double median, lower; // lengths of edges on the screen: half and a tenth are below [pixels]
    };
    const auto remeshed = [&](double pixels) {
        Simulation sim = simulation_of(m);
        AnisotropicOptions options;
        SizingOptions o;
        o.edge_min = 0.01;
        o.edge_max = 0.3;
        o.aspect_min = 0.3;
        options.sizing = {cloth_sizing(o)};
        if (pixels > 0)
            options.sizing[0]->metrics.push_back(
                {"screen", std::make_shared<SizingScreen>(SizingScreenOptions{pixels, 480})});
        RemesherAnisotropic remesher(options);
        for (int pass = 0; pass < 4; ++pass) (void)remesher.remesh(world, 0, sim.model, sim.state);
        const Frustum f = frustum_of(camera_at(camera, 0));
        std::vector<double> lengths;
        for (EdgeId e : sim.model.mesh.edges()) {
            const auto [a, b] = sim.model.mesh[e].nodes;
            lengths.push_back(480 *
                              norm(projected(f, sim.state.x[a]) - projected(f, sim.state.x[b])));
        }
        std::sort(lengths.begin(), lengths.end());
        return Seen{sim.model.mesh.face_count(), lengths[lengths.size() / 2],
                    lengths[lengths.size() / 10]};
    };
    const Seen plain = remeshed(0), fine = remeshed(12), coarse = remeshed(24);
    // As the median of meshes without the cap: edges are from 0.5 to 1 of what is asked for.
    EXPECT_LT(plain.median, 8);
    EXPECT_GT(fine.median, 0.5 * 12);
    EXPECT_GT(coarse.median, 0.5 * 24);
    EXPECT_GT(fine.lower, 0.25 * 12);
    EXPECT_GT(coarse.lower, 0.25 * 24);
    EXPECT_LT(coarse.median, 24);
    EXPECT_LT(fine.faces, plain.faces);
    EXPECT_LT(coarse.faces, fine.faces / 2);
}

} // namespace
} // namespace pleat
