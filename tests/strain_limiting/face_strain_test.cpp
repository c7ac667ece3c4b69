// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// The limited strains and their derivatives against finite differences.
#include "pleat/strain_limiting/face_strain.hpp"

#include "pleat/strain_limiting/limited_mesh.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace pleat {
namespace {

Mat3x2 random_matrix(std::mt19937& random, double size = 1)
{
    std::uniform_real_distribution<double> number(-size, size);
    Mat3x2 f{};
    for (std::size_t i = 0; i < 3; ++i)
        for (std::size_t j = 0; j < 2; ++j) f(i, j) = number(random);
    return f;
}

Mat3x2 with_singular_values(std::mt19937& random, double s1, double s2)
{
    const Svd3x2 any = svd(random_matrix(random));
    return s1 * outer(column(any.u, 0), column(any.v, 0)) +
           s2 * outer(column(any.u, 1), column(any.v, 1));
}

double inner(const Mat3x2& a, const Mat3x2& b)
{
    double sum = 0;
    for (std::size_t i = 0; i < 3; ++i)
        for (std::size_t j = 0; j < 2; ++j) sum += a(i, j) * b(i, j);
    return sum;
}

template <class Strain>
void expect_gradient(Strain strain, const Mat3x2& f, const Mat3x2& direction, double tolerance)
{
    const double h = 1e-6;
    const FaceStrain at = strain(f);
    const FaceStrain plus = strain(f + h * direction), minus = strain(f - h * direction);
    for (std::size_t k = 0; k < 2; ++k)
        EXPECT_NEAR((plus.value[k] - minus.value[k]) / (2 * h), inner(at.gradient[k], direction),
                    tolerance)
            << "strain " << k;
}

TEST(FaceStrain, principal_gradients_agree_with_finite_differences)
{
    std::mt19937 random(1);
    for (int i = 0; i < 200; ++i) {
        const Mat3x2 f = random_matrix(random, 2);
        const Vec2 s = svd(f).s;
        if (s[0] - s[1] < 0.05 || s[1] < 0.05) continue; // the cases below
        expect_gradient(principal_strain, f, random_matrix(random), 1e-8);
    }
}

TEST(FaceStrain, component_gradients_agree_with_finite_differences)
{
    std::mt19937 random(2);
    for (int i = 0; i < 200; ++i)
        expect_gradient(component_strain, random_matrix(random, 2), random_matrix(random), 1e-8);
}

/// Singular values that meet have no derivative each; the sum of any function of both has.
TEST(FaceStrain, penalty_is_smooth_at_equal_singular_values)
{
    std::mt19937 random(3);
    const auto penalty = [](const Mat3x2& f, Mat3x2* gradient) {
        const FaceStrain s = principal_strain(f);
        const Vec2 t = excess(s.value, {}, -0.05, 0.05);
        if (gradient != nullptr) *gradient = t[0] * s.gradient[0] + t[1] * s.gradient[1];
        return 0.5 * norm2(t);
    };
    for (double s : {0.5, 0.9, 1.2, 2.0})
        for (double gap : {0.0, 1e-15, 1e-12, 1e-9, 1e-6}) {
            const Mat3x2 f = with_singular_values(random, s + gap, s);
            const Mat3x2 d = random_matrix(random);
            Mat3x2 gradient{};
            penalty(f, &gradient);
            const double h = 1e-5;
            const double slope =
                (penalty(f + h * d, nullptr) - penalty(f - h * d, nullptr)) / (2 * h);
            EXPECT_NEAR(slope, inner(gradient, d), 1e-8) << s << " gap " << gap;
        }
}

TEST(FaceStrain, gradients_hold_in_nearly_collapsed_faces)
{
    std::mt19937 random(4);
    for (double s2 : {1e-2, 1e-4, 1e-6}) {
        const Mat3x2 f = with_singular_values(random, 1.1, s2);
        const Mat3x2 d = random_matrix(random);
        const FaceStrain at = principal_strain(f);
        const double h = 1e-5 * s2;
        const FaceStrain plus = principal_strain(f + h * d), minus = principal_strain(f - h * d);
        for (std::size_t k = 0; k < 2; ++k)
            EXPECT_NEAR((plus.value[k] - minus.value[k]) / (2 * h), inner(at.gradient[k], d), 1e-4)
                << s2;
    }
}

TEST(FaceStrain, collapsed_face_is_told_to_open)
{
    // A face squeezed onto a line: the derivative must be finite, of unit size, across the line,
    // and a step along it must open the face.
    const Mat3x2 f = from_columns(Vec3{1, 0, 0}, Vec3{0.3, 0, 0});
    const FaceStrain s = principal_strain(f);
    EXPECT_NEAR(s.value[1], -1, 1e-12);
    EXPECT_NEAR(inner(s.gradient[1], s.gradient[1]), 1, 1e-12);
    EXPECT_NEAR(principal_strain(f + 0.1 * s.gradient[1]).value[1], -0.9, 1e-9);
    const Mat3x2 point{};
    const FaceStrain p = principal_strain(point);
    EXPECT_NEAR(inner(p.gradient[0], p.gradient[0]), 1, 1e-12);
    EXPECT_NEAR(inner(p.gradient[0], p.gradient[1]), 0, 1e-12);
}

TEST(FaceStrain, quick_strains_are_the_singular_values)
{
    std::mt19937 random(5);
    for (int i = 0; i < 200; ++i) {
        const Mat3x2 f = random_matrix(random, 2);
        const Vec2 s = svd(f).s, quick = quick_strains(f);
        EXPECT_NEAR(quick[0], s[0] - 1, 1e-12);
        EXPECT_NEAR(quick[1], s[1] - 1, 1e-7);
    }
}

TEST(FaceStrain, component_limits_mean_stretch_along_the_threads)
{
    const Mat3x2 f = from_columns(Vec3{0, 1.1, 0}, Vec3{0.9, 0, 0});
    const FaceStrain s = component_strain(f);
    EXPECT_NEAR(s.value[0], component_limit(0.1), 1e-15);
    EXPECT_NEAR(s.value[1], component_limit(-0.1), 1e-15);
}

} // namespace
} // namespace pleat
