// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/render/colour.hpp"

#include <gtest/gtest.h>

namespace pleat {
namespace {

constexpr double area_min = 1e-5, area_max = 1e-2;

Vec3 large()
{
    return face_colour(area_max, 0.9, area_min, area_max);
}
Vec3 small()
{
    return face_colour(area_min, 0.9, area_min, area_max);
}
Vec3 thin()
{
    return face_colour(area_min, 0.1, area_min, area_max);
}

double blueness(const Vec3& c)
{
    return c[2] - 0.5 * (c[0] + c[1]);
}
double redness(const Vec3& c)
{
    return c[0] - 0.5 * (c[1] + c[2]);
}
double yellowness(const Vec3& c)
{
    return std::min(c[0], c[1]) - c[2];
}

TEST(Srgb, round_trip_is_exact_and_the_ends_stay)
{
    EXPECT_DOUBLE_EQ(linear_from_srgb(0.0), 0.0);
    EXPECT_DOUBLE_EQ(linear_from_srgb(1.0), 1.0);
    EXPECT_NEAR(linear_from_srgb(0.5), 0.21404114, 1e-8);
    for (int i = 0; i <= 255; ++i)
        EXPECT_NEAR(srgb_from_linear(linear_from_srgb(i / 255.0)), i / 255.0, 1e-9);
}

TEST(Oklab, white_has_lightness_one_and_no_colour)
{
    const Vec3 white = oklab_from_linear(Vec3{1, 1, 1});
    EXPECT_NEAR(white[0], 1, 1e-4);
    EXPECT_NEAR(white[1], 0, 1e-4);
    EXPECT_NEAR(white[2], 0, 1e-4);
}

TEST(Oklab, round_trip_is_exact)
{
    for (const Vec3& c : {Vec3{0.1, 0.5, 0.9}, Vec3{1, 0, 0}, Vec3{0.3, 0.3, 0.3}})
        EXPECT_LT(norm(linear_from_oklab(oklab_from_linear(c)) - c), 1e-12);
}

TEST(FaceColour, large_faces_are_bluest)
{
    EXPECT_GT(blueness(large()), 0.2);
    EXPECT_GT(blueness(large()), blueness(small()));
    EXPECT_GT(blueness(large()), blueness(thin()));
}

TEST(FaceColour, small_equilateral_faces_are_reddest)
{
    EXPECT_GT(redness(small()), 0.3);
    EXPECT_GT(redness(small()), redness(large()));
    EXPECT_GT(redness(small()), redness(thin()));
}

TEST(FaceColour, small_thin_faces_are_yellow)
{
    EXPECT_GT(yellowness(thin()), 0.3);
    EXPECT_GT(yellowness(thin()), yellowness(large()));
    EXPECT_GT(yellowness(thin()), yellowness(small()));
}

TEST(FaceColour, changes_smoothly_and_the_further_the_bluer)
{
    Vec3 last = small();
    for (int i = 1; i <= 1000; ++i) {
        const double area = area_min * std::pow(area_max / area_min, i / 1000.0);
        const Vec3 next = face_colour(area, 0.9, area_min, area_max);
        EXPECT_LT(norm(next - last), 0.01);
        EXPECT_GE(blueness(next), blueness(last) - 1e-12);
        last = next;
    }
    EXPECT_LT(norm(last - large()), 1e-12);
}

TEST(FaceColour, areas_beyond_the_range_look_like_its_ends)
{
    EXPECT_EQ(face_colour(100 * area_max, 0.9, area_min, area_max), large());
    EXPECT_EQ(face_colour(0.01 * area_min, 0.9, area_min, area_max), small());
}

TEST(FaceColour, range_of_one_area_makes_all_faces_large)
{
    EXPECT_EQ(face_colour(1e-4, 0.9, 1e-4, 1e-4), large());
}

TEST(ScalarColour, lightness_rises_evenly)
{
    const auto lightness = [](double t) {
        return oklab_from_linear(linear_from_srgb(scalar_colour(t)))[0];
    };
    const double step = (lightness(1) - lightness(0)) / 20;
    EXPECT_GT(step, 0.02);
    for (int i = 0; i < 20; ++i)
        EXPECT_NEAR(lightness((i + 1) / 20.0) - lightness(i / 20.0), step, 0.1 * step) << i;
}

TEST(ScalarColour, clamps_to_its_ends)
{
    EXPECT_EQ(scalar_colour(-3), scalar_colour(0));
    EXPECT_EQ(scalar_colour(7), scalar_colour(1));
}

TEST(ClothColour, neighbours_differ_and_the_index_wraps)
{
    for (std::size_t i = 0; i < cloth_colour_count; ++i) {
        EXPECT_EQ(cloth_colour(i), cloth_colour(i + cloth_colour_count));
        for (std::size_t j = 0; j < i; ++j)
            EXPECT_GT(norm(oklab_from_linear(linear_from_srgb(cloth_colour(i))) -
                           oklab_from_linear(linear_from_srgb(cloth_colour(j)))),
                      0.06)
                << i << " and " << j;
    }
}

TEST(BackColour, is_darker_and_greyer)
{
    for (std::size_t i = 0; i < cloth_colour_count; ++i) {
        const Vec3 front = oklab_from_linear(linear_from_srgb(cloth_colour(i)));
        const Vec3 back = oklab_from_linear(linear_from_srgb(back_colour(cloth_colour(i))));
        EXPECT_LT(back[0], front[0]);
        EXPECT_LT(std::hypot(back[1], back[2]), std::hypot(front[1], front[2]));
    }
}

} // namespace
} // namespace pleat
