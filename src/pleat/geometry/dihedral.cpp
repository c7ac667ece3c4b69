// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/geometry/dihedral.hpp"

#include <algorithm>
#include <cmath>

namespace pleat {

DihedralGradient dihedral_gradient(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d,
                                   double least_area2)
{
    const Vec3 e = b - a;
    const Vec3 nc = cross(e, c - a);
    const Vec3 nd = cross(d - a, e);
    const double length2 = norm2(e);
    const double length = std::sqrt(length2);
    DihedralGradient r{detail::angle_between(nc, nd, e, length), {}};

    const double least = least_area2 * least_area2;
    const double nc2 = std::max(norm2(nc), least), nd2 = std::max(norm2(nd), least);
    if (length == 0 || nc2 == 0 || nd2 == 0) return r;
    r.g[2] = nc * (-length / nc2);
    r.g[3] = nd * (-length / nd2);
    // The feet of the far corners' heights on the edge determine the gradients at its ends, such
    // that forces and moments sum to zero.
    const double tc = dot(c - a, e) / length2, td = dot(d - a, e) / length2;
    r.g[0] = -((1 - tc) * r.g[2] + (1 - td) * r.g[3]);
    r.g[1] = -(tc * r.g[2] + td * r.g[3]);
    return r;
}

Mat<double, 12, 12> dihedral_hessian(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d)
{
    const Vec3 e = b - a, ac = c - a, ad = d - a;
    const Vec3 nc = cross(e, ac), nd = cross(ad, e);
    const double length2 = norm2(e), length = std::sqrt(length2);
    const double nc2 = norm2(nc), nd2 = norm2(nd);
    const double tc = dot(ac, e) / length2, td = dot(ad, e) / length2;
    const Vec3 gc = nc * (-length / nc2), gd = nd * (-length / nd2);

    // One column a time: the gradient's change when a single coordinate moves.
    Mat<double, 12, 12> h{};
    for (std::size_t k = 0; k < 12; ++k) {
        std::array<Vec3, 4> move{};
        move[k / 3][k % 3] = 1;
        const Vec3 de = move[1] - move[0], dac = move[2] - move[0], dad = move[3] - move[0];
        const Vec3 dnc = cross(de, ac) + cross(e, dac);
        const Vec3 dnd = cross(dad, e) + cross(ad, de);
        const double dlength = dot(e, de) / length;
        const Vec3 dgc = (nc * dlength + dnc * length) * (-1 / nc2) +
                         nc * (2 * length * dot(nc, dnc) / (nc2 * nc2));
        const Vec3 dgd = (nd * dlength + dnd * length) * (-1 / nd2) +
                         nd * (2 * length * dot(nd, dnd) / (nd2 * nd2));
        const double dtc = (dot(dac, e) + dot(ac, de) - 2 * tc * dot(e, de)) / length2;
        const double dtd = (dot(dad, e) + dot(ad, de) - 2 * td * dot(e, de)) / length2;
        const std::array<Vec3, 4> dg{
            dtc * gc - (1 - tc) * dgc + dtd * gd - (1 - td) * dgd,
            -dtc * gc - tc * dgc - dtd * gd - td * dgd,
            dgc,
            dgd,
        };
        for (std::size_t i = 0; i < 12; ++i) h(i, k) = dg[i / 3][i % 3];
    }
    return h;
}

} // namespace pleat
