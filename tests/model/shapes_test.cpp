// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/model/shapes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numbers>
#include <utility>

namespace pleat {
namespace {

constexpr double pi = std::numbers::pi;

/// By the divergence theorem [m^3]; positive where the faces look outwards.
double volume(const Obstacle& o)
{
    double sum = 0;
    for (const auto& f : o.faces) sum += dot(o.x[f[0]], cross(o.x[f[1]], o.x[f[2]])) / 6;
    return sum;
}

double longest_edge(const Obstacle& o)
{
    double longest = 0;
    for (const auto& f : o.faces)
        for (std::size_t k = 0; k < 3; ++k)
            longest = std::max(longest, norm(o.x[f[k]] - o.x[f[(k + 1) % 3]]));
    return longest;
}

/// Every directed edge once, and its reverse too: closed, manifold and consistently oriented.
bool is_closed(const Obstacle& o)
{
    std::map<std::pair<std::uint32_t, std::uint32_t>, int> edges;
    for (const auto& f : o.faces)
        for (std::size_t k = 0; k < 3; ++k) ++edges[{f[k], f[(k + 1) % 3]}];
    return std::all_of(edges.begin(), edges.end(), [&](const auto& e) {
        return e.second == 1 && edges.contains({e.first.second, e.first.first});
    });
}

TEST(Sphere, has_its_points_on_the_surface_and_its_edges_below_the_maximum)
{
    const Vec3 centre{1, -2, 0.5};
    for (const double edge : {0.5, 0.2, 0.05, 0.013}) {
        const Obstacle o = make_sphere("ball", centre, 0.25, edge);
        for (const Vec3& p : o.x) EXPECT_NEAR(norm(p - centre), 0.25, 1e-12);
        EXPECT_TRUE(is_closed(o));
        EXPECT_LE(longest_edge(o), edge);
        EXPECT_EQ(double(o.faces.size()), sphere_face_count(0.25, edge));
        EXPECT_EQ(o.x.size(), o.faces.size() / 2 + 2); // Euler
    }
}

TEST(Sphere, has_the_volume_of_a_ball_as_it_gets_finer)
{
    const double exact = 4.0 / 3 * pi * 0.125;
    double error_last = exact;
    for (const double edge : {0.4, 0.2, 0.1, 0.05}) {
        const double error = exact - volume(make_sphere("ball", {}, 0.5, edge));
        EXPECT_GT(error, 0); // inscribed
        EXPECT_LT(error, 0.5 * error_last);
        error_last = error;
    }
    // No point of a face is farther inside than edge^2 / (6 radius).
    EXPECT_LT(error_last, 4 * pi * 0.25 * (0.05 * 0.05 / (6 * 0.5)));
}

TEST(Sphere, without_an_edge_length_is_round_to_a_third_of_a_per_cent)
{
    const Obstacle o = make_sphere("ball", {}, 2);
    double nearest = 2;
    for (const auto& f : o.faces)
        nearest = std::min(nearest, norm((o.x[f[0]] + o.x[f[1]] + o.x[f[2]]) / 3.0));
    EXPECT_GT(nearest, 2 * (1 - 1.0 / (6 * 64)));
}

TEST(BoxShape, has_its_size_and_looks_outwards)
{
    const Obstacle o = make_box("crate", {1, 2, 3}, {0.5, 1, 2});
    EXPECT_TRUE(is_closed(o));
    EXPECT_EQ(o.faces.size(), 12u);
    EXPECT_NEAR(volume(o), 1, 1e-12);
    EXPECT_EQ(o.x.front(), (Vec3{0.75, 1.5, 2}));
    EXPECT_EQ(o.x.back(), (Vec3{1.25, 2.5, 4}));
}

TEST(Capsule, has_its_points_at_the_radius_from_its_axis)
{
    const Vec3 from{0.1, 0, 0}, to{0.3, 0.4, -0.2};
    const Obstacle o = make_capsule("arm", from, to, 0.07, 0.02);
    const double length2 = norm2(to - from);
    for (const Vec3& p : o.x) {
        const double along = std::clamp(dot(p - from, to - from) / length2, 0.0, 1.0);
        EXPECT_NEAR(norm(p - from - along * (to - from)), 0.07, 1e-12);
    }
    EXPECT_TRUE(is_closed(o));
    EXPECT_LE(longest_edge(o), 0.02);
    EXPECT_EQ(double(o.faces.size()), capsule_face_count(std::sqrt(length2), 0.07, 0.02));
}

TEST(Capsule, has_the_volume_of_a_cylinder_and_a_ball)
{
    const double exact = pi * 0.01 * 0.5 + 4.0 / 3 * pi * 0.001;
    const double found = volume(make_capsule("arm", {0, 0, 0}, {0, 0.5, 0}, 0.1, 0.01));
    EXPECT_LT(found, exact);
    EXPECT_GT(found, 0.99 * exact);
}

TEST(Shapes, half_spaces_alone_have_planes)
{
    EXPECT_TRUE(make_sphere("a", {}, 1).planes.empty());
    EXPECT_TRUE(make_box("a", {}, {1, 1, 1}).planes.empty());
    EXPECT_TRUE(make_capsule("a", {}, {1, 0, 0}, 1).planes.empty());
    const Obstacle floor = make_half_space("floor", {}, {0, 0, 1}, 1);
    EXPECT_EQ(floor.planes.size(), 1u);
    EXPECT_TRUE(solid_faces(floor).empty());
    EXPECT_EQ(floor.faces.size(), 2u); // for pictures
}

} // namespace
} // namespace pleat
