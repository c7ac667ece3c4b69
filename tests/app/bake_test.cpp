// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "program.hpp"
#include "temporary_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

namespace pleat {
namespace {

using testing::HasSubstr;

const std::string scenes = std::string(PLEAT_SOURCE_DIR) + "/scenes/";

std::int32_t integer_at(const std::string& bytes, std::size_t at)
{
    std::int32_t value = 0;
    std::memcpy(&value, bytes.data() + at, sizeof value);
    return value;
}

TEST(Bake, writes_all_formats_of_an_adaptive_run)
{
    const TemporaryFolder folder;
    const std::string run = (folder / "run").string(), out = (folder / "out").string();
    ASSERT_EQ(run_pleat({"run", scenes + "sphere-anisotropic/quick.json", "--frames", "6", "-q",
                         "-o", run})
                  .exit_code,
              0);
    const ProgramResult bake =
        run_pleat({"bake", run, "-o", out, "--format", "pc2,mdd,glb,usda", "--tolerance", "0.005"});
    ASSERT_EQ(bake.exit_code, 0) << bake.output;
    EXPECT_THAT(bake.output, HasSubstr("7 frames; distance to the adaptive surface: largest 4."));
    const std::string pc2 = read_bytes(out + "/sheet.pc2");
    const std::int32_t points = integer_at(pc2, 16);
    EXPECT_EQ(integer_at(pc2, 28), 7);
    EXPECT_EQ(pc2.size(), 32u + 7u * 12u * std::size_t(points));
    EXPECT_EQ(read_bytes(out + "/sheet.mdd").size(), 8u + 7u * 4u + 7u * 12u * std::size_t(points));
    const std::string obj = read_bytes(out + "/sheet.obj");
    std::int32_t vertices = 0;
    for (std::size_t at = 0; (at = obj.find("\nv ", at)) != std::string::npos; ++at) ++vertices;
    EXPECT_EQ(vertices, points);
    const std::string usd = read_bytes(out + "/run.usda");
    EXPECT_THAT(usd, HasSubstr("int[] faceVertexIndices = ["));
    EXPECT_THAT(usd, HasSubstr("velocities.timeSamples"));
    EXPECT_TRUE(std::filesystem::exists(out + "/sheet.glb"));
    EXPECT_EQ(run_pleat({"bake", run, "-o", (folder / "again").string(), "--mesh",
                         out + "/sheet.obj", "--format", "pc2"})
                  .exit_code,
              0);
    EXPECT_EQ(read_bytes(folder / "again/sheet.pc2").size(), pc2.size());
}

TEST(Bake, tells_what_is_wrong)
{
    const TemporaryFolder folder;
    const std::string run = (folder / "run").string(), out = (folder / "out").string();
    ASSERT_EQ(
        run_pleat({"run", scenes + "pile/scene.json", "--frames", "0", "-q", "-o", run}).exit_code,
        0);
    const auto told = [&](std::vector<std::string> words, const std::string& text) {
        words.insert(words.begin(), "bake");
        words.insert(words.end(), {"-o", out});
        const ProgramResult result = run_pleat(words);
        EXPECT_EQ(result.exit_code, 1) << result.output;
        EXPECT_THAT(result.output, HasSubstr(text));
    };
    told({(folder / "none").string()}, "no such folder");
    told({run, "--cloth", "rag"}, "the name of a cloth");
    told({run, "--mesh", scenes + "pile/sheet0.obj"}, "--cloth NAME");
    told({run, "--format", "abc"}, "abc");
}

} // namespace
} // namespace pleat
