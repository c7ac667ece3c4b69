// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "integrators/drape.hpp"

#include "energies/cloths.hpp"

#include <gtest/gtest.h>

namespace pleat {
namespace {

TEST(Drape, stiff_sheets_stay_flat_and_limp_ones_fall)
{
    Material limp = cloths::fabric("gray-interlock");
    const DrapeResult soft = drape_coefficient(limp, 10, 1.5);
    EXPECT_LT(soft.coefficient, 60);
    EXPECT_GT(soft.coefficient, 5);
    const DrapeResult stiff = drape_coefficient(scaled(limp, 1, 1, 3000), 10, 1.5);
    EXPECT_GT(stiff.coefficient, 95);
}

TEST(DrapeLong, coefficient_is_the_same_on_coarse_and_fine_meshes)
{
    const Material m = cloths::fabric("11oz-black-denim");
    const double coarse = drape_coefficient(m, 15, 4).coefficient;
    const double middle = drape_coefficient(m, 25, 4).coefficient;
    const double fine = drape_coefficient(m, 50, 4).coefficient;
    EXPECT_NEAR(coarse, middle, 3);
    EXPECT_NEAR(fine, middle, 3);
}

TEST(Cantilever, gives_the_rigidity_of_a_plate_back)
{
    Material m;
    m.density = 0.2;
    m.membrane = MembraneIsotropicSheet{1e-3, 5e5, 0};
    m.bending = BendingPlate{3e-5, 6e-5, 0, 2e-5};
    EXPECT_NEAR(cantilever_rigidity(m, 0), 3e-5, 0.03 * 3e-5);
    EXPECT_NEAR(cantilever_rigidity(m, 1.5707963267948966), 6e-5, 0.03 * 6e-5);
}

} // namespace
} // namespace pleat
