// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/export/name_pattern.hpp"

#include "pleat/core/error.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pleat {
namespace {

TEST(NamePattern, names_files_and_reads_the_names_back)
{
    struct Case {
        const char *pattern, *stem;
    };
    for (const Case& c : {Case{"{frame:05d}_{name}", "00012_my.sheet-2"},
                          Case{"{name}.{frame:04d}", "my.sheet-2.0012"},
                          Case{"shot3_{name}_{frame}", "shot3_my.sheet-2_12"},
                          Case{"{frame}-{name}-v2", "12-my.sheet-2-v2"}}) {
        const NamePattern pattern(c.pattern);
        EXPECT_EQ(pattern.stem("my.sheet-2", 12), c.stem);
        const auto parts = pattern.match(c.stem);
        ASSERT_TRUE(parts) << c.pattern;
        EXPECT_EQ(parts->name, "my.sheet-2");
        EXPECT_EQ(parts->frame, 12);
        const auto large = pattern.match(pattern.stem("a_1", 1234567));
        ASSERT_TRUE(large) << c.pattern;
        EXPECT_EQ(large->name, "a_1");
        EXPECT_EQ(large->frame, 1234567);
    }
}

TEST(NamePattern, does_not_match_names_that_it_never_gives)
{
    const NamePattern pattern("{name}.{frame:04d}");
    for (const char* stem :
         {"", "sheet", "sheet.12", "sheet.00012", "sheet.12a4", "00012_sheet", "sheet.99999999999"})
        EXPECT_FALSE(pattern.match(stem)) << stem;
    EXPECT_FALSE(NamePattern().match("12_sheet"));
    EXPECT_FALSE(NamePattern().match("00012"));
}

TEST(NamePattern, refuses_what_could_not_be_read_back)
{
    for (const char* text :
         {"", "{name}", "{frame}", "{name}{frame}", "{name}.{frame}.{name}", "{name}.{frame:5d}",
          "{name}.{frame:00d}", "{name}.{nmae}", "{name}.{frame", "../{name}.{frame}",
          "{name}_1{frame}", "{frame}2_{name}"})
        EXPECT_THROW(NamePattern{text}, InputError) << text;
}

} // namespace
} // namespace pleat
