// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/io/svg_path.hpp"

#include "pleat/core/error.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace pleat {
namespace {

std::vector<PathRing> rings_of(std::string_view data)
{
    return parse_svg_path(data, "drawing.svg", "path");
}

std::string complaint(std::string_view data)
{
    try {
        (void)rings_of(data);
        return {};
    } catch (const InputError& error) {
        return error.what();
    }
}

TEST(SvgPath, absolute_and_relative_lines_give_the_same_ring)
{
    const auto a = rings_of("M 1 2 L 4 2 L 4 6 L 1 6 Z");
    EXPECT_EQ(a, rings_of("m1,2 3,0 0,4 -3,0z"));
    EXPECT_EQ(a, rings_of("M1 2H4V6H1Z"));
    EXPECT_EQ(a, rings_of("M1 2h3v4h-3z"));
    EXPECT_EQ(a, rings_of("M1 2 4 2 4 6 1 6"));
    EXPECT_EQ(a, rings_of("M1 2L4 2L4 6L1 6L1 2Z")) << "a closing line of no length is left out";
    ASSERT_EQ(a.size(), 1u);
    EXPECT_EQ(a[0].size(), 4u);
}

TEST(SvgPath, numbers_may_follow_without_spaces)
{
    EXPECT_EQ(rings_of("M0 0L1.5.5-2-3e-1Z"), rings_of("M 0 0 L 1.5 0.5 L -2 -0.3 Z"));
}

TEST(SvgPath, smooth_curves_mirror_the_last_control_point)
{
    EXPECT_EQ(rings_of("M0 0C1 1 2 1 3 0S5 -1 6 0L3 -4Z"),
              rings_of("M0 0C1 1 2 1 3 0C4 -1 5 -1 6 0L3 -4Z"));
    EXPECT_EQ(rings_of("M0 0Q1 1 2 0T4 0L2 -4Z"), rings_of("M0 0Q1 1 2 0Q3 -1 4 0L2 -4Z"));
    EXPECT_EQ(rings_of("M0 0L1 0S2 1 3 0Z"), rings_of("M0 0L1 0C1 0 2 1 3 0Z"));
}

TEST(SvgPath, several_subpaths_are_several_rings)
{
    const auto r = rings_of("M0 0h9v9h-9z m3 3h1v1z M6 6h1v1");
    ASSERT_EQ(r.size(), 3u);
    EXPECT_EQ(r[1][0].from, (Vec2{3, 3})) << "m after z is relative to the start of the last";
    EXPECT_EQ(r[2].size(), 3u) << "closed by a line";
}

TEST(SvgPath, arcs_lie_on_their_circle)
{
    for (const char* data : {"M 3 1 A 2 2 0 0 1 -1 1 L 1 -5 Z", "M 3 1 A 2 2 0 0 0 1 -1 L 9 9 Z",
                             "M 1 3 A 2 2 77 0 0 3 1 L 9 9 Z", "M 1 -1 A 2 2 0 1 1 -1 1 L 9 9 Z"}) {
        const auto ring = rings_of(data)[0];
        for (std::size_t i = 0; i < ring.size(); ++i) {
            if (ring[i].control.empty()) continue;
            const Vec2 a = ring[i].from, b = ring[(i + 1) % ring.size()].from;
            for (double t : {0.0, 0.2, 0.5, 0.9, 1.0}) {
                const double s = 1 - t;
                const Vec2 p = s * s * s * a + 3 * s * s * t * ring[i].control[0] +
                               3 * s * t * t * ring[i].control[1] + t * t * t * b;
                EXPECT_NEAR(norm(p - Vec2{1, 1}), 2, 1e-3) << data;
            }
        }
    }
}

TEST(SvgPath, an_arc_that_is_too_small_is_grown)
{
    const auto ring = rings_of("M 0 0 A 0.1 0.1 0 0 1 2 0 Z")[0];
    ASSERT_EQ(ring.size(), 3u); // two quarter circles and the line back
    EXPECT_NEAR(ring[1].from[0], 1, 1e-12);
    EXPECT_NEAR(std::abs(ring[1].from[1]), 1, 1e-12);
}

TEST(SvgPath, bad_data_name_the_character)
{
    EXPECT_THAT(complaint("M 0 0 L 1 x"), testing::HasSubstr("character 11"));
    EXPECT_THAT(complaint(""), testing::HasSubstr("without data"));
    EXPECT_THAT(complaint("L 0 0 1 1 Z"), testing::HasSubstr("starts with L"));
    EXPECT_THAT(complaint("M 0 0 L 1"), testing::HasSubstr("a number"));
    EXPECT_THAT(complaint("M 0 0 B 1 1"), testing::HasSubstr("command"));
    EXPECT_THAT(complaint("M 0 0 L 1e99 1"), testing::HasSubstr("1e9"));
    EXPECT_THAT(complaint("M 0 0 A 1 1 0 2 0 1 1"), testing::HasSubstr("0 or 1"));
    EXPECT_THAT(complaint("M 0 0"), testing::HasSubstr("without lines"));
}

TEST(SvgPath, any_bytes_give_rings_or_an_error)
{
    std::mt19937 random(3);
    const std::string alphabet = "MmLlHhVvCcSsQqTtAaZz0123456789.-+eE ,\nx";
    for (int i = 0; i < 20000; ++i) {
        std::string data = "M0 0";
        for (auto k = random() % 40; k > 0; --k) data += alphabet[random() % alphabet.size()];
        try {
            for (const PathRing& ring : rings_of(data)) EXPECT_FALSE(ring.empty());
        } catch (const InputError&) {
        }
    }
}

TEST(Svg, gives_the_paths_with_ids)
{
    const auto paths =
        parse_svg("<?xml version='1.0'?><!-- <path id='no'/> --><svg><g><path id='a' "
                  "d='M0 0h1v1z'/></g><svg:path d=\"M1 1\" id=\"b\"></svg:path></svg>",
                  "x.svg");
    ASSERT_EQ(paths.size(), 2u);
    EXPECT_EQ(paths[0].id, "a");
    EXPECT_EQ(paths[1].data, "M1 1");
}

TEST(Svg, decodes_character_references)
{
    const auto paths =
        parse_svg("<svg><path id='&#228;rmel &amp; rock' d='M0 0&#10;h1v1z'/></svg>", "x.svg");
    ASSERT_EQ(paths.size(), 1u);
    EXPECT_EQ(paths[0].id, "\u00e4rmel & rock");
    EXPECT_EQ(paths[0].data, "M0 0\nh1v1z");
}

TEST(Svg, reads_elements_nested_deeper_than_any_stack)
{
    std::string text = "<svg>";
    constexpr int depth = 300000;
    for (int i = 0; i < depth; ++i) text += "<g>";
    text += "<path id='a' d='M0 0h1v1z'/>";
    for (int i = 0; i < depth; ++i) text += "</g>";
    EXPECT_EQ(parse_svg(text + "</svg>", "x.svg").size(), 1u);
}

TEST(Svg, refuses_transforms_and_other_files)
{
    const auto refused = [](std::string_view text) {
        try {
            (void)parse_svg(text, "x.svg");
            return std::string();
        } catch (const InputError& error) {
            return std::string(error.what());
        }
    };
    EXPECT_THAT(refused("<svg><g transform='scale(2)'><path id='a' d='M0 0h1v1z'/></g></svg>"),
                testing::HasSubstr("transform"));
    EXPECT_EQ(refused("<svg><g transform='scale(2)'></g><path id='a' d='M0 0h1v1z'/></svg>"), "");
    EXPECT_THAT(refused("hello"), testing::HasSubstr("no svg element"));
    EXPECT_THAT(refused("<svg><path id='a"),
                testing::HasSubstr("byte 16: Error parsing element attribute"));
    EXPECT_THAT(refused("<svg><"), testing::HasSubstr("well-formed XML"));
    EXPECT_THAT(refused("<svg><g></svg>"), testing::HasSubstr("Start-end tags mismatch"));
}

} // namespace
} // namespace pleat
