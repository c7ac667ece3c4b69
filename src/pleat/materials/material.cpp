// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/materials/material.hpp"

#include <algorithm>
#include <cmath>
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

/// The components (uu, vv, uv) of the tensor d d^T of a unit vector.
Vec3 square_of_direction(double angle)
{
    const double c = std::cos(angle), s = std::sin(angle);
    return {c * c, s * s, c * s};
}

double rigidity(const BendingPlate& law, double angle)
{
    const Vec3 k = square_of_direction(angle);
    return dot(k, plate_tangent(law) * k);
}
double rigidity(const BendingIsotropicSheet& law, double angle)
{
    return rigidity(plate_of(law), angle);
}
/// On equilateral triangles; the edges along which the fabric folds are square to the curvature.
double rigidity(const BendingMeasured& law, double angle)
{
    const double along = std::abs(std::cos(angle)), across = std::abs(std::sin(angle));
    return 0.25 * measured_stiffness(law, std::atan2(along, across), 0);
}
double rigidity(const BendingHinge& law, double)
{
    return 0.25 * law.stiffness;
}
double rigidity(const BendingIsometric& law, double)
{
    return law.rigidity;
}
double rigidity(const BendingBaraffWitkin&, double)
{
    return 0;
}

} // namespace

double membrane_stiffness(const Material& material, double angle)
{
    const Vec3 g = square_of_direction(angle);
    return std::visit(
        [&](const auto& law) {
            return dot(g, tangent(freeze(law, Strain{}), Strain{}, Definiteness::psd) * g);
        },
        material.membrane);
}

double bending_rigidity(const Material& material, double angle)
{
    return std::visit([&](const auto& law) { return rigidity(law, angle); }, material.bending);
}

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
