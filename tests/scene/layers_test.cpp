// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Stacks of sheets that fall onto a body. A seed that fails is played alone, and kept for `pleat
// run`, by `build/benchmarks/layer_scenes SEED SEED DIR`.
#include "scene/layers.hpp"

#include "pleat/sim/frame_stats.hpp"
#include "temporary_folder.hpp"

#include <gtest/gtest.h>

#include <string>

namespace pleat::test {
namespace {

void expect_calm(const LayersOutcome& o)
{
    EXPECT_TRUE(o.ok) << o.trouble;
    EXPECT_EQ(o.intersections, 0u);
    EXPECT_EQ(o.unresolved, 0u);
    EXPECT_LT(o.stretch.value, 0.5) << "in frame " << o.stretch.frame;
    EXPECT_LT(o.excess.value, frame_limit_tolerance) << "in frame " << o.excess.frame;
    EXPECT_LT(o.jolt.value, 1) << "in frame " << o.jolt.frame;
}

TEST(Layers, limited_and_unlimited_cloth_in_one_stack_grows_no_spikes)
{
    const TemporaryFolder folder;
    expect_calm(play(limited_between_unlimited(folder.path())));
}

TEST(RandomLayers, a_dozen_stay_calm)
{
    for (unsigned seed = 1; seed <= 12; ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        const TemporaryFolder folder;
        expect_calm(play(random_layers(seed, folder.path())));
    }
}

// What each frame costs by its neighbours is in the table of `layer_scenes`: times are no test.
TEST(RandomLayersLong, two_hundred_stay_calm)
{
    for (unsigned seed = 1; seed <= 200; ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        const TemporaryFolder folder;
        expect_calm(play(random_layers(seed, folder.path())));
    }
}

} // namespace
} // namespace pleat::test
