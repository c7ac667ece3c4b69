// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Bending of a plate of given flexural rigidity, the same on any mesh.
// Based on: [Onate2000] (curvature of a triangle from its neighbours, without rotations as
// unknowns), with the patch's curvature fitted exactly.
//
// The usual hinge energy, a sum of l^2 theta^2 / (A0 + A1) over edges, is a plate only on regular
// meshes: bent along the diagonals of a right-triangle grid it is three times too stiff, because
// the angle at an edge also sees the curvature along the edge and the twist. For a surface z =
// u.k.u/2 over the rest plane the angle at an edge of length l with far corners at (a, p) and (-b,
// q), x across and y along the edge, is
//
//   theta = (k_xx (a + b) + 2 k_xy (p - q) + k_yy (p (p - l) / a + q (q - l) / b)) / 2.
//
// So the three angles of a face are a linear map T of its three curvatures, and k = T^-1 theta is
// right for every quadratic surface, on every mesh. Energy: half of k . D . k times the face's
// area. Where T is nearly singular (the six corners of the patch lie on a conic), k is the mean of
// half-angles instead, sum_k theta l / (2 A) n n^T, which is right on symmetric patches. A face at
// the border lacks angles: it hands its area to neighbours with three, or, where there are none,
// takes the curvature of least energy (a free edge carries no moment).
#pragma once

#include "pleat/core/vec.hpp"

#include <array>

namespace pleat {

/// Energy per area: (d11 k_uu^2 + 2 d12 k_uu k_vv + d22 k_vv^2) / 2 + 2 d66 k_uv^2.
struct BendingPlate {
    double rigidity_u = 0; // d11: curling along the weft [N m]
    double rigidity_v = 0; // d22: along the warp [N m]
    double coupling = 0;   // d12 [N m]; Poisson's ratio times the rigidity for isotropic sheets
    double twist = 0;      // d66 [N m]; (1 - nu)/2 times the rigidity for isotropic sheets
    bool operator==(const BendingPlate&) const = default;
};

/// A solid sheet: rigidity E h^3 / (12 (1 - nu^2)).
struct BendingIsotropicSheet {
    double thickness = 0; // [m]
    double young = 0;     // [N/m^2]
    double poisson = 0;
    bool operator==(const BendingIsotropicSheet&) const = default;
};

[[nodiscard]] inline BendingPlate plate_of(const BendingPlate& plate)
{
    return plate;
}
[[nodiscard]] BendingPlate plate_of(const BendingIsotropicSheet& sheet);

/// An edge of a face as its plate sees it, in the face's material plane.
struct PlateEdge {
    bool present = false;                    // has a face on the other side
    Vec2 along{};                            // unit
    Vec2 inward{};                           // unit, across the edge into the face
    double length = 0;                       // [m]
    double height = 0, foot = 0;             // of the face's own far corner: a, p [m]
    double other_height = 0, other_foot = 0; // of the other side's: b, q [m]
};

/// The symmetric C for which the face's energy is theta . C . theta / 2, theta the angles less
/// their rest values [N m]. Rows and columns of absent edges are zero. \param area that the face
/// answers for [m^2]
[[nodiscard]] Mat3 plate_stiffness(const BendingPlate& plate, const std::array<PlateEdge, 3>& edges,
                                   double area, double face_area);

} // namespace pleat
