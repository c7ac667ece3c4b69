// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/materials/stiffness.hpp"

#include <cmath>
#include <variant>

namespace pleat {

namespace {

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

} // namespace pleat
