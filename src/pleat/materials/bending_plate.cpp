// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/materials/bending_plate.hpp"

#include <cmath>
#include <limits>

namespace pleat {

namespace {

/// across k(x, x) + mixed k(x, y) + along k(y, y) by components.
Vec3 row_of(const PlateEdge& e, double across, double mixed, double along)
{
    const Vec2 &x = e.inward, &y = e.along;
    return {across * x[0] * x[0] + mixed * x[0] * y[0] + along * y[0] * y[0],
            across * x[1] * x[1] + mixed * x[1] * y[1] + along * y[1] * y[1],
            2 * across * x[0] * x[1] + mixed * (x[0] * y[1] + x[1] * y[0]) +
                2 * along * y[0] * y[1]};
}

double frobenius2(const Mat3& m) // of maps to tensors: the mixed component counts twice
{
    double s = 0;
    for (std::size_t i = 0; i < 3; ++i)
        for (std::size_t j = 0; j < 3; ++j) s += (i == 2 ? 2 : 1) * m(i, j) * m(i, j);
    return s;
}

} // namespace

BendingPlate plate_of(const BendingIsotropicSheet& s)
{
    const double d =
        s.young * s.thickness * s.thickness * s.thickness / (12 * (1 - s.poisson * s.poisson));
    return {d, d, s.poisson * d, 0.5 * (1 - s.poisson) * d};
}

Vec3 angle_row(const PlateEdge& e)
{
    const double l = e.length;
    return row_of(e, 0.5 * (e.height + e.other_height), e.foot - e.other_foot,
                  0.5 * (e.foot * (e.foot - l) / e.height +
                         e.other_foot * (e.other_foot - l) / e.other_height));
}

Vec3 share_row(const PlateEdge& e)
{
    return row_of(e, 0.5 * e.height, e.foot - 0.5 * e.length,
                  0.5 * e.foot * (e.foot - e.length) / e.height);
}

PlateFit fit_plate(const std::array<PlateEdge, 3>& edges, const std::array<PlateEdge, 3>& own_edges,
                   double face_area)
{
    PlateFit fit;
    fit.amplification = std::numeric_limits<double>::infinity();
    Mat3 t{}, halves{};
    for (std::size_t k = 0; k < 3; ++k) {
        if (!edges[k].present) return fit;
        const Vec3 row = angle_row(edges[k]);
        const Vec3 half = normal_square(own_edges[k]) * (0.5 * own_edges[k].length / face_area);
        for (std::size_t i = 0; i < 3; ++i) {
            t(k, i) = row[i];
            halves(i, k) = half[i];
        }
    }
    const double det = determinant(t);
    if (det == 0) return fit;
    fit.curvature = inverse(t);
    fit.amplification = std::sqrt(frobenius2(fit.curvature) / frobenius2(halves));
    return fit;
}

Mat3 plate_tangent(const BendingPlate& p)
{
    return {{p.rigidity_u, p.coupling, 0, p.coupling, p.rigidity_v, 0, 0, 0, 4 * p.twist}};
}

} // namespace pleat
