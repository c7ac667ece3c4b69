// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/linalg/dependencies.hpp"

#include "pleat/linalg/block_pattern.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

namespace pleat {
namespace {

using testing::HasSubstr;

/// Row 4 between 0 and 1, row 5 between 4 and 2, row 3 free.
std::vector<Dependency> chain()
{
    return {{5, {{4, 0.5}, {2, 0.5}}}, {4, {{0, 0.5}, {1, 0.5}}}};
}

TEST(Dependencies, chains_end_at_free_rows)
{
    const Dependencies d = make_dependencies(6, chain());
    EXPECT_EQ(find_problem(d, 6), "");
    ASSERT_EQ(d.of(5).size(), 3u);
    EXPECT_EQ(d.of(5)[0], (Dependencies::Parent{0, 0.25}));
    EXPECT_EQ(d.of(5)[1], (Dependencies::Parent{1, 0.25}));
    EXPECT_EQ(d.of(5)[2], (Dependencies::Parent{2, 0.5}));
    EXPECT_TRUE(d.depends(4));
    EXPECT_FALSE(d.depends(3));
    EXPECT_FALSE(d.depends(600)) << "rows that are not known are free";
    EXPECT_TRUE(make_dependencies(6, {}).empty());
}

TEST(Dependencies, that_make_no_sense_are_refused_by_row)
{
    const auto refusal = [](std::vector<Dependency> list) -> std::string {
        try {
            static_cast<void>(make_dependencies(6, list));
        } catch (const std::invalid_argument& error) {
            return error.what();
        }
        return "";
    };
    EXPECT_THAT(refusal({{4, {{5, 1}}}, {5, {{4, 1}}}}), HasSubstr("row 4 depends on itself"));
    EXPECT_THAT(refusal({{3, {{3, 1}}}}), HasSubstr("row 3 depends on itself"));
    EXPECT_THAT(refusal({{3, {{0, 0.5}, {1, 0.4}}}}), HasSubstr("row 3 has weights that sum to"));
    EXPECT_THAT(refusal({{3, {{0, 1.5}, {1, -0.5}}}}), HasSubstr("not positive"));
    EXPECT_THAT(refusal({{3, {}}}), HasSubstr("row 3"));
    EXPECT_THAT(refusal({{3, {{9, 1}}}}), HasSubstr("does not exist"));
    EXPECT_THAT(refusal({{9, {{3, 1}}}}), HasSubstr("row 9 does not exist"));
    EXPECT_THAT(refusal({{3, {{0, 1}}}, {3, {{1, 1}}}}), HasSubstr("row 3 is listed twice"));
    Dependencies d = make_dependencies(6, chain());
    EXPECT_NE(find_problem(d, 7), "") << "for another number of rows";
    d.parents[0].row = 5;
    EXPECT_THAT(find_problem(d, 6), HasSubstr("row 4 has a parent that is not free"));
}

TEST(Dependencies, follow_and_fold_are_transposed)
{
    const Dependencies d = make_dependencies(6, chain());
    std::vector<Vec3> x(6), f(6);
    for (std::size_t i = 0; i < 6; ++i) {
        x[i] = {1.0 + double(i), double(i * i), -2.0};
        f[i] = {0.5, 3.0 - double(i), double(i)};
    }
    std::vector<Vec3> px = x, ptf = f;
    follow(d, px);
    fold(d, std::span<Vec3>(ptf));
    EXPECT_EQ(px[3], x[3]);
    EXPECT_LT(norm(px[5] - (0.25 * x[0] + 0.25 * x[1] + 0.5 * x[2])), 1e-15);
    EXPECT_TRUE(follows(d, px));
    EXPECT_FALSE(follows(d, x));
    EXPECT_EQ(ptf[4], Vec3{});
    double work = 0, folded = 0;
    for (std::size_t i = 0; i < 6; ++i) {
        work += dot(f[i], px[i]);
        folded += dot(ptf[i], x[i]);
    }
    EXPECT_NEAR(work, folded, 1e-14);
}

TEST(Dependencies, sum_of_rows_visits_each_free_row_once)
{
    const Dependencies d = make_dependencies(6, chain());
    const std::array<std::uint32_t, 4> rows{4, 0, 1, 3};
    const std::array<double, 4> weights{1, -0.5, -0.25, 2};
    std::vector<Dependencies::Parent> found;
    d.visit_sum(rows, weights, [&](std::uint32_t row, double w) { found.push_back({row, w}); });
    ASSERT_EQ(found.size(), 2u) << "row 0 cancels";
    EXPECT_EQ(found[0], (Dependencies::Parent{1, 0.25}));
    EXPECT_EQ(found[1], (Dependencies::Parent{3, 2}));
}

TEST(Dependencies, marks_spread_from_parents)
{
    const Dependencies d = make_dependencies(6, chain());
    std::vector<std::uint8_t> marks{0, 0, 1, 0, 0, 0};
    mark_dependents(d, marks);
    EXPECT_EQ(marks, (std::vector<std::uint8_t>{0, 0, 1, 0, 0, 1}));
}

TEST(Dependencies, new_numbers_keep_what_depends_on_what)
{
    Dependencies d = make_dependencies(6, chain());
    // Row 4 goes, a seventh row is new, the others are turned around.
    const std::vector<std::uint32_t> new_row{5, 4, 3, 2, no_row, 1, 0};
    reorder(d, new_row, 6);
    EXPECT_EQ(find_problem(d, 6), "");
    ASSERT_EQ(d.of(1).size(), 3u);
    EXPECT_EQ(d.of(1)[0], (Dependencies::Parent{5, 0.25}));
    EXPECT_EQ(d.of(1)[2], (Dependencies::Parent{3, 0.5}));
    for (std::uint32_t i : {0u, 2u, 3u, 4u, 5u}) EXPECT_FALSE(d.depends(i));
}

} // namespace
} // namespace pleat
