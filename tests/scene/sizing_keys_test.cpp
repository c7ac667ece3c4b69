// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// The list of sizing metrics of a scene.
#include "pleat/core/error.hpp"
#include "pleat/scene/part_tables.hpp"
#include "pleat/scene/scene_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace pleat {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

SceneDescription scene_with(const std::string& keys)
{
    return parse_scene(R"({"pleat": 1, "cloths": [{"mesh": "a.obj", "material": "denim",
                           "remeshing": {"type": "anisotropic")" +
                           (keys.empty() ? "" : ", " + keys) + "}}]}",
                       "/tmp/scene.json");
}

std::vector<std::string> metrics_of(const std::string& keys)
{
    std::vector<std::string> names;
    const SizingByCloth sizing = sizing_by_cloth(scene_with(keys));
    for (const NamedSizingMetric& m : sizing.at(0)->metrics) names.push_back(m.name);
    return names;
}

Problem problem_of(const std::string& keys)
{
    try {
        (void)scene_with(keys);
    } catch (const InputError& error) {
        return error.problems().at(0);
    }
    ADD_FAILURE() << "took " << keys;
    return {};
}

TEST(SizingKeys, have_the_four_metrics_of_the_paper_by_default)
{
    EXPECT_THAT(metrics_of(""), ElementsAre("curvature", "compression", "velocity", "obstacle"));
    EXPECT_THAT(metrics_of(R"("angle": 0, "velocity": 0)"), ElementsAre("compression", "obstacle"));
}

TEST(SizingKeys, choose_metrics_by_name_or_with_options)
{
    EXPECT_THAT(metrics_of(R"("sizing": [])"), IsEmpty());
    EXPECT_THAT(metrics_of(R"("sizing": ["obstacle", {"type": "velocity", "velocity": 2}])"),
                ElementsAre("obstacle", "velocity"));
    // An option of an entry goes before the key of the same name.
    EXPECT_THAT(metrics_of(R"("angle": 0, "sizing": ["curvature", "obstacle"])"),
                ElementsAre("obstacle"));
    EXPECT_THAT(metrics_of(R"("angle": 0, "sizing": [{"type": "curvature", "angle": 0.1}])"),
                ElementsAre("curvature"));
    EXPECT_THAT(metrics_of(R"("compression": "auto")"),
                ElementsAre("curvature", "compression", "velocity", "obstacle"));
}

TEST(SizingKeys, come_back_as_they_were_written)
{
    const SceneDescription s = scene_with(
        R"("compression": "auto", "edges_per_wave": 7, "sizing": ["velocity",
           {"type": "compression", "compression": "auto", "edges_per_wave": 9}, "obstacle"])");
    EXPECT_EQ(s.cloths[0].remeshing.compression, automatic);
    EXPECT_EQ(s.cloths[0].remeshing.sizing[1].options.at("compression"), automatic);
    const SceneDescription again = parse_scene(to_json_text(s), "/tmp/scene.json");
    EXPECT_EQ(again.cloths[0].remeshing, s.cloths[0].remeshing);
}

TEST(SizingKeys, that_are_wrong_are_said_with_their_place)
{
    Problem p = problem_of(R"("sizing": ["curvatur"])");
    EXPECT_THAT(p.place, HasSubstr("sizing[0]"));
    EXPECT_THAT(p.expected, HasSubstr("curvature"));
    p = problem_of(R"("sizing": ["velocity", "velocity"])");
    EXPECT_THAT(p.place, HasSubstr("sizing[1]"));
    EXPECT_THAT(p.expected, HasSubstr("at most once"));
    p = problem_of(R"("sizing": [{"type": "curvature", "velocity": 1}])"); // of another metric
    EXPECT_THAT(p.place + p.found, HasSubstr("velocity"));
    EXPECT_THAT(problem_of(R"("sizing": 3)").expected, HasSubstr("array"));
    EXPECT_THAT(problem_of(R"("sizing": [3])").expected, HasSubstr("an object"));
    EXPECT_THAT(problem_of(R"("sizing": [{"angle": 1}])").expected, HasSubstr("curvature"));
    EXPECT_THAT(problem_of(R"("compression": "automatic")").expected, HasSubstr("\"auto\""));
    EXPECT_THAT(problem_of(R"("angle": "auto")").expected, HasSubstr("number"));
    EXPECT_THAT(problem_of(R"("edges_per_wave": 0)").expected, HasSubstr("above 0"));
}

} // namespace
} // namespace pleat
