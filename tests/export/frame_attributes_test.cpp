// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/export/frame_attributes.hpp"

#include "pleat/core/error.hpp"
#include "temporary_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

namespace pleat {
namespace {

constexpr float infinite = std::numeric_limits<float>::infinity();

FrameAttributes small_attributes()
{
    FrameAttributes a;
    a.velocity = {{1, 2, 3}, {0.1f, -0.2f, 1e-20f}, {0, 0, 0}, {9, 8, 7}};
    a.face_material = {0, 3};
    a.drivers = {"curvature", "kälte", ""};
    a.face_drivers = {0.5f, infinite, 0.25f, infinite, infinite, infinite};
    a.face_ellipse = {{0.25f, 0.125f, 0.5f}, {1, 1, 0}};
    a.face_generation = {0, 6};
    a.face_panel = {1, 300};
    return a;
}

TEST(FrameAttributes, come_back_as_they_were_written)
{
    const TemporaryFolder folder;
    const FrameAttributes a = small_attributes(); // its lengths are exact in half precision
    write_attributes(folder / "a.attributes", a);
    EXPECT_EQ(read_attributes(folder / "a.attributes"), a);
    EXPECT_EQ(read_bytes(folder / "a.attributes").size(),
              24u + 4 + 3 * 4 + 9 + 6 + 4 * 12 + 2 * 17);

    FrameAttributes without = a;
    without.drivers.clear();
    without.face_drivers.clear();
    without.face_ellipse.clear();
    without.face_generation.clear();
    without.face_panel.clear();
    write_attributes(folder / "b.attributes", without);
    EXPECT_EQ(read_attributes(folder / "b.attributes"), without);
}

TEST(FrameAttributes, of_version_1_are_those_of_four_metrics)
{
    std::string bytes = "PLEATATT";
    const auto put = [&](auto value) {
        bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
    };
    for (const std::uint32_t word : {1u, 1u, 1u, 1u}) put(word);
    for (const float v : {1.0f, 2.0f, 3.0f}) put(v);
    put(std::uint16_t(5));
    for (const float length : {0.5f, infinite, 0.25f, 0.125f}) put(half_from_float(length));
    for (const float e : {0.25f, 0.125f, 0.5f}) put(half_from_float(e));
    FrameAttributes expected;
    expected.velocity = {{1, 2, 3}};
    expected.face_material = {5};
    expected.drivers = {"curvature", "compression", "velocity", "obstacle"};
    expected.face_drivers = {0.5f, infinite, 0.25f, 0.125f};
    expected.face_ellipse = {{0.25f, 0.125f, 0.5f}};
    EXPECT_EQ(parse_attributes(bytes, "old"), expected);
}

TEST(FrameAttributes, that_are_cut_off_or_strange_are_refused)
{
    const TemporaryFolder folder;
    write_attributes(folder / "a.attributes", small_attributes());
    const std::string good = read_bytes(folder / "a.attributes");
    for (std::size_t size = 0; size < good.size(); ++size)
        EXPECT_THROW((void)parse_attributes(good.substr(0, size), "cut"), InputError) << size;
    EXPECT_THROW((void)parse_attributes(good + "x", "longer"), InputError);
    std::string newer = good;
    newer[8] = 5;
    EXPECT_THROW((void)parse_attributes(newer, "newer"), InputError);
    std::string huge = good;
    for (std::size_t i = 12; i < 20; ++i) huge[i] = '\xff'; // four thousand million nodes and faces
    EXPECT_THROW((void)parse_attributes(huge, "huge"), InputError);
    EXPECT_THROW((void)read_attributes(folder / "none"), InputError);
}

TEST(Half, keeps_what_it_can_hold_and_rounds_the_rest_to_even)
{
    for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
        const float value = float_from_half(std::uint16_t(bits));
        if (std::isnan(value))
            EXPECT_TRUE(std::isnan(float_from_half(half_from_float(value))));
        else
            EXPECT_EQ(half_from_float(value), bits) << value;
    }
    EXPECT_EQ(half_from_float(1.0f + 0x1p-11f), 0x3c00) << "a tie goes to the even one";
    EXPECT_EQ(half_from_float(1.0f + 3 * 0x1p-11f), 0x3c02);
    EXPECT_EQ(half_from_float(65519.0f), 0x7bff);
    EXPECT_EQ(half_from_float(65520.0f), 0x7c00) << "infinite";
    EXPECT_EQ(half_from_float(0x1p-26f), 0);
}

TEST(SizingEllipse, has_the_edges_that_the_metric_allows)
{
    const double angle = 0.7, longest = 0.3, shortest = 0.05;
    const Vec2 along{std::cos(angle), std::sin(angle)}, across{-along[1], along[0]};
    const Mat2 metric = outer(along, along) * (1 / (longest * longest)) +
                        outer(across, across) * (1 / (shortest * shortest));
    const SizingEllipse e = sizing_ellipse(metric);
    EXPECT_NEAR(e.longest, longest, 1e-6);
    EXPECT_NEAR(e.shortest, shortest, 1e-6);
    EXPECT_NEAR(e.angle, angle, 1e-6);
    const SizingEllipse upright = sizing_ellipse(Mat2{{400, 0, 0, 4}});
    EXPECT_NEAR(std::abs(upright.angle), std::numbers::pi / 2, 1e-6);
    EXPECT_NEAR(upright.longest, 0.5, 1e-6);
}

} // namespace
} // namespace pleat
