// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/materials/bending_plate.hpp"

#include "pleat/geometry/decompose.hpp"

#include <cmath>

namespace pleat {

namespace {

// How many times larger than the mean of half-angles the exact fit may become before it is
// distrusted: on fair meshes the two differ by less than two.
constexpr double most_amplification = 4.0;

/// The angle at an edge as a function of (k_uu, k_vv, k_uv).
Vec3 angle_row(const PlateEdge& e)
{
    const double l = e.length;
    const double across = 0.5 * (e.height + e.other_height);
    const double mixed = e.foot - e.other_foot;
    const double along = 0.5 * (e.foot * (e.foot - l) / e.height +
                                e.other_foot * (e.other_foot - l) / e.other_height);
    const Vec2 &x = e.inward, &y = e.along;
    return {across * x[0] * x[0] + mixed * x[0] * y[0] + along * y[0] * y[0],
            across * x[1] * x[1] + mixed * x[1] * y[1] + along * y[1] * y[1],
            2 * across * x[0] * x[1] + mixed * (x[0] * y[1] + x[1] * y[0]) +
                2 * along * y[0] * y[1]};
}

double frobenius2(const Mat3& m) // of tensors: the mixed component counts twice
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

Mat3 plate_stiffness(const BendingPlate& plate, const std::array<PlateEdge, 3>& edges, double area,
                     double face_area)
{
    const Mat3 d{{plate.rigidity_u, plate.coupling, 0, plate.coupling, plate.rigidity_v, 0, 0, 0,
                  4 * plate.twist}};
    std::size_t present = 0;
    for (const PlateEdge& e : edges) present += e.present ? 1 : 0;
    if (present == 0) return {};
    if (present == 3) {
        Mat3 t{};    // curvature -> angles
        Mat3 mean{}; // angles -> curvature, by half-angles
        for (std::size_t k = 0; k < 3; ++k) {
            const Vec3 row = angle_row(edges[k]);
            const Vec2& n = edges[k].inward;
            const double s = 0.5 * edges[k].length / face_area;
            const Vec3 share{s * n[0] * n[0], s * n[1] * n[1], s * n[0] * n[1]};
            for (std::size_t i = 0; i < 3; ++i) {
                t(k, i) = row[i];
                mean(i, k) = share[i];
            }
        }
        Mat3 fit = mean;
        const double det = determinant(t);
        if (det != 0) {
            const Mat3 exact = inverse(t);
            if (frobenius2(exact) <= most_amplification * most_amplification * frobenius2(mean))
                fit = exact;
        }
        const Mat3 c = transpose(fit) * d * fit * area;
        return (c + transpose(c)) * 0.5;
    }
    // Least energy under the known angles: C = (T D^-1 T^T)^-1.
    const double det = determinant(d);
    if (!(det > 0)) return {};
    const Mat3 flexible = inverse(d);
    std::array<std::size_t, 2> which{};
    std::size_t count = 0;
    for (std::size_t k = 0; k < 3; ++k)
        if (edges[k].present) which[count++] = k;
    Mat3 c{};
    const Vec3 first = angle_row(edges[which[0]]);
    if (count == 1) {
        c(which[0], which[0]) = area / dot(first, flexible * first);
        return c;
    }
    const Vec3 second = angle_row(edges[which[1]]);
    const Mat2 m{{dot(first, flexible * first), dot(first, flexible * second),
                  dot(second, flexible * first), dot(second, flexible * second)}};
    if (determinant(m) <= 1e-3 * m(0, 0) * m(1, 1)) { // both edges say nearly the same
        c(which[0], which[0]) = 0.5 * area / m(0, 0);
        c(which[1], which[1]) = 0.5 * area / m(1, 1);
        return c;
    }
    const Mat2 inv = inverse(m);
    for (std::size_t i = 0; i < 2; ++i)
        for (std::size_t j = 0; j < 2; ++j) c(which[i], which[j]) = inv(i, j) * area;
    return c;
}

} // namespace pleat
