// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// The strain of a triangle, and the interface of membrane laws.
//
// Every membrane law here gives an energy per rest area [J/m^2] that depends on the Green strain G
// = (F^T F - 1) / 2 in the axes of the weave: uu along u (weft), vv along v (warp), uv the shear
// component. A law is three sibling functions of it: energy, stress (first derivatives by uu, vv,
// uv) and tangent (second derivatives). freeze() evaluates the coefficients that a law holds fixed
// within a step; for most laws these are constants.
#pragma once

#include "pleat/core/vec.hpp"

#include <concepts>

namespace pleat {

/// Components uu, vv, uv (the tensor's G00, G11, G01).
using Strain = Vec3;
/// Derivatives of the energy by uu, vv, uv [N/m]; the tensor's shear stress is half of the third.
using Stress = Vec3;
/// Second derivatives [N/m].
using Tangent = Mat3;

[[nodiscard]] inline Strain green_strain(const Mat3x2& f)
{
    const Vec3 wu = column(f, 0), wv = column(f, 1);
    return {0.5 * (dot(wu, wu) - 1), 0.5 * (dot(wv, wv) - 1), 0.5 * dot(wu, wv)};
}

/// Whether the tangent is made positive semi-definite or left as it is.
enum class Definiteness { exact, psd };

/// A law with damping of its own, besides what is proportional to the stiffness.
template <class Law>
concept HasDampingTangent = requires(const Law& law, const Strain& g)
{
    {
        damping_tangent(law, g)
        } -> std::same_as<Tangent>;
};

template <class Law>
concept MembraneLawModel = requires(const Law& law, const Strain& g, Definiteness d)
{
    typename Law::Frozen;
    {
        freeze(law, g)
        } -> std::same_as<typename Law::Frozen>;
    {
        energy(freeze(law, g), g)
        } -> std::same_as<double>;
    {
        stress(freeze(law, g), g)
        } -> std::same_as<Stress>;
    {
        tangent(freeze(law, g), g, d)
        } -> std::same_as<Tangent>;
};

/// Energy c11 uu^2 + 2 c12 uu vv + c22 vv^2 + 2 c33 uv^2, the form of [Wang2011]. There is no half
/// in it: c11 is half of what a tensile test along u calls its modulus.
struct StrainQuadratic {
    double c11 = 0, c12 = 0, c22 = 0, c33 = 0; // [N/m]
    bool operator==(const StrainQuadratic&) const = default;
};

[[nodiscard]] inline double energy(const StrainQuadratic& c, const Strain& g)
{
    return c.c11 * g[0] * g[0] + 2 * c.c12 * g[0] * g[1] + c.c22 * g[1] * g[1] +
           2 * c.c33 * g[2] * g[2];
}

[[nodiscard]] inline Stress stress(const StrainQuadratic& c, const Strain& g)
{
    return {2 * (c.c11 * g[0] + c.c12 * g[1]), 2 * (c.c12 * g[0] + c.c22 * g[1]), 4 * c.c33 * g[2]};
}

/// psd: the 2x2 part of stretch and the shear are clamped, each by itself.
[[nodiscard]] Tangent tangent(const StrainQuadratic& c, const Strain& g, Definiteness d);

} // namespace pleat
