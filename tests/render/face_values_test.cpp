// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/render/face_values.hpp"

#include "pleat/core/error.hpp"
#include "pleat/render/fabric_look.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <set>

namespace pleat {
namespace {

constexpr float infinite = std::numeric_limits<float>::infinity();

/// n x n cells over the unit square of material space, at place(u, v).
RenderMesh cloth(std::uint32_t n, const std::function<Vec3(double, double)>& place)
{
    RenderMesh mesh;
    mesh.name = "cloth";
    std::vector<Vec2> points;
    for (std::uint32_t j = 0; j <= n; ++j)
        for (std::uint32_t i = 0; i <= n; ++i) {
            points.push_back({double(i) / n, double(j) / n});
            mesh.positions.push_back(place(double(i) / n, double(j) / n));
        }
    for (std::uint32_t j = 0; j < n; ++j)
        for (std::uint32_t i = 0; i < n; ++i) {
            const std::uint32_t a = j * (n + 1) + i;
            mesh.triangles.push_back({a, a + 1, a + n + 2});
            mesh.triangles.push_back({a, a + n + 2, a + n + 1});
        }
    for (const auto& t : mesh.triangles)
        mesh.material_coords.push_back({points[t[0]], points[t[1]], points[t[2]]});
    return mesh;
}

TEST(FaceValues, strains_are_those_of_the_stretch)
{
    for (const Vec2f& v : face_values(cloth(3,
                                            [](double u, double w) {
                                                return Vec3{1.1 * u, 7, 0.95 * w};
                                            }),
                                      ColourMode::strain)) {
        EXPECT_NEAR(v[0], 0.1, 1e-6);
        EXPECT_NEAR(v[1], -0.05, 1e-6);
    }
}

TEST(FaceValues, sizes_are_those_of_the_material)
{
    double sum = 0;
    for (const Vec2f& v : face_values(cloth(4,
                                            [](double u, double w) {
                                                return Vec3{5 * u, w, u * w};
                                            }),
                                      ColourMode::size)) {
        sum += v[0];
        EXPECT_NEAR(v[1], 1 / std::sqrt(3.0), 1e-6) << "a right isosceles face";
    }
    EXPECT_NEAR(sum, 1, 1e-6);
}

TEST(FaceValues, curvatures_are_those_of_a_cylinder)
{
    constexpr double radius = 0.4;
    constexpr std::uint32_t n = 60;
    const auto values = face_values(
        cloth(n,
              [](double u, double w) {
                  return Vec3{radius * std::sin(u / radius), w, radius * std::cos(u / radius)};
              }),
        ColourMode::curvature);
    for (std::size_t t = 2 * n * (n / 2) + 20; t < 2 * n * (n / 2) + 100; ++t) {
        EXPECT_NEAR(std::abs(values[t][0]), 1 / radius, 0.03 / radius);
        EXPECT_NEAR(values[t][1], 0, 0.03 / radius);
    }
}

TEST(FaceValues, generations_come_from_the_attributes_in_a_range_from_zero)
{
    RenderMesh mesh = cloth(1, [](double u, double v) { return Vec3{u, v, 0}; });
    for (const Vec2f& v : face_values(mesh, ColourMode::generation)) EXPECT_TRUE(std::isnan(v[0]));
    mesh.face_generation = {0, 5};
    EXPECT_EQ(face_values(mesh, ColourMode::generation)[1][0], 5);
    EXPECT_EQ(fitting_range(std::span(&mesh, 1), ColourMode::generation), (ValueRange{0, 5}));
    mesh.face_generation = {1};
    EXPECT_THROW(require_valid(std::span(&mesh, 1)), InputError);
}

TEST(FaceValues, speeds_and_drivers_come_from_the_attributes)
{
    RenderMesh mesh = cloth(1, [](double u, double w) { return Vec3{u, w, 0}; });
    for (const Vec2f& v : face_values(mesh, ColourMode::velocity)) EXPECT_TRUE(std::isnan(v[0]));
    for (const Vec2f& v : face_values(mesh, ColourMode::driver)) EXPECT_TRUE(std::isnan(v[0]));
    mesh.velocities = {{3, 4, 0}, {0, 0, 5}, {5, 0, 0}, {0, 0, 0}};
    EXPECT_NEAR(face_values(mesh, ColourMode::velocity)[0][0], 10.0 / 3, 1e-5);
    mesh.driver_count = 3;
    mesh.face_drivers = {0.5f, infinite, 0.02f, infinite, infinite, infinite};
    const auto drivers = face_values(mesh, ColourMode::driver);
    EXPECT_EQ(drivers[0], (Vec2f{3, 0.02f}));
    EXPECT_EQ(drivers[1][0], 0) << "none";
    mesh.face_drivers = {0.5f, infinite, 0.02f, 0.5f, 0.2f, 0.3f};
    EXPECT_EQ(face_values(mesh, ColourMode::driver)[1][0], 2);
    mesh.longest_edge = 0.2f;
    EXPECT_EQ(face_values(mesh, ColourMode::driver)[0][0], 3);
    EXPECT_EQ(face_values(mesh, ColourMode::driver)[1][0], 0)
        << "none asks for less than the longest edge, which rules";
}

TEST(FaceValues, arrays_of_other_sizes_are_refused)
{
    RenderMesh mesh = cloth(1, [](double u, double w) { return Vec3{u, w, 0}; });
    mesh.velocities.resize(2);
    EXPECT_THROW(require_valid({&mesh, 1}), InputError);
    mesh.velocities.clear();
    mesh.face_material = {0, 1};
    require_valid({&mesh, 1});
    mesh.looks = {FabricLook{}};
    EXPECT_THROW(require_valid({&mesh, 1}), InputError) << "there is no second look";
}

TEST(FittingRange, keeps_zero_in_the_middle_and_leaves_out_extremes)
{
    RenderMesh mesh = cloth(20, [](double u, double w) { return Vec3{1.02 * u, w, 0}; });
    const ValueRange range = fitting_range({&mesh, 1}, ColourMode::strain);
    EXPECT_NEAR(range.high, 0.02, 1e-6);
    EXPECT_EQ(range.low, -range.high);
    mesh.positions[210] += Vec3{0, 0, 3}; // one node out of place: six faces of eight hundred
    EXPECT_LT(fitting_range({&mesh, 1}, ColourMode::strain).high, 0.05);
    const ValueRange sizes = fitting_range({&mesh, 1}, ColourMode::size);
    EXPECT_NEAR(sizes.high / sizes.low, 4, 1e-6) << "faces that do not differ are all large";
    EXPECT_EQ(united(ColourMode::strain, {-1, 1}, {-3, 2}), (ValueRange{-3, 2}));
}

TEST(ValueColour, tells_ends_apart_and_shows_what_is_missing)
{
    const auto far = [](const Vec3& a, const Vec3& b) { return norm(a - b) > 0.25; };
    const ValueRange range{-0.1, 0.1};
    const Vec3 low = value_colour(ColourMode::strain, {0, -0.1f}, range);
    const Vec3 none = value_colour(ColourMode::strain, {0, 0}, range);
    const Vec3 high = value_colour(ColourMode::strain, {0.1f, 0}, range);
    EXPECT_TRUE(far(low, none) && far(high, none) && far(low, high));
    EXPECT_EQ(high, value_colour(ColourMode::strain, {7, 0}, range)) << "beyond the end is the end";
    EXPECT_EQ(value_colour(ColourMode::velocity, {infinite, 0}, range),
              value_colour(ColourMode::velocity, {std::nanf(""), 0}, range));
    std::set<std::array<double, 3>> drivers;
    for (std::size_t d = 0; d < 8; ++d)
        drivers.insert(value_colour(ColourMode::driver, {float(d), 0}, range).e);
    EXPECT_EQ(drivers.size(), 8u);
}

TEST(ColourMode, has_a_name_for_each)
{
    for (std::size_t i = 0; i < colour_mode_count; ++i)
        EXPECT_EQ(colour_mode_of(name_of(ColourMode(i))), ColourMode(i));
    EXPECT_FALSE(colour_mode_of("colour"));
}

TEST(FabricLook, patterns_repeat_and_stay_between_none_and_all)
{
    for (const char* name : {"white-dots-on-blk", "pink-ribbon-brown", "ivory-rib-knit",
                             "11oz-black-denim", "gray-interlock"}) {
        const FabricLook look = fabric_look(name, 0);
        double least = 1, most = 0;
        for (int i = 0; i < 400; ++i) {
            const Vec2 u{0.0007 * i, 0.00041 * i};
            const double share = pattern_share(look, u);
            least = std::min(least, share);
            most = std::max(most, share);
            // Dots of every other row are shifted: two repeats bring all back.
            EXPECT_NEAR(share, pattern_share(look, u + 2 * look.repeat * Vec2{1, 1}), 1e-6) << name;
        }
        EXPECT_GE(least, 0);
        EXPECT_LE(most, 1);
        EXPECT_EQ(most > least, look.pattern != FabricPattern::plain) << name;
    }
    EXPECT_EQ(fabric_look("somebody's own", 3).colour, cloth_colour(3));
}

} // namespace
} // namespace pleat
