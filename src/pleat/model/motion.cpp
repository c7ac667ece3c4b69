// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
#include "pleat/model/motion.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace pleat {

namespace {

Rotation normalized(const Rotation& r)
{
    const double l = std::sqrt(r.w * r.w + r.x * r.x + r.y * r.y + r.z * r.z);
    return {r.w / l, r.x / l, r.y / l, r.z / l};
}

/// A transform as eight numbers that are interpolated one by one.
using Numbers = Vec<double, 8>;

Numbers to_numbers(const Transform& t)
{
    const Rotation& r = t.rotation;
    return {t.translate[0], t.translate[1], t.translate[2], r.w, r.x, r.y, r.z, t.scale};
}

Transform from_numbers(const Numbers& n)
{
    return {{n[0], n[1], n[2]}, normalized(Rotation{n[3], n[4], n[5], n[6]}), n[7]};
}

/// The same rotation from the other side of the quaternion sphere, where that is nearer to `to`.
Numbers near_side(Numbers n, const Numbers& to)
{
    double d = 0;
    for (std::size_t i = 3; i < 7; ++i) d += n[i] * to[i];
    if (d < 0)
        for (std::size_t i = 3; i < 7; ++i) n[i] = -n[i];
    return n;
}

/// The derivative of the eight numbers of a key with a velocity of its own.
Numbers rate_of(const Numbers& n, const TransformRate& rate)
{
    const Vec3& w = rate.angular;
    const Rotation turn = Rotation{0, w[0], w[1], w[2]} * Rotation{n[3], n[4], n[5], n[6]};
    return {rate.linear[0], rate.linear[1], rate.linear[2], turn.w / 2,
            turn.x / 2,     turn.y / 2,     turn.z / 2,     rate.scale};
}

} // namespace

Rotation rotation_about(const Vec3& axis, double angle)
{
    const Vec3 a = normalized(axis) * std::sin(angle / 2);
    return {std::cos(angle / 2), a[0], a[1], a[2]};
}

Vec3 rotate(const Rotation& r, const Vec3& p)
{
    const Vec3 q{r.x, r.y, r.z};
    const Vec3 t = 2.0 * cross(q, p);
    return p + r.w * t + cross(q, t);
}

Rotation operator*(const Rotation& a, const Rotation& b)
{
    return {a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z,
            a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
            a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
            a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
}

Rotation inverse(const Rotation& r)
{
    return {r.w, -r.x, -r.y, -r.z};
}

Vec3 apply(const Transform& t, const Vec3& p)
{
    return t.translate + t.scale * rotate(t.rotation, p);
}

Transform operator*(const Transform& a, const Transform& b)
{
    return {apply(a, b.translate), a.rotation * b.rotation, a.scale * b.scale};
}

Transform inverse(const Transform& t)
{
    const Rotation back = inverse(t.rotation);
    return {rotate(back, t.translate) * (-1 / t.scale), back, 1 / t.scale};
}

HermiteWeights hermite_weights(double t0, double t1, double t)
{
    const double h = t1 - t0, s = (t - t0) / h;
    return {(1 + 2 * s) * (1 - s) * (1 - s), s * (1 - s) * (1 - s) * h, s * s * (3 - 2 * s),
            s * s * (s - 1) * h};
}

Transform transform_at(const Motion& motion, double time)
{
    const auto& keys = motion.keys;
    if (keys.empty()) return {};
    if (time <= keys.front().time) return keys.front().transform;
    if (time >= keys.back().time) return keys.back().transform;
    const auto after = std::upper_bound(keys.begin(), keys.end(), time,
                                        [](double t, const MotionKey& k) { return t < k.time; });
    const auto i = static_cast<std::size_t>(after - keys.begin()) - 1;

    const Numbers p0 = to_numbers(keys[i].transform);
    const Numbers p1 = near_side(to_numbers(keys[i + 1].transform), p0);
    Numbers v0{}, v1{};
    if (keys[i].velocity) {
        v0 = rate_of(p0, *keys[i].velocity);
    } else if (i > 0) {
        const Numbers before = near_side(to_numbers(keys[i - 1].transform), p0);
        v0 = (p1 - before) / (keys[i + 1].time - keys[i - 1].time);
    }
    if (keys[i + 1].velocity) {
        v1 = rate_of(p1, *keys[i + 1].velocity);
    } else if (i + 2 < keys.size()) {
        const Numbers next = near_side(to_numbers(keys[i + 2].transform), p1);
        v1 = (next - p0) / (keys[i + 2].time - keys[i].time);
    }
    const HermiteWeights w = hermite_weights(keys[i].time, keys[i + 1].time, time);
    return from_numbers(w.h00 * p0 + w.h10 * v0 + w.h01 * p1 + w.h11 * v1);
}

} // namespace pleat
