// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/energies/hinge_element.hpp"

#include <numbers>

namespace pleat {

namespace {

/// sum_i q_i x_i, from differences.
Vec3 isometric_vector(const std::array<double, 4>& q, const std::array<Vec3, 4>& x)
{
    return q[1] * (x[1] - x[0]) + q[2] * (x[2] - x[0]) + q[3] * (x[3] - x[0]);
}

} // namespace

double hinge_energy(const HingeNumbers& n, const HingeRest& rest, const std::array<Vec3, 4>& x,
                    double rest_angle)
{
    return hinge_energy(n, rest, x, dihedral_angle(x[0], x[1], x[2], x[3]), rest_angle);
}

double hinge_energy(const HingeNumbers& n, const HingeRest& rest, const std::array<Vec3, 4>& x,
                    double angle, double rest_angle)
{
    double e = angle_energy(n, angle, rest_angle);
    if (n.isometric != 0)
        e += 0.5 * n.isometric * norm2(isometric_vector(isometric_weights(rest), x));
    return e;
}

std::array<Vec3, 4> hinge_forces(const HingeNumbers& n, const HingeRest& rest,
                                 const std::array<Vec3, 4>& x, double rest_angle)
{
    const DihedralGradient d = dihedral_gradient(x[0], x[1], x[2], x[3], least_area2(rest));
    const double m = angle_moment(n, d.angle, rest_angle);
    std::array<Vec3, 4> f{};
    for (std::size_t i = 0; i < 4; ++i) f[i] = -m * d.g[i];
    if (n.isometric != 0) {
        const auto q = isometric_weights(rest);
        const Vec3 y = isometric_vector(q, x);
        for (std::size_t i = 0; i < 4; ++i) f[i] -= n.isometric * q[i] * y;
    }
    return f;
}

Mat<double, 12, 12> hinge_stiffness(const HingeNumbers& n, const HingeRest& rest,
                                    const std::array<Vec3, 4>& x, double rest_angle, Definiteness d)
{
    const DihedralGradient g = dihedral_gradient(x[0], x[1], x[2], x[3], least_area2(rest));
    const double stiffness = angle_stiffness(n, g.angle);
    Mat<double, 12, 12> k{};
    for (std::size_t i = 0; i < 12; ++i)
        for (std::size_t j = 0; j < 12; ++j)
            k(i, j) = stiffness * g.g[i / 3][i % 3] * g.g[j / 3][j % 3];
    if (n.isometric != 0) {
        const auto q = isometric_weights(rest);
        for (std::size_t i = 0; i < 4; ++i)
            for (std::size_t j = 0; j < 4; ++j)
                for (std::size_t c = 0; c < 3; ++c)
                    k(3 * i + c, 3 * j + c) += n.isometric * q[i] * q[j];
    }
    if (d == Definiteness::exact)
        k += dihedral_hessian(x[0], x[1], x[2], x[3]) * angle_moment(n, g.angle, rest_angle);
    return k;
}

std::array<Vec3, 4> hinge_damping_forces(const HingeNumbers& n, const HingeRest& rest,
                                         const std::array<Vec3, 4>& x, const std::array<Vec3, 4>& v)
{
    const DihedralGradient d = dihedral_gradient(x[0], x[1], x[2], x[3], least_area2(rest));
    double rate = 0;
    for (std::size_t i = 0; i < 4; ++i) rate += dot(d.g[i], v[i]);
    std::array<Vec3, 4> f{};
    for (std::size_t i = 0; i < 4; ++i) f[i] = -n.damping * rate * d.g[i];
    return f;
}

} // namespace pleat
