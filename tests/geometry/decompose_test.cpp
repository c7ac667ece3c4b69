// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/geometry/decompose.hpp"

#include <gtest/gtest.h>

#include <random>

namespace pleat {
namespace {

template <class T, std::size_t R, std::size_t C> double largest(const Mat<T, R, C>& m)
{
    double d = 0;
    for (double e : m.e) d = std::max(d, std::abs(e));
    return d;
}

template <std::size_t N> Mat<double, N, N> random_symmetric(std::mt19937& random)
{
    std::normal_distribution<double> normal;
    Mat<double, N, N> m{};
    for (double& e : m.e) e = normal(random);
    return (m + transpose(m)) * 0.5;
}

template <class Eigen, std::size_t N>
void expect_decomposes(const Eigen& e, const Mat<double, N, N>& a)
{
    Mat<double, N, N> d{};
    for (std::size_t i = 0; i < N; ++i) d(i, i) = e.values[i];
    EXPECT_LT(largest(e.vectors * d * transpose(e.vectors) - a), 1e-13);
    EXPECT_LT(largest(transpose(e.vectors) * e.vectors - identity<N>()), 1e-13);
    for (std::size_t i = 1; i < N; ++i) EXPECT_GE(e.values[i - 1], e.values[i]);
}

TEST(Decompose, symmetric_matrices_have_eigenvectors)
{
    std::mt19937 random(1);
    for (int k = 0; k < 200; ++k) {
        const Mat2 a = random_symmetric<2>(random);
        expect_decomposes(eigen_symmetric(a), a);
        const Mat3 b = random_symmetric<3>(random);
        expect_decomposes(eigen_symmetric(b), b);
    }
    expect_decomposes(eigen_symmetric(Mat2{}), Mat2{});
    expect_decomposes(eigen_symmetric(Mat2{{2, 1e-9, 1e-9, 2}}), Mat2{{2, 1e-9, 1e-9, 2}});
    expect_decomposes(eigen_symmetric(Mat2{{1, 0, 0, 3}}), Mat2{{1, 0, 0, 3}});
    expect_decomposes(eigen_symmetric(identity<3>()), identity<3>());
}

TEST(Decompose, clamping_removes_negative_eigenvalues_only)
{
    std::mt19937 random(2);
    for (int k = 0; k < 200; ++k) {
        const Mat3 a = random_symmetric<3>(random);
        const EigenSym3 before = eigen_symmetric(a), after = eigen_symmetric(clamp_psd(a));
        for (std::size_t i = 0; i < 3; ++i)
            EXPECT_NEAR(after.values[i], std::max(before.values[i], 0.0), 1e-13);
        const Mat2 b = random_symmetric<2>(random);
        const EigenSym2 b0 = eigen_symmetric(b), b1 = eigen_symmetric(clamp_psd(b));
        for (std::size_t i = 0; i < 2; ++i)
            EXPECT_NEAR(b1.values[i], std::max(b0.values[i], 0.0), 1e-13);
    }
}

TEST(Decompose, polar_and_svd_give_the_matrix_back)
{
    std::mt19937 random(3);
    std::normal_distribution<double> normal;
    for (int k = 0; k < 200; ++k) {
        Mat3x2 f{};
        for (double& e : f.e) e = normal(random);
        const Polar3x2 p = polar(f);
        EXPECT_LT(largest(p.rotation * p.stretch - f), 1e-12);
        EXPECT_LT(largest(transpose(p.rotation) * p.rotation - identity<2>()), 1e-10);
        EXPECT_GE(eigen_symmetric(p.stretch).values[1], 0);
        const Svd3x2 s = svd(f);
        EXPECT_LT(largest(s.u * Mat2{{s.s[0], 0, 0, s.s[1]}} * transpose(s.v) - f), 1e-12);
        EXPECT_LT(largest(transpose(s.u) * s.u - identity<2>()), 1e-12);
    }
    const Mat3x2 line{{1, 2, 2, 4, 3, 6}}; // rank 1
    const Svd3x2 s = svd(line);
    EXPECT_NEAR(s.s[1], 0, 1e-7);
    EXPECT_LT(largest(transpose(s.u) * s.u - identity<2>()), 1e-12);
}

} // namespace
} // namespace pleat
