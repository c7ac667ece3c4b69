// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// [Narain2012] fig. 7 and meshes that Jacobi iterations do not get along with.
#include "pleat/core/parallel.hpp"
#include "pleat/strain_limiting/augmented_lagrangian.hpp"
#include "pleat/strain_limiting/jacobi.hpp"
#include "pleat/strain_limiting/projected_newton.hpp"
#include "strain_limiting/sheets.hpp"

#include <gtest/gtest.h>

namespace pleat {
namespace {

constexpr double dt = 0.005;

double violation_after(StrainLimiter&& limiter, cloths::Cloth c)
{
    const LimitReport r = limiter.limit(c.model, {}, {}, dt, c.state);
    EXPECT_NEAR(check_limits(c.model, c.state.x.values).worst_violation, r.worst_violation, 1e-7);
    return r.worst_violation;
}

void expect_figure7(int cells)
{
    const cloths::Cloth square = sheets::figure7(cells);
    EXPECT_GT(check_limits(square.model, square.state.x.values).worst_violation, 0.4);
    EXPECT_LT(violation_after(StrainLimiterProjectedNewton(), square), 1e-3);
    EXPECT_LT(violation_after(StrainLimiterAugmentedLagrangian(), square), 1e-3);
    // A few hundred iterations, several times what the others take.
    EXPECT_GT(violation_after(StrainLimiterJacobi(), square), 0.05);
}

TEST(Figure7, square_of_5k_faces_ends_inside_where_jacobi_stalls)
{
    expect_figure7(50);
}

TEST(Figure7Long, square_of_20k_faces_ends_inside_where_jacobi_stalls)
{
    expect_figure7(101);
}

TEST(Irregular, converges_where_jacobi_does_not)
{
    const cloths::Cloth sheet = sheets::irregular(40);
    EXPECT_GT(check_limits(sheet.model, sheet.state.x.values).worst_violation, 0.1);
    EXPECT_LT(violation_after(StrainLimiterProjectedNewton(), sheet), 1e-3);
    EXPECT_LT(violation_after(StrainLimiterAugmentedLagrangian(), sheet), 1e-3);
    StrainJacobiOptions patient;
    patient.max_iterations = 2000;
    EXPECT_GT(violation_after(StrainLimiterJacobi(patient), sheet), 0.01);
}

/// Both move about as far: neither is inside only because it threw the sheet away.
TEST(Figure7, newton_stays_about_as_near_as_the_published_solver)
{
    const cloths::Cloth square = sheets::figure7(30);
    const auto moved = [&](StrainLimiter&& limiter) {
        State s = square.state;
        (void)limiter.limit(square.model, {}, {}, dt, s);
        double sum = 0;
        for (NodeId n : square.model.mesh.nodes())
            sum += square.model.mass[n] * norm2(s.x[n] - square.state.x[n]);
        return std::sqrt(sum);
    };
    EXPECT_LT(moved(StrainLimiterProjectedNewton()),
              1.5 * moved(StrainLimiterAugmentedLagrangian()));
}

} // namespace
} // namespace pleat
