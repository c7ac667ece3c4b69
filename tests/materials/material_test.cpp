// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/materials/material.hpp"

#include <nlohmann/json.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <numbers>
#include <set>

namespace pleat {
namespace {

MembraneMeasured some_fabric()
{
    MembraneMeasured m;
    m.at_rest = {10, -5, 20, 3};
    m.at_stretch = {StrainQuadratic{100, 10, 200, 30},
                    {110, 12, 210, 32},
                    {120, 14, 220, -40},
                    {130, 16, 230, 36},
                    {140, 18, 240, 38}};
    return m;
}

/// Strain with the largest stretch s at the angle (degrees) to the weft, none across.
Strain stretched(double s, double degrees)
{
    const double a = degrees * std::numbers::pi / 180, g = 0.5 * (s * s - 1);
    return {g * std::cos(a) * std::cos(a), g * std::sin(a) * std::sin(a),
            g * std::cos(a) * std::sin(a)};
}

TEST(MembraneMeasured, takes_the_rest_row_when_nothing_is_stretched)
{
    const StrainQuadratic c = freeze(some_fabric(), {0, 0, 0});
    EXPECT_EQ(c, (StrainQuadratic{10, 0, 20, 3})); // negative numbers become zero
    EXPECT_EQ(freeze(some_fabric(), {-0.2, -0.1, 0}), c);
}

TEST(MembraneMeasured, takes_the_rows_at_their_angles)
{
    const MembraneMeasured m = some_fabric();
    for (int row = 0; row < 5; ++row)
        for (double s : {1 + 1.0 / 6, 1.3}) {
            const StrainQuadratic c = freeze(m, stretched(s, 22.5 * row));
            EXPECT_NEAR(c.c11, 100 + 10 * row, 1e-9);
            EXPECT_NEAR(c.c33, std::max(0.0, m.at_stretch[std::size_t(row)].c33), 1e-9);
        }
}

TEST(MembraneMeasured, is_linear_between_rows_and_alike_on_both_sides)
{
    const MembraneMeasured m = some_fabric();
    EXPECT_NEAR(freeze(m, stretched(1 + 1.0 / 12, 0)).c11, 55, 1e-9);
    EXPECT_NEAR(freeze(m, stretched(1 + 1.0 / 6, 33.75)).c22, 215, 1e-9);
    EXPECT_NEAR(freeze(m, stretched(1 + 1.0 / 6, -33.75)).c22, 215, 1e-9);
    EXPECT_NEAR(freeze(m, stretched(1 + 1.0 / 6, 146.25)).c22, 215, 1e-9);
    // Mixed first, clamped after: half of -5 and 10.
    EXPECT_NEAR(freeze(m, stretched(1 + 1.0 / 12, 0)).c12, 2.5, 1e-9);
}

TEST(BendingMeasured, looks_up_angle_and_curvature)
{
    BendingMeasured b;
    for (std::size_t r = 0; r < 3; ++r)
        for (std::size_t c = 0; c < 5; ++c) b.stiffness[r][c] = 100.0 * double(r) + double(c);
    constexpr double eighth = std::numbers::pi / 4;
    EXPECT_NEAR(measured_stiffness(b, 0, 0), 0, 1e-12);
    EXPECT_NEAR(measured_stiffness(b, eighth, 25), 102.5, 1e-12);
    EXPECT_NEAR(measured_stiffness(b, 1.5 * eighth, 10), 151, 1e-12);
    EXPECT_NEAR(measured_stiffness(b, 2 * eighth, 1000), 204, 1e-12);
}

TEST(BendingMeasured, takes_the_softer_side_and_the_same_front_and_back)
{
    BendingMeasured b;
    b.stiffness = {{{1, 1, 1, 1, 1}, {2, 2, 2, 2, 2}, {3, 3, 3, 3, 3}}};
    HingeRest rest;
    rest.length = 0.02;
    rest.area_sum = 4e-4;
    rest.weft_angle = {0, std::numbers::pi / 2};
    EXPECT_NEAR(freeze(b, rest, 0.3).quadratic, 1 * 4e-4 / (4 * 4e-4), 1e-12);
    EXPECT_EQ(freeze(b, rest, 0.3).quadratic, freeze(b, rest, -0.3).quadratic);
}

TEST(Plate, isotropic_sheet_has_the_rigidity_of_its_thickness)
{
    const BendingPlate p = plate_of(BendingIsotropicSheet{1e-3, 2e9, 0.3});
    EXPECT_NEAR(p.rigidity_u, 2e9 * 1e-9 / (12 * 0.91), 1e-12);
    EXPECT_NEAR(p.coupling, 0.3 * p.rigidity_u, 1e-15);
    EXPECT_NEAR(p.twist, 0.35 * p.rigidity_u, 1e-15);
}

TEST(Scaled, multiplies_density_stretching_and_bending_apart)
{
    Material m;
    m.density = 0.2;
    m.membrane = some_fabric();
    BendingMeasured b;
    b.stiffness[1][2] = 5;
    m.bending = b;
    const Material s = scaled(m, 2, 3, 4);
    EXPECT_DOUBLE_EQ(s.density, 0.4);
    EXPECT_DOUBLE_EQ(std::get<MembraneMeasured>(s.membrane).at_stretch[2].c22, 660);
    EXPECT_DOUBLE_EQ(std::get<MembraneMeasured>(s.membrane).at_rest.c12, -15);
    EXPECT_DOUBLE_EQ(std::get<BendingMeasured>(s.bending).stiffness[1][2], 20);
    EXPECT_EQ(thickened(m, 3), scaled(m, 3, 3, 3));
    EXPECT_EQ(scaled(m, 1, 1, 1), m);
}

TEST(Fabrics, ten_are_shipped_whole_and_with_different_names)
{
    std::set<std::string> names;
    int count = 0;
    for (const auto& entry : std::filesystem::directory_iterator(PLEAT_SOURCE_DIR "/materials")) {
        if (entry.path().extension() != ".json") continue;
        ++count;
        std::ifstream file(entry.path());
        const auto j = nlohmann::json::parse(file);
        const std::string name = j.at("name");
        EXPECT_EQ(name, entry.path().stem().string());
        EXPECT_TRUE(names.insert(name).second) << name;
        for (const std::string alias : j.at("aliases"))
            EXPECT_TRUE(names.insert(alias).second) << alias;
        EXPECT_NE(j.at("source").get<std::string>().find("2011"), std::string::npos);
        EXPECT_GT(j.at("density").get<double>(), 0.05);
        EXPECT_LT(j.at("density").get<double>(), 0.5);
        EXPECT_EQ(j.at("membrane").at("type"), "measured");
        EXPECT_EQ(j.at("membrane").at("at_rest").size(), 4u);
        ASSERT_EQ(j.at("membrane").at("at_stretch").size(), 5u);
        for (const auto& row : j.at("membrane").at("at_stretch")) EXPECT_EQ(row.size(), 4u);
        ASSERT_EQ(j.at("bending").at("stiffness").size(), 3u);
        for (const auto& row : j.at("bending").at("stiffness")) {
            EXPECT_EQ(row.size(), 5u);
            for (const double k : row) {
                EXPECT_GT(k, 1e-7);
                EXPECT_LT(k, 1e-2);
            }
        }
    }
    EXPECT_EQ(count, 10);
}

} // namespace
} // namespace pleat
