// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Ten seconds of a flag and of a hanging sheet on a fixed mesh.
#include "energies/cloths.hpp"
#include "pleat/energies/elastic_batch.hpp"
#include "pleat/geometry/decompose.hpp"
#include "pleat/integrators/backward_euler.hpp"
#include "pleat/loads/wind.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace pleat {
namespace {

using cloths::Cloth;
using cloths::MeshKind;

/// Largest principal stretch of any face.
double largest_stretch(const Cloth& c, const State& s)
{
    double most = 0;
    for (FaceId f : c.model.mesh.faces()) {
        const auto& v = c.model.mesh[f].verts;
        const auto [a, b, d] = c.model.mesh.nodes_of(f);
        const FaceRest rest =
            face_rest(c.model.mesh.u(v[0]), c.model.mesh.u(v[1]), c.model.mesh.u(v[2]));
        most = std::max(most, svd(deformation(rest, s.x[a], s.x[b], s.x[d])).s[0]);
    }
    return most;
}

struct RunResult {
    double stretch = 0, speed = 0; // largest ever
    State last;
};

RunResult run(const Cloth& c, const std::vector<NodeId>& held, const Vec3& gravity,
              const Wind& wind, double time)
{
    IntegratorBackwardEuler integrator;
    RunResult result;
    State s = c.state, next;
    const double dt = 0.005;
    for (int i = 0; i < static_cast<int>(time / dt); ++i) {
        Loads loads;
        loads.gravity = gravity;
        add_wind(c.model, s, wind, loads);
        for (NodeId n : held) loads.pins.push_back({n, c.state.x[n], {}});
        const SolveReport r = integrator.advance(c.model, s, loads, {}, dt, next);
        EXPECT_TRUE(r.ok) << r.trouble;
        if (!r.ok) break;
        s = next;
        for (const Vec3& v : s.v) result.speed = std::max(result.speed, norm(v));
        if (i % 20 == 0) result.stretch = std::max(result.stretch, largest_stretch(c, s));
    }
    result.last = s;
    return result;
}

TEST(RunsLong, flag_flies_for_ten_seconds_at_ten_metres_a_second)
{
    Cloth c = cloths::make_cloth(cloths::rectangle(MeshKind::structured, 3, 2, 0.1),
                                 cloths::fabric("white-dots-on-blk"));
    const auto pole = cloths::nodes_where(c, [](const Vec3& x) { return x[0] == 0; });
    const RunResult r = run(c, pole, {0, -9.8, 0}, Wind{{10, 0, 0.5}, 1.2, 0.05}, 10);
    EXPECT_LT(r.stretch, 1.5);
    EXPECT_LT(r.speed, 80);
    double end = 0;
    for (NodeId n : cloths::nodes_where(c, [](const Vec3& x) { return x[0] == 3; }))
        end = std::max(end, r.last.x[n][0]);
    EXPECT_GT(end, 1.5) << "it flies";
}

TEST(RunsLong, hanging_sheet_swings_out_in_ten_seconds)
{
    Cloth c = cloths::make_cloth(cloths::rectangle(MeshKind::structured, 1, 1, 0.04),
                                 cloths::fabric("gray-interlock"));
    const auto corners =
        cloths::nodes_where(c, [](const Vec3& x) { return x[1] == 1 && (x[0] == 0 || x[0] == 1); });
    const RunResult r = run(c, corners, {0, 0, -9.8}, Wind{{0, 0, 0}, 1.2, 0.05}, 10);
    EXPECT_LT(r.stretch, 2.0); // the corners of a knit that hangs by two points
    EXPECT_LT(r.speed, 12);
    double speed = 0, lowest = 0;
    for (const Vec3& v : r.last.v) speed = std::max(speed, norm(v));
    for (const Vec3& x : r.last.x) lowest = std::min(lowest, x[2]);
    EXPECT_LT(speed, 1.0);
    EXPECT_LT(lowest, -0.9);
    EXPECT_GT(lowest, -1.6);
}

} // namespace
} // namespace pleat
