// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/contact/impact_detection.hpp"

#include "contact/dice.hpp"
#include "contact/shapes.hpp"
#include "contact/stage.hpp"
#include "pleat/scene/material_file.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <set>
#include <utility>

namespace pleat::test {
namespace {

constexpr double dt = 0.005;

using Key = std::pair<bool, std::array<std::uint32_t, 4>>;

/// \param again counts the pairs that are reported more than once
std::set<Key> keys_of(const std::vector<ImpactHit>& hits, int& again)
{
    std::set<Key> keys;
    for (const ImpactHit& hit : hits)
        again += keys.insert({hit.pair.edges, hit.pair.nodes}).second ? 0 : 1;
    return keys;
}

/// Four layers and a ball between which there are many hits. After each of several changes of some
/// ends, detection of what changed agrees with detection of everything.
void expect_agreement(unsigned seed, std::size_t changes, double size)
{
    std::vector<SheetPlan> sheets;
    for (int k = 0; k < 4; ++k)
        sheets.push_back({10, 10, 0.1, 0.1, [=](const Vec2& u) {
                              return Vec3{u[0], u[1], 0.002 * k};
                          }});
    Stage stage = make_stage(sheets, fabric("gray-interlock"), {});
    Dice dice(seed);
    std::vector<Vec3> x0(stage.sim.state.x.begin(), stage.sim.state.x.end());
    for (Vec3& x : x0) x += dice.between(0, 0.0004) * dice.direction();
    std::vector<Vec3> x1 = x0;
    for (Vec3& x : x1) x += dice.between(0, 0.003) * dice.direction();
    stage.world.obstacles = {sphere(0.03, 6)};
    for (Vec3& x : stage.world.obstacles[0].x) x += Vec3{0.05, 0.05, -0.031};
    const auto obstacles = sample_obstacles(stage.world, 0, dt);

    const auto unlimited = [](const FeaturePair&) {
        return std::numeric_limits<double>::infinity();
    };
    ImpactDetector detector{ContactOptions{}}, fresh{ContactOptions{}};
    detector.begin(stage.sim.model, stage.world, obstacles, x0, x1);
    ASSERT_GT(detector.detect_all(unlimited).size(), 20u);
    for (int round = 0; round < 8; ++round) {
        std::vector<std::uint8_t> changed(x1.size(), 0);
        for (std::size_t i = 0; i < changes; ++i) {
            const std::size_t n = dice.below(x1.size());
            changed[n] = 1;
            // Some stay where they are, and some go back.
            if (dice.below(4) != 0) x1[n] += dice.between(0, size) * dice.direction();
            if (dice.below(8) == 0) x1[n] = x0[n];
        }
        int again = 0;
        const std::set<Key> found = keys_of(detector.detect_changed(x1, changed, unlimited), again);
        fresh.begin(stage.sim.model, stage.world, obstacles, x0, x1);
        const std::set<Key> all = keys_of(fresh.detect_all(unlimited), again);
        EXPECT_EQ(again, 0);
        for (const Key& key : found) EXPECT_TRUE(all.contains(key)) << "round " << round;
        for (const Key& key : all) {
            const bool is_changed =
                std::any_of(key.second.begin(), key.second.end(),
                            [&](std::uint32_t n) { return n < changed.size() && changed[n] != 0; });
            EXPECT_TRUE(!is_changed || found.contains(key)) << "round " << round;
        }
    }
}

TEST(ImpactDetection, of_what_changed_agrees_with_that_of_everything)
{
    for (const unsigned seed : {1u, 2u, 3u})
        for (const std::size_t changes : {3u, 40u, 300u})
            for (const double size : {1e-5, 2e-4, 5e-3}) // beside a separation of 5e-4
                expect_agreement(seed, changes, size);
}

} // namespace
} // namespace pleat::test
