// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/materials/material.hpp"

#include <algorithm>
#include <utility>

namespace pleat {

namespace {

void scale(StrainQuadratic& c, double s)
{
    c = {s * c.c11, s * c.c12, s * c.c22, s * c.c33};
}

void scale(MembraneMeasured& law, double s)
{
    scale(law.at_rest, s);
    for (StrainQuadratic& row : law.at_stretch) scale(row, s);
}

void scale(MembraneIsotropicSheet& law, double s)
{
    law.young *= s;
}

void scale(MembraneOrthotropic& law, double s)
{
    law.young_u *= s;
    law.young_v *= s;
    law.shear *= s;
}

void scale(MembraneBaraffWitkin& law, double s)
{
    law.stretch_u *= s;
    law.stretch_v *= s;
    law.shear *= s;
    law.stretch_damping *= s;
    law.shear_damping *= s;
}

void scale(BendingMeasured& law, double s)
{
    for (auto& row : law.stiffness)
        for (double& k : row) k *= s;
}

void scale(BendingIsotropicSheet& law, double s)
{
    law.young *= s;
}

void scale(BendingPlate& law, double s)
{
    law = {s * law.rigidity_u, s * law.rigidity_v, s * law.coupling, s * law.twist};
}

void scale(BendingHinge& law, double s)
{
    law.stiffness *= s;
    law.damping *= s;
}

void scale(BendingIsometric& law, double s)
{
    law.rigidity *= s;
}

void scale(BendingBaraffWitkin& law, double s)
{
    law.stiffness *= s;
    law.damping *= s;
}

} // namespace

double stretch_stiffness(const Material& material)
{
    return std::visit(
        [](const auto& law) {
            const Tangent t = tangent(freeze(law, Strain{}), Strain{}, Definiteness::psd);
            return std::max(t(0, 0), t(1, 1));
        },
        material.membrane);
}

bool is_damped(const Material& material)
{
    if (material.damping > 0) return true;
    const auto* membrane = std::get_if<MembraneBaraffWitkin>(&material.membrane);
    const auto* hinge = std::get_if<BendingHinge>(&material.bending);
    const auto* angle = std::get_if<BendingBaraffWitkin>(&material.bending);
    return (membrane != nullptr &&
            (membrane->stretch_damping > 0 || membrane->shear_damping > 0)) ||
           (hinge != nullptr && hinge->damping > 0) || (angle != nullptr && angle->damping > 0);
}

Material scaled(Material material, double density, double stretching, double bending)
{
    material.density *= density;
    std::visit([&](auto& law) { scale(law, stretching); }, material.membrane);
    std::visit([&](auto& law) { scale(law, bending); }, material.bending);
    return material;
}

Material thickened(Material material, double times)
{
    return scaled(std::move(material), times, times, times);
}

static_assert(MembraneLawModel<MembraneMeasured>);
static_assert(MembraneLawModel<MembraneIsotropicSheet>);
static_assert(MembraneLawModel<MembraneOrthotropic>);
static_assert(MembraneLawModel<MembraneBaraffWitkin>);
static_assert(BendingLawModel<BendingMeasured>);
static_assert(BendingLawModel<BendingHinge>);
static_assert(BendingLawModel<BendingIsometric>);
static_assert(BendingLawModel<BendingBaraffWitkin>);

} // namespace pleat
