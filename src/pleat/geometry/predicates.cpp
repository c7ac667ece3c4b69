// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// An expansion is a sum of doubles of increasing magnitude whose bits do not overlap; its sign is
// that of its last part. Sums and products of expansions are exact as long as no part leaves the
// range of doubles ([Shewchuk1997] theorems 13 and 19; zeros are dropped on the way, and
// round-to-even keeps the parts "strongly non-overlapping" as theorem 13 asks).
//
// A product of three differences needs bits down to the cube of the smallest unit in the last
// place. Coordinates between 2^-290 and 2^330 in magnitude (or zero) are safe; others go to
// WideSum, an integer wide enough for every product of three finite doubles.
#include "pleat/geometry/predicates.hpp"

#include "pleat/core/error.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace pleat {

namespace {

// --- expansions ----------------------------------------------------------------------------

struct Sum {
    double value, error; // value + error is exact
};

Sum two_sum(double a, double b)
{
    const double s = a + b;
    const double b_part = s - a;
    const double a_part = s - b_part;
    return {s, (a - a_part) + (b - b_part)};
}

/// \pre |a| >= |b| or a == 0
Sum fast_two_sum(double a, double b)
{
    const double s = a + b;
    return {s, b - (s - a)};
}

Sum two_product(double a, double b)
{
    const double p = a * b;
    return {p, std::fma(a, b, -p)};
}

/// At most N doubles, smallest first.
template <std::size_t N> struct Expansion {
    std::array<double, N> part;
    std::size_t count = 0;

    void push(double value)
    {
        if (value != 0) part[count++] = value;
    }
    [[nodiscard]] int sign() const
    {
        if (count == 0) return 0;
        return part[count - 1] > 0 ? 1 : -1;
    }
};

Expansion<2> difference(double a, double b)
{
    const Sum s = two_sum(a, -b);
    Expansion<2> e;
    e.push(s.error);
    e.push(s.value);
    return e;
}

template <std::size_t N> Expansion<N> negated(Expansion<N> e)
{
    for (std::size_t i = 0; i < e.count; ++i) e.part[i] = -e.part[i];
    return e;
}

/// [Shewchuk1997] fig. 8: merge by magnitude, then one sweep of exact sums.
template <std::size_t N, std::size_t M>
Expansion<N + M> add(const Expansion<N>& e, const Expansion<M>& f)
{
    Expansion<N + M> h;
    std::size_t i = 0, j = 0;
    const auto next = [&] {
        const bool take_e =
            j == f.count || (i < e.count && std::abs(e.part[i]) < std::abs(f.part[j]));
        return take_e ? e.part[i++] : f.part[j++];
    };
    const std::size_t count = e.count + f.count;
    if (count == 0) return h;
    double q = next();
    for (std::size_t k = 1; k < count; ++k) {
        const Sum s = two_sum(q, next());
        h.push(s.error);
        q = s.value;
    }
    h.push(q);
    return h;
}

/// [Shewchuk1997] fig. 13.
template <std::size_t N> Expansion<2 * N> scale(const Expansion<N>& e, double b)
{
    Expansion<2 * N> h;
    if (e.count == 0) return h;
    Sum q = two_product(e.part[0], b);
    h.push(q.error);
    for (std::size_t i = 1; i < e.count; ++i) {
        const Sum t = two_product(e.part[i], b);
        const Sum s = two_sum(q.value, t.error);
        h.push(s.error);
        q = fast_two_sum(t.value, s.value);
        h.push(q.error);
    }
    h.push(q.value);
    return h;
}

/// \pre b has at most two parts, as a difference of two doubles does.
template <std::size_t N> Expansion<4 * N> multiply(const Expansion<N>& e, const Expansion<2>& b)
{
    if (b.count == 2) return add(scale(e, b.part[0]), scale(e, b.part[1]));
    Expansion<4 * N> h;
    if (b.count == 0) return h;
    const Expansion<2 * N> p = scale(e, b.part[0]);
    for (std::size_t i = 0; i < p.count; ++i) h.push(p.part[i]);
    return h;
}

/// a b - c d
Expansion<16> cross(const Expansion<2>& a, const Expansion<2>& b, const Expansion<2>& c,
                    const Expansion<2>& d)
{
    return add(multiply(a, b), negated(multiply(c, d)));
}

bool fits_expansion(double x)
{
    const double size = std::abs(x);
    return size == 0 || (size >= 0x1p-290 && size <= 0x1p330);
}

template <std::size_t N> bool fits_expansion(const Vec<double, N>& a)
{
    for (std::size_t i = 0; i < N; ++i)
        if (!fits_expansion(a[i])) return false;
    return true;
}

// --- one wide integer ----------------------------------------------------------------------

__extension__ using Uint128 = unsigned __int128;

/// Sum of products of three doubles, in units of 2^-3222 (the cube of the smallest double), as a
/// two's complement integer. The largest product is below 2^3072.
class WideSum {
public:
    void add_product(double a, double b, double c, bool negative)
    {
        if (a == 0 || b == 0 || c == 0) return;
        const Digits da = digits(a), db = digits(b), dc = digits(c);
        // 106 bits, then 159 bits in three words.
        const Uint128 ab = static_cast<Uint128>(da.mantissa) * db.mantissa;
        const Uint128 low = static_cast<Uint128>(static_cast<std::uint64_t>(ab)) * dc.mantissa;
        const Uint128 high =
            static_cast<Uint128>(static_cast<std::uint64_t>(ab >> 64)) * dc.mantissa +
            static_cast<std::uint64_t>(low >> 64);
        const std::array<std::uint64_t, 3> m = {static_cast<std::uint64_t>(low),
                                                static_cast<std::uint64_t>(high),
                                                static_cast<std::uint64_t>(high >> 64)};
        const auto shift = static_cast<std::size_t>(da.exponent + db.exponent + dc.exponent + 3222);
        const std::size_t word = shift / 64, bit = shift % 64;
        std::array<std::uint64_t, 4> shifted{};
        for (std::size_t i = 0; i < 3; ++i) {
            shifted[i] |= m[i] << bit;
            if (bit > 0) shifted[i + 1] |= m[i] >> (64 - bit);
        }
        if (negative != (da.negative ^ db.negative ^ dc.negative))
            subtract_at(word, shifted);
        else
            add_at(word, shifted);
    }

    [[nodiscard]] int sign() const
    {
        if (words_.back() >> 63) return -1;
        for (std::uint64_t w : words_)
            if (w != 0) return 1;
        return 0;
    }

private:
    struct Digits {
        std::uint64_t mantissa;
        int exponent; // the value is mantissa * 2^exponent, exponent >= -1074
        bool negative;
    };

    static Digits digits(double x)
    {
        PLEAT_ASSERT(std::isfinite(x), "predicates take finite coordinates");
        int e = 0;
        const double fraction = std::frexp(std::abs(x), &e); // in [1/2, 1)
        // Subnormals have fewer than 53 digits: do not reach below 2^-1074.
        const int digit_count = std::min(53, e + 1074);
        return {static_cast<std::uint64_t>(std::ldexp(fraction, digit_count)), e - digit_count,
                std::signbit(x)};
    }

    void add_at(std::size_t word, const std::array<std::uint64_t, 4>& m)
    {
        std::uint64_t carry = 0;
        for (std::size_t i = word; i < words_.size() && (i < word + 4 || carry != 0); ++i) {
            const Uint128 s =
                static_cast<Uint128>(words_[i]) + (i < word + 4 ? m[i - word] : 0) + carry;
            words_[i] = static_cast<std::uint64_t>(s);
            carry = static_cast<std::uint64_t>(s >> 64);
        }
    }

    void subtract_at(std::size_t word, const std::array<std::uint64_t, 4>& m)
    {
        std::uint64_t borrow = 0;
        for (std::size_t i = word; i < words_.size() && (i < word + 4 || borrow != 0); ++i) {
            const Uint128 s =
                static_cast<Uint128>(words_[i]) - (i < word + 4 ? m[i - word] : 0) - borrow;
            words_[i] = static_cast<std::uint64_t>(s);
            borrow = static_cast<std::uint64_t>(s >> 64) != 0 ? 1 : 0;
        }
    }

    // 3222 + 3072 bits of products, and room for the carries of 24 of them and the sign.
    std::array<std::uint64_t, 100> words_{};
};

/// a . (b x c), times -1 where asked.
void add_triple(WideSum& sum, const Vec3& a, const Vec3& b, const Vec3& c, bool negative)
{
    for (std::size_t i = 0; i < 3; ++i) {
        const std::size_t j = (i + 1) % 3, k = (i + 2) % 3;
        sum.add_product(a[i], b[j], c[k], negative);
        sum.add_product(a[i], b[k], c[j], !negative);
    }
}

int orient2d_wide(const Vec2& a, const Vec2& b, const Vec2& c)
{
    WideSum sum;
    for (const auto& [p, q] : {std::pair(a, b), std::pair(b, c), std::pair(c, a)}) {
        sum.add_product(p[0], q[1], 1.0, false);
        sum.add_product(p[1], q[0], 1.0, true);
    }
    return sum.sign();
}

int orient3d_wide(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d)
{
    WideSum sum;
    add_triple(sum, b, c, d, false);
    add_triple(sum, a, c, d, true);
    add_triple(sum, a, b, d, false);
    add_triple(sum, a, b, c, true);
    return sum.sign();
}

} // namespace

int orient2d_exact(const Vec2& a, const Vec2& b, const Vec2& c)
{
    if (!fits_expansion(a) || !fits_expansion(b) || !fits_expansion(c))
        return orient2d_wide(a, b, c);
    return cross(difference(b[0], a[0]), difference(c[1], a[1]), difference(b[1], a[1]),
                 difference(c[0], a[0]))
        .sign();
}

int orient3d_exact(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d)
{
    if (!fits_expansion(a) || !fits_expansion(b) || !fits_expansion(c) || !fits_expansion(d))
        return orient3d_wide(a, b, c, d);
    std::array<Expansion<2>, 3> u, v, w;
    for (std::size_t i = 0; i < 3; ++i) {
        u[i] = difference(b[i], a[i]);
        v[i] = difference(c[i], a[i]);
        w[i] = difference(d[i], a[i]);
    }
    const Expansion<64> x = multiply(cross(u[1], v[2], u[2], v[1]), w[0]);
    const Expansion<64> y = multiply(cross(u[2], v[0], u[0], v[2]), w[1]);
    const Expansion<64> z = multiply(cross(u[0], v[1], u[1], v[0]), w[2]);
    return add(add(x, y), z).sign();
}

} // namespace pleat
