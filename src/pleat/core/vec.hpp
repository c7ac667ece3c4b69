// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Small fixed-size vectors and matrices. Plain aggregates: no padding, no hidden initialisation,
// usable in arrays that are written to disk or handed to a vectorised loop.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>

namespace pleat {

/// A column of N numbers.
template <class T, std::size_t N> struct Vec {
    std::array<T, N> e;

    [[nodiscard]] constexpr T& operator[](std::size_t i) { return e[i]; }
    [[nodiscard]] constexpr const T& operator[](std::size_t i) const { return e[i]; }
    constexpr bool operator==(const Vec&) const = default;

    constexpr Vec& operator+=(const Vec& b)
    {
        for (std::size_t i = 0; i < N; ++i) e[i] += b.e[i];
        return *this;
    }
    constexpr Vec& operator-=(const Vec& b)
    {
        for (std::size_t i = 0; i < N; ++i) e[i] -= b.e[i];
        return *this;
    }
    constexpr Vec& operator*=(T s)
    {
        for (std::size_t i = 0; i < N; ++i) e[i] *= s;
        return *this;
    }
    constexpr Vec& operator/=(T s)
    {
        for (std::size_t i = 0; i < N; ++i) e[i] /= s;
        return *this;
    }
    friend constexpr Vec operator+(Vec a, const Vec& b) { return a += b; }
    friend constexpr Vec operator-(Vec a, const Vec& b) { return a -= b; }
    friend constexpr Vec operator*(Vec a, T s) { return a *= s; }
    friend constexpr Vec operator*(T s, Vec a) { return a *= s; }
    friend constexpr Vec operator/(Vec a, T s) { return a /= s; }
    friend constexpr Vec operator-(Vec a) { return a *= T(-1); }
};

using Vec2 = Vec<double, 2>;
using Vec3 = Vec<double, 3>;
using Vec2f = Vec<float, 2>;
using Vec3f = Vec<float, 3>;

template <class T, std::size_t N>
[[nodiscard]] constexpr T dot(const Vec<T, N>& a, const Vec<T, N>& b)
{
    T s = a[0] * b[0];
    for (std::size_t i = 1; i < N; ++i) s += a[i] * b[i];
    return s;
}

template <class T> [[nodiscard]] constexpr Vec<T, 3> cross(const Vec<T, 3>& a, const Vec<T, 3>& b)
{
    return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

/// The scalar a_x b_y - a_y b_x.
template <class T> [[nodiscard]] constexpr T cross(const Vec<T, 2>& a, const Vec<T, 2>& b)
{
    return a[0] * b[1] - a[1] * b[0];
}

template <class T, std::size_t N> [[nodiscard]] constexpr T norm2(const Vec<T, N>& a)
{
    return dot(a, a);
}

template <class T, std::size_t N> [[nodiscard]] T norm(const Vec<T, N>& a)
{
    return std::sqrt(dot(a, a));
}

/// a / |a|, or zero where a is zero.
template <class T, std::size_t N> [[nodiscard]] Vec<T, N> normalized(const Vec<T, N>& a)
{
    const T l = norm(a);
    return l > T(0) ? a / l : Vec<T, N>{};
}

template <class T, std::size_t N> [[nodiscard]] bool is_finite(const Vec<T, N>& a)
{
    for (std::size_t i = 0; i < N; ++i)
        if (!std::isfinite(a[i])) return false;
    return true;
}

/// R rows, C columns, stored row by row.
template <class T, std::size_t R, std::size_t C> struct Mat {
    std::array<T, R * C> e;

    [[nodiscard]] constexpr T& operator()(std::size_t i, std::size_t j) { return e[i * C + j]; }
    [[nodiscard]] constexpr const T& operator()(std::size_t i, std::size_t j) const
    {
        return e[i * C + j];
    }
    constexpr bool operator==(const Mat&) const = default;

    constexpr Mat& operator+=(const Mat& b)
    {
        for (std::size_t i = 0; i < R * C; ++i) e[i] += b.e[i];
        return *this;
    }
    constexpr Mat& operator-=(const Mat& b)
    {
        for (std::size_t i = 0; i < R * C; ++i) e[i] -= b.e[i];
        return *this;
    }
    constexpr Mat& operator*=(T s)
    {
        for (std::size_t i = 0; i < R * C; ++i) e[i] *= s;
        return *this;
    }
    friend constexpr Mat operator+(Mat a, const Mat& b) { return a += b; }
    friend constexpr Mat operator-(Mat a, const Mat& b) { return a -= b; }
    friend constexpr Mat operator*(Mat a, T s) { return a *= s; }
    friend constexpr Mat operator*(T s, Mat a) { return a *= s; }
    friend constexpr Mat operator-(Mat a) { return a *= T(-1); }
};

using Mat2 = Mat<double, 2, 2>;
using Mat3 = Mat<double, 3, 3>;
using Mat3x2 = Mat<double, 3, 2>;
using Mat3f = Mat<float, 3, 3>;

template <class T, std::size_t R, std::size_t K, std::size_t C>
[[nodiscard]] constexpr Mat<T, R, C> operator*(const Mat<T, R, K>& a, const Mat<T, K, C>& b)
{
    Mat<T, R, C> m{};
    for (std::size_t i = 0; i < R; ++i)
        for (std::size_t k = 0; k < K; ++k)
            for (std::size_t j = 0; j < C; ++j) m(i, j) += a(i, k) * b(k, j);
    return m;
}

template <class T, std::size_t R, std::size_t C>
[[nodiscard]] constexpr Vec<T, R> operator*(const Mat<T, R, C>& a, const Vec<T, C>& b)
{
    Vec<T, R> v{};
    for (std::size_t i = 0; i < R; ++i)
        for (std::size_t j = 0; j < C; ++j) v[i] += a(i, j) * b[j];
    return v;
}

template <class T, std::size_t R, std::size_t C>
[[nodiscard]] constexpr Mat<T, C, R> transpose(const Mat<T, R, C>& a)
{
    Mat<T, C, R> m{};
    for (std::size_t i = 0; i < R; ++i)
        for (std::size_t j = 0; j < C; ++j) m(j, i) = a(i, j);
    return m;
}

/// a b^T.
template <class T, std::size_t R, std::size_t C>
[[nodiscard]] constexpr Mat<T, R, C> outer(const Vec<T, R>& a, const Vec<T, C>& b)
{
    Mat<T, R, C> m{};
    for (std::size_t i = 0; i < R; ++i)
        for (std::size_t j = 0; j < C; ++j) m(i, j) = a[i] * b[j];
    return m;
}

template <class T, std::size_t R, std::size_t C>
[[nodiscard]] constexpr Vec<T, R> column(const Mat<T, R, C>& a, std::size_t j)
{
    Vec<T, R> v{};
    for (std::size_t i = 0; i < R; ++i) v[i] = a(i, j);
    return v;
}

/// The matrix whose columns are the arguments.
template <class T, std::size_t R, class... Cols>
[[nodiscard]] constexpr Mat<T, R, 1 + sizeof...(Cols)> from_columns(const Vec<T, R>& first,
                                                                    const Cols&... rest)
{
    const Vec<T, R> columns[] = {first, rest...};
    Mat<T, R, 1 + sizeof...(Cols)> m{};
    for (std::size_t j = 0; j < 1 + sizeof...(Cols); ++j)
        for (std::size_t i = 0; i < R; ++i) m(i, j) = columns[j][i];
    return m;
}

template <std::size_t N, class T = double> [[nodiscard]] constexpr Mat<T, N, N> identity()
{
    Mat<T, N, N> m{};
    for (std::size_t i = 0; i < N; ++i) m(i, i) = T(1);
    return m;
}

template <class T> [[nodiscard]] constexpr T determinant(const Mat<T, 2, 2>& a)
{
    return a(0, 0) * a(1, 1) - a(0, 1) * a(1, 0);
}

template <class T> [[nodiscard]] constexpr T determinant(const Mat<T, 3, 3>& a)
{
    return a(0, 0) * (a(1, 1) * a(2, 2) - a(1, 2) * a(2, 1)) -
           a(0, 1) * (a(1, 0) * a(2, 2) - a(1, 2) * a(2, 0)) +
           a(0, 2) * (a(1, 0) * a(2, 1) - a(1, 1) * a(2, 0));
}

/// \pre determinant(a) != 0
template <class T> [[nodiscard]] constexpr Mat<T, 2, 2> inverse(const Mat<T, 2, 2>& a)
{
    const T s = T(1) / determinant(a);
    return {{a(1, 1) * s, -a(0, 1) * s, -a(1, 0) * s, a(0, 0) * s}};
}

/// \pre determinant(a) != 0
template <class T> [[nodiscard]] constexpr Mat<T, 3, 3> inverse(const Mat<T, 3, 3>& a)
{
    const T s = T(1) / determinant(a);
    Mat<T, 3, 3> m{};
    for (std::size_t i = 0; i < 3; ++i)
        for (std::size_t j = 0; j < 3; ++j) {
            const std::size_t i1 = (i + 1) % 3, i2 = (i + 2) % 3;
            const std::size_t j1 = (j + 1) % 3, j2 = (j + 2) % 3;
            m(j, i) = (a(i1, j1) * a(i2, j2) - a(i1, j2) * a(i2, j1)) * s;
        }
    return m;
}

} // namespace pleat
