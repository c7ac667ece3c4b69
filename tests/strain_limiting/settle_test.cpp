// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/strain_limiting/settle.hpp"

#include "strain_limiting/sheets.hpp"

#include <gtest/gtest.h>

namespace pleat {
namespace {

TEST(Settle, sheet_stretched_by_30_per_cent_around_a_cylinder_comes_below_one)
{
    cloths::Cloth c = sheets::wrapped(48, 24, 0.3);
    const SettleReport r = settle(c.model, {}, {}, c.state);
    EXPECT_NEAR(r.strain_before, 0.3, 0.01);
    EXPECT_LT(r.strain_after, 0.01);
    EXPECT_GT(r.farthest, 0.01);
    EXPECT_LT(r.farthest, 0.5);
    for (const Vec3& v : c.state.v.values) EXPECT_EQ(v, Vec3{});
}

TEST(Settle, works_without_limits_in_the_material_and_keeps_pins)
{
    cloths::Cloth c = sheets::wrapped(32, 16, 0.3);
    for (Material& m : c.model.materials) m.strain_limits.reset();
    Loads loads;
    for (NodeId n : c.model.mesh.nodes()) {
        const Vec3& x = c.state.x[n];
        if (x[0] > 0 && std::abs(x[1]) < 1e-3 && x[2] < 1e-9) {
            loads.pins.push_back({n, x, {}});
            break;
        }
    }
    ASSERT_EQ(loads.pins.size(), 1u);
    const SettleReport r = settle(c.model, loads, {}, c.state);
    EXPECT_LT(r.strain_after, 0.01);
    EXPECT_EQ(c.state.x[loads.pins[0].node], loads.pins[0].x_t1);
}

TEST(Settle, cloth_at_rest_stays)
{
    cloths::Cloth c =
        cloths::make_cloth(sheets::uneven(1, 1, 0.1), sheets::limited_fabric(-0.1, 0.1));
    const State before = c.state;
    const SettleReport r = settle(c.model, {}, {}, c.state);
    EXPECT_EQ(r.iterations, 0);
    EXPECT_TRUE(c.state == before);
}

} // namespace
} // namespace pleat
