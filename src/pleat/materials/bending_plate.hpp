// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Bending of a plate of given flexural rigidity, the same on any mesh.
// Based on: [Onate2000] (curvature of a triangle from the normals at the middles of its edges,
// without rotations as unknowns). Departs from it in the shares, see below.
//
// The usual hinge energy, a sum of l^2 theta^2 / (A0 + A1) over edges, is a plate only on regular
// meshes: bent along the diagonals of a right-triangle grid it is three times too stiff, because
// the angle at an edge also sees the curvature along the edge and the twist. For a surface z =
// u.k.u/2 over the rest plane the angle at an edge of length l with far corners at (a, p) and (-b,
// q), x across and y along the edge, is
//
//   theta = (k_xx (a + b) + 2 k_xy (p - q) + k_yy (p (p - l) / a + q (q - l) / b)) / 2.
//
// Of this the side of the corner (a, p) has (k_xx a + k_xy (2 p - l) + k_yy p (p - l) / a) / 2, the
// turn from its own normal to the surface's at the middle of the edge: its share. A face's
// curvature is then exact,
//
//   k = sum over its edges of (l / A) share n n^T,   n the edge's normal in the plane.
//
// Only the sum of both shares is known, the angle itself. It is halved between the sides, and
// corrected by half the difference of the shares that the curvature nearby calls for: that of one
// of the two faces, from its three angles (a linear map T of three curvatures, inverted). So (1)
// every quadratic surface has the right curvature and energy, on every mesh, and (2) the sum of A k
// over the faces is that of l theta n n^T over the edges, which does not change when inner nodes
// move, so that constant moments are in balance. Both together are the patch test; halving alone
// fails (1) and T^-1 alone fails (2), by several per cent on random meshes.
//
// On irregular meshes of thin triangles the corrections can nearly cancel the halves for some waves
// as short as the edges. Such waves would have almost no bending energy and grow under compression.
// So each face has a second energy term of the same form. In place of the curvature it has the
// halved angles less those that the curvature of the face would give: sum over its edges of (l / 2
// A) (theta - theta(k)) n n^T. It is zero for quadratic surfaces, so the patch test still holds.
// The two terms vanish together only if all angles of the face do.
//
// At the border a face's T takes angles of its neighbours, and its share of the border edge is what
// T calls for. Where T is nearly singular (the corners of the patch lie on a conic) the correction
// and the second term are left out.
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

/// An edge whose angle a plate uses, in the material plane of the plate's face.
struct PlateEdge {
    bool present = false;                    // has faces on both sides
    Vec2 along{};                            // unit
    Vec2 inward{};                           // unit, across the edge, towards the side called own
    double length = 0;                       // [m]
    double height = 0, foot = 0;             // of the own side's far corner: a, p [m]
    double other_height = 0, other_foot = 0; // of the other side's: b, q [m]
};

/// The angle at an edge as a function of the curvatures (uu, vv, uv).
[[nodiscard]] Vec3 angle_row(const PlateEdge& edge);
/// The own side's share of it. Needs no other side.
[[nodiscard]] Vec3 share_row(const PlateEdge& edge);

/// n n^T by components uu, vv, uv.
[[nodiscard]] inline Vec3 normal_square(const PlateEdge& e)
{
    return {e.inward[0] * e.inward[0], e.inward[1] * e.inward[1], e.inward[0] * e.inward[1]};
}

/// Angles at three edges -> curvature, T^-1.
struct PlateFit {
    Mat3 curvature{};
    double amplification = 0; // how much larger than halving would be; infinite: there is none
};

/// \param own_edges of the face, all with length and inward; its area sets the scale
[[nodiscard]] PlateFit fit_plate(const std::array<PlateEdge, 3>& edges,
                                 const std::array<PlateEdge, 3>& own_edges, double face_area);

/// The largest amplification accepted for a fit; on well-shaped meshes it is below two.
inline constexpr double most_plate_amplification = 4.0;

/// d2 (energy per area) / d k2, by components uu, vv, uv [N m].
[[nodiscard]] Mat3 plate_tangent(const BendingPlate& plate);

} // namespace pleat
